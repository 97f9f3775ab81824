"""Tables of facts, and the instances of rules: what their variables can stand for, as far as facts tell."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from ludens.gdl.dependencies import DependencyGraph
from ludens.gdl.formulas import Atom, Literal, Rule, Signature
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, Variable, is_ground, substitute

Row: TypeAlias = "tuple[Term, ...]"
Binding: TypeAlias = "dict[Variable, Term]"
Ranges: TypeAlias = Mapping[Variable, frozenset[str]]

MAX_WORK = 200_000
"""The work limit for one rule, or for a group of relations that depend on each other."""
MAX_WORK_OF_ALL = 1_000_000
"""The work limit for all rules together."""
MAX_TERM = 200
"""The limit on the words of a derived term."""

PLAY: frozenset[Signature] = frozenset({("true", 1), ("does", 2)})
"""The relations that only play determines."""


# -- joins -------------------------------------------------------------------------------------


class FactTable:
    """The rows of one relation, to be found by any of their columns."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows: dict[Row, None] = dict.fromkeys(rows)
        self._columns: dict[int, dict[Term, list[Row]]] = {}

    def add(self, row: Row) -> bool:
        """Add a row; return whether it is new."""
        if row in self.rows:
            return False
        self.rows[row] = None
        for position, column in self._columns.items():
            column.setdefault(row[position], []).append(row)
        return True

    def candidates(self, args: Row) -> Collection[Row]:
        """Return the rows that agree with the first argument that has a value."""
        for position, argument in enumerate(args):
            if is_ground(argument):
                return self._column(position).get(argument, ())
        return self.rows

    def _column(self, position: int) -> dict[Term, list[Row]]:
        if position not in self._columns:
            column = self._columns[position] = {}
            for row in self.rows:
                column.setdefault(row[position], []).append(row)
        return self._columns[position]


class GivenUpError(Exception):
    """A search exceeded its budget, or met a case it cannot judge."""


@dataclass
class SearchBudget:
    """The work that is left, possibly as part of a larger budget."""

    left: int
    whole: SearchBudget | None = None

    def spend(self, cost: int) -> None:
        self.left -= cost
        if self.left < 0:
            raise GivenUpError
        if self.whole:
            self.whole.spend(cost)


@dataclass
class Join:
    """A search for the bindings under which some literals hold."""

    tables: Mapping[Signature, FactTable]
    budget: SearchBudget

    def extensions(self, literals: list[Literal], binding: Binding) -> Iterator[Binding]:
        """Yield all extensions of a binding under which the literals hold."""
        todo = [(literals, binding)]
        while todo:
            literals, binding = todo.pop()
            self.budget.spend(1 + len(literals))
            if any(self._fails(literal, binding) for literal in literals if _is_test(literal)):
                continue
            generators = [literal for literal in literals if not _is_test(literal)]
            if not generators:
                yield binding
                continue
            chosen = max(generators, key=lambda literal: sum(name in binding for name in literal.atom.variables()))
            rest = [literal for literal in literals if literal is not chosen]
            todo += [(rest, extended) for extended in reversed(list(self._matches(chosen, binding)))]

    def _matches(self, literal: Literal, binding: Binding) -> Iterator[Binding]:
        """Yield all extensions of a binding under which one positive literal holds."""
        args = tuple(substitute(argument, binding) for argument in literal.atom.args)
        for row in self.tables[literal.atom.signature].candidates(args):
            self.budget.spend(1)
            extended = match(args, row, binding)
            if extended is not None:
                yield extended

    def _fails(self, literal: Literal, binding: Binding) -> bool:
        """Return whether a test certainly fails: all its variables have values, and they do not pass."""
        args = tuple(substitute(argument, binding) for argument in literal.atom.args)
        if not all(map(is_ground, args)):
            return False
        if literal.atom.name == "distinct":
            return (args[0] != args[1]) != literal.positive
        return args in self.tables[literal.atom.signature].rows


def _is_test(literal: Literal) -> bool:
    return not literal.positive or literal.atom.name == "distinct"


def match(patterns: Row, row: Row, binding: Binding) -> Binding | None:
    """Return the binding extended so that the patterns equal the row; None if that is impossible."""
    extended = dict(binding)
    todo = list(zip(patterns, row, strict=True))
    while todo:
        pattern, value = todo.pop()
        if isinstance(pattern, Variable):
            if extended.setdefault(pattern, value) != value:
                return None
        elif isinstance(pattern, tuple) and isinstance(value, tuple):
            if len(pattern) != len(value) or pattern[0] != value[0]:
                return None
            todo.extend(zip(pattern[1:], value[1:], strict=True))
        elif pattern != value:
            return None
    return extended


# -- instances ---------------------------------------------------------------------------------


