"""Proximity in place of distance, where what is to come near can get lost.

A sum of distances gets less with each thing that is taken from the board, as if it had arrived. How games end tells
which of the two is meant; as long as nothing gets lost they say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ludens.evaluation.features.atoms import Atoms
from ludens.evaluation.features.feature_set import Feature, FeatureSet, Floats
from ludens.evaluation.features.interpretations import proximity_measure
from ludens.evaluation.model.payoff import Correlations, supported
from ludens.evaluation.model.sample import ALIKE, FeatureSample, pooled, stabilities

Images = Mapping[Feature, Feature]


def proximity(distance: Feature) -> Feature:
    return Feature(proximity_measure(distance.measure), distance.minus and proximity_measure(distance.minus))


def prefer_proximity(
    sample: FeatureSample, found: Correlations, ends: Floats, atoms: Atoms, orbits: Images
) -> tuple[FeatureSample, Correlations, dict[Feature, Feature]]:
    """Return the sample and what its features tell, with proximity unless distance goes better with the ends of games.

    `found` may be of more features, which come after those of the sample. The last that is given is what features of
    the sample were replaced by.
    """
    distances = [
        number
        for number, feature in enumerate(sample.features)
        if feature.measure.interpretation == "distance" and found.strength[number].any()
    ]
    if not distances:
        return sample, found, {}
    far = sample.select(distances)
    near = FeatureSet(atoms, [proximity(feature) for feature in far.features])
    near_values = near.values(sample.states.rows)
    direction = np.sign(found.strength[distances])
    far_support, near_support = (
        pooled(supported(values, sample.states, ends), far.features, orbits) for values in (far.values, near_values)
    )
    better = (-direction * near_support).sum(axis=1) >= (direction * far_support).sum(axis=1)
    better &= ~_say_the_same(far.values, near_values)
    stability = pooled(stabilities(near_values, sample.states.steps), far.features, orbits)
    features, values, stable = list(sample.features), sample.values.copy(), sample.stability.copy()
    strength = found.strength.copy()
    replaced: dict[Feature, Feature] = {}
    for place in np.flatnonzero(better):
        number = distances[place]
        replaced[features[number]] = near.features[place]
        features[number], stable[number] = near.features[place], stability[place]
        values[:, number] = near_values[:, place]
        strength[number] *= -1
    told = replace(found, features=(*features, *found.features[len(features) :]), strength=strength)
    return FeatureSample(sample.states, tuple(features), values, stable), told, replaced


def with_replaced(images: Images, replaced: Images) -> dict[Feature, Feature]:
    """Return the same images, and those of what features were replaced by, where both were."""
    both = {replaced[one]: replaced[image] for one, image in images.items() if one in replaced and image in replaced}
    return {**images, **both}


def _say_the_same(values: Floats, others: Floats) -> NDArray[np.bool_]:
    """[features]: whether one follows from the other."""
    first, second = (one - one.mean(axis=0) for one in (values, others))
    sizes = np.linalg.norm(first, axis=0) * np.linalg.norm(second, axis=0)
    alike: NDArray[np.bool_] = np.abs((first * second).sum(axis=0)) > ALIKE * sizes
    return alike
