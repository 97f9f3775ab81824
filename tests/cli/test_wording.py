"""Words for moves and results, and back."""

from __future__ import annotations

import pytest

from ludens import load
from ludens.cli.wording import board, joint_text, keys, matching, result_text, short
from ludens.core import Move, Role
from ludens.gdl.kif import read_term


def moves(*texts: str) -> list[Move]:
    return [Move(text, read_term(text)) for text in texts]  # type: ignore[arg-type]


def test_boards_hold_nothing_that_a_terminal_acts_upon() -> None:
    game = load("(role x) (init (at \x9b2J)) (legal x noop) (terminal) (goal x 100)")
    assert board(game.initial_state()).plain == "at ?2J"


def test_short() -> None:
    assert [short(move) for move in moves("(mark 1 2)", "noop", "(say (f x))")] == ["mark 1 2", "noop", "say (f x)"]


def test_keys_are_the_numbers_of_the_moves_where_these_tell_them_apart() -> None:
    assert keys(moves("(drop 2)", "(drop 4)")) == ["2", "4"]
    assert keys(moves("(drop 2)", "(lift 4)")) == ["1", "2"]
    assert keys(moves("(drop 2)", "noop")) == ["1", "2"]
    assert keys(moves("(mark 1 1)", "(mark 1 2)")) == ["1", "2"]


BOARD = moves("(mark 1 1)", "(mark 1 2)", "(mark 2 1)", "(Castle long)", "(castle short)", "(pass)")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2", ["(mark 1 2)"]),
        ("2 1", ["(mark 2 1)"]),
        ("2,1", ["(mark 2 1)"]),
        ("(mark 2 1)", ["(mark 2 1)"]),
        ("MARK 2  1", ["(mark 2 1)"]),
        ("mark 1", ["(mark 1 1)", "(mark 1 2)"]),
        ("long", ["(Castle long)"]),
        ("castle s", ["(castle short)"]),
        ("sho", ["(castle short)"]),
        ("p", ["(pass)"]),
        ("7", []),
        ("", []),
        ("()", []),
        ("knight", []),
    ],
)
def test_matching(text: str, found: list[str]) -> None:
    assert matching(BOARD, text) == found


def test_joint_text_names_those_who_chose() -> None:
    state = load("tictactoe").initial_state()
    assert joint_text(state, dict(zip(state.game.roles, moves("(mark 1 1)", "noop"), strict=True))) == "x: mark 1 1"
    state = load("rockpaperscissors").initial_state()
    both = dict(zip(state.game.roles, moves("(show rock)", "(show paper)"), strict=True))
    assert joint_text(state, both) == "left: show rock, right: show paper"


@pytest.mark.parametrize(
    ("goals", "text"),
    [
        ({"x": 100, "o": 0}, "x wins: x 100, o 0"),
        ({"x": 50, "o": 50}, "a draw: x 50, o 50"),
        ({"a": 100, "b": 0, "c": 100}, "a and c win: a 100, b 0, c 100"),
        ({"a": 0, "random": 100, "b": 30}, "b wins: a 0, b 30"),
        ({"solver": 40}, "solver gets 40 of 100 points"),
        ({"a": 100, "b": None}, "the rules give no result for b"),
    ],
)
def test_result_text(goals: dict[str, int | None], text: str) -> None:
    assert result_text({Role(role): value for role, value in goals.items()}) == text
