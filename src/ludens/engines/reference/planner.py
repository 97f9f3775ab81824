"""Planning: in which order the conditions of a rule are looked up, and how.

A rule is evaluated from what is known (the bound arguments of its head) to what is asked. The
planner picks the next condition greedily by its cost and its number of matches, so that cheap
tests come early and large joins late. A derived relation can be asked in two ways: on
demand, for the arguments known at that place, or as a whole, once per state and then indexed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import prod, sqrt

from ludens.engines.reference.statistics import Bound, Statistics
from ludens.errors import Finding, InvalidRulesError
from ludens.gdl.formulas import Atom, Literal, Rule, Signature
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, Variable, is_ground, variables


class Lifetime(Enum):
    """How long derived facts stay valid."""

    GAME = 0
    STATE = 1
    STEP = 2


class Kind(Enum):
    """Where a condition is looked up."""

    DISTINCT = "distinct"
    EQUAL = "equal"
    FLUENT = "fluent"
    DOES = "does"
    DEMAND = "demand"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Lookup:
    """One step of a plan: a condition, how it is looked up, and which arguments are known by then.

    For a fluent `(true (cell ?x ?y b))` the arguments are those of `cell`.
    """

    literal: Literal
    kind: Kind
    bound: Bound


@dataclass(frozen=True, slots=True)
class Estimate:
    """The expected cost of a lookup (about 0.1 microseconds each) and number of matches."""

    cost: float
    matches: float


@dataclass(frozen=True, slots=True)
class Plan:
    rule: Rule
    bound: Bound
    lookups: tuple[Lookup, ...]
    estimate: Estimate


class UnsafeRuleError(InvalidRulesError):
    """A rule leaves a variable without a value."""


_MEMOISED = 1.5
_COST_OF_THE_REST = 60.0


class Planner:
    """Plans every rule for every combination of known arguments that comes up, once."""

    def __init__(self, rules: Rules, statistics: Statistics) -> None:
        self.rules = rules
        self.statistics = statistics
        self.lifetimes = _lifetimes(rules)
        self.component_of = {
            signature: number
            for number, component in enumerate(rules.dependencies.components)
            for signature in component
        }
        self._recursive = rules.dependencies.recursive
        self._negated = {
            self.component_of[head]
            for head, targets in rules.dependencies.negative.items()
            if any(self.component_of.get(target) == self.component_of[head] for target in targets)
        }
        self._plans: dict[tuple[Rule, Bound], Plan] = {}
        self._estimates: dict[tuple[Signature, Bound], Estimate] = {}

    def is_recursive(self, signature: Signature) -> bool:
        """Whether the relation depends on itself, directly or through others."""
        return signature in self._recursive

    def builds_terms(self, signature: Signature) -> bool:
        """Whether the relation is recursive and its recursion puts variables into new compound terms."""
        if not self.is_recursive(signature):
            return False
        members = self.rules.dependencies.components[self.component_of[signature]]
        rules = [rule for member in members for rule in self.rules.relations.get(member, ())]
        atoms = [rule.head for rule in rules]
        atoms += [literal.atom for rule in rules for literal in rule.body if literal.atom.signature in members]
        return any(isinstance(argument, tuple) and not is_ground(argument) for atom in atoms for argument in atom.args)

    def lifetime(self, signature: Signature) -> Lifetime:
        return self.lifetimes.get(signature, Lifetime.GAME)

    def plan(self, rule: Rule, bound: Bound) -> Plan:
        """The plan of a rule when the bound arguments of its head are known.

        Raises UnsafeRuleError when some variable can get no value.
        """
        key = rule, bound
        if key not in self._plans:
            self._plans[key] = self._make_plan(rule, bound)
        return self._plans[key]

    def _make_plan(self, rule: Rule, bound: Bound) -> Plan:
        head = zip(rule.head.args, bound, strict=True)
        known = {variable for argument, is_bound in head if is_bound for variable in variables(argument)}
        bindable = known | {
            variable
            for literal in rule.body
            if literal.positive != (literal.atom.name == "distinct")
            for variable in literal.atom.variables()
        }
        waiting = list(rule.body)
        lookups: list[Lookup] = []
        cost, rows = 1.0, 1.0
        while waiting:
            options = [
                (literal, option)
                for literal in waiting
                if (option := self._option(rule, literal, known, bindable, rows)) is not None
            ]
            if not options:
                raise self._unsafe(rule, waiting[0])
            literal, (lookup, estimate) = min(
                options, key=lambda option: (self._must_wait(rule.head.signature, option[0]), _score(option[1][1]))
            )
            waiting.remove(literal)
            lookups.append(lookup)
            cost += rows * estimate.cost
            rows *= estimate.matches
            if literal.positive or lookup.kind is Kind.EQUAL:
                known.update(literal.atom.variables())
        if not set(rule.head.variables()) <= known:
            raise self._unsafe(rule, None)
        return Plan(rule, bound, tuple(lookups), Estimate(cost + rows, rows))

    def _must_wait(self, head: Signature, literal: Literal) -> bool:
        """Whether to ask for this only when everything else is known.

        Where a relation depends on its own absence for other arguments, a question with fewer arguments known
        would meet itself.
        """
        component = self.component_of.get(head)
        return component in self._negated and self.component_of.get(literal.atom.signature) == component

    def _option(
        self, rule: Rule, literal: Literal, known: set[Variable], bindable: set[Variable], rows: float
    ) -> tuple[Lookup, Estimate] | None:
        """How this condition could be looked up next, or None when it has to wait."""
        atom = literal.atom
        if atom.name == "distinct" and len(atom.args) == 2:
            return _comparison(literal, known)
        if not literal.positive and not (set(atom.variables()) & bindable <= known):
            return None
        bound = tuple(known.issuperset(variables(argument)) for argument in lookup_args(atom))
        if atom.signature == ("true", 1):
            kind, estimate = Kind.FLUENT, self._fluent_estimate(atom, bound)
        elif atom.signature == ("does", 2):
            kind, estimate = Kind.DOES, Estimate(2.0, 0.7 if bound[0] else 0.7 * len(self.rules.roles))
        else:
            kind, estimate = self._relation_option(rule.head.signature, atom.signature, bound, rows)
        if not literal.positive:
            estimate = Estimate(estimate.cost, 0.6)
        return Lookup(literal, kind, bound), estimate

    def _fluent_estimate(self, atom: Atom, bound: Bound) -> Estimate:
        fluent = atom.args[0]
        if isinstance(fluent, tuple):
            matches = self.statistics.fluents((str(fluent[0]), len(fluent) - 1), bound)
        else:
            matches = 30.0 if isinstance(fluent, Variable) and not bound[0] else 0.5
        if all(bound):
            return Estimate(1.0, min(matches, 0.9))
        return Estimate(1.0 + 0.5 * matches, matches)

    def _relation_option(
        self, caller: Signature, signature: Signature, bound: Bound, rows: float
    ) -> tuple[Kind, Estimate]:
        demand = self.estimate(signature, bound)
        if self.lifetime(signature) is Lifetime.GAME:
            return Kind.DEMAND, Estimate(_MEMOISED + 0.5 * demand.matches, demand.matches)
        same_component = self.component_of.get(caller) == self.component_of.get(signature)
        if not any(bound) or same_component:
            return Kind.DEMAND, demand
        try:
            whole = self.estimate(signature, (False,) * len(bound))
        except UnsafeRuleError:
            return Kind.DEMAND, demand
        keys = min(rows, self._combinations(signature, bound))
        lookup = _MEMOISED + 0.5 * demand.matches
        if keys * demand.cost > whole.cost + whole.matches:
            return Kind.WHOLE, Estimate((whole.cost + whole.matches) / max(1.0, rows) + lookup, demand.matches)
        return Kind.DEMAND, demand

    def _combinations(self, signature: Signature, bound: Bound) -> float:
        """How many different calls there can be with these arguments known."""
        name, arity = signature
        sizes = (self.statistics.domains.size("relation", name, arity, index) for index in range(arity))
        return prod(size for size, known in zip(sizes, bound, strict=True) if known)

    def estimate(self, signature: Signature, bound: Bound) -> Estimate:
        """What it costs to ask a relation with these arguments known, and how much it gives."""
        key = signature, bound
        if key not in self._estimates:
            self._estimates[key] = self._recursive_guess(signature, bound)
            try:
                self._estimates[key] = self._make_estimate(signature, bound)
            except UnsafeRuleError:
                del self._estimates[key]
                raise
        return self._estimates[key]

    def _recursive_guess(self, signature: Signature, bound: Bound) -> Estimate:
        """Used for a relation inside its own rules: about the square root of all that is possible."""
        matches = sqrt(self._combinations(signature, tuple(not known for known in bound)))
        return Estimate(20.0 + 5.0 * matches, 0.5 if all(bound) else matches)

    def _make_estimate(self, signature: Signature, bound: Bound) -> Estimate:
        matches = self.statistics.facts(signature, bound)
        cost = 3.0 + 0.3 * matches
        for rule in self.rules.relations.get(signature, ()):
            if rule.body or any(True for _ in rule.head.variables()):
                share = self._head_share(rule, bound)
                estimate = self.plan(rule, bound).estimate
                cost += 1.0 + share * estimate.cost
                matches += share * estimate.matches
        limit = self._combinations(signature, tuple(not known for known in bound))
        return Estimate(cost, min(matches, limit, 0.9) if all(bound) else min(matches, limit))

    def _head_share(self, rule: Rule, bound: Bound) -> float:
        """The share of calls that get past the constants in the head of the rule."""
        name, arity = rule.head.signature
        share = 1.0
        for index, (argument, known) in enumerate(zip(rule.head.args, bound, strict=True)):
            if known and not isinstance(argument, Variable):
                share /= self.statistics.domains.size("relation", name, arity, index)
        return share

    def _unsafe(self, rule: Rule, literal: Literal | None) -> UnsafeRuleError:
        message = f"the rule {rule} leaves a variable without a value"
        if literal is not None:
            message += f" in {literal}"
        remedy = "bind every variable by a positive condition in the body"
        place = self.rules.source.place(rule.span) if self.rules.source and rule.span else None
        return UnsafeRuleError([Finding("unsafe-variable", "error", message, remedy, place)])


def lookup_args(atom: Atom) -> Sequence[Term]:
    """The arguments by which an atom is looked up: for a fluent, those of its term."""
    if atom.signature == ("true", 1) and isinstance(atom.args[0], tuple):
        return atom.args[0][1:]
    return atom.args


def _score(estimate: Estimate) -> float:
    """The cost of a lookup and of what follows for each of its matches; the least comes first."""
    return estimate.cost + _COST_OF_THE_REST * estimate.matches


def _comparison(literal: Literal, known: set[Variable]) -> tuple[Lookup, Estimate] | None:
    bound = tuple(known.issuperset(variables(argument)) for argument in literal.atom.args)
    if literal.positive:
        return (Lookup(literal, Kind.DISTINCT, bound), Estimate(0.3, 0.8)) if all(bound) else None
    return (Lookup(literal, Kind.EQUAL, bound), Estimate(0.3, 0.3)) if any(bound) else None


def _lifetimes(rules: Rules) -> dict[Signature, Lifetime]:
    graph = rules.dependencies
    lifetimes = {("true", 1): Lifetime.STATE, ("does", 2): Lifetime.STEP}
    for component in graph.components:
        used = {lifetimes.get(target, Lifetime.GAME) for member in component for target in graph.uses(member)}
        longest = max(used, key=lambda lifetime: lifetime.value, default=Lifetime.GAME)
        lifetimes.update({member: longest for member in component if member not in lifetimes})
    return lifetimes
