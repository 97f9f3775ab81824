"""The sliced engine beyond what every engine does: walks side by side, rows, columns, threads, tallies."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ludens.engines.sliced import SlicedEngine
from ludens.errors import NoLegalMoveError, UnknownRoleError
from ludens.game import find_rules, load
from ludens.gdl.rules import Rules
from tests.engines.agreement import Witness, compare, shuffled_batch, witness_of
from tests.engines.sheets import FREE
from tests.tiers import ARCHETYPES, examples


@lru_cache(maxsize=8)
def engines(name: str) -> tuple[SlicedEngine, Witness]:
    return SlicedEngine.compile(load(name).engine_rules), witness_of(name)


@examples(30)
@given(st.sampled_from(list(ARCHETYPES)), st.integers(1, 130), st.integers(0, 2**32))
def test_walks_agree_at_any_time_and_size(name: str, size: int, seed: int) -> None:
    """All lanes go their own way for a while; a lane whose game ends begins again."""
    engine, witness = engines(name)
    rng = Random(seed)
    walks = [witness.walk(rng, joints=1) for _ in range(min(size, 12))]
    for _ in range(6):
        for walk in walks:
            next(islice(walk, rng.randrange(3), None))
        compare(engine, shuffled_batch([next(walk) for walk in walks], size, rng), rng)


def test_moves_have_numbers_in_the_order_of_their_texts() -> None:
    engine, _ = engines("breakthrough")
    (legal,) = engine.legal(engine.initial(1))
    assert all(moves == sorted(moves) for moves in legal)
    assert [engine.move_number(0, engine.move_term(number)) for number in legal[0]] == legal[0]


def test_bits_of_legal_moves_are_those_of_the_roles_one_after_the_other() -> None:
    engine, _ = engines("biddingtictactoe")
    states = engine.initial(3)
    bits = engine.legal_bits(states)
    counts = [bin(int(word)).count("1") for word in bits.sum(axis=1) if len(bits[0]) == 1]
    assert counts == [sum(map(len, engine.legal(states)[0]))] * 3


def test_joint_moves_that_do_not_fit_are_refused() -> None:
    engine, _ = engines("breakthrough")
    legal = engine.legal(engine.initial(1))[0]
    others = engine.move_number(1, "noop")
    for number in (-1, 10**6):
        with pytest.raises(KeyError):
            engine.step(engine.initial(2), [[legal[0][0], others], [number, others]])
    with pytest.raises(ValueError, match="reshape"):
        engine.step(engine.initial(2), [[legal[0][0], others]])


@pytest.mark.parametrize(
    "method", ["look", "legal", "legal_bits", "terminal", "goals", "goal_terms", "playouts", "tally"]
)
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
    joint = [[moves[0] for moves in engine.legal(engine.initial(1))[0]]] * 3
    for make in (engine.step, engine.expand):
        with pytest.raises(ValueError, match=words):
            make(rows, joint)


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


def test_a_tally_ends_with_an_error_where_a_role_has_no_move() -> None:
    engine = SlicedEngine.compile(Rules.parse(FREE["a role that can get stuck"]))
    with pytest.raises(NoLegalMoveError, match="no legal move"):
        engine.tally(engine.initial(1), 100, Random(1))
    assert engine.tally(engine.initial(1), 100, Random(1), max_steps=1).cut.tolist() == [100]


def test_error_of_one_batch_leaves_no_trace_in_the_next() -> None:
    rules = Rules.parse(
        "(role me) (init a) (<= (legal me left) (true a)) (<= (legal me right) (true a)) (<= (legal me left) (true b)) "
        "(<= (next b) (does me left)) (<= (next c) (does me right)) (<= (next d) (true b)) "
        "(<= terminal (true d)) (<= (goal me 100) (true d)) (<= (goal me 0) (not (true d)))"
    )
    engine, fresh = SlicedEngine.compile(rules), SlicedEngine.compile(rules)
    with pytest.raises(NoLegalMoveError):
        engine.tally(engine.initial(1), 300, Random(1))
    start = engine.encode([frozenset({"b"})])
    for seed in range(3):
        after, alone = (each.tally(start, 300, Random(seed)) for each in (engine, fresh))
        assert after.histogram("me") == alone.histogram("me") == {0: 0, 100: 300}
