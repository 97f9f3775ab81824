"""Stochastic games by the paper's definition: an outcome of weight v has the probability v / sum of all v.

Nothing here knows of units or of a role `random`. The author's rules are asked for weights and legal moves, outcomes
are put in the place of variables, and what the announced moves lead to is asked from the rules, with `does` read from
the state.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from ludens.core import GroundTerm
from ludens.engines.reference import ReferenceEngine
from ludens.gdl.formulas import Atom, Clause, Formula, Not
from ludens.gdl.rules import Rules

State = frozenset[GroundTerm]
Joint = tuple[GroundTerm, ...]
Distribution = dict[State, Fraction]


class PaperGame:
    """A sheet with the relation `random`; two roles at most, of which one has a choice at a time."""

    def __init__(self, text: str) -> None:
        rules = Rules.parse(text)
        self.roles = rules.roles
        clauses = [Clause(clause.head, tuple(map(_from_state, clause.body))) for clause in rules.clauses]
        self._engine = ReferenceEngine(Rules(clauses))
        self._ask = cache(self._answer)
        self.start: State = self._ask("init", frozenset())
        self.value = cache(self._value)
        self.random_value = cache(self._random_value)

    def _answer(self, relation: str, facts: State) -> frozenset[Any]:
        return self._engine.ask(relation, facts)

    def is_end(self, state: State) -> bool:
        return bool(self._ask("terminal", state))

    def joints(self, state: State) -> Iterator[Joint]:
        legal = self._ask("legal", state)
        yield from product(*(sorted((move for who, move in legal if who == role), key=str) for role in self.roles))

    def goal(self, state: State, role: int) -> Fraction:
        (value,) = (value for who, value in self._ask("goal", state) if who == self.roles[role])
        return Fraction(value)

    def weights(self, state: State) -> dict[str, Counter[GroundTerm]]:
        found: dict[str, Counter[GroundTerm]] = defaultdict(Counter)
        for name, weight, outcome in self._ask("random", state):
            found[name][outcome] += int(weight)
        return found

    def announcements(self, state: State, joint: Joint) -> dict[Joint, Fraction]:
        """What may be announced when these moves are made, with its probability."""
        weights = self.weights(state)
        names = [name for name in weights if any(name in _words(move) for move in joint)]
        found: dict[Joint, Fraction] = defaultdict(Fraction)
        for drawn in product(*(weights[name].items() for name in names)):
            outcomes = {name: outcome for name, (outcome, _) in zip(names, drawn, strict=True)}
            chance = Fraction(1)
            for name, (_, weight) in zip(names, drawn, strict=True):
                chance *= Fraction(weight, weights[name].total())
            if chance:
                found[tuple(_replaced(move, outcomes) for move in joint)] += chance
        return dict(found)

    def next(self, state: State, announced: Joint) -> State:
        done = {("done", role, move) for role, move in zip(self.roles, announced, strict=True)}
        return self._ask("next", state | done)

    def after(self, state: State, joint: Joint) -> Distribution:
        """The states that may follow, with their probabilities."""
        found: Distribution = defaultdict(Fraction)
        for announced, chance in self.announcements(state, joint).items():
            found[self.next(state, announced)] += chance
        return dict(found)

    def states(self) -> set[State]:
        """All states that can be reached."""
        found, waiting = {self.start}, [self.start]
        while waiting:
            state = waiting.pop()
            if not self.is_end(state):
                new = {after for joint in self.joints(state) for after in self.after(state, joint)} - found
                found |= new
                waiting += new
        return found

    def _value(self, state: State, role: int = 0) -> Fraction:
        """What a role can expect when it plays as well as possible, and the other as badly for it."""
        if self.is_end(state):
            return self.goal(state, role)
        joints = list(self.joints(state))
        values = [self._mean(state, joint, self.value, role) for joint in joints]
        own = len({joint[role] for joint in joints}) > 1
        return max(values) if own else min(values)

    def _random_value(self, state: State, role: int = 0) -> Fraction:
        """What a role can expect when all play at random."""
        if self.is_end(state):
            return self.goal(state, role)
        values = [self._mean(state, joint, self.random_value, role) for joint in self.joints(state)]
        return sum(values, Fraction(0)) / len(values)

    def _mean(self, state: State, joint: Joint, value: Any, role: int) -> Fraction:
        return sum((chance * value(after, role) for after, chance in self.after(state, joint).items()), Fraction(0))


def _from_state(formula: Formula) -> Formula:
    if isinstance(formula, Atom):
        return Atom("true", (("done", *formula.args),)) if formula.name == "does" else formula
    if isinstance(formula, Not):
        return Not(_from_state(formula.body))
    return type(formula)(tuple(map(_from_state, formula.parts)))


def _words(term: GroundTerm) -> Iterator[GroundTerm]:
    if isinstance(term, tuple):
        for part in term[1:]:
            yield from _words(part)
    else:
        yield term


def _replaced(term: GroundTerm, outcomes: dict[str, GroundTerm]) -> GroundTerm:
    if isinstance(term, tuple):
        return (term[0], *(_replaced(part, outcomes) for part in term[1:]))
    return outcomes.get(term, term)


paper_game = cache(PaperGame)
"""The same game for all tests of a sheet; it remembers what it was asked."""
