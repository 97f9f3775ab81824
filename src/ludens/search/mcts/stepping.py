"""Growing a tree on any engine, a few states at a time."""

from __future__ import annotations

from random import Random

import numpy as np

from ludens.engines.base import Expansion
from ludens.runtime.deadline import Deadline
from ludens.search.mcts.backup_kernel import attach, back_up
from ludens.search.mcts.priors_kernel import record_path
from ludens.search.mcts.selection_kernel import MctsOptions, read_leaf, select_leaves
from ludens.search.mcts.tree import new_selection
from ludens.search.mcts.tree_kernel import (
    FULL,
    FULL_NOW,
    NO_PRIORS,
    PLAYOUTS,
    Floats,
    add_end,
)
from ludens.search.mcts.worker import TreeWorker
from ludens.search.view import GameView

LEAVES_PER_ROUND = 8
FIRST_EDGES = 256


class SteppingWorker(TreeWorker):
    """Any engine: the leaves of a few iterations are expanded together, and played out.

    Priors come from the moves in the tree alone, as the engine does not tell those of playouts.
    """

    def __init__(self, view: GameView, options: MctsOptions, memory: int, rng: Random, priors: int = NO_PRIORS) -> None:
        super().__init__(view, options, memory, FIRST_EDGES, rng, priors)
        self._selection = new_selection(LEAVES_PER_ROUND, options.max_depth, len(view.roles), self.edges)

    def _goal_range(self) -> tuple[Floats, Floats]:
        roles = len(self.view.roles)
        return np.zeros(roles), np.full(roles, 100.0)

    def work(self, deadline: Deadline, nodes: int | None) -> None:
        rng = Random(int(self.tree.random[0]))
        left = float("inf") if nodes is None else nodes
        while left > 0 and not (deadline.passed or self.root().proven):
            count = int(min(left, LEAVES_PER_ROUND))
            left -= count
            leaves = select_leaves(self.tree, self._selection, self.options, count)
            if leaves:
                self._play_out(leaves, deadline, rng)
            if self.tree.counters[FULL] == FULL_NOW:
                self._make_room(deadline)
            if self.view.engine.is_crowded:
                break  # the next search begins with an empty tree

    def _play_out(self, leaves: int, deadline: Deadline, rng: Random) -> None:
        """Expand and play out the leaves; those beyond the time get the value of the unknown."""
        selection, tree, view = self._selection, self.tree, self.view
        joints = np.zeros((leaves, len(view.roles)), np.int32)
        paths = []
        for leaf in range(leaves):
            length = read_leaf(tree, selection, leaf, joints[leaf])
            paths.append((selection.path_nodes[:length].copy(), selection.path_places[:length].copy()))
        parents = [int(nodes[-1]) + tree.row_at for nodes, _ in paths]
        rows = np.stack([tree.words[row : row + view.engine.words] for row in parents])
        seen = view.engine.expand(rows, joints, deadline)
        for leaf, (nodes, places) in enumerate(paths):
            count = int(selection.item_count[selection.leaf_item[leaf]])
            if leaf >= len(seen.rows):
                value = self.unknown.copy()
            elif self._is_end(seen, leaf):
                value = self.values(seen.goals[leaf]) if seen.terminal[leaf] else self.unknown.copy()
                attach(tree, nodes, places, len(nodes), add_end(tree, value))
            else:
                if selection.leaf_expands[leaf]:
                    attach(tree, nodes, places, len(nodes), self._add(seen, leaf))
                goals = view.engine.goal_sums(seen.rows[leaf : leaf + 1], count, rng, deadline)[0] / count
                value = self.values(goals)
                tree.counters[PLAYOUTS] += count
            if self.priors != NO_PRIORS:
                record_path(self.tree, nodes, places, len(nodes), value, count)
            back_up(self.tree, nodes, places, len(nodes), value, count, self.options.regret)

    def _is_end(self, seen: Expansion, state: int) -> bool:
        """Return whether a state is terminal, or someone has no move there."""
        roles = len(self.view.roles)
        starts = seen.starts[state * roles : state * roles + roles + 1]
        return bool(seen.terminal[state] or (np.diff(starts) == 0).any())

    def _add(self, seen: Expansion, state: int) -> int:
        self._widen(int(seen.moves.max()) + 1)
        return super()._add(seen, state)

    def _widen(self, edges: int) -> None:
        """Make room for moves that turn up during the game."""
        if edges > self.edges:
            self.edges = 2 * edges
            more = self.edges - len(self.tree.root_visits)
            self.tree = self.tree._replace(
                root_sums=np.pad(self.tree.root_sums, ((0, more), (0, 0))),
                root_visits=np.pad(self.tree.root_visits, (0, more)),
                move_sums=np.pad(self.tree.move_sums, (0, more)),
                move_playouts=np.pad(self.tree.move_playouts, (0, more)),
                last_made_in=np.pad(self.tree.last_made_in, (0, more)),
            )
            self._selection = self._selection._replace(
                bounds=np.zeros(self.edges), priors=np.zeros(self.edges), given=np.zeros(self.edges, np.int32)
            )
