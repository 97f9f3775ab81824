"""Counting the ways to play; the numbers of the bundled games are checked with the games."""

from __future__ import annotations

from itertools import islice

import pytest

from ludens import load
from ludens.analysis.perft import Level, divide, joint_moves, perft
from ludens.errors import NoLegalMoveError
from ludens.game import State


def count(state: State, depth: int) -> int:
    """The plain definition, without sharing of states."""
    if depth == 0 or state.is_terminal:
        return depth == 0
    return sum(count(state.next(joint), depth - 1) for joint in joint_moves(state))


@pytest.mark.parametrize("name", ["tictactoe", "rockpaperscissors", "nim", "dicerace"])
def test_agrees_with_the_plain_definition(name: str) -> None:
    state = load(name).initial_state()
    levels = list(islice(perft(state), 3))
    assert [level.nodes for level in levels] == [count(state, depth) for depth in (1, 2, 3)]


def test_ends_with_the_last_game() -> None:
    levels = list(perft(load("rockpaperscissors").initial_state()))
    assert levels[-1] == Level(5, 9**5, 9**5, levels[-1].positions)
    assert len(levels) == 5


def test_nothing_follows_the_end() -> None:
    state = load("nim").state(["(heap a 0)", "(heap b 0)", "(heap c 0)", "(control first)"])
    assert list(perft(state)) == []
    assert list(joint_moves(state)) == []
    assert divide(state, 2) == {}


def test_divide_adds_up() -> None:
    state = load("nim").initial_state()
    for depth, level in enumerate(islice(perft(state), 4), start=1):
        divided = divide(state, depth)
        assert list(divided) == list(joint_moves(state))
        assert sum(divided.values()) == level.nodes
        assert divided == {joint: count(state.next(joint), depth - 1) for joint in divided}


def test_divide_beyond_the_end_is_zero() -> None:
    assert set(divide(load("rockpaperscissors").initial_state(), 9).values()) == {0}


def test_a_role_without_a_move_is_told() -> None:
    stuck = "(role a) (init p) (<= (legal a go) (true q)) (<= terminal (true q)) (goal a 0)"
    with pytest.raises(NoLegalMoveError):
        list(perft(load(stuck).initial_state()))


PUBLISHED = {"connectfour": (7, 49, 343, 2401, 16807, 117649, 823536), "breakthrough": (22, 484, 11132)}
"""Those of chess are checked with the game."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_counts(name: str) -> None:
    game = load(name)
    assert game.compile()
    assert tuple(level.nodes for level in islice(perft(game.initial_state()), len(PUBLISHED[name]))) == PUBLISHED[name]


@pytest.mark.parametrize("name", ["tictactoe", "rockpaperscissors", "dicerace", "threeway"])
def test_every_engine_counts_the_same(name: str) -> None:
    compiled, plain = load(name), load(name)
    assert compiled.compile()
    plain._compilation.refuse("this is about the reference engine")
    one, other = (list(islice(perft(game.initial_state()), 4)) for game in (compiled, plain))
    assert one == other


def test_a_game_is_compiled_while_it_is_counted() -> None:
    game = load("tictactoe")
    levels = perft(game.initial_state())
    found = [next(levels)]
    assert game.compile()
    found += islice(levels, 5)
    assert [level.nodes for level in found] == [9, 72, 504, 3024, 15120, 54720]


def test_numbers_beyond_a_machine_word_are_exact() -> None:
    """Two ways at each step, all to the same state."""
    game = load("(role a) (init p) (legal a left) (legal a right) (next p) (<= terminal (true q)) (goal a 0)")
    assert [level.nodes for level in islice(perft(game.initial_state()), 80)] == [2**depth for depth in range(1, 81)]
