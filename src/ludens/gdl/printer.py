"""Printing clauses: KIF, and the infix syntax. Reading what is printed gives the same clauses."""

from __future__ import annotations

from collections.abc import Iterable

from ludens.gdl.formulas import And, Atom, Clause, Formula, Not, Or
from ludens.gdl.infix import is_bare_name, is_bare_variable, needs_quotes_as_variable, quoted
from ludens.gdl.terms import Spelling, Term, Variable, term_text

WIDTH = 88
"""Rules up to this many characters stay on one line."""


def kif_text(clauses: Iterable[Clause], spelling: Spelling | None = None) -> str:
    """Return all clauses in KIF, one to a line, longer rules with one condition to a line."""
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


def infix_text(clauses: Iterable[Clause], spelling: Spelling | None = None) -> str:
    """Return all clauses in infix syntax, one to a line, longer rules with one condition to a line."""
    return "".join(infix_clause(clause, spelling) + "\n" for clause in clauses)


def infix_clause(clause: Clause, spelling: Spelling | None = None) -> str:
    spelling = spelling or {}
    head = infix_formula(clause.head, spelling)
    if not clause.body:
        return head
    if len(clause.body) == 1 and isinstance(clause.body[0], Or) and len(clause.body[0].parts) > 1:
        parts, join = clause.body[0].parts, " |"
    else:
        parts, join = clause.body, " &"
    body = [_infix_part(part, spelling) for part in parts]
    line = f"{head} :- {(join + ' ').join(body)}"
    if len(line) <= WIDTH:
        return line
    return f"{head} :-\n  " + (join + "\n  ").join(body)


def infix_formula(formula: Formula, spelling: Spelling) -> str:
    """Return a formula, without parentheses around it. Joining fewer than two formulas needs the prefix form."""
    if isinstance(formula, Atom):
        return infix_term((formula.name, *formula.args) if formula.args else formula.name, spelling)
    if isinstance(formula, Not):
        return "~" + _infix_part(formula.body, spelling)
    if len(formula.parts) < 2:
        operator = "or" if isinstance(formula, Or) else "and"
        return f"{operator}({','.join(infix_formula(part, spelling) for part in formula.parts)})"
    return (" | " if isinstance(formula, Or) else " & ").join(_infix_part(part, spelling) for part in formula.parts)


def _infix_part(formula: Formula, spelling: Spelling) -> str:
    text = infix_formula(formula, spelling)
    return f"({text})" if isinstance(formula, And | Or) and len(formula.parts) > 1 else text


def infix_term(term: Term, spelling: Spelling) -> str:
    """Return a term in infix syntax, in the author's spelling as far as the syntax allows it.

    >>> infix_term(("plus", Variable("x"), Variable("n++"), "a<b"), {"?x": "?x", "plus": "Plus"})
    'plus(X,?"n++","a<b")'
    """
    if isinstance(term, tuple):
        name, *arguments = (infix_term(part, spelling) for part in term)
        return f"{name}({','.join(arguments)})"
    if isinstance(term, Variable):
        return _infix_variable(term, spelling)
    return _infix_constant(term, spelling)


def _infix_constant(symbol: str, spelling: Spelling) -> str:
    """Return a constant; names start in lower case here, so a capital letter of the author gives way."""
    text = spelling.get(symbol, symbol)
    uncapitalised = text.lower() if text.isupper() else text[:1].lower() + text[1:]
    for candidate in (text, uncapitalised):
        if is_bare_name(candidate) and candidate.lower() == symbol:
            return candidate
    return quoted(text)


def _infix_variable(variable: Variable, spelling: Spelling) -> str:
    text = spelling.get(str(variable), str(variable))[1:]
    for candidate in (text, text[:1].upper() + text[1:]):
        if is_bare_variable(candidate) and candidate.lower() == variable.name:
            return candidate
    return "?" + (quoted(text) if needs_quotes_as_variable(text) else text)
