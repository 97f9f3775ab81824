"""Relative features: how much more of something one role has than another."""

from __future__ import annotations

from collections.abc import Sequence

from ludens.evaluation.features.exchange import MISSING, Permutation
from ludens.evaluation.features.feature_set import Feature
from ludens.evaluation.features.interpretations import BestShare, Measure, Reading, Sum


def relative_features(measures: Sequence[Measure], permutation: Permutation) -> list[Feature]:
    """Return the differences of measures that are each other's images, each pair once, in the order of the measures."""
    by_reading = {canonical(measure.reading): measure for measure in measures}
    found: list[Feature] = []
    seen: set[Measure] = set()
    for measure in measures:
        mapped = image_of(measure.reading, permutation)
        image = by_reading.get(mapped) if mapped else None
        if image is None or image == measure or measure in seen:
            continue
        if image.interpretation == measure.interpretation:
            seen |= {measure, image}
            found.append(Feature(measure, image))
    return found


def images(features: Sequence[Feature], permutation: Permutation | None) -> dict[Feature, Feature]:
    """Return what features that are no differences become when two roles are exchanged, where that is a feature."""
    by_reading = {canonical(one.measure.reading): one for one in features if not one.is_relative}
    found: dict[Feature, Feature] = {}
    for feature in by_reading.values() if permutation is not None else ():
        image = by_reading.get(image_of(feature.measure.reading, permutation))  # type: ignore[arg-type]
        if image is not None:
            found[feature] = image
    return found


def orbits(features: Sequence[Feature], permutations: Sequence[Permutation]) -> dict[Feature, Feature]:
    """For each feature the first of those that symmetries of the game make of it; they count alike."""
    numbers = {tuple(canonical(part.reading) for part in one.parts): place for place, one in enumerate(features)}
    first = list(range(len(features)))

    def root(number: int) -> int:
        while first[number] != number:
            number = first[number]
        return number

    for permutation in permutations:
        for number, feature in enumerate(features):
            images = tuple(image_of(part.reading, permutation) for part in feature.parts)
            other = numbers.get(images)  # type: ignore[arg-type]
            if other is not None:
                low, high = sorted((root(number), root(other)))
                first[high] = low
    return {feature: features[root(number)] for number, feature in enumerate(features)}


def canonical(reading: Reading) -> Reading:
    """Return the same reading with its parts in order."""
    if isinstance(reading, Sum):
        pairs = sorted((c, w) for c, w in zip(reading.columns, reading.weights, strict=True) if w)
        return Sum(tuple(column for column, _ in pairs), tuple(weight for _, weight in pairs))
    return BestShare(tuple(sorted(tuple(sorted(conjunction)) for conjunction in reading.conditions)))


def image_of(reading: Reading, permutation: Permutation) -> Reading | None:
    def image(column: int) -> int:
        found = int(permutation[max(column, ~column)])
        return found if column >= 0 or found == MISSING else ~found

    if isinstance(reading, Sum):
        columns = tuple(map(image, reading.columns))
        missing = MISSING in columns
        return None if missing else canonical(Sum(columns, reading.weights))
    mapped = tuple(tuple(map(image, conjunction)) for conjunction in reading.conditions)
    if any(int(permutation[max(c, ~c)]) == MISSING for conjunction in reading.conditions for c in conjunction):
        return None
    return canonical(BestShare(mapped))


def subsumed(features: Sequence[Feature]) -> set[Measure]:
    """Return the measures that some relative feature compares: alone they tell less."""
    return {part for feature in features if feature.is_relative for part in feature.parts}
