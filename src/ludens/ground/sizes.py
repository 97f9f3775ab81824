"""Estimates of the numbers of instances of conditions, from facts and domains, as in databases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from ludens.gdl.dependencies import strongly_connected
from ludens.gdl.domains import ArgumentDomains
from ludens.gdl.domains import Position as _Place
from ludens.gdl.formulas import Atom, Literal, Rule, Signature
from ludens.gdl.terms import Term, Variable, is_ground
from ludens.ground.asp import INPUTS

MAX_COUNTED = 5000
"""The limit on the facts of a relation that are counted for each condition."""
MAX_ROUNDS = 100
"""The limit on refinements of the estimate of a recursive relation."""

_SHARED = {"init": "true", "next": "true", "legal": "does"}

_Key: TypeAlias = tuple[str, str, int]
"""A relation; of fluents and moves those of one function."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The numbers of instances of a condition and of values of each of its variables."""

    rows: float
    values: Mapping[Variable, float]


def join(shapes: Sequence[Shape]) -> Shape:
    """Return the shape of several conditions together, taken as independent where they share no variable."""
    rows = prod([shape.rows for shape in shapes])
    values: dict[Variable, float] = {}
    for shape in shapes:
        for variable, count in shape.values.items():
            known = values.get(variable)
            if known is None:
                values[variable] = count
            else:
                rows /= max(count, known)
                values[variable] = min(count, known)
    everything = prod(values.values())
    for shape in shapes:
        rows = min(rows, shape.rows * everything / prod([values[name] for name in shape.values]))
    return Shape(max(1.0, rows), values)


