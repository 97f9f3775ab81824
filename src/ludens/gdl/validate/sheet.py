"""What the checks look at: a rule sheet with its atoms indexed, and a way to point at places in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ludens.errors import Finding
from ludens.gdl.formulas import Atom, Clause, Signature, atoms
from ludens.gdl.printer import infix_term
from ludens.gdl.rules import Rules
from ludens.gdl.source import Span
from ludens.gdl.terms import Term, Variable, term_text
from ludens.gdl.validate.codes import SEVERITIES
from ludens.gdl.validate.instances import PLAY

BUILT_IN: frozenset[Signature] = PLAY | {("distinct", 2)}
"""Relations that hold without any rule for them."""

_WORD_ENDS = r"\s(),&|~:"


@dataclass(frozen=True)
class Sheet:
    """A rule sheet as the checks see it."""

    rules: Rules

    @property
    def clauses(self) -> tuple[Clause, ...]:
        return self.rules.clauses

    @cached_property
    def defined(self) -> dict[Signature, list[Clause]]:
        """The clauses of each relation."""
        index: dict[Signature, list[Clause]] = {}
        for clause in self.clauses:
            index.setdefault(clause.head.signature, []).append(clause)
        return index

    @cached_property
    def used(self) -> dict[Signature, list[Atom]]:
        """The atoms of each relation in bodies."""
        index: dict[Signature, list[Atom]] = {}
        for _, atom in self.body_atoms:
            index.setdefault(atom.signature, []).append(atom)
        return index

    @cached_property
    def body_atoms(self) -> tuple[tuple[Clause, Atom], ...]:
        return tuple((clause, atom) for clause in self.clauses for part in clause.body for atom, _ in atoms(part))

    def all_atoms(self) -> Iterator[Atom]:
        """The heads of all clauses and the atoms of their bodies."""
        for clause in self.clauses:
            yield clause.head
        for _, atom in self.body_atoms:
            yield atom

    def heads(self, name: str, arity: int) -> list[Atom]:
        return [clause.head for clause in self.defined.get((name, arity), [])]

    def text(self, term: Term | Atom) -> str:
        """A term or atom in the author's spelling, between backquotes."""
        if isinstance(term, Atom):
            term = (term.name, *term.args) if term.args else term.name
        write = infix_term if self.is_infix else term_text
        return f"`{write(term, self.rules.spelling)}`"

    @cached_property
    def is_infix(self) -> bool:
        """Whether the text is in infix syntax, where no clause starts with a parenthesis."""
        return self.rules.source is not None and not any(
            self.source_text(clause.span).startswith("(") for clause in self.clauses
        )

    def chain(self, names: list[str]) -> str:
        """`a -> b -> c` in the author's spelling."""
        return " -> ".join(self.rules.spelling.get(name, name) for name in names)

    def source_text(self, span: Span | None) -> str:
        """The text at a place, empty when there is none."""
        source = self.rules.source
        return source.text[span.start : span.end] if source and span else ""

    def span_of(self, word: str | Variable, atom: Atom) -> Span | None:
        """Where a word stands inside an atom; the atom itself if that cannot be said."""
        folded = str(word)
        spelled = self.rules.spelling.get(folded, folded)
        if self.is_infix:
            spelled = spelled.removeprefix("?")
        pattern = rf"(?<![^{_WORD_ENDS}]){re.escape(spelled)}(?![^{_WORD_ENDS}])"
        match = re.search(pattern, self.source_text(atom.span), 0 if self.is_infix else re.IGNORECASE)
        if not match or not atom.span:
            return atom.span
        return Span(atom.span.start + match.start(), atom.span.start + match.end())

    def finding(self, code: str, span: Span | None, message: str, remedy: str) -> Finding:
        """A finding with the severity of its code; with a place if the rules come from a text."""
        severity = SEVERITIES[code]
        if self.rules.source:
            return self.rules.source.finding(code, span, message, remedy, severity)
        return Finding(code, severity, message, remedy)


def clause_atoms(clause: Clause) -> Iterator[Atom]:
    """The head, then the atoms of the body in the order of the text."""
    yield clause.head
    for part in clause.body:
        for atom, _ in atoms(part):
            yield atom


def counted(number: int, noun: str) -> str:
    """`1 rule`, `3 rules`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(words: list[str], most: int = 5) -> str:
    """`a, b and c`, with the number of those left out."""
    if len(words) > most:
        return f"{', '.join(words[:most])} and {len(words) - most} more"
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
