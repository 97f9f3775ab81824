"""What the checks look at: a rule sheet with its atoms indexed, and a way to point at places in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ludens.errors import Finding
from ludens.gdl.formulas import Atom, Clause, Signature, atoms
from ludens.gdl.printer import infix_term
from ludens.gdl.reading import shown
from ludens.gdl.rules import Rules
from ludens.gdl.source import Span
from ludens.gdl.terms import Term, Variable, term_text, variables
from ludens.gdl.validate.codes import SEVERITIES
from ludens.gdl.validate.examples import in_infix
from ludens.gdl.validate.instances import PLAY

BUILT_IN: frozenset[Signature] = PLAY | {("distinct", 2)}
"""Relations that hold without any rule for them."""

LONGEST = 200
"""How many characters of a term a message shows."""
MAX_CHAIN = 12
"""How many relations of a chain a message shows."""
SEARCHED = 2000
"""How many characters of an atom are searched for a word, to point at it."""
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
        """A term or atom in the author's spelling, between backquotes; cut when it is very long."""
        if isinstance(term, Atom):
            term = (term.name, *term.args) if term.args else term.name
        write = infix_term if self.is_infix else term_text
        text = write(term, self.rules.spelling)
        for variable in variables(term):
            if self._is_anonymous(variable):
                text = re.sub(rf"\b{re.escape(variable.name)}\b", "_", text)
        return f"`{shown(text, LONGEST)}`"

    def _is_anonymous(self, variable: Variable) -> bool:
        """Whether the author wrote `_`, for which the reader of infix syntax makes up a name."""
        return self.is_infix and str(variable) not in self.rules.spelling

    @cached_property
    def is_infix(self) -> bool:
        """Whether the text is in infix syntax, where no clause starts with a parenthesis."""
        first = [self.source_text(clause.span)[:1] for clause in self.clauses]
        return any(first) and "(" not in first

    def chain(self, names: list[str]) -> str:
        """`a -> b -> c` in the author's spelling, without the middle of a very long chain."""
        words = [self.rules.spelling.get(name, name) for name in names]
        half = MAX_CHAIN // 2
        return " -> ".join(words if len(words) <= MAX_CHAIN else [*words[:half], "...", *words[-half:]])

    def source_text(self, span: Span | None) -> str:
        """The text at a place, empty when there is none."""
        source = self.rules.source
        return source.text[span.start : span.end] if source and span else ""

    def span_of(self, word: str | Variable, atom: Atom) -> Span | None:
        """Where a word stands inside an atom; the atom itself if that cannot be said."""
        folded = str(word)
        spelled = self.rules.spelling.get(folded, folded)
        if self.is_infix:
            anonymous = isinstance(word, Variable) and self._is_anonymous(word)
            spelled = "_" if anonymous else spelled.removeprefix("?")
        pattern = rf"(?<![^{_WORD_ENDS}]){re.escape(spelled)}(?![^{_WORD_ENDS}])"
        match = re.search(pattern, self.source_text(atom.span)[:SEARCHED], 0 if self.is_infix else re.IGNORECASE)
        if not match or not atom.span:
            return atom.span
        return Span(atom.span.start + match.start(), atom.span.start + match.end())

    def finding(self, code: str, span: Span | None, message: str, remedy: str) -> Finding:
        """A finding with the severity of its code; with a place if the rules come from a text.

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
    """A name is used with a number of arguments with which it never becomes what it is used as."""
    name, arity = used
    numbers = " or ".join(map(str, sorted(known)))
    return sheet.finding(
        "arity-clash",
        atom.span,
        f"{sheet.text(name)} has {counted(arity, 'argument')} here, but it is only {how} with {numbers}",
        f"use the same number of arguments; with another number it is another {kind}",
    )


def clause_atoms(clause: Clause) -> Iterator[Atom]:
    """The head, then the atoms of the body in the order of the text."""
    yield clause.head
    for part in clause.body:
        for atom, _ in atoms(part):
            yield atom


def printable(text: str) -> str:
    """The text without characters that would change how the rest of a line is shown.

    >>> printable("a\\u202eb")
    'a\ufffdb'
    """
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def counted(number: int, noun: str) -> str:
    """`1 rule`, `3 rules`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(words: list[str], most: int = 5) -> str:
    """`a, b and c`, with the number of those left out."""
    if len(words) > most:
        return f"{', '.join(words[:most])} and {len(words) - most} more"
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
