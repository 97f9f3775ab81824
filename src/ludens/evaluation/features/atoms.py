"""The atoms that features are made of: the fluents of a game, and what its rules derive from them in every state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.facts import GameFacts
from ludens.analysis.states import signature_of
from ludens.circuit import Circuit, optimised_circuit
from ludens.core import GroundTerm
from ludens.engines.rows import Rows, unpack
from ludens.engines.sliced.question import Question
from ludens.engines.sliced.tables import CircuitTables
from ludens.errors import CompileError
from ludens.evaluation.features.patterns import AtomKind, Pattern, Table
from ludens.gdl.formulas import Atom, Literal, Rule, Signature
from ludens.gdl.keywords import KEYWORDS
from ludens.gdl.rewrite import AUXILIARY
from ludens.gdl.terms import Variable, substitute
from ludens.ground.asp import translate as to_asp
from ludens.ground.aspif import read_aspif
from ludens.ground.decompose import split_rules
from ludens.ground.limits import GroundingLimits, GroundingWatch
from ludens.ground.process import run_grounder
from ludens.ground.simplify import to_program
from ludens.ground.sizes import Sizes, join
from ludens.runtime.deadline import Deadline

MAX_ATOMS = 1_500
"""Relations that hold for more are not looked at."""
MAX_INSTANCES = 3_000
"""Rules that have more are not looked at condition by condition."""
ESTIMATE_FACTOR = 8
"""The factor by which an estimate may be too high."""
RULE = "rule "
"""Start of a name that stands for the instances of a rule; no word of a sheet has a space."""
_FRAME = "{true(F)} :- init(F).\n"

Bits = NDArray[np.bool_]
Columns = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Instance:
    """A rule with words for its variables: what it derives, and its conditions on the state."""

    relation: str
    head: tuple[GroundTerm, ...]
    """The arguments of its head."""
    conditions: tuple[int, ...]
    """Atoms by their columns; `~column` where the atom must not hold."""


@dataclass(frozen=True, eq=False)
class Atoms:
    """All fluents, and after them derived atoms; a column each."""

    names: tuple[tuple[AtomKind, GroundTerm], ...]
    fluent_count: int
    circuit: Circuit | None
    """Derives atoms from fluents; it has no moves."""
    literals: NDArray[np.int32]
    """[derived atoms]: what of the circuit tells each."""
    instances: tuple[Instance, ...]
    """Of the rules that goals and the end depend on."""
    left_out: tuple[str, ...]

    @cached_property
    def tables(self) -> dict[Table, dict[tuple[GroundTerm, ...], int]]:
        """For each name and number of arguments the arguments of all atoms, with their columns."""
        found: dict[Table, dict[tuple[GroundTerm, ...], int]] = {}
        for column, (kind, name) in enumerate(self.names):
            arguments = () if isinstance(name, str) else name[1:]
            found.setdefault((kind, *signature_of(name)), {})[arguments] = column
        return found

    @cached_property
    def _places(self) -> dict[tuple[Table, int], dict[GroundTerm, set[tuple[GroundTerm, ...]]]]:
        """For each argument of each table, the atoms that have a word there."""
        found: dict[tuple[Table, int], dict[GroundTerm, set[tuple[GroundTerm, ...]]]] = {}
        for table, atoms in self.tables.items():
            for arguments in atoms:
                for place, word in enumerate(arguments):
                    found.setdefault((table, place), {}).setdefault(word, set()).add(arguments)
        return found

    def matching(self, pattern: Pattern) -> dict[tuple[GroundTerm, ...], int]:
        """Return the atoms that an expression stands for: their arguments and columns, in order."""
        table = self.tables.get(pattern.table, {})
        places = self._places
        words = ((place, pattern.arguments[place]) for place in pattern.fixed)
        fixed = [
            places.get((pattern.table, place), {}).get(word, set())
            for place, word in words
            if not isinstance(word, int)
        ]
        found = set.intersection(*fixed) if fixed else set(table)
        free = len(pattern.arguments) - len(pattern.fixed)
        if len({argument for argument in pattern.arguments if isinstance(argument, int)}) < free:
            found = {arguments for arguments in found if pattern.matches(arguments)}
        return {arguments: table[arguments] for arguments in sorted(found, key=table.__getitem__)}

    def columns(self, pattern: Pattern) -> tuple[int, ...]:
        """Return the columns of these atoms."""
        return tuple(self.matching(pattern).values())

    def asker(self, columns: Sequence[int] | Columns) -> AtomAsker:
        return AtomAsker(self, np.asarray(columns, np.int64))


class AtomAsker:
    """Tells of some atoms whether they hold, for any number of states; by several threads one after the other."""

    def __init__(self, atoms: Atoms, columns: Columns) -> None:
        self._fluents = atoms.fluent_count
        self._is_fluent = columns < atoms.fluent_count
        self._columns = columns
        derived = columns[~self._is_fluent] - atoms.fluent_count
        self._derived_count = len(derived)
        self._question: Question | None = None
        if len(derived) and atoms.circuit is not None:
            self._question = Question(atoms.circuit, atoms.literals[derived])

    def __call__(self, rows: Rows) -> Bits:
        """[states, columns]"""
        bits = unpack(rows, self._fluents)
        if self._question is None:
            return np.take(bits, self._columns, axis=1)
        found = np.empty((len(rows), len(self._columns)), np.bool_)
        found[:, self._is_fluent] = bits[:, self._columns[self._is_fluent]]
        found[:, ~self._is_fluent] = unpack(self._question.ask(rows), self._derived_count)
        return found


def derive_atoms(tables: CircuitTables, facts: GameFacts, deadline: Deadline) -> Atoms:
    """Return the fluents of a game and what it derives from them; only the fluents if that takes too long."""
    fluents = tuple(("function", fluent) for fluent in tables.fluents)
    grounding = _Grounding(tables, facts)
    try:
        return grounding.atoms(deadline)
    except CompileError as error:
        none = np.zeros(0, np.int32)
        return Atoms(fluents, len(fluents), None, none, (), (f"derived relations: {error}",))  # type: ignore[arg-type]


class _Grounding:
    """Finds out what the rules of a game can derive, and keeps the names, which the compiled game does not."""

    def __init__(self, tables: CircuitTables, facts: GameFacts) -> None:
        self.tables, self.rules = tables, facts.rules
        dependencies = self.rules.dependencies
        changing: Signature = ("true", 1)
        asked: list[Signature] = [("goal", 2), ("terminal", 0), ("legal", 2)]
        self.dynamic = {
            signature
            for signature in dependencies.reachable(asked)
            if changing in (cone := dependencies.reachable([signature])) and ("does", 2) not in cone
        }
        self.deciding = dependencies.reachable(asked[:2]) & self.dynamic
        needed = dependencies.reachable(self.dynamic | set(asked))
        self.needed = [
            rule
            for rule in self.rules.rules
            if rule.head.signature in needed
            and rule.head.name not in ("init", "next", "legal", "goal", "base", "input")
        ]
        self.sizes = Sizes([*self.rules.rules])
        self.left_out: list[str] = []
        self.listed: set[Signature] = set()
        self._variables = [tuple(dict.fromkeys(rule.variables())) for rule in self.rules.rules]

    def atoms(self, deadline: Deadline) -> Atoms:
        relations = [signature for signature in self.rules.relations if self._is_wanted(signature)]
        told = [number for number, rule in enumerate(self.rules.rules) if self._is_told(rule)]
        role = self.tables.roles[0]
        carriers = [self._holders_of(role, signature) for signature in relations]
        carriers += [self._instances_of(role, number) for number in told]
        states = [Rule(Atom("init", (fluent,))) for fluent in self.tables.fluents]
        watch = GroundingWatch.start(GroundingLimits(), deadline)
        rules = [*split_rules([*self.needed, *carriers], lambda done: watch.check("split", done)), *states]
        asp = to_asp(rules, [role], _FRAME)
        program = to_program(read_aspif(run_grounder(asp.text, watch), asp), [role])
        watch.check("circuit", program.rule_count)
        circuit = optimised_circuit(program, lambda name, _: watch.check(name, program.rule_count))
        return self._named(program.goal_values[0], circuit)

    def _is_wanted(self, signature: Signature) -> bool:
        name, arity = signature
        if signature not in self.dynamic or name in KEYWORDS or name.startswith(AUXILIARY):
            return False
        rows = self.sizes.shape(Atom(name, tuple(Variable(str(index)) for index in range(arity)))).rows
        if rows > ESTIMATE_FACTOR * MAX_ATOMS:
            self.left_out.append(f"{name}: it can hold for too much")
            return False
        self.listed.add(signature)
        return True

    def _is_told(self, rule: Rule) -> bool:
        """Return whether the conditions of a rule are looked at: it decides goals or the end, and has few instances."""
        if rule.head.signature not in self.deciding or rule.head.name.startswith(AUXILIARY):
            return False
        if not any(self._is_condition(literal) for literal in rule.body):
            return False
        shapes = [
            self.sizes.shape(literal.atom)
            for literal in rule.body
            if literal.positive and literal.atom.name != "distinct"
        ]
        if shapes and join(shapes).rows > ESTIMATE_FACTOR * MAX_INSTANCES:
            self._leave_out_conditions(rule)
            return False
        return bool(shapes)

    def _leave_out_conditions(self, rule: Rule) -> None:
        text = f"the conditions of {rule.head.name}: a rule has too many instances"
        self.left_out += [text] if text not in self.left_out else []

    def _is_condition(self, literal: Literal) -> bool:
        return literal.atom.name == "true" or literal.atom.signature in self.dynamic

    def _holders_of(self, role: str, signature: Signature) -> Rule:
        name, arity = signature
        arguments = tuple(Variable(str(index)) for index in range(arity))
        return _carrier(role, name, arguments, (Literal(Atom(name, arguments)),))

    def _instances_of(self, role: str, number: int) -> Rule:
        rule = self.rules.rules[number]
        return _carrier(role, f"{RULE}{number}", self._variables[number], rule.body)

    def _named(self, terms: Sequence[GroundTerm], circuit: Circuit) -> Atoms:
        sizes: dict[str, int] = {}
        for term in terms:
            sizes[_name(term)] = sizes.get(_name(term), 0) + 1
        names: list[tuple[AtomKind, GroundTerm]] = [("function", fluent) for fluent in self.tables.fluents]
        kept: list[int] = []
        for place, term in enumerate(terms):
            if not _name(term).startswith(RULE) and sizes[_name(term)] <= MAX_ATOMS:
                names.append(("relation", term))
                kept.append(place)
        large = [name for name, size in sizes.items() if size > MAX_ATOMS and not name.startswith(RULE)]
        self.left_out += [f"{name}: it can hold for too much" for name in large]
        unknown = {name for name, _ in self.dynamic - self.listed} | set(large)
        columns = {name: column for column, name in enumerate(names)}
        bindings = [
            term if isinstance(term, tuple) else (term,)
            for term in terms
            if _name(term).startswith(RULE) and sizes[_name(term)] <= MAX_INSTANCES
        ]
        for name in (name for name, size in sizes.items() if name.startswith(RULE) and size > MAX_INSTANCES):
            self._leave_out_conditions(self.rules.rules[int(name.removeprefix(RULE))])
        instances = [instance for binding in bindings if (instance := self._instance(binding, columns, unknown))]
        literals = circuit.goals[kept] if kept else np.zeros(0, np.int32)
        return Atoms(tuple(names), len(self.tables.fluents), circuit, literals, tuple(instances), tuple(self.left_out))

    def _instance(
        self, binding: tuple[GroundTerm, ...], columns: dict[tuple[AtomKind, GroundTerm], int], unknown: set[str]
    ) -> Instance | None:
        """None if one of its conditions is not among the atoms, or of a relation of which nothing is known."""
        number = int(str(binding[0]).removeprefix(RULE))
        rule = self.rules.rules[number]
        values = dict(zip(self._variables[number], binding[1:], strict=True))
        conditions: list[int] = []
        for literal in filter(self._is_condition, rule.body):
            terms = [substitute(term, values) for term in literal.atom.args]
            name: object = ("function", terms[0]) if literal.atom.name == "true" else _relation(literal.atom, terms)
            column = columns.get(name)  # type: ignore[call-overload]
            if column is not None:
                conditions.append(column if literal.positive else ~column)
            elif literal.positive or literal.atom.name in unknown:
                return None
        head = tuple(substitute(term, values) for term in rule.head.args)
        return Instance(rule.head.name, head, tuple(conditions))  # type: ignore[arg-type]


def _relation(atom: Atom, terms: Sequence[object]) -> object:
    return "relation", (atom.name, *terms) if terms else atom.name


def _name(term: GroundTerm) -> str:
    return term if isinstance(term, str) else str(term[0])


def _carrier(role: str, name: str, arguments: tuple[Variable, ...], body: tuple[Literal, ...]) -> Rule:
    """Return a rule that has what its body holds for listed among what is asked."""
    return Rule(Atom("goal", (role, (name, *arguments) if arguments else name)), body)


def influencing(tables: CircuitTables, literals: Iterable[int]) -> Bits:
    """[fluents]: whether some of these literals of the circuit depend on it."""
    cone = tables.gates.cone(np.fromiter(literals, np.int32))
    return cone[1 : 1 + len(tables.fluents)]
