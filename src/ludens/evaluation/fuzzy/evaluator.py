"""What states are worth by how nearly they fulfil the goals, for searches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.facts import GameFacts
from ludens.analysis.kind import GameKind
from ludens.core import GroundTerm
from ludens.engines.base import Engine
from ludens.engines.rows import Rows, pack
from ludens.evaluation.fuzzy.batches import BatchEvaluation
from ludens.evaluation.fuzzy.explain import explain
from ludens.evaluation.fuzzy.formulas import Formulas, GoalValue
from ludens.evaluation.fuzzy.norm_tuning import tune_norm
from ludens.evaluation.fuzzy.norms import Norm
from ludens.evaluation.fuzzy.unroll import unroll
from ludens.evaluation.fuzzy.warm_up import warm_up
from ludens.game import Game, State
from ludens.ground.program import TRUE
from ludens.runtime.deadline import Deadline

MARGIN = 0.01
"""The part of a role's range at either end that only states at the end of the game can be worth."""
UNKNOWN = 50.0
"""What searches count for a role to whom the rules give nothing."""


class FuzzyEvaluator:
    """The worth of states that are not the end; for several threads at the same time.

    The degree to which a state fulfils the goals of a role is scaled to the range of what the rules can give it, and
    stays clear of both ends: what is certain is better, or worse. Where two sides fight for a constant sum, the degrees
    of both count, so that their worths add up to it; with `one_sided` each role sees only its own goals.
    """

    def __init__(
        self, game: Game, formulas: Formulas, kind: GameKind, norm: Norm | None = None, *, one_sided: bool = False
    ) -> None:
        self.game, self.formulas, self.norm = game, formulas, norm or Norm()
        self._batches = BatchEvaluation(formulas, self.norm)
        self._ranges = _ranges(formulas.goals, kind)
        self._mixture = _scaling(formulas.goals, self._ranges)
        shared = None if one_sided else _shared_ranges(self._ranges, kind)
        if shared is not None:
            self._ranges = shared
            self._mixture = _with_opponents(_scaling(formulas.goals, shared), kind)
        assert game.engine.circuit is not None
        self._fluents = {fluent: number for number, fluent in enumerate(game.engine.circuit.fluents)}

    @classmethod
    def build(
        cls,
        game: Game,
        facts: GameFacts,
        deadline: Deadline,
        rng: Random,
        *,
        norm: Norm | None = None,
        one_sided: bool = False,
    ) -> Self:
        """For a game that is compiled; CompileError for another.

        Without a norm, one is tuned by playouts. Machine code that is missing is made by another process first.
        """
        formulas = unroll(game, facts, deadline)
        warm_up(deadline)

        made: dict[Norm, Self] = {}

        def worths(norm: Norm, rows: Rows) -> NDArray[np.float64]:
            made[norm] = cls(game, formulas, facts.kind, norm, one_sided=one_sided)
            return made[norm].evaluate(rows)

        norm = norm or tune_norm(game, facts.kind, worths, deadline, rng)
        return made.get(norm) or cls(game, formulas, facts.kind, norm, one_sided=one_sided)

    def evaluate(self, rows: Rows, engine: Engine | None = None) -> NDArray[np.float64]:
        """[states, roles]: from 0 to 100; the rows are of any engine of the game, by default the compiled one.

        Formulas speak only of what the compiled engine knows. Other facts of a state do not count.
        """
        return self._batches.mixed(self._circuit_rows(rows, engine), self._mixture)

    def values(self, rows: Rows) -> NDArray[np.float64]:
        """[states, roles]: how good the states are for the goals of each role, from 0 to 1 and not scaled."""
        return self._batches.degrees(rows)

    def explain(self, state: State, roles: Sequence[str] | None = None) -> str:
        """Explain which parts of the goals a state fulfils, and how near the others are; of some roles or all."""
        worths = self.evaluate(_encoded([[fact.term for fact in state.facts]], self._fluents))[0]
        told = [
            f"{worth:.1f} of 100" if (low, high) == (0, 100) else f"{worth:.1f}, between {low:g} and {high:g}"
            for worth, (low, high) in zip(worths.tolist(), self._ranges.tolist(), strict=True)
        ]
        if state.is_terminal:
            goals = {role.lower(): goal for role, goal in state.goals.items()}
            told = ["no goal" if goals.get(role) is None else f"{goals[role]} points" for role in self.formulas.roles]
        return explain(self.formulas, self.norm, state, roles=roles, worths=told)

    def _circuit_rows(self, rows: Rows, engine: Engine | None) -> Rows:
        return rows if engine is None or engine.circuit else _encoded(engine.decode(rows), self._fluents)


def _encoded(states: Sequence[Iterable[GroundTerm]], fluents: dict[GroundTerm, int]) -> Rows:
    """States as rows, without the facts that have no number."""
    bits = np.zeros((len(states), len(fluents)), np.bool_)
    for row, facts in enumerate(states):
        bits[row, [fluents[fact] for fact in facts if fact in fluents]] = True
    return pack(bits)


def _ranges(goals: Sequence[Sequence[GoalValue]], kind: GameKind) -> NDArray[np.float64]:
    """[roles, 2]: the least and the most that each role can get; where it can get but one thing, or nothing, both."""
    ranges = np.array([kind.worst, kind.best], np.float64).T
    for role, values in enumerate(goals):
        worst, best = ranges[role]
        if worst == best and not any(goal.literal == TRUE for goal in values):
            ranges[role, 0] = UNKNOWN if best > UNKNOWN else 0
    return ranges


def _shared_ranges(ranges: NDArray[np.float64], kind: GameKind) -> NDArray[np.float64] | None:
    """Return the ranges of two sides of a constant sum: what a side can get, the other leaves; None for others."""
    if kind.total is None or len(kind.teams) != 2:
        return None
    ours, theirs = map(list, kind.teams)
    worst = max(ranges[ours, 0].max(), kind.total - ranges[theirs, 1].min())
    best = min(ranges[ours, 1].min(), kind.total - ranges[theirs, 0].max())
    shared = ranges.copy()
    shared[ours], shared[theirs] = (worst, best), (kind.total - best, kind.total - worst)
    return shared if worst < best else None


def _scaling(goals: Sequence[Sequence[GoalValue]], ranges: NDArray[np.float64]) -> NDArray[np.float64]:
    """[roles, 1 + roles]: a number and factors that bring the degrees of each role inside its range."""
    roles = len(goals)
    scaling = np.zeros((roles, 1 + roles))
    for role, (values, (worst, best)) in enumerate(zip(goals, ranges.tolist(), strict=True)):
        highest_degree = 1 - np.prod([1 - goal.value / 100 for goal in values])
        if highest_degree == 0:
            scaling[role, 0] = (worst + best) / 2
            continue
        scaling[role, 0] = worst + MARGIN * (best - worst)
        scaling[role, 1 + role] = (1 - 2 * MARGIN) * (best - worst) / highest_degree
    return scaling


def _with_opponents(scaled: NDArray[np.float64], kind: GameKind) -> NDArray[np.float64]:
    """For two sides: the mean of what a side has, and of what the other leaves it."""
    mixture = scaled.copy()
    for team, others in (kind.teams, kind.teams[::-1]):
        left = -scaled[list(others)].mean(axis=0)
        left[0] += kind.total or 0
        mixture[list(team)] = (scaled[list(team)].mean(axis=0) + left) / 2
    return mixture
