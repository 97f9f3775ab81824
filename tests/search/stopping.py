"""Stopping a search from another thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from ludens.core import Searcher


@contextmanager
def stopped(searcher: Searcher, seconds: float) -> Iterator[None]:
    """Stop it every `seconds`: a stop that comes before the search is under way does not count."""
    finished = Event()

    def stop() -> None:
        while not finished.wait(seconds):
            searcher.stop()

    thread = Thread(target=stop)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
