"""Which cells moves are about: those that a person would click."""

from __future__ import annotations

from random import Random

import pytest

from ludens import Game, load
from ludens.boards import BoardLayout, Hints, MoveChoice, make_layout
from ludens.boards.first_look import first_look
from ludens.game import State
from ludens.gdl.scramble import scramble
from tests.boards.drawn import bundled


def clicks(layout: BoardLayout, choice: MoveChoice) -> list[list[str]]:
    return [sorted(layout.grids[where.grid].cells[where.cell].name for where in step) for step in choice.steps]


def all_clicks(name: str, state: State | None = None, role: str | None = None) -> dict[str, list[list[str]]]:
    game, layout = bundled(name)
    at = state or game.initial_state()
    return {choice.label: clicks(layout, choice) for choice in layout.moves.choices(at, role or str(game.roles[0]))}


def after(name: str, *moves: str) -> State:
    """The state after moves of whoever has a choice."""
    state = bundled(name)[0].initial_state()
    for text in moves:
        role = next(role for role in state.game.roles if len(state.legal_moves(role)) > 1)
        state = state.next({role: text})
    return state


@pytest.mark.parametrize(
    ("name", "label", "cells"),
    [
        ("tictactoe", "mark 2 3", [["2 3"]]),
        ("breakthrough", "move 1 2 2 3", [["1 2"], ["2 3"]]),
        ("minichess", "move wk c 1 b 2", [["c 1"], ["b 2"]]),
        ("amazonswhole", "play w1 1 1 1 2", [["4 1"], ["1 1"], ["1 2"]]),
        ("hallway", "build 1 1 level", [["1 1"]]),
        ("connectfour", "drop 3", [["3 1"]]),
        ("hanoi", "move 1 3", [["1 5"], ["3 1"]]),
        ("kalah", "sow 2", [["2 1"]]),
        ("kalah", "sow 6", [["6 1"]]),
        ("wirepuller", "pull up 2 1", [["up 2 1"]]),
        ("nim", "take a 1", []),
        ("rockpaperscissors", "show rock", []),
    ],
)
def test_first_moves(name: str, label: str, cells: list[list[str]]) -> None:
    assert all_clicks(name)[label] == cells


def test_a_wall_is_built_on_the_board_of_the_walls() -> None:
    _, layout = bundled("hallway")
    choices = {choice.label: choice for choice in layout.moves.choices(after("hallway"), "white")}
    assert {where.grid for where in choices["build 1 1 level"].steps[0]} == {layout.layers["wall", 3].grid}


def test_a_column_can_be_clicked_while_others_choose() -> None:
    assert all_clicks("simultaneousconnectfour")["drop 2"] == [[f"2 {row}" for row in range(1, 7)]]


def test_castling_is_made_on_the_cells_that_it_changes() -> None:
    moves = ["(move g 1 f 3)", "(move a 7 a 6)", "(move g 2 g 3)", "(move b 7 b 6)", "(move f 1 g 2)", "(move c 7 c 6)"]
    assert all_clicks("chess", after("chess", *moves))["castle kingside"] == [["e 1", "h 1"], ["f 1", "g 1"]]


def test_a_piece_that_a_move_names_is_clicked_first_whatever_it_is_called() -> None:
    game = bundled("amazonswhole")[0]
    scrambling = scramble(game.rules, Random(3))
    there = Game(scrambling.rules)
    layout, twin = (make_layout(each, first_look(each), Hints()) for each in (game, there))
    found = layout.moves.choices(game.initial_state(), "white")
    other = {
        choice.move.term: choice.steps
        for choice in twin.moves.choices(there.initial_state(), str(there.roles[game.role_index("white")]))
    }
    assert all(len(choice.steps) == 3 for choice in found)
    assert {scrambling.scramble_term(choice.move.term): choice.steps for choice in found} == other


def test_a_mark_that_happens_to_be_alone_is_not_clicked() -> None:
    """After x 1 there is one x on the board, which another x has nothing to do with."""
    sheet = """
        (role r) (n 1) (n 2) (n 3) (sign x) (sign y) (<= (init (cell ?a ?b empty)) (n ?a) (n ?b))
        (<= (legal r (put ?a ?b ?s)) (true (cell ?a ?b empty)) (sign ?s))
        (<= (next (cell ?a ?b ?s)) (does r (put ?a ?b ?s)))
        (<= (next (cell ?a ?b ?c)) (true (cell ?a ?b ?c)) (does r (put ?u ?v ?s)) (distinct ?a ?u))
        (<= (next (cell ?a ?b ?c)) (true (cell ?a ?b ?c)) (does r (put ?u ?v ?s)) (distinct ?b ?v))
        (<= terminal (not open)) (<= open (true (cell ?a ?b empty))) (goal r 50)
    """
    game = load(sheet)
    layout = make_layout(game, first_look(game))
    state = game.initial_state().next({"r": "(put 1 1 x)"})
    assert {len(choice.steps) for choice in layout.moves.choices(state, "r")} == {1}


def test_whoever_has_no_choice_clicks_nothing() -> None:
    assert all_clicks("tictactoe", role="o") == {"noop": []}
