"""Parts shared by both readers: the outcome of reading, and the collection of errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from sys import intern

from ludens.errors import Finding, GdlSyntaxError
from ludens.gdl.formulas import Clause, alternatives
from ludens.gdl.source import Source, Span

CONNECTIVES = frozenset({"<=", "=>", "not", "or", "and"})
"""Words that join formulas, and so can name neither a relation nor a function."""


@dataclass
class Reading:
    """The outcome of reading a source: clauses, spellings and findings."""

    source: Source
    clauses: list[Clause] = field(default_factory=list)
    spelling: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def report(self, code: str, span: Span, message: str, remedy: str = "") -> None:
        """Record an error; after too many of them raise GdlSyntaxError."""
        self.findings.append(self.source.finding(code, span, message, remedy))
        limit = self.source.limits.max_findings
        if len(self.findings) >= limit:
            more = Finding("more-errors", "error", f"reading stopped after {limit} errors", "mend these first")
            raise GdlSyntaxError([*self._ordered(), more])

    def symbol(self, text: str) -> str:
        """Return the folded form of a symbol; its first spelling is kept."""
        folded = intern(text.lower())
        self.spelling.setdefault(folded, text)
        return folded

    def finish(self) -> Reading:
        """Return this reading; raise GdlSyntaxError with all errors, in the order of the text, if there are any."""
        for clause in self.clauses:
            self._check_alternatives(clause)
        if self.findings:
            raise GdlSyntaxError(self._ordered())
        return self

    def _check_alternatives(self, clause: Clause) -> None:
        limit = self.source.limits.max_alternatives
        if clause.span and sum(map(alternatives, clause.body)) > limit:
            self.report(
                "too-many-alternatives",
                clause.span,
                f"more than {limit} times `or` in one rule",
                "give some of the alternatives a relation of their own",
            )

    def _ordered(self) -> list[Finding]:
        return sorted(
            self.findings, key=lambda found: (found.place.line, found.place.column) if found.place else (0, 0)
        )


def long_symbol(length: int, limit: int) -> str:
    """Return the message for a symbol over the limit."""
    return f"a symbol of {length:,} characters; at most {limit:,} are allowed"


def many_tokens(limit: int) -> str:
    """Return the message for a sheet over the limit."""
    return f"more than {limit:,} words and parentheses"


def shown(text: str, length: int = 40) -> str:
    """Return a symbol for a message, cut when it is very long."""
    return text if len(text) <= length else text[:length] + "..."
