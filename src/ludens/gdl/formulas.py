"""Clauses as their author wrote them, and the plain rules they are rewritten to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ludens.gdl.source import Span
from ludens.gdl.terms import Term, Variable, rename, term_text, variables

Signature: TypeAlias = tuple[str, int]
"""A relation: its name and number of arguments. The same name with another number is another relation."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A relation applied to terms. `distinct` is the one built-in relation."""

    name: str
    args: tuple[Term, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def signature(self) -> Signature:
        return self.name, len(self.args)

    def variables(self) -> Iterator[Variable]:
        for argument in self.args:
            yield from variables(argument)

    def __str__(self) -> str:
        return term_text((self.name, *self.args)) if self.args else self.name


@dataclass(frozen=True, slots=True)
class Not:
    body: Formula
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Formula, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Formula, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


Formula: TypeAlias = Atom | Not | And | Or


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement of a rule sheet: the head holds if all formulas of the body hold."""

    head: Atom
    body: tuple[Formula, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom or its absence."""

    atom: Atom
    positive: bool = True

    def __str__(self) -> str:
        return str(self.atom) if self.positive else f"(not {self.atom})"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule without `or`, `and` or nested `not`; a fact when the body is empty."""

    head: Atom
    body: tuple[Literal, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)

    def variables(self) -> Iterator[Variable]:
        yield from self.head.variables()
        for literal in self.body:
            yield from literal.atom.variables()

    def __str__(self) -> str:
        if not self.body:
            return str(self.head)
        return f"(<= {self.head} {' '.join(map(str, self.body))})"


def atoms(formula: Formula, positive: bool = True) -> Iterator[tuple[Atom, bool]]:
    """Yield the atoms of a formula, each with whether it stands under an even number of negations."""
    if isinstance(formula, Atom):
        yield formula, positive
    elif isinstance(formula, Not):
        yield from atoms(formula.body, not positive)
    else:
        for part in formula.parts:
            yield from atoms(part, positive)


def bound_variables(formula: Formula, positive: bool = True) -> frozenset[Variable]:
    """Return the variables that have a value wherever the formula (or its negation) holds: those of positive atoms.

    Of an `or`, those that every part binds. `distinct` tests its terms and binds nothing.
    """
    none: frozenset[Variable] = frozenset()
    if isinstance(formula, Atom):
        return frozenset(formula.variables()) if positive and formula.name != "distinct" else none
    if isinstance(formula, Not):
        return bound_variables(formula.body, not positive)
    parts = [bound_variables(part, positive) for part in formula.parts]
    if isinstance(formula, And) == positive or not parts:
        return none.union(*parts)
    return parts[0].intersection(*parts[1:])


def alternatives(formula: Formula) -> int:
    """Return the number of branchings of a formula: an `or`, or an `and` under `not`, counts once."""
    if isinstance(formula, Atom):
        return 0
    if isinstance(formula, Not):
        return alternatives(formula.body) + isinstance(formula.body, And)
    return isinstance(formula, Or) + sum(map(alternatives, formula.parts))


def rename_clause(clause: Clause, names: Mapping[str, str]) -> Clause:
    """Return the clause with relations, functions, constants and variables (as `?x`) renamed."""
    return Clause(_rename_atom(clause.head, names), tuple(_rename_formula(part, names) for part in clause.body))


def with_numbered_variables(clause: Clause) -> Clause:
    """Return the clause with its variables named after the order of their appearance."""
    formulas = (clause.head, *clause.body)
    order = dict.fromkeys(variable for part in formulas for atom, _ in atoms(part) for variable in atom.variables())
    return rename_clause(clause, {str(variable): f"?{number}" for number, variable in enumerate(order)})


def _rename_formula(formula: Formula, names: Mapping[str, str]) -> Formula:
    if isinstance(formula, Atom):
        return _rename_atom(formula, names)
    if isinstance(formula, Not):
        return Not(_rename_formula(formula.body, names))
    return type(formula)(tuple(_rename_formula(part, names) for part in formula.parts))


def _rename_atom(atom: Atom, names: Mapping[str, str]) -> Atom:
    return Atom(names.get(atom.name, atom.name), tuple(rename(argument, names) for argument in atom.args))
