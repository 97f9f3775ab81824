"""`RemotePool`: workers in other processes, each at the end of a link; `LocalPool` runs them on this computer."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from queue import Empty, SimpleQueue
from threading import RLock

from ludens.cluster.memory import memory_limit
from ludens.cluster.orders import AnyMatch, Failed, Finished, Gone, Ready, Reporter, Suggestion, TurnOrder
from ludens.cluster.worker_slot import LinkFactory, WorkerNews, WorkerSlot
from ludens.runtime.deadline import Deadline
from ludens.runtime.processes import ChildProcess, Ending, ProcessLimits, python_command, read_objects

MODULE = "ludens.cluster.service"
POLL_SECONDS = 0.02
"""Seconds between two looks at whether all workers are ready."""
ENDLESS_SECONDS = 60.0
"""The longest wait for workers where there is no deadline: they may never get ready."""
CLOSE_SECONDS = 5.0
"""The longest wait for workers that end."""


class RemotePool:
    """A number of workers; one that dies or freezes is replaced by a new one.

    They are started at once, and join when they are ready. One thread may wait for that while another searches.
    """

    def __init__(self, size: int, open_link: LinkFactory) -> None:
        self.size = size
        self._failures: dict[str, None] = {}
        self._news: SimpleQueue[WorkerNews] = SimpleQueue()
        self._slots = [WorkerSlot(number, open_link, self._news.put) for number in range(size)]
        self._numbers = count(1)
        self._match: AnyMatch | None = None
        self._orders: list[TurnOrder] = []
        self._turn = 0
        self._deadline = Deadline(0)
        self._lock = RLock()
        self._is_closed = False
        self._mend()

    @property
    def busy(self) -> int:
        return sum(slot.is_busy for slot in self._slots)

    @property
    def ready(self) -> int:
        """The number of workers that can search."""
        return sum(slot.is_ready for slot in self._slots)

    @property
    def failures(self) -> tuple[str, ...]:
        return tuple(self._failures)

    @property
    def pids(self) -> list[int]:
        """The processes of the workers that there are now, as far as they are known."""
        return [slot.link.pid for slot in self._slots if slot.link and slot.link.pid is not None]

    def begin(self, match: AnyMatch) -> None:
        with self._lock:
            self.stop()
            self._match = replace(match, number=next(self._numbers))
            self._take_in()  # what comes from the match before, failures too, does not count any more
            for slot in self._slots:
                slot.begin(self._match)
            self._mend()

    def wait(self, deadline: Deadline) -> bool:
        until = Deadline(ENDLESS_SECONDS if math.isinf(deadline.remaining) else deadline.remaining)
        while True:
            with self._lock:
                if self._match is None or self._orders:
                    return False
                self._take_in()
                self._mend()
                if self.ready == self.size:
                    return True
            if deadline.passed or until.passed:
                return False
            time.sleep(POLL_SECONDS)

    def search(self, orders: Sequence[TurnOrder]) -> None:
        with self._lock:
            self.stop()
            self._take_in()
            self._turn = next(self._numbers)
            self._orders = [replace(order, turn=self._turn) for order in orders]
            self._deadline = Deadline(max((order.seconds for order in orders), default=0.0))
            self._mend()
            for slot in self._slots:
                if slot.is_ready:
                    self._tell(slot)

    def suggestions(self, seconds: float) -> list[Suggestion]:
        until = Deadline(seconds)
        with self._lock:
            found = self._take_in()
            while not found and not until.passed and self.busy:
                found = self._take_in(until.remaining)
            self._mend()
        return found

    def stop(self) -> None:
        with self._lock:
            self._orders = []
            for slot in self._slots:
                slot.stop()

    def close(self) -> None:
        with self._lock:
            self._orders, self._match = [], None
            self._is_closed = True
            links = [link for slot in self._slots for link in slot.leave()]
        until = Deadline(CLOSE_SECONDS)
        for link in links:
            link.wait(until)

    def _tell(self, slot: WorkerSlot) -> None:
        if slot.number < len(self._orders):
            slot.tell(self._orders[slot.number].left_until(self._deadline))

    def _mend(self) -> None:
        for slot in self._slots if not self._is_closed else ():
            if trouble := slot.mend(self._match):
                self._failures[trouble] = None

    def _take_in(self, seconds: float = 0.0) -> list[Suggestion]:
        """Return the suggestions that have come in, waiting for the first."""
        found: list[Suggestion] = []
        with suppress(Empty):
            news = self._news.get(timeout=min(seconds, 1e6)) if seconds > 0 else self._news.get_nowait()
            while True:
                self._note(news, found)
                news = self._news.get_nowait()
        return found

    def _note(self, news: WorkerNews, found: list[Suggestion]) -> None:
        slot, report = self._slots[news.slot], news.report
        if not slot.is_current(news):
            return
        if isinstance(report, Suggestion):
            if self._orders and report.turn == self._turn:
                found.append(report)
        elif isinstance(report, Ready):
            if self._match and report.match == self._match.number:
                slot.ready()
                self._tell(slot)
        elif isinstance(report, Finished):
            slot.is_busy &= report.turn != self._turn
        elif isinstance(report, Failed):
            self._note_failure(slot, report)
        elif isinstance(report, Gone):
            self._failures[report.reason] = None
            slot.lose()

    def _note_failure(self, slot: WorkerSlot, failure: Failed) -> None:
        if failure.match is None:
            self._failures[failure.reason] = None
            slot.is_busy &= failure.turn != self._turn
        elif self._match and failure.match == self._match.number:
            self._failures[failure.reason] = None
            slot.lose()


class LocalPool(RemotePool):
    """Processes of this computer; none may take memory that the others need."""

    def __init__(self, size: int) -> None:
        command = python_command(MODULE, limits=ProcessLimits(data_bytes=memory_limit(size)))

        def open_link(report: Reporter) -> ChildProcess:
            def note_end(ending: Ending) -> None:
                report(Gone(f"the process of a worker {ending}"))

            return ChildProcess(command, read_objects(report), note_end)

        super().__init__(size, open_link)
