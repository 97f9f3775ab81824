"""`Link`: the way to one worker, wherever it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from ludens.cluster.orders import Order, Report

Reporter: TypeAlias = Callable[[Report], None]


class Link(Protocol):
    """A worker that was started, for as long as it lives; only `join` ever waits.

    All that comes from the worker is given to the reporter, in threads of the link: after `Gone` there is nothing more.
    """

    @property
    def pid(self) -> int | None:
        """The number of the worker's process, as far as it is known."""
        ...

    def tell(self, order: Order) -> None: ...

    def end(self) -> None:
        """At once, whatever it does."""
        ...

    def join(self, seconds: float) -> None:
        """Wait until nothing is left of it, so long at most; it was ended before."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether nothing is left of it."""
        ...


LinkFactory: TypeAlias = Callable[[Reporter], Link]
"""Starts a worker; OSError or RuntimeError if that cannot be tried."""
