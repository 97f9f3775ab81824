"""The native engine beyond what every engine does: its code for few states, its callers, its threads."""

from __future__ import annotations

import ctypes
import gc
import weakref
from functools import lru_cache
from itertools import islice
from random import Random
from threading import Thread
from typing import Any

import numpy as np
import pytest
from numba import njit

from ludens.engines.native import NativeEngine
from ludens.engines.native.engine import MAX_SEQUENTIAL_GAMES, WORTHWHILE
from ludens.engines.native.lanes import GrowingCode, LaneCode, _batching
from ludens.engines.native.single import SIGNATURES
from ludens.engines.native.straight import straight_code
from ludens.game import load
from tests.engines.agreement import Witness, compare, disturbed, known_states, ready, witness_of
from tests.engines.sliced.random_play import RandomPlay, deviation
from tests.tiers import every_game

STATES = 24
CODED = ("tictactoe", "atarigo", "connectfour")
"""Games for which code for few states is made here as well."""
SIGMAS = 4.5


@lru_cache(maxsize=8)
def engines(name: str) -> tuple[NativeEngine, Witness]:
    return ready(NativeEngine.compile(load(name).engine_rules)), witness_of(name)


@pytest.mark.parametrize("name", every_game(of=CODED))
def test_code_for_few_states_agrees(name: str) -> None:
    engine, witness = engines(name)
    engine.make_code()
    rng, pool = Random(name), list(known_states(name)[:STATES])
    pool += [witness.look(disturbed(known, engine.circuit.fluents, rng), rng) for known in pool]
    for size in (2, 63, 64, 65, 128):
        compare(engine, rng.choices(pool, k=size), rng)


@pytest.mark.parametrize("name", ["tictactoe", "rockpaperscissors", "nim"])
def test_single_games_have_the_right_frequencies(name: str) -> None:
    engine, _ = engines(name)
    exact = RandomPlay(load(name).engine_rules)
    (start,) = engine.decode(engine.initial(1))
    expected = exact.ends(start)
    rng, rounds = Random(3), 600
    counts: dict[tuple[tuple[int, ...], int], int] = {}
    for _ in range(rounds):
        played = engine.playouts(engine.initial(MAX_SEQUENTIAL_GAMES), rng)
        for goals, length in zip(played.goals.tolist(), played.lengths.tolist(), strict=True):
            counts[tuple(goals), length] = counts.get((tuple(goals), length), 0) + 1
    assert counts.keys() <= expected.keys()
    for end, chance in expected.items():
        assert deviation(counts.get(end, 0), rounds * MAX_SEQUENTIAL_GAMES, chance) < SIGMAS


# -- other callers ---------------------------------------------------------------------------


def test_threads_do_not_disturb_each_other() -> None:
    engine, witness = engines("connectfour")
    pools = [list(islice(witness.walk(Random(seed)), 30)) for seed in range(4)]
    faults: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            for known in pools[seed] * 3:
                compare(engine, [known], Random(seed))
        except BaseException as error:
            faults.append(error)

    threads = [Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_functions_can_be_called_by_compiled_code() -> None:
    engine, _ = engines("tictactoe")
    rows, rng = engine.initial(100), np.array([5], np.uint64)
    goals, steps, results = np.empty((100, 2), np.int32), np.empty(100, np.uint32), np.empty(100, np.uint8)
    with engine.single.frame() as frame:
        playouts = ctypes.CFUNCTYPE(*SIGNATURES["playouts"])(frame.kernel.addresses["playouts"])
        addresses = tuple(array.ctypes.data for array in (rows, rng, goals, steps, results))

        def play(memory: int, places: tuple[int, ...], rounds: int) -> None:
            for _ in range(rounds):
                playouts(memory, places[0], places[1], 100, 1000, places[2], places[3], places[4])

        compiled: Any = njit(play)
        compiled(frame.address, addresses, 3)
    assert results.max() == 0
    assert set(map(tuple, goals.tolist())) == {(0, 100), (50, 50), (100, 0)}


def test_code_is_made_once_a_big_circuit_is_asked_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.engines.native.engine.BIG_CIRCUIT", 0)
    rules = load("nim").engine_rules
    engine, witness, rng = NativeEngine.compile(rules), Witness(rules), Random(1)
    pool = list(islice(witness.walk(rng), 20))
    assert engine._next.code.level < 0
    for _ in range(WORTHWHILE + 1):
        compare(engine, rng.choices(pool, k=5), rng)
    assert engine._next.code.wait(60)
    assert engine._next.code.level == 2
    compare(engine, rng.choices(pool, k=5), rng)


def test_single_states_are_answered_before_and_after_their_code_is_made() -> None:
    rules = load("hallway").engine_rules
    engine, witness, rng = NativeEngine.compile(rules), Witness(rules), Random(1)
    pool = list(islice(witness.walk(rng), 8))
    assert engine._coming.ready is None
    for _ in range(WORTHWHILE):
        compare(engine, [rng.choice(pool)], rng)
    assert engine._coming.wait(60)
    assert engine._coming.ready
    compare(engine, [rng.choice(pool)], rng)


@pytest.mark.parametrize("name", ["checkers", "tictactoe"])
def test_strange_rows_are_refused(name: str) -> None:
    engine, _ = engines(name)
    state = engine.initial(1)
    beyond = state.copy()
    beyond[0, -1] = np.uint64(2**64 - 1)
    strange: list[Any] = [state.astype(np.int64), state[:, :0], state[0], beyond]
    for rows in strange:
        for ask in (engine.terminal, engine.legal, engine.legal_bits, engine.goals):
            with pytest.raises(ValueError, match="states"):
                ask(rows)


def test_code_that_is_given_up_is_not_used() -> None:
    engine, _ = engines("checkers")
    code = GrowingCode(engine.circuit.gates, engine.circuit.gates.legal)
    code.start()
    code.cancel()
    assert code.level < 2
    assert code.wait(60)


def test_code_lives_as_long_as_what_calls_it() -> None:
    """Two threads at once may make the common functions twice; those that are not kept for others are in use too."""
    engine, _ = engines("tictactoe")
    _batching.cache_clear()
    common = weakref.ref(_batching())
    code = LaneCode(straight_code(engine.circuit.gates, engine.circuit.gates.legal), 0)
    _batching.cache_clear()
    gc.collect()
    assert common()
    np.testing.assert_array_equal(code.ask(engine.initial(3)), engine.legal_bits(engine.initial(3)))
    del code
    gc.collect()
    assert not common()
