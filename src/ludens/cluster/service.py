"""`WorkerService`: a worker that hears orders while it searches, and shows again and again that it lives.

As a program it serves a pool: orders come in, reports go out, and it ends with its input in the midst of a search.
"""

from __future__ import annotations

import os
import socket
import time
from queue import SimpleQueue
from threading import Event

from ludens.cluster.orders import Alive, AnyMatch, Failed, Finished, Order, Ready, Reporter, StopOrder, TurnOrder
from ludens.cluster.worker import SearchWorker
from ludens.errors import LudensError
from ludens.runtime.parent_channel import ParentChannel
from ludens.runtime.threads import start_thread

PAUSE = 0.01
"""Seconds between two attempts to stop a search that is just beginning."""
HEARTBEAT_SECONDS = 0.5


class WorkerService:
    """Does what orders say, one after the other; each ends the search that is under way."""

    def __init__(self, report: Reporter) -> None:
        self._report = report
        self._worker = SearchWorker()
        self._heard: SimpleQueue[Order] = SimpleQueue()
        self._waiting: SimpleQueue[AnyMatch | TurnOrder] = SimpleQueue()
        self._idle = Event()
        self._idle.set()
        for task in (self._live, self._listen, self._work):
            start_thread(task, f"ludens{task.__name__}")

    def tell(self, order: Order) -> None:
        """From any thread; nothing is waited for."""
        self._heard.put(order)

    def _live(self) -> None:
        sign = Alive(os.getpid(), socket.gethostname())
        while True:
            self._report(sign)
            time.sleep(HEARTBEAT_SECONDS)

    def _listen(self) -> None:
        while True:
            order = self._heard.get()
            while not self._idle.is_set():
                self._worker.stop()
                self._idle.wait(PAUSE)
            if not isinstance(order, StopOrder):
                self._idle.clear()
                self._waiting.put(order)

    def _work(self) -> None:
        while True:
            order = self._waiting.get()
            try:
                self._follow(order)
            except Exception as error:  # it is reported; the worker is there for the next order
                reason = str(error) if isinstance(error, LudensError) else f"{type(error).__name__}: {error}"
                failed = (
                    Failed(reason, turn=order.turn) if isinstance(order, TurnOrder) else Failed(reason, order.number)
                )
                self._report(failed)
            finally:
                self._idle.set()

    def _follow(self, order: AnyMatch | TurnOrder) -> None:
        if isinstance(order, TurnOrder):
            for suggestion in self._worker.search(order):
                self._report(suggestion)
            self._report(Finished(order.turn))
        else:
            self._worker.begin(order)
            self._report(Ready(order.number))


def main() -> None:
    channel = ParentChannel()
    service = WorkerService(channel.send_object)
    for order in channel.objects():
        service.tell(order)
    os._exit(0)


if __name__ == "__main__":
    main()
