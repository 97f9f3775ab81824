"""The player `kuhlmann` with as many workers as are wanted: simulated ones, or processes of this computer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from threading import Event
from types import MappingProxyType

from ludens.cluster.orders import AnyMatch, MatchOrder, Suggestion, TurnOrder
from ludens.cluster.remote_pool import LocalPool
from ludens.cluster.worker import SearchWorker
from ludens.core import Player
from ludens.game import Game
from ludens.players import PlayerFactory
from ludens.players.kuhlmann import KuhlmannPlayer
from ludens.runtime.deadline import Deadline

COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 200)
"""How many workers a player may have; almost 200 were those of the paper."""
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


def simulated_workers(count: int) -> str:
    """The name of a player with simulated workers; each of them searches as much as the only one of another player.

    >>> simulated_workers(1), simulated_workers(8)
    ('1 worker', '8 workers')
    """
    return f"{count} worker{'s' if count > 1 else ''}"


def processes(count: int) -> str:
    """The name of a player with processes, which share the cores of this computer."""
    return f"{count} process{'es' if count > 1 else ''}"


def _by_simulation(count: int, rng: Random, nodes: int | None) -> Player:
    return KuhlmannPlayer(rng, count * (nodes or NODES), partial(SimulatedPool, count))


def _by_processes(count: int, rng: Random, nodes: int | None) -> Player:
    """By the clock alone: processes share the cores, so equal nodes would not be equal time."""
    return KuhlmannPlayer(rng, None, lambda game: LocalPool(count))


def _players(name: Callable[[int], str], make: Callable[[int, Random, int | None], Player]) -> dict[str, PlayerFactory]:
    return {name(count): partial(make, count) for count in COUNTS}


POOLED_PLAYERS: Mapping[str, PlayerFactory] = MappingProxyType(
    _players(simulated_workers, _by_simulation) | _players(processes, _by_processes)
)
