"""Rewriting clauses to plain rules: no `or`, no `and`, `not` only before atoms.

`or` is distributed, so one clause can give several rules. Where that would give too many,
one `or` after another becomes a relation of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, product

from ludens.gdl.formulas import And, Atom, Clause, Formula, Literal, Not, Or, Rule, atoms, bound_variables
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
        # Best an `or` that needs no other to bind its variables: as a relation it can bind theirs.
        choices = [part for part in parts if isinstance(part, Or)]
        chosen = max(choices, key=lambda part: (not _unbound(part, parts, clause.head), _branches(part)))
        atom = Atom(f"{AUXILIARY}{next(auxiliary)}", tuple(sorted(_shared(chosen, parts, clause.head))), chosen.span)
        context = _context(chosen, parts, clause.head)
        for branch in chosen.parts:
            yield from _rules(Clause(atom, (*context, branch), clause.span), auxiliary)
        parts[parts.index(chosen)] = atom
    for literals in _literals(And(tuple(parts))):
        yield Rule(clause.head, tuple(dict.fromkeys(literals)), clause.span)


def _context(chosen: Or, parts: list[Formula], head: Atom) -> list[Formula]:
    """What binds the variables that a branch only tests; it holds wherever the relation is used."""
    unbound = _unbound(chosen, parts, head)
    others = [part for part in parts if isinstance(part, Or) and part is not chosen]
    context = [part for part in parts if _is_condition(part)]
    while helpful := [part for part in others if unbound & bound_variables(part)]:
        context += helpful
        others = [part for part in others if part not in helpful]
        unbound = unbound.union(*(_unbound(part, parts, head) for part in helpful))
    return context


def _is_condition(part: Formula) -> bool:
    return isinstance(part, Atom) and part.name != "distinct"


def _shared(part: Formula, parts: list[Formula], head: Atom) -> set[Variable]:
    """The variables of a part that the rest of the clause mentions too."""
    return _used([part]) & _used([head, *(other for other in parts if other is not part)])


def _unbound(part: Formula, parts: list[Formula], head: Atom) -> frozenset[Variable]:
    """The shared variables that neither the part itself nor a single condition binds."""
    conditions = And(tuple(other for other in parts if _is_condition(other)))
    return frozenset(_shared(part, parts, head)) - bound_variables(part) - bound_variables(conditions)


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
