"""Termination: how likely it is that states like this are the end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ludens.evaluation.features.feature_set import Feature, Floats
from ludens.evaluation.model.forms import LinearForm
from ludens.evaluation.model.regression import least_squares, simplest_selection

MIN_GAINS = (0.01, 0.01, 0.5)
"""As in `control`."""
MIN_SCORE = 4.0
MAX_FEATURES = 2
MIN_ENDS = 16
"""With fewer ends what they have in common may be chance."""


def termination_form(
    features: Sequence[Feature], values: Floats, levels: NDArray[np.int64], terminal: NDArray[np.bool_]
) -> LinearForm:
    """Return the part of states with such features that are terminal; the same for all states if no feature tells."""
    target = terminal.astype(np.float64)
    chosen: list[int] = []
    if np.count_nonzero(terminal) >= MIN_ENDS:
        chosen = simplest_selection(values, np.maximum(levels, 1), target, MIN_GAINS, MIN_SCORE, MAX_FEATURES)
    fit = least_squares(values, target, chosen)
    return LinearForm(tuple(features[number] for number in chosen), fit.weights, fit.constant)