class FactTables:
    """The relations that follow from facts alone, with all their rows."""

    def __init__(self, rules: Rules, asked: Iterable[Rule]) -> None:
        """Evaluate the relations in the bodies of the rules that are asked for."""
        self.tables: dict[Signature, FactTable] = {}
        self._budget = SearchBudget(MAX_WORK_OF_ALL)
        graph = rules.dependencies
        asked_for = {literal.atom.signature for rule in asked for literal in rule.body}
        needed = graph.reachable(asked_for - _play_relations(graph))
        for component in graph.components:
            if needed.issuperset(component):
                self._evaluate({relation: rules.relations.get(relation, ()) for relation in component})

    def _evaluate(self, relations: Mapping[Signature, Sequence[Rule]]) -> None:
        """Add the tables of relations that depend on each other, unless that goes through `not` or beyond the limit."""
        rules = [rule for group in relations.values() for rule in group]
        if rules and all(
            self.decides(literal) or (literal.positive and literal.atom.signature in relations)
            for rule in rules
            for literal in rule.body
        ):
            with suppress(GivenUpError):
                self.tables |= _closure(rules, self.tables, SearchBudget(MAX_WORK, self._budget))

    def decides(self, literal: Literal) -> bool:
        """Return whether the facts alone say when the literal holds."""
        return literal.atom.signature in self.tables or literal.atom.name == "distinct"

    def exclude(self, literals: Iterable[Literal]) -> bool:
        """Return whether the facts say that these literals never hold together."""
        join = Join(self.tables, SearchBudget(MAX_WORK, self._budget))
        try:
            return next(join.extensions([literal for literal in literals if self.decides(literal)], {}), None) is None
        except GivenUpError:
            return False

    def bindings(
        self, literals: Iterable[Literal], wanted: Iterable[Variable], ranges: Ranges | None = None
    ) -> list[Binding] | None:
        """Return the possible values of the wanted variables where the literals hold; None beyond the work limit.

        Literals that the facts do not decide are taken to hold, so these are at least all possible values.
        A variable with a range gets its values from there.
        """
        decided = [literal for literal in literals if self.decides(literal)]
        tables: dict[Signature, FactTable] = {}
        join = Join(ChainMap(tables, self.tables), SearchBudget(MAX_WORK, self._budget))
        names = list(wanted)
        found: dict[Row, Binding] = {}
        try:
            for variable, words in (ranges or {}).items():
                join.budget.spend(len(words))
                decided.append(Literal(Atom(f"range of {variable}", (variable,))))
                tables[decided[-1].atom.signature] = FactTable((word,) for word in sorted(words))
            for binding in join.extensions(decided, {}):
                key = tuple(binding.get(variable, variable) for variable in names)
                found.setdefault(key, {variable: binding[variable] for variable in names if variable in binding})
        except GivenUpError:
            return None
        return list(found.values())


def _play_relations(graph: DependencyGraph) -> set[Signature]:
    """Return the relations that depend on the play, directly or not."""
    found = set(PLAY)
    for component in graph.components:
        if any(not found.isdisjoint(graph.uses(relation)) for relation in component):
            found.update(component)
    return found


def _closure(
    rules: Sequence[Rule], known: dict[Signature, FactTable], budget: SearchBudget
) -> dict[Signature, FactTable]:
    """Return all rows that the rules derive from known tables and from each other (semi-naive evaluation)."""
    tables = {rule.head.signature: FactTable() for rule in rules}
    join = Join(ChainMap(tables, known), budget)
    uses: dict[Signature, list[tuple[Rule, Literal]]] = {}
    new: list[Atom] = []

    def derive(rule: Rule, literals: list[Literal], start: Binding) -> None:
        for binding in list(join.extensions(literals, start)):
            head = instantiated(rule.head, binding)
            budget.spend(sum(map(_ground_size, head.args)))
            if tables[head.signature].add(head.args):
                new.append(head)

    for rule in rules:
        recursive = [literal for literal in rule.body if literal.atom.signature in tables]
        for literal in recursive:
            uses.setdefault(literal.atom.signature, []).append((rule, literal))
        if rule.body and not recursive:
            derive(rule, list(rule.body), {})
        elif not rule.body:
            if not all(map(is_ground, rule.head.args)):
                raise GivenUpError
            tables[rule.head.signature].add(rule.head.args)
            new.append(rule.head)
    for atom in new:
        for rule, literal in uses.get(atom.signature, ()):
            budget.spend(1)
            start = match(literal.atom.args, atom.args, {})
            if start is not None:
                derive(rule, [other for other in rule.body if other is not literal], start)
    return tables


def _ground_size(term: Term) -> int:
    """Return the number of words in a term; raise GivenUpError for one with variables, or a large one."""
    size, todo = 0, [term]
    while todo:
        part = todo.pop()
        size += 1
        if isinstance(part, Variable) or size > MAX_TERM:
            raise GivenUpError
        if isinstance(part, tuple):
            todo.extend(part[1:])
    return size


def connected(literals: Iterable[Literal], wanted: set[Variable]) -> list[Literal]:
    """Return the literals that mention a wanted variable; others say little about its values."""
    return [literal for literal in literals if wanted & set(literal.atom.variables())]


def linked(literals: Sequence[Literal], wanted: set[Variable]) -> tuple[list[Literal], list[Literal]]:
    """Return the literals connected with the wanted variables, directly or through others; and the rest."""
    mentions: dict[Variable, list[int]] = {}
    for number, literal in enumerate(literals):
        for variable in literal.atom.variables():
            mentions.setdefault(variable, []).append(number)
    near: set[int] = set()
    todo = set(wanted)
    while todo:
        new = {number for number in mentions.pop(todo.pop(), ()) if number not in near}
        near |= new
        todo.update(variable for number in new for variable in literals[number].atom.variables())
    far = [literal for number, literal in enumerate(literals) if number not in near]
    return [literals[number] for number in sorted(near)], far


def instantiated(atom: Atom, binding: Binding) -> Atom:
    return Atom(atom.name, tuple(substitute(argument, binding) for argument in atom.args), atom.span)
