"""`Rules`: a rule sheet that has been read, the value that everything else starts from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Literal as OneOf

from ludens.errors import Finding
from ludens.gdl.dependencies import DependencyGraph
from ludens.gdl.formulas import Atom, Clause, Rule, Signature, with_numbered_variables
from ludens.gdl.infix import looks_infix, read_infix
from ludens.gdl.kif import read_kif
from ludens.gdl.printer import infix_text, kif_clause, kif_text
from ludens.gdl.rewrite import plain_rules
from ludens.gdl.source import ReadingLimits, Source
from ludens.gdl.terms import Spelling
from ludens.runtime.lazy import load_object

Syntax = OneOf["auto", "kif", "infix"]


class Rules:
    """The rules of a game: clauses as written, and everything that follows from them.

    Two `Rules` are equal when their clauses are, whatever their layout, comments or case.

    >>> rules = Rules.parse("(role me) (legal me go) (<= terminal (true done)) (<= (next done) (does me go))")
    >>> rules.roles
    ('me',)
    >>> [str(rule) for rule in rules.rules_for("next")]
    ['(<= (next done) (does me go))']
    """

    def __init__(
        self, clauses: Iterable[Clause], spelling: Spelling | None = None, source: Source | None = None
    ) -> None:
        self.clauses: tuple[Clause, ...] = tuple(clauses)
        self.spelling: Spelling = MappingProxyType(dict(spelling or {}))
        self.source = source

    @classmethod
    def parse(
        cls, text: str | bytes, name: str = "<text>", syntax: Syntax = "auto", limits: ReadingLimits | None = None
    ) -> Rules:
        """Read a rule sheet; GdlSyntaxError tells all that is wrong with it."""
        if isinstance(text, bytes):
            return cls.from_source(Source.from_bytes(text, name, limits), syntax)
        return cls.from_source(Source(text, name, limits or ReadingLimits()).checked(), syntax)

    @classmethod
    def read(cls, path: str | Path, syntax: Syntax = "auto", limits: ReadingLimits | None = None) -> Rules:
        """Read a rule sheet from a file."""
        return cls.from_source(Source.from_path(path, limits), syntax)

    @classmethod
    def from_source(cls, source: Source, syntax: Syntax = "auto") -> Rules:
        if syntax == "auto":
            syntax = "infix" if looks_infix(source.text) else "kif"
        reading = read_infix(source) if syntax == "infix" else read_kif(source)
        return cls(reading.clauses, reading.spelling, source)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rules) and self.clauses == other.clauses

    def __hash__(self) -> int:
        return hash(self.clauses)

    def __repr__(self) -> str:
        return f"<Rules of {', '.join(self.roles) or 'nobody'}: {len(self.clauses)} clauses, {self.digest[:12]}>"

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.clauses, dict(self.spelling), self.source)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """All clauses as plain rules."""
        return plain_rules(self.clauses)

    @cached_property
    def relations(self) -> Mapping[Signature, tuple[Rule, ...]]:
        """The rules of each relation that some rule defines."""
        index: dict[Signature, list[Rule]] = {}
        for rule in self.rules:
            index.setdefault(rule.head.signature, []).append(rule)
        return MappingProxyType({signature: tuple(rules) for signature, rules in index.items()})

    def rules_for(self, name: str, arity: int | None = None) -> tuple[Rule, ...]:
        """The rules that define a relation, of one arity or of any."""
        name = name.lower()
        return tuple(
            rule
            for (relation, size), rules in self.relations.items()
            if relation == name and arity in (None, size)
            for rule in rules
        )

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The roles in the order of the sheet, which is the order of joint moves."""
        facts = (rule.head.args[0] for rule in self.rules_for("role", 1) if not rule.body)
        return tuple(dict.fromkeys(role for role in facts if isinstance(role, str)))

    @cached_property
    def dependencies(self) -> DependencyGraph:
        return DependencyGraph.of(self.rules)

    @property
    def strata(self) -> Mapping[Signature, int]:
        """For each relation, the number of layers of negation below it."""
        return self.dependencies.strata

    @cached_property
    def digest(self) -> str:
        """A name for the game itself: the same for any layout, case, names of variables and order of clauses."""
        facts = [Clause(Atom("role", (role,))) for role in self.roles]
        others = {kif_clause(with_numbered_variables(clause)) for clause in self.clauses if clause not in facts}
        lines = [*map(kif_clause, facts), *sorted(others)]
        return hashlib.sha256("\n".join(lines).encode(errors="surrogatepass")).hexdigest()

    def validate(self) -> list[Finding]:
        """All that breaks the language or looks odd, errors first."""
        findings: list[Finding] = load_object("ludens.gdl.validate:validate")(self)
        return findings

    def to_kif(self) -> str:
        """The clauses in KIF, in the author's spelling, without comments."""
        return kif_text(self.clauses, self.spelling)

    def to_infix(self) -> str:
        """The clauses in infix syntax."""
        return infix_text(self.clauses, self.spelling)
