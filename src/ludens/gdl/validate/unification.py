"""Terms that can match, and the dependencies of rules by them: finer than those of relations, since arguments count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from ludens.gdl.dependencies import strongly_connected
from ludens.gdl.formulas import Atom, Literal, Rule
from ludens.gdl.terms import Term, Variable, is_ground, rename, unifiable, variables

Shape: TypeAlias = "tuple[Term, int]"
"""Name and number of arguments; a constant has -1 arguments, to be told from a relation without any."""

MAX_COMPARISONS = 200_000
"""The limit on comparisons of one index; no known sheet comes near."""


class TermIndex:
    """Terms by number; for each shape and position, those with a certain ground argument there."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self.terms = tuple(terms)
        self._known = frozenset(self.terms)
        self._left = MAX_COMPARISONS
        self._variables: list[int] = []
        self._shapes: dict[Shape, list[int]] = {}
        self._fixed: dict[tuple[Shape, int, Term], list[int]] = {}
        self._open: dict[tuple[Shape, int], list[int]] = {}
        for number, term in enumerate(self.terms):
            self._add(number, term)

    def _add(self, number: int, term: Term) -> None:
        if isinstance(term, Variable):
            self._variables.append(number)
            return
        shape = _shape(term)
        self._shapes.setdefault(shape, []).append(number)
        for position, argument in _arguments(term):
            if is_ground(argument):
                self._fixed.setdefault((shape, position, argument), []).append(number)
            else:
                self._open.setdefault((shape, position), []).append(number)

    def has_shape(self, term: Term) -> bool:
        """Return whether some term has the same name and number of arguments."""
        return _shape(term) in self._shapes

    def has_match(self, term: Term) -> bool:
        """Return whether some term has a common instance with this one; True once the limit is reached."""
        return term in self._known or next(self.matches(term), None) is not None or self._left < 0

    def matches(self, term: Term) -> Iterator[int]:
        """Yield the numbers of the terms that have a common instance with this one, until the limit is reached."""
        for number in self._candidates(term) if self._left >= 0 else ():
            self._left -= 1
            if self._left < 0:
                return
            if unifiable(term, self.terms[number]):
                yield number

    def _candidates(self, term: Term) -> list[int]:
        if isinstance(term, Variable):
            return list(range(len(self.terms)))
        shape = _shape(term)
        best = self._shapes.get(shape, [])
        for position, argument in _arguments(term):
            if is_ground(argument):
                fixed, open_ = self._fixed.get((shape, position, argument), []), self._open.get((shape, position), [])
                if len(fixed) + len(open_) < len(best):
                    best = fixed + open_
        return best + self._variables


def _shape(term: Term) -> Shape:
    return (term[0], len(term) - 1) if isinstance(term, tuple) else (term, -1)


def _arguments(term: Term) -> Iterator[tuple[int, Term]]:
    if isinstance(term, tuple):
        yield from enumerate(term[1:])


class UnificationGraph:
    """Rules, each of which leads by the literals of its body to the heads that these can match.

    The nodes are numbers of heads and, between them, of conditions, so that many rules with one condition
    need few edges. Atoms that are equal up to the names of variables share a node.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        heads: dict[Term, int] = {}
        self._head_of = [heads.setdefault(_pattern(rule.head), len(heads)) for rule in rules]
        self._rules_of: list[list[int]] = [[] for _ in heads]
        for number, head in enumerate(self._head_of):
            self._rules_of[head].append(number)
        conditions: dict[Term, int] = {}
        self._conditions = [
            [conditions.setdefault(_pattern(literal.atom), len(heads) + len(conditions)) for literal in rule.body]
            for rule in rules
        ]
        index = TermIndex(heads)
        self._edges = {node: list(index.matches(condition)) for condition, node in conditions.items()}
        for head, numbers in enumerate(self._rules_of):
            self._edges[head] = list(dict.fromkeys(node for number in numbers for node in self._conditions[number]))
        components = strongly_connected(self._edges)
        self._component_of = {node: index for index, members in enumerate(components) for node in members}

    def component(self, number: int) -> int:
        """Return the number of the group of mutually dependent rules that a rule belongs to."""
        return self._component_of[self._head_of[number]]

    def on_cycle(self, number: int) -> Iterator[tuple[int, Literal]]:
        """Yield the conditions of a rule, each with its node, that lead back to it in the end."""
        for node, literal in zip(self._conditions[number], self.rules[number].body, strict=True):
            if self._component_of[node] == self.component(number):
                yield node, literal

    def way_back(self, condition: int, number: int) -> list[Literal]:
        """Return the literals along a shortest path from a condition to the head of a rule on the same cycle."""
        came_from: dict[int, tuple[int, Literal]] = {}
        reached: set[int] = set()
        queue = [condition]
        for node in queue:
            for head in self._edges[node]:
                if head == self._head_of[number]:
                    return _backwards(came_from, node, condition)
                if head in reached:
                    continue
                reached.add(head)
                for rule in self._rules_of[head]:
                    for following, literal in self.on_cycle(rule):
                        if following not in came_from and following != condition:
                            came_from[following] = node, literal
                            queue.append(following)
        raise AssertionError("the condition is on a cycle with the rule")


def _backwards(came_from: dict[int, tuple[int, Literal]], end: int, start: int) -> list[Literal]:
    way: list[Literal] = []
    while end != start:
        end, literal = came_from[end]
        way.append(literal)
    return way[::-1]


def _pattern(atom: Atom) -> Term:
    """Return the atom as a term, with its variables numbered."""
    term: Term = (atom.name, *atom.args)
    names: dict[str, str] = {}
    for variable in variables(term):
        names.setdefault(str(variable), f"?{len(names)}")
    return rename(term, names)
