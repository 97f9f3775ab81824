"""What `str(state)` shows of a game that nobody has analysed: boards by the rules and the first state alone."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens import Game, load
from ludens.boards import BoardLayout, Hints, draw_facts, make_layout, to_text
from ludens.boards.first_look import first_look
from ludens.game import State
from ludens.gdl.scramble import scramble
from tests.boards.drawn import bundled

SHEET = """
(role white) (role black) (init (control white))
(<= (legal ?r noop) (role ?r)) (<= terminal (true over)) (<= (goal ?r 0) (role ?r))
"""


def nameless(name: str) -> Game:
    """A bundled game as if it were anybody's."""
    return Game(bundled(name)[0].rules)


def after(game: Game, *joints: list[str]) -> State:
    state = game.initial_state()
    for joint in joints:
        state = state.next(joint)
    return state


def drawn(text: str) -> str:
    return dedent(text).strip("\n")


def start_of(more: str) -> str:
    return str(load(SHEET + more).initial_state())


def test_a_small_board_has_lines_between_its_cells() -> None:
    state = after(nameless("tictactoe"), ["(mark 1 1)", "noop"], ["noop", "(mark 3 2)"])
    assert str(state) == drawn("""
          ┌───┬───┬───┐
        3 │ · │ · │ · │
          ├───┼───┼───┤
        2 │ · │ · │ o │
          ├───┼───┼───┤
        1 │ x │ · │ · │
          └───┴───┴───┘
            1   2   3
        control x
        """)


def test_what_is_dropped_lies_at_the_bottom() -> None:
    state = after(nameless("connectfour"), ["(drop 2)", "noop"], ["noop", "(drop 2)"])
    assert str(state) == drawn("""
          ┌───────────────┐
        6 │ · · · · · · · │
        5 │ · · · · · · · │
        4 │ · · · · · · · │
        3 │ · · · · · · · │
        2 │ · y · · · · · │
        1 │ · r · · · · · │
          └───────────────┘
            1 2 3 4 5 6 7
        r red   y yellow
        control red
        """)


def test_squares_without_facts_are_part_of_the_board() -> None:
    lines = str(nameless("breakthrough").initial_state()).splitlines()
    assert lines[1] == "8 │ b b b b b b b b │"
    assert lines[3] == "6 │ · · · · · · · · │"
    assert lines[8] == "1 │ w w w w w w w w │"


def test_amounts_are_no_places() -> None:
    assert str(nameless("nim").initial_state()).splitlines() == [
        "heap  a ██████░░░░ 3",
        "      b ████████░░ 4",
        "      c ██████████ 5",
        "control first",
    ]


def test_pieces_of_two_words_get_two_letters() -> None:
    text = start_of("""
        (file a) (file b) (file c) (rank 1) (rank 2)
        (<= (init (piece ?r ?f white knight)) (file ?f) (rank ?r) (distinct ?f b))
        (init (piece 2 b black king))
        """)
    assert re.search(r"^b\w black king   w\w white knight$", text, re.MULTILINE)
    assert re.findall(r"^(\w) │", text, re.MULTILINE) == ["a", "b", "c"]


def test_successor_relations_order_words() -> None:
    text = start_of("""
        (after low middle) (after middle high)
        (<= (level low)) (<= (level middle)) (<= (level high)) (<= (near ?x ?y) (after ?x ?y) (level ?x))
        (<= (init (cell ?x ?y empty)) (level ?x) (level ?y))
        """)
    assert re.findall(r"^ *(\w+) │", text, re.MULTILINE) == ["high", "middle", "low"]
    assert text.splitlines()[-2].split() == ["low", "middle", "high"]


def test_three_coordinates_are_slices_side_by_side() -> None:
    text = start_of("""
        (n 1) (n 2) (n 3) (then 1 2) (then 2 3) (<= (beside ?x ?y) (then ?x ?y) (n ?x))
        (<= (init (cell ?x ?y ?z free)) (n ?x) (n ?y) (n ?z))
        """)
    assert text.splitlines()[0].split() == ["1", "2", "3"]
    assert text.count("·") == 27


