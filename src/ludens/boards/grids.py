"""The positions of the cells of a board, from its coordinates.

The first coordinate goes to the right, the second one upwards if it has an order and downwards if it has none. Of
more than two coordinates the last two make the slices of a board, and the others put these beside each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import ceil

from ludens.analysis.boards import Axis, Words
from ludens.boards.adjacency import Lattice
from ludens.boards.hints import FluentHint
from ludens.boards.picture import Block, CellPlan, CellShape, GridPlan
from ludens.core import GroundTerm

MAX_LINE = 20
"""A longer board with one coordinate is broken into lines of at most this many cells."""
MAX_WIDTH = 30
"""Slices go on in the next line when they would be wider than this, in cells."""
GAP = 0.9
"""Between slices; their coordinates are written there."""
TITLE = 0.4
MIN_ON_RING, MAX_ON_RING = 8, 80
TALL = 4.6
"""The height of cells on which things pile up."""
GROUP = 1.8
"""The size of cells that hold groups of things."""
ROW = 0.8660254
"""The distance between rows of hexagons."""

Spell = Callable[[GroundTerm], str]
Spot = tuple[int, int]
_INTEGER = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A coordinate of a board, or what tells its boards apart."""

    argument: int
    words: Words
    ordered: bool
    wraps: bool

    @classmethod
    def of(cls, axis: Axis) -> Coordinate:
        """Return the coordinate of an axis; numbers are ordered even without a rule, cycles begin with the least."""
        words, wraps = axis.words, bool(axis.order and axis.order.wraps)
        numbers = [int(word) for word in words if isinstance(word, str) and _INTEGER.fullmatch(word)]
        all_numbers = len(numbers) == len(words)
        if all_numbers and (axis.order is None or numbers == sorted(numbers, reverse=True)):
            words = tuple(sorted(words, key=lambda word: int(str(word))))
        elif all_numbers and wraps:
            start = numbers.index(min(numbers))
            words = words[start:] + words[:start]
        return cls(axis.argument, words, all_numbers or axis.order is not None, wraps)


@dataclass(frozen=True, slots=True)
class _Arrangement:
    """The coordinates across, up and outside of a slice."""

    across: int
    up: int | None
    outer: tuple[int, ...]


def _arrangement(coordinates: Sequence[Coordinate], selectors: int, swapped: bool) -> _Arrangement:
    """Return which coordinate goes where; `selectors` come first, and tell boards apart if there are enough others."""
    count = len(coordinates)
    if count == 1:
        return _Arrangement(0, None, ())
    if count == 2:
        first, second = sorted((0, 1), key=lambda number: coordinates[number].argument)
        return _Arrangement(second, first, ()) if swapped else _Arrangement(first, second, ())
    others = sorted(range(selectors, count), key=lambda number: coordinates[number].argument)
    outer = list(range(selectors))
    if len(others) == 3:
        outer.append(min(others, key=lambda number: len(coordinates[number].words)))
    else:
        outer += others[:-2] if len(others) > 2 else []
    inner = [number for number in others if number not in outer]
    while len(inner) < 2:
        inner.insert(0, outer.pop())
    across, up = inner[::-1] if swapped else inner
    return _Arrangement(across, up, tuple(outer))


