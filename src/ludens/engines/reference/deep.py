"""Room for rules whose recursion is deeper than Python usually allows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from ludens.errors import EvaluationLimitError

MAX_RECURSION = 60_000

Result = TypeVar("Result")


def call_deeply(question: Callable[[], Result]) -> Result:
    """Call with a much higher recursion limit; an endless recursion becomes an EvaluationLimitError.

    Planning and evaluation nest only calls between Python functions, which need no room on the C stack. The
    limit belongs to the whole process and stays raised: to lower it while another thread is deep in its own
    rules would end the process.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), MAX_RECURSION))
    try:
        return question()
    except RecursionError:
        raise EvaluationLimitError("the recursion of the rules is too deep, or has no end") from None
