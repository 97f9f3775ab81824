"""The cells of an SVG picture: tiles, and the things on them."""

from __future__ import annotations

from math import ceil, cos, sin, sqrt

from ludens.boards.canvas import Canvas, escape
from ludens.boards.palette import SHAPES
from ludens.boards.picture import Amount, Cell, CellPlan, GridPlan, Thing

UNIT = 44.0
"""Pixels of a cell."""
MAX_SHOWN = 16
"""The limit on things shown on one cell; others are counted."""
MAX_SEEDS = 24
"""A larger amount is a number and a bar."""
CROWD = 3
"""The least number of things that have room side by side in a large cell."""
GOLDEN = 2.39996
"""The angle by which seeds follow each other so that they lie evenly."""
SLIM = 0.5
"""Cells narrower than this are lines, or the ends of lines."""
RIM = 1.5
LETTER = 0.66
"""The width of a bold letter relative to its height."""


def draw_cell(canvas: Canvas, plan: GridPlan, cell: Cell, number: int, index: int) -> None:
    words = cell_words(cell)
    name = f"{cell.plan.name}: {words}" if words else cell.plan.name
    canvas.add(f'<g class="lb-cell" data-grid="{number}" data-cell="{index}"><title>{escape(name)}</title>')
    _tile(canvas, plan, cell)
    for amount in cell.amounts:
        _amount(canvas, plan, cell.plan, amount)
    _contents(canvas, plan, cell)
    if plan.named:
        _name(canvas, plan, cell.plan)
    for place, tag in enumerate(cell.plan.tags):
        _tag(
            canvas,
            plan,
            cell.plan,
            place,
            tag.text,
            f' fill="{tag.paint.fill}" stroke="{tag.paint.edge}"',
            tag.paint.ink,
        )
    canvas.add("</g>")


def cell_words(cell: Cell) -> str:
    """Return the contents of a cell in words."""
    things = [thing.name if thing.count is None else f"{thing.count} {thing.name}" for thing in cell.things]
    return " and ".join([*things, *(amount.text for amount in cell.amounts)])


# -- tiles -------------------------------------------------------------------------------------


def _tile(canvas: Canvas, plan: GridPlan, cell: Cell) -> None:
    kind = "lb-last" if cell.last else "lb-dark" if cell.plan.dark else "lb-light"
    x, y = UNIT * cell.plan.x, UNIT * cell.plan.y
    width, height = UNIT * cell.plan.width, UNIT * cell.plan.height
    if plan.look == "blocks":
        canvas.rect(x - width / 2, y - height / 2, width, height, f"lb-tile {kind}", rx=6)
    elif min(width, height) < SLIM * UNIT:
        _slot(canvas, x, y, width, height, kind if cell.last else "lb-slot")
    elif plan.shape == "square":
        canvas.rect(x - width / 2, y - height / 2, width, height, f"lb-tile {kind}")
        if plan.look == "triangles":
            canvas.add(_triangle(plan, cell.plan))
    elif plan.shape == "round":
        radius = UNIT * (0.36 if plan.links else 0.44)
        shown, kind = (radius, kind) if cell.last or not plan.links else (0.12 * UNIT, "lb-dark")
        canvas.circle(x, y, radius, "lb-touch")
        canvas.circle(x, y, shown, f"lb-tile {kind}")
    else:
        canvas.add(f'<polygon points="{_hexagon(plan.lying, x, y)}" class="lb-tile {kind}"/>')


def _slot(canvas: Canvas, x: float, y: float, width: float, height: float, kind: str) -> None:
    """Draw a place for a line, a post or a wall."""
    canvas.rect(x - width / 2, y - height / 2, width, height, "lb-touch")
    if max(width, height) < SLIM * UNIT:
        canvas.circle(x, y, width / 5, f"lb-tile {kind}")
    else:
        wide, high = (width, height / 3) if width > height else (width / 3, height)
        canvas.rect(x - wide / 2, y - high / 2, wide, high, f"lb-tile {kind}", rx=2)


