"""`LinkedPool`: workers elsewhere, each at the end of a link."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from queue import Empty, SimpleQueue
from threading import RLock

from ludens.cluster.link import LinkFactory
from ludens.cluster.orders import AnyMatch, Failed, Finished, Gone, Ready, Suggestion, TurnOrder
from ludens.cluster.place import News, Place
from ludens.core import Deadline

GLANCE = 0.02
"""Seconds between two looks at whether all workers are ready."""
ENDLESS_SECONDS = 60.0
"""Workers that do not get ready are waited for so long where there is no deadline: it may be that they never do."""
CLOSE_SECONDS = 5.0
"""Workers that cannot be reached are not waited for longer than this when they are let go."""


class LinkedPool:
    """As many workers as are wanted; one that dies or freezes is replaced by a new one.

    They are started at once, and join when they are ready. One thread may wait for that while another searches.
    """

    def __init__(self, size: int, open_link: LinkFactory) -> None:
        self.size = size
        self._failures: dict[str, None] = {}
        self._news: SimpleQueue[News] = SimpleQueue()
        self._places = [Place(number, open_link, self._news.put) for number in range(size)]
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
        return sum(place.is_busy for place in self._places)

    @property
    def ready(self) -> int:
        """How many workers can search."""
        return sum(place.is_ready for place in self._places)

    @property
    def failures(self) -> tuple[str, ...]:
        return tuple(self._failures)

    @property
    def pids(self) -> list[int]:
        """Of the workers that there are now, as far as they are known."""
        return [place.link.pid for place in self._places if place.link and place.link.pid is not None]

    def begin(self, match: AnyMatch) -> None:
        with self._lock:
            self.stop()
            self._take_in()
            self._match = replace(match, number=next(self._numbers))
            for place in self._places:
                place.begin(self._match)
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
            time.sleep(GLANCE)

    def search(self, orders: Sequence[TurnOrder]) -> None:
        with self._lock:
            self.stop()
            self._take_in()
            self._turn = next(self._numbers)
            self._orders = [replace(order, turn=self._turn) for order in orders]
            self._deadline = Deadline(max((order.seconds for order in orders), default=0.0))
            self._mend()
            for place in self._places:
                if place.is_ready:
                    self._tell(place)

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
            for place in self._places:
                place.stop()

    def close(self) -> None:
        with self._lock:
            self._orders, self._match = [], None
            self._is_closed = True
            links = [link for place in self._places for link in place.leave()]
        until = Deadline(CLOSE_SECONDS)
        for link in links:
            link.join(max(0.0, until.remaining))

    def _tell(self, place: Place) -> None:
        if place.number < len(self._orders):
            place.tell(self._orders[place.number].left_until(self._deadline))

    def _mend(self) -> None:
        for place in self._places if not self._is_closed else ():
            if trouble := place.mend(self._match):
                self._failures[trouble] = None

    def _take_in(self, seconds: float = 0.0) -> list[Suggestion]:
        """All that has come in; the first is waited for."""
        found: list[Suggestion] = []
        with suppress(Empty):
            news = self._news.get(timeout=min(seconds, 1e6)) if seconds > 0 else self._news.get_nowait()
            while True:
                self._note(news, found)
                news = self._news.get_nowait()
        return found

    def _note(self, news: News, found: list[Suggestion]) -> None:
        place, report = self._places[news.place], news.report
        if not place.is_current(news):
            return
        if isinstance(report, Suggestion):
            if self._orders and report.turn == self._turn:
                found.append(report)
        elif isinstance(report, Ready):
            if self._match and report.match == self._match.number:
                place.ready()
                self._tell(place)
        elif isinstance(report, Finished):
            place.is_busy &= report.turn != self._turn
        elif isinstance(report, Failed):
            self._note_failure(place, report)
        elif isinstance(report, Gone):
            self._failures[report.reason] = None
            place.lose()

    def _note_failure(self, place: Place, failure: Failed) -> None:
        if failure.match is None:
            self._failures[failure.reason] = None
            place.is_busy &= failure.turn != self._turn
        elif self._match and failure.match == self._match.number:
            self._failures[failure.reason] = None
            place.lose()
