"""Drawing states as text, with box lines and, if wanted, colours."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, product
from typing import Protocol

from ludens.boards.finder import WIDTH, Board, BoardFinder, Facts, Words, natural_order
from ludens.core import Fact
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Spelling, term_text

MAX_LINED_ROWS = 5
"""Boards with more rows are drawn without lines between their cells."""
MAX_LISTED = 200
"""How many facts of one name are listed."""

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_DIM, _BOLD, _RESET = "\x1b[2m", "\x1b[1m", "\x1b[0m"
_ROLE_COLOURS = ("\x1b[1;31m", "\x1b[1;34m", "\x1b[1;32m", "\x1b[1;33m", "\x1b[1;35m", "\x1b[1;36m")
_NO_BREAK = "\N{NO-BREAK SPACE}"


class Playable(Protocol):
    """What of a game is needed to draw its states."""

    @property
    def rules(self) -> Rules: ...
    def initial_state(self) -> Drawable: ...


class Drawable(Protocol):
    """What of a state is needed to draw it."""

    @property
    def facts(self) -> Iterable[Fact]: ...
    @property
    def game(self) -> Playable: ...


def draw_text(state: Drawable, colour: bool = False) -> str:
    """The state as text: its boards side by side, a legend, and the other facts below.

    With `colour`, ANSI codes dim what is empty and tell the pieces of the roles apart.
    """
    rules = state.game.rules
    facts = _by_name(state.facts, rules.spelling)
    boards = BoardFinder(rules, _by_name(state.game.initial_state().facts, rules.spelling)).boards(facts)
    rest = {signature: rows for signature, rows in facts.items() if signature not in boards}
    shown = sorted(boards.values(), key=lambda board: board.contentless)
    colours = dict(zip(rules.roles, cycle(_ROLE_COLOURS), strict=False))
    text = "\n".join([*_draw(shown, colours), *_legend(shown), *_list_facts(rest)])
    return text if colour else _plain(text)


def _by_name(facts: Iterable[Fact], spelling: Spelling) -> Facts:
    groups: Facts = {}
    for fact in sorted(facts, key=natural_order):
        words = tuple(term_text(argument, spelling) for argument in fact.args)
        groups.setdefault((spelling.get(fact.name, fact.name), len(words)), []).append(words)
    return groups


def _draw(boards: Sequence[Board], colours: Mapping[str, str]) -> list[str]:
    """All boards, side by side where they fit; more than two axes become slices."""
    lines: list[str] = []
    blocks: list[list[str]] = []
    for board in boards:
        outer = board.axes[:-2]
        title = [board.name] if len(boards) > 1 or outer else []
        if len(outer) < 2:
            places = product(*(axis.values for axis in outer))
            blocks.extend(_grid(board, place, " ".join([*title, *place]), colours) for place in places)
        else:
            for row in outer[1].downwards:
                places = product(outer[0].values, [row])
                lines += _beside([_grid(board, place, " ".join([*title, *place]), colours) for place in places])
    return _beside(blocks) + lines


def _beside(blocks: Sequence[list[str]]) -> list[str]:
    """Blocks of lines next to each other, in as many rows as the width demands."""
    rows: list[list[str]] = []
    for block in blocks:
        width = max(len(_plain(line)) for line in block)
        padded = [line + " " * (width - len(_plain(line))) for line in block]
        if rows and len(rows[-1]) == len(padded) and len(_plain(rows[-1][0])) + 3 + width <= WIDTH:
            rows[-1] = [f"{left}   {right}" for left, right in zip(rows[-1], padded, strict=True)]
        else:
            rows.append(padded)
    return [line.rstrip() for row in rows for line in row]


def _plain(text: str) -> str:
    return _ANSI.sub("", text)


def _grid(board: Board, outer: Words, title: str, colours: Mapping[str, str]) -> list[str]:
    """One board, or one slice of it, with the coordinates at its edges."""
    inner = board.axes[len(outer) :]
    turned = len(inner) == 2 and inner[0].values[0].isdecimal() and inner[1].values[0].isalpha()
    across, *vertical = inner[::-1] if turned else inner
    rows = vertical[0].downwards if vertical else ("",)
    width = max(map(len, [*across.values, *board.labels.values()]))
    margin = max(map(len, rows))
    lined = len(rows) <= MAX_LINED_ROWS
    gap = " │ " if lined else " "

    def rule(left: str, between: str, right: str) -> str:
        joint = f"─{between}─" if lined else "─"
        return " " * (margin + 1) + f"{left}─" + joint.join(["─" * width] * len(across.values)) + f"─{right}"

    lines = [f"{_DIM}{title}{_RESET}"] if title else []
    lines.append(rule("┌", "┬", "┐"))
    for number, row in enumerate(rows):
        if number and lined:
            lines.append(rule("├", "┼", "┤"))
        places = [(row, column) if turned else (column, row)[: len(inner)] for column in across.values]
        cells = [_cell(board, outer + place, width, colours) for place in places]
        lines.append(f"{_DIM}{row:>{margin}}{_RESET} │ {gap.join(cells)} │")
    lines.append(rule("└", "┴", "┘"))
    names = (" " * len(gap)).join(f"{name:^{width}}" for name in across.values)
    lines.append(f"{_DIM}{' ' * (margin + 3)}{names.rstrip()}{_RESET}")
    return lines


def _cell(board: Board, place: Words, width: int, colours: Mapping[str, str]) -> str:
    content = board.cells.get(place)
    if content is None or content == board.blank:
        dot = " " if content is None and board.blank else "·"
        return f"{_DIM}{dot:^{width}}{_RESET}"
    style = next((colours[word.lower()] for word in content if word.lower() in colours), _BOLD)
    return f"{style}{board.labels[content]:^{width}}{_RESET}"


def _legend(boards: Iterable[Board]) -> list[str]:
    meanings = {
        _NO_BREAK.join([label, *content]): None
        for board in boards
        for content, label in sorted(board.labels.items())
        if content and label != " ".join(content)
    }
    return [line.replace(_NO_BREAK, " ") for line in textwrap.wrap("   ".join(meanings), WIDTH)]


def _list_facts(facts: Facts) -> list[str]:
    """The facts that are no part of a board, those of the same name together."""
    lines: list[str] = []
    for (name, _), rows in facts.items():
        more = [f"and {len(rows) - MAX_LISTED:,} more"] if len(rows) > MAX_LISTED else []
        text = f"{name} {' · '.join([*map(' '.join, rows[:MAX_LISTED]), *more])}".rstrip()
        lines += textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return lines
