"""Pictures as SVG: one element that needs nothing from elsewhere, sharp at any size, in light and dark surroundings.

Cells carry `data-grid` and `data-cell`, so that a page can tell which one was clicked. Classes begin with `lb-`.
"""

from __future__ import annotations

from html import escape as escape_html

from ludens.boards.canvas import LINE, Canvas, escape, shortened
from ludens.boards.canvas import MARGIN as MARGIN
from ludens.boards.cells import UNIT as UNIT
from ludens.boards.cells import cell_words, draw_cell
from ludens.boards.panels import MIN_WIDTH, draw_facts, draw_panels, draw_roles
from ludens.boards.picture import Block, Grid, GridPlan, Picture
from ludens.drawing import FONT
from ludens.printable import printable

EDGE = 26.0
"""The room for coordinates beside a board."""
MAX_WIDTH = 1100.0
"""Boards continue below when they would be wider."""
TAGGED = 8.0
"""Above a board whose cells have the names that roles give them."""
SMALL = 6.0
"""A board of fewer rows and columns is shown larger."""
MAX_ZOOM = 1.6

STYLE = f"""
.lb {{ font-family: {FONT}; }}
.lb .lb-ink {{ fill: #1f2328; }} .lb .lb-faint {{ fill: #59636e; }} .lb .lb-corner {{ fill: #7a6a4d; }}
.lb .lb-light {{ fill: #f4ead8; }} .lb .lb-dark {{ fill: #d9c3a0; }} .lb .lb-none {{ fill: #efe9dd; }}
.lb .lb-tile {{ stroke: #a8926d; stroke-width: 1; }} .lb .lb-last {{ fill: #f2d25c; }}
.lb .lb-slot {{ fill: #e4d8c1; stroke: none; }} .lb .lb-touch {{ fill: #000; fill-opacity: 0; }}
.lb .lb-link {{ stroke: #8a7350; stroke-width: 1.5; }} .lb .lb-post {{ fill: #6d5c3f; }}
.lb .lb-point {{ fill: #b98f5f; }} .lb .lb-pit {{ fill: #dcc7a3; stroke: #a8926d; }}
.lb .lb-stone {{ fill: #57749b; stroke: #2f4666; stroke-width: 0.8; }}
.lb .lb-lit {{ fill: #f2d25c; stroke: #a8926d; }}
.lb .lb-die {{ fill: #fffdf7; stroke: #6d5c3f; }} .lb .lb-pip {{ fill: #2b2d31; }}
.lb .lb-track {{ fill: #d0d7de; }} .lb .lb-level {{ fill: #57749b; }}
.lb .lb-wrap {{ stroke: #57749b; stroke-width: 3; stroke-dasharray: 2 5; stroke-linecap: round; fill: none; }}
.lb .lb-number {{ fill: #3b3324; font-weight: 600; }}
@media (prefers-color-scheme: dark) {{
.lb .lb-ink {{ fill: #e6edf3; }} .lb .lb-faint {{ fill: #9da7b1; }} .lb .lb-corner {{ fill: #4d4228; }}
.lb .lb-light {{ fill: #cdbb98; }} .lb .lb-dark {{ fill: #a98f67; }} .lb .lb-none {{ fill: #4a4438; }}
.lb .lb-tile {{ stroke: #6d5c3f; }} .lb .lb-last {{ fill: #d8b33a; }} .lb .lb-track {{ fill: #3d444d; }}
.lb .lb-slot {{ fill: #b5a27c; stroke: none; }}
.lb .lb-point {{ fill: #8f6c42; }} .lb .lb-pit {{ fill: #a98f67; stroke: #6d5c3f; }}
.lb .lb-level {{ fill: #7aa2d6; }} .lb .lb-wrap {{ stroke: #7aa2d6; }}
}}
"""


def to_svg(picture: Picture, *, style: bool = True) -> str:
    """Return the picture as one SVG element; without `style` the page has to have `STYLE` itself."""
    canvas, boards = Canvas(), Canvas()
    bottom = _boards(boards, picture, draw_roles(canvas, picture))
    canvas.reach(boards.right)
    bottom = draw_panels(canvas, picture.panels, bottom)
    bottom = draw_facts(canvas, picture.facts, bottom)
    width, height = max(MIN_WIDTH, canvas.right + MARGIN), bottom + MARGIN
    if picture.panels or picture.facts:
        boards.shift((width - MARGIN - boards.right) / 2)
    zoom = _zoom(picture)
    top = f"<title>{escape(picture.title)}</title><desc>{escape(description(picture))}</desc>"
    sheet = f"<style>{STYLE}</style>" if style else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="lb" role="img" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{zoom * width:.0f}" height="{zoom * height:.0f}">{top}{sheet}\n'
        + "\n".join(boards.parts + canvas.parts)
        + "\n</svg>"
    )


def to_html(picture: Picture) -> str:
    """Return one HTML element with the picture, and its caption below."""
    caption = f"<figcaption>{escape_html(printable(picture.caption))}</figcaption>" if picture.caption else ""
    return f'<figure style="margin: 0; max-width: 100%; overflow-x: auto">{to_svg(picture)}{caption}</figure>'


def description(picture: Picture) -> str:
    """Return the picture in words, for screen readers."""
    parts = [picture.caption] if picture.caption else []
    for grid in picture.grids:
        lying = [f"{contents} on {cell.plan.name}" for cell in grid.cells if (contents := cell_words(cell))]
        parts.append(f"{grid.plan.name}: {', '.join(lying) or 'empty'}")
    for panel in picture.panels:
        amounts = [f"{gauge.label} {gauge.amount.text}".strip() for gauge in panel.gauges]
        parts.append(f"{panel.title}: {', '.join(amounts)}")
    parts += [f"{name} {', '.join(rows)}".rstrip() for name, rows in picture.facts]
    return "; ".join(parts)


