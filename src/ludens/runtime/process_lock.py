"""Locks that survive the copying of a process."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from threading import RLock
from typing import Any, TypeVar

T = TypeVar("T")


class ProcessLock:
    """For the threads of one process, each as often as it likes; in a copy of the process it is free.

    A copy (`os.fork`) has only one thread, and whatever lock another one held at that moment would stay locked in it.
    """

    def __init__(self) -> None:
        self._locks: dict[int, RLock] = {}

    def acquire(self, timeout: float = -1) -> bool:
        """Whether it was free in time; -1 is for ever."""
        # `setdefault` is one step for all threads: they get the same lock.
        lock = self._locks.get(os.getpid()) or self._locks.setdefault(os.getpid(), RLock())
        return lock.acquire(timeout=timeout)

    def release(self) -> None:
        self._locks[os.getpid()].release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class lazy_property(cached_property[T]):  # noqa: N801
    """A cached property that may be asked for in a copy of the process.

    In Python 3.11 those of all objects of a class have one lock, which another thread may hold at that moment.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        super().__init__(make)
        self.lock = ProcessLock()
