"""In which order the conditions of a rule are looked up, and what is known at each of them.

A relation is asked for in *variants*: for each argument whether it is known (`b`), asked for (`f`), or of no interest
(`i`). A variant without anything asked for is a test. Plans are made for the variants that the game needs, beginning
with `legal`, `next`, `terminal` and `goal`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from math import prod

from ludens.engines.relational.flatten import CONSTANT, keyword_of
from ludens.engines.relational.program import GameProgram
from ludens.errors import CompileError
from ludens.gdl.formulas import Atom, Literal, Rule, Signature
from ludens.gdl.terms import Variable, variables

COST_OF_THE_REST = 40.0
"""What each match of a condition is expected to cost in the conditions after it; in lookups."""
CALL_COST = 1.5
MAX_CONDITIONS = 250
DEEPEST_ESTIMATE = 80
"""Calls within calls; what lies deeper is guessed."""


class Kind(Enum):
    """Where a condition is looked up."""

    TEST = "test"
    FLUENT = "fluent"
    DOES = "does"
    STATIC = "static"
    CALL = "call"


@dataclass(frozen=True, slots=True, order=True)
class Variant:
    """A way in which a relation is asked for."""

    signature: Signature
    modes: str

    @property
    def is_test(self) -> bool:
        return "f" not in self.modes

    def __str__(self) -> str:
        return f"{self.signature[0]} {self.modes}"


@dataclass(frozen=True, slots=True)
class Step:
    """One condition of a plan."""

    literal: Literal
    kind: Kind
    modes: str

    @property
    def variant(self) -> Variant:
        return Variant(self.literal.atom.signature, self.modes)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The expected number of lookups, and of matches."""

    cost: float
    matches: float


@dataclass(frozen=True, slots=True)
class Plan:
    rule: Rule
    modes: str
    steps: tuple[Step, ...]
    estimate: Estimate


