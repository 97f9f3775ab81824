"""The cells that a move names, so that people can make it on the board.

Arguments of a move belong to the coordinates of a board that they share their words with, by the rules. A thing that a
move names stands for the cell it lies on, if there is only one of it. A move that names no cell is made on those that
it changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ludens.analysis.boards import Board, Words
from ludens.analysis.domain_graph import argument_position
from ludens.analysis.facts import GameFacts
from ludens.analysis.states import signature_of
from ludens.boards.layers import Layer
from ludens.core import GroundTerm, Move
from ludens.game import State
from ludens.gdl.formulas import Signature

MAX_TRIED = 40
"""The limit on moves without cells whose effects are tried."""
MAX_CHANGED = 4
"""A move that changes more cells is not made on them."""


class CellRef(NamedTuple):
    """A cell of a picture: the number of the grid, and of the cell in it."""

    grid: int
    cell: int


LyingAlone = Mapping[tuple[Signature, int, GroundTerm], CellRef]
"""The cells of unique things, by the fluent, the argument and the word of the content."""
Steps = tuple[frozenset[CellRef], ...]
"""The clicks that make a move: for each step the cells that mean it."""


@dataclass(frozen=True, slots=True)
class MoveChoice:
    """A legal move, and how to make it on the board."""

    move: Move
    label: str
    """The move in words, for search and screen readers."""
    steps: Steps
    """From where to where, or the one place it is about; empty if it has nothing to do with the board."""


class Layered(Protocol):
    """The part of a layout that is needed to find the cells of moves."""

    @property
    def facts(self) -> GameFacts: ...
    @property
    def layers(self) -> Mapping[Signature, Layer]: ...


class _Naming(NamedTuple):
    """Arguments of a move that name a cell, or cells that share a coordinate."""

    layer: Layer
    arguments: tuple[tuple[int, int], ...]
    """Pairs: the coordinate, by its place in the layer, and the argument that gives it."""


class MoveMap:
    """Finds the cells of moves of one game."""

    def __init__(self, layout: Layered) -> None:
        self._graph, self._layers = layout.facts.graph, layout.layers
        self._found: dict[Signature, tuple[_Naming, ...]] = {}
        self._contents: dict[tuple[Signature, int], list[tuple[Signature, int]]] = {}
        self._unique = {
            signature: {content.words for content in layer.board.contents if content.unique and content.kind != "blank"}
            for signature, layer in layout.layers.items()
        }

    def steps(self, move: GroundTerm) -> Steps:
        """Return the cells that a move names, in the order in which it does."""
        if isinstance(move, str):
            return ()
        signature = signature_of(move)
        if signature not in self._found:
            self._found[signature] = self._namings(signature)
        found = (self._named(naming, move) for naming in self._found[signature])
        return tuple(cells for cells in found if cells)

    def _named(self, naming: _Naming, move: tuple[GroundTerm, ...]) -> frozenset[CellRef]:
        layer = naming.layer
        wanted = {coordinate: move[argument + 1] for coordinate, argument in naming.arguments}
        if len(wanted) == len(layer.arguments):
            cell = layer.cells.get(tuple(wanted[coordinate] for coordinate in range(len(wanted))))
            return frozenset() if cell is None else frozenset([CellRef(layer.grid, cell)])
        return frozenset(
            CellRef(layer.grid, cell)
            for place, cell in layer.cells.items()
            if all(place[coordinate] == word for coordinate, word in wanted.items())
        )

    def _namings(self, signature: Signature) -> tuple[_Naming, ...]:
        """Return the whole places in a move, on the nearest board; otherwise single coordinates."""
        distances = [self._distances(argument_position(signature, index)) for index in range(signature[1])]
        whole = [found for layer in self._layers.values() if (found := tuple(self._whole(layer, distances)))]
        if whole:
            return min(whole, key=lambda namings: self._distance(namings, distances))
        for layer in self._layers.values():
            if len(layer.arguments) > 1:
                parts = tuple(self._parts(layer, distances))
                if parts:
                    return parts
        return ()

    def _distances(self, position: tuple[object, ...]) -> Mapping[object, int]:
        return self._graph.distances(position)  # type: ignore[arg-type,return-value]

    def _far(self, layer: Layer, distances: Mapping[object, int]) -> list[int | None]:
        """Return the distance of each coordinate of a layer from an argument in the domain graph."""
        return [distances.get(argument_position(layer.board.signature, index)) for index in layer.arguments]

    def _distance(self, namings: Sequence[_Naming], distances: Sequence[Mapping[object, int]]) -> int:
        """Return the distance of a move from the places it names."""
        far = [
            self._far(naming.layer, distances[argument])[coordinate] or 0
            for naming in namings
            for coordinate, argument in naming.arguments
        ]
        return max(far)

    def _whole(self, layer: Layer, distances: Sequence[Mapping[object, int]]) -> Iterator[_Naming]:
        """Yield consecutive arguments of which each is nearest to its coordinate."""
        order = sorted(range(len(layer.arguments)), key=lambda number: layer.arguments[number])
        index = 0
        while index + len(order) <= len(distances):
            if all(
                _is_nearest(self._far(layer, distances[index + offset]), number) for offset, number in enumerate(order)
            ):
                yield _Naming(layer, tuple((number, index + offset) for offset, number in enumerate(order)))
                index += len(order)
            else:
                index += 1

    def _parts(self, layer: Layer, distances: Sequence[Mapping[object, int]]) -> Iterator[_Naming]:
        for index, each in enumerate(distances):
            far = self._far(layer, each)
            near = [number for number in range(len(far)) if _is_nearest(far, number)]
            if len(near) == 1:
                yield _Naming(layer, ((near[0], index),))

    def choices(self, state: State, role: str) -> tuple[MoveChoice, ...]:
        """Return the legal moves of a role, each with how to make it on the board.

        A move that names no cell, or only a coordinate, is made on the cells that it changes, unless others have a
        choice: first those that become empty, then those on which something comes to lie.
        """
        legal, things = state.legal_moves(role), self._lying_alone(state.terms)
        alone = all(len(state.legal_moves(other)) == 1 for other in state.game.roles if other.lower() != role.lower())
        named = {move: self._with_things(move.term, things) for move in legal}
        unclear = [move for move in legal if not self._is_clear(named[move])]
        tried = set(unclear) if alone and len(legal) > 1 and len(unclear) <= MAX_TRIED else set()
        return tuple(
            MoveChoice(
                move,
                move[1:-1] if move.startswith("(") else str(move),
                (self._effect(state, role, move) if move in tried else ()) or named[move],
            )
            for move in legal
        )

    def _with_things(self, move: GroundTerm, things: LyingAlone) -> Steps:
        """Return the cells of the things that a move names, then the cells that it names itself."""
        steps = self.steps(move)
        if isinstance(move, str):
            return steps
        signature = signature_of(move)
        coordinates = {argument for naming in self._found[signature] for _, argument in naming.arguments}
        first = [
            things[(*content, word)]
            for argument, word in enumerate(move[1:])
            if argument not in coordinates
            for content in self._contents_like(signature, argument)
            if (*content, word) in things
        ]
        lying = [frozenset([cell]) for cell in dict.fromkeys(first)]
        return (*(step for step in lying if step not in steps[:1]), *steps)

    def _contents_like(self, signature: Signature, argument: int) -> list[tuple[Signature, int]]:
        """Return the content arguments of boards that share their words with an argument of a move."""
        if (signature, argument) not in self._contents:
            position = argument_position(signature, argument)
            self._contents[signature, argument] = [
                (fluent, index)
                for fluent, layer in self._layers.items()
                for index in layer.board.content_arguments
                if self._graph.connected(position, argument_position(fluent, index))
            ]
        return self._contents[signature, argument]

    def _lying_alone(self, terms: Iterable[GroundTerm]) -> LyingAlone:
        """Return the cells of things that are never on two places; a mark may just happen to be alone."""
        found: dict[tuple[Signature, int, GroundTerm], set[CellRef]] = {}
        for where, lying in self._lying(terms).items():
            for term in lying:
                layer = self._layers[signature_of(term)]
                if layer.content(term[1:]) in self._unique[layer.board.signature]:
                    for index in layer.board.content_arguments:
                        found.setdefault((layer.board.signature, index, term[index + 1]), set()).add(where)
        return {key: next(iter(places)) for key, places in found.items() if len(places) == 1}

    def _is_clear(self, steps: Steps) -> bool:
        return bool(steps) and all(len(step) == 1 for step in steps)

    def _effect(self, state: State, role: str, move: Move) -> Steps:
        """Return the cells that the move names and empties, or else fills; if it names none, both in turn."""
        before, after = self._lying(state.terms), self._lying(state.next({role: move}).terms)
        emptied = frozenset(before.keys() - after.keys())
        filled = frozenset(where for where, things in after.items() if before.get(where) != things)
        named = tuple(step & emptied or step & filled for step in self.steps(move.term))
        if any(named):
            return tuple(step for step in named if step)
        return tuple(step for step in (emptied, filled) if 0 < len(step) <= MAX_CHANGED)

    def _lying(self, terms: Iterable[GroundTerm]) -> dict[CellRef, set[Words]]:
        """Return the contents of the cells that are not empty."""
        found: dict[CellRef, set[Words]] = {}
        for term in terms:
            if isinstance(term, str) or (layer := self._layers.get(signature_of(term))) is None:
                continue
            cell = layer.cell(term[1:])
            content = layer.content(term[1:])
            if cell is not None and content != layer.board.blank and not _is_none(layer.board, content):
                found.setdefault(CellRef(layer.grid, cell), set()).add(term)
        return found


def _is_nearest(far: Sequence[int | None], number: int) -> bool:
    known = [distance for distance in far if distance is not None]
    return far[number] is not None and far[number] == min(known)


def _is_none(board: Board, content: Words) -> bool:
    """Return whether this is the least amount on a board, as of an empty cell."""
    return board.content_order is not None and content[0] == board.content_order.words[0]
