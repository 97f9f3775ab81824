"""Expanding states says the same as asking the engine one question after the other, in batches of any size."""

from __future__ import annotations

from functools import lru_cache
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.engines.rows import Rows, pack, unpack
from ludens.engines.sliced import SlicedEngine
from ludens.engines.sliced.expansion_kernel import Expanded, Ints, list_all_moves
from ludens.game import find_rules
from ludens.gdl.rules import Rules
from tests.tiers import every_game, examples

SIZES = (1, 64, 65, 512, 513, 1500)
GAMES = ("tictactoe", "connectfour", "checkers", "amazons", "dicerace", "tron", "threeway", "sudoku", "hanoi", "kalah")

MANY_GOALS = "\n".join(
    [
        "(role a) (role b) (init (at 0)) (legal a up) (legal a stay) (legal b noop)",
        *(f"(succ {n} {n + 1})" for n in range(100)),
        "(<= (next (at ?m)) (true (at ?n)) (succ ?n ?m) (does a up))",
        "(<= (next (at ?n)) (true (at ?n)) (does a stay))",
        "(<= (goal a ?n) (true (at ?n))) (<= (goal b ?m) (true (at ?n)) (succ ?n ?m))",
        "(<= terminal (true (at 100)))",
    ]
)
"""A hundred values for each role, so that the goals fill several words."""

ODD_GOALS = """(role a) (role b) (role c) (role d) (role e)
(init (at 0)) (legal a go) (legal b go) (legal c go) (legal d go) (legal e go)
(<= (next (at 1)) (true (at 0))) (<= terminal (true (at 1)))
(<= (goal a 30) (true (at 1))) (<= (goal a 40) (true (at 1)))
(<= (goal b 70) (true (at 0)))
(<= (goal c many) (true (at 1))) (<= (goal d 101) (true (at 1)))
(goal e 8)"""
"""At the end a has two values, b none, c a word, d a number that is too high, and e is sure of 8."""


@lru_cache(maxsize=4)
def engine_of(name: str) -> SlicedEngine:
    rules = Rules.parse(name) if "(" in name else find_rules(name)[0]
    return SlicedEngine.compile(rules)


def pool_of(engine: SlicedEngine, rng: Random, size: int = 160) -> Rows:
    """States of random games at any age, the last ones, too."""
    pool: list[Rows] = []
    states = engine.initial(4)
    while len(pool) < size:
        pool += list(states)
        states = engine.step(states, [[rng.choice(moves) for moves in roles] for roles in engine.legal(states)])
        over = engine.terminal(states)
        pool += list(states[over])
        states[over] = engine.initial(1)[0]
    return np.array(pool[:size])


def check(engine: SlicedEngine, found: Expanded, states: Rows) -> None:
    """All that was found about states, against the single questions."""
    np.testing.assert_array_equal(found.rows, states)
    np.testing.assert_array_equal(found.legal, engine.legal_bits(states))
    np.testing.assert_array_equal(found.terminal, engine.terminal(states))
    np.testing.assert_array_equal(found.goals, engine.goals(states))


def joints(engine: SlicedEngine, states: Rows, rng: Random) -> Ints:
    """A legal joint move in each state."""
    moves = [[rng.choice(choices) for choices in roles] for roles in engine.legal(states)]
    return np.array(moves, np.int32).reshape(-1, len(engine.roles))


@pytest.mark.parametrize("name", every_game(of=GAMES))
def test_batches_of_any_size_agree(name: str) -> None:
    """The same memory serves all batches, so nothing may be left in it from the one before."""
    engine, rng = engine_of(name), Random(name)
    expander, pool = engine.circuit.expander, pool_of(engine, rng)
    memory = expander.new_memory()
    movable = pool[~engine.terminal(pool)]
    for size in SIZES:
        states = pool[[rng.randrange(len(pool)) for _ in range(size)]]
        check(engine, expander.look(memory, states), states)
        states = movable[[rng.randrange(len(movable)) for _ in range(size)]]
        moves = joints(engine, states, rng)
        check(engine, expander.expand(memory, states, moves), engine.step(states, moves))


def test_no_states_at_all() -> None:
    engine = engine_of("tictactoe")
    memory, none = engine.circuit.expander.new_memory(), engine.initial(0)
    assert engine.circuit.expander.look(memory, none).rows.shape == none.shape
    assert engine.circuit.expander.expand(memory, none, np.zeros((0, 2), np.int32)).goals.shape == (0, 2)


def test_goals_in_several_words() -> None:
    engine = engine_of(MANY_GOALS)
    states = engine.encode([frozenset([("at", str(n))]) for n in range(101)])
    found = engine.circuit.expander.look(engine.circuit.expander.new_memory(), states)
    check(engine, found, states)
    assert found.goals.tolist() == [[n, n + 1] for n in range(100)] + [[100, -1]]
    assert found.terminal.tolist() == [False] * 100 + [True]


def test_goals_that_are_no_single_number() -> None:
    engine = engine_of(ODD_GOALS)
    states = engine.encode([frozenset([("at", str(n))]) for n in range(2)])
    found = engine.circuit.expander.look(engine.circuit.expander.new_memory(), states)
    assert found.goals.tolist() == [[-1, 70, -1, -1, 8], [-1, -1, -1, -1, 8]]


def test_a_game_without_facts() -> None:
    engine = engine_of("(role a) (legal a go) (legal a stay) (goal a 5) (<= terminal (true never))")
    memory, states = engine.circuit.expander.new_memory(), engine.initial(70)
    check(engine, engine.circuit.expander.look(memory, states), states)
    check(engine, engine.circuit.expander.expand(memory, states, np.ones((70, 1), np.int32)), states)


@examples(100)
@given(st.lists(st.integers(0, 150), min_size=1, max_size=4), st.integers(0, 70), st.integers(0, 2**32))
def test_moves_are_listed_in_order(counts: list[int], states: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    bits = rng.random((states, sum(counts))) < rng.random()
    role_starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    starts = np.full(states * len(counts) + 1, -1, np.int64)
    moves = np.full(bits.sum(), -1, np.int32)
    list_all_moves(pack(bits), role_starts, starts, moves)
    assert starts[-1] == len(moves)
    for state in range(states):
        for role in range(len(counts)):
            place = state * len(counts) + role
            listed = moves[starts[place] : starts[place + 1]].tolist()
            first, last = role_starts[role : role + 2]
            assert listed == [move for move in range(first, last) if bits[state, move]]


def plain_expansions() -> list[object]:
    """Some steps of a few games, in plain numbers."""
    results: list[object] = []
    for name in ("tictactoe", "dicerace", MANY_GOALS):
        engine = engine_of(name)
        expander, states = engine.circuit.expander, engine.initial(3)
        memory = expander.new_memory()
        for step in range(5):
            after = expander.expand(memory, states, joints(engine, states, Random(step)))
            results.append([part.tolist() for part in after])
            states = np.where(after.terminal[:, np.newaxis], states, after.rows)
            results.append([part.tolist() for part in expander.look(memory, states)])
    return results


def test_rows_are_packed_as_the_engine_packs_them() -> None:
    """Equal rows are equal states: no bit is set beyond the last fact."""
    engine, rng = engine_of("connectfour"), Random(5)
    pool = pool_of(engine, rng)
    states = pool[~engine.terminal(pool)]
    rows = engine.circuit.expander.expand(
        engine.circuit.expander.new_memory(), states, joints(engine, states, rng)
    ).rows
    np.testing.assert_array_equal(pack(unpack(rows, len(engine.circuit.fluents))), rows)
