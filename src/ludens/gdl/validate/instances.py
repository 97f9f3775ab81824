"""Instances of rules: what their variables can stand for, as far as the facts of a sheet tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ludens.gdl.formulas import Atom, Literal, Rule, Signature
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, Variable, is_ground, substitute

Row = tuple[Term, ...]
Binding = dict[Variable, Term]
MAX_WORK = 50_000
"""How many facts are looked at for one rule before it is left as it is."""

PLAY: frozenset[Signature] = frozenset({("true", 1), ("does", 2)})
"""What only play can tell."""


class FactTables:
    """The relations that facts define, be it through rules without recursion; with all their rows."""

    def __init__(self, rules: Rules, asked: Iterable[Rule]) -> None:
        """Work out the relations in the bodies of the rules that are asked for."""
        self.tables: dict[Signature, list[Row]] = {}
        needed: set[Signature] = set()
        for relation in {literal.atom.signature for rule in asked for literal in rule.body}:
            below = rules.dependencies.reachable([relation])
            if below.isdisjoint(PLAY):
                needed |= below
        for relation in (node for component in rules.dependencies.components for node in component if node in needed):
            rows = [self._rows(rule) for rule in rules.relations.get(relation, ())]
            if rows and None not in rows:
                self.tables[relation] = list(dict.fromkeys(row for part in rows for row in part or ()))

    def _rows(self, rule: Rule) -> list[Row] | None:
        """What a rule derives, if that follows from tables that are known already."""
        if not all(self.decides(literal) for literal in rule.body):
            return None
        bindings = self.bindings(rule.body, dict.fromkeys(rule.head.variables()))
        rows = [instantiated(rule.head, binding).args for binding in bindings or ()]
        return rows if bindings is not None and all(is_ground(term) for row in rows for term in row) else None

    def decides(self, literal: Literal) -> bool:
        """Whether the facts alone say when the literal holds."""
        return literal.atom.signature in self.tables or literal.atom.name == "distinct"

    def bindings(self, literals: Iterable[Literal], wanted: Iterable[Variable]) -> list[Binding] | None:
        """What the wanted variables can be where the literals hold; None when there is too much to look at.

        Literals that the facts do not decide are taken to hold, so these are at least all possible values.
        """
        decided = [literal for literal in literals if self.decides(literal)]
        names = list(wanted)
        found: dict[Row, Binding] = {}
        try:
            for binding in _Join(self.tables).extensions(decided, {}):
                key = tuple(binding.get(variable, variable) for variable in names)
                found.setdefault(key, {variable: binding[variable] for variable in names if variable in binding})
        except _TooMuchWorkError:
            return None
        return list(found.values())


class _TooMuchWorkError(Exception):
    pass


@dataclass
class _Join:
    """One search for the ways in which some literals hold; it counts the facts it looks at."""

    tables: dict[Signature, list[Row]]
    left: int = MAX_WORK

    def extensions(self, literals: list[Literal], binding: Binding) -> Iterator[Binding]:
        """The binding in all ways in which the literals hold."""
        if any(self._fails(literal, binding) for literal in literals if _is_test(literal)):
            return
        generators = [literal for literal in literals if not _is_test(literal)]
        if not generators:
            yield binding
            return
        chosen = max(generators, key=lambda literal: sum(variable in binding for variable in literal.atom.variables()))
        rest = [literal for literal in literals if literal is not chosen]
        for row in self.tables[chosen.atom.signature]:
            self.left -= 1
            if not self.left:
                raise _TooMuchWorkError
            extended = _match(chosen.atom.args, row, binding)
            if extended is not None:
                yield from self.extensions(rest, extended)

    def _fails(self, literal: Literal, binding: Binding) -> bool:
        """Whether a test certainly fails: all its variables have values, and they do not pass."""
        args = tuple(substitute(argument, binding) for argument in literal.atom.args)
        if not all(map(is_ground, args)):
            return False
        if literal.atom.name == "distinct":
            return (args[0] != args[1]) != literal.positive
        return args in self.tables[literal.atom.signature]


def _is_test(literal: Literal) -> bool:
    return not literal.positive or literal.atom.name == "distinct"


def _match(patterns: Row, row: Row, binding: Binding) -> Binding | None:
    """The binding extended such that the patterns are the row."""
    extended = dict(binding)
    todo = list(zip(patterns, row, strict=True))
    while todo:
        pattern, value = todo.pop()
        if isinstance(pattern, Variable):
            if extended.setdefault(pattern, value) != value:
                return None
        elif isinstance(pattern, tuple) and isinstance(value, tuple):
            if len(pattern) != len(value) or pattern[0] != value[0]:
                return None
            todo.extend(zip(pattern[1:], value[1:], strict=True))
        elif pattern != value:
            return None
    return extended


def connected(literals: Iterable[Literal], wanted: set[Variable]) -> list[Literal]:
    """The literals that mention a wanted variable; others say little about its values."""
    return [literal for literal in literals if wanted & set(literal.atom.variables())]


def instantiated(atom: Atom, binding: Binding) -> Atom:
    return Atom(atom.name, tuple(substitute(argument, binding) for argument in atom.args), atom.span)
