"""The goals and the end of a game without variables, with the comparisons that have degrees kept in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from ludens.core import GroundTerm, goal_number
from ludens.engines.sliced.tables import CircuitTables
from ludens.errors import CompileError
from ludens.evaluation.fuzzy.formulas import GoalValue, Ints
from ludens.evaluation.fuzzy.grading import GradedOrder
from ludens.evaluation.fuzzy.shape import factored, specialised
from ludens.gdl.dependencies import DependencyGraph
from ludens.gdl.formulas import Atom, Literal, Rule, Signature
from ludens.gdl.keywords import CHANCE
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term
from ludens.ground.asp import AspProgram, needed_rules, translate
from ludens.ground.aspif import GroundRules, read_aspif, reading
from ludens.ground.decompose import split_rules
from ludens.ground.limits import GroundingWatch
from ludens.ground.process import run_grounder
from ludens.ground.program import FALSE, TRUE

ROOTS: tuple[Signature, ...] = (("goal", 2), ("terminal", 0))
CHANGING: Signature = ("true", 1)
BEYOND_STATES: tuple[Signature, ...] = (("init", 1), ("next", 1), ("does", 2))
COMPARISON = "comparison "
"""Start of the names of functions made here; no sheet can use them, since no symbol has a space."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two words put into an order relation."""

    order: GradedOrder
    first: GroundTerm
    second: GroundTerm

    @property
    def holds(self) -> bool:
        return self.order.holds(self.first, self.second)

    @property
    def degree(self) -> float:
        return self.order.degree(self.first, self.second)

    @property
    def term(self) -> GroundTerm:
        return self.order.atom(self.first, self.second)


@dataclass(frozen=True, slots=True, eq=False)
class Instances:
    """Ground rules between atoms: 0 is false, then come the engine's fluents, comparisons, and derived atoms.

    Literals are as in `GroundProgram`; the rules are sorted by the atoms that they derive.
    """

    fluent_count: int
    comparisons: tuple[Comparison, ...]
    rule_starts: Ints
    """[atoms + 1]: where the rules of each atom begin."""
    body_starts: Ints
    """[rules + 1]"""
    bodies: Ints
    names: Mapping[int, tuple[Signature, GroundTerm]]
    """The relation of each derived atom, and the atom as a term."""
    recursive: frozenset[Signature]
    """Relations whose rules use themselves, if only for other words."""
    goals: tuple[tuple[GoalValue, ...], ...]
    terminal: int

    @property
    def first_comparison(self) -> int:
        return 1 + self.fluent_count

    @property
    def first_derived(self) -> int:
        return self.first_comparison + len(self.comparisons)

    @property
    def atom_count(self) -> int:
        return len(self.rule_starts) - 1

    @property
    def roots(self) -> list[int]:
        """The literals of the end and of all goals."""
        return [self.terminal, *(goal.literal for values in self.goals for goal in values)]

    def cost(self, atom: int) -> int:
        """Return how many inputs the gates of an atom have at most."""
        first, last = self.rule_starts[atom : atom + 2]
        return int(self.body_starts[last] - self.body_starts[first] + last - first)

    def rules(self, atom: int) -> list[list[int]]:
        """Return the bodies of the rules that derive an atom, as literals."""
        rules = range(self.rule_starts[atom], self.rule_starts[atom + 1])
        return [self.bodies[self.body_starts[rule] : self.body_starts[rule + 1]].tolist() for rule in rules]


