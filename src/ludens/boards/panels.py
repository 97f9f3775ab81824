"""The parts above and below the boards of an SVG picture: roles, numbers, and all other facts.

Small amounts are heaps of stones, others bars; numbers that belong to the same words are one table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ludens.boards.canvas import LINE, MARGIN, Canvas, escape, shortened, text_width
from ludens.boards.palette import paint
from ludens.boards.picture import Amount, Gauge, Panel, Picture

PANEL_WIDTH = 200.0
MIN_WIDTH = 260.0
LETTER = 6.6
"""The approximate width of a letter."""
MAX_HEAP = 20
"""A larger amount is a bar, not a heap of stones."""
MAX_STEPS = 12
"""A bar with more is not divided."""
MAX_HEAPS = 10
STONE = 14.0
"""The width of the stones of a heap."""
COLUMN = 62.0
"""The width of a column of a table."""
BAR = 62.0
DIE = 28.0
_CORNERS = ((-1, -1), (1, 1), (-1, 1), (1, -1))
PIPS: Mapping[str, tuple[tuple[int, int], ...]] = MappingProxyType(
    {
        "1": ((0, 0),),
        "2": _CORNERS[:2],
        "3": ((0, 0), *_CORNERS[:2]),
        "4": _CORNERS,
        "5": ((0, 0), *_CORNERS),
        "6": (*_CORNERS, (-1, 0), (1, 0)),
    }
)
"""The dots of dice, relative to the centre."""


def draw_roles(canvas: Canvas, picture: Picture) -> float:
    """Draw the roles, with a mark on those to move, and the end of the game; return the bottom."""
    x, y = MARGIN, MARGIN + 12
    for role in picture.roles:
        words = role.name if role.goal is None else f"{role.name} {role.goal}"
        width = 40 + text_width(words, 13.5)
        if x > MARGIN and x + width > 640:
            x, y = MARGIN, y + LINE + 3
        if role.to_move:
            canvas.add(
                f'<rect x="{x - 4:.1f}" y="{y - 15:.1f}" width="{width - 10:.1f}" height="21" rx="10" fill="none" '
                f'stroke="{role.paint.edge}" stroke-width="2"><title>{escape(role.name)} to move</title></rect>'
            )
        canvas.circle(x + 6, y - 4.5, 6, "lb-seat", f' fill="{role.paint.fill}" stroke="{role.paint.edge}"')
        weight = ' font-weight="600"' if role.to_move else ""
        canvas.text(x + 17, y, words, more=weight)
        x += width
    if picture.over:
        canvas.text(x + 4 if x > MARGIN else MARGIN, y, "game over", "lb-faint")
    return y + 14


# -- numbers -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Table:
    """Numbers of several kinds, or of pairs of words, that belong to the same words."""

    rows: tuple[str, ...]
    columns: tuple[tuple[str, str, Mapping[str, Gauge]], ...]
    """The kind, the second word, and the numbers by the first word."""


def draw_panels(canvas: Canvas, panels: Sequence[Panel], top: float) -> float:
    """Draw dice, tables, then heaps, then bars in columns; return the bottom."""
    dice = [panel for panel in panels if panel.dice]
    top = _draw_dice(canvas, dice, top) if dice else top
    tables, others = _tables([panel for panel in panels if not panel.dice])
    for table in tables:
        top = _draw_table(canvas, table, top)
    heaps = [panel for panel in others if _is_heaps(panel)]
    x, bottom = MARGIN, top
    for panel in heaps:
        if x > MARGIN and x + STONE * 2 * len(panel.gauges) > max(canvas.right, MIN_WIDTH):
            x, top = MARGIN, bottom
        right, low = _draw_heaps(canvas, panel, x, top)
        x, bottom = right + 2 * MARGIN, max(bottom, low)
    return _draw_bars(canvas, [panel for panel in others if panel not in heaps], bottom)


def _draw_dice(canvas: Canvas, panels: Sequence[Panel], top: float) -> float:
    """Draw one die for each number, or for each count of a face."""
    x = MARGIN
    for panel in panels:
        for gauge in panel.gauges:
            for _ in range((gauge.amount.count or 1) if gauge.words else 1):
                _draw_die(canvas, x, top + 8, gauge.label if gauge.words else gauge.amount.text)
                x += DIE + 8
    return top + DIE + 14


def _draw_die(canvas: Canvas, x: float, y: float, face: str) -> None:
    canvas.rect(x, y, DIE, DIE, "lb-die", rx=5)
    for column, row in PIPS.get(face, ()):
        canvas.circle(x + DIE * (0.5 + 0.27 * column), y + DIE * (0.5 + 0.27 * row), 2.6, "lb-pip")
    if face not in PIPS:
        canvas.text(x + DIE / 2, y + DIE / 2 + 5, face, "lb-number", 14, "middle")
    canvas.reach(x + DIE)


def _tables(panels: Sequence[Panel]) -> tuple[list[_Table], list[Panel]]:
    """Return tables of panels with the same first words, and the panels that stand alone."""
    groups: dict[tuple[str, ...], list[Panel]] = {}
    for panel in panels:
        rows = dict.fromkeys(gauge.words[0] for gauge in panel.gauges if gauge.words)
        groups.setdefault(tuple(rows), []).append(panel)
    tables: list[_Table] = []
    others: list[Panel] = []
    for words, group in groups.items():
        if len(words) > 1 and (len(group) > 1 or any(len(gauge.words) > 1 for gauge in group[0].gauges)):
            tables.append(_Table(words, tuple(column for panel in group for column in _columns(panel))))
        else:
            others += group
    return tables, others


def _columns(panel: Panel) -> list[tuple[str, str, Mapping[str, Gauge]]]:
    found: dict[str, dict[str, Gauge]] = {}
    for gauge in panel.gauges:
        found.setdefault(" ".join(gauge.words[1:]), {})[gauge.words[0]] = gauge
    return [(panel.title, second, gauges) for second, gauges in found.items()]


def _draw_table(canvas: Canvas, table: _Table, top: float) -> float:
    left = MARGIN + 24 + max(text_width(shortened(row, 14), 12) for row in table.rows)
    places = _column_places(table, left)
    y = top + LINE
    titles = [column[0] for column in table.columns]
    for number, (title, second, _) in enumerate(table.columns):
        if number == 0 or titles[number - 1] != title:
            canvas.text(places[number] + 4, y, shortened(title, 12), "lb-faint", 12)
        canvas.text(places[number] + 4, y + 16, shortened(second, 9), "lb-ink", 11)
    y += 16.0 if any(column[1] for column in table.columns) else 0.0
    for row in table.rows:
        y += LINE + 5
        colour = next((gauges[row].colour for *_, gauges in table.columns if row in gauges), None)
        if colour:
            canvas.circle(MARGIN + 6, y - 4, 5, "lb-seat", f' fill="{colour}" stroke="{paint(colour).edge}"')
        canvas.text(MARGIN + (16 if colour else 4), y, shortened(row, 14), "lb-ink", 12)
        for number, (*_, gauges) in enumerate(table.columns):
            if row in gauges:
                x, amount = places[number], gauges[row].amount
                canvas.text(x + 4, y, amount.text, "lb-ink", 12)
                _bar(canvas, x + 4, y + 4, COLUMN - 14, 3, amount.part, colour)
    canvas.reach(places[-1] + COLUMN)
    return y + 12


def _column_places(table: _Table, left: float) -> list[float]:
    """Return the beginnings of the columns of a table, with room for their titles."""
    places: list[float] = []
    clear = left
    for number, (title, *_) in enumerate(table.columns):
        is_new = number == 0 or table.columns[number - 1][0] != title
        x = places[-1] + COLUMN if places else left
        places.append(max(x, clear) if is_new else x)
        if is_new:
            clear = places[-1] + text_width(shortened(title, 12), 12) + 14
    return places


def _is_heaps(panel: Panel) -> bool:
    """Return whether the amounts are small, belong to no role, and can be drawn as heaps of stones."""
    small = all(_is_small(gauge.amount) for gauge in panel.gauges)
    of_nobody = all(gauge.words and gauge.colour is None for gauge in panel.gauges)
    return small and of_nobody and 1 < len(panel.gauges) <= MAX_HEAPS


def _is_small(amount: Amount) -> bool:
    return amount.most is not None and amount.most <= MAX_HEAP


def _draw_heaps(canvas: Canvas, panel: Panel, x: float, top: float) -> tuple[float, float]:
    """Draw stones on each other, with the number below; return how far they reach to the right and down."""
    canvas.text(x, top + LINE, panel.title, "lb-faint", 12)
    most = max(gauge.amount.most or 0 for gauge in panel.gauges)
    ground = top + LINE + 10 + most * (STONE - 4)
    width = max(2.2 * STONE, *(12 + text_width(shortened(gauge.label, 9), 12) for gauge in panel.gauges))
    for number, gauge in enumerate(panel.gauges):
        middle = x + (number + 0.5) * width
        for stone in range(gauge.amount.count or 0):
            y = ground - 5 - stone * (STONE - 4)
            canvas.add(f'<ellipse cx="{middle:.1f}" cy="{y:.1f}" rx="{STONE - 2:g}" ry="5.5" class="lb-stone"/>')
        canvas.text(middle, ground + 14, gauge.amount.text, "lb-ink", 12, "middle", ' font-weight="600"')
        canvas.text(middle, ground + 28, shortened(gauge.label, 9), "lb-faint", 11, "middle")
    right = x + width * len(panel.gauges)
    canvas.rect(x, ground + 1, right - x, 2, "lb-track")
    canvas.reach(right)
    return right, ground + 32


def _draw_bars(canvas: Canvas, panels: Sequence[Panel], top: float) -> float:
    """Draw numbers with bars, in columns; return the bottom."""
    if not panels:
        return top
    columns = max(1, min(len(panels), int((max(canvas.right, MIN_WIDTH) - MARGIN) / PANEL_WIDTH)))
    heights = [top] * columns
    for panel in panels:
        column = heights.index(min(heights))
        x, y = MARGIN + column * PANEL_WIDTH, heights[column] + LINE
        canvas.text(x, y, shortened(panel.title, 24), "lb-faint", 12)
        for gauge in panel.gauges:
            y += LINE if gauge.label else 0
            canvas.text(x + 8, y, shortened(gauge.label, 11), "lb-ink", 12)
            _level(canvas, x + 80, y, gauge)
            canvas.text(x + 150, y, gauge.amount.text, "lb-ink", 12)
        heights[column] = y + 4
        canvas.reach(x + PANEL_WIDTH - 20)
    return max(heights)


def _level(canvas: Canvas, x: float, y: float, gauge: Gauge) -> None:
    """Draw countable steps, or a bar."""
    amount = gauge.amount
    if amount.most is None or not 0 < amount.most <= MAX_STEPS:
        _bar(canvas, x, y - 9, BAR, 8, amount.part, gauge.colour)
        return
    width = BAR / amount.most
    for step in range(amount.most):
        done = step < (amount.count or 0)
        _bar(canvas, x + step * width, y - 9, width - 1.5, 8, float(done), gauge.colour)


def _bar(canvas: Canvas, x: float, y: float, width: float, height: float, part: float, fill: str | None) -> None:
    canvas.rect(x, y, width, height, "lb-track", rx=min(width, height) / 2)
    if part > 0:
        colour = f' style="fill: {fill}; stroke: {paint(fill).edge}"' if fill else ""
        canvas.rect(x, y, min(width, max(height, width * part)), height, "lb-level", colour, min(width, height) / 2)


# -- all other facts ---------------------------------------------------------------------------


def draw_facts(canvas: Canvas, facts: Sequence[tuple[str, tuple[str, ...]]], top: float) -> float:
    """Draw the remaining facts as lines of text, those without arguments as lights; return the bottom."""
    letters = int((max(canvas.right, 420.0) - MARGIN) / LETTER)
    lights = [name for name, rows in facts if rows == ("",)]
    x = MARGIN
    for name in lights:
        width = text_width(name, 12) + 18
        if x == MARGIN or x + width > max(canvas.right, 420.0):
            x, top = MARGIN, top + LINE + 5
        canvas.rect(x, top - 14, width, 20, "lb-lit", rx=10)
        canvas.text(x + width / 2, top, name, "lb-number", 12, "middle")
        canvas.reach(x + width)
        x += width + 8
    for name, rows in facts:
        if name in lights:
            continue
        for number, line in enumerate(_wrapped([name, *rows], letters)):
            top += LINE
            canvas.text(MARGIN + (12 if number else 0), top, line, "lb-ink", 12)
    return top + 6 if facts else top


def _wrapped(words: Sequence[str], letters: int) -> list[str]:
    """Return a name and its arguments, wrapped."""
    name, *rows = words
    lines = [name]
    for number, row in enumerate(rows):
        joint = " " if number == 0 else " · "
        if len(lines[-1]) + len(joint) + len(row) > letters and number:
            lines.append(row)
        else:
            lines[-1] += (joint if row else "") + row
    return lines