def _triangle(plan: GridPlan, cell: CellPlan) -> str:
    """Return a triangle, on which things pile up from the edge of the board to its middle."""
    x, y, edge = UNIT * cell.x, UNIT * cell.y, _outwards(plan, cell) * UNIT * cell.height / 2
    half = UNIT * (cell.width / 2 - 0.04)
    kind = "lb-point" if round(cell.x + cell.y / cell.height) % 2 else "lb-dark"
    return (
        f'<polygon points="{x - half:.1f},{y + edge:.1f} {x + half:.1f},{y + edge:.1f} {x:.1f},{y - 0.75 * edge:.1f}" '
        f'class="{kind}"/>'
    )


def _outwards(plan: GridPlan, cell: CellPlan) -> int:
    """Return 1 (downwards) in the lower half of a board, otherwise -1."""
    return 1 if cell.y > plan.size[1] / 2 - 0.01 else -1


def _hexagon(lying: bool, x: float, y: float) -> str:
    """Return the corners of a hexagon: upright where rows lie close to each other, lying where columns do."""
    radius = UNIT / sqrt(3)
    corners = [(0, -1), (0.866, -0.5), (0.866, 0.5), (0, 1), (-0.866, 0.5), (-0.866, -0.5)]
    return " ".join(
        f"{x + radius * (dy if lying else dx):.1f},{y + radius * (dx if lying else dy):.1f}" for dx, dy in corners
    )


def _name(canvas: Canvas, plan: GridPlan, cell: CellPlan) -> None:
    """Write the name of a cell: in the middle of a block, otherwise in a corner."""
    x, y = UNIT * cell.x, UNIT * cell.y
    if plan.look == "blocks":
        size = min(18.0, 1.7 * UNIT / max(2, len(cell.name)))
        canvas.text(x, y + 0.36 * size, cell.name, "lb-number", round(size, 1), "middle")
    else:
        size = min(10.0, 1.5 * UNIT / max(2, len(cell.name)))
        canvas.text(x - 0.44 * UNIT, y - 0.28 * UNIT, cell.name, "lb-corner", round(size, 1))


def _tag(canvas: Canvas, plan: GridPlan, cell: CellPlan, place: int, text: str, colours: str, ink: str) -> None:
    """Write the name that a role gives a cell: of the first role at the edge of the board, of others opposite."""
    side = _outwards(plan, cell) * (1 if place == 0 else -1)
    x = UNIT * (cell.x + (0.0 if place < 2 else 0.36 * cell.width))
    y = UNIT * cell.y + side * (UNIT * cell.height / 2 + (8 if place == 0 else -8))
    canvas.rect(x - 8, y - 5.5, 16, 11, "lb-seat", colours, 4)
    canvas.text(x, y + 3.2, text, "lb-number", 9, "middle", f' style="fill: {ink}"')


# -- contents ----------------------------------------------------------------------------------


def _amount(canvas: Canvas, plan: GridPlan, cell: CellPlan, amount: Amount) -> None:
    """Draw seeds in a pit with their number, or a number with a bar where they are too many."""
    x, y = UNIT * cell.x, UNIT * cell.y
    size = UNIT if plan.shape == "square" else 0.86 * UNIT
    if amount.count is None or amount.count > MAX_SEEDS or plan.shape != "square":
        width = max(0.1, 0.8 * size * amount.part)
        canvas.rect(x - 0.4 * size, y + 0.3 * size, width, 4, "lb-level", rx=2)
        letters = max(2, len(amount.text))
        canvas.text(x, y + 0.14 * size, amount.text, "lb-number", min(17.0, 1.5 * size / letters), "middle")
        return
    low = UNIT * max(0.0, (cell.height - 1) / 2)
    canvas.rect(x - 0.4 * size, y - 0.4 * size - low, 0.8 * size, 0.8 * size + 2 * low, "lb-pit", rx=0.4 * size)
    for seed in range(amount.count):
        away = 0.3 * size * sqrt((seed + 0.5) / max(5, amount.count))
        angle = GOLDEN * seed
        canvas.circle(x + away * cos(angle), y + away * sin(angle) * (1 + low / size), 0.07 * size, "lb-stone")
    canvas.text(x + 0.47 * size, y + low + 0.46 * size, amount.text, "lb-number", 10, "end")


