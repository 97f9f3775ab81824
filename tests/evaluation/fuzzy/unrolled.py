"""Unrolled games that several tests look at, and how their states are valued."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.facts import GameFacts
from ludens.core import GroundTerm, goal_number
from ludens.engines.sliced import SlicedEngine
from ludens.evaluation.fuzzy.formulas import Formulas
from ludens.evaluation.fuzzy.norms import Norm
from ludens.evaluation.fuzzy.reference import degree_of, reference_values
from ludens.evaluation.fuzzy.selection import UnrollLimits
from ludens.evaluation.fuzzy.unroll import unroll
from ludens.game import Game
from ludens.gdl.keywords import CHANCE
from ludens.gdl.rules import Rules
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import facts_of_game, game_of, structure_of

ENOUGH = 60.0
"""Seconds; nothing here needs nearly as many."""
Facts = frozenset[GroundTerm]


@dataclass(frozen=True)
class Unrolled:
    """A game with its formulas."""

    game: Game
    facts: GameFacts
    formulas: Formulas

    @property
    def engine(self) -> SlicedEngine:
        assert isinstance(self.game.engine, SlicedEngine)
        return self.game.engine

    def bits(self, state: Facts) -> NDArray[np.bool_]:
        return np.array([fluent in state for fluent in self.engine.circuit.fluents], np.bool_)

    def values(self, state: Facts, norm: Norm) -> list[float]:
        return reference_values(self.formulas, self.bits(state), norm)

    def goals(self, state: Facts, norm: Norm) -> list[dict[int, float]]:
        """For each role the degrees of its goal values."""
        values = self.values(state, norm)
        return [{goal.value: degree_of(values, goal.literal) for goal in goals} for goals in self.formulas.goals]

    def terminal(self, state: Facts, norm: Norm) -> float:
        return degree_of(self.values(state, norm), self.formulas.terminal)

    def leaf(self, term: GroundTerm, state: Facts, norm: Norm) -> float:
        """The degree of what has a name."""
        literal = next(literal for literal, name in self.formulas.names.items() if name == term)
        return degree_of(self.values(state, norm), literal)

    def with_limits(self, limits: UnrollLimits, seconds: float = ENOUGH) -> Unrolled:
        return Unrolled(self.game, self.facts, unroll(self.game, self.facts, Deadline(seconds), limits))


@cache
def unrolled(name: str) -> Unrolled:
    """Unroll a bundled game."""
    return with_facts(game_of(name), structure_of(name))


def of_rules(rules: str | Rules) -> Unrolled:
    return of_game(Game(Rules.parse(rules) if isinstance(rules, str) else rules))


def of_game(game: Game) -> Unrolled:
    assert game.compile(), game.compile_error
    return with_facts(game, facts_of_game(game, proofs=False, symmetries=False))


def with_facts(game: Game, facts: GameFacts) -> Unrolled:
    return Unrolled(game, facts, unroll(game, facts, Deadline(ENOUGH)))


def random_states(game: Game, count: int, seed: int) -> Iterator[Facts]:
    """States of random games, the ends included."""
    rng, engine = Random(seed), game.engine
    states = engine.initial(1)
    for _ in range(count):
        yield engine.decode(states)[0]
        (legal,) = engine.legal(states)
        over = engine.terminal(states)[0] or not all(legal)
        states = engine.initial(1) if over else engine.step(states, [[rng.choice(moves) for moves in legal]])


def disagreements(one: Unrolled, states: Iterable[Facts], norm: Norm) -> list[str]:
    """Where degrees are on another side than the truth in the reference engine says: none, if all is well."""
    reference = one.game.reference_engine
    wrong = []
    for state in states:
        batch = reference.encode([state])
        told = {"terminal": (bool(reference.terminal(batch)[0]), one.terminal(state, norm))}
        for role, terms, degrees in zip(
            reference.roles, reference.goal_terms(batch)[0], one.goals(state, norm), strict=True
        ):
            holding = {goal_number(term) for term in terms if role != CHANCE} - {-1}
            told |= {f"{role} {value}": (value in holding, degree) for value, degree in degrees.items()}
            wrong += [f"{role} {value} is missing" for value in holding - set(degrees)]
        for what, (holds, degree) in told.items():
            if not (degree >= norm.t if holds else degree <= 1 - norm.t):
                wrong.append(f"{what}: {degree} in {sorted(map(str, state))}")
    return wrong
