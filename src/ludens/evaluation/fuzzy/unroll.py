"""Unrolling: from the rules of goals and end to `Formulas` over what can be seen in a state.

From `goal` and `terminal` on, each atom is replaced by its rules, level by level, as long as the formulas stay small
enough to be evaluated in a search. What lies deeper, and what depends on itself, is *opaque*: a circuit tells whether
it is true, and nothing in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ludens.analysis.facts import GameFacts
from ludens.analysis.states import signature_of
from ludens.circuit import Circuit, optimised_circuit, translate
from ludens.core import GroundTerm
from ludens.engines.sliced.tables import CircuitTables
from ludens.errors import CompileError
from ludens.evaluation.fuzzy.formulas import Floats, Formulas, GoalValue, Ints
from ludens.evaluation.fuzzy.grading import GradedOrder, Proximity, graded_orders
from ludens.evaluation.fuzzy.instances import ROOTS, Instances, goal_rules, ground_goals
from ludens.evaluation.fuzzy.selection import UnrollLimits, select
from ludens.game import Game
from ludens.gdl.formulas import Rule, Signature
from ludens.gdl.keywords import CHANCE
from ludens.ground.limits import GroundingLimits, GroundingWatch
from ludens.ground.program import FALSE, TRUE, GroundProgram
from ludens.runtime.deadline import Deadline

MADE = " "
"""In the names of relations that no sheet has."""
FIRST_SHARE = 0.6
"""The part of the time for one way to ground, if there are others."""
NOT_ANALYSED = "static relations"
"""How the analysis begins to say which relations it has left out, so that their orders are not known."""
UNGRADED = "comparisons count as true or false only: graded, they would be too many"


def unroll(game: Game, facts: GameFacts, deadline: Deadline, limits: UnrollLimits | None = None) -> Formulas:
    """The goals and the end of a compiled game as formulas; what is left out for lack of room or time is told there.

    CompileError if the game is not compiled.
    """
    tables = game.engine.circuit
    if tables is None:
        raise CompileError(f"{game.name} is not compiled, so its goals cannot be unrolled; call compile() first")
    limits = limits or UnrollLimits()
    try:
        rules = goal_rules(game.engine_rules)
        orders, left_out = _orders(facts, {part.atom.signature for rule in rules for part in rule.body})
        instances, ungraded = _ground(rules, tables, orders, deadline, limits)
        return _Unrolling(instances, tables, facts, deadline, limits, left_out + ungraded).formulas()
    except CompileError as error:
        return _whole(tables, str(error))


def _orders(facts: GameFacts, used: AbstractSet[Signature]) -> tuple[list[GradedOrder], list[str]]:
    """Return the orders whose comparisons are graded, and what is not known of others or too much."""
    orders, larger = graded_orders(facts)
    names = {
        facts.spelling.get(relation.name, relation.name)
        for relation in (order.relation for order in larger)
        if (relation.name, relation.arity) in used
    }
    left_out = [f"comparisons of {name}: true or false only, since they have too many words" for name in sorted(names)]
    return orders, [text for text in facts.left_out if text.startswith(NOT_ANALYSED)] + left_out


def _ground(
    rules: Sequence[Rule],
    tables: CircuitTables,
    orders: Sequence[GradedOrder],
    deadline: Deadline,
    limits: UnrollLimits,
) -> tuple[Instances, list[str]]:
    """Return the instances of the rules in the best shape that is small enough, and what is missing in it."""

    def instances(graded: Sequence[GradedOrder], split: bool, share: float) -> Instances:
        watch = GroundingWatch.start(GroundingLimits(share * deadline.remaining, rules=limits.instances), deadline)
        return ground_goals(rules, tables, graded, watch, split=split)

    for split in (False, True) if orders else (False,):
        with suppress(CompileError):
            return instances(orders, split, FIRST_SHARE), []
    return instances((), True, 1), [UNGRADED] if orders else []


def _whole(tables: CircuitTables, reason: str) -> Formulas:
    """Nothing is unrolled: the goals and the end themselves are opaque, by the circuit of the engine."""
    circuit, starts = tables.gates, np.cumsum([0, *tables.gates.goal_counts])
    opaque = np.append(circuit.goals, circuit.terminal).astype(np.int32)
    goals = []
    gates = _FormulaGates(1 + len(opaque))
    for role, (start, end) in zip(tables.roles, pairwise(starts.tolist()), strict=True):
        values = tables.goal_values[start:end].tolist() if role != CHANCE else []
        found = [GoalValue(value, 2 * (1 + place)) for place, value in enumerate(values, start) if value >= 0]
        goals.append(gates.goals(found))
    none, no_degrees = np.zeros(0, np.int32), np.zeros(0, np.float32)
    return Formulas(
        roles=tables.roles,
        fluent_count=len(tables.fluents),
        fluents=none,
        near_starts=np.zeros(1, np.int32),
        near_fluents=none,
        near_degrees=no_degrees,
        comparison_holds=np.zeros(0, np.bool_),
        comparison_degrees=no_degrees,
        opaque=opaque,
        circuit=circuit,
        starts=np.array(gates.starts, np.int32),
        inputs=np.array(gates.inputs, np.int32),
        goals=tuple(goals),
        terminal=2 * len(opaque),
        names={},
        left_out=(f"goals and end count as true or false only: {reason}",),
    )


class _FormulaGates:
    """Conjunctions, each of them once."""

    def __init__(self, first: int) -> None:
        self.starts, self.inputs = [0], list[int]()
        self._first = first
        self._known: dict[tuple[int, ...], int] = {}

    def conjunction(self, literals: Iterable[int]) -> int:
        parts = set(literals) - {TRUE}
        if FALSE in parts or any(part ^ 1 in parts for part in parts):
            return FALSE
        if len(parts) < 2:
            return parts.pop() if parts else TRUE
        key = tuple(sorted(parts))
        if key not in self._known:
            self._known[key] = 2 * (self._first + len(self._known))
            self.inputs += key
            self.starts.append(len(self.inputs))
        return self._known[key]

    def disjunction(self, literals: Iterable[int]) -> int:
        return self.conjunction(literal ^ 1 for literal in literals) ^ 1

    def goals(self, found: Iterable[GoalValue]) -> tuple[GoalValue, ...]:
        """Each number once, the smallest first: 50 may be written as 050, too."""
        literals: dict[int, list[int]] = {}
        for goal in found:
            literals.setdefault(goal.value, []).append(goal.literal)
        return tuple(GoalValue(value, self.disjunction(same)) for value, same in sorted(literals.items()))


class _Unrolling:
    """One unrolling: which atoms are replaced by their rules, then the gates of these."""

    def __init__(
        self,
        instances: Instances,
        tables: CircuitTables,
        facts: GameFacts,
        deadline: Deadline,
        limits: UnrollLimits,
        left_out: Sequence[str],
    ) -> None:
        self._instances, self._tables, self._facts = instances, tables, facts
        self._deadline, self._limits = deadline, limits
        self._left_out = list(left_out)
        self._selection = select(instances, limits, deadline)
        reasons: dict[str, set[str]] = {}
        for (name, _), reason in self._selection.left_out.items():
            told = "parts of rules" if MADE in name else facts.spelling.get(name, name)
            reasons.setdefault(reason, set()).add(told)
        self._left_out += [
            f"{', '.join(sorted(names))}: true or false only, since {reason}" for reason, names in reasons.items()
        ]

    def formulas(self) -> Formulas:
        instances = self._instances
        opaque = self._selection.opaque
        rules = {atom: instances.rules(atom) for atom in self._selection.opened}
        used = {literal >> 1 for bodies in rules.values() for body in bodies for literal in body}
        used |= {literal >> 1 for literal in instances.roots}
        fluents = sorted(atom for atom in used if 0 < atom < instances.first_comparison)
        compared = sorted(atom for atom in used if instances.first_comparison <= atom < instances.first_derived)
        literals = {FALSE: FALSE} | {atom: 2 * node for node, atom in enumerate([*fluents, *compared, *opaque], 1)}
        gates = _FormulaGates(1 + len(fluents) + len(compared) + len(opaque))
        for atom, bodies in rules.items():
            parts = ([literals[literal >> 1] ^ (literal & 1) for literal in body] for body in bodies)
            literals[atom] = gates.disjunction(map(gates.conjunction, parts))
        goals = tuple(
            gates.goals(replace(goal, literal=literals[goal.literal >> 1] ^ (goal.literal & 1)) for goal in values)
            for values in instances.goals
        )
        comparisons = [instances.comparisons[atom - instances.first_comparison] for atom in compared]
        near_starts, near_fluents, near_degrees = self._near([atom - 1 for atom in fluents])
        circuit = self._circuit(opaque) if opaque else None
        return Formulas(
            roles=self._tables.roles,
            fluent_count=instances.fluent_count,
            fluents=np.array(fluents, np.int32) - 1,
            near_starts=near_starts,
            near_fluents=near_fluents,
            near_degrees=near_degrees,
            comparison_holds=np.array([comparison.holds for comparison in comparisons], np.bool_),
            comparison_degrees=np.array([comparison.degree for comparison in comparisons], np.float32),
            opaque=circuit.goals if circuit else np.zeros(0, np.int32),
            circuit=circuit,
            starts=np.array(gates.starts, np.int32),
            inputs=np.array(gates.inputs, np.int32),
            goals=goals,
            terminal=literals[instances.terminal >> 1] ^ (instances.terminal & 1),
            names=self._names(literals),
            left_out=tuple(self._left_out),
        )

    # -- parts -------------------------------------------------------------------------------

    def _near(self, fluents: Sequence[int]) -> tuple[Ints, Ints, Floats]:
        """Return what can stand in for each fluent; where that is too much, first for the names with few of them."""
        terms, room = self._tables.fluents, self._limits.near
        proximity = Proximity(terms, self._facts)
        by_name: dict[str, list[int]] = {}
        for fluent in fluents:
            by_name.setdefault(signature_of(terms[fluent])[0], []).append(fluent)
        sizes = {name: sum(map(proximity.count, found)) for name, found in by_name.items()}
        near: dict[int, tuple[Ints, Floats]] = {}
        for name in sorted(filter(sizes.get, by_name), key=lambda name: sizes[name]):
            room -= sizes[name]
            if room >= 0 and not self._deadline.passed:
                near |= {fluent: proximity.of(fluent) for fluent in by_name[name]}
            else:
                reason = "they are too many" if room < 0 else "there was no time"
                self._left_out.append(f"how near facts of {self._facts.spelling.get(name, name)} are: {reason}")
        nothing = np.zeros(0, np.int32), np.zeros(0, np.float32)
        chosen = [near.get(fluent, nothing) for fluent in fluents]
        starts = np.cumsum([0, *(len(numbers) for numbers, _ in chosen)]).astype(np.int32)
        numbers, degrees = (np.concatenate(parts) for parts in zip(nothing, *chosen, strict=True))
        return starts, numbers, degrees

    def _names(self, literals: dict[int, int]) -> dict[int, GroundTerm]:
        instances = self._instances
        names: dict[int, GroundTerm] = {}
        for atom, literal in literals.items():
            if 0 < atom < instances.first_comparison:
                names[literal] = self._tables.fluents[atom - 1]
            elif instances.first_comparison <= atom < instances.first_derived:
                names[literal] = instances.comparisons[atom - instances.first_comparison].term
            elif literal > TRUE and (relation := instances.names[atom][0]) not in ROOTS and MADE not in relation[0]:
                names.setdefault(literal, instances.names[atom][1])
        return names

    def _circuit(self, opaque: Sequence[int]) -> Circuit:
        """Return what tells the truth of opaque atoms; the goals of this circuit are these."""
        instances = self._instances
        folded = _without_comparisons(instances)
        shift = len(instances.comparisons)
        none = np.zeros(0, np.int32)
        heads = np.repeat(np.arange(instances.atom_count), np.diff(folded.rule_starts))
        program = GroundProgram(
            roles=("",),
            fluents=self._tables.fluents,
            moves=((),),
            goal_values=(tuple(instances.names[atom][1] for atom in opaque),),
            atom_count=instances.atom_count - shift,
            heads=(heads - shift).astype(np.int32),
            body_starts=folded.body_starts,
            bodies=np.where(folded.bodies >= 2 * instances.first_derived, folded.bodies - 2 * shift, folded.bodies),
            init=np.zeros(instances.fluent_count, np.bool_),
            next=none,
            legal=(none,),
            goals=(2 * (np.array(opaque, np.int32) - shift),),
            terminal=FALSE,
        )

        try:
            return optimised_circuit(program, self._check)
        except CompileError:
            return translate(program)  # it is only slower

    def _check(self, name: str, circuit: Circuit) -> None:
        if self._deadline.passed:
            raise CompileError(f"there was no time for the pass {name}")


def _without_comparisons(instances: Instances) -> Instances:
    """Return the rules with what the comparisons in them say folded in."""
    if not instances.comparisons:
        return instances
    truth = np.zeros(instances.atom_count, np.bool_)
    truth[instances.first_comparison : instances.first_derived] = [each.holds for each in instances.comparisons]
    atoms = instances.bodies >> 1
    compared = (atoms >= instances.first_comparison) & (atoms < instances.first_derived)
    wrong = compared & (truth[atoms] == (instances.bodies & 1))
    lengths = np.diff(instances.body_starts)
    owners = np.repeat(np.arange(len(lengths)), lengths)
    kept_rules = np.ones(len(lengths), np.bool_)
    kept_rules[owners[wrong]] = False
    kept = ~compared & kept_rules[owners]
    lengths = np.bincount(owners[kept], minlength=len(lengths))[kept_rules]
    counts = np.concatenate([[0], np.cumsum(kept_rules)])
    return replace(
        instances,
        rule_starts=counts[instances.rule_starts].astype(np.int32),
        body_starts=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
        bodies=instances.bodies[kept],
    )
