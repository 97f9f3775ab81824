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
        atoms: dict[Variable, Atom] = {}
        for variable, atom in _unsafe(clause):
            atoms.setdefault(variable, atom)
        mentioned = _mentioned(And(clause.body)) if atoms else _NONE
        for variable, atom in atoms.items():
            yield _unsafe_variable(sheet, clause, variable, atom, variable in mentioned)


def _unsafe_variable(sheet: Sheet, clause: Clause, variable: Variable, atom: Atom, bound_somewhere: bool) -> Finding:
    name = sheet.text(variable)
    if not clause.body:
        message, remedy = f"the fact has the variable {name}", "a fact names objects; add conditions to make it a rule"
    else:
        where = "of the head" if atom is clause.head else "under `distinct`" if atom.name == "distinct" else "negated"
        why = "is bound only in some branches of `or`" if bound_somewhere else "is bound by no positive condition"
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
    """Yield the variables that are only tested, with the atoms that test them, given those bound around the formula."""
    if isinstance(formula, Not):
        yield from _unbound(formula.body, not positive, bound)
    elif isinstance(formula, Atom):
        if not positive or formula.name == "distinct":
            yield from ((variable, formula) for variable in formula.variables() if variable not in bound)
    else:
        together = _is_conjunction(formula, positive)
        shared = bound | bound_variables(formula, positive) if together else bound
        for part in formula.parts:
            # An atom binds nothing that it only tests.
            alone = together or isinstance(part, Atom)
            yield from _unbound(part, positive, shared if alone else shared | bound_variables(part, positive))


def _mentioned(formula: Formula, positive: bool = True) -> Variables:
    """Return the variables of positive conditions anywhere in the formula."""
    if isinstance(formula, Atom):
        return bound_variables(formula, positive)
    if isinstance(formula, Not):
        return _mentioned(formula.body, not positive)
    return _NONE.union(*(_mentioned(part, positive) for part in formula.parts))
