"""Time limits of work: how long it may take, parts of that, and cancellation."""

from __future__ import annotations

import math
import time


class Deadline:
    """A moment by which work has to be done; it has passed, too, once somebody cancels the work.

    Anything slow takes one and looks at it from time to time. `cancel` may be called from any thread.

    >>> deadline = Deadline(60)
    >>> part = deadline.share(0.5)
    >>> 29 < part.remaining <= 30
    True
    >>> deadline.cancel()
    >>> part.passed
    True
    """

    __slots__ = ("_cancelled", "_whole", "at")

    def __init__(self, seconds: float, within: Deadline | None = None) -> None:
        """Pass after `seconds`, and not later than the deadline `within`."""
        self.at = time.monotonic() + seconds
        self._whole = within
        self._cancelled = False

    @classmethod
    def never(cls) -> Deadline:
        """Return a deadline that passes only when it is cancelled.

        >>> Deadline.never().remaining
        inf
        """
        return cls(math.inf)

    def share(self, part: float = 1.0, at_most: float = math.inf) -> Deadline:
        """Return a deadline for a part of the time that is left, and `at_most` seconds.

        It passes when this one does. Cancelling it leaves this one alone.

        >>> deadline = Deadline(60)
        >>> part = deadline.share(0.5, at_most=10)
        >>> 9 < part.remaining <= 10
        True
        >>> part.cancel()
        >>> deadline.passed
        False
        """
        return Deadline(min(part * self.remaining, at_most), within=self)

    def untimed(self) -> Deadline:
        """Return a deadline that passes only when this one is cancelled, for work that is not limited by time.

        >>> deadline = Deadline(0)
        >>> work = deadline.untimed()
        >>> work.passed
        False
        >>> deadline.cancel()
        >>> work.passed
        True
        """
        return _Untimed(math.inf, within=self)

    def cancel(self) -> None:
        """Let the deadline and all its shares pass now.

        >>> deadline = Deadline(60)
        >>> deadline.cancel()
        >>> deadline.passed, deadline.remaining
        (True, 0.0)
        """
        self._cancelled = True

    @property
    def cancelled(self) -> bool:
        """Whether somebody cancelled this deadline, or one that it is a share of.

        >>> deadline = Deadline(60)
        >>> part = deadline.share(0.5)
        >>> deadline.cancel()
        >>> part.cancelled
        True
        """
        return self._cancelled or (self._whole is not None and self._whole.cancelled)

    @property
    def remaining(self) -> float:
        """Seconds left; never negative.

        >>> 59 < Deadline(60).remaining <= 60
        True
        >>> Deadline(-1).remaining
        0.0
        """
        if self._cancelled:
            return 0.0
        own = max(0.0, self.at - time.monotonic())
        return own if self._whole is None else min(own, self._whole.remaining)

    @property
    def passed(self) -> bool:
        """Whether no time is left.

        >>> Deadline(60).passed, Deadline(0).passed
        (False, True)
        """
        return self._cancelled or time.monotonic() >= self.at or (self._whole is not None and self._whole.passed)


class _Untimed(Deadline):
    """Passes when it, or the deadline that it came from, is cancelled."""

    __slots__ = ()

    @property
    def remaining(self) -> float:
        return 0.0 if self.cancelled else math.inf

    @property
    def passed(self) -> bool:
        return self.cancelled
