"""Least squares, and the choice of the few features that are worth their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Fit:
    """`constant + values[:, chosen] @ weights` comes nearest to a target."""

    chosen: tuple[int, ...]
    weights: tuple[float, ...]
    constant: float


def least_squares(values: Floats, target: Floats, chosen: Sequence[int], aside: Floats | None = None) -> Fit:
    """Return the best weights of some features; `aside` explains a part of the target that is not theirs."""
    used = np.column_stack([np.ones(len(values)), values[:, list(chosen)], _aside(aside, len(values))])
    solution = np.linalg.lstsq(used, target, rcond=None)[0]
    others = _aside(aside, len(values)) @ solution[1 + len(chosen) :]
    return Fit(
        chosen=tuple(chosen),
        weights=tuple(map(float, solution[1 : 1 + len(chosen)])),
        constant=float(solution[0] + (others.mean() if len(others) else 0.0)),
    )


def weights_with_errors(values: Floats, target: Floats, groups: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the best weights [features], and their standard errors where only different groups are independent."""
    weights = np.linalg.lstsq(values, target, rcond=None)[0].astype(np.float64)
    _, places = np.unique(groups, return_inverse=True)
    moments = np.zeros((int(places.max(initial=-1)) + 1, values.shape[1]))
    np.add.at(moments, places, values * (target - values @ weights)[:, None])
    spread = np.linalg.pinv(values.T @ values)
    variances = np.einsum("ij,jk,ik->i", spread, moments.T @ moments, spread)
    errors: Floats = np.sqrt(np.maximum(variances, TINY**2))
    return weights, errors


def forward_selection(
    values: Floats,
    target: Floats,
    most: int,
    least_gain: float,
    least_score: float,
    aside: Floats | None = None,
    variation: float | None = None,
) -> Fit:
    """Features one after the other, each time the one that explains most of what is left, while they are worth it.

    A feature must explain a share of the target (`least_gain`), and more than chance would (`least_score`, in
    standard errors). What the target varies in all, as a sum of squares, is what `aside` leaves of it unless it is
    given.
    """
    fixed = np.column_stack([np.ones(len(values)), _aside(aside, len(values))])
    basis, _ = np.linalg.qr(fixed)
    rest = target - basis @ (basis.T @ target)
    columns = values - basis @ (basis.T @ values)
    sizes = (columns**2).sum(axis=0)
    usable = sizes > TINY * np.maximum(1.0, (values**2).sum(axis=0))
    gram, moments = columns.T @ columns, columns.T @ rest
    left, chosen = float(rest @ rest), list[int]()
    total = left if variation is None else variation
    start = gram.diagonal().copy()
    while len(chosen) < most and total > TINY:
        diagonal = gram.diagonal()
        free = usable & (diagonal > 1e-6 * np.maximum(start, TINY))
        gains = np.divide(moments**2, diagonal, out=np.zeros_like(moments), where=free)
        best = int(np.argmax(gains))
        noise = max(left - gains[best], TINY) / max(1, len(values) - len(chosen) - fixed.shape[1] - 1)
        if gains[best] < least_gain * total or gains[best] < least_score**2 * noise:
            break
        chosen.append(best)
        left -= float(gains[best])
        pivot, row = diagonal[best], gram[best].copy()
        moments = moments - row * (moments[best] / pivot)
        gram = gram - np.outer(row, row) / pivot
        usable[best] = False
    return least_squares(values, target, chosen, aside)


def simplest_selection(
    values: Floats,
    levels: NDArray[np.int64],
    target: Floats,
    least_gains: Sequence[float],
    least_score: float,
    most: int,
    aside: Floats | None = None,
) -> list[int]:
    """As forward selection, but features of a higher level only have a chance when the lower ones are at their end."""
    chosen: list[int] = []
    basis, _ = np.linalg.qr(np.column_stack([np.ones(len(values)), _aside(aside, len(values))]))
    rest = target - basis @ (basis.T @ target)
    for level, least_gain in enumerate(least_gains):
        places = np.flatnonzero(levels == level)
        known = np.column_stack([_aside(aside, len(values)), values[:, chosen]])
        if len(places) and len(chosen) < most:
            room = most - len(chosen)
            fit = forward_selection(values[:, places], target, room, least_gain, least_score, known, float(rest @ rest))
            chosen += [int(places[number]) for number in fit.chosen]
    return chosen


def _aside(aside: Floats | None, states: int) -> Floats:
    return np.zeros((states, 0)) if aside is None else aside
