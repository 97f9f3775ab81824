"""Degrees of truth from 0 to 1, and how they are put together.

Whatever is true has a degree of at least t, whatever is false one of at most 1 - t, and t is above one half. Hence the
truth of a formula can be read off its degree, and degrees of different formulas can be compared. Sums of powers and
their roots are inexact; that a degree stays on its side is therefore decided by the truth of what it is made of.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

POWERS = (1, 2, 4, 8, 16)
"""Exponents that are made by squaring, and undone by square roots."""
MIN_THRESHOLD = 0.51
"""Nearer to one half, single precision would not keep what is true apart from what is false."""
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Norm:
    """The parameters of the fuzzy logic, and the logic itself for single degrees.

    >>> norm = Norm(p=0.75, t=0.55, q=2)
    >>> round(norm.conjunction([0.75, 0.25]), 4), round(norm.disjunction([0.75, 0.25]), 4)
    (0.2094, 0.7906)
    """

    p: float = 0.75
    """The degree of a crisp atom that holds; 1 - p is that of one that does not."""
    t: float = 0.55
    """The least degree of what is true."""
    q: int = 4
    """The exponent of the Yager family: 1 adds up all that is missing, the larger the more the worst part counts."""

    def __post_init__(self) -> None:
        if not MIN_THRESHOLD <= self.t <= self.p < 1:
            told = f"not t = {self.t:g} and p = {self.p:g}"
            raise ValueError(f"degrees of truth need {MIN_THRESHOLD:g} <= t <= p < 1, {told}")
        if self.q not in POWERS:
            raise ValueError(f"the exponent q is one of {', '.join(map(str, POWERS))}, not {self.q}")

    # -- atoms -------------------------------------------------------------------------------

    def crisp(self, holds: bool) -> float:
        """Return the degree of an atom of which only the truth counts."""
        return self.p if holds else 1 - self.p

    def graded(self, holds: bool, closeness: Sequence[float]) -> float:
        """Return the degree of an atom; where it does not hold, by the mean closeness of those that stand in for it."""
        if holds:
            return self.p
        return (1 - self.t) * sum(closeness) / len(closeness) if closeness else 0.0

    def comparison(self, holds: bool, degree: float) -> float:
        """Return the degree of a comparison of two constants, by how clearly it holds or how nearly."""
        return self.t * holds + (1 - self.t) * degree

    # -- formulas ----------------------------------------------------------------------------

    def conjunction(self, degrees: Iterable[float]) -> float:
        """T = 1 - min(1, (sum of (1 - a)^q)^(1/q)), but at least t where all parts are true.

        Where one of them is false, T is at most as large as its degree, hence at most 1 - t.
        """
        parts = tuple(degrees)
        missing = math.pow(math.fsum((1 - part) ** self.q for part in parts), 1 / self.q)
        degree = 1 - min(1.0, missing)
        return max(degree, self.t) if all(part > HALF for part in parts) else min(degree, 1 - self.t)

    def disjunction(self, degrees: Iterable[float]) -> float:
        """S, the dual of T."""
        return 1 - self.conjunction(1 - degree for degree in degrees)

    # -- states ------------------------------------------------------------------------------

    def goal(self, goal: float, terminal: float) -> float:
        """Return the degree of a goal value: the end is wanted where the goal is met, and unwanted elsewhere."""
        return self.disjunction((goal, terminal)) if goal > HALF else self.conjunction((goal, 1 - terminal))


def weighted_sum(degrees: Iterable[float], goal_values: Iterable[int]) -> float:
    """Return the product co-norm of the degrees of all goal values of a role, each weighted with its value."""
    return 1 - math.prod(1 - degree * value / 100 for degree, value in zip(degrees, goal_values, strict=True))