def ground_goals(
    rules: Sequence[Rule], tables: CircuitTables, orders: Sequence[GradedOrder], watch: GroundingWatch, *, split: bool
) -> Instances:
    """Return all instances of the `goal_rules` of a game; CompileError if they exceed the limits of the watch.

    With `split`, rules with many instances are made of smaller ones, which changes the shape of formulas.
    """
    plain = specialised(rules, ROOTS)
    plain = factored(plain, _changing(plain))
    changing = _changing(plain)
    plain = [_with_comparisons(rule, orders) if rule.head.signature in changing else rule for rule in plain]
    if split:
        plain = list(split_rules(plain, lambda done: watch.check("split", done)))
        changing = _changing(plain)
    facts = [*tables.fluents, *_possible_comparisons(plain, orders)]
    shown = sorted({rule.head.signature for rule in plain} & changing | {*ROOTS, CHANGING})
    asp = translate([*plain, *(Rule(Atom("init", (fact,))) for fact in facts)], tables.roles, shown=shown)
    ground = read_aspif(run_grounder(asp.text, watch), asp)
    watch.check("read", len(ground.heads))
    with reading():
        recursive = DependencyGraph.of(plain).recursive & changing
        return _Numbering(ground, asp, tables, orders).instances(recursive)


def goal_rules(rules: Rules) -> list[Rule]:
    """Return the rules that the goals and the end depend on. CompileError if they ask for more than the state."""
    needed = rules.dependencies.reachable(ROOTS)
    if needed.intersection(BEYOND_STATES):
        raise CompileError("the goals or the end depend on more than the state; let them depend on `true` alone")
    return [rule for rule in needed_rules(rules) if rule.head.signature in needed]


def _changing(rules: Sequence[Rule]) -> set[Signature]:
    """Return the relations that are not the same in all states."""
    graph = DependencyGraph.of(rules)
    found = {CHANGING}
    for component in graph.components:
        if any(graph.uses(relation) & found for relation in component):
            found.update(component)
    return found


# -- comparisons -----------------------------------------------------------------------------


def _with_comparisons(rule: Rule, orders: Sequence[GradedOrder]) -> Rule:
    """Return the rule with comparisons of known words as if they were fluents, so that false ones are not folded away.

    A comparison that has to find one of its words itself stays as it is: only words that it finds matter.
    """
    found = [_compared(literal.atom, orders) for literal in rule.body]
    pairs = list(zip(rule.body, found, strict=True))
    others = [literal.atom for literal, compared in pairs if not compared and _binds(literal)]
    bound = {variable for atom in others for variable in atom.variables()}
    body: list[Literal] = []
    for literal, compared in pairs:
        if not compared or not bound.issuperset(literal.atom.variables()):
            body.append(literal)
            continue
        number, sides = compared
        body.append(Literal(Atom("true", ((_name(number), *sides),)), literal.positive))
        if literal.positive and not orders[number].relation.loops:
            body += _apart(sides, others)
    return Rule(rule.head, tuple(body), rule.span)


def _compared(atom: Atom, orders: Sequence[GradedOrder]) -> tuple[int, tuple[Term, Term]] | None:
    """Return which order an atom is about, and what it compares."""
    return next(((number, sides) for number, order in enumerate(orders) if (sides := order.sides(atom))), None)


def _binds(literal: Literal) -> bool:
    return literal.positive and literal.atom.name != "distinct"


def _apart(sides: tuple[Term, Term], atoms: Sequence[Atom]) -> Iterator[Literal]:
    """Yield literals that keep the compared things apart: nobody is nearly ahead of himself."""
    for one, other in permutations(map(_parts, atoms), 2):
        if one[0] == other[0] and len(one) == len(other) and sides in zip(one, other, strict=True):
            yield Literal(Atom("distinct", (one, other)))


def _parts(atom: Atom) -> tuple[Term, ...]:
    """Return the name and the arguments; of a fluent those of the fluent."""
    (fluent, *others) = atom.args or ("",)
    return fluent if isinstance(fluent, tuple) and not others else (atom.name, *atom.args)


def _name(order: int) -> str:
    return f"{COMPARISON}{order}"


def _possible_comparisons(rules: Sequence[Rule], orders: Sequence[GradedOrder]) -> Iterator[GroundTerm]:
    """Every pair of words in every order that is used."""
    used = {term[0] for rule in rules for part in rule.body for term in part.atom.args if isinstance(term, tuple)}
    for number, order in enumerate(orders):
        if _name(number) in used:
            yield from ((_name(number), first, second) for first in order.words for second in order.words)


