"""Printing clauses: KIF, and the infix syntax."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ludens.gdl.formulas import And, Atom, Clause, Formula, Not, Or
from ludens.gdl.terms import Spelling, Term, term_text

WIDTH = 88


def kif_text(clauses: Iterable[Clause], spelling: Spelling | None = None) -> str:
    """All clauses in KIF, one to a line, longer rules with one condition to a line."""
    return "".join(kif_clause(clause, spelling) + "\n" for clause in clauses)


def kif_clause(clause: Clause, spelling: Spelling | None = None) -> str:
    head = kif_formula(clause.head, spelling)
    if not clause.body:
        return head
    body = [kif_formula(part, spelling) for part in clause.body]
    line = f"(<= {head} {' '.join(body)})"
    if len(line) <= WIDTH:
        return line
    return f"(<= {head}\n    " + "\n    ".join(body) + ")"


def kif_formula(formula: Formula, spelling: Spelling | None = None) -> str:
    if isinstance(formula, Atom):
        return term_text((formula.name, *formula.args) if formula.args else formula.name, spelling)
    if isinstance(formula, Not):
        return f"(not {kif_formula(formula.body, spelling)})"
    operator = "or" if isinstance(formula, Or) else "and"
    return " ".join([f"({operator}", *(kif_formula(part, spelling) for part in formula.parts)]) + ")"
def infix_text(*a): ...
