"""`FeatureSample`: states of playouts with the values of features in them, and the stability of features.

What changes only little by little from state to state tells more about a state than what jumps about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.evaluation.features.feature_set import Feature, Floats
from ludens.evaluation.random_play import PlayedStates

STABLE = 3.0
"""Features that are less stable tell nothing."""
ALIKE = 1 - 1e-9
"""Features that are correlated like this say the same."""

Bits = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class FeatureSample:
    """States, and the values of features in them."""

    states: PlayedStates
    features: tuple[Feature, ...]
    values: Floats
    stability: Floats

    def of_stable_parts(self) -> Bits:
        """[features]: whether it is the difference of two features that are both stable."""
        stable = {
            feature.measure
            for feature, one in zip(self.features, self.stability, strict=True)
            if one >= STABLE and not feature.is_relative
        }
        return np.array(
            [feature.is_relative and stable.issuperset(feature.parts) for feature in self.features], np.bool_
        )

    def select(self, kept: Sequence[int] | Bits) -> FeatureSample:
        numbers = np.arange(len(self.features))[kept]
        chosen = tuple(self.features[number] for number in numbers)
        return FeatureSample(self.states, chosen, self.values[:, numbers], self.stability[numbers])


def sample_of(
    states: PlayedStates, features: tuple[Feature, ...], values: Floats, orbits: Mapping[Feature, Feature]
) -> FeatureSample:
    """Features of one orbit count alike, and are as stable as each other."""
    return FeatureSample(states, features, values, pooled(stabilities(values, states.steps), features, orbits))


def pooled(found: Floats, features: Sequence[Feature], orbits: Mapping[Feature, Feature]) -> Floats:
    """[features, ...]: the mean of each orbit, for all that are in it."""
    _, places = np.unique([id(orbits.get(feature, feature)) for feature in features], return_inverse=True)
    sums = np.zeros((places.max(initial=-1) + 1, *found.shape[1:]))
    np.add.at(sums, places, found)
    counts = np.bincount(places, minlength=len(sums)).reshape(-1, *[1] * (found.ndim - 1))
    means: Floats = (sums / counts)[places]
    return means


def with_images(values: Floats, features: Sequence[Feature], images: Mapping[Feature, Feature]) -> Floats:
    """[states, features]: also in the states that become of these when two roles are exchanged, if they can be.

    So both roles see the same states. A feature whose image is not known counts there as here.
    """
    if not images and not any(feature.is_relative for feature in features):
        return values
    numbers = {feature: number for number, feature in enumerate(features)}
    mirrored = values[:, [numbers.get(images.get(one, one), number) for number, one in enumerate(features)]]
    signs = np.array([-1.0 if feature.is_relative else 1.0 for feature in features])
    return np.concatenate([values, signs * mirrored])


def without_repetitions(sample: FeatureSample) -> FeatureSample:
    """Of features that say the same, the first."""
    if not len(sample.features):
        return sample
    centred = sample.values - sample.values.mean(axis=0)
    sizes = np.linalg.norm(centred, axis=0)
    unit = centred / np.where(sizes > 0, sizes, 1.0)
    alike = np.abs(unit.T @ unit) > ALIKE
    kept: list[int] = []
    for number in range(len(sample.features)):
        if not alike[number, kept].any():
            kept.append(number)
    return sample.select(kept)


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
