"""Outcome correction: what will come of a state, beyond what the model says that it is worth now.

What pays at the end may be gone by then: some pieces are taken sooner than others, and at some places they are safe.
Other things are signs of what is going to pay, as jumps that can be made. The ends of playouts tell how much more,
or less, the parts of the payoff and the signs are worth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from ludens.engines.base import Engine
from ludens.engines.rows import Rows, pack
from ludens.evaluation.features.atoms import Atoms
from ludens.evaluation.features.feature_set import BLOCK, Feature, FeatureSet, Floats, used_columns
from ludens.evaluation.features.interpretations import BestShare
from ludens.evaluation.model.forms import FormSet, LinearForm
from ludens.evaluation.model.game_model import RoleModel, lottery_value
from ludens.evaluation.model.goals import goals_at_ends
from ludens.evaluation.model.regression import forward_selection, weights_with_errors
from ludens.evaluation.random_play import play_at_random
from ludens.runtime.deadline import Deadline

NOTHING = LinearForm((), (), 0.0)
MAX_GAMES, GAMES_AT_ONCE = 6_000, 500
"""The most playouts, and how many are played at once."""
STATES_PER_GAME = 8
"""States of one game say much the same."""
PLAY_SHARE = 0.4
"""The part of the time in which the games are played."""
MIN_SCORE = 1.0
"""In standard errors, beyond the best score of as many features that tell nothing."""
MIN_SLOPE = 0.1
"""The least weight of the worth itself at the end."""
MIN_GAIN = 0.0005
MAX_ADDED = 50.0
"""More than this is not added to the worth in any of the states."""
MAX_CHOSEN = 6
MAX_SIGNS = 200


class OutcomeCorrection:
    """Finds what is to be added to the worth of states for a role, by a number of playouts."""

    def __init__(
        self,
        engine: Engine,
        atoms: Atoms,
        roles: tuple[int, int],
        rng: np.random.Generator,
        games: int = MAX_GAMES,
    ) -> None:
        """For the first of two roles, against the other."""
        self._engine, self._atoms, self._roles, self._rng = engine, atoms, roles, rng
        self._games = min(games, MAX_GAMES)

    def form(
        self, model: RoleModel, stable: Sequence[Feature], signs: Sequence[Feature], deadline: Deadline
    ) -> LinearForm | None:
        """Return what `stable` parts of the payoff and `signs` tell; None for nothing, or if there is no time."""
        if not _is_sum(model.payoff):
            return None
        parts = payoff_parts(model.payoff, stable, self._atoms)
        others = [sign for sign in signs if sign not in parts and sign not in model.payoff.features]
        told = [*parts, *others[:MAX_SIGNS]]
        blocks = list(self._played(Deadline(PLAY_SHARE * deadline.remaining))) if told else []
        values = list(self._values(told, [rows for rows, _, _ in blocks], deadline))
        if not values:
            return None
        rows, ends, games = (np.concatenate(one) for one in zip(*blocks[: len(values)], strict=True))
        payoff, control = FormSet(self._atoms, [model.payoff, model.control or NOTHING]).values(rows).T
        worth = lottery_value(payoff, control, np.zeros(1), model.control_share)
        form = telling_features(told, np.concatenate(values), worth, ends, games)
        if form is None:
            return None
        form = within({part: (1 - model.control_share) * paid for part, paid in parts.items()}, form)
        most = float(np.abs(FormSet(self._atoms, [form]).values(rows)).max())
        return form if most <= MAX_ADDED else form.scaled(MAX_ADDED / most)

    def _values(self, features: list[Feature], blocks: list[Rows], deadline: Deadline) -> Iterator[Floats]:
        """Yield the values [states, features] of one block after the other, as long as there is time."""
        feature_set = FeatureSet(self._atoms, features)
        for rows in blocks:
            if deadline.passed:
                return
            yield feature_set.values(rows)

    def _played(self, deadline: Deadline) -> Iterator[tuple[Rows, Floats, NDArray[np.int64]]]:
        """Some states before the end, how far ahead the role is at the end of their games, 50 for not at all, and the
        numbers of these games; as long as there is time.
        """
        for first in range(0, self._games, GAMES_AT_ONCE):
            states = play_at_random(self._engine, GAMES_AT_ONCE, self._rng, deadline)
            if states is None:
                return
            own, other = goals_at_ends(self._engine, states)[:, self._roles].T
            ends = 50 + (own - other) / 2
            used = np.flatnonzero(np.isfinite(ends[states.games]) & ~states.terminal)
            most = STATES_PER_GAME * GAMES_AT_ONCE
            if len(used) > most:
                used = np.sort(self._rng.choice(used, most, replace=False))
            yield states.rows[used], ends[states.games[used]], states.games[used].astype(np.int64) + first


def telling_features(
    features: Sequence[Feature], values: Floats, worth: Floats, ends: Floats, games: NDArray[np.int64]
) -> LinearForm | None:
    """Return those that tell more about the ends [states] than the worth [states] does; `values` is [states, features].

    States of one game, by the numbers of `games`, are not independent. The more features there are to choose from, the
    more certain each must be.
    """
    chosen = list(forward_selection(values, ends, MAX_CHOSEN, MIN_GAIN, MIN_SCORE, worth[:, None]).chosen)
    needed = MIN_SCORE + np.sqrt(2 * np.log(len(features)))
    while chosen:
        known = np.column_stack([values[:, chosen], worth, np.ones(len(values))])
        weights, errors = weights_with_errors(known, ends, games)
        *found, slope, _ = weights.tolist()
        scores = np.abs(weights / errors)[: len(chosen)]
        if scores.min() >= needed:
            kept = tuple(features[number] for number in chosen)
            return LinearForm(kept, tuple(w / slope for w in found), 0.0) if slope >= MIN_SLOPE else None
        del chosen[int(scores.argmin())]
    return None


def within(paid: Mapping[Feature, float], form: LinearForm) -> LinearForm:
    """Return the same, but nothing more than doubles what it pays, and nothing that pays becomes a burden.

    What several features count, as a man that is still at home, gets all their weights together. Signs, which pay
    nothing themselves, have no limits.
    """
    weights = {
        feature: max(-paid[feature], min(paid[feature], weight))
        for feature, weight in zip(form.features, form.weights, strict=True)
        if feature in paid
    }
    limits: dict[int, float] = {}
    added: dict[int, float] = {}
    for feature, weight in weights.items():
        for part, sign in zip(feature.parts, (1, -1), strict=False):
            for column in used_columns(part):
                limits[column] = max(limits.get(column, 0.0), paid[feature])
                added[column] = added.get(column, 0.0) + sign * weight
    factor = min((limits[column] / abs(gain) for column, gain in added.items() if gain), default=1.0)
    kept = {feature: min(1.0, factor) * weight for feature, weight in weights.items()}
    all_weights = zip(form.features, form.weights, strict=True)
    return LinearForm(form.features, tuple(kept.get(feature, weight) for feature, weight in all_weights), form.constant)


def payoff_parts(payoff: LinearForm, features: Sequence[Feature], atoms: Atoms) -> dict[Feature, float]:
    """Return the differences of counts of fluents each of which pays, and how much at least."""
    pays = np.round(_paid_alone(payoff, atoms), 6)
    return {
        feature: min(float(np.abs(pays[list(used_columns(part))]).min()) for part in feature.parts)
        for feature in features
        if feature.is_relative and feature not in payoff.features and _pays(feature, np.sign(pays))
    }


def _is_sum(payoff: LinearForm | None) -> TypeGuard[LinearForm]:
    """Return whether what it pays for one thing is the same whatever else is there."""
    return payoff is not None and not any(
        isinstance(part.reading, BestShare) for feature in payoff.features for part in feature.parts
    )


def _pays(feature: Feature, signs: NDArray[np.float64]) -> bool:
    """Return whether all that it counts pays one side, and all that is taken away the other."""
    if any(part.interpretation != "cardinality" or max(used_columns(part)) >= len(signs) for part in feature.parts):
        return False
    plus, minus = (set(signs[list(used_columns(part))].tolist()) for part in feature.parts)
    return (plus, minus) in (({1.0}, {-1.0}), ({-1.0}, {1.0}))


def _paid_alone(payoff: LinearForm, atoms: Atoms) -> Floats:
    """[fluents]: what each pays if nothing else is there."""
    forms, count = FormSet(atoms, [payoff]), atoms.fluent_count
    nothing = forms.values(pack(np.zeros((1, count), np.bool_)))[0, 0]
    blocks = (
        forms.values(pack(np.eye(min(BLOCK, count - begin), count, begin, dtype=np.bool_)))[:, 0]
        for begin in range(0, count, BLOCK)
    )
    found: Floats = np.concatenate([*blocks, np.zeros(0)]) - nothing
    return found
