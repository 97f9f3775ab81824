"""`Rules`: a rule sheet that has been read, the value that everything else starts from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from html import escape
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
        """Read a rule sheet; raise GdlSyntaxError with all its errors.

        >>> Rules.parse("(role me)").roles
        ('me',)
        """
        if isinstance(text, bytes):
            return cls.from_source(Source.from_bytes(text, name, limits), syntax)
        return cls.from_source(Source(text, name, limits or ReadingLimits()).checked(), syntax)

    @classmethod
    def read(cls, path: str | Path, syntax: Syntax = "auto", limits: ReadingLimits | None = None) -> Rules:
        """Read a rule sheet from a file.

        >>> Rules.read("missing.kif")
        Traceback (most recent call last):
            ...
        FileNotFoundError: [Errno 2] No such file or directory: 'missing.kif'
        """
        return cls.from_source(Source.from_path(path, limits), syntax)

    @classmethod
    def from_source(cls, source: Source, syntax: Syntax = "auto") -> Rules:
        """Read a rule sheet from a source, which names the places of findings.

        >>> Rules.from_source(Source("(role me)", "sheet.kif")).roles
        ('me',)
        """
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

    def _repr_html_(self) -> str:
        """Show the clauses in notebooks, folded."""
        summary = f"{', '.join(self.roles) or 'nobody'}: {len(self.clauses)} clauses"
        return f"<details><summary>Rules of {escape(summary)}</summary><pre>{escape(self.to_kif())}</pre></details>"

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.clauses, dict(self.spelling), self.source)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """All clauses as plain rules: no `or`, and `not` only before atoms.

        >>> len(Rules.parse("(<= a (or b c)) b").rules)
        3
        """
        return plain_rules(self.clauses)

    @cached_property
    def relations(self) -> Mapping[Signature, tuple[Rule, ...]]:
        """The rules of each relation that some rule defines.

        >>> list(Rules.parse("(role me) (legal me go)").relations)
        [('role', 1), ('legal', 2)]
        """
        index: dict[Signature, list[Rule]] = {}
        for rule in self.rules:
            index.setdefault(rule.head.signature, []).append(rule)
        return MappingProxyType({signature: tuple(rules) for signature, rules in index.items()})

    def rules_for(self, name: str, arity: int | None = None) -> tuple[Rule, ...]:
        """Return the rules that define a relation, of one arity or of any.

        >>> len(Rules.parse("(role me) (role you)").rules_for("role"))
        2
        """
        name = name.lower()
        return tuple(
            rule
            for (relation, size), rules in self.relations.items()
            if relation == name and arity in (None, size)
            for rule in rules
        )

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The roles in the order of the sheet, which is the order of joint moves.

        >>> Rules.parse("(role me) (role you)").roles
        ('me', 'you')
        """
        facts = (rule.head.args[0] for rule in self.rules_for("role", 1) if not rule.body)
        return tuple(dict.fromkeys(role for role in facts if isinstance(role, str)))

    @cached_property
    def dependencies(self) -> DependencyGraph:
        """The dependencies between relations.

        >>> sorted(Rules.parse("(<= a b) b").dependencies.uses(("a", 0)))
        [('b', 0)]
        """
        return DependencyGraph.of(self.rules)

    @property
    def strata(self) -> Mapping[Signature, int]:
        """For each relation, the number of layers of negation below it.

        >>> Rules.parse("(<= a (not b)) b").strata[("a", 0)]
        1
        """
        return self.dependencies.strata

    @cached_property
    def digest(self) -> str:
        """A name for the game itself: the same for any layout, case, names of variables and order of clauses.

        >>> Rules.parse("(role me) (p ?x)").digest == Rules.parse("(P ?y) (role me)").digest
        True
        """
        facts = [Clause(Atom("role", (role,))) for role in self.roles]
        others = {kif_clause(with_numbered_variables(clause)) for clause in self.clauses if clause not in facts}
        lines = [*map(kif_clause, facts), *sorted(others)]
        return hashlib.sha256("\n".join(lines).encode(errors="surrogatepass")).hexdigest()

    def validate(self) -> list[Finding]:
        """Return the findings of the validator, errors first.

        >>> [finding.code for finding in Rules.parse("(role me) (<= (p ?x) (not (q ?x)))").validate()][:1]
        ['no-legal']
        """
        findings: list[Finding] = load_object("ludens.gdl.validate:validate")(self)
        return findings

    def to_kif(self) -> str:
        """Return the clauses in KIF, in the author's spelling, without comments.

        >>> Rules.parse("(role Me) ; a comment").to_kif()
        '(role Me)\\n'
        """
        return kif_text(self.clauses, self.spelling)

    def to_infix(self) -> str:
        """Return the clauses in infix syntax.

        >>> Rules.parse("(<= a (true b))").to_infix()
        'a :- true(b)\\n'
        """
        return infix_text(self.clauses, self.spelling)