class Planner:
    """Plans each rule for each variant that comes up, once."""

    def __init__(self, program: GameProgram, check: Callable[[], None] = lambda: None) -> None:
        """`check` is called for each rule, and may raise to break off."""
        self.program = program
        self._check = check
        self._plans: dict[Variant, tuple[Plan, ...]] = {}
        self._estimates: dict[Variant, Estimate] = {}
        self._depth = 0

    def plans(self, variant: Variant) -> tuple[Plan, ...]:
        """The plans of all rules of a relation; CompileError when some variable can get no value."""
        if variant not in self._plans:
            rules = self.program.rules_of.get(variant.signature, ())
            self._plans[variant] = tuple(self._plan(rule, variant.modes) for rule in rules)
        return self._plans[variant]

    def variants(self, roots: Sequence[Variant]) -> list[Variant]:
        """All variants that the roots lead to."""
        found = dict.fromkeys(roots)
        waiting = list(roots)
        while waiting:
            for plan in self.plans(waiting.pop()):
                for step in plan.steps:
                    if step.kind is Kind.CALL and step.variant not in found:
                        found[step.variant] = None
                        waiting.append(step.variant)
        return list(found)

    def _plan(self, rule: Rule, modes: str) -> Plan:
        self._check()
        if len(rule.body) > MAX_CONDITIONS:
            raise CompileError(
                f"a rule of {rule.head.name} has more than {MAX_CONDITIONS} conditions, too long for joins"
            )
        arguments = list(zip(rule.head.args, modes, strict=True))
        known = {variable for term, mode in arguments if mode == "b" for variable in variables(term)}
        asked = {variable for term, mode in arguments if mode == "f" for variable in variables(term)}
        binding = {
            variable
            for literal in rule.body
            if literal.positive != (literal.atom.name == "distinct") and literal.atom.name != CONSTANT
            for variable in literal.atom.variables()
        }
        waiting, ordered = list(rule.body), list[tuple[Literal, set[Variable]]]()
        cost, rows = 1.0, 1.0
        while waiting:
            options = [
                (estimate, literal) for literal in waiting if (estimate := self._option(literal, known, binding))
            ]
            if not options:
                raise CompileError(f"the rule {rule} leaves a variable without a value in {waiting[0]}")
            estimate, literal = min(options, key=lambda option: _score(option[0]))
            waiting.remove(literal)
            ordered.append((literal, set(known)))
            cost += rows * estimate.cost
            rows *= estimate.matches
            if literal.positive or literal.atom.name == "distinct":
                known.update(literal.atom.variables())
        if not asked <= known:
            raise CompileError(f"the rule {rule} leaves a variable without a value")
        return Plan(rule, modes, self._steps(ordered, asked), Estimate(cost, rows))

    def _steps(self, ordered: list[tuple[Literal, set[Variable]]], asked: set[Variable]) -> tuple[Step, ...]:
        steps: list[Step] = []
        used = set(asked)
        for literal, known in reversed(ordered):
            steps.append(Step(literal, self._kind(literal.atom), _modes(literal.atom, known, used)))
            used.update(literal.atom.variables())
        return tuple(reversed(steps))

    def _kind(self, atom: Atom) -> Kind:
        if atom.name in ("distinct", CONSTANT):
            return Kind.TEST
        if keyword_of(atom.name) == "true":
            return Kind.FLUENT
        if keyword_of(atom.name) == "does":
            return Kind.DOES
        is_static = atom.signature in self.program.statics or atom.signature not in self.program.rules_of
        return Kind.STATIC if is_static else Kind.CALL

    def _option(self, literal: Literal, known: set[Variable], binding: set[Variable]) -> Estimate | None:
        """What a condition would cost if it came next; None when it has to wait."""
        atom = literal.atom
        unknown = set(atom.variables()) - known
        if atom.name == "distinct":
            return _comparison(literal, known)
        if atom.name == CONSTANT:
            return None if unknown else Estimate(0.3, 0.9)
        if not literal.positive:
            if unknown & binding:
                return None
            found = self._lookup(atom, _modes(atom, known, set()))
            return Estimate(found.cost, 1.0 - min(0.95, max(0.05, found.matches)))
        return self._lookup(atom, _modes(atom, known, unknown))

    def matches(self, step: Step) -> float:
        """How many answers a condition is expected to have."""
        return self._lookup(step.literal.atom, step.modes).matches

    def _lookup(self, atom: Atom, modes: str) -> Estimate:
        match self._kind(atom):
            case Kind.DOES:
                return Estimate(1.0, 0.7 if modes[0] == "b" else 0.7 * len(self.program.roles))
            case Kind.CALL:
                return self.estimate(Variant(atom.signature, modes))
        size = self.program.sizes.get(atom.signature)
        return _limited(size.matching(self._known_values(atom, modes)) if size else 0.0, modes)

    def _known_values(self, atom: Atom, modes: str) -> list[int | None]:
        """For each argument its number if it is a word, 0 if it is something else that is known, or None."""
        terms = self.program.terms
        return [
            (terms.word(term) if isinstance(term, str) else 0) if mode == "b" else None
            for term, mode in zip(atom.args, modes, strict=True)
        ]

    def estimate(self, variant: Variant) -> Estimate:
        """What it costs to ask for a variant, and how much it gives."""
        if variant in self._estimates:
            return self._estimates[variant]
        guess = Estimate(10.0, 0.5 if variant.is_test else 3.0)
        if self._depth >= DEEPEST_ESTIMATE:
            return guess
        self._estimates[variant] = guess
        self._depth += 1
        try:
            cost, matches = CALL_COST, 0.0
            for plan in self.plans(variant):
                share = self._head_share(plan.rule, variant.modes)
                cost += 0.5 + share * plan.estimate.cost
                matches += share * plan.estimate.matches
            size = self._most(variant)
            self._estimates[variant] = Estimate(cost, min(matches, 0.9) if variant.is_test else min(matches, size))
        except CompileError:
            del self._estimates[variant]
            raise
        finally:
            self._depth -= 1
        return self._estimates[variant]

    def _most(self, variant: Variant) -> float:
        """How many answers there can be at most."""
        return prod(
            float(interval[1] - interval[0] + 1)
            if (interval := self.program.interval(variant.signature, index))
            else 1e3
            for index, mode in enumerate(variant.modes)
            if mode == "f"
        )

    def _head_share(self, rule: Rule, modes: str) -> float:
        """The share of calls that get past the words in the head of a rule."""
        share = 1.0
        for index, (term, mode) in enumerate(zip(rule.head.args, modes, strict=True)):
            interval = self.program.interval(rule.head.signature, index)
            if mode == "b" and not isinstance(term, Variable):
                share /= max(1, interval[1] - interval[0] + 1) if interval else 10
        return share


def _modes(atom: Atom, known: set[Variable], used: set[Variable]) -> str:
    """Known, asked for because it is used elsewhere or has a form of its own, or of no interest."""
    if atom.name in ("distinct", CONSTANT):
        return "".join("b" if known.issuperset(variables(term)) else "f" for term in atom.args)
    everywhere = list(atom.variables())
    modes = ""
    for term in atom.args:
        if known.issuperset(variables(term)):
            modes += "b"
        elif isinstance(term, Variable) and term not in used and everywhere.count(term) == 1:
            modes += "i"
        else:
            modes += "f"
    return modes


def _score(estimate: Estimate) -> float:
    return estimate.cost + COST_OF_THE_REST * estimate.matches


def _limited(matches: float, modes: str) -> Estimate:
    if "f" not in modes:
        return Estimate(0.8, min(matches, 0.9))
    return Estimate(0.8 + 0.3 * matches, matches)


def _comparison(literal: Literal, known: set[Variable]) -> Estimate | None:
    bound = [known.issuperset(variables(argument)) for argument in literal.atom.args]
    if literal.positive:
        return Estimate(0.2, 0.8) if all(bound) else None
    return Estimate(0.2, 0.3) if any(bound) else None
