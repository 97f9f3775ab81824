"""Room for rules whose recursion is deeper than Python usually allows."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from ludens.errors import EvaluationLimitError

MAX_RECURSION = 60_000
STACK_BYTES = 512 * 1024 * 1024

Result = TypeVar("Result")

_one_at_a_time = threading.Lock()
"""The recursion limit and the stack size of new threads are settings of the whole process."""


def call_with_deep_stack(question: Callable[[], Result]) -> Result:
    """Call in a thread with a large stack; an endless recursion becomes an EvaluationLimitError."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(question())
        except BaseException as error:
            future.set_exception(error)

    with _one_at_a_time:
        limit, stack = sys.getrecursionlimit(), threading.stack_size(STACK_BYTES)
        sys.setrecursionlimit(max(limit, MAX_RECURSION))
        try:
            thread = threading.Thread(target=run, name="ludens-deep-recursion")
            thread.start()
            thread.join()
            return future.result()
        except RecursionError:
            raise EvaluationLimitError("the recursion of the rules is too deep, or has no end") from None
        finally:
            sys.setrecursionlimit(limit)
            threading.stack_size(stack)
