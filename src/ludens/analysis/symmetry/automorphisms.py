"""Automorphisms of a coloured graph, by colour refinement and backtracking.

Colours are 64-bit numbers that depend only on the shape of the graph around a vertex, so those of two refinements can
be compared. Every automorphism that is returned was checked edge by edge; a clash of colours could only hide some.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.runtime.deadline import Deadline

Colours = NDArray[np.uint64]
Permutation = NDArray[np.int64]

MAX_REFINEMENTS = 3_000
ROUNDS = 8
"""The number of rounds of refinement between checks for progress."""

_ZERO = np.zeros(1, np.uint64)


@dataclass(frozen=True)
class Automorphisms:
    """Permutations of the vertices that generate the group, as far as it is known."""

    generators: tuple[Permutation, ...]
    complete: bool
    """Whether these generate all that the symbols allow."""


def find_automorphisms(
    colours: Sequence[Hashable], edges: Sequence[tuple[int, int]], symbols: Sequence[int], deadline: Deadline
) -> Automorphisms:
    """Return generators of the automorphisms, as far as they move the symbols.

    >>> square = [(0, 1), (1, 2), (2, 3), (3, 0)]
    >>> found = find_automorphisms(["corner"] * 4, square, range(4), Deadline.never())
    >>> len(found.generators), found.complete
    (2, True)
    """
    return _Search(colours, edges, symbols, deadline).run()


@dataclass(frozen=True)
class _Level:
    """One step of the way to a colouring in which every vertex has a colour of its own."""

    colours: Colours
    """Before the step."""
    vertex: int
    """The vertex that gets a colour of its own."""


class _Search:
    def __init__(
        self, colours: Sequence[Hashable], edges: Sequence[tuple[int, int]], symbols: Sequence[int], deadline: Deadline
    ) -> None:
        self.size = len(colours)
        self.deadline = deadline
        self.refinements = 0
        self.symbols = np.array(symbols, np.int64)
        numbers = {colour: number for number, colour in enumerate(dict.fromkeys(colours))}
        self.given = np.array([numbers[colour] for colour in colours], np.uint64)
        pairs = np.array(edges, np.int64).reshape(-1, 2)
        both = np.concatenate([pairs, pairs[:, ::-1]])
        both = both[np.argsort(both[:, 0], kind="stable")]
        self.targets = both[:, 1].copy()
        self.starts = np.searchsorted(both[:, 0], np.arange(self.size + 1))
        self.codes = np.sort(both[:, 0] * self.size + both[:, 1])

    def run(self) -> Automorphisms:
        levels: list[_Level] = []
        colours = self._refined(_mixed(self.given))
        while (cell := self._open_cell(colours)) is not None and not self._is_over:
            levels.append(_Level(colours, int(cell[0])))
            colours = self._refined(self._marked(colours, int(cell[0])))
        if self._is_over:
            return Automorphisms((), False)
        movable = set(self.symbols.tolist())
        found: list[Permutation] = []
        for depth in reversed(range(len(levels))):
            if levels[depth].vertex in movable:
                self._extend(found, levels, depth, colours)
        return Automorphisms(tuple(found), not self._is_over)

    @property
    def _is_over(self) -> bool:
        return self.deadline.passed or self.refinements > MAX_REFINEMENTS

    def _extend(self, found: list[Permutation], levels: list[_Level], depth: int, last: Colours) -> None:
        """Add generators that keep the vertices of the levels above and move the one of this level."""
        level = levels[depth]
        reached = {level.vertex}
        _close(reached, found)
        for other in np.flatnonzero(level.colours == level.colours[level.vertex]).tolist():
            if other in reached or self._is_over:
                continue
            automorphism = self._match(levels, depth, level.colours, other, last)
            if automorphism is not None:
                found.append(automorphism)
                _close(reached, found)

    def _match(
        self, levels: list[_Level], depth: int, colours: Colours, vertex: int, last: Colours
    ) -> Permutation | None:
        """Return an automorphism that takes the vertex of a level to another one, if there is one below this choice."""
        mine = self._refined(self._marked(colours, vertex))
        wanted = levels[depth + 1].colours if depth + 1 < len(levels) else last
        if not np.array_equal(np.sort(mine), np.sort(wanted)):
            return None
        if depth + 1 == len(levels):
            permutation = np.empty(self.size, np.int64)
            permutation[np.argsort(last)] = np.argsort(mine)
            return permutation if self._is_automorphism(permutation) else None
        below = levels[depth + 1]
        for other in np.flatnonzero(mine == below.colours[below.vertex]).tolist():
            if self._is_over:
                return None
            found = self._match(levels, depth + 1, mine, other, last)
            if found is not None:
                return found
        return None

    def _is_automorphism(self, permutation: Permutation) -> bool:
        sources = np.repeat(np.arange(self.size), np.diff(self.starts))
        codes = permutation[sources] * self.size + permutation[self.targets]
        return bool((self.given[permutation] == self.given).all() and (np.sort(codes) == self.codes).all())

    def _open_cell(self, colours: Colours) -> NDArray[np.int64] | None:
        """Return the smallest set of several vertices with the same colour, of symbols as long as there are any."""
        for vertices in (self.symbols, np.arange(self.size)):
            values, counts = np.unique(colours[vertices], return_counts=True)
            several = counts > 1
            if several.any():
                colour = values[several][counts[several].argmin()]
                return np.asarray(vertices[colours[vertices] == colour], np.int64)
        return None

    def _marked(self, colours: Colours, vertex: int) -> Colours:
        marked = colours.copy()
        marked[vertex] = _mixed(marked[vertex : vertex + 1] + np.uint64(1))[0]
        return marked

    def _refined(self, colours: Colours) -> Colours:
        """Refine colours by those of the neighbours until they are stable."""
        self.refinements += 1
        count = _count(colours)
        while count < self.size and not self.deadline.passed:
            refined = colours
            for _ in range(ROUNDS):
                sums = np.concatenate([_ZERO, np.cumsum(_mixed(refined)[self.targets], dtype=np.uint64)])
                refined = _mixed(refined * np.uint64(3) + _mixed(sums[self.starts[1:]] - sums[self.starts[:-1]]))
            refined_count = _count(refined)
            if refined_count == count:
                break
            colours, count = refined, refined_count
        return colours


def _count(colours: Colours) -> int:
    """Return the number of different colours."""
    ordered = np.sort(colours)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + 1


def _mixed(numbers: Colours) -> Colours:
    """Return hashes of numbers (splitmix64)."""
    with np.errstate(over="ignore"):
        mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))


def _close(vertices: set[int], generators: Sequence[Permutation]) -> None:
    """Add the images of these vertices under the generators."""
    todo = list(vertices)
    while todo:
        vertex = todo.pop()
        for generator in generators:
            image = int(generator[vertex])
            if image not in vertices:
                vertices.add(image)
                todo.append(image)
