"""States as text: the drawings people see, and that every state can be drawn."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from textwrap import dedent

from hypothesis import given
from hypothesis import strategies as st

from ludens import games, load
from ludens.boards import draw_text
from ludens.boards.finder import BoardFinder
from ludens.core import Fact
from ludens.game import Game, State
from ludens.gdl.kif import read_term
from ludens.gdl.rules import Rules
from ludens.gdl.scramble import scramble
from ludens.gdl.terms import term_text

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def after(name: str, *joints: Sequence[str]) -> State:
    state = load(name).initial_state()
    for joint in joints:
        state = state.next(joint)
    return state


def drawn(text: str) -> str:
    return dedent(text).strip("\n")


def test_a_small_board_has_lines_between_its_cells() -> None:
    state = after("tictactoe", ["(mark 1 1)", "noop"], ["noop", "(mark 3 2)"])
    assert draw_text(state) == drawn("""
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
    state = after("connectfour", ["(drop 2)", "noop"], ["noop", "(drop 2)"])
    assert draw_text(state) == drawn("""
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
    lines = draw_text(load("breakthrough").initial_state()).splitlines()
    assert lines[1] == "8 │ b b b b b b b b │"
    assert lines[3] == "6 │ · · · · · · · · │"
    assert lines[8] == "1 │ w w w w w w w w │"


def test_the_one_content_that_is_no_number_is_the_gap() -> None:
    assert "3 │ · │ 1 │ 2 │" in draw_text(load("eightpuzzle").initial_state())


def test_one_dimension_is_one_row() -> None:
    lines = draw_text(load("nim").initial_state()).splitlines()
    assert [line.strip() for line in lines] == [
        "┌───┬───┬───┐",
        "│ 3 │ 4 │ 5 │",
        "└───┴───┴───┘",
        "a   b   c",
        "control first",
    ]


def test_facts_without_a_board_are_listed_by_name() -> None:
    assert draw_text(load("rockpaperscissors").initial_state()) == "round 0\nwon left 0 · right 0"


SHEET = """
(role white) (role black) (init (control white))
(<= (legal ?r noop) (role ?r)) (<= terminal (true over)) (<= (goal ?r 0) (role ?r))
"""


def start_of(more: str) -> State:
    return load(SHEET + more).initial_state()


def test_letters_go_across_and_pieces_of_two_words_get_two_letters() -> None:
    text = draw_text(
        start_of("""
        (file a) (file b) (file c) (rank 1) (rank 2)
        (<= (init (piece ?r ?f white knight)) (file ?f) (rank ?r) (distinct ?f b))
        (init (piece 2 b black king))
        """)
    )
    assert text == drawn("""
          ┌────┬────┬────┐
        2 │ wn │ bk │ wn │
          ├────┼────┼────┤
        1 │ wn │ ·  │ wn │
          └────┴────┴────┘
            a    b    c
        bk black king   wn white knight
        control white
        """)


def test_successor_relations_order_words() -> None:
    text = draw_text(
        start_of("""
        (after low middle) (after middle high)
        (<= (level low)) (<= (level middle)) (<= (level high))
        (<= (init (cell ?x ?y empty)) (level ?x) (level ?y))
        """)
    )
    assert re.findall(r"^ *(\w+) │", text, re.MULTILINE) == ["high", "middle", "low"]
    assert text.splitlines()[-2].split() == ["low", "middle", "high"]


def test_three_coordinates_are_slices_side_by_side() -> None:
    text = draw_text(
        start_of("(n 1) (n 2) (n 3) (<= (init (cell ?x ?y ?z free)) (n ?x) (n ?y) (n ?z))"),
    )
    assert text.splitlines()[0].split() == ["cell", "1", "cell", "2", "cell", "3"]
    assert text.count("·") == 27


def test_two_boards_stand_side_by_side_with_their_names() -> None:
    text = draw_text(
        start_of("""
        (n 1) (n 2) (n 3)
        (<= (init (mine ?x ?y empty)) (n ?x) (n ?y)) (<= (init (yours ?x ?y empty)) (n ?x) (n ?y))
        """)
    )
    assert text.splitlines()[0].split() == ["mine", "yours"]


def test_a_board_that_is_filled_later_is_drawn_empty() -> None:
    text = draw_text(
        start_of("""
        (n 1) (n 2) (n 3)
        (<= (legal white (put ?x ?y)) (n ?x) (n ?y)) (<= (next (stone ?x ?y ?r)) (does ?r (put ?x ?y)))
        """)
    )
    assert text.count("·") == 9


def test_no_word_matters() -> None:
    """A scrambled game draws the same board, whatever its players and pieces are called."""
    rules = scramble(load("breakthrough").rules, Random(5)).rules
    lines = draw_text(load(rules).initial_state()).splitlines()
    plain = draw_text(load("breakthrough").initial_state()).splitlines()
    white, black = (line[4] for line in (lines[8], lines[1]))
    assert [line.replace(white, "w").replace(black, "b") for line in lines[:10]] == plain[:10]


def test_marks_without_content() -> None:
    text = draw_text(start_of("(n 1) (n 2) (n 3) (<= (init (lit ?x ?y)) (n ?x) (n ?y) (distinct ?x ?y))"))
    assert (text.count("●"), text.count("·")) == (6, 3)


def test_spelling_is_the_authors() -> None:
    text = draw_text(start_of("(init (Treasure Gold)) (init (n 1))"))
    assert "Treasure Gold" in text


def test_colour_changes_nothing_but_colour() -> None:
    for name in games.names():
        state = load(name).initial_state()
        coloured = draw_text(state, colour=True)
        assert ANSI.sub("", coloured) == draw_text(state)
    assert ANSI.search(coloured)


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
    return load("tictactoe")


@given(st.lists(facts, max_size=30))
def test_any_state_can_be_drawn(some: list[str]) -> None:
    text = draw_text(tictactoe().state(some))
    for fact in some:
        if "(" not in fact:
            assert fact in text


def test_real_sheets_are_drawn_without_losing_a_fact(corpus: Path) -> None:
    """Each fact is either a cell of a board or listed below the boards."""
    boards_found = 0
    for trace in sorted(corpus.glob("traces/*.json"))[::5]:
        rules = Rules.read(corpus / "games" / f"{trace.stem}.kif")
        initial = _Sheet(rules, json.loads(trace.read_text())["init"])
        groups: dict[tuple[str, int], list[tuple[str, ...]]] = {}
        for fact in initial.facts:
            words = tuple(term_text(argument, rules.spelling) for argument in fact.args)
            groups.setdefault((rules.spelling.get(fact.name, fact.name), len(words)), []).append(words)
        boards = BoardFinder(rules, groups).boards(groups)
        listed = {line.split()[0] for line in draw_text(initial).splitlines() if line.strip()}
        for signature, rows in groups.items():
            if signature in boards:
                assert len(boards[signature].cells) == len(rows), trace.stem
                boards_found += 1
            else:
                assert signature[0] in listed, trace.stem
    assert boards_found > 20


class _Sheet:
    """The initial state of a sheet without an engine; it is its own game."""

    def __init__(self, rules: Rules, init: list[str]) -> None:
        self.rules = rules
        self.game = self
        self.facts = [Fact(text, read_term(text)) for text in init]  # type: ignore[arg-type]

    def initial_state(self) -> _Sheet:
        return self
