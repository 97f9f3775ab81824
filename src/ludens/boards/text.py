"""Pictures as text: lines of segments, each with the name of a style, so that a terminal can show them in colour."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from ludens.boards.picture import Block, Cell, Gauge, Grid, Panel, Picture
from ludens.printable import printable

WIDTH = 78
"""The number of characters in a line."""
MAX_LINED_ROWS = 5
"""Boards with more rows are drawn without lines between their cells."""
BAR = 10
MAX_GLYPHS = 5
"""The limit on characters for the contents of a cell."""
FULL, EMPTY = "█", "░"
NOTHING = "(nothing to show)"
WIDE = frozenset("WF")
"""Letters of these kinds take the room of two."""
UNSEEN = frozenset({"Mn", "Me", "Cf"})
"""These take none."""


Style = Literal["plain", "faint", "thing"]
"""Plain text, text that only helps to read it, and things on the board."""


class Segment(NamedTuple):
    """A piece of text with a style."""

    text: str
    style: Style = "plain"
    colour: str | None = None
    """The colour of a role."""
    last: bool = False
    """Whether the last move was here."""


Line = tuple[Segment, ...]


def to_text(picture: Picture) -> str:
    """Return the picture as plain text.

    >>> from ludens import load
    >>> from ludens.boards import draw, make_layout
    >>> game = load("nim")
    >>> print(to_text(draw(make_layout(game), game.initial_state())))
    heap  a ██████░░░░ 3
          b ████████░░ 4
          c ██████████ 5
    first to move
    """
    return "\n".join("".join(segment.text for segment in line).rstrip() for line in text_lines(picture))


def text_lines(picture: Picture) -> list[Line]:
    """Return the boards side by side, their legend, the numbers, the other facts, and whose turn it is."""
    titled = len(picture.grids) > 1
    blocks = [lines for grid in picture.grids for lines in _grid(grid, titled)]
    lines = _side_by_side(blocks)
    meanings = [f"{thing.glyph} {thing.name}".replace(" ", "\xa0") for thing in picture.legend]
    legend = textwrap.wrap("   ".join(dict.fromkeys(meanings)), WIDTH)
    lines += [(_segment(line.replace("\xa0", " "), "faint"),) for line in legend]
    for panel in picture.panels:
        lines += _panel(panel)
    for name, rows in picture.facts:
        text = f"{name} {' · '.join(rows)}".rstrip()
        wrapped = textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        lines += [(_segment(line),) for line in wrapped]
    if picture.caption:
        lines.append((_segment(picture.caption, "thing"),))
    return lines or [(_segment(NOTHING, "faint"),)]


def _segment(text: str, style: Style = "plain") -> Segment:
    return Segment(printable(text).replace("\n", " "), style)


def _length(line: Line) -> int:
    return sum(columns(segment.text) for segment in line)


def columns(text: str) -> int:
    """Return the width of a text in a terminal, in columns.

    >>> columns("horse"), columns("馬")
    (5, 2)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(letter) in UNSEEN else 2 if unicodedata.east_asian_width(letter) in WIDE else 1
        for letter in text
    )


