"""The view of a rule sheet that the checks share: its atoms indexed, and findings with their places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ludens.errors import Finding
from ludens.gdl.formulas import Atom, Clause, Signature, atoms
from ludens.gdl.kif import ARROW, read_kif
from ludens.gdl.printer import infix_clause, infix_formula, infix_term
from ludens.gdl.reading import shown
from ludens.gdl.rules import Rules
from ludens.gdl.source import Source, Span
from ludens.gdl.terms import Term, Variable, term_text, variables
from ludens.gdl.validate.codes import SEVERITIES
from ludens.gdl.validate.fact_tables import PLAY
from ludens.printable import printable

BUILT_IN: frozenset[Signature] = PLAY | {("distinct", 2)}
"""Relations that hold without any rule for them."""

MAX_TEXT = 200
"""The limit on the characters of a term in a message."""
MAX_CHAIN = 12
"""The limit on the relations of a chain in a message."""
MAX_SEARCHED = 2000
"""The limit on the characters of an atom that are searched for the place of a word."""
_WORD_ENDS = r"\s(),&|~:"
_EXAMPLE = re.compile(r"`(\([^`]*)`")


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
        """Yield the heads of all clauses and the atoms of their bodies."""
        for clause in self.clauses:
            yield clause.head
        for _, atom in self.body_atoms:
            yield atom

    def heads(self, name: str, arity: int) -> list[Atom]:
        return [clause.head for clause in self.defined.get((name, arity), [])]

    def text(self, term: Term | Atom) -> str:
        """Return a term or atom in the author's spelling, between backquotes; cut when it is very long."""
        if isinstance(term, Atom):
            term = (term.name, *term.args) if term.args else term.name
        write = infix_term if self.is_infix else term_text
        text = write(term, self.rules.spelling)
        for variable in variables(term):
            if self._is_anonymous(variable):
                text = re.sub(rf"\b{re.escape(variable.name)}\b", "_", text)
        return f"`{shown(text, MAX_TEXT)}`"

    def _is_anonymous(self, variable: Variable) -> bool:
        """Return whether the author wrote `_`, for which the reader of infix syntax makes up a name."""
        return self.is_infix and str(variable) not in self.rules.spelling

    @cached_property
    def is_infix(self) -> bool:
        """Whether the text is in infix syntax, where no clause starts with a parenthesis."""
        first = [self.source_text(clause.span)[:1] for clause in self.clauses]
        return any(first) and "(" not in first

    def chain(self, names: list[str]) -> str:
        """Return `a -> b -> c` in the author's spelling, without the middle of a very long chain."""
        words = [self.rules.spelling.get(name, name) for name in names]
        half = MAX_CHAIN // 2
        return " -> ".join(words if len(words) <= MAX_CHAIN else [*words[:half], "...", *words[-half:]])

    def source_text(self, span: Span | None) -> str:
        """Return the text at a place, empty when there is none."""
        source = self.rules.source
        return source.text[span.start : span.end] if source and span else ""

    def span_of(self, word: str | Variable, atom: Atom) -> Span | None:
        """Return the place of a word inside an atom; that of the atom if it is not found."""
        folded = str(word)
        spelled = self.rules.spelling.get(folded, folded)
        if self.is_infix:
            anonymous = isinstance(word, Variable) and self._is_anonymous(word)
            spelled = "_" if anonymous else spelled.removeprefix("?")
        pattern = rf"(?<![^{_WORD_ENDS}]){re.escape(spelled)}(?![^{_WORD_ENDS}])"
        match = re.search(pattern, self.source_text(atom.span)[:MAX_SEARCHED], 0 if self.is_infix else re.IGNORECASE)
        if not match or not atom.span:
            return atom.span
        return Span(atom.span.start + match.start(), atom.span.start + match.end())

    def finding(self, code: str, span: Span | None, message: str, remedy: str) -> Finding:
        """Return a finding with the severity of its code; with a place if the rules come from a text.

        Examples of what to write are given in KIF; the author of an infix sheet gets them in infix syntax.
        """
        severity = SEVERITIES[code]
        if self.is_infix:
            message, remedy = in_infix(message), in_infix(remedy)
        message, remedy = printable(message), printable(remedy)
        if self.rules.source:
            return self.rules.source.finding(code, span, message, remedy, severity)
        return Finding(code, severity, message, remedy)


def clash(sheet: Sheet, atom: Atom, used: Signature, known: Iterable[int], how: str, kind: str) -> Finding:
    """Return the finding for a name with a number of arguments with which it is never defined."""
    name, arity = used
    numbers = " or ".join(map(str, sorted(known)))
    return sheet.finding(
        "arity-clash",
        atom.span,
        f"{sheet.text(name)} has {counted(arity, 'argument')} here, but it is only {how} with {numbers}",
        f"use the same number of arguments; with another number it is another {kind}",
    )


def clause_atoms(clause: Clause) -> Iterator[Atom]:
    """Yield the head, then the atoms of the body in the order of the text."""
    yield clause.head
    for part in clause.body:
        for atom, _ in atoms(part):
            yield atom


def counted(number: int, noun: str) -> str:
    """Return `1 rule`, `3 rules`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(words: list[str], most: int = 5) -> str:
    """Return `a, b and c`, with the number of those left out."""
    if len(words) > most:
        return f"{', '.join(words[:most])} and {len(words) - most} more"
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def in_infix(text: str) -> str:
    """Return the text with the KIF between backquotes in infix syntax.

    >>> print(in_infix("add `(<= (legal ?p noop) (role ?p))`, not `(not (or a b))`; see `noop`"))
    add `legal(P,noop) :- role(P)`, not `~(a | b)`; see `noop`
    """
    return _EXAMPLE.sub(lambda found: f"`{_converted(found.group(1))}`", text)


def _converted(example: str) -> str:
    """Convert rules, facts, or conditions that hold together."""
    if example.startswith(f"({ARROW}"):
        return " ".join(map(infix_clause, _clauses(example)))
    (clause,) = _clauses(f"({ARROW} example {example})")
    mark = " " if all(isinstance(part, Atom) for part in clause.body) else " & "
    return mark.join(infix_formula(part, {}) for part in clause.body)


def _clauses(text: str) -> list[Clause]:
    return read_kif(Source(text)).clauses
