"""The domain graph: which argument positions share their words.

Two positions are connected when some rule has the same variable in both; positions that are connected, directly or
through others, have one domain: all constants that the rules write in any of them. It is a superset of the words that
really occur in each, but it tells what belongs together: an argument of a fluent, and the relation that orders it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ludens.gdl.domains import Position, argument_positions
from ludens.gdl.formulas import Rule, Signature
from ludens.gdl.terms import Term, Variable


@dataclass(frozen=True, slots=True)
class Domain:
    """Argument positions that are connected, and the constants written in them; both in the order of the sheet."""

    positions: tuple[Position, ...]
    words: tuple[str, ...]


@dataclass(frozen=True)
class DomainGraph:
    """The argument positions of a rule sheet, their neighbours, and the constants written in each.

    >>> from ludens.gdl.rules import Rules
    >>> rules = "(succ 0 1) (succ 1 2) (init (step 0)) (<= (next (step ?x)) (true (step ?y)) (succ ?y ?x))"
    >>> DomainGraph.of(Rules.parse(rules).rules).domain(("function", "step", 1, 0)).words
    ('0', '1', '2')
    """

    neighbours: Mapping[Position, frozenset[Position]]
    constants: Mapping[Position, tuple[str, ...]]

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> DomainGraph:
        neighbours: dict[Position, set[Position]] = {}
        constants: dict[Position, dict[str, None]] = {}
        for rule in rules:
            places: dict[Variable, list[Position]] = {}
            for position, term in rule_positions(rule):
                neighbours.setdefault(position, set())
                if isinstance(term, Variable):
                    places.setdefault(term, []).append(position)
                elif isinstance(term, str):
                    constants.setdefault(position, {}).setdefault(term)
            for connected in places.values():
                for position in connected:
                    neighbours[position].update(connected)
        return cls(
            {position: frozenset(others - {position}) for position, others in neighbours.items()},
            {position: tuple(words) for position, words in constants.items()},
        )

    @cached_property
    def domains(self) -> tuple[Domain, ...]:
        """The connected parts of the graph."""
        found: list[Domain] = []
        left = dict.fromkeys(self.neighbours)
        while left:
            members = {next(iter(left))}
            todo = list(members)
            while todo:
                new = self.neighbours[todo.pop()] - members
                members |= new
                todo += new
            positions = tuple(position for position in left if position in members)
            words = dict.fromkeys(word for position in positions for word in self.constants.get(position, ()))
            found.append(Domain(positions, tuple(words)))
            left = dict.fromkeys(position for position in left if position not in members)
        return tuple(found)

    @cached_property
    def _domain_of(self) -> Mapping[Position, Domain]:
        return {position: domain for domain in self.domains for position in domain.positions}

    def domain(self, position: Position) -> Domain:
        """Return the domain of a position; an empty one if the rules do not have it."""
        return self._domain_of.get(position) or Domain((position,), ())

    def connected(self, one: Position, other: Position) -> bool:
        return other in self.domain(one).positions

    def distances(self, position: Position) -> dict[Position, int]:
        """Return the distances from a position to those of its domain, in edges."""
        found = {position: 0}
        level = [position]
        while level:
            new = dict.fromkeys(
                other for near in level for other in self.neighbours.get(near, ()) if other not in found
            )
            found |= dict.fromkeys(new, found[level[0]] + 1)
            level = list(new)
        return found


def argument_position(fluent: Signature, index: int) -> Position:
    return ("function", fluent[0], fluent[1], index)


def rule_positions(rule: Rule) -> Iterator[tuple[Position, Term]]:
    """Yield the argument positions of a rule with their terms; `distinct` connects nothing."""
    for atom in (rule.head, *(literal.atom for literal in rule.body)):
        if atom.name != "distinct":
            yield from argument_positions("relation", atom.name, atom.args)
