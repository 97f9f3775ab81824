"""`ModelEvaluator`: what states are worth by a model of the game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

import numpy as np

from ludens.analysis.counters import step_counter
from ludens.analysis.facts import GameFacts
from ludens.core import GroundTerm
from ludens.engines.base import Engine
from ludens.engines.rows import Rows
from ludens.errors import CompileError
from ludens.evaluation.features.feature_set import Feature, FeatureSet, Floats
from ludens.evaluation.features.interpretations import Sum
from ludens.evaluation.model.build import MAX_STATES, build_model
from ludens.evaluation.model.forms import FormSet, LinearForm, fluents_of
from ludens.evaluation.model.game_model import GameModel, limited, lottery_value
from ludens.evaluation.model.words import Wording
from ludens.game import Game, State
from ludens.runtime.deadline import Deadline

EVEN = LinearForm((), (), 50.0)
BALANCED = LinearForm((), (), 0.0)
MARGIN = 0.01
"""The part of the range of goals at both ends that is left to certain wins and losses."""
UNKNOWN = 50.0
"""What searches count for chance, which the model leaves out."""
MAX_REASONS = 6
"""The most features that explain the worth of a state to a role."""
MIN_POINTS = 0.05
"""What matters less is not named."""


class ModelEvaluator:
    """Values states as lotteries between what they pay and who controls them; threads take turns.

    Where two share a constant sum, a state is worth to both what their models say together. How near the end is by the
    number of steps counts as on average: it matters little, and states that differ in nothing else are worth the same.
    """

    def __init__(self, game: Game, facts: GameFacts, model: GameModel) -> None:
        engine = game.engine
        if engine.circuit is None:
            raise CompileError("a model needs the compiled game")
        self.model = model
        self._engine, self._facts = engine, facts
        self._fluents = frozenset(engine.circuit.fluents)
        roles = model.roles
        self._shares = np.array([one.control_share for one in roles])
        self._has_control = bool(self._shares.any())
        forms = [one.payoff or EVEN for one in roles]
        self._has_correction = any(one.outcome_correction for one in roles)
        if self._has_correction:
            forms += [one.outcome_correction or BALANCED for one in roles]
        if self._has_control:
            counter = step_counter(engine.circuit)
            ending = _at_any_time(model.termination, set(counter.fluents)) if counter else model.termination
            forms += [*(one.control or BALANCED for one in roles), ending]
        self._forms = FormSet(model.atoms, forms)
        self._looks_at = fluents_of(forms, model.atoms)
        self._places = [facts.roles.index(one.role) for one in roles]
        self._opposed = len(roles) == 2 and facts.kind.constant_sum
        worst, best = np.array(model.worst, np.float64), np.array(model.best, np.float64)
        self._base = worst + MARGIN * (best - worst)
        self._scale = (1 - 2 * MARGIN) / 100 * (best - worst)

    @classmethod
    def build(
        cls, game: Game, facts: GameFacts, deadline: Deadline, rng: Random, most_states: int = MAX_STATES
    ) -> ModelEvaluator:
        """With the best model that can be made until the deadline; CompileError where there can be none."""
        return cls(game, facts, build_model(game, facts, deadline, rng, most_states))

    def evaluate(self, rows: Rows, engine: Engine | None = None) -> Floats:
        """[states, roles]: from 0 to 100; the rows are of any engine of the game, by default the compiled one."""
        if engine is not None and engine.circuit is None:
            rows = self._encoded(engine.decode(rows))
        worths: Floats = self._base + self._scale * self.values(rows)
        if len(self._places) == len(self._facts.roles):
            return worths
        found = np.full((len(rows), len(self._facts.roles)), UNKNOWN)
        found[:, self._places] = worths
        return found

    def values(self, rows: Rows) -> Floats:
        """[states, roles of the model]: the value of the lottery, from 0 to 100."""
        values, roles = self._forms.values(rows), len(self._shares)
        found = payoff = limited(values[:, :roles], 0, 100)
        if self._has_control:
            control, termination = limited(values[:, -roles - 1 : -1], -1, 1), np.clip(values[:, -1:], 0, 1)
            found = lottery_value(payoff, control, termination, self._shares)
        if self._has_correction:
            found = limited(found + values[:, roles : 2 * roles], 0, 100)
        return (found + 100 - found[:, ::-1]) / 2 if self._opposed else found

    def ignores(self, fluents: Sequence[int]) -> bool:
        """Return whether states are worth the same with and without these fluents, by their numbers."""
        return not self._looks_at[list(fluents)].any()

    # -- in words ----------------------------------------------------------------------------

    def explain(self, state: State, roles: Sequence[str] | None = None) -> str:
        """Return what a state is worth to each role, or to some, and why: what weighs most in it comes first.

        Points are what a feature adds to the worth, compared with the first state of the game.
        """
        wanted = None if roles is None else {role.lower() for role in roles}
        rows = np.concatenate([self._rows_of([state]), self._engine.initial(1)])
        worths, ending = self.evaluate(rows)[:, self._places], self._ending(rows[:1])
        goals = {role.lower(): goal for role, goal in state.goals.items()} if state.is_terminal else {}
        lines = []
        for number, one in enumerate(self.model.roles):
            if wanted is not None and one.role.lower() not in wanted:
                continue
            if state.is_terminal:
                goal = goals.get(one.role.lower())
                lines.append(f"{one.role}: {'no goal' if goal is None else f'{goal} points'}")
                continue
            if not any(self.model.tells(other.role) for other in (self.model.roles if self._opposed else [one])):
                lines.append(f"{one.role}: no stable feature tells what counts")
                continue
            worth, first = worths[:, number]
            limits = self.model.worst[number], self.model.best[number]
            of = "of 100" if limits == (0, 100) else f"between {limits[0]} and {limits[1]}"
            lines.append(f"{one.role}: {worth:.1f} {of}; {first:.1f} at the beginning")
            lines += self._reasons(number, rows, ending) or ["  nothing that counts differs from the beginning"]
        if not state.is_terminal:
            lines.append(f"the end is {ending:.0%} likely here")
        return "\n".join(lines)

    def _reasons(self, number: int, rows: Rows, ending: float) -> list[str]:
        """Return what makes the state, the first row, better or worse for a role than the one in the second row."""
        effects = self._effects(number, ending)
        features = list(dict.fromkeys(feature for feature, _ in effects))
        values = dict(zip(features, FeatureSet(self.model.atoms, features).values(rows).T, strict=True))
        wording = Wording(self._facts)
        found = []
        for (feature, part), factor in effects.items():
            here, before = values[feature]
            points = factor * (here - before)
            if abs(points) >= MIN_POINTS:
                turned = feature.is_relative and factor < 0
                now, then = (0 - value if turned else value for value in (here, before))
                words = f"{part}: {wording.feature(feature, turned)} is {now:g}, and was {then:g}"
                found.append((points, f"  {points:+6.1f} {words}"))
        return [words for _, words in sorted(found, key=lambda one: -abs(one[0]))[:MAX_REASONS]]

    def _effects(self, number: int, ending: float) -> dict[tuple[Feature, str], float]:
        """By how much each feature, as a part of payoff or control, raises the worth to a role."""
        found: dict[tuple[Feature, str], float] = {}
        sides = ((number, 0.5), (1 - number, -0.5)) if self._opposed else ((number, 1.0),)
        for whose, sign in sides:
            one, share = self.model.roles[whose], float(self._shares[whose])
            scale = sign * float(self._scale[number])
            parts = (
                ("payoff", one.payoff, ending + (1 - ending) * (1 - share)),
                ("outcome correction", one.outcome_correction, 1.0),
                ("control", one.control, 50 * (1 - ending) * share),
            )
            for part, form, factor in parts:
                for feature, weight in _terms(form):
                    found[feature, part] = found.get((feature, part), 0.0) + scale * factor * weight
        return found

    def _ending(self, rows: Rows) -> float:
        """Return how likely such a state is the end."""
        return float(np.clip(FormSet(self.model.atoms, [self.model.termination]).values(rows)[0, 0], 0, 1))

    # -- states ------------------------------------------------------------------------------

    def _rows_of(self, states: Sequence[State]) -> Rows:
        return self._encoded(state.terms for state in states)

    def _encoded(self, states: Iterable[frozenset[GroundTerm]]) -> Rows:
        """States without facts that the compiled engine does not know."""
        return self._engine.encode([self._fluents & facts for facts in states])


def _at_any_time(form: LinearForm, steps: set[int]) -> LinearForm:
    """With the mean of all features that only look at the step counter, whose fluents these are."""
    kept, constant = [], form.constant
    for feature, weight in _terms(form):
        reading = feature.measure.reading
        if not feature.is_relative and isinstance(reading, Sum) and steps.issuperset(reading.columns):
            constant += weight * sum(reading.weights) / len(steps)
        else:
            kept.append((feature, weight))
    return LinearForm(tuple(feature for feature, _ in kept), tuple(weight for _, weight in kept), constant)


def _terms(form: LinearForm | None) -> Iterator[tuple[Feature, float]]:
    if form is not None:
        yield from zip(form.features, form.weights, strict=True)
