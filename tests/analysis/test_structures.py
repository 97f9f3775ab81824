"""Boards, pieces, quantities, counters and turns of games of the papers, as a person would name them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ludens import load
from ludens.analysis.boards import Board
from ludens.analysis.facts import GameFacts, analyse
from ludens.core import Deadline
from ludens.gdl.rules import Rules
from tests.analysis.analysed import ENOUGH, board_of, facts_of, facts_of_rules

ORDERED_BOARDS = {
    "breakthrough": (8, 8),
    "checkers": (8, 8),
    "cylindercheckers": (8, 8),
    "othello": (8, 8),
    "nothello": (8, 8),
    "connectfour": (7, 6),
    "chess": (8, 8),
    "minichess": (4, 4),
    "hallway": (8, 8),
    "eightpuzzle": (3, 3),
    "chinesecheckers3": (13, 9),
    "racetrackcorridor": (3, 5),
    "knightstour": (5, 5),
    "amazons": (10, 10),
}


def shape(board: Board) -> tuple[int, ...]:
    return tuple(len(axis.words) for axis in board.axes)


def kinds(facts: GameFacts, board: Board) -> dict[str, tuple[str, str | None]]:
    """For each content its kind and its owner."""
    return {
        " ".join(map(str, content.words)): (
            content.kind,
            None if content.owner is None else str(facts.roles[content.owner]),
        )
        for content in board.contents
    }


@pytest.mark.parametrize("name", ORDERED_BOARDS)
def test_ordered_boards(name: str) -> None:
    board = board_of(facts_of(name), "cell")
    assert shape(board) == ORDERED_BOARDS[name]
    assert board.is_ordered
    assert board.exclusive


def test_racetrack_has_two_boards_in_one_fluent() -> None:
    """The paper: in (cell ?b ?y ?x ?c) the inputs are ?b, ?x and ?y; only the domains of ?x and ?y are ordered."""
    facts = facts_of("racetrackcorridor")
    board = board_of(facts, "cell")
    assert board.key.inputs == (0, 1, 2)
    assert board.key.evidence == "proved"
    assert board.coordinates == (1, 2)
    (lane,) = board.selectors
    assert lane.argument == 0
    assert set(lane.words) == {"white", "black"}
    assert board.content_arguments == (3,)
    assert board.places == 30
    assert kinds(facts, board) == {"runner": ("piece", None), "blank": ("blank", None)}
    (runner,) = [content for content in board.contents if content.words == ("runner",)]
    assert (runner.unique, runner.unique_evidence) == (True, "proved")


def test_pieces_of_minichess_as_in_the_paper() -> None:
    """Kuhlmann and others: rook and king are pieces, what is on several cells at a time is none."""
    facts = facts_of("minichess")
    board = board_of(facts, "cell")
    found = kinds(facts, board)
    assert found.pop("blank") == ("blank", None)
    assert {kind for kind, _ in found.values()} == {"piece"}
    assert all(content.unique for content in board.contents if content.kind == "piece")
    assert facts.counter is not None
    assert facts.counter.signature == ("step", 1)


def test_markers_of_othello() -> None:
    facts = facts_of("othello")
    found = kinds(facts, board_of(facts, "cell"))
    assert found == {"black": ("marker", "black"), "white": ("marker", "white")}


def test_unordered_board_of_tic_tac_toe() -> None:
    facts = facts_of("tictactoe")
    board = board_of(facts, "cell")
    assert shape(board) == (3, 3)
    assert not board.is_ordered
    assert kinds(facts, board) == {"blank": ("blank", None), "x": ("marker", "x"), "o": ("marker", "o")}


def test_board_of_nine_mens_morris_has_few_places() -> None:
    facts = facts_of("ninemensmorris")
    board = board_of(facts, "cell")
    assert shape(board) == (7, 7)
    assert board.places == 24
    assert kinds(facts, board) == {"white": ("piece", "white"), "black": ("piece", "black"), "blank": ("blank", None)}


def test_pieces_of_chess_and_their_owners() -> None:
    facts = facts_of("chess")
    found = kinds(facts, board_of(facts, "cell"))
    assert found.pop("blank") == ("blank", None)
    assert len(found) == 12
    assert all(kind == "piece" and owner and owner[0] == name[0] for name, (kind, owner) in found.items())


def test_pieces_of_checkers_and_chinese_checkers() -> None:
    checkers = facts_of("checkers")
    found = kinds(checkers, board_of(checkers, "cell"))
    assert found["red_man"] == ("piece", "red")
    assert found["black_king"] == ("piece", "black")
    chinese = facts_of("chinesecheckers3")
    found = kinds(chinese, board_of(chinese, "cell"))
    assert {name: owner for name, (kind, owner) in found.items() if kind == "piece"} == {
        name: name for name in ("red", "yellow", "purple")
    }


def test_the_cylinder_goes_round_in_columns_only() -> None:
    column, row = board_of(facts_of("cylindercheckers"), "cell").axes
    assert column.order is not None
    assert row.order is not None
    assert (column.order.wraps, row.order.wraps) == (True, False)
    assert column.order.distance("1", "8") == 1
    assert row.order.distance("1", "8") == 7
    flat_column, _ = board_of(facts_of("checkers"), "cell").axes
    assert flat_column.order is not None
    assert not flat_column.order.wraps


def test_blocks_world_has_no_board() -> None:
    facts = facts_of("blocksworld")
    assert facts.boards == ()
    assert facts.quantities == ()
    assert facts.counter is not None
    assert facts.counter.ends_at == 6


@pytest.mark.parametrize(
    ("name", "quantities"),
    [
        ("farmers", {"money": (0,), "price": (0,), "store": (0, 1)}),
        ("nim", {"heap": (0,)}),
        ("racetrackcorridor", {"walls_left": (0,)}),
        ("hallway", {"walls_left": (0,)}),
        ("kalah", {"cell": (0, 1), "store": (0,)}),
        ("biddingtictactoe", {"coins": (0,)}),
        ("tictactoe", {}),
        ("chinesecheckers3", {"round": ()}),
    ],
)
def test_quantities(name: str, quantities: dict[str, tuple[int, ...]]) -> None:
    found = {quantity.signature[0]: quantity.key.inputs for quantity in facts_of(name).quantities}
    assert found == quantities


@pytest.mark.parametrize(
    ("name", "ends_at"),
    [("racetrackcorridor", 20), ("eightpuzzle", 30), ("hallway", 200), ("cylindercheckers", 50), ("stepcounter", None)],
)
def test_step_counters(name: str, ends_at: int | None) -> None:
    counter = facts_of(name).counter
    assert counter is not None
    assert counter.signature == ("step", 1)
    assert counter.evidence == "proved"
    if ends_at:
        assert counter.ends_at == ends_at
        assert counter.facts[ends_at] == ("step", str(ends_at))


@pytest.mark.parametrize("name", ["tictactoe", "breakthrough", "connectfour", "othello", "hallway", "minichess"])
def test_turns_that_alternate(name: str) -> None:
    control = facts_of(name).control
    assert control is not None
    assert control.signature == ("control", 1)
    assert control.order == (0, 1)
    assert (control.evidence, control.order_evidence) == ("proved", "proved")


def test_turns_of_three_and_turns_that_are_repeated() -> None:
    chinese = facts_of("chinesecheckers3")
    assert chinese.control is not None
    assert [chinese.roles[role] for role in chinese.control.order] == ["red", "yellow", "purple"]
    checkers = facts_of("checkers").control
    assert checkers is not None
    assert checkers.order == ()
    assert checkers.evidence == "proved"


@pytest.mark.parametrize("name", ["racetrackcorridor", "rockpaperscissors", "blocksworld", "farmers"])
def test_no_turns(name: str) -> None:
    assert facts_of(name).control is None


def test_chance_is_nobody_who_takes_turns() -> None:
    pig = facts_of("pig")
    assert pig.control is not None
    assert {pig.roles[role] for role in pig.control.turns.values()} == set(pig.roles) - {"random"}


def test_teams() -> None:
    assert facts_of("twokeys").kind.teams == ((0, 1),)
    assert facts_of("tictactoe").kind.constant_sum


# -- sheets made for one thing ---------------------------------------------------------------

CUBE = """
(role me) (succ 1 2) (succ 2 3) (index 1) (index 2) (index 3)
(<= (init (at ?x ?y ?z empty)) (index ?x) (index ?y) (index ?z))
(<= (legal me (fill ?x ?y ?z)) (true (at ?x ?y ?z empty)) (not (beyond ?x))) (<= (beyond ?x) (index ?x) (succ ?x ?x))
(<= (next (at ?x ?y ?z full)) (does me (fill ?x ?y ?z)))
(<= (next (at ?x ?y ?z ?c)) (true (at ?x ?y ?z ?c)) (not (does me (fill ?x ?y ?z))))
(<= (near ?x ?y ?z) (true (at ?v ?y ?z full)) (succ ?v ?x)) (<= (near ?x ?y ?z) (true (at ?x ?v ?z full)) (succ ?v ?y))
(<= (near ?x ?y ?z) (true (at ?x ?y ?v full)) (succ ?v ?z))
(<= terminal (near 3 3 3)) (<= (goal me 100) (near 3 3 3)) (<= (goal me 0) (not (near 3 3 3)))
"""


def test_board_of_three_dimensions() -> None:
    board = board_of(facts_of_rules(CUBE), "at")
    assert shape(board) == (3, 3, 3)
    assert board.is_ordered
    assert board.places == 27
    assert board.key.evidence == "proved"
    assert board.blank == ("empty",)


WALKERS = """
(role me) (succ 1 2) (succ 2 3) (succ 3 4) (walker ann) (walker bob) (init (place ann 1 1)) (init (place bob 1 1))
(<= (legal me (east ?w)) (true (place ?w ?x ?y)) (succ ?x ?z))
(<= (legal me (north ?w)) (true (place ?w ?x ?y)) (succ ?y ?z))
(legal me rest)
(<= (next (place ?w ?z ?y)) (true (place ?w ?x ?y)) (does me (east ?w)) (succ ?x ?z))
(<= (next (place ?w ?x ?z)) (true (place ?w ?x ?y)) (does me (north ?w)) (succ ?y ?z))
(<= (next (place ?w ?x ?y)) (true (place ?w ?x ?y)) (not (walks ?w)))
(<= (walks ?w) (does me (east ?w))) (<= (walks ?w) (does me (north ?w)))
(<= terminal (true (place ann 4 4)))
(<= (goal me 100) (true (place ann 4 4))) (<= (goal me 0) (not (true (place ann 4 4))))
"""


def test_things_that_have_a_place_are_on_a_board_that_they_may_share() -> None:
    board = board_of(facts_of_rules(WALKERS), "place")
    assert board.coordinates == (1, 2)
    assert board.content_arguments == (0,)
    assert not board.exclusive
    assert [(content.words, content.kind, content.unique_evidence) for content in board.contents] == [
        (("ann",), "piece", "proved"),
        (("bob",), "piece", "proved"),
    ]


# -- real sheets -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "fluent", "sizes"),
    [
        ("ticTacToe", "cell", (3, 3)),
        ("connectFour", "cell", (8, 6)),
        ("breakthrough", "cellholds", (8, 8)),
        ("minichess", "cell", (4, 4)),
        ("eightPuzzle", "cell", (3, 3)),
        ("knightThrough", "cell", (8, 8)),
    ],
)
def test_boards_of_real_sheets(corpus: Path, name: str, fluent: str, sizes: tuple[int, ...]) -> None:
    facts = analyse(load(Rules.read(corpus / "games" / f"{name}.kif")), Deadline(ENOUGH), Random(1))
    assert shape(board_of(facts, fluent)) == sizes
