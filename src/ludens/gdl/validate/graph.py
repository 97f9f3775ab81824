"""Which rule can lead to which: finer than the graph of relations, since arguments count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ludens.gdl.dependencies import strongly_connected
from ludens.gdl.formulas import Atom, Literal, Rule
from ludens.gdl.terms import Term, rename, variables
from ludens.gdl.validate.index import TermIndex


class RuleGraph:
    """Rules, each of which leads by the literals of its body to the heads that these can match.

    The nodes are heads; rules whose heads are the same but for the names of variables share one.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        nodes: dict[Term, int] = {}
        self._node_of = [nodes.setdefault(_pattern(rule.head), len(nodes)) for rule in rules]
        heads = TermIndex(nodes)
        known: dict[Term, list[int]] = {}

        def targets(atom: Atom) -> list[int]:
            pattern = _pattern(atom)
            if pattern not in known:
                known[pattern] = list(heads.matches(pattern))
            return known[pattern]

        self._steps = [
            [(target, literal) for literal in rule.body for target in targets(literal.atom)] for rule in rules
        ]
        self._rules_of: dict[int, list[int]] = {}
        for number, node in enumerate(self._node_of):
            self._rules_of.setdefault(node, []).append(number)
        edges = {
            node: list(dict.fromkeys(target for number in numbers for target, _ in self._steps[number]))
            for node, numbers in self._rules_of.items()
        }
        components = strongly_connected(edges)
        self._component_of = {node: index for index, members in enumerate(components) for node in members}

    def component(self, number: int) -> int:
        """The number of the group of mutually dependent rules that a rule belongs to."""
        return self._component_of[self._node_of[number]]

    def on_cycle(self, number: int) -> Iterator[tuple[int, Literal]]:
        """The steps of a rule, each to a node, that lead back to it in the end."""
        for target, literal in self._steps[number]:
            if self._component_of[target] == self.component(number):
                yield target, literal

    def way_back(self, target: int, number: int) -> list[Literal]:
        """The literals along a shortest way from a node to the head of a rule on the same cycle."""
        start = self._node_of[number]
        came_from: dict[int, tuple[int, Literal]] = {}
        queue = [target]
        for node in queue:
            for rule in self._rules_of[node]:
                for following, literal in self.on_cycle(rule):
                    if following not in came_from and following != target:
                        came_from[following] = node, literal
                        queue.append(following)
        way: list[Literal] = []
        while start != target:
            start, literal = came_from[start]
            way.append(literal)
        return way[::-1]


def _pattern(atom: Atom) -> Term:
    """The atom as a term, with its variables numbered."""
    term: Term = (atom.name, *atom.args)
    names: dict[str, str] = {}
    for variable in variables(term):
        names.setdefault(str(variable), f"?{len(names)}")
    return rename(term, names)
