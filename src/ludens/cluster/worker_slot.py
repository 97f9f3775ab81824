"""`WorkerSlot`: a worker as a pool sees it, one link after the other."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from ludens.cluster.orders import Alive, AnyMatch, Order, Report, Reporter, StopOrder, TurnOrder
from ludens.runtime.deadline import Deadline

FIRST_SIGN_SECONDS, MAX_FIRST_SIGN = 30.0, 480.0
"""A worker without a sign of life in this time after its start is replaced; the next one has twice as long, up to a
bound: the computer may be slow."""
SILENT_SECONDS = 5.0
"""A worker that falls silent for this time is taken to be frozen, and replaced."""
MIN_PAUSE, MAX_PAUSE = 0.5, 30.0
"""Seconds until a worker that was lost is replaced; twice as many each time, until one has lasted."""
LASTING_SECONDS = 10.0
"""A worker that was ready for this long is no failed attempt."""


class Link(Protocol):
    """A worker that was started, for as long as it lives; only `wait` ever waits.

    All that comes from the worker is given to the reporter, in threads of the link: after `Gone` there is nothing more.
    A `ChildProcess` is one.
    """

    @property
    def pid(self) -> int | None:
        """The number of the worker's process, as far as it is known."""
        ...

    def send_object(self, order: Order, /) -> None: ...

    def kill(self) -> None:
        """End the worker at once, whatever it does."""
        ...

    def wait(self, deadline: Deadline) -> bool:
        """Wait until nothing is left of a worker that was ended; return whether that is so in time."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether nothing is left of it."""
        ...


LinkFactory: TypeAlias = Callable[[Reporter], Link]
"""Starts a worker; OSError or RuntimeError if that cannot be tried."""


@dataclass(frozen=True, slots=True)
class WorkerNews:
    """A report of a worker; links that were replaced are known by their number."""

    slot: int
    link: int
    report: Report


class WorkerSlot:
    """Keeps a worker alive: one that dies or is silent is replaced by a new one, which is told of the match again."""

    def __init__(self, number: int, open_link: LinkFactory, note: Callable[[WorkerNews], None]) -> None:
        """`note` is called from the threads of links."""
        self.link: Link | None = None
        self.links: list[Link] = []
        """All of which something may be left, until they are joined."""
        self.number = number
        self.is_busy = False
        self.host: str | None = None
        """The name of the computer where the worker is, once it was heard of."""
        self._open_link, self._note = open_link, note
        self._starts = 0
        self._pause = MIN_PAUSE
        self._doublings = 0
        self._start_at = 0.0
        self._silent_since = 0.0
        self._ready_since: float | None = None

    @property
    def is_ready(self) -> bool:
        return self._ready_since is not None

    def begin(self, match: AnyMatch) -> None:
        self._ready_since = None
        if self.link:
            self.link.send_object(match)

    def tell(self, order: TurnOrder) -> None:
        """Only to one that is ready."""
        assert self.link
        self.is_busy = True
        self.link.send_object(order)

    def stop(self) -> None:
        if self.link and self.is_busy:
            self.link.send_object(StopOrder())
        self.is_busy = False

    def mend(self, match: AnyMatch | None) -> str | None:
        """Open a new link where there is none, or where it was silent for too long; return what was wrong, in words."""
        trouble = None
        if self.link and time.monotonic() - self._silent_since > self._patience:
            self._doublings += self.host is None
            trouble = f"a worker {self._where}said nothing for {self._patience:.0f} seconds"
            self.lose()
        if self.link is None and time.monotonic() >= self._start_at:
            try:
                self._start()
            except (OSError, RuntimeError) as error:  # no more processes, no more threads
                self.lose()
                return f"a worker cannot be started: {error}"
            if self.link and match:
                self.link.send_object(match)
        return trouble

    @property
    def _where(self) -> str:
        return f"on {self.host} " if self.host else ""

    @property
    def _patience(self) -> float:
        first = min(FIRST_SIGN_SECONDS * 2**self._doublings, MAX_FIRST_SIGN)
        return first if self.host is None else SILENT_SECONDS

    def _start(self) -> None:
        self._starts += 1
        number, self._silent_since, self.host = self._starts, time.monotonic(), None

        def report(what: Report) -> None:
            if number == self._starts:
                self._silent_since = time.monotonic()
                if isinstance(what, Alive):
                    self.host, self._doublings = what.host, 0
                else:
                    self._note(WorkerNews(self.number, number, what))

        self.link = self._open_link(report)
        self.links = [link for link in self.links if not link.is_over] + [self.link]

    def is_current(self, news: WorkerNews) -> bool:
        return self.link is not None and news.link == self._starts

    def ready(self) -> None:
        self._ready_since = time.monotonic()

    def lose(self) -> None:
        """Give the link up; the next one comes a little later."""
        if self.link:
            self.link.kill()
        now = time.monotonic()
        lasted = self._ready_since is not None and now - self._ready_since > LASTING_SECONDS
        self._pause = MIN_PAUSE if lasted else self._pause
        self._start_at = now + self._pause
        self._pause = min(2 * self._pause, MAX_PAUSE)
        self.link = self.host = self._ready_since = None
        self.is_busy = False

    def leave(self) -> list[Link]:
        """Lose the worker for good; return the links that are to be joined."""
        self.lose()
        links, self.links = self.links, []
        return links
