"""The sequential test of A against B: it looks after every pair of matches, and ends as soon as enough is known.

The two play pairs of matches with the roles swapped, and what counts is how far A is ahead in a pair: 0.5 and half the
mean difference of their points. Where these add up to 1 that is its mean score; a match that was cut is even.
Nothing is assumed about how these scores are spread: the test is the generalised sequential probability ratio
test, which compares how well any spread with the mean `low` and any with the mean `high` can explain what was seen.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

SprtAnswer: TypeAlias = Literal["higher", "lower", "open"]

USUAL_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
UNSEEN = 1e-3
"""Counts of usual scores that were not seen yet, so that a few equal pairs do not look like certainty."""
HALVINGS = 60


def elo_score(elo: float) -> float:
    """The mean score of a player who is better by a difference in Elo.

    >>> round(elo_score(100), 2)
    0.64
    """
    return 1 / (1 + 10 ** (-elo / 400))


def score_elo(score: float) -> float:
    """By how many Elo a player with this mean score is better; infinite for 0 and 1."""
    return math.copysign(math.inf, score - 0.5) if score in (0, 1) else 0.0 - 400 * math.log10(1 / score - 1)


@dataclass(frozen=True, slots=True)
class SprtBounds:
    """The question: is the mean score `low` or less, or `high` or more? And about how often the answer may be wrong."""

    low: float
    high: float
    alpha: float = 0.05
    """How often `higher` may come out although the mean is `low`."""
    beta: float = 0.05
    """How often `lower` may come out although the mean is `high`."""

    @property
    def lower_end(self) -> float:
        """At this log likelihood ratio the answer is `lower`."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper_end(self) -> float:
        return math.log((1 - self.beta) / self.alpha)

    def settings(self) -> list[float]:
        return [self.low, self.high, self.alpha, self.beta]


@dataclass(slots=True)
class Sprt:
    """A test under way. After its end nothing counts any more, so that an answer stands."""

    bounds: SprtBounds
    counts: Counter[float] = field(default_factory=Counter)
    ratio: float = 0.0
    """The log likelihood ratio so far."""
    answer: SprtAnswer = "open"

    @classmethod
    def of(cls, bounds: SprtBounds, scores: Iterable[float]) -> Sprt:
        """The test after these pairs, in this order."""
        test = cls(bounds)
        for score in scores:
            if test.answer != "open":
                break
            test.add(score)
        return test

    def add(self, score: float) -> None:
        """Count the score of a pair."""
        if self.answer != "open":
            return
        self.counts[score] += 1
        self.ratio = log_likelihood_ratio(self.counts, self.bounds.low, self.bounds.high)
        if self.ratio >= self.bounds.upper_end:
            self.answer = "higher"
        elif self.ratio <= self.bounds.lower_end:
            self.answer = "lower"

    @property
    def pairs(self) -> int:
        return self.counts.total()

    @property
    def mean(self) -> float:
        return sum(score * times for score, times in self.counts.items()) / max(1, self.pairs)


def log_likelihood_ratio(counts: Mapping[float, int], low: float, high: float) -> float:
    """How much better the mean `high` explains what was seen than the mean `low`, each with the spread that fits best.

    >>> round(log_likelihood_ratio({1.0: 1}, 0.5, 0.55), 2)
    0.1
    """
    seen = {score: counts.get(score, 0) or UNSEEN for score in sorted({*USUAL_SCORES, *counts})}
    tilts = [(mean, _tilt(seen, mean)) for mean in (low, high)]
    logs = [sum(times * math.log1p(tilt * (score - mean)) for score, times in seen.items()) for mean, tilt in tilts]
    return logs[0] - logs[1]


def _tilt(seen: Mapping[float, float], mean: float) -> float:
    """How the shares of what was seen are bent to have this mean.

    Of all spreads with that mean the likeliest gives a score the share `seen / total / (1 + tilt * (score - mean))`;
    the tilt is where the sum of `seen * (score - mean) / (1 + tilt * (score - mean))` is 0, which falls with it.
    """
    low, high = -1 / (max(seen) - mean), -1 / (min(seen) - mean)
    for _ in range(HALVINGS):
        tilt = (low + high) / 2
        if sum(times * (score - mean) / (1 + tilt * (score - mean)) for score, times in seen.items()) > 0:
            low = tilt
        else:
            high = tilt
    return (low + high) / 2