class Sizes:
    """Estimates for the relations of some rules."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._domains = ArgumentDomains(rules)
        self._weights: dict[_Place, float] = {}
        self._rows: dict[_Key, float] = {}
        self._facts: dict[Signature, list[tuple[Term, ...]]] = {}
        self._shapes: dict[Atom, Shape] = {}
        self._read(rules)
        self._shapes.clear()

    def shape(self, atom: Atom) -> Shape:
        if atom not in self._shapes:
            self._shapes[atom] = self._shape_of_facts(atom) if atom.signature in self._facts else self._shape(atom)
        return self._shapes[atom]

    # -- relations ---------------------------------------------------------------------------

    def _read(self, rules: Sequence[Rule]) -> None:
        by_head: dict[Signature, list[Rule]] = {}
        for rule in rules:
            by_head.setdefault(rule.head.signature, []).append(rule)
        for signature, group in by_head.items():
            if signature[0] not in _SHARED and len(group) <= MAX_COUNTED and not any(rule.body for rule in group):
                self._facts[signature] = [rule.head.args for rule in group]
        edges = {
            head: sorted({literal.atom.signature for rule in group for literal in rule.body})
            for head, group in by_head.items()
        }
        edges["does", 2] = [("legal", 2)]
        for component in strongly_connected(edges):
            group = [rule for signature in component for rule in by_head.get(signature, ())]
            recursive = len(component) > 1 or component[0] in edges.get(component[0], ())
            for _ in range(MAX_ROUNDS if recursive else 1):
                if not self._refine(group):
                    break

    def _refine(self, group: Iterable[Rule]) -> bool:
        """Estimate relations by their rules; return whether an estimate grew."""
        sums: dict[_Key, float] = {}
        for rule in group:
            if rule.head.signature not in self._facts and _key(rule.head)[0] != "true":
                key = _key(rule.head)
                most = prod(weight for weight, _ in self._columns(rule.head))
                known = self.instances(rule.body)
                rows = min(known.rows, prod(known.values[name] for name in set(rule.head.variables())))
                sums[key] = min(most, sums.get(key, 0.0) + rows)
        grown = any(rows > 1.01 * self._rows.get(key, 0.0) for key, rows in sums.items())
        self._rows.update(sums)
        if grown:
            self._shapes.clear()
        return grown

    def instances(self, body: Iterable[Literal]) -> Shape:
        """Return the shape of the positive conditions together."""
        return join([self.shape(part.atom) for part in body if part.positive and part.atom.name != "distinct"])

    # -- atoms -------------------------------------------------------------------------------

    def _shape_of_facts(self, atom: Atom) -> Shape:
        """Return a shape that is counted, not estimated."""
        found: dict[Variable, set[Term]] = {variable: set() for variable in atom.variables()}
        rows = 0
        for fact in self._facts[atom.signature]:
            binding: dict[Variable, Term] = {}
            if all(_matches(pattern, term, binding) for pattern, term in zip(atom.args, fact, strict=True)):
                rows += 1
                for variable, term in binding.items():
                    found[variable].add(term)
        return Shape(max(1, rows), {variable: max(1, len(terms)) for variable, terms in found.items()})

    def _shape(self, atom: Atom) -> Shape:
        columns = list(self._columns(atom))
        rows = self._key_rows(atom)
        values: dict[Variable, float] = {}
        for weight, term in columns:
            if isinstance(term, Variable):
                if term in values:
                    rows /= max(weight, values[term])
                values[term] = min(weight, values.get(term, weight))
            else:
                rows /= weight
        rows = max(1.0, min(rows, prod(values.values())))
        return Shape(rows, {variable: min(rows, count) for variable, count in values.items()})

    def _key_rows(self, atom: Atom) -> float:
        name, function, _ = key = _key(atom)
        most = prod(weight for weight, _ in self._columns(atom))
        if name == "true":
            return most
        if name != "does":
            return self._rows.get(key, 1.0)
        if function:
            return min(most, self._rows.get(key, self._rows.get(("does", "", 0), 1.0)))
        return sum((rows for (other, _, _), rows in self._rows.items() if other == name), 0.0)

    def _columns(self, atom: Atom) -> Iterator[tuple[float, Term]]:
        """Yield the words and variables of an atom, each with the number of values its place can have."""
        name = _SHARED.get(atom.name, atom.name)
        function = _key(atom)[1]
        for index, argument in enumerate(atom.args):
            place: _Place = ("relation", name, len(atom.args), index)
            if function and index == len(atom.args) - 1:
                yield from self._function_columns(argument, whole=1.0)
            elif isinstance(argument, tuple):
                yield from self._function_columns(argument, self._weight(place))
            else:
                yield self._weight(place), argument

    def _function_columns(self, term: Term, whole: float) -> Iterator[tuple[float, Term]]:
        """Yield the columns of a function in a place with `whole` values."""
        if not isinstance(term, tuple):
            return
        places: list[_Place] = [("function", str(term[0]), len(term) - 1, index) for index in range(len(term) - 1)]
        inner = prod(map(self._weight, places))
        if whole > inner:
            yield whole / inner, str(term[0])
        for place, argument in zip(places, term[1:], strict=True):
            if isinstance(argument, tuple):
                yield from self._function_columns(argument, self._weight(place))
            else:
                yield self._weight(place), argument

    def _weight(self, place: _Place) -> float:
        """Return the number of possible terms in a place; a function counts as the product of its own places."""
        if place not in self._weights:
            self._weights[place] = 1.0
            total = 0.0
            for word in self._domains.words(*place):
                function, _, size = word.rpartition("/")
                inner = int(size) if function and size.isdecimal() else 0
                total += prod(self._weight(("function", function, inner, part)) for part in range(inner))
            self._weights[place] = max(1.0, total)
        return self._weights[place]


def _key(atom: Atom) -> _Key:
    name = _SHARED.get(atom.name, atom.name)
    if (name, len(atom.args)) not in INPUTS:
        return name, "", len(atom.args)
    term = atom.args[-1]
    if isinstance(term, Variable):
        return name, "", 0
    return (name, str(term[0]), len(term) - 1) if isinstance(term, tuple) else (name, term, 0)


def _matches(pattern: Term, term: Term, binding: dict[Variable, Term]) -> bool:
    if isinstance(pattern, Variable):
        return binding.setdefault(pattern, term) == term
    if is_ground(pattern) or not isinstance(pattern, tuple) or not isinstance(term, tuple):
        return pattern == term
    return len(pattern) == len(term) and all(map(_matches, pattern, term, [binding] * len(pattern)))
