"""The dependencies between relations, and their order of evaluation."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from ludens.gdl.formulas import Rule, Signature

Node = TypeVar("Node", bound=Hashable)


@dataclass(frozen=True)
class DependencyGraph:
    """Edges from each relation to those its rules mention, positively and under `not`."""

    positive: Mapping[Signature, frozenset[Signature]]
    negative: Mapping[Signature, frozenset[Signature]]

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> DependencyGraph:
        edges: tuple[dict[Signature, set[Signature]], dict[Signature, set[Signature]]] = ({}, {})
        for rule in rules:
            for kind in edges:
                kind.setdefault(rule.head.signature, set())
            for literal in rule.body:
                edges[0 if literal.positive else 1][rule.head.signature].add(literal.atom.signature)
        positive, negative = ({node: frozenset(targets) for node, targets in kind.items()} for kind in edges)
        return cls(positive, negative)

    def uses(self, relation: Signature) -> frozenset[Signature]:
        """Return the relations that the rules of this one mention."""
        none: frozenset[Signature] = frozenset()
        return self.positive.get(relation, none) | self.negative.get(relation, none)

    def reachable(self, relations: Iterable[Signature]) -> frozenset[Signature]:
        """Return the given relations and all that they depend on, directly or not."""
        found = set(relations)
        todo = list(found)
        while todo:
            for target in self.uses(todo.pop()):
                if target not in found:
                    found.add(target)
                    todo.append(target)
        return frozenset(found)

    @cached_property
    def components(self) -> tuple[tuple[Signature, ...], ...]:
        """Groups of mutually dependent relations, each after all that it depends on."""
        return strongly_connected({node: sorted(self.uses(node)) for node in self.positive})

    @cached_property
    def recursive(self) -> frozenset[Signature]:
        """The relations that depend on themselves, directly or through others."""
        return frozenset(
            relation
            for component in self.components
            for relation in component
            if len(component) > 1 or relation in self.uses(relation)
        )

    @cached_property
    def strata(self) -> Mapping[Signature, int]:
        """For each relation the number of layers of negation below it (by names alone)."""
        level: dict[Signature, int] = {}
        for component in self.components:
            members = set(component)
            height = 0
            for node in component:
                for target in self.uses(node) - members:
                    crossing = target in self.negative.get(node, frozenset())
                    height = max(height, level.get(target, 0) + crossing)
            level.update(dict.fromkeys(component, height))
        return level


def strongly_connected(edges: Mapping[Node, Sequence[Node]]) -> tuple[tuple[Node, ...], ...]:
    """Return the strongly connected components in the order of evaluation (Tarjan's algorithm without recursion)."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    on_stack: set[Node] = set()
    found: list[tuple[Node, ...]] = []
    for root in edges:
        if root in index:
            continue
        work = [(root, iter(edges.get(root, ())))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(edges.get(target, ()))))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component: list[Node] = []
                    while not component or component[-1] != node:
                        component.append(stack.pop())
                        on_stack.discard(component[-1])
                    found.append(tuple(reversed(component)))
    return tuple(found)
