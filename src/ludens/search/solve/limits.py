"""The limits of a solution, and its progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ludens.runtime.deadline import Deadline

LimitName: TypeAlias = Literal["seconds", "states", "memory"]

GIGABYTE = 2**30


@dataclass(frozen=True, slots=True)
class SolveLimits:
    """The limits of a solution; it is given up at the first of these that is reached."""

    seconds: float | None = None
    states: int = 50_000_000
    """The most states that are found, and visited by alpha-beta."""
    memory: int = 4 * GIGABYTE
    """Bytes for states and the moves between them, or for the table of alpha-beta."""

    def __post_init__(self) -> None:
        for what, number in (("seconds", self.seconds), ("states", self.states), ("bytes of memory", self.memory)):
            if number is not None and number <= 0:
                raise ValueError(f"a game cannot be solved within {number} {what}; give more than 0")


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a solution."""

    phase: str
    states: int
    """The number found."""
    depth: int
    """The joint moves from the start to the last of them."""
    seconds: float


ProgressCallback: TypeAlias = Callable[[Progress], None]


class LimitReachedError(Exception):
    """The solution costs more than it may."""

    def __init__(self, limit: LimitName) -> None:
        super().__init__(limit)
        self.limit = limit


class SolveBudget:
    """Checks the limits, and reports the progress."""

    def __init__(self, limits: SolveLimits, progress: ProgressCallback | None = None) -> None:
        self.limits = limits
        self.deadline = Deadline.never() if limits.seconds is None else Deadline(limits.seconds)
        self.states = 0
        self.depth = 0
        self._progress = progress
        self._begun = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun

    def report(self, phase: str) -> None:
        if self._progress is not None:
            self._progress(Progress(phase, self.states, self.depth, self.seconds))

    def checkpoint(self, phase: str) -> None:
        """Report the progress; raise LimitReachedError when time is up."""
        self.report(phase)
        if self.deadline.passed:
            raise LimitReachedError("seconds")

    def check_states(self) -> None:
        if self.states > self.limits.states:
            raise LimitReachedError("states")

    def check_memory(self, used: int) -> None:
        if used > self.limits.memory:
            raise LimitReachedError("memory")
