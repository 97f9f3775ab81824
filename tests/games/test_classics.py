"""The classic board games: played side by side with OpenSpiel, and positions that chance seldom shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from random import Random

import pytest

from ludens.core import Fact
from ludens.errors import IllegalMoveError
from ludens.game import Game, State
from tests.analysis.analysed import game_of
from tests.games import classics_models as spiel
from tests.games.lockstep import assert_agreement
from tests.games.models import Model, Place
from tests.tiers import first

MODELS: dict[str, tuple[Callable[[], Model], int]] = {
    "hex": (spiel.SpielHex, 12),
    "atarigo": (spiel.SpielAtariGo, 60),
    "gomoku": (spiel.SpielGomoku, 5),
    "pentago": (spiel.SpielPentago, 25),
    "dotsandboxes": (spiel.SpielDotsAndBoxes, 25),
    "amazons": (spiel.SpielAmazons, 8),
    "amazonswhole": (spiel.SpielAmazonsWhole, 2),
}
"""For each game OpenSpiel's version of it, and how many games to play."""


@pytest.mark.parametrize("name", first(6, MODELS))
def test_play_agrees_with_openspiel(name: str) -> None:
    make_model, plays = MODELS[name]
    assert_agreement(name, make_model, plays)


def position(game: Game, rows: Iterable[str], letters: dict[str, str], others: Iterable[str]) -> State:
    """A state drawn as text, the top row first; the letters stand for contents, a dot for a blank cell."""
    drawn = list(enumerate(reversed([row.split() for row in rows]), start=1))
    contents = {".": "blank", **letters}
    cells = [f"(cell {x} {y} {contents[c]})" for y, row in drawn for x, c in enumerate(row, start=1)]
    return game.state([*cells, *others])


def board(size: int, stones: dict[str, list[Place]]) -> list[str]:
    """Rows of text, the top row first, with stones at the given places."""
    at = {place: letter for letter, places in stones.items() for place in places}
    return [" ".join(at.get((x, y), ".") for x in range(1, size + 1)) for y in range(size, 0, -1)]


# Hex


def test_a_full_hex_board_has_exactly_one_winner() -> None:
    """The theorem of hex; a cell with a neighbour too many or too few would break it."""
    game, rng = game_of("hex"), Random(1)
    cells = list(product(range(1, 10), range(1, 10)))
    outcomes = set()
    for _ in range(60):
        red = rng.sample(cells, 41)
        rows = board(9, {"r": red, "b": [cell for cell in cells if cell not in red]})
        state = position(game, rows, {"r": "red", "b": "blue"}, ["(control blue)"])
        assert state.is_terminal
        outcomes.add(tuple(state.goals.values()))
    assert outcomes == {(100, 0), (0, 100)}


@pytest.mark.parametrize(("shift", "joined"), [(1, True), (-1, False)])
def test_hex_cells_touch_across_one_diagonal_only(shift: int, joined: bool) -> None:
    diagonal = [(x, x if shift == 1 else 10 - x) for x in range(1, 10)]
    state = position(game_of("hex"), board(9, {"r": diagonal}), {"r": "red"}, ["(control blue)"])
    assert state.is_terminal == joined
    assert state.goals == ({"red": 100, "blue": 0} if joined else {"red": 50, "blue": 50})


# Atari go


def atari_go(stones: dict[str, list[Place]], mover: str, place: Place) -> State:
    state = position(game_of("atarigo"), board(7, stones), {"b": "black", "w": "white"}, [f"(control {mover})"])
    assert not state.is_terminal
    return state.next({mover: "(place {} {})".format(*place)})


def test_atari_go_captures_a_stone_in_the_corner() -> None:
    corner = {"w": [(1, 1)], "b": [(2, 1)]}
    assert atari_go(corner, "black", (1, 2)).goals == {"black": 100, "white": 0}
    assert not atari_go(corner, "black", (2, 2)).is_terminal


def test_atari_go_suicide_loses() -> None:
    after = atari_go({"b": [(2, 1), (1, 2)]}, "white", (1, 1))
    assert after.is_terminal
    assert after.goals == {"black": 100, "white": 0}


