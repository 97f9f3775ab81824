"""What a cluster costs a turn: workers on three Ray nodes of this computer, one of which is removed in mid-turn.

`python -m benchmarks.cluster_turns` prints it. Overhead is what a turn takes beyond its clock, and how long the first
suggestion takes, both with next to nothing to search.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from random import Random
from typing import Any

from ludens import load
from ludens.cluster.connect import CLUSTER_TIMES, LOOPBACK, ray_environment
from ludens.cluster.gateway import RayPool
from ludens.cluster.orders import MatchOrder, Task, TurnOrder
from ludens.cluster.remote_pool import LocalPool, RemotePool
from ludens.cluster.searcher import PooledSearcher
from ludens.cluster.worker import make_searcher
from ludens.core import Limit
from ludens.game import Game
from ludens.players.kuhlmann import find_ideas
from ludens.runtime.deadline import Deadline

SHEET, SEED, PATIENCE = "breakthrough", 1, 300.0


def opened_cluster(nodes: int) -> Any:
    """Ray nodes that listen to this computer alone."""
    os.environ.update(ray_environment(f"{LOOPBACK}:0") | CLUSTER_TIMES)
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "include_dashboard": False, "node_ip_address": LOOPBACK}
    cluster: Any = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(nodes - 1):
        cluster.add_node(num_cpus=1, node_ip_address=LOOPBACK)
    return cluster


class Measurement:
    """Turns with the workers of one pool."""

    def __init__(self, game: Game, match: MatchOrder, pool: RemotePool) -> None:
        self._state, self._pool, self._rng = game.initial_state(), pool, Random(SEED)
        priors = (0.1,) * len(match.heuristics)
        self._searcher = PooledSearcher(game, match, pool, make_searcher(game, match, 0), priors)
        self._match = match

    def start(self) -> float:
        begun = time.monotonic()
        self._pool.begin(self._match)
        if not self._pool.wait(Deadline(PATIENCE)):
            raise SystemExit(f"not all workers got ready: {', '.join(self._pool.failures)}")
        return time.monotonic() - begun

    def round_trip(self) -> float:
        """Seconds until all workers have answered an order of one node."""
        tasks = [Task(None, number) for number in range(self._pool.size)]
        begun = time.monotonic()
        self._pool.search([TurnOrder(self._state.facts, task, PATIENCE, nodes=1) for task in tasks])
        while self._pool.busy:
            self._pool.suggestions(PATIENCE)
        return time.monotonic() - begun

    def overtime(self, seconds: float) -> float:
        """Seconds that a turn takes beyond its clock."""
        begun = time.monotonic()
        self._searcher.search(self._state, Limit.of(seconds=seconds), self._rng)
        return time.monotonic() - begun - seconds

    def loss(self, seconds: float, harm: Callable[[], None]) -> tuple[float, float]:
        """The overtime of the turn in which a node is lost, and the seconds until all workers are back."""
        tasks = [Task(None, number) for number in range(self._pool.size)]
        self._pool.search([TurnOrder(self._state.facts, task, PATIENCE) for task in tasks])
        self._pool.suggestions(PATIENCE)
        harm()
        begun, over = time.monotonic(), self.overtime(seconds)
        while self._pool.ready == self._pool.size and time.monotonic() - begun < PATIENCE:
            self._pool.wait(Deadline(0.05))
            self.overtime(0.2)
        while self._pool.ready < self._pool.size and time.monotonic() - begun < PATIENCE:
            self._pool.wait(Deadline(0.1))
        return over, time.monotonic() - begun


def report(name: str, turns: Measurement, count: int, seconds: float) -> None:
    ready = turns.start()
    trips = [1000 * turns.round_trip() for _ in range(count)]
    overs = [1000 * turns.overtime(seconds) for _ in range(count)]
    print(f"{name}: ready in {ready:.1f} s; {_summary('round trip', trips)}; {_summary('overtime', overs)}")


def _summary(name: str, numbers: list[float]) -> str:
    return f"{name} {statistics.median(numbers):.0f} ms, at most {max(numbers):.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1.0, help="the clock of a turn")
    chosen = parser.parse_args()
    game = load(SHEET)
    game.compile()
    ideas = find_ideas(game, Deadline.never(), Random(SEED))
    match = MatchOrder(game.rules, game.roles[0], ideas.kind, ideas.heuristics)
    local = LocalPool(chosen.workers)
    report(f"{chosen.workers} processes", Measurement(game, match, local), chosen.turns, chosen.seconds)
    local.close()
    cluster = opened_cluster(3)
    pool = RayPool(cluster.address, chosen.workers)
    turns = Measurement(game, match, pool)
    try:
        report(f"{chosen.workers} workers on 3 Ray nodes", turns, chosen.turns, chosen.seconds)
        node = sorted(cluster.worker_nodes, key=str)[0]
        over, back = turns.loss(chosen.seconds, lambda: cluster.remove_node(node, allow_graceful=False))
        print(f"a node removed in mid-turn: overtime {1000 * over:.0f} ms, all workers back after {back:.0f} s")
    finally:
        pool.close()
        cluster.shutdown()


if __name__ == "__main__":
    main()
