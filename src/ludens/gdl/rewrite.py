"""Rewriting clauses to plain rules: no `or`, no `and`, `not` only before atoms.

`or` is distributed, so one clause can give several rules. Where that would give too many, the branches
of one `or` after another become relations of their own, such that a safe clause gives safe rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, product

from ludens.gdl.formulas import And, Atom, Clause, Formula, Literal, Not, Or, Rule, atoms, bound_variables
from ludens.gdl.terms import Variable

MAX_BRANCHES = 64
"""A clause that would give more rules than this is split by auxiliary relations where that is safe."""
MAX_FLAT = 1000
"""A clause never gives more rules than this, even if splitting makes rules unsafe; no known sheet comes near."""
AUXILIARY = "or "
"""Start of the names of relations made here; no sheet can use them, since no symbol has a space."""


def plain_rules(clauses: Iterable[Clause]) -> tuple[Rule, ...]:
    """Return the plain rules of all clauses, in order, each once."""
    auxiliary = count(1)
    return tuple(dict.fromkeys(rule for clause in clauses for rule in _rules(clause, auxiliary)))


def _rules(clause: Clause, auxiliary: count[int]) -> Iterator[Rule]:
    parts = list(_conjuncts(And(clause.body)))
    split: list[Formula] = []
    while _branches(And(tuple(parts))) > MAX_BRANCHES:
        choices = [part for part in parts if isinstance(part, Or)]
        whole = [part for part in choices if part not in split]
        if not whole and _branches(And(tuple(parts))) <= MAX_FLAT:
            break
        # Best an `or` that needs no other to bind its variables: as a relation it can bind theirs.
        chosen = max(whole or choices, key=lambda part: (not _tested(part, parts), _branches(part)))
        context = _context(chosen, parts)
        relations: list[Atom] = []
        for shared, branches in _alike(chosen, parts, clause.head, together=not whole).items():
            relations.append(Atom(f"{AUXILIARY}{next(auxiliary)}", shared, chosen.span))
            for branch in branches:
                yield from _rules(Clause(relations[-1], (*context, branch), clause.span), auxiliary)
        split.append(relations[0] if len(relations) == 1 else Or(tuple(relations), chosen.span))
        parts[parts.index(chosen)] = split[-1]
    for literals in _literals(And(tuple(parts))):
        yield Rule(clause.head, tuple(dict.fromkeys(literals)), clause.span)


def _alike(chosen: Or, parts: list[Formula], head: Atom, together: bool) -> dict[tuple[Variable, ...], list[Formula]]:
    """Group the branches by the variables they share with the rest of the clause; a group fits one relation."""
    outside = _used([head, *(part for part in parts if part is not chosen)])
    groups: dict[tuple[Variable, ...], list[Formula]] = {}
    for branch in _flat(chosen):
        shared = _used([chosen if together else branch]) & outside
        groups.setdefault(tuple(sorted(shared)), []).append(branch)
    return groups


def _flat(formula: Or) -> list[Formula]:
    """Return the branches with `or` inside them distributed, unless these are too many."""
    if _branches(formula) > MAX_FLAT:
        return list(formula.parts)
    return [
        And(tuple(literal.atom if literal.positive else Not(literal.atom) for literal in literals))
        for literals in _literals(formula)
    ]


def _context(chosen: Or, parts: list[Formula]) -> list[Formula]:
    """Return the conditions that bind the variables a branch only tests; they hold wherever the relation is used."""
    tested = _tested(chosen, parts)
    others = [part for part in parts if isinstance(part, Or) and part is not chosen]
    context = [part for part in parts if _is_condition(part)]
    while helpful := [part for part in others if tested & bound_variables(part)]:
        context += helpful
        others = [part for part in others if part not in helpful]
        tested = tested.union(*(_tested(part, parts) for part in helpful))
    return context


def _is_condition(part: Formula) -> bool:
    return isinstance(part, Atom) and part.name != "distinct"


def _tested(part: Or, parts: list[Formula]) -> frozenset[Variable]:
    """Return the variables that some branch mentions and neither binds itself nor has bound by a single condition."""
    conditions = And(tuple(other for other in parts if _is_condition(other)))
    loose = (_used([branch]) - bound_variables(branch) for branch in _flat(part))
    return frozenset[Variable]().union(*loose) - bound_variables(conditions)


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    """Yield the conjuncts, with negations moved inwards to the atoms and nested `and` flattened."""
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
    """Return the number of conjunctions after distributing `or`."""
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