def test_atari_go_capture_goes_before_suicide() -> None:
    """White fills its own last liberty, but takes the last one of a black stone as well."""
    stones = {"b": [(1, 2), (2, 1)], "w": [(1, 3), (2, 2), (3, 1)]}
    after = atari_go(stones, "white", (1, 1))
    assert after.is_terminal
    assert after.goals == {"black": 0, "white": 100}


def test_atari_go_counts_the_liberties_of_the_whole_group() -> None:
    snake = [(1, 1), (1, 2), (1, 3), (2, 3), (3, 3)]
    around = [(2, 1), (2, 2), (3, 2), (1, 4), (2, 4), (4, 3)]
    assert atari_go({"w": snake, "b": around}, "black", (3, 4)).goals == {"black": 100, "white": 0}
    assert not atari_go({"w": snake, "b": around[1:]}, "black", (3, 4)).is_terminal


# Gomoku


@pytest.mark.parametrize(
    ("stones", "won"),
    [
        ([(x, 15) for x in range(11, 16)], True),
        ([(1, y) for y in range(2, 8)], True),
        ([(x, x) for x in range(1, 6)], True),
        ([(x, 16 - x) for x in range(11, 16)], True),
        ([(x, 1) for x in range(1, 5)], False),
        ([(x, 1) for x in (1, 2, 3, 4, 6)], False),
        ([(12, 1), (13, 1), (14, 1), (15, 1), (1, 2)], False),
    ],
    ids=["row", "six in a column", "diagonal", "other diagonal", "four", "gap", "over the edge"],
)
def test_gomoku_lines(stones: list[Place], won: bool) -> None:
    state = position(game_of("gomoku"), board(15, {"w": stones}), {"w": "white"}, ["(control black)"])
    assert state.is_terminal == won
    assert state.goals == ({"black": 0, "white": 100} if won else {"black": 50, "white": 50})


def test_gomoku_full_board_is_a_draw() -> None:
    """A pattern without three of a colour next to each other in any direction."""
    rows = [" ".join("bbww"[(x + 2 * y) % 4] for x in range(15)) for y in range(15)]
    state = position(game_of("gomoku"), rows, {"b": "black", "w": "white"}, ["(control white)"])
    assert state.is_terminal
    assert state.goals == {"black": 50, "white": 50}


# Pentago


def pentago(stones: dict[str, list[Place]], stage: str) -> State:
    letters = {"w": "white", "b": "black"}
    return position(game_of("pentago"), board(6, stones), letters, ["(control white)", f"(stage {stage})"])


def test_pentago_five_before_the_twist_win_at_once() -> None:
    state = pentago({"w": [(x, 6) for x in range(1, 5)]}, "place")
    after = state.next({"white": "(place 5 6)"})
    assert after.is_terminal
    assert after.goals == {"white": 100, "black": 0}


def test_pentago_twist_that_gives_both_players_five_is_a_draw() -> None:
    """The quadrant brings three marbles of each player from its upright lines to two of its rows."""
    upright = {"w": [(1, 4), (1, 5), (1, 6)], "b": [(2, 4), (2, 5), (2, 6)]}
    beside = {"w": [(4, 6), (5, 6)], "b": [(4, 5), (5, 5)]}
    stones = {colour: upright[colour] + beside[colour] for colour in "wb"}
    after = pentago(stones, "twist").next({"white": "(twist northwest clockwise)"})
    assert after.is_terminal
    assert after.goals == {"white": 50, "black": 50}
    other = pentago(stones, "twist").next({"white": "(twist northwest counterclockwise)"})
    assert other.is_terminal
    assert other.goals == {"white": 0, "black": 100}


def cells_of(state: State) -> set[Fact]:
    return {fact for fact in state.facts if fact.name == "cell"}


@pytest.mark.parametrize("quadrant", ["southwest", "southeast", "northwest", "northeast"])
def test_pentago_twists_undo_each_other(quadrant: str) -> None:
    rng = Random(quadrant)
    cells = list(product(range(1, 7), range(1, 7)))
    start = pentago({"w": rng.sample(cells[:18], 4), "b": rng.sample(cells[18:], 4)}, "twist")
    turned = start.next({"white": f"(twist {quadrant} clockwise)"})
    assert cells_of(turned) != cells_of(start)
    turned = game_of("pentago").state([*cells_of(turned), "(control white)", "(stage twist)"])
    assert cells_of(turned.next({"white": f"(twist {quadrant} counterclockwise)"})) == cells_of(start)


