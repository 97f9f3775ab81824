"""The picture of one state, independent of how it is rendered.

Positions are in cells: x grows to the right, y downwards, and a square cell is 1 wide and 1 high.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ludens.runtime.lazy import load_object

CellShape = Literal["square", "hexagon", "round"]
CellLook = Literal["flat", "triangles", "blocks"]
"""Cells on which things lie; with triangles on which they pile up; cells that are things themselves."""
POST = 0.17
"""Half the width of posts."""


@dataclass(frozen=True, slots=True)
class Paint:
    """The colours of a thing: of its face, of its edge, and of what is written on it."""

    fill: str
    edge: str
    ink: str


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing on a cell."""

    name: str
    """The name in words."""
    shape: str
    """One of `palette.SHAPES`."""
    paint: Paint
    glyph: str
    """A few characters that stand for it in text."""
    mark: str = ""
    """The text on it."""
    role: int | None = None
    """The role that it belongs to, by its place."""
    count: int | None = None
    """The number of these things, if it is known."""
    small: bool = False
    """Whether it only marks a cell on which other things may lie."""
    field: bool = False
    """Whether it is how the cell itself looks, with other things on it."""
    faint: bool = False
    """Whether it lies almost everywhere, and need not be seen where others lie."""
    extent: tuple[float, float] | None = None
    """Width and height in cells, of a wall between cells."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, and how large it is compared with the largest there can be."""

    text: str
    part: float
    count: int | None = None
    """The number of things, if it is one."""
    most: int | None = None
    """The largest possible number."""


@dataclass(frozen=True, slots=True)
class Tag:
    """The name that a role gives to a cell."""

    text: str
    paint: Paint


@dataclass(frozen=True, slots=True)
class CellPlan:
    """A place of a board, where nothing lies yet."""

    words: tuple[str, ...]
    """Its coordinates."""
    x: float
    y: float
    """The centre."""
    dark: bool = False
    width: float = 1.0
    height: float = 1.0
    tags: tuple[Tag, ...] = ()

    @property
    def name(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class Cell:
    plan: CellPlan
    things: tuple[Thing, ...] = ()
    amounts: tuple[Amount, ...] = ()
    last: bool = False
    """Whether the last move named or changed it."""

    @property
    def figures(self) -> tuple[Thing, ...]:
        """The things that stand on the cell."""
        standing = [thing for thing in self.things if not thing.small and not thing.field]
        return tuple(thing for thing in standing if not thing.faint or len(standing) == 1)


@dataclass(frozen=True, slots=True)
class Block:
    """Cells in rows and columns, with what is written at the edges; the first row is the uppermost."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[int | None, ...], ...]
    """The cell numbers by row; None where there is no cell."""
    left: float
    top: float
    """The upper left corner."""
    attached: bool = False
    """Whether its cells lie between or beside those of the first block."""


@dataclass(frozen=True, slots=True)
class GridPlan:
    """A board without what lies on it."""

    name: str
    shape: CellShape
    cells: tuple[CellPlan, ...]
    blocks: tuple[Block, ...]
    """One, or one for each slice of a board that has more than two coordinates; none if cells lie anyhow."""
    wraps: tuple[bool, bool]
    """Whether one comes from the right edge to the left one, and from the upper to the lower one."""
    slanting: bool = False
    """Whether rows are shifted against each other, more and more."""
    lying: bool = False
    """Whether hexagons have tips at their sides, not above and below."""
    links: tuple[tuple[int, int], ...] = ()
    """Cells that are joined by a line."""
    fillers: tuple[tuple[float, float], ...] = ()
    """The squares that are no cells, but complete the board."""
    posts: tuple[tuple[float, float], ...] = ()
    """The ends of lines, if some cells are lines."""
    lined: bool = False
    """Whether what lies on cells that are not square is drawn as a line."""
    look: CellLook = "flat"
    named: bool = False
    """Whether the names of cells are written in them, not at the edges."""
    towers: bool = False
    """Whether cells are things that stand on each other; where they are depends on the state."""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        spots = [(cell.x + cell.width / 2, cell.y + cell.height / 2) for cell in self.cells]
        spots += [(x + POST, y + POST) for x, y in self.posts]
        return max((x for x, _ in spots), default=0.0), max((y for _, y in spots), default=0.0)


@dataclass(frozen=True, slots=True)
class Grid:
    plan: GridPlan
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Gauge:
    """A number beside the board."""

    label: str
    amount: Amount
    colour: str | None = None
    """The colour of its role."""
    words: tuple[str, ...] = ()
    """The words that it is the number of."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Numbers of the same kind."""

    title: str
    gauges: tuple[Gauge, ...]
    dice: bool = False
    """Whether the numbers are those of dice, or of how many dice show one."""


@dataclass(frozen=True, slots=True)
class PictureRole:
    """A role as it is shown."""

    name: str
    paint: Paint
    to_move: bool = False
    goal: int | None = None
    """The goal value after the end."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One state, ready to be rendered."""

    title: str
    roles: tuple[PictureRole, ...]
    grids: tuple[Grid, ...]
    panels: tuple[Panel, ...]
    facts: tuple[tuple[str, tuple[str, ...]], ...]
    """The remaining facts: the name of a fluent, and its arguments."""
    over: bool = False

    @property
    def caption(self) -> str:
        """The roles to move, or the result."""
        if self.over:
            points = [f"{role.name} {role.goal}" for role in self.roles if role.goal is not None]
            return ": ".join(["the game is over", *([", ".join(points)] if points else [])])
        movers = [role.name for role in self.roles if role.to_move]
        return f"{joined(movers)} to move" if movers else ""

    @property
    def legend(self) -> tuple[Thing, ...]:
        """Things whose names say more than what is drawn, each once."""
        found = {
            (thing.name, thing.glyph): thing
            for grid in self.grids
            for cell in grid.cells
            for thing in cell.things
            if thing.name and thing.name != thing.glyph and not thing.count
        }
        return tuple(found[key] for key in sorted(found))

    def _repr_html_(self) -> str:
        return _rendered("svg:to_html", self)

    def _repr_svg_(self) -> str:
        return _rendered("svg:to_svg", self)

    def __str__(self) -> str:
        return _rendered("text:to_text", self)


def _rendered(renderer: str, picture: Picture) -> str:
    """Render a picture; the renderers import this module."""
    text: str = load_object(f"ludens.boards.{renderer}")(picture)
    return text


def joined(words: Sequence[str]) -> str:
    """Return words as a list in a sentence.

    >>> joined(["red", "green", "blue"])
    'red, green and blue'
    """
    *others, last = words or [""]
    return f"{', '.join(others)} and {last}" if others else last
