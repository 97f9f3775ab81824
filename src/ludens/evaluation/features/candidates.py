"""Candidate expressions: those that the rules are written in, and with words in place of their variables.

Where only a few words can stand, each is tried. Where there are more, only those are that differ from the rest: the
first and the last of words in a row, or those that have fewer or more neighbours than most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, product

from ludens.analysis.facts import GameFacts
from ludens.analysis.orders import Order
from ludens.core import GroundTerm
from ludens.evaluation.features.atoms import Atoms
from ludens.evaluation.features.patterns import Pattern, Table, general, pattern_of
from ludens.gdl.domains import Position

MAX_TRIED_WORDS = 16
"""The most words that are all tried."""
MAX_DISTINCT = 4
"""More words than these cannot be said to differ from the rest."""
MAX_REPLACED = 3
"""The most variables of an expression that get words at the same time."""
MAX_PATTERNS = 400
"""Of one fluent or relation."""

Words = tuple[GroundTerm, ...]


class CandidateDomains:
    """The words of the arguments of atoms, and the distances between them."""

    def __init__(self, facts: GameFacts, tables: Mapping[Table, Mapping[Words, int]]) -> None:
        self._facts = facts
        self._tables = tables
        self._words: dict[Position, Words] = {}
        self._orders: dict[Position, Order | None] = {}
        self._graph = _word_graph(facts)

    def words(self, position: Position) -> Words:
        if position not in self._words:
            kind, name, arity, place = position
            atoms = self._tables.get((kind, name, arity), ())
            self._words[position] = tuple(dict.fromkeys(arguments[place] for arguments in atoms))
        return self._words[position]

    def order(self, position: Position) -> Order | None:
        """Return the order of the words of an argument, if it has more than two."""
        if position not in self._orders:
            order = self._facts.orders.of(position, self.words(position))
            self._orders[position] = order if order and len(order.words) > 2 else None
        return self._orders[position]

    def distances(self, position: Position, word: GroundTerm) -> dict[GroundTerm, int] | None:
        """Return how far the words of an argument are from one of them; None if they are in no row or graph."""
        words = self.words(position)
        if order := self.order(position):
            return {other: order.distance(word, other) for other in words} if word in order.words else None
        if len(words) <= MAX_DISTINCT or not all(other in self._graph for other in words):
            return None
        found = _reached(self._graph, word)
        return {other: found[other] for other in words} if all(other in found for other in words) else None

    def distinct_words(self, position: Position) -> Words:
        """Return the words that are tried in place of a variable."""
        words = self.words(position)
        if len(words) < 2:
            return ()
        if order := self.order(position):
            return () if order.wraps else (order.words[0], order.words[-1])
        if len(words) <= MAX_TRIED_WORDS:
            return words
        inside = set(words)
        degrees = {word: len(inside & self._graph.get(word, set())) for word in words}
        usual = Counter(degrees.values()).most_common(1)[0][0]
        unusual = tuple(word for word in words if degrees[word] != usual)
        return unusual if len(unusual) <= MAX_DISTINCT else ()


def _word_graph(facts: GameFacts) -> dict[GroundTerm, set[GroundTerm]]:
    """Return a graph of words: an edge for each pair of a binary relation within one domain; roles have none."""
    neighbours: dict[GroundTerm, set[GroundTerm]] = {}
    roles = set(facts.rules.roles)
    for relation in facts.relations:
        if relation.same_domain and relation.arity == 2:
            for one, other in relation.pairs:
                if one not in roles and other not in roles:
                    neighbours.setdefault(one, set()).add(other)
                    neighbours.setdefault(other, set()).add(one)
    return neighbours


def _reached(neighbours: Mapping[GroundTerm, set[GroundTerm]], word: GroundTerm) -> dict[GroundTerm, int]:
    """Return how many edges lead to each word that can be reached."""
    found = {word: 0}
    level = [word]
    while level:
        new = dict.fromkeys(other for near in level for other in neighbours.get(near, ()) if other not in found)
        found |= dict.fromkeys(new, found[level[0]] + 1)
        level = list(new)
    return found


def written_patterns(facts: GameFacts, tables: Mapping[Table, object]) -> dict[Table, list[Pattern]]:
    """Return the expressions of the rule sheet, for each fluent and relation the one with variables only first."""
    found = {table: {general(table): None} for table in tables}
    for rule in facts.rules.rules:
        for atom in (rule.head, *(literal.atom for literal in rule.body)):
            pattern = pattern_of(atom)
            if pattern is not None and pattern.table in found:
                found[pattern.table].setdefault(pattern)
    return {table: list(patterns) for table, patterns in found.items()}


def candidate_patterns(
    facts: GameFacts, atoms: Atoms, domains: CandidateDomains, left_out: dict[str, None]
) -> Iterator[Pattern]:
    """Yield the expressions that features are made of, for each fluent and relation the most general first.

    Where there are too many this is added to what is left out.
    """
    for (_, name, _), written in written_patterns(facts, atoms.tables).items():
        found = _specialised(written, domains)
        yield from islice(found, MAX_PATTERNS)
        if next(found, None):
            left_out[f"{name}: all but {MAX_PATTERNS:,} of its expressions"] = None


def _specialised(written: Sequence[Pattern], domains: CandidateDomains) -> Iterator[Pattern]:
    seen: dict[Pattern, None] = {}
    for replaced in range(MAX_REPLACED + 1):
        for pattern in written:
            free = [place for place in range(len(pattern.arguments)) if place not in pattern.fixed]
            for places in combinations(free, replaced):
                choices = [domains.distinct_words(pattern.position(place)) for place in places]
                for words in product(*choices):
                    special = pattern.with_words(dict(zip(places, words, strict=True)))
                    if special not in seen:
                        seen[special] = None
                        yield special
