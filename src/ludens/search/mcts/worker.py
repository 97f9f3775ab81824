"""`TreeWorker`: one tree, and the thread that grows it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.engines.base import UNKNOWN_GOAL, Expansion
from ludens.engines.rows import Rows
from ludens.runtime.deadline import Deadline
from ludens.search.mcts.line import Line
from ludens.search.mcts.recycling_kernel import recycle
from ludens.search.mcts.selection_kernel import MctsOptions
from ludens.search.mcts.tree import NodeView, new_tree, scaled
from ludens.search.mcts.tree_kernel import (
    DEEPEST,
    FULL,
    FULL_FOR_GOOD,
    ITERATIONS,
    NO_CHILD,
    NO_PRIORS,
    PLAYOUTS,
    ROOM,
    ROOT,
    USED,
    Floats,
    Tree,
    add_state,
    find_state,
)
from ludens.search.view import GameView

SECONDS_PER_CELL = 2e-8
"""An upper bound of the time that recycling takes."""
MAX_USE = 0.9
"""The share in use after recycling beyond which the tree is full for good."""


class TreeWorker(ABC):
    """One tree and what it grows by; for one thread at a time."""

    def __init__(
        self, view: GameView, options: MctsOptions, memory: int, edges: int, rng: Random, priors: int = NO_PRIORS
    ) -> None:
        """`edges`: no move has a higher number, as far as is known; `priors`: NO_PRIORS, MAST or RAVE."""
        self.view = view
        self.options = options
        self.memory = memory
        self.edges = edges
        self.priors = priors
        self.low, self.high = self._goal_range()
        self.unknown = scaled(np.full(len(view.roles), UNKNOWN_GOAL), self.low, self.high)
        self.tree = self._new_tree(rng)

    @abstractmethod
    def _goal_range(self) -> tuple[Floats, Floats]:
        """[roles] and [roles]: the lowest and the highest goal."""

    @abstractmethod
    def work(self, deadline: Deadline, nodes: int | None) -> None:
        """Grow the tree until the deadline passes, the nodes are visited, or the root is proven."""

    def best_line(self, row: Rows) -> Line:
        """Return the best line from the root to an end that the last search of a single role found."""
        return Line()

    def _new_tree(self, rng: Random) -> Tree:
        highest = scaled(np.maximum(self.high, UNKNOWN_GOAL), self.low, self.high)
        view = self.view
        return new_tree(self.memory, view.engine.words, self.edges, view.chance, highest, rng, self.priors)

    def goals(self, values: Floats) -> Floats:
        """Return values of the tree as goals."""
        return self.low + values * np.where(self.high > self.low, self.high - self.low, 1.0)

    def values(self, goals: NDArray[Any]) -> Floats:
        """Return goals [.., roles] as values of the tree."""
        return scaled(np.where(goals < 0, UNKNOWN_GOAL, goals), self.low, self.high)

    def take_root(self, row: Rows, rng: Random) -> None:
        """Make a state the root: its node if the tree has one, else that of a new tree."""
        tree = self.tree
        node = find_state(tree, row[0])
        if node == NO_CHILD:
            self.tree = tree = self._new_tree(rng)
            node = self._add(self.view.engine.look(row), 0)
        tree.counters[[ITERATIONS, PLAYOUTS, DEEPEST, FULL]] = 0
        tree.random[0] = rng.getrandbits(64) | 1
        if node != tree.counters[ROOT]:
            tree.counters[ROOT] = node
            tree.root_sums[:] = 0.0
            tree.root_visits[:] = 0

    def _make_room(self, deadline: Deadline) -> None:
        """Recycle half of the tree, if there is time for it; else the tree is full for good."""
        tree = self.tree
        tree.counters[FULL] = FULL_FOR_GOOD
        if deadline.remaining > SECONDS_PER_CELL * tree.counters[USED]:
            recycle(tree, len(tree.floats) // 2)
            if tree.counters[USED] < MAX_USE * len(tree.floats):
                tree.counters[FULL] = ROOM

    def root(self) -> NodeView:
        return NodeView(self.tree, int(self.tree.counters[ROOT]))

    def _add(self, seen: Expansion, state: int) -> int:
        """Return the node of a state that is no end."""
        roles = len(self.view.roles)
        starts = seen.starts[state * roles : state * roles + roles + 1]
        moves = seen.moves[starts[0] : starts[-1]]
        return add_state(self.tree, seen.rows[state], moves, (starts - starts[0]).astype(np.int32))
