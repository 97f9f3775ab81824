"""A second, deliberately simple evaluator: tries every substitution until nothing new follows.

It shares nothing with the engine but the types of rules, so that the two can check each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from ludens.core import GroundTerm
from ludens.gdl.formulas import Atom, Literal, Rule, Signature
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
