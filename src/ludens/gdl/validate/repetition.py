"""Clauses that occur twice."""

from __future__ import annotations

from collections.abc import Iterator

from ludens.errors import Finding
from ludens.gdl.printer import kif_clause
from ludens.gdl.validate.sheet import Sheet, clause_atoms


def check_duplicate_clauses(sheet: Sheet) -> Iterator[Finding]:
    """A clause that occurs twice, up to the names of its variables, adds nothing."""
    seen: set[str] = set()
    for clause in sheet.clauses:
        names: dict[str, str] = {}
        for atom in clause_atoms(clause):
            for variable in atom.variables():
                names.setdefault(str(variable), f"?{len(names)}")
        text = kif_clause(clause, names)
        if text in seen:
            message = f"this clause for {sheet.text(clause.head)} repeats an earlier one"
            yield sheet.finding("duplicate-clause", clause.span, message, "remove it")
        seen.add(text)
