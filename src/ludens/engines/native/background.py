"""Work that is done once, in a thread of its own."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from threading import Event, Thread

from ludens.engines.backend.machine_code import end_thread, join_at_exit
from ludens.runtime.deadline import Deadline
from ludens.runtime.threads import start_thread


class Background(ABC):
    """Does its work at most once in a process. Whatever goes wrong ends in `error`, and nobody else is disturbed.

    A copy of the process (`os.fork`) has no such thread; it does the work again if it asks for it.
    """

    thread_name = "ludens-background"

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.deadline = Deadline.never()
        """Cancelled when the work is to be given up."""
        self._over: dict[int, Event] = {}
        """What tells that the work is over, by process."""
        self._threads: dict[int, Thread] = {}

    @abstractmethod
    def work(self) -> None:
        """What is to be done; it may look at `deadline` and give up."""

    def start(self) -> None:
        """Begin, unless that was done before."""
        over = Event()
        if self._over.setdefault(os.getpid(), over) is not over:  # in one step, so that only one thread begins
            return
        try:
            thread = self._threads[os.getpid()] = start_thread(lambda: self._run(over), self.thread_name)
            join_at_exit(self, thread, self.deadline)
        except (RuntimeError, MemoryError) as error:  # there can be no more threads
            self.error = error
            over.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Begin if need be, and wait until it is over; whether that is so."""
        self.start()
        return self._over[os.getpid()].wait(seconds)

    def cancel(self) -> None:
        """Give up, and wait until nothing is being done any more."""
        if thread := self._threads.get(os.getpid()):
            end_thread(thread, self.deadline)

    def _run(self, over: Event) -> None:
        try:
            self.work()
        except Exception as error:
            self.error = error
        finally:
            over.set()
