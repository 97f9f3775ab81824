"""`RootSummary`: the move, its value and the principal variation, from the trees of all workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from ludens.core import Candidate, Move, Role
from ludens.search.mcts.tree import EdgeView, NodeView
from ludens.search.mcts.tree_kernel import NO_CHILD, Floats
from ludens.search.mcts.worker import TreeWorker

MAX_PV = 200


@dataclass(slots=True)
class RootMove:
    """A move of the root, as all trees together see it."""

    move: int
    visits: float
    mean: float
    """For the role that chooses, scaled to 0..1."""
    proven: Floats | None


def best(choices: Sequence[RootMove], role: int) -> RootMove:
    """Return the most visited move, unless a proven one is better."""
    known = [choice for choice in choices if choice.proven is not None]
    open_ones = [choice for choice in choices if choice.proven is None]
    favourite = max(open_ones, key=lambda choice: (choice.visits, choice.mean), default=None)
    sure = max(known, key=lambda choice: (_worth(choice, role), choice.visits), default=None)
    if favourite is None or (sure is not None and _worth(sure, role) >= favourite.mean):
        assert sure is not None
        return sure
    return favourite


def _worth(choice: RootMove, role: int) -> float:
    return choice.mean if choice.proven is None else float(choice.proven[role])


class RootSummary:
    """The trees of some workers, whose roots are the same state, summed up for one role."""

    def __init__(self, workers: Sequence[TreeWorker], role: int, mixing: float | None, rng: Random) -> None:
        """`mixing`, with regret matching: the share of the visits that was made at random; the move is sampled."""
        proven = [worker for worker in workers if worker.root().proven]
        self.workers = proven[:1] or list(workers)
        self.proven = bool(proven)
        self.role = role
        root = self.workers[0].root()
        self._simultaneous = root.is_simultaneous
        self.choices = self._choices(role)
        self.chosen = self._choose(role, mixing, rng)
        self.mover = role if self._simultaneous else root.mover
        self.expected = self.chosen if self.mover == role else best(self._choices(self.mover), self.mover)
        """The move that the role with the choice is expected to make."""

    def _choices(self, role: int) -> list[RootMove]:
        """Return the moves of a role, with visits and values of all trees together."""
        merged: dict[int, list[EdgeView]] = {}
        for worker in self.workers:
            for edge in worker.root().edges(role):
                merged.setdefault(edge.move, []).append(edge)
        choices = []
        for move, edges in merged.items():
            visits = sum(edge.visits for edge in edges)
            total = sum(edge.mean * edge.visits for edge in edges)
            proven = next((edge.proven for edge in edges if edge.proven is not None), None)
            choices.append(RootMove(move, visits, total / visits if visits else 0.0, proven))
        return choices

    def _choose(self, role: int, mixing: float | None, rng: Random) -> RootMove:
        if not self._simultaneous or mixing is None or len(self.choices) == 1:
            return best(self.choices, role)
        self._judge_by_joints()
        visits = np.array([choice.visits for choice in self.choices], np.float64)
        weights = np.maximum(visits - mixing * visits.sum() / len(visits), 0.0)
        if not weights.any():
            return best(self.choices, role)
        return rng.choices(self.choices, weights.tolist())[0]

    def _judge_by_joints(self) -> None:
        """With regret matching the edges hold regrets; the means are those of the joints."""
        for choice in self.choices:
            sums, visits = self._joint_sums(choice.move)
            choice.mean = float(sums[self.role] / visits) if visits else 0.0

    def _joint_sums(self, move: int) -> tuple[Floats, int]:
        """Return the sums of the values [roles] and visits of all joints with a move of the role."""
        sums, visits = np.zeros(len(self.workers[0].view.roles)), 0
        for worker in self.workers:
            root = worker.root()
            numbers = {edge.edge for edge in root.edges(self.role) if edge.move == move}
            for choices, _, count, totals in root.joints():
                if int(choices[self.role]) in numbers:
                    sums += totals
                    visits += count
        return sums, visits

    def values(self) -> Floats:
        """Return the expected value of each role [roles], scaled to 0..1."""
        if self.proven:
            return self.workers[0].root().values
        by_chance = self.mover == self.workers[0].view.chance
        if self.expected.proven is not None and not by_chance:
            return self.expected.proven
        if self._simultaneous:
            sums, visits = self._joint_sums(self.chosen.move)
        else:
            sums, visits = self._edge_sums(None if by_chance else self.expected.move)
        return sums / visits if visits else self.workers[0].unknown

    def _edge_sums(self, move: int | None) -> tuple[Floats, int]:
        """Return the sums of the values [roles] and visits of a move of the root, or of all moves."""
        sums, visits = np.zeros(len(self.workers[0].view.roles)), 0
        for worker in self.workers:
            for edge in worker.root().edges(self.mover):
                if move is None or edge.move == move:
                    sums += worker.tree.root_sums[edge.edge]
                    visits += int(worker.tree.root_visits[edge.edge])
        return sums, visits

    def candidates(self) -> tuple[Candidate, ...]:
        """Return the moves of the role, the chosen one first."""
        worker = self.workers[0]
        if len(self.choices) == 1:
            value = float(worker.goals(self.values())[self.role])
            visits = int(sum(choice.visits for choice in self._choices(self.mover)))
            return (Candidate(worker.view.move(self.chosen.move), value, visits, self.proven),)
        span, low = worker.high[self.role] - worker.low[self.role], worker.low[self.role]
        order = sorted(self.choices, key=lambda choice: (choice is self.chosen, choice.visits), reverse=True)
        return tuple(
            Candidate(
                worker.view.move(choice.move),
                float(low + _worth(choice, self.role) * (span or 1.0)),
                int(choice.visits),
                choice.proven is not None,
            )
            for choice in order
        )

    def pv(self) -> tuple[Mapping[Role, Move], ...]:
        """Return the principal variation: the joint moves that are most likely to follow."""
        worker = self.workers[0]
        joint, child = _step(worker, worker.root(), {self.mover: self.expected.move, self.role: self.chosen.move})
        pv = [joint]
        while child != NO_CHILD and len(pv) < MAX_PV:
            node = NodeView(worker.tree, child)
            if node.edge_count == 0 or not (node.proven or node.visits):
                break
            joint, child = _step(worker, node, {})
            pv.append(joint)
        return tuple(pv)


def _step(worker: TreeWorker, node: NodeView, given: dict[int, int]) -> tuple[Mapping[Role, Move], int]:
    """Return the joint move that a node expects, and the child it leads to."""
    view = worker.view
    edges = [_favourite(node, role, given.get(role)) for role in range(len(view.roles))]
    joint = view.joint([edge.move for edge in edges])
    if not node.is_simultaneous:
        return joint, edges[node.mover].child
    numbers = [edge.edge for edge in edges]
    for choices, child, _, _ in node.joints():
        if choices.tolist() == numbers:
            return joint, child
    return joint, NO_CHILD


def _favourite(node: NodeView, role: int, move: int | None) -> EdgeView:
    """Return the edge with a move, or else the one that the role would take."""
    edges = node.edges(role)
    if move is not None:
        return next(edge for edge in edges if edge.move == move)
    choice = best([RootMove(edge.move, edge.visits, edge.mean, edge.proven) for edge in edges], role)
    return next(edge for edge in edges if edge.move == choice.move)
