"""A second, deliberately simple evaluator: tries every substitution until nothing new follows.

It shares nothing with the engine but the types of rules, so that the two can check each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from ludens.core import GroundTerm
from ludens.gdl.formulas import Atom, Literal, Rule, Signature
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, Variable

Fact = tuple[str, tuple[GroundTerm, ...]]


def instance(term: Term, values: dict[Variable, GroundTerm]) -> GroundTerm:
    if isinstance(term, Variable):
        return values[term]
    if isinstance(term, tuple):
        return tuple(instance(part, values) for part in term)
    return term


def consequences(rules: Iterable[Rule], words: Sequence[GroundTerm], facts: Iterable[Fact]) -> set[Fact]:
    """All that follows from stratified rules, level by level, with variables over the given words."""
    rules = list(rules)
    levels = _levels(rules)
    known = set(facts)
    for level in sorted(set(levels.values())):
        layer = [rule for rule in rules if levels[rule.head.signature] == level]
        size = -1
        while size != len(known):
            size = len(known)
            for rule in layer:
                known.update(_derived(rule, words, known))
    return known


def _levels(rules: Sequence[Rule]) -> dict[Signature, int]:
    levels = {rule.head.signature: 0 for rule in rules}
    for _ in range(len(levels) + 1):
        for rule in rules:
            for literal in rule.body:
                below = levels.get(literal.atom.signature, 0) + (not literal.positive)
                levels[rule.head.signature] = max(levels[rule.head.signature], below)
    return levels


def _derived(rule: Rule, words: Sequence[GroundTerm], known: set[Fact]) -> Iterable[Fact]:
    variables = sorted(set(rule.variables()))
    for values in product(words, repeat=len(variables)):
        binding = dict(zip(variables, values, strict=True))
        if all(_holds(literal, binding, known) for literal in rule.body):
            yield _ground(rule.head, binding)


def _holds(literal: Literal, binding: dict[Variable, GroundTerm], known: set[Fact]) -> bool:
    name, args = _ground(literal.atom, binding)
    truth = args[0] != args[1] if name == "distinct" else (name, args) in known
    return truth == literal.positive


def _ground(atom: Atom, binding: dict[Variable, GroundTerm]) -> Fact:
    return atom.name, tuple(instance(argument, binding) for argument in atom.args)


class NaiveGame:
    """The rules of a game, read by trying out everything; only words can be the values of variables."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.roles = rules.rules, rules.roles
        atoms = [atom for rule in self.rules for atom in (rule.head, *(literal.atom for literal in rule.body))]
        self.words = sorted({word for atom in atoms for argument in atom.args for word in _words(argument)})

    def initial(self) -> frozenset[GroundTerm]:
        return self._values(self._holds(()), "init")

    def is_terminal(self, state: frozenset[GroundTerm]) -> bool:
        return ("terminal", ()) in self._holds(state)

    def legal(self, state: frozenset[GroundTerm]) -> list[frozenset[GroundTerm]]:
        """For each role, in no order."""
        return self._by_role(self._holds(state), "legal")

    def goal_terms(self, state: frozenset[GroundTerm]) -> list[frozenset[GroundTerm]]:
        return self._by_role(self._holds(state), "goal")

    def after(self, state: frozenset[GroundTerm], joint: Sequence[GroundTerm]) -> frozenset[GroundTerm]:
        return self._values(self._holds(state, joint), "next")

    def _holds(self, state: Iterable[GroundTerm], joint: Sequence[GroundTerm] = ()) -> set[Fact]:
        moves: list[Fact] = [("does", pair) for pair in zip(self.roles, joint, strict=bool(joint))]
        return consequences(self.rules, self.words, [*moves, *(("true", (fact,)) for fact in state)])

    def _by_role(self, known: set[Fact], relation: str) -> list[frozenset[GroundTerm]]:
        pairs = [args for name, args in known if name == relation]
        return [frozenset(value for owner, value in pairs if owner == role) for role in self.roles]

    def _values(self, known: set[Fact], relation: str) -> frozenset[GroundTerm]:
        return frozenset(args[0] for name, args in known if name == relation)


def _words(term: Term) -> Iterable[str]:
    """All that is no name of a function."""
    if isinstance(term, tuple):
        for argument in term[1:]:
            yield from _words(argument)
    elif not isinstance(term, Variable):
        yield term
