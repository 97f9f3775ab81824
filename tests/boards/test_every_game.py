"""Every game can be drawn: all its boards have all their cells, no fact is lost, and every rendering shows it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from ludens import load
from ludens.analysis.states import signature_of
from ludens.boards import BoardLayout, Picture, draw, to_html, to_svg, to_text
from ludens.boards.layout import MAX_CELLS
from ludens.game import Game
from tests.boards.drawn import bundled, layout_of, sheet, steps
from tests.tiers import every_game

SVG = "{http://www.w3.org/2000/svg}"
HEXAGONAL = {"hex", "chinesecheckers3", "chinesecheckers6"}
FEW_GAPS = {"eightpuzzle", "pegsolitaire"}
"""Games that begin with a board almost full."""
SHOOTING = """
(role x) (role o) (other x o) (other o x) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7)
(<= (place ?a) (after ?a ?b)) (place 7) (init (turn x)) (init (cell 1 x)) (init (cell 7 o))
(<= (init (cell ?p nothing)) (place ?p) (distinct ?p 1) (distinct ?p 7))
(<= (free ?p) (true (cell ?p nothing)))
(<= (legal ?r (go ?from ?to ?at)) (true (turn ?r)) (true (cell ?from ?r)) (free ?to) (free ?at) (distinct ?to ?at))
(<= (legal ?r (go ?from ?to ?from)) (true (turn ?r)) (true (cell ?from ?r)) (free ?to))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (turn ?o)) (true (turn ?r)) (other ?r ?o))
(<= (next (cell ?to ?r)) (does ?r (go ?from ?to ?at)))
(<= (next (cell ?at stone)) (does ?r (go ?from ?to ?at)))
(<= (next (cell ?from nothing)) (does ?r (go ?from ?to ?at)) (distinct ?from ?at))
(<= (touched ?p) (does ?r (go ?p ?to ?at))) (<= (touched ?p) (does ?r (go ?from ?p ?at)))
(<= (touched ?p) (does ?r (go ?from ?to ?p)))
(<= (next (cell ?p ?c)) (true (cell ?p ?c)) (not (touched ?p)))
(<= some (free ?p)) (<= terminal (not some)) (<= (goal ?r 50) (role ?r))
"""
"""A piece moves to a free place and puts a stone on another, or on the one that it left."""
CORPUS_SAMPLE = (
    "asteroidsSerial", "battlebrushes", "blocksWorld", "bomberman2p", "chineseCheckers2", "cubicup_3player",
    "dotsAndBoxes", "doubletictactoe", "endgame", "hidato19", "knightfight", "merrills", "pacman3p", "quarto",
    "qyshinsu", "tictactoe_3d_small_2player", "tictactoex9", "wargame01",
)  # fmt: skip


def assert_boards_have_their_cells(layout: BoardLayout) -> None:
    for board in layout.facts.boards:
        if board.places > MAX_CELLS:
            continue
        layer = layout.layers[board.signature]
        grid = layout.grids[layer.grid]
        assert len(layer.cells) == len(set(layer.cells.values())) <= board.places
        assert len(layer.cells) == board.places or layout.facts.left_out
        assert set(layer.cells.values()) <= set(range(len(grid.cells)))
    for number, grid in enumerate(layout.grids):
        used = {cell for layer in layout.layers.values() if layer.grid == number for cell in layer.cells.values()}
        assert used == set(range(len(grid.cells)))
        assert len({(round(cell.x, 3), round(cell.y, 3)) for cell in grid.cells}) == len(grid.cells)
        in_blocks = [cell for block in grid.blocks for row in block.cells for cell in row if cell is not None]
        assert not grid.blocks or sorted(in_blocks) == list(range(len(grid.cells)))


def assert_rendered(drawn: Picture) -> None:
    root = ElementTree.fromstring(to_svg(drawn))
    cells = [group for group in root.iter(f"{SVG}g") if group.get("class") == "lb-cell"]
    assert len(cells) == sum(len(grid.cells) for grid in drawn.grids)
    assert root.findtext(f"{SVG}title") == drawn.title
    assert root.findtext(f"{SVG}desc") is not None
    assert to_html(drawn).startswith("<figure")
    text = to_text(drawn)
    assert drawn.caption in text
    for name, rows in drawn.facts:
        assert all(word in text for word in " ".join([name, *rows]).split())


def assert_everything_is_drawn(layout: BoardLayout, drawn: Picture, facts: int) -> None:
    """No fact is lost: each is a thing, an amount, a blank, a gauge, a listed fact or the turn."""
    things = sum(len(cell.things) + len(cell.amounts) for grid in drawn.grids for cell in grid.cells)
    gauges = sum(len(panel.gauges) for panel in drawn.panels)
    listed = sum(map(_listed, drawn.facts))
    blanks = sum(len(layer.cells) for layer in layout.layers.values() if layer.board.blank is not None)
    turns = 2 if layout.facts.control else 0
    assert things + gauges + listed <= facts <= things + gauges + listed + blanks + turns


def _listed(facts: tuple[str, tuple[str, ...]]) -> int:
    """How many facts of a name are listed, or told to be more."""
    rows = facts[1]
    more = re.fullmatch("and ([0-9,]+) more", rows[-1])
    return len(rows) - 1 + int(more[1].replace(",", "")) if more else len(rows)


def draw_game(game: Game, layout: BoardLayout, most: int) -> None:
    for state, joint, before in steps(game, Random(1), most):
        drawn = draw(layout, state, joint, before)
        assert_rendered(drawn)
        assert_everything_is_drawn(layout, drawn, len(state.facts))


@pytest.mark.parametrize("name", every_game())
def test_bundled_games(name: str) -> None:
    game, layout = bundled(name)
    assert_boards_have_their_cells(layout)
    assert any(grid.shape == "hexagon" for grid in layout.grids) == (name in HEXAGONAL)
    draw_game(game, layout, most=4)


@pytest.mark.parametrize("name", every_game())
def test_nothing_is_what_most_places_hold_at_the_start(name: str) -> None:
    game, layout = bundled(name)
    for board in layout.facts.boards:
        lying = Counter(
            tuple(fact[index + 1] for index in board.content_arguments)
            for fact in game.initial_state().terms
            if signature_of(fact) == board.signature
        )
        assert board.blank is None or name in FEW_GAPS or lying.most_common(1)[0][0] == board.blank


def test_what_blocks_places_for_good_is_not_nothing() -> None:
    layout = layout_of(load(SHOOTING))
    (board,) = layout.facts.boards
    assert board.blank == ("nothing",)
    assert {content.words for content in board.contents if content.kind != "blank"} == {("x",), ("o",), ("stone",)}


@pytest.mark.parametrize("name", CORPUS_SAMPLE)
def test_real_sheets(corpus: Path, name: str) -> None:
    game, layout = sheet(corpus / "games" / f"{name}.kif")
    assert_boards_have_their_cells(layout)
    draw_game(game, layout, most=3)
