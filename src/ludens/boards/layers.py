"""Layers: fluents whose facts are drawn on the cells of a grid; several can share one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from ludens.analysis.boards import Board, Words
from ludens.gdl.formulas import Signature

Extent = tuple[float, float]
"""Width and height, in cells."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A fluent whose facts are drawn on the cells of a grid."""

    board: Board
    grid: int
    arguments: tuple[int, ...]
    """Those that tell the place, in the order in which `cells` has them."""
    cells: Mapping[Words, int]
    extents: Mapping[Words, Extent] = field(default_factory=dict)
    """The extents of contents that are walls between cells."""

    def cell(self, arguments: Words) -> int | None:
        """Return the cell of a fact, by its arguments."""
        return self.cells.get(tuple(arguments[index] for index in self.arguments))

    def content(self, arguments: Words) -> Words:
        return tuple(arguments[index] for index in self.board.content_arguments)


def terrain(layers: Iterable[Layer]) -> set[Signature]:
    """Return the fluents that describe cells on which the unique figures of another fluent stand."""
    by_grid: dict[int, dict[bool, list[Signature]]] = {}
    for layer in layers:
        things = [content for content in layer.board.contents if content.kind != "blank"]
        if layer.board.content_arguments and things and not layer.extents:
            figures = all(content.unique for content in things)
            by_grid.setdefault(layer.grid, {}).setdefault(figures, []).append(layer.board.signature)
    return {signature for found in by_grid.values() if True in found for signature in found.get(False, ())}


def shared_markers(layers: Iterable[Layer]) -> set[Signature]:
    """Return the fluents that only mark cells, where several do on the same board."""
    by_grid: dict[int, list[Signature]] = {}
    for layer in layers:
        if not layer.board.content_arguments:
            by_grid.setdefault(layer.grid, []).append(layer.board.signature)
    return {signature for found in by_grid.values() if len(found) > 1 for signature in found}


def lone_markers(layers: Collection[Layer]) -> set[Signature]:
    """Return the fluents on boards without any contents."""
    filled = {layer.grid for layer in layers if layer.board.content_arguments}
    return {layer.board.signature for layer in layers if layer.grid not in filled}