def _zoom(picture: Picture) -> float:
    """Return the zoom factor of a small picture."""
    largest = max((max(grid.plan.size) for grid in picture.grids), default=SMALL)
    return max(1.0, min(MAX_ZOOM, SMALL / max(1.0, largest)))


def _boards(canvas: Canvas, picture: Picture, top: float) -> float:
    """Draw all boards, side by side as long as there is room; return the bottom."""
    x, y, bottom = MARGIN, top, top
    titled = len(picture.grids) > 1
    for number, grid in enumerate(picture.grids):
        width, height = _extent(grid.plan)
        if x > MARGIN and x + width > MAX_WIDTH:
            x, y = MARGIN, bottom + 6
        down = y + (LINE if titled else 4) + (TAGGED if any(cell.tags for cell in grid.plan.cells) else 0)
        if titled:
            canvas.text(x + EDGE, y + 12, grid.plan.name, "lb-faint", 12)
        canvas.add(f'<g transform="translate({x + EDGE:.1f} {down:.1f})">')
        _grid(canvas, grid, number)
        canvas.add("</g>")
        canvas.reach(x + width)
        x += width + MARGIN
        bottom = max(bottom, down + height)
    return bottom


def _extent(plan: GridPlan) -> tuple[float, float]:
    """Return width and height including the coordinates at the edges."""
    width, height = plan.size
    return EDGE + UNIT * width + 8, UNIT * height + EDGE


def _grid(canvas: Canvas, grid: Grid, number: int) -> None:
    plan = grid.plan
    if plan.lined or (plan.links and plan.blocks):
        width, height = plan.size
        canvas.rect(-3, -3, UNIT * width + 6, UNIT * height + 6, "lb-tile lb-light", rx=6)
    for x, y in plan.fillers:
        canvas.rect(UNIT * (x - 0.5), UNIT * (y - 0.5), UNIT, UNIT, "lb-tile lb-none")
    for one, other in plan.links:
        start, end = plan.cells[one], plan.cells[other]
        canvas.line(UNIT * start.x, UNIT * start.y, UNIT * end.x, UNIT * end.y, "lb-link")
    flat_first = sorted(enumerate(grid.cells), key=lambda each: any(thing.extent for thing in each[1].things))
    for index, cell in flat_first:
        draw_cell(canvas, plan, cell, number, index)
    for x, y in plan.posts:
        canvas.circle(UNIT * x, UNIT * y, 0.1 * UNIT, "lb-post")
    if not plan.named:
        _labels(canvas, plan)
        _wraps(canvas, plan)


def _labels(canvas: Canvas, plan: GridPlan) -> None:
    """Draw the coordinates at the edges; on a slanting board beside the first and below the last cells.

    Where roles call cells by other names, these stand for the coordinates.
    """
    size = round(min(11.0, 5.5 + 0.8 * max(plan.size)), 1)
    for block in plan.blocks:
        if block.attached:
            continue
        if block.title:
            canvas.text(UNIT * block.left, UNIT * block.top - 5, block.title, "lb-faint", 12)
        if not any(plan.cells[cell].tags for cell in _numbers(block)):
            _row_names(canvas, plan, block, size)
            _column_names(canvas, plan, block, size)


def _row_names(canvas: Canvas, plan: GridPlan, block: Block, size: float) -> None:
    for row, name in enumerate(block.rows):
        cells = [plan.cells[cell] for cell in block.cells[row] if cell is not None]
        if cells and name:
            alone = all(each is block or each.attached for each in plan.blocks)
            others = plan.cells if alone else [plan.cells[cell] for cell in _numbers(block)]
            left = min(cell.x - cell.width / 2 for cell in (cells if plan.slanting else others))
            canvas.text(UNIT * left - 5, UNIT * cells[0].y + 0.36 * size, shortened(name, 8), "lb-faint", size, "end")


def _column_names(canvas: Canvas, plan: GridPlan, block: Block, size: float) -> None:
    bottom = max(plan.cells[cell].y + plan.cells[cell].height / 2 for cell in _numbers(block))
    for column, name in enumerate(block.columns):
        cells = [plan.cells[cell] for row in block.cells for cell in [row[column]] if cell is not None]
        if cells:
            last = max(cells, key=lambda cell: cell.y)
            y = last.y + last.height / 2 if plan.slanting else bottom
            canvas.text(UNIT * last.x, UNIT * y + size + 2, shortened(name, 7), "lb-faint", size, "middle")


def _numbers(block: Block) -> list[int]:
    return [cell for row in block.cells for cell in row if cell is not None]


def _wraps(canvas: Canvas, plan: GridPlan) -> None:
    """Draw dotted lines along the edges where a board continues at the other side."""
    for block in plan.blocks:
        left, top = UNIT * block.left, UNIT * block.top
        right, bottom = left + UNIT * len(block.columns), top + UNIT * len(block.rows)
        lines: list[tuple[float, float, float, float]] = []
        if plan.wraps[0]:
            lines += [(left - 2, top, left - 2, bottom), (right + 2, top, right + 2, bottom)]
        if plan.wraps[1]:
            lines += [(left, top - 2, right, top - 2), (left, bottom + 2, right, bottom + 2)]
        for line in lines:
            canvas.line(*line, "lb-wrap")