# -- numbers ---------------------------------------------------------------------------------


class _Numbering:
    """From the numbers of the grounder to those of `Instances`."""

    def __init__(
        self, ground: GroundRules, asp: AspProgram, tables: CircuitTables, orders: Sequence[GradedOrder]
    ) -> None:
        self._ground, self._tables = ground, tables
        fluent_numbers = {fluent: number for number, fluent in enumerate(tables.fluents)}
        fluents: dict[int, int] = {}
        """From atoms of the grounder to the engine's numbers."""
        compared: dict[int, Comparison] = {}
        for (fluent,), atom in ground.symbols.get("true", []):
            if fluent in fluent_numbers:
                fluents[atom] = fluent_numbers[fluent]
            elif isinstance(fluent, tuple):
                name, first, second = fluent
                compared[atom] = Comparison(orders[int(str(name).removeprefix(COMPARISON))], first, second)
        used = set(np.abs(ground.bodies).tolist())
        self._comparisons = {atom: comparison for atom, comparison in compared.items() if atom in used}
        known = {*fluents, *compared}
        derived = sorted(({*ground.heads[~ground.choice].tolist()} | used) - known)
        self._new = np.zeros(1 + int(ground.heads.max(initial=max(used, default=0))), np.int64)
        for atom, number in fluents.items():
            self._new[atom] = 1 + number
        self._atom_count = 1 + len(tables.fluents)
        for numbers in (list(self._comparisons), derived):
            self._new[numbers] = np.arange(self._atom_count, self._atom_count + len(numbers))
            self._atom_count += len(numbers)
        self._names = {
            int(self._new[atom]): (
                asp.relations[name],
                (asp.relations[name][0], *arguments) if arguments else asp.relations[name][0],
            )
            for name, atoms in ground.symbols.items()
            if name != "true"
            for arguments, atom in atoms
            if atom
        }

    def instances(self, recursive: frozenset[Signature]) -> Instances:
        ground = self._ground
        lengths = ground.lengths.astype(np.int64)
        owners = np.repeat(np.arange(len(lengths)), lengths)
        literals = 2 * self._new[np.abs(ground.bodies)] + (ground.bodies < 0)
        kept = np.flatnonzero(~ground.choice)
        heads = self._new[ground.heads]
        order = kept[np.argsort(heads[kept], kind="stable")]
        rank = np.full(len(lengths), -1)
        rank[order] = np.arange(len(order))
        inside = rank[owners] >= 0
        places = np.argsort(rank[owners[inside]], kind="stable")
        return Instances(
            fluent_count=len(self._tables.fluents),
            comparisons=tuple(self._comparisons.values()),
            rule_starts=np.searchsorted(heads[order], np.arange(self._atom_count + 1)).astype(np.int32),
            body_starts=np.concatenate([[0], np.cumsum(lengths[order])]).astype(np.int32),
            bodies=literals[inside][places].astype(np.int32),
            names=self._names,
            recursive=recursive,
            goals=self._goals(),
            terminal=next((self._literal(atom) for _, atom in ground.symbols.get("terminal", [])), FALSE),
        )

    def _goals(self) -> tuple[tuple[GoalValue, ...], ...]:
        """Return what players can get, a number as often as it is written in another way; chance wants nothing."""
        values: dict[str, list[GoalValue]] = {role: [] for role in self._tables.roles}
        for (role, value), atom in self._ground.symbols.get("goal", []):
            if isinstance(role, str) and role in values and role != CHANCE and goal_number(value) >= 0:
                values[role].append(GoalValue(goal_number(value), self._literal(atom)))
        return tuple(map(tuple, values.values()))

    def _literal(self, atom: int) -> int:
        return 2 * int(self._new[atom]) if atom else TRUE
