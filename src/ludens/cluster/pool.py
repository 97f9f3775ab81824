"""`WorkerPool`, the interface of a searcher to workers wherever they run, and `SerialPool`, the simplest one."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Protocol

from ludens.cluster.orders import AnyMatch, Suggestion, TurnOrder
from ludens.cluster.worker import SearchWorker
from ludens.game import Game
from ludens.runtime.deadline import Deadline


class WorkerPool(Protocol):
    """Workers that search at the same time; only `wait` and `suggestions` wait for them.

    Workers may be slow, die, or join late: then there are fewer suggestions, and nothing else happens.
    """

    @property
    def size(self) -> int:
        """The number of workers when all is well."""
        ...

    @property
    def busy(self) -> int:
        """The number of workers that search in the turn."""
        ...

    @property
    def failures(self) -> Sequence[str]:
        """The reasons why workers failed, in words; each reason once."""
        ...

    def begin(self, match: AnyMatch) -> None:
        """Have all workers get ready for a match."""
        ...

    def wait(self, deadline: Deadline) -> bool:
        """Wait until all workers are ready, or a search begins; return whether they are. It always ends."""
        ...

    def search(self, orders: Sequence[TurnOrder]) -> None:
        """Begin a turn with an order for each worker; one that is not ready yet gets it later in the turn."""
        ...

    def suggestions(self, seconds: float) -> list[Suggestion]:
        """Return the suggestions of this turn since the last call, waiting for the first one at most this long."""
        ...

    def stop(self) -> None:
        """End the turn, from any thread."""
        ...

    def close(self) -> None:
        """Let all workers go."""
        ...


def searching_seconds(deadline: Deadline, transit: float) -> float:
    """Return how long workers may search, less the transit of suggestions, at most a tenth of the time."""
    left = deadline.remaining
    return left - min(transit, 0.1 * left)


class SerialPool:
    """Does the work of all workers itself, one after the other: slow, but deterministic."""

    failures: Sequence[str] = ()

    def __init__(self, size: int, game: Game) -> None:
        self.size = size
        self._worker = SearchWorker(game)
        self._waiting: deque[TurnOrder] = deque()
        self._turn = Deadline.never()

    @property
    def busy(self) -> int:
        return 0 if self._turn.cancelled else len(self._waiting)

    def begin(self, match: AnyMatch) -> None:
        self._worker.begin(match)

    def wait(self, deadline: Deadline) -> bool:
        return True

    def search(self, orders: Sequence[TurnOrder]) -> None:
        self._waiting = deque(orders)
        self._turn = Deadline.never()

    def suggestions(self, seconds: float) -> list[Suggestion]:
        """Return all suggestions of one worker, however long that takes."""
        found: list[Suggestion] = []
        if self.busy:
            for suggestion in self._worker.search(self._waiting.popleft()):
                found.append(suggestion)
                if self._turn.cancelled:
                    self._worker.stop()
        return found

    def stop(self) -> None:
        self._turn.cancel()
        self._worker.stop()

    def close(self) -> None:
        self.stop()
