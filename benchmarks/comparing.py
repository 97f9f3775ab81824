"""The same work done in different ways, measured side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol, TypeAlias


@dataclass(frozen=True, slots=True)
class Rate:
    """Iterations a second at one game, the median over the rounds.

    The seconds are CPU time, but real time where threads are compared.
    """

    game: str
    contender: str
    per_second: float | None = None
    spread: float | None = None
    """How far the fastest and the slowest round are apart, as a part of the median."""
    problem: str | None = None

    @classmethod
    def of(cls, game: str, contender: str, rates: Sequence[float]) -> Rate:
        middle = median(rates)
        if not middle > 0:
            return cls(game, contender, problem="no iteration was made")
        return cls(game, contender, middle, (max(rates) - min(rates)) / middle)


@dataclass(frozen=True, slots=True)
class Worked:
    iterations: int
    cpu_seconds: float
    seconds: float


Work: TypeAlias = Callable[[float], Worked]
"""Works for a number of seconds of real time."""


class RateBook(Protocol):
    """Where speeds are written down."""

    @property
    def seconds(self) -> float: ...

    @property
    def rounds(self) -> int: ...

    def add(self, rate: Rate) -> None: ...


def compare(
    book: RateBook,
    game: str,
    contenders: Mapping[str, Callable[[], Work]],
    seconds_of: Callable[[Worked], float],
    progress: Callable[[str], None],
) -> None:
    """Let the contenders take turns, so that noise hits all alike; who fails is written down with the reason."""
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    ready: dict[str, Work] = {}
    for number in range(book.rounds + 1):
        for name in list(rates):
            step = f"round {number} of {book.rounds}" if number else "getting ready"
            progress(f"{game}: {name}, {step}")
            try:
                if not number:
                    ready[name] = contenders[name]()
                    continue
                worked = ready[name](book.seconds)
                rates[name].append(worked.iterations / seconds_of(worked))
            except Exception as error:
                del rates[name]
                book.add(Rate(game, name, problem=first_line(error)))
    for name, measured in rates.items():
        book.add(Rate.of(game, name, measured))


def repeated(work: Callable[[float], int], seconds: float) -> Worked:
    """Work again and again until the time is over, each time for what is left of it at most; at least once."""
    iterations, left = 0, seconds
    begin, begin_cpu = time.monotonic(), time.process_time()
    while left > 0:
        iterations += work(left)
        left = begin + seconds - time.monotonic()
    return Worked(iterations, time.process_time() - begin_cpu, time.monotonic() - begin)


def first_line(error: BaseException) -> str:
    """What went wrong, for a group of errors the first of them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}".splitlines()[0]
