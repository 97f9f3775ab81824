"""Planning for the reference engine: derived relations are asked on demand or as a whole, and memoised."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt

from ludens.core import GroundTerm
from ludens.engines.joins import (
    MEMOISED,
    Estimate,
    JoinPlanner,
    Lifetime,
    LookupKind,
    RelationSizes,
    Variant,
    find_lifetimes,
    is_fact,
)
from ludens.errors import Finding, InvalidRulesError
from ludens.gdl.domains import ArgumentDomains
from ludens.gdl.formulas import Atom, Literal, Rule, Signature
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, is_ground


class UnsafeRuleError(InvalidRulesError):
    """A rule leaves a variable without a value."""


class RuleStatistics:
    """Sizes of fact relations, and of fluents in the states that were seen."""

    def __init__(self, rules: Rules) -> None:
        self.domains = ArgumentDomains(rules.rules)
        self.facts = RelationSizes()
        for signature, defining in rules.relations.items():
            self.facts.observe(signature, [rule.head.args for rule in defining if is_fact(rule)])
        self.fluents = RelationSizes(self._fluent_places)

    def _fluent_places(self, signature: Signature) -> list[int]:
        name, arity = signature
        return [self.domains.size("function", name, arity, index) for index in range(arity)]

    def observe(self, states: Iterable[frozenset[GroundTerm]]) -> None:
        """Count the fluents in these states."""
        for state in states:
            groups: dict[Signature, list[tuple[GroundTerm, ...]]] = {}
            for fact in state:
                name, args = (fact, ()) if isinstance(fact, str) else (str(fact[0]), fact[1:])
                groups.setdefault((name, len(args)), []).append(args)
            for signature, rows in groups.items():
                self.fluents.observe(signature, rows)


class RulePlanner(JoinPlanner):
    """Plans rules as they are; for a fluent `(true (cell ?x ?y b))` the modes are those of the arguments of `cell`."""

    def __init__(self, rules: Rules, statistics: RuleStatistics) -> None:
        super().__init__(rules.relations, rules.dependencies, rules.roles, statistics.facts)
        self.rules = rules
        self._statistics = statistics
        self._lifetimes = find_lifetimes(rules.dependencies, {("true", 1): Lifetime.STATE, ("does", 2): Lifetime.STEP})
        self._derived = {
            signature for signature, defining in rules.relations.items() if not all(map(is_fact, defining))
        }

    def is_recursive(self, signature: Signature) -> bool:
        """Return whether the relation depends on itself, directly or through others."""
        return signature in self.rules.dependencies.recursive

    def builds_terms(self, signature: Signature) -> bool:
        """Return whether the relation is recursive and its recursion puts variables into new compound terms."""
        if not self.is_recursive(signature):
            return False
        members = self.rules.dependencies.components[self.component_of[signature]]
        rules = [rule for member in members for rule in self.rules.relations.get(member, ())]
        atoms = [rule.head for rule in rules]
        atoms += [literal.atom for rule in rules for literal in rule.body if literal.atom.signature in members]
        return any(isinstance(argument, tuple) and not is_ground(argument) for atom in atoms for argument in atom.args)

    def lifetime(self, signature: Signature) -> Lifetime:
        return self._lifetimes.get(signature, Lifetime.GAME)

    # -- JoinPlanner -------------------------------------------------------------------------

    def kind_of(self, atom: Atom) -> LookupKind:
        if _is_fluent(atom):
            return LookupKind.FLUENT
        if atom.name == "does" and len(atom.args) == 2:
            return LookupKind.DOES
        return LookupKind.CALL if atom.signature in self._derived else LookupKind.FACTS

    def lookup_args(self, atom: Atom) -> Sequence[Term]:
        if _is_fluent(atom) and isinstance(atom.args[0], tuple):
            return atom.args[0][1:]
        return atom.args

    def place_size(self, signature: Signature, index: int) -> float:
        return self._statistics.domains.size("relation", *signature, index)

    def stored_matches(self, atom: Atom, modes: str) -> float:
        if not _is_fluent(atom):
            variant = Variant(atom.signature, modes)
            return min(self._statistics.facts.matching(atom.signature, modes), self.combinations(variant, "f"))
        fluent = atom.args[0]
        if isinstance(fluent, tuple):
            return self._statistics.fluents.matching((str(fluent[0]), len(fluent) - 1), modes)
        return 30.0 if modes == "f" else 0.5

    def guess(self, variant: Variant) -> Estimate:
        """About the square root of all that is possible."""
        matches = sqrt(self.combinations(variant, "f"))
        return Estimate(20.0 + 5.0 * matches, 0.5 if variant.is_test else matches)

    def call(self, caller: Signature, variant: Variant, rows: float) -> tuple[LookupKind, Estimate]:
        """On demand, or as a whole where that costs less than all the calls together."""
        demand = self.estimate(variant)
        lookup = Estimate(MEMOISED + 0.5 * demand.matches, demand.matches)
        if self.lifetime(variant.signature) is Lifetime.GAME:
            return LookupKind.CALL, lookup
        same_component = self.component_of.get(caller) == self.component_of.get(variant.signature)
        if "b" not in variant.modes or same_component:
            return LookupKind.CALL, demand
        try:
            whole = self.estimate(Variant(variant.signature, "f" * len(variant.modes)))
        except UnsafeRuleError:
            return LookupKind.CALL, demand
        keys = min(rows, self.combinations(variant, "b"))
        if keys * demand.cost > whole.cost + whole.matches:
            cost = (whole.cost + whole.matches) / max(1.0, rows)
            return LookupKind.WHOLE, Estimate(cost + lookup.cost, demand.matches)
        return LookupKind.CALL, demand

    def unsafe(self, rule: Rule, literal: Literal | None) -> UnsafeRuleError:
        message = f"the rule {rule} leaves a variable without a value"
        if literal is not None:
            message += f" in {literal}"
        remedy = "bind every variable by a positive condition in the body"
        place = self.rules.source.place(rule.span) if self.rules.source and rule.span else None
        return UnsafeRuleError([Finding("unsafe-variable", "error", message, remedy, place)])


def _is_fluent(atom: Atom) -> bool:
    return atom.name == "true" and len(atom.args) == 1