def _middle(text: str, width: int) -> str:
    """Return a text centred with spaces, cut where it is too long."""
    if columns(text) > width:
        text = text[:width]
    while columns(text) > width:
        text = text[:-1]
    room = width - columns(text)
    return " " * (room // 2) + text + " " * (room - room // 2)


def _right(text: str, width: int) -> str:
    return " " * (width - columns(text)) + text


def _side_by_side(blocks: Sequence[list[Line]]) -> list[Line]:
    """Return blocks of lines side by side, in as many rows as the width demands."""
    rows: list[list[Line]] = []
    for block in blocks:
        width = max(map(_length, block), default=0)
        padded = [(*line, Segment(" " * (width - _length(line)))) for line in block]
        if rows and len(rows[-1]) == len(padded) and _length(rows[-1][0]) + 3 + width <= WIDTH:
            rows[-1] = [(*left, Segment("   "), *right) for left, right in zip(rows[-1], padded, strict=True)]
        else:
            rows.append(padded)
    return [line for row in rows for line in row]


def _grid(grid: Grid, titled: bool) -> Iterable[list[Line]]:
    """Yield one block of lines for each slice; a board without slices is listed cell by cell."""
    if grid.plan.towers:
        yield _towers(grid)
    elif not grid.plan.blocks:
        lying = [f"{cell.plan.name}: {glyph}" for cell in grid.cells if (glyph := _glyph(cell).text)]
        text = textwrap.wrap(f"{grid.plan.name} {' · '.join(lying)}", WIDTH, subsequent_indent="  ")
        yield [(_segment(line),) for line in text]
    width = max((columns(_glyph(cell).text) for cell in grid.cells), default=1) if grid.plan.blocks else 1
    for block in grid.plan.blocks:
        title = " ".join([grid.plan.name] * titled + [block.title] * bool(block.title))
        head: list[Line] = [(_segment(title, "faint"),)] if title else []
        draw = _squares if grid.plan.shape != "hexagon" else _hexagons
        yield head + draw(grid, block, max(1, width))


def _towers(grid: Grid) -> list[Line]:
    """Return things that stand on each other, each tower in a column."""
    width = max(columns(printable(cell.plan.name)) for cell in grid.cells)
    places = sorted({cell.plan.x for cell in grid.cells})
    lines: list[Line] = []
    for height in sorted({cell.plan.y for cell in grid.cells}):
        here = {cell.plan.x: cell for cell in grid.cells if cell.plan.y == height}
        names = [
            Segment(
                f" {_middle(printable(here[x].plan.name) if x in here else '', width)} ",
                "thing",
                last=x in here and here[x].last,
            )
            for x in places
        ]
        lines.append(tuple(names))
    return [*lines, (Segment("─" * (width + 2) * len(places), "faint"),)]


def _glyph(cell: Cell) -> Segment:
    """Return the characters for the contents of a cell; none for an empty cell."""
    on_field = any(thing.field for thing in cell.things)
    figures = [thing.glyph.upper() if on_field else thing.glyph for thing in cell.figures]
    parts = figures + [amount.text for amount in cell.amounts]
    parts = parts or [thing.glyph for thing in cell.things]
    text = "".join(parts)
    if len(text) > MAX_GLYPHS and len(parts) > 1:
        text = f"{parts[-1]}+"
    colours = [thing.paint.fill for thing in cell.things if thing.role is not None]
    return _segment(text, "thing")._replace(colour=colours[-1] if colours else None, last=cell.last)


def _centred(cell: Cell | None, width: int) -> Segment:
    if cell is None:
        return Segment(" " * width)
    glyph = _glyph(cell)
    if not glyph.text:
        return Segment(_middle("·", width), "faint", last=cell.last)
    return glyph._replace(text=_middle(glyph.text, width))


def _squares(grid: Grid, block: Block, width: int) -> list[Line]:
    """Return rows and columns in a frame, with the coordinates at its edges; `~` where a board goes round."""
    names = tuple(printable(name) for name in block.columns)
    rows = tuple(printable(name) for name in block.rows)
    widest = max(map(columns, names))
    width = max(width, widest) if len(names) * (widest + 3) <= WIDTH else width
    margin = max(map(columns, rows))
    lined = len(rows) <= MAX_LINED_ROWS
    gap = " │ " if lined else " "
    level = "~" if grid.plan.wraps[1] else "─"
    wall = "~" if grid.plan.wraps[0] else "│"

    def rule(left: str, between: str, right: str, sign: str) -> Line:
        joint = f"{sign}{between}{sign}" if lined else sign
        inner = joint.join([sign * width] * len(names))
        return (Segment(" " * (margin + 1) + f"{left}{sign}{inner}{sign}{right}", "faint"),)

    lines: list[Line] = [rule("┌", "┬", "┐", level)]
    for number, (name, cells) in enumerate(zip(rows, block.cells, strict=True)):
        if number and lined:
            lines.append(rule("├", "┼", "┤", "─"))
        line = [Segment(f"{_right(name, margin)} ", "faint"), Segment(f"{wall} ", "faint")]
        for column, cell in enumerate(cells):
            line += [Segment(gap, "faint")] if column else []
            line.append(_centred(None if cell is None else grid.cells[cell], width))
        lines.append((*line, Segment(f" {wall}", "faint")))
    lines.append(rule("└", "┴", "┘", level))
    below = (" " * len(gap)).join(_middle(name, width) for name in names)
    lines.append((Segment(" " * (margin + 3) + below, "faint"),))
    return lines


def _hexagons(grid: Grid, block: Block, width: int) -> list[Line]:
    """Return rows that are shifted against each other."""
    pitch = 2 * ((width + 2) // 2)
    rows = tuple(printable(name) for name in block.rows)
    margin = max(map(columns, rows))
    numbers = [cell for row in block.cells for cell in row if cell is not None]
    left = min((grid.cells[cell].plan.x for cell in numbers), default=0.0)
    lines: list[Line] = []
    for name, row in zip(rows, block.cells, strict=True):
        line, length = [Segment(f"{_right(name, margin)} ", "faint")], 0
        for cell in (grid.cells[each] for each in row if each is not None):
            column = round((cell.plan.x - left) * pitch)
            line += [Segment(" " * (column - length)), _centred(cell, width)]
            length = column + width
        lines.append(tuple(line))
    return lines


def _panel(panel: Panel) -> list[Line]:
    if len(panel.gauges) == 1 and not panel.gauges[0].label:
        return [(_segment(f"{panel.title}  "), *_gauge(panel.gauges[0], 0))]
    labels = max(columns(printable(gauge.label)) for gauge in panel.gauges)
    entries = [_gauge(gauge, labels) for gauge in panel.gauges]
    indent = " " * (columns(printable(panel.title)) + 2)
    return [
        (_segment(f"{panel.title}  ") if number == 0 else Segment(indent), *entry)
        for number, entry in enumerate(entries)
    ]


def _gauge(gauge: Gauge, labels: int) -> Line:
    full = round(BAR * gauge.amount.part)
    label = printable(gauge.label)
    label += " " * (labels - columns(label) + 1) if labels else ""
    return (
        Segment(label),
        Segment(FULL * full, "thing", gauge.colour),
        Segment(EMPTY * (BAR - full), "faint"),
        _segment(f" {gauge.amount.text}"),
    )
