"""Threads: the only place where they are started.

No thread is ever stopped from outside: work that may take long gets a `Deadline`, looks at it from time to time, and
ends soon after it passes or is cancelled. Work that cannot do so belongs in a child process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Condition, Thread
from typing import Any, ParamSpec, TypeVar

from ludens.runtime.deadline import Deadline

P = ParamSpec("P")
Item = TypeVar("Item")
Result = TypeVar("Result")

POLL_SECONDS = 0.02
"""How often a waiting thread looks whether its deadline was cancelled."""


class Interrupted(Exception):  # noqa: N818 it is no error to be interrupted
    """The work was cancelled before it was done."""


_bound: ContextVar[Deadline | None] = ContextVar("bound", default=None)


@contextmanager
def interruptible_by(deadline: Deadline) -> Iterator[None]:
    """Let what is called here end by `Interrupted` soon after the deadline passes, where it calls `check_interrupted`.

    For work deep below, such as the evaluation of rules, that is not given a deadline.

    >>> with interruptible_by(Deadline(0)):
    ...     check_interrupted()
    Traceback (most recent call last):
        ...
    ludens.runtime.threads.Interrupted
    """
    token = _bound.set(deadline)
    try:
        yield
    finally:
        _bound.reset(token)


def check_interrupted() -> None:
    """Interrupted if the deadline of `interruptible_by` has passed."""
    deadline = _bound.get()
    if deadline is not None and deadline.passed:
        raise Interrupted


def start_thread(action: Callable[[], object], name: str = "ludens-background") -> Thread:
    """Run an action in a daemon thread; RuntimeError or MemoryError if the system allows no more threads.

    Its result is thrown away and an exception is printed; `SerialExecutor` keeps both.
    """
    thread = Thread(target=action, name=name, daemon=True)
    thread.start()
    return thread


def map_in_threads(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    threads: int,
    on_failure: Callable[[], object] = lambda: None,
) -> list[Result]:
    """Return the results of a function that releases the interpreter's lock, on some threads at once.

    `on_failure` is called as soon as one fails, or the caller is interrupted, and has the others end sooner: they are
    waited for.

    >>> map_in_threads(abs, [-1, 2, -3], threads=2)
    [1, 2, 3]
    """
    with ThreadPoolExecutor(max(1, threads)) as pool:
        try:
            return list(pool.map(function, items))
        except BaseException:
            on_failure()
            raise


def result_or_timeout(future: Future[Result], deadline: Deadline) -> Result:
    """Wait for a result; TimeoutError once the deadline has passed, Interrupted once it or the work is cancelled.

    The work itself goes on after either, unless it looks at the same deadline.
    """
    while not future.done():
        if deadline.cancelled:
            raise Interrupted
        if deadline.passed:
            raise TimeoutError
        with suppress(TimeoutError, CancelledError):
            future.exception(min(POLL_SECONDS, deadline.remaining))
    try:
        return future.result()
    except CancelledError:
        raise Interrupted from None


class SerialExecutor(Executor):
    """Runs jobs one after the other, in a daemon thread of its own that lives only while there are jobs.

    asyncio takes it like any other executor. At the end of the program nobody waits for it.

    >>> SerialExecutor("example").submit(sum, [1, 2]).result()
    3
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._jobs: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._changed = Condition()
        self._is_running = self._is_closed = False

    def submit(self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Future[Result]:
        """Queue a job; RuntimeError after `shutdown`, or if the system allows no more threads."""
        future: Future[Result] = Future()
        with self._changed:
            if self._is_closed:
                raise RuntimeError(f"the executor {self.name} takes no more jobs")
            self._jobs.append((lambda: fn(*args, **kwargs), future))
            if not self._is_running:
                try:
                    start_thread(self._run, self.name)
                except BaseException:
                    self._jobs.pop()
                    raise
                self._is_running = True
        return future

    def result_or_timeout(self, action: Callable[[Deadline], Result], deadline: Deadline) -> Result:
        """Run an action that looks at a deadline, and wait for its result.

        TimeoutError or Interrupted as in the function of this name; the action is then cancelled, if only by its
        deadline, and the next job waits until it has noticed.

        >>> SerialExecutor("example").result_or_timeout(lambda deadline: deadline.passed, Deadline(10))
        False
        """
        own = deadline.share()
        future = self.submit(action, own)
        try:
            return result_or_timeout(future, deadline)
        finally:
            if not future.done():
                own.cancel()
                future.cancel()

    def wait(self, deadline: Deadline) -> bool:
        """Wait until no job is left; return whether that is so before the deadline passes."""
        with self._changed:
            while self._is_running and not deadline.passed:
                self._changed.wait(min(POLL_SECONDS, deadline.remaining))
            return not self._is_running

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more jobs; wait for the last one if told so, or cancel those that have not begun."""
        with self._changed:
            self._is_closed = True
            waiting = list(self._jobs) if cancel_futures else []
        for _, future in waiting:
            future.cancel()
        if wait:
            self.wait(Deadline.never())

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._jobs:
                    self._is_running = False
                    self._changed.notify_all()
                    return
                job, future = self._jobs.popleft()
            if future.set_running_or_notify_cancel():
                try:
                    result = job()
                except BaseException as error:
                    future.set_exception(error)
                else:
                    future.set_result(result)
            del job, future  # nothing of a finished job is held on to