def _contents(canvas: Canvas, plan: GridPlan, cell: Cell) -> None:
    x, y = UNIT * cell.plan.x, UNIT * cell.plan.y
    size = UNIT * min(cell.plan.width, cell.plan.height) * (1.0 if plan.shape == "square" else 0.86)
    for thing in cell.things:
        if thing.field:
            canvas.add('<g opacity="0.75">')
            draw_thing(canvas, thing, x, y, 0.92 * size)
            canvas.add("</g>")
    large = cell.figures
    if plan.lined and cell.plan.width != cell.plan.height:
        for thing in large[:1]:
            _line(canvas, thing, x, y, UNIT * cell.plan.width, UNIT * cell.plan.height)
    elif large and large[0].extent:
        _line(canvas, large[0], x, y, UNIT * large[0].extent[0], UNIT * large[0].extent[1])
    elif cell.plan.height > 1.5 and len(large) == 1 and large[0].count:
        _pile(canvas, plan, cell.plan, large[0])
    else:
        _figures(canvas, large, x, y, size, 1 if cell.plan.height <= 1 else CROWD)
    for number, thing in enumerate(thing for thing in cell.things if thing.small):
        draw_thing(canvas, thing, x + (0.3 - 0.3 * number) * size, y - 0.3 * size, 0.5 * size)


def _figures(canvas: Canvas, large: tuple[Thing, ...], x: float, y: float, size: float, least: int) -> None:
    """Draw things side by side, with room for `least` in a row; of too many the last are counted."""
    side = max(least, ceil(sqrt(min(len(large), MAX_SHOWN))))
    part = size / side
    shown = large[: MAX_SHOWN if len(large) <= MAX_SHOWN else MAX_SHOWN - 1]
    lines = ceil(len(shown) / side)
    for number, thing in enumerate(shown):
        row, column = divmod(number, side)
        draw_thing(canvas, thing, x + (column - (side - 1) / 2) * part, y + (row - (lines - 1) / 2) * part, part)
    if len(large) > MAX_SHOWN:
        corner = (side - 1) / 2 * part
        canvas.text(x + corner, y + corner + 4, f"+{len(large) - len(shown)}", "lb-number", 9, "middle")


def _line(canvas: Canvas, thing: Thing, x: float, y: float, width: float, height: float) -> None:
    """Draw a line between two points, or a wall."""
    wide, high = (width, min(height, 0.16 * UNIT)) if width > height else (min(width, 0.16 * UNIT), height)
    colours = f' fill="{thing.paint.fill}" stroke="{thing.paint.edge}"'
    canvas.rect(x - wide / 2, y - high / 2, wide, high, "lb-wall", colours, 3)


def _pile(canvas: Canvas, plan: GridPlan, cell: CellPlan, thing: Thing) -> None:
    """Draw a pile from the edge of the board inwards, with the number on the last thing where it is crowded.

    Room is left for a name that stands opposite.
    """
    count, side = thing.count or 0, _outwards(plan, cell)
    size, room = (0.82, 0.36) if len(cell.tags) > 1 else (0.86, 0.2)
    size = min(size, cell.width)
    step = min(size, (cell.height - size - room) / max(1, count - 1))
    for place in range(count):
        y = cell.y + side * (cell.height / 2 - size / 2 - place * step - 0.04)
        last = place == count - 1 and step < size
        draw_thing(canvas, thing, UNIT * cell.x, UNIT * y, UNIT * size * 1.2, mark=str(count) if last else "")


def draw_thing(canvas: Canvas, thing: Thing, x: float, y: float, size: float, mark: str | None = None) -> None:
    path = SHAPES[thing.shape]
    scale = size / 100
    if path:
        canvas.add(
            f'<path d="{path}" transform="translate({x:.1f} {y:.1f}) scale({scale:.3f})" fill-rule="evenodd" '
            f'fill="{thing.paint.fill}" stroke="{thing.paint.edge}" stroke-width="{RIM / scale:.1f}" '
            f'stroke-linejoin="round"/>'
        )
    if mark is None:
        mark = thing.mark if thing.count is None else str(thing.count)
    if mark:
        room = (0.62 if path else 0.9) * size
        height = min(0.42 * size, room / (LETTER * len(mark)))
        ink = f' style="fill: {thing.paint.ink}"' if path else ""
        canvas.text(x, y + 0.36 * height, mark, "lb-number", round(height, 1), "middle", ink)