# Dots and boxes


def test_dots_and_boxes_line_that_closes_two_boxes() -> None:
    """Two boxes side by side lack only the line between them."""
    state = game_of("dotsandboxes").initial_state()
    sides = [(2, 1), (4, 1), (1, 2), (5, 2), (2, 3), (4, 3)]
    for number, (column, row) in enumerate(sides):
        state = state.next({("red", "blue")[number % 2]: f"(draw {column} {row})"})
    after = state.next({"red": "(draw 3 2)"})
    assert {"(cell 2 2 red)", "(cell 4 2 red)", "(score red 2)", "(score blue 0)", "(control red)"} <= after.facts
    other = state.next({"red": "(draw 9 8)"})
    assert {"(cell 2 2 blank)", "(score red 0)", "(control blue)"} <= other.facts


# Amazons


def test_whole_moves_of_amazons_are_not_more_than_needed() -> None:
    """An amazon, and a pair of squares on a line of a queen: 1,470 of them, in both directions."""
    inputs = game_of("amazonswhole").input_moves()
    assert inputs is not None
    assert {role: len(moves) for role, moves in inputs.items()} == dict.fromkeys(("white", "black"), 4 * 2940 + 1)


def test_amazons_may_shoot_where_they_came_from_and_beyond() -> None:
    """In one row: an amazon that moves right and shoots back over its old square, up to an arrow."""
    rows = ["a a a a a a a a a a"] * 9 + ["a . . w . . a a a b"]
    whole = position(game_of("amazonswhole"), rows, {"a": "arrow", "w": "w1", "b": "b1"}, ["(control white)"])
    shots = {move for move in whole.legal_moves("white") if move.startswith("(play w1 6 1 ")}
    assert shots == {f"(play w1 6 1 {column} 1)" for column in (2, 3, 4, 5)}
    assert len(whole.legal_moves("white")) == 4 * 4
    after = whole.next({"white": "(play w1 6 1 4 1)"})
    assert after.is_terminal
    assert after.goals == {"white": 100, "black": 0}


def test_amazons_turn_has_three_steps() -> None:
    state = game_of("amazons").initial_state()
    for move in ("(choose 4 1)", "(move 4 7)", "(shoot 4 1)"):
        assert state.legal_moves("black") == ("noop",)
        state = state.next({"white": move})
    assert {"(control black)", "(stage choose)", "(cell 4 7 white)", "(cell 4 1 arrow)"} <= state.facts
    assert not any(fact.name == "active" for fact in state.facts)


# Moves that the rules do not allow


@pytest.mark.parametrize(
    ("name", "before", "wrong"),
    [
        ("hex", ["(place 5 5)"], "(place 5 5)"),
        ("hex", [], "(place 10 1)"),
        ("atarigo", ["(place 1 1)"], "(place 1 1)"),
        ("gomoku", [], "(place 0 1)"),
        ("pentago", [], "(twist northwest clockwise)"),
        ("pentago", ["(place 1 1)"], "(place 2 2)"),
        ("dotsandboxes", [], "(draw 1 1)"),
        ("dotsandboxes", [], "(draw 2 2)"),
        ("dotsandboxes", ["(draw 2 1)"], "(draw 2 1)"),
        ("amazons", [], "(choose 4 10)"),
        ("amazons", [], "(move 4 2)"),
        ("amazons", ["(choose 4 1)"], "(move 5 3)"),
        ("amazons", ["(choose 4 1)", "(move 4 2)"], "(shoot 4 2)"),
        ("amazonswhole", [], "(play w1 7 1 7 2)"),
        ("amazonswhole", [], "(play b1 1 6 1 5)"),
        ("amazonswhole", [], "(play w1 4 2 4 2)"),
    ],
)
def test_what_is_not_allowed(name: str, before: list[str], wrong: str) -> None:
    state = game_of(name).initial_state()
    for move in before:
        state = state.next({mover(state): move})
    with pytest.raises(IllegalMoveError):
        state.next({mover(state): wrong})


def mover(state: State) -> str:
    (role,) = [role for role in state.game.roles if state.legal_moves(role) != ("noop",)]
    return role
