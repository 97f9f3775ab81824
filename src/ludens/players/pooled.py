"""Players whose search is done by workers, on this computer or in a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from threading import Lock
from typing import TypeAlias

from ludens.cluster.connect import cluster_address
from ludens.cluster.gateway import open_pool
from ludens.cluster.orders import TreeOrder
from ludens.cluster.pool import WorkerPool
from ludens.cluster.trees import PooledTrees
from ludens.core import Decision, Move, Role, Searcher
from ludens.errors import ClusterError, PlayError
from ludens.game import Game, State
from ludens.players.preparation import Improvement, SearcherFactory
from ludens.players.searching import SearchingPlayer
from ludens.runtime.cores import available_cores
from ludens.runtime.deadline import Deadline
from ludens.search.mcts import MctsSearcher

MIN_WORKERS = 4
"""The least number of workers, even where there are fewer cores: else hardly any heuristic would be tried."""

CONNECTING_SHARE = 0.3
"""The part of the start clock that a cluster has to answer."""

PoolFactory: TypeAlias = Callable[[Game], WorkerPool]


class PooledPlayer(SearchingPlayer):
    """Has a pool for each match, and reports why workers failed."""

    def __init__(
        self,
        name: str,
        factory: SearcherFactory,
        rng: Random,
        nodes: int | None,
        improve: Improvement,
        pool: PoolFactory | None = None,
    ) -> None:
        super().__init__(name, factory, rng, nodes, improve)
        self._make_pool = pool
        self._pools: list[WorkerPool] = []
        self._pools_lock = Lock()

    def choose(self, state: State, role: Role, deadline: Deadline) -> Move | Decision:
        chosen = super().choose(state, role, deadline)
        with self._pools_lock:
            failures = [reason for pool in self._pools for reason in pool.failures]
        for reason in failures:
            self.report(f"a worker failed: {reason}")
        return chosen

    def _opened(self, game: Game, deadline: Deadline) -> WorkerPool:
        """A pool that is closed with the match; a cluster may take long to answer, so no turn may wait for this."""
        pool = self._pool_of(game, deadline)
        with self._pools_lock:
            if not deadline.passed:
                self._pools.append(pool)
                return pool
        pool.close()
        raise PlayError("it looks ahead without workers: there was not enough time to start them")

    def _pool_of(self, game: Game, deadline: Deadline) -> WorkerPool:
        if self._make_pool:
            return self._make_pool(game)
        size, waiting = max(MIN_WORKERS, len(available_cores())), deadline.share(CONNECTING_SHARE)
        try:
            return open_pool(size, cluster_address(), waiting)
        except ClusterError as error:
            if not deadline.passed:
                self.report(f"{error}; until then workers run on this computer")
            return open_pool(size, None, waiting)

    def _let_go(self, pool: WorkerPool) -> None:
        """Close a pool for which there is no use."""
        with self._pools_lock:
            self._pools = [one for one in self._pools if one is not pool]
        pool.close()

    def _give_up(self) -> None:
        super()._give_up()
        with self._pools_lock:
            pools, self._pools = self._pools, []
        for pool in pools:
            pool.close()


class ClusterUct(PooledPlayer):
    """Grows a Monte Carlo tree here and one at each worker, and adds up their roots."""

    def __init__(self, rng: Random, pool: PoolFactory | None = None) -> None:
        super().__init__("uct", MctsSearcher, rng, None, self._by_trees, pool)

    def _by_trees(self, game: Game, role: Role, deadline: Deadline, rng: Random) -> Iterator[Searcher]:
        pool = self._opened(game, deadline)
        pool.begin(TreeOrder(game.rules, role))
        yield PooledTrees(game, role, pool, MctsSearcher(game, role))
        pool.wait(deadline)


def uct(rng: Random, nodes: int | None = None) -> SearchingPlayer:
    """In a cluster if there is one, unless play has to be repeatable."""
    if nodes is None and cluster_address():
        return ClusterUct(rng)
    return SearchingPlayer("uct", MctsSearcher, rng, nodes)
