"""Which questions are worth keeping the answers of, and which recursions end by themselves.

A recursion along something that never changes and has no circles, such as from each square to its neighbour in one
direction, can be left to the recursion of functions. Any other needs goals with tables (see `runtime`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from ludens.engines.joins import JoinPlan, Lookup, LookupKind, Variant
from ludens.engines.relational.planner import FlatPlanner
from ludens.engines.relational.program import GameProgram, Row
from ludens.errors import CompileError
from ludens.gdl.dependencies import strongly_connected
from ludens.gdl.terms import Term, Variable, is_ground, variables

MAX_PAIRS = 20_000
"""Larger relations are not searched for circles."""
DEEPEST = 1_000
MAX_PATHS = 4_096
"""Ways through a recursion that are tried without tables."""
WORTHWHILE_TEST = 900.0
WORTHWHILE_LIST = 300.0
"""From this cost on, the answers to a question that is asked in several places are kept."""

Node: TypeAlias = tuple[Variant, Row]
Places: TypeAlias = dict[Variant, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Strategy:
    """How each variant is worked out."""

    tabled: Mapping[Variant, int]
    """The number of each variant whose answers are kept."""
    component: Mapping[Variant, int]
    """For the variants of recursions with tables, which recursion they belong to."""

    def together(self, one: Variant, other: Variant) -> bool:
        """Whether two variants belong to the same recursion with tables."""
        return one in self.component and self.component[one] == self.component.get(other)


def choose(planner: FlatPlanner, variants: Sequence[Variant]) -> Strategy:
    """CompileError where a recursion goes through `not`, and nothing shows that it ends."""
    calls = {variant: [step for plan in planner.plans(variant) for step in _calls(plan)] for variant in variants}
    edges = {variant: [step.variant for step in steps] for variant, steps in calls.items()}
    uses: dict[Variant, int] = {}
    for targets in edges.values():
        for target in targets:
            uses[target] = uses.get(target, 0) + 1
    tabled: list[Variant] = []
    component: dict[Variant, int] = {}
    for number, members in enumerate(strongly_connected(edges)):
        is_recursive = len(members) > 1 or members[0] in edges[members[0]]
        if not is_recursive:
            tabled += [each for each in members if _is_worth_keeping(planner, each, uses.get(each, 0))]
        elif not _Descent(planner, members).ends():
            for step in (step for member in members for step in calls[member]):
                if step.variant in members and not step.literal.positive:
                    raise CompileError(f"the rules of {step.literal.atom.name} go through their own negation")
            tabled += members
            component.update(dict.fromkeys(members, number))
    return Strategy({variant: number for number, variant in enumerate(tabled)}, component)


def _calls(plan: JoinPlan) -> Iterator[Lookup]:
    return (step for step in plan.lookups if step.kind is LookupKind.CALL)


def _is_worth_keeping(planner: FlatPlanner, variant: Variant, uses: int) -> bool:
    cost = planner.estimate(variant).cost
    if "b" not in variant.modes:
        return uses > 1 and cost > 5.0
    return cost > WORTHWHILE_TEST if variant.is_test else uses > 1 and cost > WORTHWHILE_LIST


class _Descent:
    """Looks for something that becomes smaller with each step of a recursion."""

    def __init__(self, planner: FlatPlanner, members: Sequence[Variant]) -> None:
        self._planner, self._program = planner, planner.program
        self._members = members
        self._steps = [
            _RecursiveStep(variant, plan, place)
            for variant in members
            for plan in planner.plans(variant)
            for place, step in enumerate(plan.lookups)
            if step.kind is LookupKind.CALL and step.variant in members
        ]

    def ends(self) -> bool:
        places = self._common_places()
        following: dict[Node, dict[Node, float]] = {}
        total = 0
        for step in self._steps:
            if not places[step.variant]:
                return False
            pairs = step.pairs(self._program, places)
            if pairs is None or (total := total + len(pairs)) > MAX_PAIRS:
                return False
            repetitions = step.repetitions(self._planner, places)
            for (before, after), times in pairs.items():
                targets = following.setdefault((step.variant, before), {})
                target = step.target, after
                targets[target] = targets.get(target, 0.0) + times * repetitions
        return _is_shallow(following)

    def _common_places(self) -> Places:
        """For each variant the known arguments of which all steps can say what they become."""
        places = {
            variant: tuple(index for index, mode in enumerate(variant.modes) if mode == "b")
            for variant in self._members
        }
        for step in self._steps:
            known = step.static_variables()
            for variant, args in ((step.variant, step.head), (step.target, step.args)):
                kept = [index for index in places[variant] if _is_said(args[index], known)]
                places[variant] = tuple(kept)
        return places


@dataclass(frozen=True, slots=True)
class _RecursiveStep:
    """A condition of a rule that asks for a variant of the same recursion."""

    variant: Variant
    plan: JoinPlan
    place: int

    @property
    def target(self) -> Variant:
        return self.plan.lookups[self.place].variant

    @property
    def head(self) -> tuple[Term, ...]:
        return self.plan.rule.head.args

    @property
    def args(self) -> tuple[Term, ...]:
        return self.plan.lookups[self.place].literal.atom.args

    def repetitions(self, planner: FlatPlanner, places: Places) -> float:
        """How often the same question may be asked: once, unless there are choices that `pairs` leaves out."""
        before, joined = self.plan.lookups[: self.place], self._joined_steps(places)
        choices = [step for step in before if "f" in step.modes and step.literal.positive and step not in joined]
        return prod(max(2.0, planner.matches(step)) for step in choices if step.kind is not LookupKind.TEST)

    def _static_steps(self) -> list[Lookup]:
        before = self.plan.lookups[: self.place]
        return [step for step in before if step.kind is LookupKind.FACTS and step.literal.positive]

    def static_variables(self) -> set[Variable]:
        return {variable for step in self._static_steps() for variable in step.literal.atom.variables()}

    def _said(self, places: Places) -> tuple[list[Term], list[Term]]:
        """The arguments before and after the step."""
        return [self.head[i] for i in places[self.variant]], [self.args[i] for i in places[self.target]]

    def _joined_steps(self, places: Places) -> list[Lookup]:
        """The conditions that say what the arguments can be."""
        wanted = {variable for terms in self._said(places) for term in terms for variable in variables(term)}
        return [step for step in self._static_steps() if not wanted.isdisjoint(step.literal.atom.variables())]

    def pairs(self, program: GameProgram, places: Places) -> Counter[tuple[Row, Row]] | None:
        """What the arguments can be before and after the step, and in how many ways; None if these are too many."""
        before, after = self._said(places)
        bindings: list[dict[Variable, int]] = [{}]
        for step in self._joined_steps(places):
            bindings = _joined(program, bindings, step)
            if len(bindings) > MAX_PAIRS:
                return None

        def row(terms: Sequence[Term], binding: Mapping[Variable, int]) -> Row:
            return tuple(
                binding[term] if isinstance(term, Variable) else program.terms.number(term)  # type: ignore[arg-type]
                for term in terms
            )

        return Counter((row(before, binding), row(after, binding)) for binding in bindings)


def _is_said(term: Term, known: set[Variable]) -> bool:
    return is_ground(term) or (isinstance(term, Variable) and term in known)


def _joined(program: GameProgram, bindings: list[dict[Variable, int]], step: Lookup) -> list[dict[Variable, int]]:
    """The bindings that also fit the facts of a condition."""
    atom = step.literal.atom
    shared = [
        index for index, term in enumerate(atom.args) if bindings and isinstance(term, Variable) and term in bindings[0]
    ]
    facts: dict[Row, list[Row]] = {}
    for row in program.statics.get(atom.signature, ()):
        facts.setdefault(tuple(row[index] for index in shared), []).append(row)
    found: dict[tuple[tuple[Variable, int], ...], None] = {}
    for binding in bindings:
        key = tuple(binding[atom.args[index]] for index in shared)  # type: ignore[index]
        for row in facts.get(key, ()):
            extended = dict(binding)
            places = zip(atom.args, row, step.modes, strict=True)
            if all(mode == "i" or _fits(program, term, number, extended) for term, number, mode in places):
                found[tuple(extended.items())] = None
        if len(found) > MAX_PAIRS:
            break
    return [dict(items) for items in found]


def _fits(program: GameProgram, term: Term, number: int, binding: dict[Variable, int]) -> bool:
    """Whether a term can be the one with a number; its variables get their values."""
    if isinstance(term, Variable):
        return binding.setdefault(term, number) == number
    if isinstance(term, str):
        return program.terms.word(term) == number
    functor, *parts = program.terms.compound(number) or (0,)
    return program.terms.functor(str(term[0]), len(term) - 1) == functor and all(
        _fits(program, part, other, binding) for part, other in zip(term[1:], parts, strict=True)
    )


def _is_shallow(following: Mapping[Node, Mapping[Node, float]]) -> bool:
    """Whether there is no circle, no very long way, and not too many ways in all; with how often each step is made."""
    components = strongly_connected({node: list(targets) for node, targets in following.items()})
    depth: dict[Node, int] = {}
    ways: dict[Node, float] = {}
    for members in components:
        node = members[0]
        targets = following.get(node, {})
        if len(members) > 1 or node in targets:
            return False
        depth[node] = 1 + max((depth[target] for target in targets), default=0)
        ways[node] = max(1.0, sum(times * ways[target] for target, times in targets.items()))
        if depth[node] > DEEPEST or ways[node] > MAX_PATHS:
            return False
    return True
