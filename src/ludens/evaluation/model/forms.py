"""Sums of weighted features, and their values for many states at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.engines.rows import Rows
from ludens.evaluation.features.atoms import Atoms
from ludens.evaluation.features.feature_set import BLOCK, Feature, FeatureSet, Floats, used_columns
from ludens.evaluation.features.interpretations import BestShare, Sum

WEIGHT_UNIT, SHARE_UNIT = 2.0**-24, 2.0**-18
"""Weights, and shares of conditions that are met, are rounded to these. Sums below some thousands are exact then,
however many states are valued at once and in whatever order, and states with the same features are worth the same."""


@dataclass(frozen=True, slots=True)
class LinearForm:
    """Features with weights, and a constant."""

    features: tuple[Feature, ...]
    weights: tuple[float, ...]
    constant: float

    def opposite(self) -> LinearForm:
        return LinearForm(self.features, tuple(-weight for weight in self.weights), 0.0 - self.constant)

    def scaled(self, factor: float) -> LinearForm:
        return LinearForm(self.features, tuple(factor * weight for weight in self.weights), factor * self.constant)

    @property
    def is_partial(self) -> bool:
        """Whether it only tells how far conditions are met."""
        return all(feature.measure.interpretation == "partial" for feature in self.features)


class FormSet:
    """Computes several forms: all that is a sum of atoms becomes one weight for each atom and form."""

    def __init__(self, atoms: Atoms, forms: Sequence[LinearForm]) -> None:
        weights: dict[int, list[float]] = {}
        shares: dict[Feature, list[float]] = {}
        for number, form in enumerate(forms):
            for feature, weight in zip(form.features, form.weights, strict=True):
                for part, sign in zip(feature.parts, (1.0, -1.0), strict=False):
                    if isinstance(part.reading, BestShare):
                        shares.setdefault(Feature(part), [0.0] * len(forms))[number] += sign * weight
                    elif isinstance(part.reading, Sum):
                        for column, factor in zip(part.reading.columns, part.reading.weights, strict=True):
                            weights.setdefault(column, [0.0] * len(forms))[number] += sign * weight * factor
        used = {column: row for column, row in sorted(weights.items()) if any(row)}
        self._asker = atoms.asker(list(used))
        self._weights = _rounded(np.array(list(used.values())).reshape(len(used), len(forms)), WEIGHT_UNIT)
        self._shares = FeatureSet(atoms, list(shares)) if shares else None
        self._share_weights = _rounded(np.array(list(shares.values())).reshape(len(shares), len(forms)), WEIGHT_UNIT)
        self._constants = _rounded(np.array([form.constant for form in forms]), WEIGHT_UNIT)

    def values(self, rows: Rows) -> Floats:
        """[states, forms]"""
        found: Floats = np.empty((len(rows), len(self._constants)))
        for begin in range(0, len(rows), BLOCK):
            block = slice(begin, begin + BLOCK)
            found[block] = self._asker(rows[block]).astype(np.float64) @ self._weights + self._constants
        if self._shares:
            found += _rounded(self._shares.values(rows), SHARE_UNIT) @ self._share_weights
        return found


def fluents_of(forms: Sequence[LinearForm], atoms: Atoms) -> NDArray[np.bool_]:
    """[fluents]: whether some of the forms depends on it."""
    columns = {
        column for form in forms for feature in form.features for part in feature.parts for column in used_columns(part)
    }
    found = np.zeros(atoms.fluent_count, np.bool_)
    found[[column for column in columns if column < atoms.fluent_count]] = True
    derived = [column - atoms.fluent_count for column in columns if column >= atoms.fluent_count]
    if derived and atoms.circuit is not None:
        found |= atoms.circuit.cone(atoms.literals[derived])[1 : 1 + atoms.fluent_count]
    return found


def _rounded(values: Floats, unit: float) -> Floats:
    return np.round(values / unit) * unit
