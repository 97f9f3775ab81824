"""What processes tell becomes HTML in which no word of a stranger is more than a word."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ludens.arena.summaries import StoredMatch
from ludens.players import PLAYERS
from ludens.web import library
from ludens.web.draft_markup import finding_list, statistics_html, structure_html
from ludens.web.explaining import explanation_html
from ludens.web.markup import (
    MAX_MOVES,
    PLAYER_WORDS,
    chart_svg,
    history_buttons,
    last_words,
    move_buttons,
    result_words,
    seat_list,
    thought_html,
)
from ludens.web.match_markup import cross_list, match_list, rating_list
from ludens.web.picking import clickable

EVIL = "\"><script>alert('x')</script><img src=x onerror=y>'"
NAMES = st.text(st.characters(codec="utf-8"), max_size=12).map(lambda text: text + EVIL)


class Tags(HTMLParser):
    """Collects what a browser would see as elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        self.attributes |= {name for name, _ in attrs}


def seat(role: str, goal: int | None = None, **more: Any) -> dict[str, Any]:
    return {"role": role, "seat": "uct", "colour": "#ff0000", "to_move": True, "chosen": False, "goal": goal} | more


def thought(name: str) -> dict[str, Any]:
    candidate = {"move": name, "value": 50.0, "visits": 3, "proven": True}
    return {
        "turn": 0,
        "role": name,
        "move": name,
        "values": {name: 50.0},
        "candidates": [candidate],
        "others": 2,
        "line": [name],
        "nodes": 10,
        "playouts": 5,
        "depth": 3,
        "seconds": 0.1,
        "proven": False,
    }


@given(NAMES)
def test_no_name_becomes_an_element(name: str) -> None:
    seats = [seat(name), seat(name, goal=100), seat(name, chosen=True, colour=name)]
    finding = {"severity": "error", "line": 3, "message": name, "remedy": name}
    spread = {"least": 1, "mean": 2.0, "most": 3}
    numbers = {
        "plays": 3,
        "finished": 2,
        "length": spread,
        "branching": spread,
        "choices": {name: spread},
        "simultaneous": True,
        "constant_sum": 100,
        "balance": {name: {"mean": 50.0, "wins": 1, "games": 2}},
        "problem": name,
    }
    match = StoredMatch(name, name, (name, "b"), (name, name), (100, 0), "completed", 0, 3, 0, name, None)
    table = library.standings([match])
    pieces = [
        seat_list(seats, 5.0, name),
        move_buttons([name, name], hinted=1),
        history_buttons([{"number": 1, "words": name, "chance": True}], 1),
        thought_html(thought(name), 1),
        chart_svg([thought(name), {**thought(name), "turn": 1}], seats[:1], 2),
        finding_list([finding]),
        explanation_html(f"{name}: 50.0 of 100\n  - {name} (0.123): {name}\n{name}"),
        statistics_html(numbers),
        structure_html({"roles": [name], "lines": [(name, name)], "svg": ""}),
        match_list([match]),
        rating_list(table),
        *(cross_list(table, game) for game in table.against),
    ]
    for piece in pieces:
        tags = Tags(piece)
        assert not tags.found & {"script", "img"}
        assert not {name for name in tags.attributes if name.startswith("on")}


def test_long_lists_are_cut() -> None:
    html = move_buttons([f"go {number}" for number in range(MAX_MOVES + 5)])
    assert html.count("<button") == MAX_MOVES
    assert "and 5 more" in html
    assert move_buttons(["go", "stay", "go on"], [2, 0]).count("<button") == 2


def test_every_player_is_explained() -> None:
    assert set(PLAYER_WORDS) == set(PLAYERS)
    assert "you" in seat_list([seat("x", seat="person"), seat("o")])
    assert seat_list([seat("x", seat="person"), seat("o", seat="person")]).count("a person") == 2
    assert "tree search (uct)" in seat_list([seat("x")])


