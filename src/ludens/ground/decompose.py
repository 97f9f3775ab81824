"""Splitting rules with too many instances.

A rule with many variables has an instance for every combination of their values. Often a few of its conditions
can be put together first and the variables that occur nowhere else dropped, by a relation made for it: the
elimination of variables, as in the tree decomposition of a rule. A split is made only if the estimated cost of
all parts is below that of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from ludens.gdl.dependencies import DependencyGraph
from ludens.gdl.formulas import Atom, Literal, Rule, Signature
from ludens.gdl.terms import Variable, substitute
from ludens.ground.asp import INPUTS
from ludens.ground.sizes import Shape, Sizes, join

AUXILIARY = "part "
"""Start of the names of relations made here; no sheet can use them, since no symbol has a space."""
MAX_CONDITIONS = 100
"""Rules with more conditions are not split: planning for them takes too long."""
MIN_COST = 100.0
"""Rules of a lower cost are not split."""
STATIC_COST = 0.2
"""The cost of an instance that is folded away by the grounder, compared with one literal of one that stays."""

_Variables = frozenset[Variable]


@dataclass(frozen=True, slots=True, eq=False)
class _Condition:
    """A literal with the properties that planning needs."""

    literal: Literal
    variables: _Variables
    binds: bool
    """Whether it gives values to its variables; if not, it tests them."""
    dynamic: bool
    """Whether it is not the same in all states."""
    shape: Shape


_Body = tuple[_Condition, ...]


def split_rules(rules: Sequence[Rule], check: Callable[[int], None] = lambda done: None) -> tuple[Rule, ...]:
    """Return the rules with large ones split; every question has the same answers.

    `check` is called now and then with the number of rules done, and may raise.
    """
    return tuple(_Splitter(rules).split(check))


@dataclass(frozen=True, slots=True)
class _Plan:
    """The conditions put together so far, as rules of their own, and the body that is left."""

    body: _Body
    parts: tuple[Rule, ...] = ()
    parts_cost: float = 0.0
    cost: float = 0.0
    """Of the parts and of the body."""


class _Splitter:
    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._sizes = Sizes(rules)
        self._dynamic: set[Signature] = set(INPUTS)
        graph = DependencyGraph.of(rules)
        for component in graph.components:
            if any(graph.uses(node) & self._dynamic for node in component):
                self._dynamic.update(component)
        self._names: dict[tuple[object, ...], str] = {}
        """The relations thought of so far, by what they stand for."""
        self._made: set[str] = set()

    def split(self, check: Callable[[int], None]) -> Iterator[Rule]:
        for number, rule in enumerate(self._rules):
            check(number)
            plan = self._best_plan(rule) if 1 < len(rule.body) <= MAX_CONDITIONS else None
            if plan is None or not plan.parts:
                yield rule
                continue
            for part in plan.parts:
                if part.head.name not in self._made:
                    self._made.add(part.head.name)
                    yield part
            yield Rule(rule.head, _literals(plan.body), rule.span)

    def _best_plan(self, rule: Rule) -> _Plan:
        """Return the cheapest plan found by two greedy eliminations of the variables outside the head."""
        body = tuple(map(self._condition, rule.body))
        whole = _Plan(body, cost=_cost(body, _joined(body)))
        plans = [whole]
        kept = frozenset(rule.head.variables())
        ways: tuple[Callable[[_Plan], float], ...] = (lambda plan: plan.cost, lambda plan: plan.parts_cost)
        for way in ways if whole.cost > MIN_COST else ():
            plan = whole
            while steps := self._steps(plan, kept):
                plan = min(steps, key=way)
                plans.append(plan)
        return min(plans, key=lambda plan: plan.cost)

    def _condition(self, literal: Literal) -> _Condition:
        atom = literal.atom
        binds = literal.positive and atom.name != "distinct"
        shape = self._sizes.shape(atom) if binds else Shape(1.0, {})
        return _Condition(literal, frozenset(atom.variables()), binds, atom.signature in self._dynamic, shape)

    def _steps(self, plan: _Plan, kept: _Variables) -> list[_Plan]:
        """Return the plans with some more conditions put together."""
        buckets: dict[_Body, None] = {}
        for variable in sorted(_variables(plan.body) - kept):
            buckets[_conditions_on(plan.body, variable)] = None
        for condition in plan.body:
            if condition.binds:
                inside = _within(plan.body, condition.variables)
                if sum(part.dynamic for part in inside) > 1:
                    buckets[inside] = None
        return [self._combined(plan, bucket, kept) for bucket in buckets if len(bucket) < len(plan.body)]

    def _combined(self, plan: _Plan, bucket: _Body, kept: _Variables) -> _Plan:
        """Return the plan with the conditions of the bucket replaced by one relation."""
        rest = tuple(part for part in plan.body if part not in bucket)
        used = kept | _variables(rest)
        order = dict.fromkeys(name for part in bucket for name in part.literal.atom.variables())
        shared = tuple(name for name in order if name in used)
        name = self._names.setdefault(_canonical(bucket, order, shared), f"{AUXILIARY}{len(self._names)}")
        joined = _joined(bucket)
        values = {name: joined.values[name] for name in shared}
        new = _Condition(
            literal=Literal(Atom(name, shared)),
            variables=frozenset(shared),
            binds=True,
            dynamic=any(part.dynamic for part in bucket),
            shape=Shape(min(joined.rows, prod(values.values())), values),
        )
        body = (new, *rest)
        parts = (*plan.parts, Rule(new.literal.atom, _literals(bucket)))
        parts_cost = plan.parts_cost + (0.0 if name in self._made else _cost(bucket, joined))
        return _Plan(body, parts, parts_cost, parts_cost + _cost(body, _joined(body)))


def _joined(body: _Body) -> Shape:
    return join([part.shape for part in body if part.binds])


def _cost(body: _Body, joined: Shape) -> float:
    """Return the approximate number of literals of all instances."""
    dynamic = sum(part.dynamic for part in body)
    return joined.rows * (1 + dynamic) if dynamic else joined.rows * STATIC_COST


def _conditions_on(body: _Body, variable: Variable) -> _Body:
    """Return the conditions on a variable, and what they need: a test needs conditions that give values."""
    chosen = {part for part in body if variable in part.variables}
    while loose := _variables(chosen) - _variables(part for part in chosen if part.binds):
        name = min(loose)
        binding = (part for part in body if part.binds and name in part.variables)
        chosen.add(min(binding, key=lambda part: part.shape.rows))
    bound = _variables(chosen)
    chosen.update(part for part in _within(body, bound) if not part.binds and not part.dynamic)
    return tuple(part for part in body if part in chosen)


def _within(body: _Body, names: _Variables) -> _Body:
    """Return the conditions that have no other variables than these."""
    return tuple(part for part in body if part.variables <= names)


def _variables(body: Iterable[_Condition]) -> _Variables:
    return frozenset[Variable]().union(*(part.variables for part in body))


def _literals(body: _Body) -> tuple[Literal, ...]:
    return tuple(part.literal for part in body)


def _canonical(bucket: _Body, order: Iterable[Variable], shared: Iterable[Variable]) -> tuple[object, ...]:
    """Return the meaning of a relation, independent of the names of its variables."""
    names = {name: Variable(str(number)) for number, name in enumerate(order)}
    literals = (
        (part.literal.positive, part.literal.atom.name, *(substitute(term, names) for term in part.literal.atom.args))
        for part in bucket
    )
    return (*literals, *(names[name] for name in shared))
