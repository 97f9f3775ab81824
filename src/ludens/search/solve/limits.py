"""How much a solution may cost, and how its making is told."""

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
    """A solution is given up at whichever of these comes first."""

    seconds: float | None = None
    states: int = 50_000_000
    """How many are found, and looked at by alpha-beta."""
    memory: int = 4 * GIGABYTE
    """Bytes for states and the moves between them, or for the table of alpha-beta."""

    def __post_init__(self) -> None:
        for what, number in (("seconds", self.seconds), ("states", self.states), ("bytes of memory", self.memory)):
            if number is not None and number <= 0:
                raise ValueError(f"a game cannot be solved within {number} {what}; give more than 0")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it has come."""

    phase: str
    states: int
    """How many were found."""
    depth: int
    """How many joint moves from the start the last of them are."""
    seconds: float


ProgressCallback: TypeAlias = Callable[[Progress], None]


class LimitReachedError(Exception):
    """The solution costs more than it may."""

    def __init__(self, limit: LimitName) -> None:
        super().__init__(limit)
        self.limit = limit


class SolveBudget:
    """Watches over the limits, and tells how far it has come."""

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

    def tell(self, phase: str) -> None:
        """Report the progress, and end here when time is up."""
        self.report(phase)
        if self.deadline.passed:
            raise LimitReachedError("seconds")

    def check_states(self) -> None:
        if self.states > self.limits.states:
            raise LimitReachedError("states")

    def check_memory(self, used: int) -> None:
        if used > self.limits.memory:
            raise LimitReachedError("memory")
