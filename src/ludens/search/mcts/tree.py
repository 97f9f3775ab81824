"""New trees, and views of their nodes for a decision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

import numpy as np
from numpy.typing import NDArray

from ludens.search.mcts.selection_kernel import SelectionRound
from ludens.search.mcts.tree_kernel import (
    COUNTERS,
    EDGES,
    HEADER,
    JOINT_CHILD,
    JOINT_NEXT,
    JOINT_VISITS,
    JOINTS,
    MAST,
    MAX_ENDS,
    MOVER,
    NO_CHILD,
    NO_PRIORS,
    PROVEN,
    PROVEN_LINK,
    RAVE,
    RECORDED,
    SIMULTANEOUS,
    STATE,
    USED,
    VISITS,
    Floats,
    Ints,
    Tree,
    proven_link,
    visits_at,
)

BYTES_PER_CELL = 9
"""With the part of the tables."""
CELLS_PER_ENTRY = 8
MIN_NODES = 64
"""Nodes of the largest size that have room in the least memory."""


def new_tree(
    memory: int, words: int, edges: int, chance: int, highest: Floats, rng: Random, priors: int = NO_PRIORS
) -> Tree:
    """Return an empty tree of `memory` bytes, for moves numbered below `edges`."""
    roles = len(highest)
    values_at = HEADER + roles // 2 + 1
    row_at = values_at + roles
    sums_at = row_at + words
    cells = max(memory // BYTES_PER_CELL, MIN_NODES * (sums_at + 5 * edges))
    entries = 1 << (cells // CELLS_PER_ENTRY).bit_length()
    arena = np.empty(cells, np.uint64)
    counters = np.zeros(len(COUNTERS), np.int64)
    counters[[USED, RECORDED]] = 1
    return Tree(
        ints=arena.view(np.int32),
        floats=arena.view(np.float64),
        words=arena,
        states=np.zeros(entries, np.int32),
        joints=np.zeros(entries if roles > 1 else 1, np.int32),
        ends=np.zeros(MAX_ENDS, np.int32),
        counters=counters,
        random=np.array([rng.getrandbits(64) | 1], np.uint64),
        highest=highest,
        root_sums=np.zeros((edges, roles)),
        root_visits=np.zeros(edges, np.int64),
        value=np.zeros(roles),
        joint=np.zeros(roles, np.int32),
        priors=priors,
        move_sums=np.zeros(edges if priors == MAST else 0),
        move_playouts=np.zeros(edges if priors == MAST else 0),
        last_made_in=np.zeros(edges if priors == RAVE else 0, np.int64),
        chance=chance,
        values_at=values_at,
        row_at=row_at,
        sums_at=sums_at,
    )


def new_selection(count: int, depth: int, roles: int, edges: int) -> SelectionRound:
    """Return the workspace for the selection of `count` iterations at once."""
    items = count * (depth + 1) + 1
    return SelectionRound(
        item_node=np.zeros(items, np.int32),
        item_count=np.zeros(items, np.int32),
        item_parent=np.zeros(items, np.int32),
        item_place=np.zeros(items, np.int32),
        item_depth=np.zeros(items, np.int32),
        leaf_item=np.zeros(count, np.int32),
        leaf_expands=np.zeros(count, np.bool_),
        leaf_group=np.zeros(count, np.int32),
        path_nodes=np.zeros(depth + 1, np.int32),
        path_places=np.zeros(depth + 1, np.int32),
        bounds=np.zeros(edges),
        priors=np.zeros(edges),
        given=np.zeros(edges, np.int32),
        choices=np.zeros(roles, np.int32),
        tally=np.zeros(2, np.int32),
    )


@dataclass(slots=True)
class EdgeView:
    """An edge of a node as it stands."""

    role: int
    edge: int
    move: int
    visits: int
    mean: float
    """For the role, scaled to 0..1."""
    child: int
    """A node, or NO_CHILD; always that where several roles choose."""
    proven: Floats | None = field(default=None)
    """[roles]: what the child is worth, if that is proven."""


class NodeView:
    """A node of a tree, to be read."""

    def __init__(self, tree: Tree, node: int) -> None:
        self.tree, self.node = tree, node
        self._ints = tree.ints[2 * node :]
        self.mover = int(self._ints[MOVER])
        self.proven = bool(self._ints[STATE] == PROVEN)
        self.is_simultaneous = self.mover == SIMULTANEOUS
        self.visits = int(self._ints[VISITS])
        self.edge_count = int(self._ints[EDGES])

    @property
    def values(self) -> Floats:
        """The value [roles] of a proven node."""
        at = self.node + self.tree.values_at
        return self.tree.floats[at : at + len(self.tree.value)].copy()

    def edges(self, role: int) -> list[EdgeView]:
        """Return the moves of a role."""
        tree, ints, count = self.tree, self.tree.ints, self.edge_count
        first, last = self._ints[2 * HEADER + role : 2 * HEADER + role + 2]
        at = int(visits_at(tree, self.node))
        views = []
        for edge in range(int(first), int(last)):
            visits, child = int(ints[at + edge]), int(ints[at + count + edge])
            total = float(tree.floats[self.node + tree.sums_at + edge])
            proven = None
            if child <= PROVEN_LINK:
                child = int(proven_link(child))
                proven = NodeView(tree, child).values
            mean = total / visits if visits else 0.0
            move = int(ints[at + 2 * count + edge])
            views.append(EdgeView(role, edge, move, visits, mean, max(child, NO_CHILD), proven))
        return views

    def joints(self) -> Iterator[tuple[Ints, int, int, Floats]]:
        """Yield the edges [roles], the child, the visits and the sums of the values [roles] of each joint."""
        tree, roles = self.tree, len(self.tree.value)
        joint = int(self._ints[JOINTS])
        while joint != NO_CHILD:
            ints = tree.ints[2 * joint :]
            child = int(ints[JOINT_CHILD])
            if child <= PROVEN_LINK:
                child = int(proven_link(child))
            choices = ints[2 * (HEADER + roles) : 2 * (HEADER + roles) + roles]
            sums = tree.floats[joint + HEADER : joint + HEADER + roles]
            yield choices, max(child, NO_CHILD), int(ints[JOINT_VISITS]), sums
            joint = int(ints[JOINT_NEXT])


def hashfull(tree: Tree) -> float:
    """Return the share of the memory in use."""
    return float(tree.counters[USED] / len(tree.floats))


def scaled(goals: NDArray[np.float64], low: Floats, high: Floats) -> Floats:
    """Return goals as values from 0 to 1."""
    return (goals - low) / np.where(high > low, high - low, 1.0)
