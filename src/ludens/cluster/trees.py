"""`PooledTrees`: one Monte Carlo tree here and one at each worker of a pool, whose roots are added up."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

from ludens.cluster.orders import Suggestion, Task, TurnOrder
from ludens.cluster.pool import WorkerPool, searching_seconds
from ludens.core import Candidate, Decision, Limit, Move, Role, Searcher
from ludens.game import Game, State
from ludens.search.base import check_open

TRANSIT_SECONDS = 0.05
"""Seconds that a root may take on its way."""


def merge_trees(own: Decision, role: Role, suggestions: Iterable[Suggestion]) -> Decision:
    """Return the decision of the own tree and those of workers: the proven move, or else the most visited one."""
    found = list(suggestions)
    nodes = own.nodes + sum(suggestion.nodes for suggestion in found)
    certain = next((suggestion for suggestion in found if suggestion.proven), None)
    if own.proven or not found:
        return replace(own, nodes=nodes)
    if certain:
        values = {**own.values, role: certain.value}
        return Decision(certain.move, values, certain.pv, certain.candidates, True, nodes, depth=certain.depth)
    candidates = _merge_candidates([*own.candidates, *(one for suggestion in found for one in suggestion.candidates)])
    best = candidates[0]
    pvs = [own.pv if own.move == best.move else (), *(one.pv for one in found if one.move == best.move)]
    return replace(
        own,
        move=best.move,
        values={**own.values, role: best.value},
        pv=max(pvs, key=len),
        candidates=tuple(candidates),
        nodes=nodes,
        depth=max(own.depth, *(suggestion.depth for suggestion in found)),
    )


def _merge_candidates(told: Iterable[Candidate]) -> list[Candidate]:
    """Return each move once, the best first: the most visited one, unless a proven one is as good."""
    by_move: dict[Move, list[Candidate]] = {}
    for candidate in told:
        by_move.setdefault(candidate.move, []).append(candidate)
    joined = [_merge_move(move, candidates) for move, candidates in by_move.items()]
    unsure = [one for one in joined if not one.proven]
    bar = max(unsure, key=lambda one: one.visits).value if unsure else 0.0

    def rank(one: Candidate) -> tuple[float, float, int]:
        if not one.proven:
            return 1, 0.0, one.visits
        return 2 if one.value >= bar else 0, one.value, one.visits

    return sorted(joined, key=rank, reverse=True)


def _merge_move(move: Move, candidates: Sequence[Candidate]) -> Candidate:
    visits = sum(one.visits for one in candidates)
    proven = next((one for one in candidates if one.proven), None)
    total = sum(one.value * one.visits for one in candidates)
    return Candidate(move, proven.value if proven else total / max(1, visits), visits, proven is not None)


class PooledTrees:
    """Searches here as if there were no workers, and adds what they have found by then, without waiting."""

    name = "uct"

    def __init__(self, game: Game, role: str, pool: WorkerPool, own: Searcher) -> None:
        self._role = Role(game.roles[game.role_index(role)])
        self._pool, self._own = pool, own

    def search(self, state: State, limit: Limit, rng: Random) -> Decision:
        check_open(state)
        begun = time.monotonic()
        self._pool.search(self._orders(state, limit, rng))
        found: dict[Task, Suggestion] = {}
        try:
            own = self._own.search(state, limit, rng)
            found |= {suggestion.task: suggestion for suggestion in self._pool.suggestions(0)}
        finally:
            self._pool.stop()
        return replace(merge_trees(own, self._role, found.values()), seconds=time.monotonic() - begun)

    def advance(self, state: State) -> None:
        self._own.advance(state)

    def stop(self) -> None:
        self._own.stop()
        self._pool.stop()

    def _orders(self, state: State, limit: Limit, rng: Random) -> list[TurnOrder]:
        seconds = searching_seconds(limit.deadline, TRANSIT_SECONDS)
        tasks = [Task(None, rng.getrandbits(32)) for _ in range(self._pool.size)]
        return [TurnOrder(state.facts, task, seconds, limit.nodes, limit.depth) for task in tasks]
