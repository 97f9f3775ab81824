"""Cells that are lines between points, walls between the cells of a board, and stores beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

from ludens.analysis.boards import Axis, Board, Words
from ludens.analysis.domain_graph import argument_position
from ludens.analysis.facts import GameFacts
from ludens.analysis.quantities import Quantity
from ludens.boards.grids import Coordinate, Spell, lay_out
from ludens.boards.hints import FluentHint
from ludens.boards.layers import Extent, Layer
from ludens.boards.picture import POST, Block, CellPlan, GridPlan
from ludens.boards.place_relations import ROLE, PlaceRelations
from ludens.gdl.formulas import Signature

NARROW = 2 * POST
"""The width of lines and of the posts between them, in cells."""
WALL = 0.16
STORE_GAP = 0.15
"""Between the board and a store, in cells."""
MIN_LINES = 5
"""The least number of columns and rows of a board of lines and boxes."""

Spot = tuple[int, int]
Point = tuple[float, float]
Box = tuple[float, float, float, float]


def line_board(
    place_relations: PlaceRelations, board: Board, places: Sequence[Words], coordinates: Sequence[Coordinate]
) -> tuple[list[Coordinate], dict[Words, Spot]] | None:
    """Return the coordinates of the points and twice the midpoint of each line, if all places of a board are lines.

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
    for rows in place_relations.rows(positions):
        joined: dict[Words, tuple[Words, Words]] = {}
        for row in rows:
            place = tuple(row[in_order.index(argument)] for argument in arguments)
            end = tuple(row[len(arguments) + ends.index(axis.argument)] for axis in board.axes)
            joined[place] = (place[len(board.selectors) :], end)
        if len(joined) == len(rows) and joined.keys() == set(places):
            found = _lines({place: joined[place] for place in places}, coordinates[len(board.selectors) :])
            if found:
                return found
    return None


def _lines(
    ends: Mapping[Words, tuple[Words, Words]], coordinates: Sequence[Coordinate]
) -> tuple[list[Coordinate], dict[Words, Spot]] | None:
    """Return points and midpoints; ends may be one step beyond the last column or row on which a line begins."""
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
    """Return whether all crossings of every other column and row, and no other places, always have the same content."""
    if board.selectors or len(board.axes) != 2 or not board.exclusive or not board.is_ordered:
        return False
    if any(len(axis.words) % 2 == 0 or len(axis.words) < MIN_LINES for axis in board.axes):
        return False
    lying: dict[Words, set[Words]] = {}
    for fact in known:
        place = tuple(fact[axis.argument] for axis in board.axes)
        lying.setdefault(place, set()).add(tuple(fact[index] for index in board.content_arguments))
    fixed = {place for place, contents in lying.items() if len(contents) == 1}
    same = {frozenset(lying[place]) for place in fixed}
    return len(same) == 1 and fixed == set(product(*(axis.words[::2] for axis in board.axes)))


def narrowed(plan: GridPlan) -> GridPlan:
    """Return a board with every other column and row narrowed to lines and posts."""
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
    place_relations: PlaceRelations, board: Board, places: Iterable[Words], base: Layer, plan: GridPlan
) -> tuple[dict[Words, Point], dict[Words, Extent]] | None:
    """Return the positions of walls between the cells of another board, and their extents.

    A relation has to tell for each wall the cells that it separates, two by two.
    """
    if len(base.arguments) != 2 or plan.shape != "square":
        return None
    count, in_order = board.signature[1], sorted(base.arguments)
    ends = [argument_position(base.board.signature, index) for index in in_order]
    own = [argument_position(board.signature, index) for index in range(count)]
    for rows in place_relations.rows([*own, *ends, *ends]):
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
    """Return the line between two cells that are next to each other."""
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
    """Return a board with the cells of another between or beside its own."""
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
    """Return the board farther to the right."""
    return replace(
        plan,
        cells=tuple(replace(cell, x=cell.x + right) for cell in plan.cells),
        blocks=tuple(replace(block, left=block.left + right) for block in plan.blocks),
    )


# -- stores ------------------------------------------------------------------------------------


def add_stores(
    facts: GameFacts,
    grids: list[GridPlan],
    layers: dict[Signature, Layer],
    label: Callable[[Signature], str],
    spell: Spell,
) -> None:
    """Add the store of the first role to the right of the board, that of the second one to the left."""
    roles = tuple(role.lower() for role in facts.roles)
    for base in [layer for layer in layers.values() if layer.board.content_order]:
        for quantity in facts.quantities:
            if len(roles) == 2 and quantity.signature not in layers and _is_store(facts, quantity, base.board):
                plan = grids[base.grid]
                width, height = plan.size
                board = _store_board(quantity, roles)
                coordinates = [Coordinate(board.axes[0].argument, roles, ordered=False, wraps=False)]
                places = [(role,) for role in roles]
                more, cells = lay_out(label(quantity.signature), coordinates, 0, places, "square", FluentHint(), spell)
                spots = [(width + 1.5 + 2 * STORE_GAP, height / 2), (0.5, height / 2)]
                grids[base.grid] = attached(moved(plan, 1 + STORE_GAP), more, spots, (1.0, height))
                shifted = {place: len(plan.cells) + cell for place, cell in cells.items()}
                layers[quantity.signature] = Layer(board, base.grid, quantity.key.inputs, shifted)
                break


def _is_store(facts: GameFacts, quantity: Quantity, board: Board) -> bool:
    """Return whether a quantity counts for each role the same things as lie on the board."""
    if len(quantity.key.inputs) != 1 or quantity.signature[1] != 2:
        return False
    owner = argument_position(quantity.signature, quantity.key.inputs[0])
    amount = argument_position(quantity.signature, quantity.argument)
    content = argument_position(board.signature, board.content_arguments[0])
    return facts.graph.connected(owner, ROLE) and facts.graph.connected(amount, content)


def _store_board(quantity: Quantity, roles: tuple[str, ...]) -> Board:
    return Board(
        signature=quantity.signature,
        key=quantity.key,
        axes=(Axis(quantity.key.inputs[0], roles, None),),
        selectors=(),
        content_arguments=(quantity.argument,),
        content_order=quantity.order,
        exclusive=True,
        places=len(roles),
        contents=(),
    )
