"""Boards, pieces, quantities and turns of real rule sheets."""

from __future__ import annotations

from math import inf
from pathlib import Path
from random import Random

import pytest

from ludens import load
from ludens.analysis.facts import analyse
from ludens.gdl.rules import Rules
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import board_of, kinds, structure_of_sheet

BOARDS_OF_SHEETS = {
    "ticTacToe": ("cell", "3 3"),
    "tictactoe_3d_2player": ("cell", "4o 4o 4o"),
    "connectFour": ("cell", "8o 6o"),
    "breakthrough": ("cellholds", "8o 8o"),
    "minichess": ("cell", "4o 4o"),
    "eightPuzzle": ("cell", "3o 3o"),
    "knightThrough": ("cell", "8o 8o"),
    "merrills": ("pit", "3o 8r"),
    "checkersTorus": ("location", "8r 8r"),
    "checkersBarrelNoKings": ("location", "8o 8r"),
    "qyshinsu": ("position", "12r"),
    "dotsAndBoxes": ("line", "6o 6o 6o 6o"),
    "sudokuGrade1": ("cell", "3 3 3 3"),
    "wallmaze": ("cell", "13o 9o"),
    "racetrackcorridor": ("cell", "5o"),
    "crossers3": ("pos", "9o 9o"),
}
"""The sizes of boards, `o` for coordinates that have an order, `r` for those that go round."""


@pytest.mark.parametrize("name", BOARDS_OF_SHEETS)
def test_boards_of_real_sheets(corpus: Path, name: str) -> None:
    fluent, sizes = BOARDS_OF_SHEETS[name]
    seconds = {"merrills": 2.0}.get(name, inf)  # it never compiles
    game = load(Rules.read(corpus / "games" / f"{name}.kif"))
    board = board_of(analyse(game, Deadline(seconds), Random(1), proofs=False, symmetries=False), fluent)
    marks = [("r" if axis.order.wraps else "o") if axis.order else "" for axis in board.axes]
    assert " ".join(f"{len(axis.words)}{mark}" for axis, mark in zip(board.axes, marks, strict=True)) == sizes


def test_racetrack_as_it_was_played(corpus: Path) -> None:
    """Its columns have no order, so each column of each lane is an ordered board."""
    facts = structure_of_sheet(corpus, "racetrackcorridor")
    board = board_of(facts, "cell")
    assert [(axis.argument, len(axis.words)) for axis in board.selectors] == [(0, 2), (2, 3)]
    assert kinds(facts, board) == {"white": ("piece", None), "black": ("piece", None), "b": ("blank", None)}


def test_the_step_of_one_gives_the_order(corpus: Path) -> None:
    """Asteroids adds speeds of one to three on a circle of twenty; it is the ship's place that counts."""
    x = structure_of_sheet(corpus, "asteroidsParallel").quantity(("x1", 1))
    assert x is not None
    assert x.order.wraps
    assert x.order.distance("10", "13") == 3
    assert x.order.distance("1", "20") == 1


def test_turns_that_two_fluents_tell(corpus: Path) -> None:
    control = structure_of_sheet(corpus, "pentago").control
    assert control is not None
    assert {control.signature, control.other} == {("placecontrol", 1), ("rotatecontrol", 1)}
    assert sorted(control.turns.values()) == [0, 0, 1, 1]


def test_pieces_that_leave_trails_or_share_places(corpus: Path) -> None:
    facts = structure_of_sheet(corpus, "pacman2p")
    found = kinds(facts, board_of(facts, "location"))
    assert found["pacman"] == ("piece", "pacman")
    assert found["blinky"] == ("piece", "ghosts")
    assert found["pellet"][0] == "marker"