def test_results_in_words() -> None:
    assert result_words([seat("x", 100), seat("o", 0)]) == "x wins"
    assert result_words([seat("x", 50), seat("o", 50)]) == "a draw"
    assert result_words([seat("a", 60), seat("b", 60), seat("c", 0)]) == "a and b win"
    assert result_words([seat("x", 70)]) == "the game is over: x gets 70 points"
    assert result_words([seat("x")]) == "the game is over"
    assert result_words([seat("x", 100, seat="person"), seat("o", 0)]) == "you win as x"
    assert result_words([seat("x", 0, seat="person"), seat("o", 100)]) == "o wins; you lose"
    assert result_words([seat("x", 50, seat="person"), seat("o", 50)]) == "a draw"


def test_an_explanation_says_how_near_things_are_in_words() -> None:
    text = """degrees with q = 4: 0.55 and more is true, 0.45 and less is false

x: 37.6 of 100
  - 100 points: built (0.307): all of 3 conditions, 1 met
    - (0.107): all of 4 conditions, 1 met
      + (on a b) (0.750)
      - (on b c) (0.310)
      - (on c d) (0.310)
      and 1 more
    - (cell 4 8 white) (0.211): (cell 4 2 white) is 62% near, all 16 on average 47%
  + 0 points: not built (0.893): one of 3 ways, 2 met, see above
    and 2 more
- the end: built (0.307)
"""
    html = explanation_html(text)
    assert "degrees" not in html
    assert "0.3" not in html
    words = re.sub(r"<[^>]+>", "", html.replace("</p>", "\n")).splitlines()
    assert words == [
        "This looks like 38 of 100 points for x.",
        "✗ 100 points if built: not yet, 1 of 3 conditions hold",
        "✗ on a b is there; missing: on b c, on c d and 1 more",
        "✗ cell 4 8 white (cell 4 2 white is 62 % of the way there)",
        "✓ 0 points if not built: so it is, in 2 of 3 ways",
        "and 2 more",
        "✗ the game ends if built: not yet",
    ]


def test_the_last_moves_are_told_with_what_chance_did() -> None:
    moved = {"words": "red again", "roles": ["red"], "chance": False}
    rolled = {"words": "random roll 3", "roles": [], "chance": True}
    assert last_words([]) == ""
    assert last_words([rolled, moved]) == "last: red again"
    assert last_words([moved, moved, rolled]) == "last: red again, ⚄ random roll 3"


def test_cells_are_marked_and_nothing_else() -> None:
    svg = '<g class="lb-cell" data-grid="0" data-cell="1"><title>lb-cell</title></g>'
    assert clickable(svg, ["0-1"], ["0-1"], ["0-2"]).startswith('<g class="lb-cell can picked"')
    assert clickable(svg, [], [], [], ["0-1"]).startswith('<g class="lb-cell near"')
    assert "can" not in clickable(svg, [], [])


def test_standings_agree_with_what_the_matches_say() -> None:
    matches = [
        StoredMatch("1", "g", ("x", "o"), ("ann", "bob"), (100, 0), "completed", 1, 5, 0, None, None),
        StoredMatch("2", "g", ("x", "o"), ("bob", "ann"), (50, 50), "completed", 2, 5, 0, None, None),
        StoredMatch("3", "g", ("x", "o"), ("bob", "ann"), (100, 0), "aborted", 3, 5, 0, None, None),
        StoredMatch("4", "g", ("x", "o"), ("bob", None), (100, 0), "completed", 4, 5, 0, None, None),
    ]
    table = library.standings(matches)
    assert [(line.player, line.tally.wins, line.tally.draws, line.tally.losses) for line in table.lines] == [
        ("ann", 1, 1, 0),
        ("bob", 0, 1, 1),
    ]
    assert library.cross_table(table, "g") == (["ann", "bob"], [[None, 75.0], [25.0, None]])
