"""How sure a mean score is."""

from __future__ import annotations

import math
from statistics import NormalDist

BEST = 100
CONFIDENCE = 0.95


def wilson_interval(mean: float, games: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's score interval around a mean of scores from 0 to 100.

    It is made for wins and losses alone, where it is right also close to 0 and 100. Scores between them, such as
    draws, vary less around the same mean, so with them it is wider than need be, never too narrow.

    >>> [round(bound, 1) for bound in wilson_interval(80, 10)]
    [49.0, 94.3]
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = mean / BEST
    centre = share + z * z / (2 * games)
    reach = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    scale = BEST / (1 + z * z / games)
    return max(0.0, (centre - reach) * scale), min(float(BEST), (centre + reach) * scale)
