"""Estimates of how many facts a relation has, from which the planner orders joins.

Wrong estimates make evaluation slower, never wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import TypeAlias

from ludens.core import GroundTerm
from ludens.gdl.domains import ArgumentDomains
from ludens.gdl.formulas import Signature
from ludens.gdl.rules import Rules
from ludens.gdl.terms import is_ground

Bound: TypeAlias = tuple[bool, ...]
"""For each argument whether its value is known when a relation is asked for."""

_UNSEEN_FLUENTS = 12.0


class Statistics:
    """Sizes of fact relations, and guesses for the rest.

    Fluents are counted in sample states, at first in the initial state alone.
    """

    def __init__(self, rules: Rules) -> None:
        self.domains = ArgumentDomains(rules.rules)
        self._facts: dict[Signature, float] = {}
        self._columns: dict[Signature, tuple[float, ...]] = {}
        for signature, defining in rules.relations.items():
            facts = [rule.head.args for rule in defining if not rule.body and all(map(is_ground, rule.head.args))]
            self._facts[signature] = len(facts)
            self._columns[signature] = _distinct(facts)
        self._fluents: dict[Signature, float] = {}
        self._fluent_columns: dict[Signature, tuple[float, ...]] = {}

    def observe(self, states: Iterable[frozenset[GroundTerm]]) -> None:
        """Count the fluents in these states; the largest number counts."""
        for state in states:
            groups: dict[Signature, list[tuple[GroundTerm, ...]]] = {}
            for fact in state:
                name, args = (fact, ()) if isinstance(fact, str) else (str(fact[0]), fact[1:])
                groups.setdefault((name, len(args)), []).append(args)
            for signature, rows in groups.items():
                if len(rows) > self._fluents.get(signature, 0):
                    self._fluent_columns[signature] = _distinct(rows)
                    self._fluents[signature] = len(rows)  # as the last: another thread may be planning

    def facts(self, signature: Signature, bound: Bound) -> float:
        """How many facts of a static relation match when the bound arguments are known."""
        return _matching(self._facts.get(signature, 0.0), self._columns.get(signature, ()), bound)

    def fluents(self, signature: Signature, bound: Bound) -> float:
        """How many fluents of this name a state has that match."""
        if signature in self._fluents:
            return _matching(self._fluents[signature], self._fluent_columns[signature], bound)
        name, arity = signature
        sizes = [float(self.domains.size("function", name, arity, index)) for index in range(arity)]
        return _matching(min(prod(sizes), _UNSEEN_FLUENTS), sizes, bound)


def _matching(count: float, columns: Sequence[float], bound: Bound) -> float:
    for distinct, known in zip(columns, bound, strict=False):
        if known:
            count /= max(1.0, distinct)
    return count


def _distinct(rows: Sequence[Sequence[object]]) -> tuple[float, ...]:
    return tuple(float(len(set(column))) for column in zip(*rows, strict=True))
