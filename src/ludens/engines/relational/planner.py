"""Planning for the relational engine: flat rules, for the variants that the game needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ludens.engines.joins import Estimate, JoinPlan, JoinPlanner, Lookup, LookupKind, Variant
from ludens.engines.relational.flatten import CONSTANT, keyword_of
from ludens.engines.relational.program import GameProgram
from ludens.errors import CompileError
from ludens.gdl.formulas import Atom, Literal, Rule, Signature
from ludens.gdl.terms import Variable, variables

MAX_CONDITIONS = 250


class FlatPlanner(JoinPlanner):
    """Plans each rule for each variant that comes up; what nobody asks for is of no interest."""

    max_depth = 80

    def __init__(self, program: GameProgram, check: Callable[[], None] = lambda: None) -> None:
        """`check` is called for each rule, and may raise to break off."""
        super().__init__(program.rules_of, program.graph, program.roles, program.facts)
        self.program = program
        self._check = check

    def plans(self, variant: Variant) -> list[JoinPlan]:
        """Return the plans of all rules of a relation; CompileError when some variable can get no value."""
        return [self.plan(rule, variant.modes) for rule in self.rules_of.get(variant.signature, ())]

    def variants(self, roots: Sequence[Variant]) -> list[Variant]:
        """Return all variants that the roots lead to."""
        found = dict.fromkeys(roots)
        waiting = list(roots)
        while waiting:
            for plan in self.plans(waiting.pop()):
                for lookup in plan.lookups:
                    if lookup.kind is LookupKind.CALL and lookup.variant not in found:
                        found[lookup.variant] = None
                        waiting.append(lookup.variant)
        return list(found)

    def matches(self, lookup: Lookup) -> float:
        """Return how many answers a condition is expected to have."""
        if lookup.kind is LookupKind.CALL:
            return self.estimate(lookup.variant).matches
        is_stored = lookup.kind in (LookupKind.FLUENT, LookupKind.FACTS)
        return self.stored_matches(lookup.literal.atom, lookup.modes) if is_stored else 1.0

    # -- JoinPlanner -------------------------------------------------------------------------

    def make_plan(self, rule: Rule, modes: str) -> JoinPlan:
        self._check()
        if len(rule.body) > MAX_CONDITIONS:
            raise CompileError(
                f"a rule of {rule.head.name} has more than {MAX_CONDITIONS} conditions, too long for joins"
            )
        plan = super().make_plan(rule, modes)
        used = {
            variable
            for term, mode in zip(rule.head.args, modes, strict=True)
            if mode == "f"
            for variable in variables(term)
        }
        lookups: list[Lookup] = []
        for lookup in reversed(plan.lookups):
            atom = lookup.literal.atom
            lookups.append(lookup._replace(modes=self.reduced(atom, lookup.modes, used)))
            used.update(atom.variables())
        return plan._replace(lookups=tuple(reversed(lookups)))

    def reduced(self, atom: Atom, modes: str, used: set[Variable]) -> str:
        if self.kind_of(atom) is LookupKind.TEST:
            return modes
        everywhere = list(atom.variables())
        return "".join(
            "i" if mode == "f" and term not in used and everywhere.count(term) == 1 else mode  # type: ignore[arg-type]
            for term, mode in zip(atom.args, modes, strict=True)
        )

    def kind_of(self, atom: Atom) -> LookupKind:
        if atom.name in ("distinct", CONSTANT):
            return LookupKind.TEST
        if keyword_of(atom.name) == "true":
            return LookupKind.FLUENT
        if keyword_of(atom.name) == "does":
            return LookupKind.DOES
        return self.program.kind_of(atom.signature)

    def place_size(self, signature: Signature, index: int) -> float:
        return self.program.place_size(signature, index)

    def stored_matches(self, atom: Atom, modes: str) -> float:
        sizes = self.program.facts if self.kind_of(atom) is LookupKind.FACTS else self.program.fluent_sizes
        return sizes.matching(atom.signature, modes, atom.args)

    def guess(self, variant: Variant) -> Estimate:
        """Few: most recursions that are worth compiling walk along a line."""
        return Estimate(10.0, 0.5 if variant.is_test else 3.0)

    def unsafe(self, rule: Rule, literal: Literal | None) -> CompileError:
        place = f" in {literal}" if literal else ""
        return CompileError(f"the rule {rule} leaves a variable without a value{place}")
