"""The dependencies of rules: finer than those of relations, since arguments count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ludens.gdl.dependencies import strongly_connected
from ludens.gdl.formulas import Atom, Literal, Rule
from ludens.gdl.terms import Term, rename, variables
from ludens.gdl.validate.index import TermIndex


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
