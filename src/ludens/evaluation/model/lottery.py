"""What a position is worth if the game is taken as a lottery.

With the probability T the game ends and pays P. Otherwise it goes on, and pays what control of the game is worth or
what the payoff is now, each as often as it is stable in comparison to the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EDGE = 0.1
"""From this part of the range on, values near a limit only approach it, so that better still is better."""


def lottery_value(payoff: Floats, control: Floats, termination: Floats, control_share: Floats | float) -> Floats:
    """Equation 2 of the paper; `control_share` is S_C, the rest of 1 is S_P.

    >>> lottery_value(np.array([60.0]), np.array([0.5]), np.array([0.1]), 0.5)
    array([66.75])
    """
    goes_on = (50 + 50 * control) * control_share + payoff * (1 - control_share)
    value: Floats = termination * payoff + (1 - termination) * goes_on
    return value


def limited(values: Floats, low: float, high: float) -> Floats:
    """Values between two limits: unchanged inside, but beyond what is near a limit always a little short of it.

    >>> limited(np.array([-500.0, 50.0, 95.0]), 0, 100).round(1)
    array([ 0. , 50. , 93.9])
    """
    width = EDGE * (high - low)
    if values.min(initial=high) >= low + width and values.max(initial=low) <= high - width:
        return values
    upper, lower = values - (high - width), (low + width) - values
    with_top = np.where(upper > 0, high - width * np.exp(-np.maximum(upper, 0) / width), values)
    return np.where(lower > 0, low + width * np.exp(-np.maximum(lower, 0) / width), with_top)
