"""Growing a tree on any engine, a few states at a time."""

from __future__ import annotations

from random import Random
from threading import Event

import numpy as np

from ludens.search.base import Watch
from ludens.search.mcts.backup_kernel import attach, back_up
from ludens.search.mcts.priors_kernel import note_path
from ludens.search.mcts.selection_kernel import Options, descend, read_job
from ludens.search.mcts.tree import new_descents
from ludens.search.mcts.tree_kernel import (
    FULL,
    FULL_NOW,
    NO_PRIORS,
    PLAYED,
    Floats,
    add_end,
)
from ludens.search.mcts.worker import Worker
from ludens.search.positions import Expansion, Positions

SMALL_BATCH = 8
FEW_EDGES = 256


class SteppingWorker(Worker):
    """Any engine: the children of a few descents are expanded together, and random games played from them.

    Priors come from the moves in the tree alone, as the engine does not tell those of random games.
    """

    def __init__(
        self, positions: Positions, options: Options, memory: int, rng: Random, priors: int = NO_PRIORS
    ) -> None:
        super().__init__(positions, options, memory, FEW_EDGES, rng, priors)
        self._descents = new_descents(SMALL_BATCH, options.max_depth, len(positions.roles), self.edges)

    def _goal_range(self) -> tuple[Floats, Floats]:
        roles = len(self.positions.roles)
        return np.zeros(roles), np.full(roles, 100.0)

    def work(self, watch: Watch, nodes: int | None, solved: Event) -> None:
        rng = Random(int(self.tree.random[0]))
        left = float("inf") if nodes is None else nodes
        while left > 0 and not (watch.over() or solved.is_set() or self.root().proven):
            count = int(min(left, SMALL_BATCH))
            left -= count
            jobs = descend(self.tree, self._descents, self.options, count)
            if jobs:
                self._do(jobs, watch, rng)
            if self.tree.counters[FULL] == FULL_NOW:
                self._make_room(watch)
            if self.positions.is_crowded:
                break  # the next search begins anew

    def _do(self, jobs: int, watch: Watch, rng: Random) -> None:
        """Expand and play out where the descents ended; those that there is no time for come to nothing known."""
        descents, tree, positions = self._descents, self.tree, self.positions
        joints = np.zeros((jobs, len(positions.roles)), np.int32)
        paths = []
        for job in range(jobs):
            length = read_job(tree, descents, job, joints[job])
            paths.append((descents.path_nodes[:length].copy(), descents.path_places[:length].copy()))
        parents = [int(nodes[-1]) + tree.row_at for nodes, _ in paths]
        rows = np.stack([tree.words[row : row + positions.words] for row in parents])
        seen = positions.expand(rows, joints, watch)
        for job, (nodes, places) in enumerate(paths):
            count = int(descents.item_count[descents.job_item[job]])
            if job >= len(seen.rows):
                value = self.unknown.copy()
            elif self._is_end(seen, job):
                value = self.values(seen.goals[job]) if seen.terminal[job] else self.unknown.copy()
                attach(tree, nodes, places, len(nodes), add_end(tree, value))
            else:
                if descents.job_expands[job]:
                    attach(tree, nodes, places, len(nodes), self._add(seen, job))
                goals = positions.playouts(seen.rows[job : job + 1], count, rng, watch)[0] / count
                value = self.values(goals)
                tree.counters[PLAYED] += count
            if self.priors != NO_PRIORS:
                note_path(self.tree, nodes, places, len(nodes), value, count)
            back_up(self.tree, nodes, places, len(nodes), value, count, self.options.regret)

    def _is_end(self, seen: Expansion, state: int) -> bool:
        """Whether a state is terminal, or someone has no move there."""
        roles = len(self.positions.roles)
        starts = seen.starts[state * roles : state * roles + roles + 1]
        return bool(seen.terminal[state] or (np.diff(starts) == 0).any())

    def _add(self, seen: Expansion, state: int) -> int:
        self._widen(int(seen.moves.max()) + 1)
        return super()._add(seen, state)

    def _widen(self, edges: int) -> None:
        """Which moves there are is found out as the game goes on."""
        if edges > self.edges:
            self.edges = 2 * edges
            more = self.edges - len(self.tree.root_visits)
            self.tree = self.tree._replace(
                root_sums=np.pad(self.tree.root_sums, ((0, more), (0, 0))),
                root_visits=np.pad(self.tree.root_visits, (0, more)),
                move_sums=np.pad(self.tree.move_sums, (0, more)),
                move_games=np.pad(self.tree.move_games, (0, more)),
                made_in=np.pad(self.tree.made_in, (0, more)),
            )
            self._descents = self._descents._replace(
                bounds=np.zeros(self.edges), priors=np.zeros(self.edges), given=np.zeros(self.edges, np.int32)
            )
