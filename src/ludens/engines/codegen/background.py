"""Work that is done once, in a thread of its own."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from threading import Event, Thread

from ludens.engines.codegen.machine import end_thread, join_at_exit


class Background(ABC):
    """Does its work at most once in a process. Whatever goes wrong ends in `error`, and nobody else is disturbed.

    A copy of the process (`os.fork`) has no such thread; it does the work anew if it asks for it again.
    """

    thread_name = "ludens-background"

    def __init__(self) -> None:
        self.error: Exception | None = None
        self._cancelled = Event()
        self._begun: dict[int, tuple[Thread, Event]] = {}
        """The thread of a process, and what tells that its work is over."""

    @abstractmethod
    def work(self) -> None:
        """What is to be done; it may look at `_cancelled` and give up."""

    def start(self) -> None:
        """Begin, unless that was done before."""
        over = Event()
        new = Thread(target=self._run, args=(over,), name=self.thread_name, daemon=True), over
        if self._begun.setdefault(os.getpid(), new) is not new:  # in one step, so that only one thread begins
            return
        try:
            new[0].start()
            join_at_exit(self, new[0], self._cancelled)
        except (RuntimeError, MemoryError) as error:  # there can be no more threads
            self.error = error
            over.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Begin if need be, and wait until it is over; whether that is so."""
        self.start()
        return self._begun[os.getpid()][1].wait(seconds)

    def cancel(self) -> None:
        """Give up, and wait until nothing is being done any more."""
        if begun := self._begun.get(os.getpid()):
            end_thread(begun[0], self._cancelled)

    def _run(self, over: Event) -> None:
        try:
            self.work()
        except Exception as error:
            self.error = error
        finally:
            over.set()