def lay_out(
    name: str,
    coordinates: Sequence[Coordinate],
    selectors: int,
    places: Iterable[Words],
    lattice: Lattice,
    hint: FluentHint,
    spell: Spell,
) -> tuple[GridPlan, dict[Words, int]]:
    """Return the board, and the cell of each place."""
    arrangement = _arrangement(coordinates, selectors, hint.swapped)
    across = coordinates[arrangement.across]
    up = coordinates[arrangement.up] if arrangement.up is not None else None
    wraps = (across.wraps, bool(up and up.wraps))
    number = [{word: index for index, word in enumerate(each.words)} for each in coordinates]
    places = list(places)
    slices: dict[tuple[int, ...], dict[Spot, Words]] = {}
    for place in places:
        spot = tuple(number[index][word] for index, word in enumerate(place))
        row = 0 if arrangement.up is None else spot[arrangement.up]
        outer = tuple(spot[index] for index in arrangement.outer)
        slices.setdefault(outer, {})[spot[arrangement.across], row] = place
    upwards = bool(up and up.ordered and not hint.downwards)
    order = sorted(range(len(coordinates)), key=lambda index: coordinates[index].argument)
    builder = _GridBuilder(lattice, across, up, upwards, order, spell)
    if up is None and len(across.words) > MAX_LINE:
        builder.add_lines(slices.get((), {}))
    else:
        builder.add_slices([coordinates[index] for index in arrangement.outer], slices)
    plan = builder.plan(name, wraps)
    if up is None and wraps[0] and MIN_ON_RING <= len(plan.cells) <= MAX_ON_RING:
        plan = ring(plan)
    return plan, builder.numbers


def ring(plan: GridPlan) -> GridPlan:
    """Return a cyclic row along the edges of a square, clockwise from the upper left."""
    count = len(plan.cells)
    side = ceil(count / 4)
    spots = [(step, 0) for step in range(side)] + [(side, step) for step in range(side)]
    spots += [(side - step, side) for step in range(side)] + [(0, side - step) for step in range(side)]
    cells = (
        replace(cell, x=x + 0.5, y=y + 0.5, dark=False) for cell, (x, y) in zip(plan.cells, spots[:count], strict=True)
    )
    return replace(plan, cells=tuple(cells), named=True)


def enlarged(plan: GridPlan, width: float, height: float) -> GridPlan:
    """Return the board with larger cells."""
    cells = (replace(cell, x=width * cell.x, y=height * cell.y, width=width, height=height) for cell in plan.cells)
    blocks = (replace(block, left=width * block.left, top=height * block.top) for block in plan.blocks)
    return replace(plan, cells=tuple(cells), blocks=tuple(blocks))


