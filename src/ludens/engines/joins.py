"""Join planning: in which order the conditions of a rule are looked up, and how.

A relation is asked in *variants*: for each argument its mode says whether it is known (`b`, bound), asked for (`f`,
free) or of no interest (`i`). A variant without anything asked for is a test. A rule is evaluated from what is known
to what is asked: the planner picks the next condition greedily by its cost and its number of matches, so that cheap
tests come early and large joins late. Wrong estimates make evaluation slower, never wrong.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from math import inf, prod
from typing import ClassVar, NamedTuple, TypeVar

from ludens.errors import LudensError
from ludens.gdl.dependencies import DependencyGraph
from ludens.gdl.formulas import Atom, Literal, Rule, Signature
from ludens.gdl.terms import Term, Variable, is_ground, variables

COST_OF_THE_REST = 60.0
"""What each match of a condition is expected to cost in the conditions after it."""
MEMOISED = 1.5
UNSEEN_ROWS = 12.0
UNSEEN_TERM = 0.3
"""How often a term stands at a place where it was not seen."""


Item = TypeVar("Item")


class Lifetime(Enum):
    """How long derived facts stay valid."""

    GAME = 0
    STATE = 1
    STEP = 2


class LookupKind(Enum):
    """Where a condition is looked up."""

    TEST = "test"
    FLUENT = "fluent"
    DOES = "does"
    FACTS = "facts"
    """Facts that never change, in a table."""
    CALL = "call"
    """A derived relation, on demand, for the arguments known at that place."""
    WHOLE = "whole"
    """A derived relation as a whole, once per state and then indexed."""


class Variant(NamedTuple):
    """A way in which a relation is asked for."""

    signature: Signature
    modes: str

    @property
    def is_test(self) -> bool:
        return "f" not in self.modes

    def __str__(self) -> str:
        return f"{self.signature[0]} {self.modes}"


class Lookup(NamedTuple):
    """One step of a plan: a condition, how it is looked up, and which arguments are known by then."""

    literal: Literal
    kind: LookupKind
    modes: str

    @property
    def variant(self) -> Variant:
        return Variant(self.literal.atom.signature, self.modes)


class Estimate(NamedTuple):
    """The expected cost of a lookup (in the reference engine about 0.1 microseconds each) and number of matches."""

    cost: float
    matches: float


class JoinPlan(NamedTuple):
    """The conditions of a rule in the order in which they are looked up."""

    rule: Rule
    modes: str
    lookups: tuple[Lookup, ...]
    estimate: Estimate


class RelationSizes:
    """How many facts relations have, and how often a term stands at a place; the largest number seen counts."""

    def __init__(self, unseen: Callable[[Signature], Sequence[int]] | None = None) -> None:
        """`unseen` gives the number of terms for each place of a relation of which nothing was seen."""
        self._unseen = unseen
        self._seen: dict[Signature, tuple[int, list[Counter[object]]]] = {}

    def observe(self, signature: Signature, rows: Sequence[Sequence[object]]) -> None:
        if len(rows) > self._seen.get(signature, (0, []))[0]:
            self._seen[signature] = len(rows), [Counter(column) for column in zip(*rows, strict=True)]

    def matching(self, signature: Signature, modes: str, args: Sequence[Term] = ()) -> float:
        """Return the expected number of facts that match, given which arguments are known, and those if it matters."""
        if signature in self._seen:
            rows, columns = self._seen[signature]
            found = float(rows)
            for index, (mode, column) in enumerate(zip(modes, columns, strict=True)):
                if mode == "b":
                    term = args[index] if args else None
                    found /= rows / max(UNSEEN_TERM, column[term]) if isinstance(term, str) else len(column)
            return found
        if self._unseen is None:
            return 0.0
        sizes = self._unseen(signature)
        found = min(float(prod(sizes)), UNSEEN_ROWS)
        for size, mode in zip(sizes, modes, strict=True):
            if mode == "b":
                found /= size
        return found


class JoinPlanner(ABC):
    """Plans every rule for every variant that comes up, once; an engine says what its lookups cost."""

    max_depth: ClassVar[float] = inf
    """Calls within calls; the cost of what lies deeper is guessed."""

    def __init__(
        self,
        rules_of: Mapping[Signature, Sequence[Rule]],
        graph: DependencyGraph,
        roles: Sequence[str],
        facts: RelationSizes,
    ) -> None:
        """`rules_of` may have facts among the rules; their sizes are in `facts`."""
        self.rules_of, self._roles, self._facts = rules_of, roles, facts
        self.component_of = {
            signature: number for number, component in enumerate(graph.components) for signature in component
        }
        self._negated = {
            self.component_of[head]
            for head, targets in graph.negative.items()
            if any(self.component_of.get(target) == self.component_of[head] for target in targets)
        }
        self._plans: dict[tuple[Rule, str], JoinPlan] = {}
        self._estimates: dict[Variant, Estimate] = {}
        self._depth = 0

    # -- what an engine says -----------------------------------------------------------------

    @abstractmethod
    def kind_of(self, atom: Atom) -> LookupKind:
        """Return where an atom is looked up; anything but WHOLE."""

    @abstractmethod
    def place_size(self, signature: Signature, index: int) -> float:
        """Return how many terms can stand at a place of a relation."""

    @abstractmethod
    def stored_matches(self, atom: Atom, modes: str) -> float:
        """Return how many fluents or facts are expected to match."""

    @abstractmethod
    def guess(self, variant: Variant) -> Estimate:
        """Return an estimate of a relation inside its own rules."""

    @abstractmethod
    def unsafe(self, rule: Rule, literal: Literal | None) -> LudensError:
        """Return the error for a rule that leaves a variable without a value."""

    def lookup_args(self, atom: Atom) -> Sequence[Term]:
        """Return the arguments by which an atom is looked up."""
        return atom.args

    def reduced(self, atom: Atom, modes: str, used: set[Variable]) -> str:
        """Return modes in which what is not used elsewhere is of no interest, if the engine makes that difference."""
        return modes

    def call(self, caller: Signature, variant: Variant, rows: float) -> tuple[LookupKind, Estimate]:
        """Return how a derived relation is best asked, `rows` times, by a rule of another."""
        return LookupKind.CALL, self.estimate(variant)

    # -- plans -------------------------------------------------------------------------------

    def plan(self, rule: Rule, modes: str) -> JoinPlan:
        """Return the plan of a rule for the modes of its head; raise what `unsafe` returns if there is none."""
        key = rule, modes
        if key not in self._plans:
            self._plans[key] = self.make_plan(rule, modes)
        return self._plans[key]

    def make_plan(self, rule: Rule, modes: str) -> JoinPlan:
        head = list(zip(rule.head.args, modes, strict=True))
        known = {variable for term, mode in head if mode == "b" for variable in variables(term)}
        asked = {variable for term, mode in head if mode == "f" for variable in variables(term)}
        bindable = known | {
            variable for literal in rule.body if self._binds(literal) for variable in literal.atom.variables()
        }
        waiting = list(rule.body)
        ordered: list[Lookup] = []
        cost, rows = 1.0, 1.0
        while waiting:
            options = [
                option
                for literal in waiting
                if (option := self._option(rule, literal, known, bindable, rows)) is not None
            ]
            if not options:
                raise self.unsafe(rule, waiting[0])
            lookup, estimate = min(
                options, key=lambda option: (self._must_wait(rule.head.signature, option[0].literal), _score(option[1]))
            )
            literal = lookup.literal
            waiting.remove(literal)
            ordered.append(lookup)
            cost += rows * estimate.cost
            rows *= estimate.matches
            if self._binds(literal):
                known.update(literal.atom.variables())
        if not asked <= known:
            raise self.unsafe(rule, None)
        return JoinPlan(rule, modes, tuple(ordered), Estimate(cost + rows, rows))

    def _binds(self, literal: Literal) -> bool:
        """Return whether a condition gives values to its variables."""
        if is_comparison(literal.atom):
            return not literal.positive
        return literal.positive and self.kind_of(literal.atom) is not LookupKind.TEST

    def _must_wait(self, head: Signature, literal: Literal) -> bool:
        """Return whether to ask for this only when everything else is known.

        Where a relation depends on its own absence for other arguments, a question with fewer arguments known
        would meet itself.
        """
        component = self.component_of.get(head)
        return component in self._negated and self.component_of.get(literal.atom.signature) == component

    def _option(
        self, rule: Rule, literal: Literal, known: set[Variable], bindable: set[Variable], rows: float
    ) -> tuple[Lookup, Estimate] | None:
        """Return how this condition could be looked up next, or None when it has to wait."""
        atom = literal.atom
        if is_comparison(atom):
            return _comparison(literal, known)
        kind = self.kind_of(atom)
        if kind is LookupKind.TEST or not literal.positive:
            unknown = set(atom.variables()) - known
            if not unknown.isdisjoint(bindable) or (unknown and kind is LookupKind.TEST):
                return None
        modes = "".join("b" if known.issuperset(variables(term)) else "f" for term in self.lookup_args(atom))
        if not literal.positive:
            modes = self.reduced(atom, modes, set())
        match kind:
            case LookupKind.TEST:
                estimate = Estimate(0.3, 0.9)
            case LookupKind.DOES:
                estimate = Estimate(2.0, 0.7 if modes[0] == "b" else 0.7 * len(self._roles))
            case LookupKind.CALL:
                kind, estimate = self.call(rule.head.signature, Variant(atom.signature, modes), rows)
            case _:
                matches = self.stored_matches(atom, modes)
                if "f" not in modes:
                    matches = min(matches, 0.9)
                if kind is LookupKind.FACTS:
                    estimate = Estimate(MEMOISED + 0.5 * matches, matches)
                else:
                    estimate = Estimate(1.0 + 0.5 * matches if "f" in modes else 1.0, matches)
        return Lookup(literal, kind, modes), estimate if literal.positive else Estimate(estimate.cost, 0.6)

    # -- estimates ---------------------------------------------------------------------------

    def estimate(self, variant: Variant) -> Estimate:
        """Return what it costs to ask a relation, and how much it gives."""
        if variant in self._estimates:
            return self._estimates[variant]
        guess = self.guess(variant)
        if self._depth >= self.max_depth:
            return guess
        self._estimates[variant] = guess
        self._depth += 1
        try:
            self._estimates[variant] = self._make_estimate(variant)
        except BaseException:
            del self._estimates[variant]
            raise
        finally:
            self._depth -= 1
        return self._estimates[variant]

    def _make_estimate(self, variant: Variant) -> Estimate:
        matches = self._facts.matching(variant.signature, variant.modes)
        cost = 3.0 + 0.3 * matches
        for rule in self.rules_of.get(variant.signature, ()):
            if not is_fact(rule):
                share = self._head_share(rule, variant.modes)
                estimate = self.plan(rule, variant.modes).estimate
                cost += 1.0 + share * estimate.cost
                matches += share * estimate.matches
        matches = min(matches, self.combinations(variant, "f"))
        return Estimate(cost, min(matches, 0.9) if variant.is_test else matches)

    def combinations(self, variant: Variant, mode: str) -> float:
        """Return how many combinations of terms there can be for the arguments of one mode."""
        sizes = (self.place_size(variant.signature, index) for index, each in enumerate(variant.modes) if each == mode)
        return prod(sizes)

    def _head_share(self, rule: Rule, modes: str) -> float:
        """Return the share of calls that get past the constants in the head of the rule."""
        share = 1.0
        for index, (argument, mode) in enumerate(zip(rule.head.args, modes, strict=True)):
            if mode == "b" and not isinstance(argument, Variable):
                share /= self.place_size(rule.head.signature, index)
        return share


def is_fact(rule: Rule) -> bool:
    return not rule.body and all(map(is_ground, rule.head.args))


def is_comparison(atom: Atom) -> bool:
    return atom.name == "distinct" and len(atom.args) == 2


def find_lifetimes(graph: DependencyGraph, given: Mapping[Signature, Lifetime]) -> dict[Signature, Lifetime]:
    """Return how long the facts of each relation stay valid: no longer than those it is derived from."""
    lifetimes = dict(given)
    for component in graph.components:
        used = {lifetimes.get(target, Lifetime.GAME) for member in component for target in graph.uses(member)}
        shortest = max(used, key=lambda lifetime: lifetime.value, default=Lifetime.GAME)
        for member in component:
            lifetimes.setdefault(member, shortest)
    return lifetimes


def split_args(args: Iterable[Item], modes: str) -> tuple[list[Item], list[Item]]:
    """Return the known arguments, and those that are asked for."""
    pairs = list(zip(args, modes, strict=True))
    return [argument for argument, mode in pairs if mode == "b"], [argument for argument, mode in pairs if mode == "f"]


def _score(estimate: Estimate) -> float:
    """Return the cost of a lookup and of what follows for each of its matches; the least comes first."""
    return estimate.cost + COST_OF_THE_REST * estimate.matches


def _comparison(literal: Literal, known: set[Variable]) -> tuple[Lookup, Estimate] | None:
    modes = "".join("b" if known.issuperset(variables(argument)) else "f" for argument in literal.atom.args)
    if "b" not in modes or (literal.positive and "f" in modes):
        return None
    return Lookup(literal, LookupKind.TEST, modes), Estimate(0.3, 0.8 if literal.positive else 0.3)
