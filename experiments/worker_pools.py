"""The player `kuhlmann` with as many workers as are wanted: simulated ones, or processes of this computer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from random import Random
from threading import Event

from ludens.cluster.orders import AnyMatch, MatchOrder, Suggestion, TurnOrder
from ludens.cluster.remote_pool import LocalPool
from ludens.cluster.worker import SearchWorker
from ludens.core import Player
from ludens.game import Game
from ludens.players.kuhlmann import KuhlmannPlayer
from ludens.runtime.deadline import Deadline

NODES = 500
"""What a simulated worker searches if nobody says how much."""
TABLE_BYTES = 2**18
"""What a simulated worker remembers: enough for a few thousand nodes, and there may be hundreds of them."""


class SimulatedPool:
    """Workers that search one after the other, each as much as if all did so at once; time is counted in nodes.

    Each keeps what it remembers to itself, as processes do, so that what they suggest does not depend on the order.
    """

    failures: Sequence[str] = ()

    def __init__(self, size: int, game: Game) -> None:
        self.size = size
        self._workers = [SearchWorker(game) for _ in range(size)]
        self._waiting: Sequence[TurnOrder] = ()
        self._stopped = Event()

    @property
    def busy(self) -> int:
        return 0 if self._stopped.is_set() else len(self._waiting)

    def begin(self, match: AnyMatch) -> None:
        for worker in self._workers:
            worker.begin(with_small_table(match) if isinstance(match, MatchOrder) else match)

    def wait(self, deadline: Deadline) -> bool:
        return True

    def search(self, orders: Sequence[TurnOrder]) -> None:
        self._stopped.clear()
        self._waiting = orders

    def suggestions(self, seconds: float) -> list[Suggestion]:
        """All of the turn in the order of their time, however long that takes."""
        found: list[Suggestion] = []
        for worker, order in zip(self._workers, self._waiting, strict=False):
            if not self._stopped.is_set():
                found += worker.search(order)
        self._waiting = ()
        return sorted(found, key=lambda suggestion: suggestion.nodes)

    def stop(self) -> None:
        self._stopped.set()
        for worker in self._workers:
            worker.stop()

    def close(self) -> None:
        self.stop()


def with_small_table(match: MatchOrder) -> MatchOrder:
    return replace(match, options=replace(match.options, table_bytes=TABLE_BYTES))


def _simulated(count: int, rng: Random, nodes: int | None) -> Player:
    """Each worker searches as much as the only one of another player."""
    return KuhlmannPlayer(rng, count * (nodes or NODES), partial(SimulatedPool, count))


def _processes(count: int, rng: Random, nodes: int | None) -> Player:
    """By the clock alone: processes share the cores, so equal nodes would not be equal time."""
    return KuhlmannPlayer(rng, None, lambda game: LocalPool(count))


workers_1, workers_2, workers_4, workers_8, workers_16, workers_64 = (
    partial(_simulated, count) for count in (1, 2, 4, 8, 16, 64)
)
processes_1, processes_2, processes_4, processes_8 = (partial(_processes, count) for count in (1, 2, 4, 8))