def lay_out_lines(
    name: str, coordinates: Sequence[Coordinate], midpoints: Mapping[Words, Spot], spell: Spell
) -> tuple[GridPlan, dict[Words, int]]:
    """Return a board whose cells are the lines between points; the points are on every other row and column."""
    across, up = (coordinates[index].words for index in (0, 1))
    rows = 2 * len(up) - 1
    matrix: list[list[int | None]] = [[None] * (2 * len(across) - 1) for _ in range(rows)]
    cells: list[CellPlan] = []
    numbers: dict[Words, int] = {}
    for place, (x, y) in midpoints.items():
        down = rows - 1 - y if coordinates[1].ordered else y
        numbers[place] = matrix[down][x] = len(cells)
        cells.append(CellPlan(tuple(map(spell, place)), x + 0.5, down + 0.5))
    columns = [spell(across[index // 2]) if index % 2 == 0 else "" for index in range(2 * len(across) - 1)]
    names = [spell(up[index // 2]) if index % 2 == 0 else "" for index in range(rows)]
    if coordinates[1].ordered:
        names.reverse()
    block = Block("", tuple(columns), tuple(names), tuple(map(tuple, matrix)), 0.0, 0.0)
    return GridPlan(name, "square", tuple(cells), (block,), (False, False)), numbers


class _GridBuilder:
    """Collects the cells of a board block by block."""

    def __init__(
        self,
        lattice: Lattice,
        across: Coordinate,
        up: Coordinate | None,
        upwards: bool,
        order: Sequence[int],
        spell: Spell,
    ) -> None:
        """`order` is that of the coordinates in the arguments of the fluent, in which cells are named."""
        self.order = order
        self.lattice, self.across, self.up, self.upwards, self.spell = lattice, across, up, upwards, spell
        self.cells: list[CellPlan] = []
        self.blocks: list[Block] = []
        self.numbers: dict[Words, int] = {}
        self.rows = len(up.words) if up else 1

    def plan(self, name: str, wraps: tuple[bool, bool]) -> GridPlan:
        """Return the finished board, moved to begin at the upper left."""
        left = min((cell.x for cell in self.cells), default=0.5) - 0.5
        top = min((cell.y for cell in self.cells), default=0.5) - 0.5
        top -= TITLE if any(block.title for block in self.blocks) else 0.0
        cells = tuple(replace(cell, x=cell.x - left, y=cell.y - top) for cell in self.cells)
        blocks = tuple(replace(block, left=block.left - left, top=block.top - top) for block in self.blocks)
        shape: CellShape = "square" if self.lattice == "square" else "hexagon"
        slanting = self.lattice in ("rising", "falling")
        return GridPlan(name, shape, cells, blocks, wraps, slanting, self.lattice == "columns")

    def add_lines(self, spots: Mapping[Spot, Words]) -> None:
        """Add one long row, in lines of equal length."""
        count = len(self.across.words)
        length = ceil(count / ceil(count / MAX_LINE))
        for line, start in enumerate(range(0, count, length)):
            part = {(x - start, 0): place for (x, _), place in spots.items() if start <= x < start + length}
            self._add_block("", part, self.across.words[start : start + length], 0.0, line * (1 + GAP))

    def add_slices(self, outer: Sequence[Coordinate], slices: Mapping[tuple[int, ...], Mapping[Spot, Words]]) -> None:
        """Add slices in a row; with two outer coordinates in rows and columns, as the cells of a board."""
        width, height = len(self.across.words) + GAP, self.rows + GAP + TITLE
        for place in product(*(range(len(each.words)) for each in outer)):
            if place in slices:
                title = " ".join(self.spell(each.words[index]) for each, index in zip(outer, place, strict=True))
                column, row = self._slot(outer, place, width)
                self._add_block(title, slices[place], self.across.words, column * width, row * height)

    def _slot(self, outer: Sequence[Coordinate], place: Sequence[int], width: float) -> Spot:
        if not outer:
            return 0, 0
        if len(outer) == 1:
            in_line = max(1, int(MAX_WIDTH / width))
            return place[0] % in_line, place[0] // in_line
        column, row = place[0], 0
        for level, (each, index) in enumerate(zip(outer[1:], place[1:], strict=True)):
            if level % 2 == 0:
                row = row * len(each.words) + (len(each.words) - 1 - index if each.ordered else index)
            else:
                column = column * len(each.words) + index
        return column, row

    def _add_block(self, title: str, spots: Mapping[Spot, Words], columns: Words, left: float, top: float) -> None:
        matrix: list[list[int | None]] = [[None] * len(columns) for _ in range(self.rows)]
        for (column, row), place in sorted(spots.items()):
            down = self.rows - 1 - row if self.upwards else row
            x, y = self._position(column, down)
            self.numbers[place] = matrix[down][column] = len(self.cells)
            words = tuple(self.spell(place[index]) for index in self.order)
            self.cells.append(CellPlan(words, left + x, top + y, (column + row) % 2 == 0))
        names = tuple(self.spell(word) for word in self.up.words) if self.up else ("",)
        self.blocks.append(
            Block(
                title=title,
                columns=tuple(map(self.spell, columns)),
                rows=names[::-1] if self.upwards else names,
                cells=tuple(map(tuple, matrix)),
                left=left,
                top=top,
            )
        )

    def _position(self, column: int, down: int) -> tuple[float, float]:
        """Return the centre of a cell in its block."""
        row = self.rows - 1 - down if self.upwards else down
        if self.lattice == "rows":
            return column / 2 + 0.5, ROW * down + 0.5
        if self.lattice == "columns":
            return ROW * column + 0.5, down / 2 + 0.5
        if self.lattice == "square":
            return column + 0.5, down + 0.5
        slant = -0.5 if self.lattice == "rising" else 0.5
        return column + slant * row + 0.5, ROW * down + 0.5