def test_spelling_is_the_authors() -> None:
    assert "Treasure Gold" in start_of("(init (Treasure Gold)) (init (n 1))")


def test_it_is_the_same_on_every_engine() -> None:
    game, compiled = nameless("connectfour"), nameless("connectfour")
    assert compiled.compile()
    assert str(game.initial_state()) == str(compiled.initial_state())


def test_no_word_matters() -> None:
    for name in ("breakthrough", "ninemensmorris", "kalah"):
        rules = scramble(bundled(name)[0].rules, Random(name)).rules
        shapes = [_shape(make_layout(game, first_look(game), Hints())) for game in (nameless(name), load(rules))]
        assert shapes[0] == shapes[1]


def _shape(layout: BoardLayout) -> object:
    return [[(cell.x, cell.y) for cell in grid.cells] for grid in layout.grids], len(layout.quantities)


@pytest.mark.parametrize("name", ["amazons", "chess", "chinesecheckers3", "hex", "othello", "pegsolitaire", "tron"])
def test_the_board_is_the_one_that_an_analysis_finds(name: str) -> None:
    game, layout = bundled(name)
    look = make_layout(game, first_look(game), Hints())
    assert [cell.words for cell in look.grids[0].cells] == [cell.words for cell in layout.grids[0].cells]


def test_bundled_games_have_their_look_and_tell_whose_turn_it_is() -> None:
    text = str(bundled("chess")[0].initial_state())
    assert "1 │ ♖ ♘ ♗ ♕ ♔ ♗ ♘ ♖ │" in text
    assert text.endswith("white to move")


def test_printing_a_state_loads_no_machine_code() -> None:
    """It would take longer than all the rest."""
    code = "import sys, ludens; print(ludens.load('chess').initial_state()); print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stdout.splitlines()[-1] == "False"


words = st.one_of(st.integers(-3, 60).map(str), st.sampled_from(["a", "b", "c", "h", "x", "blank", "p1", "p10", "Ж"]))
terms = st.recursive(
    words, lambda inner: st.lists(inner, min_size=1, max_size=4).map(lambda args: f"(f {' '.join(args)})"), max_leaves=5
)
facts = st.builds(
    lambda name, args: f"({' '.join([name, *args])})" if args else name,
    st.sampled_from(["cell", "control", "other", "cell"]),
    st.lists(terms, max_size=5),
)


@cache
def tictactoe() -> Game:
    return nameless("tictactoe")


@given(st.lists(facts, max_size=30))
def test_any_state_can_be_drawn(some: list[str]) -> None:
    text = str(tictactoe().state(some))
    for fact in some:
        if "(" not in fact:
            assert fact in text


def test_real_sheets_are_drawn_without_losing_a_fact(corpus: Path) -> None:
    """Each fact of the first state is on a board, a gauge, a blank or listed."""
    boards = 0
    for sheet in sorted(corpus.glob("games/*.kif"))[::15]:
        game = load(sheet)
        initial = game.initial_state()
        layout = make_layout(game, first_look(game))
        picture = draw_facts(layout, initial.terms)
        shown = sum(len(cell.things) + len(cell.amounts) for grid in picture.grids for cell in grid.cells)
        shown += sum(len(panel.gauges) for panel in picture.panels) + sum(len(rows) for _, rows in picture.facts)
        blanks = sum(
            layer.board.blank is not None and layer.content(fact[1:]) == layer.board.blank
            for fact in initial.terms
            if isinstance(fact, tuple) and (layer := layout.layers.get((str(fact[0]), len(fact) - 1)))
        )
        assert shown + blanks >= min(len(initial.terms), 60), sheet.stem
        assert to_text(picture) == str(initial)
        boards += len(picture.grids)
    assert boards > 10
