"""Layouts: cells lie where they belong."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludens import load
from ludens.boards import BoardLayout, Hints, make_layout
from tests.boards.drawn import HEAD, bundled, layout_of, sheet


def positions(layout: BoardLayout, grid: int = 0) -> dict[str, tuple[float, float]]:
    return {cell.name: (cell.x, cell.y) for cell in layout.grids[grid].cells}


def test_columns_go_to_the_right_and_rows_upwards() -> None:
    where = positions(bundled("connectfour")[1])
    assert where["1 1"] == (0.5, 5.5)
    assert where["7 1"] == (6.5, 5.5)
    assert where["1 6"] == (0.5, 0.5)


def test_all_six_neighbours_of_a_hexagon_are_equally_near() -> None:
    where = positions(bundled("hex")[1])
    x, y = where["4 4"]
    for name in ("5 4", "3 4", "4 5", "4 3", "5 5", "3 3"):
        near_x, near_y = where[name]
        assert (near_x - x) ** 2 + (near_y - y) ** 2 == pytest.approx(1.0)


def test_a_board_that_goes_round_says_so() -> None:
    assert bundled("cylindercheckers")[1].grids[0].wraps == (True, False)
    assert bundled("checkers")[1].grids[0].wraps == (False, False)


def test_boards_over_the_same_places_are_drawn_on_one() -> None:
    layout = bundled("checkers")[1]
    assert len(layout.grids) == 1
    assert {name for name, _ in layout.layers} == {"cell", "jumper"}
    assert len(layout.grids[0].fillers) == 32


def test_lines_between_points_are_numbered_in_the_order_of_the_facts() -> None:
    layout = bundled("wirepuller")[1]
    (layer,) = layout.layers.values()
    in_order = dict.fromkeys(fact[1:4] for fact in layout.facts.fluents if fact[0] == layer.board.signature[0])
    assert [cell.words for cell in layout.grids[0].cells] == list(in_order)


def test_boards_of_different_size_are_drawn_side_by_side() -> None:
    assert [len(grid.cells) for grid in bundled("racetrackcorridor")[1].grids] == [30, 8]


def test_what_tells_boards_apart_makes_blocks() -> None:
    (grid, _) = bundled("racetrackcorridor")[1].grids
    assert [block.title for block in grid.blocks] == ["white", "black"]


def test_one_coordinate_and_the_boards_it_has_make_an_area() -> None:
    (grid,) = bundled("hanoi")[1].grids
    assert [block.columns for block in grid.blocks] == [("1", "2", "3")]
    assert grid.blocks[0].rows == ("5", "4", "3", "2", "1")


CUBE = "(n 1) (n 2) (n 3) (s 1 2) (s 2 3) (<= (k ?x) (s ?x ?y)) (<= (k ?y) (s ?x ?y))"


def placing(coordinates: int) -> str:
    names = " ".join(f"?{letter}" for letter in "abcdef"[:coordinates])
    each = " ".join(f"(k ?{letter})" for letter in "abcdef"[:coordinates])
    return (
        f"(role x) {CUBE} (init (cell {' '.join('1' * coordinates)} b))"
        f"(<= (legal x (put {names})) {each}) (<= (next (cell {names} m)) (does x (put {names})))"
        f"(<= (next (cell {names} ?m)) (true (cell {names} ?m))) (init (count 1))"
        f"(<= (next (count ?y)) (true (count ?x)) (s ?x ?y)) (<= terminal (true (count 3))) (goal x 50)"
    )


@pytest.mark.parametrize(("coordinates", "blocks"), [(2, 1), (3, 3), (4, 9)])
def test_more_than_two_coordinates_make_slices(coordinates: int, blocks: int) -> None:
    layout = layout_of(load(placing(coordinates)))
    (grid,) = layout.grids
    assert len(grid.cells) == 3**coordinates
    assert len(grid.blocks) == blocks


RING = " ".join(f"(after {number} {(number + 1) % 6})" for number in range(6))


def test_an_amount_that_goes_round_is_a_track() -> None:
    rules = (
        f"(role x) (role o) {RING} (init (at x 0)) (init (at o 3)) (init (turn x)) (other x o) (other o x)"
        "(<= (legal ?r walk) (true (turn ?r))) (<= (legal ?r wait) (true (turn ?r)))"
        "(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))"
        "(<= (next (turn ?o)) (true (turn ?r)) (other ?r ?o))"
        "(<= (next (at ?r ?b)) (does ?r walk) (true (at ?r ?a)) (after ?a ?b))"
        "(<= (next (at ?r ?a)) (true (at ?r ?a)) (not (does ?r walk)))"
        "(<= terminal (true (at x ?a)) (true (at o ?a))) (<= (goal ?r 50) (role ?r))"
    )
    (grid,) = layout_of(load(rules)).grids
    assert grid.wraps == (True, False)
    assert grid.blocks[0].columns == ("0", "1", "2", "3", "4", "5")


LINKS = "(near a b) (near b c) (near c d) (near d a) (near a e) (near b e) (near c e) (near d e)"


def test_places_that_are_words_lie_near_their_neighbours() -> None:
    rules = (
        HEAD + LINKS + "(init go) (<= (place ?p) (near ?p ?q)) (<= (place ?q) (near ?p ?q))"
        "(<= (init (lies ?p none)) (place ?p)) (<= (legal x (put ?p)) (true (lies ?p none)))"
        "(<= (next (lies ?p x)) (does x (put ?p)))"
        "(<= (next (lies ?p ?c)) (true (lies ?p ?c)) (not (does x (put ?p))))"
        "(<= (next go) (true (lies a none)))"
    )
    (grid,) = layout_of(load(rules)).grids
    where = {cell.name: (cell.x, cell.y) for cell in grid.cells}
    assert len(grid.links) == 8
    middle = [sum(where[name][side] for name in "abcd") / 4 for side in (0, 1)]
    assert where["e"] == pytest.approx(middle)


def test_lines_between_points_lie_between_them(corpus: Path) -> None:
    layout = sheet(corpus / "games" / "dotsAndBoxes.kif")[1]
    where = positions(layout)
    assert len(where) == 60
    assert where["1 1 2 1"][1] == where["2 1 3 1"][1] > where["1 1 1 2"][1] > where["1 2 2 2"][1]
    assert where["1 1 1 2"][0] == where["1 2 1 3"][0] < where["1 1 2 1"][0] < where["2 1 2 2"][0]


def test_a_board_that_is_too_large_is_left_to_the_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    game, layout = bundled("tictactoe")
    monkeypatch.setattr("ludens.boards.layout.MAX_CELLS", 8)
    assert make_layout(game, layout.facts, Hints()).grids == ()
