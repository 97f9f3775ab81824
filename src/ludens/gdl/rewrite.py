"""Rewriting clauses to plain rules: no `or`, no `and`, `not` only before atoms.

`or` is distributed, so one clause can give several rules. Where that would give too many, the
largest `or` becomes a relation of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, product

from ludens.gdl.formulas import And, Atom, Clause, Formula, Literal, Not, Or, Rule, atoms
from ludens.gdl.terms import Variable

MAX_BRANCHES = 64
AUXILIARY = "or "
"""Start of the names of relations made here; no sheet can use them, since no symbol has a space."""


def plain_rules(clauses: Iterable[Clause]) -> tuple[Rule, ...]:
    """The plain rules of all clauses, in order, each once."""
    auxiliary = count(1)
    return tuple(dict.fromkeys(rule for clause in clauses for rule in _rules(clause, auxiliary)))


def _rules(clause: Clause, auxiliary: count[int]) -> Iterator[Rule]:
    parts = list(_conjuncts(And(clause.body)))
    while _branches(And(tuple(parts))) > MAX_BRANCHES:
        largest = max((part for part in parts if isinstance(part, Or)), key=_branches)
        rest = [part for part in parts if part is not largest]
        shared = _used([largest]) & _used([clause.head, *rest])
        atom = Atom(f"{AUXILIARY}{next(auxiliary)}", tuple(sorted(shared)), largest.span)
        context = [part for part in rest if isinstance(part, Atom) and part.name != "distinct"]
        for branch in largest.parts:
            # The context binds what the branch only tests; it holds wherever the relation is used.
            yield from _rules(Clause(atom, (*context, branch), clause.span), auxiliary)
        parts[parts.index(largest)] = atom
    for literals in _literals(And(tuple(parts))):
        yield Rule(clause.head, tuple(dict.fromkeys(literals)), clause.span)


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    """Negations moved inwards to the atoms, nested `and` flattened."""
    if isinstance(formula, And):
        for part in formula.parts:
            yield from _conjuncts(part)
    elif isinstance(formula, Or):
        if len(formula.parts) == 1:
            yield from _conjuncts(formula.parts[0])
        else:
            yield Or(tuple(And(tuple(_conjuncts(part))) for part in formula.parts), formula.span)
    elif isinstance(formula, Not):
        inner = formula.body
        if isinstance(inner, Not):
            yield from _conjuncts(inner.body)
        elif isinstance(inner, Or):
            for part in inner.parts:
                yield from _conjuncts(Not(part, formula.span))
        elif isinstance(inner, And):
            yield from _conjuncts(Or(tuple(Not(part, formula.span) for part in inner.parts), formula.span))
        else:
            yield formula
    else:
        yield formula


def _branches(formula: Formula) -> int:
    """How many conjunctions the formula gives when `or` is distributed."""
    if isinstance(formula, Or):
        return sum(_branches(part) for part in formula.parts)
    count = 1
    if isinstance(formula, And):
        for part in formula.parts:
            count *= _branches(part)
    return count


def _literals(formula: Formula) -> Iterator[tuple[Literal, ...]]:
    if isinstance(formula, Atom):
        yield (Literal(formula),)
    elif isinstance(formula, Not):
        assert isinstance(formula.body, Atom)
        yield (Literal(formula.body, False),)
    elif isinstance(formula, Or):
        for part in formula.parts:
            yield from _literals(part)
    else:
        for choice in product(*(list(_literals(part)) for part in formula.parts)):
            yield tuple(literal for literals in choice for literal in literals)


def _used(formulas: Iterable[Formula]) -> set[Variable]:
    return {variable for formula in formulas for atom, _ in atoms(formula) for variable in atom.variables()}
