"""Examples of rules in messages: written once in KIF, shown in the syntax of the sheet."""

from __future__ import annotations

import re

from ludens.gdl.formulas import Atom, Clause
from ludens.gdl.kif import ARROW, read_kif
from ludens.gdl.printer import infix_clause, infix_formula
from ludens.gdl.source import Source

_EXAMPLE = re.compile(r"`(\([^`]*)`")


def in_infix(text: str) -> str:
    """The text with the KIF between backquotes in infix syntax.

    >>> print(in_infix("add `(<= (legal ?p noop) (role ?p))`, not `(not (or a b))`; see `noop`"))
    add `legal(P,noop) :- role(P)`, not `~(a | b)`; see `noop`
    """
    return _EXAMPLE.sub(lambda found: f"`{_converted(found.group(1))}`", text)


def _converted(example: str) -> str:
    """Rules, facts, or conditions that hold together."""
    if example.startswith(f"({ARROW}"):
        return " ".join(map(infix_clause, _clauses(example)))
    (clause,) = _clauses(f"({ARROW} example {example})")
    mark = " " if all(isinstance(part, Atom) for part in clause.body) else " & "
    return mark.join(infix_formula(part, {}) for part in clause.body)


def _clauses(text: str) -> list[Clause]:
    return read_kif(Source(text)).clauses
