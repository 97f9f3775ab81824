"""Control: how much more a role can choose from than the others, by features that influence what is legal.

The weights are fitted to what happens to the control when one thing is placed or taken away, and all else stays as it
is in states of playouts. In those states themselves everything changes at the same time: kings appear when the
board has become empty, and seem to be the cause.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.facts import GameFacts
from ludens.engines.rows import Rows, pack, unpack
from ludens.engines.sliced.question import Question
from ludens.engines.sliced.tables import CircuitTables
from ludens.evaluation.features.candidates import CandidateDomains
from ludens.evaluation.features.feature_set import Feature, Floats
from ludens.evaluation.model.forms import LinearForm
from ludens.evaluation.model.pseudo_states import BLOCK
from ludens.evaluation.model.regression import least_squares, simplest_selection

MIN_GAINS = (0.0003, 0.1, 0.5)
"""What plain counts, other features of fluents, and derived ones must explain of the control."""
MIN_SCORE = 4.0
MAX_FEATURES = 10


class Mobility:
    """Counts what roles can choose from; where they take turns, each as if it were its turn."""

    def __init__(self, tables: CircuitTables, facts: GameFacts) -> None:
        self._tables = tables
        self._legal = Question(tables.gates, tables.gates.legal)
        turns = facts.control.turns if facts.control else {}
        self._turns = np.array([tables.fluents.index(fact) for fact in turns], np.int64)
        by_role = {role: tables.fluents.index(fact) for fact, role in reversed(list(turns.items()))}
        self._own = [by_role.get(role) for role in range(len(tables.roles))]

    def choices(self, rows: Rows) -> NDArray[np.int32]:
        """[states, roles]"""
        found = np.zeros((len(rows), len(self._own)), np.int32)
        for begin in range(0, len(rows), BLOCK):
            block = slice(begin, begin + BLOCK)
            here = None if all(own is not None for own in self._own) else self._count(rows[block])
            for role, own in enumerate(self._own):
                counts = self._count(self._with_turn(rows[block], own)) if own is not None else here
                assert counts is not None
                found[block, role] = counts[:, role]
        return found

    def _with_turn(self, rows: Rows, own: int) -> Rows:
        bits = unpack(rows, len(self._tables.fluents))
        bits[:, self._turns] = False
        bits[:, own] = True
        return pack(bits)

    def _count(self, rows: Rows) -> NDArray[np.int32]:
        legal = unpack(self._legal.ask(rows), len(self._tables.moves))
        parts = np.split(legal, self._tables.role_starts[1:-1], axis=1)
        return np.stack([np.count_nonzero(part, axis=1) for part in parts], axis=1).astype(np.int32)


def control_of(choices: NDArray[np.int32], role: int, most: int) -> Floats:
    """[states]: equation 1 of the paper, with all others as adversaries. `choices` is [states, roles].

    >>> control_of(np.array([[5, 1], [1, 3]], np.int32), 0, most=6)
    array([ 0.66666667, -0.33333333])
    """
    found: Floats = (2 * choices[:, role] - choices.sum(axis=1)) / max(1, most)
    return found


def simplicity(features: Sequence[Feature], domains: CandidateDomains) -> NDArray[np.int64]:
    """0 for the number of things of a kind wherever they are, 1 for other features of fluents, 2 for derived ones."""
    return np.array([_level(feature, domains) for feature in features], np.int64)


def _level(feature: Feature, domains: CandidateDomains) -> int:
    pattern = feature.measure.pattern
    if pattern.kind == "relation":
        return 2
    placed = any(domains.order(pattern.position(place)) for place in pattern.fixed)
    return int(placed or feature.measure.interpretation != "cardinality")


def control_form(
    features: Sequence[Feature],
    changes: Floats,
    levels: NDArray[np.int64],
    gains: Floats,
    values: Floats,
    aside: Floats | None = None,
) -> LinearForm | None:
    """Return the control of a role as a sum of features, the simplest that will do; None if none explains it.

    `changes` [pairs, features] and `gains` [pairs] are what features and the control gain from what is placed; the
    control is 0 on average over `values` [states, features]. What `aside` [pairs, others] explains is not theirs.
    """
    if not len(features) or not len(changes):
        return None
    chosen = simplest_selection(changes, levels, gains, MIN_GAINS, MIN_SCORE, MAX_FEATURES, aside)
    if not chosen:
        return None
    weights = least_squares(changes, gains, chosen, aside).weights
    used = tuple(features[number] for number in chosen)
    symmetric = all(feature.is_relative for feature in used)
    constant = 0.0 if symmetric else -float(values[:, chosen].mean(axis=0) @ weights)
    return LinearForm(used, weights, constant)
