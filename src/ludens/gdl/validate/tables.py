"""Tables of facts, and joins of conditions over them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ludens.gdl.formulas import Literal, Signature
from ludens.gdl.terms import Term, Variable, is_ground, substitute

Row = tuple[Term, ...]
Binding = dict[Variable, Term]


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
