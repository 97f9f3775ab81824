"""Features and how they are computed for many states at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.engines.rows import Rows
from ludens.evaluation.features.atoms import Atoms
from ludens.evaluation.features.interpretations import BestShare, Measure, Sum

BLOCK = 2_048
"""States that are looked at together."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Feature:
    """A measure, or the difference of two that are each other's image when two roles are exchanged."""

    measure: Measure
    minus: Measure | None = None

    @property
    def is_relative(self) -> bool:
        return self.minus is not None

    @property
    def parts(self) -> tuple[Measure, ...]:
        return (self.measure,) if self.minus is None else (self.measure, self.minus)


class FeatureSet:
    """Computes features: all sums as one product of matrices; shares condition by condition, the best of each group."""

    def __init__(self, atoms: Atoms, features: Sequence[Feature]) -> None:
        self.features = tuple(features)
        parts = dict.fromkeys(part for feature in features for part in feature.parts)
        self._columns = sorted({column for part in parts for column in used_columns(part)})
        self._asker = atoms.asker(self._columns)
        row_of = {column: row for row, column in enumerate(self._columns)}
        is_share = np.array([isinstance(feature.measure.reading, BestShare) for feature in features], np.bool_)
        self._sums, self._shares = np.flatnonzero(~is_share), np.flatnonzero(is_share)
        self._weights, self._units = _weight_matrix([self.features[number] for number in self._sums], row_of)
        shared = [self.features[number] for number in self._shares]
        readings = list(dict.fromkeys(part.reading for feature in shared for part in feature.parts))
        places = {reading: place for place, reading in enumerate(readings)}
        self._plus = np.array([places[feature.measure.reading] for feature in shared], np.int64)
        self._relative = np.array([number for number, feature in enumerate(shared) if feature.minus], np.int64)
        self._minus = np.array([places[feature.minus.reading] for feature in shared if feature.minus], np.int64)
        groups = [reading.conditions for reading in readings if isinstance(reading, BestShare)]
        self._starts = np.cumsum([0, *map(len, groups)])[:-1]
        self._places, self._lengths = _condition_table([one for group in groups for one in group], row_of)

    def __len__(self) -> int:
        return len(self.features)

    def values(self, rows: Rows) -> Floats:
        """[states, features]"""
        found = np.empty((len(rows), len(self.features)))
        for begin in range(0, len(rows), BLOCK):
            block = slice(begin, begin + BLOCK)
            bits = self._asker(rows[block]).astype(np.float32)
            found[block, self._sums] = bits @ self._weights * self._units
            if len(self._shares):
                found[block, self._shares] = self._best_shares(bits)
        return found

    def changes(self, before: Rows, after: Rows) -> Floats:
        """[states, features]: how much higher features are in the second states than in the first."""
        found = np.empty((len(before), len(self.features)))
        for begin in range(0, len(before), BLOCK):
            block = slice(begin, begin + BLOCK)
            first, second = (self._asker(rows[block]).astype(np.float32) for rows in (before, after))
            found[block, self._sums] = (second - first) @ self._weights * self._units
            if len(self._shares):
                found[block, self._shares] = self._best_shares(second) - self._best_shares(first)
        return found

    def _best_shares(self, bits: NDArray[np.float32]) -> NDArray[np.float32]:
        """[states, features that are shares]"""
        both = np.concatenate([bits, 1 - bits, np.zeros((len(bits), 1), np.float32)], axis=1)
        met = sum(both[:, places] for places in self._places.T)
        best: NDArray[np.float32] = np.maximum.reduceat(met / self._lengths, self._starts, axis=1)
        shares = best[:, self._plus]
        shares[:, self._relative] -= best[:, self._minus]
        return shares


def _weight_matrix(features: Sequence[Feature], row_of: Mapping[int, int]) -> tuple[NDArray[np.float32], Floats]:
    """[columns, features], and [features] the unit of the weights: sums of whole numbers have no rounding errors."""
    weights = np.zeros((len(row_of), len(features)), np.float32)
    units = np.ones(len(features))
    for number, feature in enumerate(features):
        for part, sign in zip(feature.parts, (1, -1), strict=False):
            assert isinstance(part.reading, Sum)
            rows = [row_of[column] for column in part.reading.columns]
            if feature.measure.interpretation == "partial":
                units[number] = max(part.reading.weights)
            weights[rows, number] += sign * np.array(part.reading.weights) / units[number]
    return weights, units


def _condition_table(
    conjunctions: Sequence[tuple[int, ...]], row_of: Mapping[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """[conjunctions, conditions]: a place among the columns, their opposites, and a zero to fill up; and how many."""
    widest = max(map(len, conjunctions), default=0)
    places = np.full((len(conjunctions), widest), 2 * len(row_of), np.int64)
    for number, conditions in enumerate(conjunctions):
        places[number, : len(conditions)] = [
            row_of[column] if column >= 0 else len(row_of) + row_of[~column] for column in conditions
        ]
    return places, np.array([len(conditions) for conditions in conjunctions], np.float32)


def used_columns(measure: Measure) -> tuple[int, ...]:
    """Return the atoms that it reads."""
    reading = measure.reading
    if isinstance(reading, Sum):
        return reading.columns
    return tuple(max(column, ~column) for conjunction in reading.conditions for column in conjunction)
