"""`StateGraph`: all states that play can reach from one, found breadth first in wide batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.engines.base import Expansion
from ludens.engines.rows import Rows
from ludens.search.solve.graph_kernel import FREE, StateStore, fill_slots, insert, list_joint_moves
from ludens.search.solve.limits import SolveBudget
from ludens.search.view import GameView

BATCH, SLOW_BATCH = 1 << 15, 1 << 4
"""Joint moves that are made at once, on the compiled engine and on others."""
FIRST_ROOM = 1 << 12
SLOTS_PER_STATE = 2
LATER_BYTES_PER_STATE, LATER_BYTES_PER_EDGE = 48, 8
"""What finding the values takes, more or less, besides the graph."""


class StateGraph:
    """States are numbered in the order in which they are found, the start is 0.

    `key` masks the bits that tell states apart. Of states that are the same in these the first is kept.
    """

    def __init__(self, view: GameView, start: Rows, budget: SolveBudget, key: Rows | None = None) -> None:
        self.view = view
        self.size = 0
        self.levels: list[int] = [0]
        """The number of the first state at each distance from the start."""
        self.edge_starts = np.zeros(FIRST_ROOM + 1, np.int64)
        self.edges = np.zeros(0, np.int32)
        """The states after each joint move, state after state; see `edge_starts`."""
        self._budget = budget
        roles = len(view.roles)
        self.store = StateStore(
            rows=np.zeros((FIRST_ROOM, view.engine.words), np.uint64),
            ends=np.zeros(FIRST_ROOM, np.bool_),
            goals=np.zeros((FIRST_ROOM, roles), np.int16),
            choices=np.zeros((FIRST_ROOM, roles), np.int32),
            parents=np.zeros(FIRST_ROOM, np.int32),
            slots=np.full(SLOTS_PER_STATE * FIRST_ROOM, FREE, np.int32),
            key=np.full(view.engine.words, 2**64 - 1, np.uint64) if key is None else key,
        )
        _, self._moves = self._insert(view.engine.look(start), np.zeros(1, np.int64))

    @property
    def depth(self) -> int:
        return len(self.levels) - 1

    def depth_of(self, state: int) -> int:
        return int(np.searchsorted(self.levels, state, side="right")) - 1

    def children(self, state: int) -> NDArray[np.int32]:
        """Return the states after the joint moves of one, in the order of these."""
        return self.edges[self.edge_starts[state] : self.edge_starts[state + 1]]

    def grow(self, keep_edges: bool) -> Iterator[tuple[int, int]]:
        """Find all states, level after level; gives the range of numbers of each batch of new ones."""
        state = edges = 0
        batch = BATCH if self.view.engine.lanes > 1 else SLOW_BATCH
        parents = np.zeros(batch, np.int64)
        joint = np.zeros((batch, len(self.view.roles)), np.int32)
        while state < self.size:
            moves, number, place, last, kept = self._moves, 0, 0, self.size, [self._moves[:0]]
            self.levels.append(last)
            self._budget.depth = self.depth
            while state < last:
                self._check_budget(edges if keep_edges else 0)
                first = self.size
                state, number, place, count = list_joint_moves(
                    self.store.choices, state, number, last, moves, place, parents, joint, self.edge_starts
                )
                found = self.view.engine.expand(self.store.rows[parents[:count]], joint[:count])
                children, new_moves = self._insert(found, parents[:count])
                if keep_edges:
                    self._keep(children, edges)
                edges += count
                kept.append(new_moves)
                self._budget.checkpoint("finding states")
                yield first, self.size
            self._moves = np.concatenate(kept)
        self.levels.pop()

    def _insert(self, found: Expansion, parents: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        self._make_room(self.size + len(found.rows))
        numbers = np.zeros(len(found.rows), np.int32)
        new_moves = np.zeros(len(found.moves), np.int32)
        rows = np.ascontiguousarray(found.rows)
        self.size, used = insert(
            self.store,
            self.size,
            rows,
            found.terminal,
            found.goals,
            found.starts,
            found.moves,
            parents,
            numbers,
            new_moves,
        )
        self._budget.states = self.size
        return numbers, new_moves[:used].copy()

    def _make_room(self, states: int) -> None:
        room = len(self.store.rows)
        if states <= room:
            return
        while room < states:
            room *= 2
        more = {
            name: _grown(getattr(self.store, name), room) for name in ("rows", "ends", "goals", "choices", "parents")
        }
        slots = np.full(SLOTS_PER_STATE * room, FREE, np.int32)
        self.store = self.store._replace(slots=slots, **more)
        fill_slots(self.store, self.size)
        self.edge_starts = _grown(self.edge_starts, room + 1)

    def _keep(self, children: NDArray[np.int32], edges: int) -> None:
        """Add the states after some more joint moves to those that are there."""
        end = edges + len(children)
        if end > len(self.edges):
            self.edges = _grown(self.edges, max(2 * len(self.edges), end))
        self.edges[edges:end] = children

    def _check_budget(self, edges: int) -> None:
        self._budget.check_states()
        arrays: Sequence[NDArray[Any]] = (*self.store, self.edge_starts, self.edges, self._moves)
        later = LATER_BYTES_PER_STATE * self.size + LATER_BYTES_PER_EDGE * edges
        self._budget.check_memory(sum(array.nbytes for array in arrays) + later)


def _grown(array: NDArray[Any], room: int) -> NDArray[Any]:
    """Return a copy with room for more rows."""
    larger = np.zeros((room, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
