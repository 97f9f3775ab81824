"""The sliced engine answers like the reference engine: every game, every lane, every fact."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ludens import games
from ludens.engines.sliced import SlicedEngine
from ludens.errors import UnknownFactError, UnknownRoleError
from ludens.game import find_rules, load
from ludens.gdl.rules import Rules
from tests.engines.sliced.agreement import Known, Witness, compare, disturbed, known_states, witness_of
from tests.tiers import examples

VARIED = (
    "tictactoe", "connectfour", "breakthrough", "checkers", "eightpuzzle", "pig", "rockpaperscissors", "threeway"
)  # fmt: skip
"""Games of all kinds for which the reference engine does not need long."""
BATCHES = (1, 63, 64, 65, 512, 700)


@lru_cache(maxsize=8)
def engines(name: str) -> tuple[SlicedEngine, Witness]:
    return SlicedEngine.compile(load(name).engine_rules), witness_of(name)


def shuffled_batch(pool: Sequence[Known], size: int, rng: Random) -> list[Known]:
    """States of different games and ages side by side, each of the pool as often as any other."""
    lanes = [pool[lane % len(pool)] for lane in range(size)]
    rng.shuffle(lanes)
    return lanes


@pytest.mark.parametrize("name", games.names())
def test_bundled_games_agree_in_every_lane(name: str) -> None:
    engine, _ = engines(name)
    rng, pool = Random(name), known_states(name)
    assert engine.decode(engine.initial(3)) == [pool[0].facts] * 3
    for size in BATCHES:
        compare(engine, shuffled_batch(pool, size, rng), rng)


@examples(30)
@given(st.sampled_from(VARIED), st.integers(1, 130), st.integers(0, 2**32))
def test_walks_agree_at_any_time_and_size(name: str, size: int, seed: int) -> None:
    """All lanes go their own way for a while; a lane whose game ends begins again."""
    engine, witness = engines(name)
    rng = Random(seed)
    walks = [witness.walk(rng, joints=1) for _ in range(min(size, 12))]
    for _ in range(6):
        for walk in walks:
            next(islice(walk, rng.randrange(3), None))
        compare(engine, shuffled_batch([next(walk) for walk in walks], size, rng), rng)


@examples(30)
@given(st.sampled_from(VARIED), st.integers(0, 2**32))
def test_states_that_no_play_reaches_agree_too(name: str, seed: int) -> None:
    engine, witness = engines(name)
    rng = Random(seed)
    reached = islice(witness.walk(rng), rng.randrange(10), None)
    odd = [witness.look(disturbed(next(reached), engine.fluents, rng), rng) for _ in range(8)]
    compare(engine, shuffled_batch(odd, 65, rng), rng)


def test_real_sheet_with_rules_that_go_in_circles_agrees(corpus: Path) -> None:
    """Its recursion goes round the board and back, and in part adds nothing."""
    rules = Rules.read(corpus / "games" / "amazonsTorus_10x10.kif")
    engine, witness = SlicedEngine.compile(rules), Witness(rules)
    rng = Random(3)
    compare(engine, shuffled_batch(list(islice(witness.walk(rng), 12)), 65, rng), rng)


def test_moves_have_numbers_in_the_order_of_their_texts() -> None:
    engine, _ = engines("breakthrough")
    (legal,) = engine.legal(engine.initial(1))
    assert all(moves == sorted(moves) for moves in legal)
    assert [engine.move_number(engine.move_term(number)) for number in legal[0]] == legal[0]


def test_bits_of_legal_moves_are_those_of_the_roles_one_after_the_other() -> None:
    engine, _ = engines("biddingtictactoe")
    states = engine.initial(3)
    bits = engine.legal_bits(states)
    counts = [bin(int(word)).count("1") for word in bits.sum(axis=1) if len(bits[0]) == 1]
    assert counts == [sum(map(len, engine.legal(states)[0]))] * 3


def test_empty_batch() -> None:
    engine, _ = engines("tictactoe")
    nothing = engine.initial(0)
    assert engine.encode([]).shape == nothing.shape
    assert engine.decode(nothing) == []
    assert engine.legal(nothing) == []
    assert engine.goal_terms(nothing) == []
    assert engine.terminal(nothing).shape == (0,)
    assert engine.goals(nothing).shape == (0, 2)
    assert engine.advance(nothing, []).shape == nothing.shape


def test_fact_that_play_never_reaches_is_refused() -> None:
    engine, _ = engines("tictactoe")
    with pytest.raises(UnknownFactError, match=r"\(cell 9 9 x\)"):
        engine.encode([frozenset(), frozenset({("cell", "9", "9", "x")})])


def test_unknown_moves_are_refused() -> None:
    engine, _ = engines("breakthrough")
    with pytest.raises(KeyError):
        engine.move_number("fly")
    legal = engine.legal(engine.initial(1))[0]
    others = engine.move_number("noop")
    for number in (-1, 10**6):
        with pytest.raises(KeyError):
            engine.advance(engine.initial(2), [[legal[0][0], others], [number, others]])
    with pytest.raises(ValueError, match="reshape"):
        engine.advance(engine.initial(2), [[legal[0][0], others]])


@pytest.mark.parametrize("method", ["legal", "legal_bits", "terminal", "goals", "goal_terms", "playouts", "tally"])
@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (np.zeros((3, 40), np.uint64), "rows of 1 words"),
        (np.zeros((3, 0), np.uint64), "rows of 1 words"),
        (np.zeros(3, np.uint64), "rows of 1 words"),
        (np.zeros((3, 1), np.int32), "rows of 1 words"),
        (np.full((3, 1), 2**63, np.uint64), "beyond the 29 fluents"),
    ],
)
def test_rows_of_the_wrong_layout_are_refused(method: str, rows: NDArray[Any], words: str) -> None:
    engine = SlicedEngine.compile(find_rules("tictactoe")[0])
    arguments: tuple[object, ...] = {"playouts": (Random(1),), "tally": (2, Random(1))}.get(method, ())
    with pytest.raises(ValueError, match=words):
        getattr(engine, method)(rows, *arguments)
    with pytest.raises(ValueError, match=words):
        engine.advance(rows, [[0, 9]] * 3)


def test_rows_in_strides_are_read_as_they_are() -> None:
    engine = SlicedEngine.compile(find_rules("breakthrough")[0])
    rows = engine.initial(6)
    assert engine.legal(rows[::2]) == engine.legal(rows[:3])
    assert (
        engine.playouts(rows[::2], Random(4)).lengths.tolist() == engine.playouts(rows[:3], Random(4)).lengths.tolist()
    )


@pytest.mark.parametrize("threads", [0, -1])
def test_there_is_at_least_one_thread(threads: int) -> None:
    with pytest.raises(ValueError, match="threads"):
        SlicedEngine.compile(find_rules("tictactoe")[0], threads=threads)


def test_a_role_that_is_unknown_to_a_tally() -> None:
    engine = SlicedEngine.compile(find_rules("tictactoe")[0])
    with pytest.raises(UnknownRoleError, match="x, o"):
        engine.tally(engine.initial(1), 10, Random(1)).histogram("z")
