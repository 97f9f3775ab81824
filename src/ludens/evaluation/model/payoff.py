"""The payoff: which features tell what the goals will be, and which way.

A feature is correlated with the payoff if the goals change with it between pseudo-states that differ in nothing else.
Those features are weighed by their stability, and scaled so that all sampled states lie between 0 and 100.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ludens.engines.rows import Rows
from ludens.evaluation.features.atoms import Atoms
from ludens.evaluation.features.feature_set import BLOCK, Feature, FeatureSet, used_columns
from ludens.evaluation.features.interpretations import Measure, Sum
from ludens.evaluation.model.forms import LinearForm
from ludens.evaluation.model.goals import Goals
from ludens.evaluation.model.pseudo_states import Floats, Pairs, PseudoStates, goal_gains
from ludens.evaluation.model.regression import TINY
from ludens.evaluation.random_play import PlayedStates
from ludens.runtime.deadline import Deadline

MAX_PLACED = 20_000
"""Pairs of states in which one fluent is placed or not."""
MIN_SOURCES = 30
"""If fewer states can be changed into pairs with other goals, what those have in common may be chance."""
MOVED = 200
"""Pairs for one distance."""
MIN_PLACED, MIN_MOVED = 0.1, 0.4
"""Weaker correlations are none: what is placed need not decide the game, but what is moved to the goal should, and so
should a whole expression."""
COVERED, MIN_COVERED_PAIRS = 0.6, 20
"""A weak correlation counts, too, if it covers this share of all changes of the goals, and at least that number."""
NEVER = 2.0
"""More than all."""
CERTAINTY = 2.0
"""How many standard errors a correlation may be weaker than it seems."""
MIN_SUPPORT_GAMES = 100
"""With fewer games their ends say nothing yet."""
CONTRADICTED = 2.0
"""The standard errors by which the ends of playouts must go against a feature to overrule it."""
CONSISTENT = 0.8
"""How much of the changes must go the same way."""
MORE_STABLE = 1.25
"""By this factor a part must be more stable than the whole to count beside it."""
DILUTED = 1.25
"""By this factor a feature must be correlated more strongly than another to replace it."""
MIN_ALONE = 0.5
"""The part of the changes of goals with a feature of one side that differences between both sides must not tell."""
SAME = 0.98
"""What holds in this part of all cases counts as always true."""
MIN_COVERED = 0.35
"""The part of all changes of the goals that a payoff must go with."""
MIN_EFFECT = 0.05
"""What moves the payoff less than this part of what another does is left out."""


@dataclass(frozen=True, eq=False)
class Correlations:
    """How the goals change with features."""

    features: tuple[Feature, ...]
    strength: Floats
    """[features, roles]: from -1 to 1; 0 for none."""
    changed: NDArray[np.bool_]
    """[pairs, features]: whether the feature changes when something is placed; distances do not count."""
    gains: Floats
    """[pairs, roles]: how much the goals change then."""
    single: NDArray[np.bool_]
    """[features]: whether it is the distance of one thing only."""


def correlations(
    features: Sequence[Feature],
    atoms: Atoms,
    goals: Goals,
    pseudo: PseudoStates,
    deciding: NDArray[np.int64],
    most: int,
    deadline: Deadline,
) -> Correlations:
    """`deciding` are the fluents that goals depend on, `most` is how many pairs to look at.

    Distances of fluents change when something moves, all else when a fluent is placed, or a whole expression is met.
    """
    placed, gains = goal_gains(goals, pseudo.placed(deciding, most))
    if pseudo.source_count(placed.select(np.abs(gains).sum(axis=1) > 0)) < MIN_SOURCES:
        placed, gains = placed.select(slice(0)), gains[:0]
    strength = np.zeros((len(features), gains.shape[1]))
    moving = np.array([_moves(feature, atoms) for feature in features], np.bool_)
    changes = changes_of(FeatureSet(atoms, features), placed)
    single = np.array([feature.measure.interpretation == "distance" for feature in features], np.bool_)
    for begin in range(0, len(placed), BLOCK):
        block = slice(begin, begin + BLOCK)
        before, after = (_solution_counts(features, atoms, rows[block]) for rows in (placed.without, placed.having))
        changes[block][(before != after).any(axis=0)] = 0.0
        single &= after.max(axis=(0, 1)) <= 1
    for number, feature in enumerate(features):
        if not moving[number]:
            strength[number] = correlation(changes[:, number], gains, MIN_PLACED, COVERED)
        elif not set(feature.measure.targets) <= set(deciding.tolist()):
            continue
        is_whole = feature.measure.interpretation == "partial" and not strength[number].any()
        if (is_whole or moving[number]) and not deadline.passed:
            pairs_of = pseudo.expressed if is_whole else pseudo.moved
            parts = [goal_gains(goals, pairs_of(part, MOVED)) for part in feature.parts]
            own = FeatureSet(atoms, [feature])
            moves = np.concatenate([changes_of(own, pairs)[:, 0] for pairs, _ in parts])
            strength[number] = correlation(moves, np.concatenate([gained for _, gained in parts]), MIN_MOVED)
    return Correlations(tuple(features), strength, (np.abs(changes) > 1e-6) & ~moving, gains, single)


def _moves(feature: Feature, atoms: Atoms) -> bool:
    """Return whether it is a distance of fluents."""
    targets = feature.measure.targets
    return bool(targets) and max(targets) < atoms.fluent_count


def _solution_counts(features: Sequence[Feature], atoms: Atoms, rows: Rows) -> Floats:
    """[2, states, features]: of how many things each part measures the distance; 0 for what is no distance."""
    found = np.zeros((2, len(rows), len(features)))
    near = [number for number, feature in enumerate(features) if feature.measure.interpretation == "distance"]
    for minus in (False, True):
        chosen = [number for number in near if features[number].is_relative or not minus]
        counts = [solutions(features[number].parts[minus]) for number in chosen]
        if counts:
            found[int(minus), :, chosen] = FeatureSet(atoms, counts).values(rows).T
    return found


def solutions(measure: Measure) -> Feature:
    """Return how many things there are whose distance is measured."""
    reading = measure.reading
    assert isinstance(reading, Sum)
    ones = Sum(reading.columns, (1.0,) * len(reading.columns))
    return Feature(replace(measure, interpretation="cardinality", reading=ones))


def changes_of(feature_set: FeatureSet, pairs: Pairs) -> Floats:
    """[pairs, features]: how much higher features are with what differs."""
    return feature_set.changes(pairs.without, pairs.having)


def correlation(changes: Floats, gains: Floats, least: float, covered: float = NEVER) -> Floats:
    """[roles]: the cosine between the changes of a feature and those of the goals, where the feature changes.

    It is 0 where the goals change now this way and now that, and where it may well be less than `least`, unless the
    part `covered` of all changes of the goals goes with the feature.

    >>> correlation(np.array([1.0, 0.0, -1.0] * 9), np.array([[10.0, -10.0], [5.0, 0.0], [-10.0, 10.0]] * 9), 0.2)
    array([ 1., -1.])
    """
    all_telling = np.count_nonzero(gains, axis=0)
    changed = np.abs(changes) > 1e-6
    changes, gains = changes[changed], gains[changed]
    products = changes[:, None] * gains
    sums, sizes = products.sum(axis=0), np.abs(products).sum(axis=0)
    scales = np.sqrt((changes**2).sum() * (gains**2).sum(axis=0))
    cosines = np.divide(sums, scales, out=np.zeros(gains.shape[1]), where=scales > 0)
    telling = np.count_nonzero(gains, axis=0)
    certain = cosines**2 * (1 - CERTAINTY / np.sqrt(np.maximum(telling, 1))) >= least**2
    covers = (telling >= covered * all_telling) & (telling >= MIN_COVERED_PAIRS)
    clear = (np.abs(sums) >= CONSISTENT * sizes) & (telling > 0)
    return np.where(clear & (certain | covers), cosines, 0.0)


def supported(values: Floats, states: PlayedStates, ends: Floats) -> Floats:
    """[features, roles]: the correlation with what roles get at the end of the game, in standard errors.

    `ends` is [games, roles], NaN where it is not known. All states of a game have the same end, so only the games are
    counted as independent. Where there are too few, or all end alike, they say nothing: 0.
    """
    known = np.isfinite(ends.sum(axis=1))
    found = np.zeros((values.shape[1], ends.shape[1]))
    games = int(known.sum())
    if games < MIN_SUPPORT_GAMES:
        return found
    used = known[states.games]
    values, goals = values[used] - values[used].mean(axis=0), ends[states.games[used]]
    goals = goals - goals.mean(axis=0)
    spread = np.linalg.norm(goals, axis=0)
    sizes = np.outer(np.linalg.norm(values, axis=0), spread)
    correlated: Floats = np.divide(values.T @ goals, sizes, out=found, where=sizes > 0) * np.sqrt(games)
    return correlated


def payoff_form(
    features: Sequence[Feature], found: Correlations, role: int, stability: Floats, values: Floats, support: Floats
) -> LinearForm | None:
    """Return the payoff of a role; None if no feature is correlated with it.

    `values` is [states, features]; of two who can be exchanged it should be as much of each of them.
    `found` may be of more features, which come after these: rivals, and differences for which others need not stand.
    `support` [features, roles] is what the ends of games say; what they clearly contradict is not believed: many pieces
    far from home may be a sum of distances that grows with the pieces.
    """
    strength = found.strength[:, role]
    contradicted = np.sign(strength[: len(features)]) * support[:, role] <= -CONTRADICTED
    overlap = _Overlaps(found, role)
    clear = _without_diluted([int(number) for number in np.flatnonzero(strength)], found.features, overlap, strength)
    clear = _without_compared(clear, found.features, overlap)
    chosen = [number for number in clear if number < len(features) and not contradicted[number]]
    chosen = _without_parts(chosen, features, found, overlap, strength, stability)
    chosen = _without_trifles(chosen, stability * values.std(axis=0))
    if not chosen or overlap.covered(chosen) < MIN_COVERED:
        return None
    weights = stability[chosen] * np.sign(strength[chosen])
    scaling = _scaling(values[:, chosen] @ weights)
    if scaling is None:
        return None
    scale, constant = scaling
    return LinearForm(tuple(features[number] for number in chosen), tuple(map(float, weights * scale)), constant)


def _scaling(sums: Floats) -> tuple[float, float] | None:
    """Return the factor and the constant that put all sums between 0 and 100, if they differ."""
    low, high = float(sums.min()), float(sums.max())
    if high - low <= TINY:
        return None
    return 100 / (high - low), -100 * low / (high - low)


class _Overlaps:
    """Which of the features that are correlated change wherever others do."""

    def __init__(self, found: Correlations, role: int) -> None:
        used = np.flatnonzero(found.strength[:, role])
        self._places = np.zeros(len(found.strength), np.int64)
        self._places[used] = np.arange(len(used))
        changed = found.changed[:, used].astype(np.float32)
        telling = changed[found.gains[:, role] != 0]
        self._changed = telling > 0
        self._all, self._telling = changed.T @ changed, telling.T @ telling

    def explains(self, one: int, other: int) -> bool:
        """Return whether one changes wherever the other and the goals do."""
        one, other = self._places[[one, other]]
        size = self._telling[other, other]
        return bool(size > 0 and self._telling[one, other] >= SAME * size)

    def contains(self, whole: int, part: int) -> bool:
        """Return whether the whole changes wherever the part does."""
        whole, part = self._places[[whole, part]]
        size = self._all[part, part]
        return bool(size > 0 and self._all[whole, part] >= SAME * size)

    def alone(self, feature: int, others: Sequence[int]) -> float:
        """Return the share of changes of a feature and the goals without changes of others; 0 for what was not seen."""
        changed = self._changed[self._changed[:, self._places[feature]]]
        return float((~changed[:, self._places[list(others)]].any(axis=1)).mean()) if len(changed) else 0.0

    def size(self, feature: int) -> float:
        place = self._places[feature]
        return float(self._all[place, place])

    def covered(self, features: Sequence[int]) -> float:
        """Return the part of all changes of the goals with which one of them changes; all, if one was not seen so."""
        if not len(self._changed) or not all(self.size(feature) for feature in features):
            return 1.0
        return float(self._changed[:, self._places[list(features)]].any(axis=1).mean())


def _without_diluted(
    chosen: Sequence[int], features: Sequence[Feature], overlaps: _Overlaps, strength: Floats
) -> list[int]:
    """Without what also counts things that do not matter: another explains it, and is correlated more strongly.

    What counts the same things and more does not explain them. Of distances the one to fewer places explains.
    """

    def explains(other: int, one: int) -> bool:
        if _targets(features[other]) < _targets(features[one]):
            return bool(_targets(features[other]))
        wider = overlaps.contains(other, one) and overlaps.size(other) > overlaps.size(one)
        return overlaps.explains(other, one) and not wider

    return [
        one
        for one in chosen
        if not any(abs(strength[other]) >= DILUTED * abs(strength[one]) and explains(other, one) for other in chosen)
    ]


def _without_compared(chosen: Sequence[int], features: Sequence[Feature], overlaps: _Overlaps) -> list[int]:
    """Without what one side has, where differences between both sides tell the same, as they change with the goals."""
    relative = [number for number in chosen if features[number].is_relative]
    return [
        number
        for number in chosen
        if not relative or number in relative or overlaps.alone(number, relative) >= MIN_ALONE
    ]


def _targets(feature: Feature) -> set[int]:
    return set(feature.measure.targets)


def _without_parts(
    chosen: Sequence[int],
    features: Sequence[Feature],
    found: Correlations,
    overlaps: _Overlaps,
    strength: Floats,
    stability: Floats,
) -> list[int]:
    """Without the parts of others that are not more stable, and without distances to some of several places.

    The distance of one thing stands for all that is counted or measured of it.
    """

    def is_part(part: int, whole: int) -> bool:
        if set() < _targets(features[part]) < _targets(features[whole]):
            return True
        if found.single[whole] and _says_less(features[part], features[whole]):
            return (bool(found.single[part]), abs(strength[part]), -part) < (True, abs(strength[whole]), -whole)
        order = [(overlaps.size(number), abs(strength[number]), -number) for number in (part, whole)]
        return (
            overlaps.contains(whole, part) and order[0] < order[1] and stability[part] <= MORE_STABLE * stability[whole]
        )

    left = list(chosen)
    for part in chosen:
        if any(is_part(part, whole) for whole in left if whole != part):
            left.remove(part)
    return left


def _says_less(feature: Feature, distance: Feature) -> bool:
    """Return whether it is about the same thing as the distance, or part of it."""
    same = {part.pattern for part in feature.parts} == {part.pattern for part in distance.parts}
    return same or _atoms_of(feature) <= _atoms_of(distance)


def _atoms_of(feature: Feature) -> frozenset[int]:
    return frozenset(column for part in feature.parts for column in used_columns(part))


def _without_trifles(chosen: Sequence[int], effects: Floats) -> list[int]:
    largest = max((effects[number] for number in chosen), default=0.0)
    return [number for number in chosen if effects[number] >= MIN_EFFECT * largest]
