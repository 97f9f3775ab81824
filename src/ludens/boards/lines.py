"""Cells that are lines between points, walls between the cells of a board, and stores beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

from ludens.analysis.boards import Board, Words
from ludens.analysis.domain_graph import argument_position
from ludens.boards.grids import Coordinate
from ludens.boards.layers import Extent, Layer
from ludens.boards.picture import POST, Block, CellPlan, GridPlan
from ludens.boards.related import Related

NARROW = 2 * POST
"""How wide lines are, in cells, and the posts between them."""
WALL = 0.16
SHORTEST = 5
"""So many columns and rows a board of lines and boxes has at least."""

Spot = tuple[int, int]
Point = tuple[float, float]
Box = tuple[float, float, float, float]


def line_board(
    related: Related, board: Board, places: Sequence[Words], coordinates: Sequence[Coordinate]
) -> tuple[list[Coordinate], dict[Words, Spot]] | None:
    """If all places of a board are lines between neighbouring points: the coordinates of these, and for each line twice
    where its middle is.

    Either a place has the coordinates of both ends, or a relation leads from each place to its other end.
    """
    if len(board.axes) == 4 and not board.selectors:
        same = [each.words for each in coordinates[:2]] == [each.words for each in coordinates[2:]]
        return _lines({place: (place[:2], place[2:]) for place in places}, coordinates[:2]) if same else None
    if not board.selectors or len(board.axes) != 2:
        return None
    arguments = [axis.argument for axis in (*board.selectors, *board.axes)]
    in_order = sorted(arguments)
    ends = sorted(axis.argument for axis in board.axes)
    positions = [argument_position(board.signature, index) for index in (*in_order, *ends)]
    for rows in related.rows(positions):
        joined: dict[Words, tuple[Words, Words]] = {}
        for row in rows:
            place = tuple(row[in_order.index(argument)] for argument in arguments)
            end = tuple(row[len(arguments) + ends.index(axis.argument)] for axis in board.axes)
            joined[place] = (place[len(board.selectors) :], end)
        if len(joined) == len(rows) and joined.keys() == set(places):
            found = _lines(joined, coordinates[len(board.selectors) :])
            if found:
                return found
    return None


def _lines(
    ends: Mapping[Words, tuple[Words, Words]], coordinates: Sequence[Coordinate]
) -> tuple[list[Coordinate], dict[Words, Spot]] | None:
    """Ends may be one step beyond the last column or row on which a line begins."""
    beyond = [dict.fromkeys(end[side] for _, end in ends.values()) for side in (0, 1)]
    longer = [
        replace(each, words=(*each.words, *(word for word in more if word not in each.words)))
        for each, more in zip(coordinates, beyond, strict=True)
    ]
    numbers = [{word: number for number, word in enumerate(each.words)} for each in longer]
    found: dict[Words, Spot] = {}
    for place, (one, other) in ends.items():
        (x, y), (to_x, to_y) = ([numbers[side][end[side]] for side in (0, 1)] for end in (one, other))
        if abs(x - to_x) + abs(y - to_y) != 1:
            return None
        found[place] = (x + to_x, y + to_y)
    return (longer, found) if len(set(found.values())) == len(found) else None


def fixed_posts(known: Iterable[Words], board: Board) -> bool:
    """Whether all crossings of every other column and row, and no other places, always have the same content."""
    if board.selectors or len(board.axes) != 2 or not board.exclusive or not board.is_ordered:
        return False
    if any(len(axis.words) % 2 == 0 or len(axis.words) < SHORTEST for axis in board.axes):
        return False
    lying: dict[Words, set[Words]] = {}
    for fact in known:
        place = tuple(fact[axis.argument] for axis in board.axes)
        lying.setdefault(place, set()).add(tuple(fact[index] for index in board.content_arguments))
    fixed = {place for place, contents in lying.items() if len(contents) == 1}
    same = {frozenset(lying[place]) for place in fixed}
    return len(same) == 1 and fixed == set(product(*(axis.words[::2] for axis in board.axes)))


def narrowed(plan: GridPlan) -> GridPlan:
    """A board with every other column and row so narrow that what lies on them are lines and posts."""
    block = plan.blocks[0]
    wide, high = (
        [1.0 if number % 2 else NARROW for number in range(len(names))] for names in (block.columns, block.rows)
    )
    x, y = ([sum(sizes[:number]) + size / 2 for number, size in enumerate(sizes)] for sizes in (wide, high))
    cells = list(plan.cells)
    posts: list[Point] = []
    for row, numbers in enumerate(block.cells):
        for column, number in enumerate(numbers):
            if number is not None:
                place = replace(cells[number], x=x[column], y=y[row], width=wide[column], height=high[row], dark=False)
                cells[number] = place
            elif wide[column] == high[row] == NARROW:
                posts.append((x[column], y[row]))
    return replace(plan, cells=tuple(cells), posts=tuple(posts), lined=True)


def walls(
    related: Related, board: Board, places: Iterable[Words], base: Layer, plan: GridPlan
) -> tuple[dict[Words, Point], dict[Words, Extent]] | None:
    """Where the places of a board are between the cells of another, and how long its walls are.

    A relation has to tell for each wall the cells that it separates, two by two.
    """
    if len(base.arguments) != 2 or plan.shape != "square":
        return None
    count, in_order = board.signature[1], sorted(base.arguments)
    ends = [argument_position(base.board.signature, index) for index in in_order]
    own = [argument_position(board.signature, index) for index in range(count)]
    for rows in related.rows([*own, *ends, *ends]):
        boxes: dict[Words, Box] = {}
        for row in rows:
            pair = [
                base.cells.get(tuple(row[start + in_order.index(index)] for index in base.arguments))
                for start in (count, count + 2)
            ]
            box = _border(*(plan.cells[number] for number in pair if number is not None))
            if box is None:
                break
            boxes[row[:count]] = _union(boxes.get(row[:count], box), box)
        else:
            found = _walls(board, places, boxes)
            if found:
                return found
    return None


def _border(*cells: CellPlan) -> Box | None:
    """The line between two cells that are next to each other."""
    if len(cells) != 2:
        return None
    one, other = cells
    across, down = abs(one.x - other.x), abs(one.y - other.y)
    if abs(across + down - 1) > 0.01:
        return None
    x, y = (one.x + other.x) / 2, (one.y + other.y) / 2
    half, high = (0.0, 0.5) if across > 0.5 else (0.5, 0.0)
    return x - half, y - high, x + half, y + high


def _union(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _walls(
    board: Board, places: Iterable[Words], boxes: Mapping[Words, Box]
) -> tuple[dict[Words, Point], dict[Words, Extent]] | None:
    arguments = [axis.argument for axis in (*board.selectors, *board.axes)]
    centres: dict[Words, set[Point]] = {}
    extents: dict[Words, set[Extent]] = {}
    for words, (left, top, right, bottom) in boxes.items():
        place, content = (tuple(words[index] for index in some) for some in (arguments, board.content_arguments))
        centres.setdefault(place, set()).add(((left + right) / 2, (top + bottom) / 2))
        extents.setdefault(content, set()).add((max(WALL, right - left), max(WALL, bottom - top)))
    spots = [spot for found in centres.values() for spot in found]
    clear = centres.keys() == set(places) and len(spots) == len(set(spots)) == len(centres)
    if not clear or any(len(found) != 1 for found in extents.values()):
        return None
    return {place: found.pop() for place, found in centres.items()}, {
        content: found.pop() for content, found in extents.items()
    }


def attached(plan: GridPlan, more: GridPlan, spots: Sequence[Point], size: Extent) -> GridPlan:
    """A board with the cells of another between or beside its own."""
    first = len(plan.cells)
    cells = [
        replace(cell, x=x, y=y, width=size[0], height=size[1], dark=False)
        for cell, (x, y) in zip(more.cells, spots, strict=True)
    ]
    return replace(
        plan,
        cells=(*plan.cells, *cells),
        blocks=(*plan.blocks, *(_shifted(block, first, more.name) for block in more.blocks)),
    )


def _shifted(block: Block, first: int, name: str) -> Block:
    cells = tuple(tuple(None if cell is None else cell + first for cell in row) for row in block.cells)
    return replace(block, cells=cells, title=f"{name} {block.title}".rstrip(), attached=True)


def moved(plan: GridPlan, right: float) -> GridPlan:
    """The board farther to the right."""
    return replace(
        plan,
        cells=tuple(replace(cell, x=cell.x + right) for cell in plan.cells),
        blocks=tuple(replace(block, left=block.left + right) for block in plan.blocks),
    )
