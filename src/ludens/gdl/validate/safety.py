"""Safety: every variable gets its values from a condition that holds for finitely many of them."""

from __future__ import annotations

from collections.abc import Iterator

from ludens.errors import Finding
from ludens.gdl.formulas import And, Atom, Clause, Formula, Not, Or, bound_variables
from ludens.gdl.terms import Variable
from ludens.gdl.validate.sheet import Sheet

Variables = frozenset[Variable]
_NONE: Variables = frozenset()


def check_safety(sheet: Sheet) -> Iterator[Finding]:
    """Each variable of the head, of a negation and of `distinct` is bound by a positive condition."""
    for clause in sheet.clauses:
        reported: set[Variable] = set()
        for variable, atom in _unsafe(clause):
            if variable not in reported:
                reported.add(variable)
                yield _unsafe_variable(sheet, clause, variable, atom)


def _unsafe_variable(sheet: Sheet, clause: Clause, variable: Variable, atom: Atom) -> Finding:
    name = sheet.text(variable)
    if not clause.body:
        message, remedy = f"the fact has the variable {name}", "a fact names objects; add conditions to make it a rule"
    else:
        where = "of the head" if atom is clause.head else "under `distinct`" if atom.name == "distinct" else "negated"
        some = any(variable in _mentioned(part) for part in clause.body)
        why = "is bound only in some branches of `or`" if some else "is bound by no positive condition"
        message = f"the variable {name} {where} {why}"
        remedy = f"add a condition that lists the values of {name}"
    return sheet.finding("unsafe-variable", sheet.span_of(variable, atom), message, remedy)


def _unsafe(clause: Clause) -> Iterator[tuple[Variable, Atom]]:
    body = And(clause.body)
    bound = bound_variables(body)
    for variable in clause.head.variables():
        if variable not in bound:
            yield variable, clause.head
    yield from _unbound(body, True, _NONE)


def _is_conjunction(formula: And | Or, positive: bool) -> bool:
    """`and` is `or` under negation, and the reverse."""
    return isinstance(formula, And) == positive


def _unbound(formula: Formula, positive: bool, bound: Variables) -> Iterator[tuple[Variable, Atom]]:
    """The variables that are only tested, with the atoms that test them, given those bound around the formula."""
    if isinstance(formula, Not):
        yield from _unbound(formula.body, not positive, bound)
    elif isinstance(formula, Atom):
        if not positive or formula.name == "distinct":
            yield from ((variable, formula) for variable in formula.variables() if variable not in bound)
    else:
        shared = bound | bound_variables(formula, positive) if _is_conjunction(formula, positive) else bound
        for part in formula.parts:
            yield from _unbound(part, positive, shared | bound_variables(part, positive))


def _mentioned(formula: Formula, positive: bool = True) -> Variables:
    """The variables of positive conditions anywhere in the formula."""
    if isinstance(formula, Atom):
        return bound_variables(formula, positive)
    if isinstance(formula, Not):
        return _mentioned(formula.body, not positive)
    return _NONE.union(*(_mentioned(part, positive) for part in formula.parts))
