"""Clicks become moves: the one that is meant, or a question which one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ludens.web.picking import MovePicker

CELLS = st.sampled_from(["0-0", "0-1", "0-2", "1-0"])
MOVES = st.lists(st.lists(st.sets(CELLS, min_size=1, max_size=2).map(sorted), max_size=3), max_size=6)


def test_one_click_makes_a_move_that_has_one_place() -> None:
    assert MovePicker([[["0-0"]], [["0-1"]]]).click("0-1") == [1]


def test_any_cell_of_a_column_makes_its_move() -> None:
    assert MovePicker([[["0-0", "0-1"]], [["1-0"]]]).click("0-1") == [0]


def test_moves_with_the_same_places_are_all_offered() -> None:
    promotions = MovePicker([[["0-0"], ["0-1"]]] * 4)
    assert promotions.click("0-0") == []
    assert promotions.click("0-1") == [0, 1, 2, 3]


def test_a_shorter_move_waits_for_the_longer_one() -> None:
    picker = MovePicker([[["0-0"]], [["0-0"], ["0-1"]]])
    assert picker.click("0-0") == []
    assert picker.whole == [0]
    assert picker.click("0-1") == [1]


def test_the_same_cell_again_gives_up_and_another_begins_anew() -> None:
    picker = MovePicker([[["0-0"], ["0-1"]], [["0-2"], ["0-1"]]])
    picker.click("0-0")
    picker.click("0-0")
    assert picker.clicks == []
    picker.click("0-0")
    picker.click("0-2")
    assert picker.clicks == ["0-2"]


def test_moves_without_a_place_cannot_be_clicked() -> None:
    picker = MovePicker([[]])
    assert picker.possible == set()
    assert picker.click("0-0") == []


def test_cells_near_a_move_stand_for_it_at_the_first_click_only() -> None:
    picker = MovePicker([[["0-0"]], [["0-1"], ["0-2"]]], near={"1-0": 0, "0-1": 0})
    assert picker.click("1-0") == [0]
    picker.clicks = []
    assert picker.click("0-1") == []
    assert picker.click("1-0") == []
    assert picker.possible == {"0-0", "0-1"}


@given(MOVES, st.lists(CELLS, max_size=8))
def test_whatever_is_clicked_moves_are_those_that_the_clicks_name(
    moves: list[list[list[str]]], clicks: list[str]
) -> None:
    picker = MovePicker(moves)
    for cell in clicks:
        made = picker.click(cell)
        for number in made:
            steps = moves[number]
            assert len(steps) == len(picker.clicks)
            assert all(clicked in step for clicked, step in zip(picker.clicks, steps, strict=True))


@given(MOVES)
def test_every_move_with_a_place_can_be_reached_by_cells_that_are_possible(moves: list[list[list[str]]]) -> None:
    for number, steps in enumerate(moves):
        picker = MovePicker(moves)
        for step in steps:
            assert step[0] in picker.possible
            picker.click(step[0])
        assert not steps or number in picker.whole
