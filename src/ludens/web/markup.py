"""HTML for what a process tells: every word of it may be a stranger's, so every word is escaped here."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any

from ludens.printable import printable

MAX_MOVES = 400
"""The number of moves that are listed; others are found by searching."""
MAX_LAST = 3
"""The number of turns that are told as the last ones, where chance moves between people."""
LONGEST = 120
PLAYER_WORDS = {
    "alphabeta": "full search",
    "cluneplayer": "learns what counts",
    "earlypayoff": "full search, simple values",
    "fluxplayer": "full search by the goals",
    "kuhlmann": "full search, features it finds",
    "legal": "always its first move",
    "montecarlo": "averages random games",
    "random": "any move",
    "uct": "tree search",
}
"""What players do, for those who do not know their names."""


def safe(words: object, longest: int = LONGEST) -> str:
    """Words that can stand anywhere in a page; very long ones are cut.

    >>> safe("<b>")
    '&lt;b&gt;'
    """
    text = printable(str(words))
    return escape(text if len(text) <= longest else text[: longest - 1] + "…")


def counted(number: int, word: str) -> str:
    """A number of things.

    >>> counted(1, "move"), counted(2000, "move")
    ('1 move', '2,000 moves')
    """
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def player_words(name: str, *, alone: bool = False) -> str:
    """Who sits in a seat; `alone` if there is but one person.

    >>> player_words("uct"), player_words("person", alone=True)
    ('tree search (uct)', 'you')
    """
    if name == "person":
        return "you" if alone else "a person"
    return f"{PLAYER_WORDS[name]} ({name})" if name in PLAYER_WORDS else name


def found_moves(labels: Sequence[str], sought: str) -> list[int]:
    """The numbers of the moves in which all words occur.

    >>> found_moves(["mark 1 1", "mark 2 1", "noop"], "MARK 2")
    [1]
    """
    parts = sought.lower().split()
    return [number for number, label in enumerate(labels) if all(part in label.lower() for part in parts)]


def seat_list(seats: Sequence[Mapping[str, Any]], clock_ends: float | None = None, asked: str | None = None) -> str:
    rows = []
    alone = sum(seat["seat"] == "person" for seat in seats) == 1
    for seat in seats:
        now = " now" if seat["to_move"] else ""
        who = player_words(seat["seat"], alone=alone)
        more = ""
        if seat["goal"] is not None:
            more = f'<span class="goal">{seat["goal"]} points</span>'
        elif seat["chosen"]:
            more = '<span class="goal">has chosen</span>'
        elif clock_ends is not None and seat["role"] == asked:
            more = f'<span class="clock" data-ends="{clock_ends:.0f}"></span>'
        rows.append(
            f'<div class="seat{now}"><span class="dot" style="background: {safe(seat["colour"])}"></span>'
            f'<span>{safe(seat["role"])}</span><span class="who">{safe(who)}</span>{more}</div>'
        )
    return f'<div class="seats">{"".join(rows)}</div>'


def move_buttons(labels: Sequence[str], shown: Collection[int] | None = None, hinted: int | None = None) -> str:
    """Moves as buttons, by their numbers; all, or some of them."""
    numbers = range(len(labels)) if shown is None else sorted(shown)
    buttons = [
        f'<button data-move="{number}" data-text="{safe(labels[number]).lower()}"'
        f"{' class=hinted' if number == hinted else ''}>{safe(labels[number])}</button>"
        for number in numbers[:MAX_MOVES]
    ]
    if len(numbers) > MAX_MOVES:
        buttons.append(f'<span class="faint">and {len(numbers) - MAX_MOVES:,} more; search for them above</span>')
    return "".join(buttons)


def history_buttons(history: Sequence[Mapping[str, Any]], current: int) -> str:
    first = f'<button data-turn="0"{_current(current == 0)}><i>0</i> the beginning</button>'
    return first + "".join(
        f'<button data-turn="{row["number"]}"{_current(row["number"] == current)}><i>{row["number"]}</i> '
        f"{'⚄ ' if row['chance'] else ''}{safe(row['words'], 300)}</button>"
        for row in history
    )


def last_words(history: Sequence[Mapping[str, Any]]) -> str:
    """What was moved last, and by chance since a person or player moved."""
    rows: list[Mapping[str, Any]] = []
    for row in reversed(history[-MAX_LAST:]):
        rows.insert(0, row)
        if row["roles"]:
            break
    words = ", ".join(f"{'⚄ ' if row['chance'] else ''}{row['words']}" for row in rows)
    return f"last: {safe(words, 200)}" if words else ""


def _current(is_current: bool) -> str:
    return ' aria-current="true"' if is_current else ""


def thought_html(thought: Mapping[str, Any] | None, turn: int) -> str:
    """What a player looked at, best moves first, and the line it expects; its moves can be clicked."""
    if thought is None:
        return '<p class="faint">no player has thought about a move yet</p>'
    most = max([candidate["visits"] for candidate in thought["candidates"]] or [1]) or 1
    rows = "".join(
        f"<tr{' class=best' if candidate['move'] == thought['move'] else ''}><td>{safe(candidate['move'])}</td>"
        f"<td>{candidate['value']:.1f}{' ✓' if candidate['proven'] else ''}</td><td>{candidate['visits']:,}</td>"
        f'<td><span class="bar"><i style="width: {100 * candidate["visits"] / most:.0f}%"></i></span></td></tr>'
        for candidate in thought["candidates"]
    )
    others = f'<p class="faint">and {thought["others"]} more</p>' if thought["others"] else ""
    line = "".join(
        f'<button data-line="{turn}" data-step="{number}">{safe(words)}</button>'
        for number, words in enumerate(thought["line"])
    )
    expects = ", ".join(f"{safe(role)} {value:.0f}" for role, value in thought["values"].items())
    certain = ", which is certain" if thought["proven"] else ""
    depth = f", {counted(thought['depth'], 'move')} deep" if thought["depth"] else ""
    return (
        f"<p><b>{safe(thought['role'])}</b> plays <b>{safe(thought['move'])}</b> and expects {expects}{certain}; "
        f"{thought['nodes']:,} nodes in {thought['seconds']:.1f} s{depth}</p>"
        + (
            f'<table class="cand"><tr><th>move</th><th>value</th><th>visits</th><th></th></tr>{rows}</table>{others}'
            if rows
            else ""
        )
        + (
            f'<p class="faint">the line it expects; click to see it on the board</p><div class="linemoves">{line}</div>'
            if line
            else ""
        )
    )


def chart_svg(thoughts: Sequence[Mapping[str, Any]], seats: Sequence[Mapping[str, Any]], turns: int) -> str:
    """What each role could expect, turn by turn, as the players saw it; the result at the end."""
    points: dict[str, list[tuple[int, float]]] = {seat["role"]: [] for seat in seats}
    for thought in thoughts:
        for role, value in thought["values"].items():
            if role in points:
                points[role].append((thought["turn"], value))
    for seat in seats:
        if seat["goal"] is not None:
            points[seat["role"]].append((turns, float(seat["goal"])))
    if max(map(len, points.values()), default=0) < 2:
        return ""
    width, height, left, top = 360, 130, 30, 8
    last = max(turns, 1)

    def at(turn: int, value: float) -> tuple[float, float]:
        return left + (width - left - 8) * turn / last, top + (height - top - 20) * (1 - value / 100)

    parts = [f'<svg class="chart" viewBox="0 0 {width} {height}" role="img"><title>expected points by turn</title>']
    for value in (0, 50, 100):
        _, y = at(0, value)
        parts.append(f'<line class="axis" x1="{left}" y1="{y:.1f}" x2="{width - 8}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{left - 5}" y="{y + 4:.1f}" text-anchor="end">{value}</text>')
    parts.append(f'<text x="{left}" y="{height - 4}">move 0</text>')
    parts.append(f'<text x="{width - 8}" y="{height - 4}" text-anchor="end">{turns}</text>')
    for seat in seats:
        places = [at(turn, value) for turn, value in points[seat["role"]]]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        colour = safe(seat["colour"])
        parts.append(f'<polyline class="edge" points="{path}" fill="none" stroke-width="4.5"/>')
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts += [f'<circle class="edge" cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
    return "".join([*parts, "</svg>"])


def status_words(view: Mapping[str, Any]) -> str:
    """What is going on, in one line."""
    if view["over"]:
        return result_words(view["seats"])
    if view["asked"]:
        several = sum(seat["to_move"] or seat["chosen"] for seat in view["seats"]) > 1
        people = sum(seat["seat"] == "person" for seat in view["seats"])
        hidden = "; the others move at the same time" if several else ""
        who = "your move" if people == 1 else "to move"
        return f"{view['asked']}: {who}{hidden}"
    if view["thinkers"]:
        return f"{' and '.join(view['thinkers'])} {'thinks' if len(view['thinkers']) == 1 else 'think'} …"
    return "the game goes on …"


def result_words(seats: Sequence[Mapping[str, Any]]) -> str:
    """How the game ended, for the one person that played, or as anybody would say it."""
    words = _outcome(seats)
    people = [seat["role"] for seat in seats if seat["seat"] == "person"]
    if len(people) != 1 or len(seats) == 1 or not words.endswith(" wins"):
        return words
    return f"you win as {people[0]}" if words == f"{people[0]} wins" else f"{words}; you lose"


def _outcome(seats: Sequence[Mapping[str, Any]]) -> str:
    goals = {seat["role"]: seat["goal"] for seat in seats if seat["goal"] is not None}
    if not goals:
        return "the game is over"
    if len(goals) == 1:
        ((role, goal),) = goals.items()
        return f"the game is over: {role} gets {goal} points"
    best = max(goals.values())
    first = [role for role, goal in goals.items() if goal == best]
    if len(first) == 1:
        return f"{first[0]} wins"
    return "a draw" if len(first) == len(goals) else f"{' and '.join(first)} win"
