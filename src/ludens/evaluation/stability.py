"""Stability: what changes only little by little from state to state tells more about a state than what jumps about."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def stabilities(values: Floats, steps: NDArray[np.int64]) -> Floats:
    """[features]: the variance over all states, divided by the mean squared difference of a state and the next.

    `values` is [states, features]; `steps` are the states that have a next one, which follows directly. What never
    changes has the stability 0, as it tells nothing.

    >>> stabilities(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 2]))
    array([1.25])
    """
    total = values.var(axis=0)
    if not len(steps):
        return np.zeros(values.shape[1])
    adjacent = np.mean((values[steps + 1] - values[steps]) ** 2, axis=0)
    quotients: Floats = np.divide(total, adjacent, out=np.zeros_like(total), where=adjacent > 0)
    return quotients
