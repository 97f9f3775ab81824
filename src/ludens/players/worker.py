"""Doing things one after the other in a thread of their own."""

from __future__ import annotations

import _weakrefset
import ctypes
import gc
import math
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Condition, Thread, get_ident
from typing import Any, TypeVar, cast

Result = TypeVar("Result")

LAST_SECONDS = 1.0
"""How long something that is broken off may take to end."""
PAUSE = 0.001
BAD_MOMENTS = frozenset(module.__file__ for module in (threading, weakref, _weakrefset))


class BrokenOff(BaseException):
    """Raised in the middle of something to end it; what catches any `Exception` does not keep it from that."""


class Worker:
    """Does what it is told in the order in which it was told; its thread lives only as long as there is work."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._waiting: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._changed = Condition()
        self._busy = False
        self._thread: int | None = None
        """The thread in which something is being done that can be broken off."""
        self._breaking = self._sent = False

    def do(self, action: Callable[[], Result]) -> Future[Result]:
        future: Future[Result] = Future()
        with self._changed:
            self._waiting.append((action, future))
            if not self._busy:
                self._busy = True
                Thread(target=self._work, name=self.name, daemon=True).start()
        return future

    def do_within(self, seconds: float, action: Callable[[], Result]) -> Result:
        """Do something and wait for it; TimeoutError, and it is broken off, if that takes longer.

        >>> Worker("sum").do_within(10, lambda: 1 + 1)
        2
        """
        future = self.do(action)
        result, late = awaited(future, seconds)
        if late:
            self.break_off(future)
            result, late = awaited(future, LAST_SECONDS)
        if late:
            raise TimeoutError
        return cast(Result, result)

    def break_off(self, last: Future[Any] | None = None) -> None:
        """End what is being done by a `BrokenOff` in its thread, unless the last thing that is to be ended is done.

        The exception comes with the next step of Python code; whoever sleeps, or waits for a lock, gets it after that.
        """
        until = time.monotonic() + LAST_SECONDS
        while not self._ended(last) and time.monotonic() < until:
            time.sleep(PAUSE)

    def _ended(self, last: Future[Any] | None) -> bool:
        """Send the exception if there is need for it; false if it has to wait for a better moment."""
        with self._changed:
            self._breaking = True
            thread = None if last and last.done() else self._thread
            good = thread is None or _is_good_moment(thread)
            if thread is not None and good:
                self._sent = True
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(BrokenOff))
            self._breaking = False
            return good

    def wait(self, seconds: float) -> bool:
        """Wait until everything is done; false if that takes longer."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._busy, seconds)

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._busy = False
                    self._changed.notify_all()
                    return
                action, future = self._waiting.popleft()
            if future.set_running_or_notify_cancel():
                self._do(action, future)

    def _do(self, action: Callable[[], Any], future: Future[Any]) -> None:
        try:
            try:
                self._sent = False
                self._thread = get_ident()
                result = action()
            finally:
                # No lock may be taken before an exception that is on its way has come.
                self._thread = None
                while self._breaking:
                    time.sleep(PAUSE)
                if self._sent:
                    time.sleep(0)
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)


def _is_good_moment(thread: int) -> bool:
    """Whether a worker's thread is neither about to take a lock, which would stay taken, nor in the midst of collecting
    garbage, where what is raised is lost.
    """
    collecting = [getattr(callback, "__code__", None) for callback in gc.callbacks]
    frame = sys._current_frames().get(thread)
    while frame and frame.f_code is not Worker._do.__code__:
        code = frame.f_code
        if code.co_filename in BAD_MOMENTS or code.co_name == "__del__" or code in collecting:
            return False
        frame = frame.f_back
    return True


def awaited(future: Future[Any], seconds: float) -> tuple[Any, bool]:
    """What comes of something, and whether that takes too long or was broken off."""
    try:
        return future.result(max(0.0, seconds) if math.isfinite(seconds) else None), False
    except (TimeoutError, BrokenOff):
        return None, True
