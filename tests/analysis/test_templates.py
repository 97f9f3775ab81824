"""Structures by templates: what the paper tells of its examples, and what makes a hypothesis fail."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest

from ludens import load
from ludens.analysis.templates import MarkedBoard, Templates, find_templates
from ludens.analysis.templates.comparison import compare
from ludens.analysis.templates.structures import MIN_STATES, simulated
from ludens.analysis.templates.syntax import counters, successors
from ludens.game import Game
from ludens.gdl.rules import Rules
from ludens.gdl.scramble import scramble
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import game_of, structure_of
from tests.tiers import first

STEPS = "(succ 1 2) (succ 2 3) (succ 3 4)"
SMALL = """
(role a) (role b) (role c) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal ?r up) (role ?r)) (<= (legal ?r down) (role ?r))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (first ?m)) (does a ?m)) (<= (next (first ?m)) (true (first ?m)))
(<= terminal (true (step 3)))
"""


@cache
def templates_of(name: str) -> Templates:
    return find_templates(game_of(name), Deadline.never(), Random(1))


def only_board(templates: Templates, name: str = "cell") -> MarkedBoard:
    return next(board for board in templates.boards if board.signature[0] == name)


def test_minichess_as_in_the_paper() -> None:
    found = templates_of("minichess")
    assert {row.name: len(row.words) for row in found.successors} == {"next_column": 4, "next_row": 4, "successor": 10}
    assert found.counters == (("step", 1),)
    (board,) = found.boards
    assert board.signature == ("cell", 3)
    assert (board.inputs, board.output) == ((0, 1), 2)
    assert board.is_ordered
    assert [order.name if order else None for order in board.orders] == ["next_column", "next_row"]
    assert set(board.pieces) == {"wk", "wr", "bk"}
    assert set(board.markers) == {"blank"}
    assert len(board.cells) == 16
    assert found.amounts == ()
    assert found.teams == ((0,), (1,))


def test_minichess_as_it_was_played(corpus: Path) -> None:
    """The sheet of the competition, whose words the paper uses: no board but `cell`, and `b` is no piece."""
    game = Game(Rules.read(corpus / "games" / "minichess.kif"))
    game.compile()
    found = find_templates(game, Deadline.never(), Random(1))
    assert {(row.words[0], row.words[-1]) for row in found.successors} >= {("1", "10"), ("a", "d")}
    assert found.counters == (("step", 1),)
    (board,) = found.boards
    assert found.modes["cell", 3].modes(found.modes["cell", 3].keys[0]) == "++-"
    assert (set(board.pieces), set(board.markers)) == ({"wk", "wr", "bk"}, {"b"})
    assert (len(board.cells), board.is_ordered) == (16, True)
    assert found.teams == ((0,), (1,))


def test_what_was_not_seen_is_known_from_the_words() -> None:
    """On an engine that does not know all facts a board still has all its cells, and an amount all its words."""
    game = load("hallway")
    found = find_templates(game, Deadline(0), Random(1))
    assert len(only_board(found).cells) == 64
    (amount,) = found.amounts
    assert len(amount.facts) == 10


def test_successors_of_the_paper_in_scrambled_words() -> None:
    text = "(tcsh pico cpio) (tcsh cpio grep) (tcsh grep ping) (quiet q w) (quiet w e) (quiet e r) (quiet r t)"
    rows = {row.name: row.words for row in successors(Rules.parse(text))}
    assert rows == {"tcsh": ("pico", "cpio", "grep", "ping"), "quiet": ("q", "w", "e", "r", "t")}


@pytest.mark.parametrize(
    "facts",
    [
        "(f a b) (f b c) (f c a)",
        "(f a b) (f b c) (f a c)",
        "(f a b) (f c d)",
        "(f a b) (f b c) (f c c)",
        "(f a b)",
        "(f a b) (f b c) (<= (f ?x d) (g ?x)) (g c)",
        "(role a) (goal a b) (goal b c)",
    ],
)
def test_what_is_no_successor_relation(facts: str) -> None:
    assert successors(Rules.parse(facts)) == ()


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        ("(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))", True),
        ("(<= (next (n ?y)) (succ ?x ?y) (true (n ?x)))", True),
        ("(<= (next (n ?x)) (true (n ?y)) (succ ?x ?y))", False),
        ("(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y) (true go))", False),
        ("(<= (next (n ?y)) (true (n ?x)) (not (succ ?x ?y)))", False),
        ("(<= (next (n ?y)) (true (m ?x)) (succ ?x ?y))", False),
        ("(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= (next (n 1)) (true (n 4)))", False),
        ("(<= (next (n ?y)) (true (n ?x)) (other ?x ?y))", False),
        ("(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= (next ?f) (true ?f))", False),
    ],
)
def test_counter_template(rules: str, found: bool) -> None:
    sheet = Rules.parse(f"{STEPS} {rules}")
    assert counters(sheet, successors(sheet)) == ((("n", 1),) if found else ())


def test_markers_without_pieces() -> None:
    board = only_board(templates_of("nothello"))
    assert set(board.markers) == {"black", "white"}
    assert board.pieces == ()
    assert board.is_ordered


def test_a_board_without_order() -> None:
    board = only_board(templates_of("tictactoe"))
    assert not board.is_ordered
    assert set(board.markers) == {"x", "o", "blank"}


def test_hallway_has_pawns_walls_and_an_amount_of_walls() -> None:
    found = templates_of("hallway")
    assert only_board(found).pieces == ("white", "black")
    assert only_board(found, "wall").markers == ("upright", "level")
    assert [(amount.signature[0], amount.inputs, amount.output) for amount in found.amounts] == [
        ("walls_left", (0,), 1)
    ]


def test_farmers_has_amounts_and_no_board() -> None:
    found = templates_of("farmers")
    assert found.boards == ()
    assert {amount.signature[0]: amount.inputs for amount in found.amounts} == {
        "money": (0,),
        "store": (0, 1),
        "price": (0,),
    }
    assert found.teams == ((0,), (1,), (2,))


def test_two_in_one_place_are_no_board() -> None:
    """In this game both roles may come to lie on the same cell."""
    sheet = """
    (role a) (role b) (init (at 1 1 a)) (init (at 2 2 b)) (succ 1 2) (succ 2 3) (init (step 1))
    (succ 3 4) (<= (legal ?r (go ?x ?y)) (role ?r) (place ?x) (place ?y)) (place 1) (place 2)
    (<= (next (at ?x ?y ?r)) (does ?r (go ?x ?y))) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (step 4))) (goal a 100) (goal b 0)
    """
    found = find_templates(Game(Rules.parse(sheet)), Deadline.never(), Random(1))
    assert all(board.output != 2 for board in found.boards)
    assert "".join("-" if place == 2 else "+" for place in range(3)) not in {
        found.modes["at", 3].modes(key) for key in found.modes["at", 3].keys
    }


def test_teams_are_those_who_always_get_the_same() -> None:
    goals = """
    (<= (goal a 100) (true (first up))) (<= (goal a 0) (not (true (first up))))
    (<= (goal b 100) (true (first up))) (<= (goal b 0) (not (true (first up))))
    (<= (goal c 0) (true (first up))) (<= (goal c 100) (not (true (first up))))
    """
    found = find_templates(Game(Rules.parse(SMALL + goals)), Deadline.never(), Random(1))
    assert found.ends > 0
    assert found.teams == ((0, 1), (2,))


def test_without_an_end_everybody_is_alone() -> None:
    never = SMALL.replace("(<= terminal (true (step 3)))", "(<= terminal (true over))").replace(
        "(succ 3 4)", "(succ 3 4) (succ 4 5)"
    )
    goals = "(goal a 50) (goal b 50) (goal c 50)"
    found = find_templates(Game(Rules.parse(never + goals)), Deadline.never(), Random(1))
    assert found.ends == 0
    assert found.teams == ((0,), (1,), (2,))


def test_enough_states_are_looked_at_even_without_time() -> None:
    assert find_templates(load("tictactoe"), Deadline(0), Random(1)).states >= MIN_STATES


def test_states_are_not_looked_for_when_patience_ends() -> None:
    assert 1 <= len(simulated(load("tictactoe"), Deadline(0), Random(1), Deadline(0))) < MIN_STATES


def shape(templates: Templates) -> object:
    """All that does not depend on words."""
    return (
        [len(row.words) for row in templates.successors],
        len(templates.counters),
        [
            (board.inputs, board.output, len(board.cells), len(board.pieces), len(board.markers), board.is_ordered)
            for board in templates.boards
        ],
        [(amount.inputs, amount.output, len(amount.order.words)) for amount in templates.amounts],
        templates.teams,
    )


@pytest.mark.parametrize("name", first(3, ["nim", "minichess", "hallway", "farmers", "nothello", "breakthrough"]))
def test_scrambled_words_change_nothing(name: str) -> None:
    game = Game(scramble(load(name).rules, Random(5)).rules)
    game.compile()
    assert shape(find_templates(game, Deadline.never(), Random(1))) == shape(templates_of(name))


@pytest.mark.parametrize("name", first(3, ["minichess", "hallway", "nothello", "breakthrough"]))
def test_both_analyses_agree(name: str) -> None:
    assert [found for found in compare(templates_of(name), structure_of(name)) if not found.agree] == []


def test_relations_that_rules_derive_are_seen_by_the_analysis_only() -> None:
    found = {
        (one.structure, one.subject)
        for one in compare(templates_of("farmers"), structure_of("farmers"))
        if not one.agree
    }
    assert found == {("successor", "higher"), ("successor", "lower")}
