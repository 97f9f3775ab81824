"""Facts and moves: those that rules ask for, those that can come about, and those that are declared."""

from __future__ import annotations

from collections.abc import Iterator

from ludens.errors import Finding
from ludens.gdl.formulas import Atom
from ludens.gdl.terms import Term, Variable
from ludens.gdl.validate.index import TermIndex
from ludens.gdl.validate.sheet import Sheet


def check_fluents(sheet: Sheet) -> Iterator[Finding]:
    """A fact that neither `init` nor `next` can give is never true."""
    sources = TermIndex(head.args[-1] for head in sheet.heads("init", 1) + sheet.heads("next", 1))
    for atom in _unmatched(sheet.used.get(("true", 1), []), sources):
        yield sheet.finding(
            "fluent-never-true",
            atom.span,
            f"no `init` or `next` can make {sheet.text(atom.args[-1])} true",
            "check its name and arguments, or add what makes it true",
        )


def check_moves(sheet: Sheet) -> Iterator[Finding]:
    """A move that no `legal` rule allows is never made."""
    sources = TermIndex(head.args[-1] for head in sheet.heads("legal", 2))
    for atom in _unmatched(sheet.used.get(("does", 2), []), sources):
        yield sheet.finding(
            "move-never-legal",
            atom.span,
            f"no `legal` rule allows the move {sheet.text(atom.args[-1])}",
            "check its name and arguments, or make it legal",
        )


def check_base(sheet: Sheet) -> Iterator[Finding]:
    """Where `base` is given, it lists every fact that can come about."""
    declared = TermIndex(head.args[-1] for head in sheet.heads("base", 1))
    if declared.terms:
        for atom in _unmatched(sheet.heads("init", 1) + sheet.heads("next", 1), declared):
            yield sheet.finding(
                "fluent-not-in-base",
                atom.span,
                f"`{atom.name}` gives {sheet.text(atom.args[-1])}, which no `base` declares",
                "declare it with `base`, or correct its name and arguments",
            )


def check_input(sheet: Sheet) -> Iterator[Finding]:
    """Where `input` is given, it lists every move that can be legal."""
    declared = TermIndex(head.args[-1] for head in sheet.heads("input", 2))
    if declared.terms:
        for atom in _unmatched(sheet.heads("legal", 2), declared):
            yield sheet.finding(
                "move-not-in-input",
                atom.span,
                f"`legal` allows {sheet.text(atom.args[-1])}, which no `input` declares",
                "declare it with `input`, or correct its name and arguments",
            )


def _unmatched(atoms: list[Atom], declared: TermIndex) -> Iterator[Atom]:
    """The atoms whose last argument matches no declared term; of an unknown name, only the first."""
    reported: set[Term] = set()
    for atom in atoms:
        term = atom.args[-1]
        if isinstance(term, Variable) or declared.has_match(term):
            continue
        kind = term if declared.has_shape(term) else term[0] if isinstance(term, tuple) else term
        if kind not in reported:
            reported.add(kind)
            yield atom
