"""The limits of a grounding, and the watch over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from ludens.errors import CompileError, UnfinishedError
from ludens.runtime.deadline import Deadline

Progress: TypeAlias = Callable[[str, int], None]
"""Called with the name of a phase and how many rules it has handled so far."""


@dataclass(frozen=True, slots=True)
class GroundingLimits:
    """The limits of time, memory and rules."""

    seconds: float = 60.0
    memory_bytes: int = 4 * 2**30
    """The limit on the memory of the grounder's process, on systems that support it."""
    rules: int = 5_000_000


@dataclass(frozen=True, slots=True)
class GroundingWatch:
    """The checks of a grounding in progress."""

    limits: GroundingLimits
    deadline: Deadline
    progress: Progress

    @classmethod
    def start(
        cls, limits: GroundingLimits, deadline: Deadline | None = None, progress: Progress | None = None
    ) -> GroundingWatch:
        own = Deadline(limits.seconds, within=deadline)
        return cls(limits, own, progress or (lambda phase, done: None))

    def check(self, phase: str, done: int) -> None:
        """Report progress; raise CompileError at the limits, the deadline or a cancellation."""
        self.progress(phase, done)
        if self.deadline.cancelled:
            raise UnfinishedError("grounding was cancelled")
        if self.deadline.passed:
            raise UnfinishedError("grounding takes longer than allowed; allow more seconds or make the rules smaller")
        if done > self.limits.rules:
            raise CompileError(
                f"the rules have more than {self.limits.rules:,} instances; allow more or make the rules smaller"
            )
