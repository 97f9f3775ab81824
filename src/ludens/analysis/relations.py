"""Static relations by their properties, not by their rules or names.

The pairs of a relation that is the same in all states are derived, whatever its rules are, and examined:
a successor relation leads from each word to at most one other and from at most one other, and never back; an order is
antisymmetric and transitive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from ludens.analysis.domain_graph import DomainGraph
from ludens.analysis.extensions import Extensions
from ludens.core import GroundTerm
from ludens.gdl.domains import Position
from ludens.gdl.rules import Rules
from ludens.gdl.terms import constants

MAX_ROWS = 50_000
"""Relations with more rows are skipped."""
MAX_PARTS = 16
MIN_CHAIN = 3
"""Shorter ones come from any relation that pairs words, as a piece with its owner."""

Pair = tuple[GroundTerm, GroundTerm]
Chain = tuple[GroundTerm, ...]


@dataclass(frozen=True, slots=True)
class StaticRelation:
    """Two arguments of a relation that is the same in all states. Pairs of a word with itself are kept apart."""

    name: str
    arity: int
    sides: tuple[int, int]
    """The two arguments."""
    fixed: tuple[GroundTerm, ...]
    """The values of the other arguments, in their order: `(beside left ?x ?y)` is a relation of its own."""
    pairs: frozenset[Pair]
    """Without those of a word with itself."""
    loops: frozenset[GroundTerm]
    """The words that are related to themselves."""
    symmetric: bool
    antisymmetric: bool
    functional: bool
    injective: bool
    transitive: bool
    total: bool
    """Whether any two of its words are related, in one direction or the other."""
    same_domain: bool
    """Whether both arguments have the same domain, by the domain graph."""
    covers_domain: bool
    """Whether it relates all words of that domain."""
    chains: tuple[Chain, ...]
    """The rows of a successor relation or total order, the longest first."""
    cycles: tuple[Chain, ...]
    """The cycles of a successor relation; each begins with the word written first."""

    @property
    def is_successor(self) -> bool:
        """Antisymmetric, functional and injective, and not only a pairing of words with others."""
        if not (self.antisymmetric and self.functional and self.injective):
            return False
        longest = max(map(len, chain(self.chains, self.cycles)), default=0)
        return longest >= MIN_CHAIN or self._is_single_step

    @property
    def is_order(self) -> bool:
        """Antisymmetric and transitive, with at least two steps one after the other, or but one pair."""
        if not (self.antisymmetric and self.transitive and self.pairs):
            return False
        befores = {before for before, _ in self.pairs}
        return any(after in befores for _, after in self.pairs) or self._is_single_step

    @property
    def is_adjacency(self) -> bool:
        """Symmetric, in one domain, with more than one pair of words."""
        return self.symmetric and self.same_domain and len(self.pairs) > 2 and not self.loops

    @property
    def row(self) -> Chain | None:
        """The one row in which it puts all its words, if it does: of a successor relation or a total order."""
        rows = (*self.chains, *self.cycles)
        return rows[0] if len(rows) == 1 and (self.is_successor or self.is_order) else None

    @property
    def _is_single_step(self) -> bool:
        return self.arity == 2 and self.same_domain and self.covers_domain and len(self.pairs) == 1

    @property
    def positions(self) -> tuple[Position, Position]:
        return relation_positions(self.name, self.arity, self.sides)

    @property
    def pattern(self) -> GroundTerm:
        """The relation with `?x` and `?y` for its two arguments."""
        others = iter(self.fixed)
        marks = dict(zip(self.sides, ("?x", "?y"), strict=True))
        return (self.name, *(marks.get(index) or next(others) for index in range(self.arity)))


def relation_positions(name: str, arity: int, sides: tuple[int, int]) -> tuple[Position, Position]:
    return ("relation", name, arity, sides[0]), ("relation", name, arity, sides[1])


def static_relations(
    extensions: Extensions, rules: Rules, graph: DomainGraph
) -> tuple[list[StaticRelation], list[str]]:
    """Return the static relations of two or three arguments in the order of the sheet, and the names of those left out.

    Of three arguments, two must have the same domain, and each of the few words of the third gives a
    relation of its own, if that is a successor or an order of most words.
    """
    wanted = [signature for signature in extensions.signatures if signature[1] in (2, 3)]
    rows = {signature: extensions.rows(signature, MAX_ROWS) for signature in sorted(wanted, key=extensions.bound)}
    sheet_order = word_order(rules)
    found: list[StaticRelation] = []
    for signature in wanted:
        found += _parts(*signature, rows[signature] or frozenset(), graph, sheet_order)
    return found, [name for name, arity in wanted if rows[name, arity] is None]


def _parts(
    name: str, arity: int, extension: frozenset[Chain], graph: DomainGraph, sheet_order: Mapping[str, int]
) -> Iterator[StaticRelation]:
    """Yield a relation of two arguments itself, one of three for each word of one of them."""

    def related(sides: tuple[int, int], fixed: Chain, pairs: Iterable[Pair]) -> StaticRelation:
        first, second = relation_positions(name, arity, sides)
        domain = graph.domain(first)
        return examine(name, pairs, arity, sides, fixed, second in domain.positions, domain.words, sheet_order)

    if arity == 2:
        if extension:
            yield related((0, 1), (), ((first, second) for first, second in extension))
        return
    for chosen in range(3):
        first, second = (index for index in range(3) if index != chosen)
        words = {entry[chosen] for entry in extension}
        if len(words) > MAX_PARTS or not graph.connected(*relation_positions(name, 3, (first, second))):
            continue
        related_words = {entry[index] for entry in extension for index in (first, second)}
        for word in sorted(words, key=lambda word: sheet_place(word, sheet_order)):
            pairs = ((entry[first], entry[second]) for entry in extension if entry[chosen] == word)
            part = related((first, second), (word,), pairs)
            if (part.is_successor or part.is_order) and 2 * len(part.pairs) >= len(related_words):
                yield part


def examine(
    name: str,
    extension: Iterable[Pair],
    arity: int = 2,
    sides: tuple[int, int] = (0, 1),
    fixed: Chain = (),
    same_domain: bool = True,
    domain: Iterable[str] = (),
    sheet_order: Mapping[str, int] | None = None,
) -> StaticRelation:
    """Return the relation of a set of pairs with its properties.

    >>> examine("succ", [("a", "b"), ("b", "c")]).chains
    (('a', 'b', 'c'),)
    >>> examine("less", [("a", "b"), ("b", "c"), ("a", "c")]).is_order
    True
    """
    every = frozenset(extension)
    pairs = frozenset(pair for pair in every if pair[0] != pair[1])
    after: dict[GroundTerm, set[GroundTerm]] = {}
    for first, second in pairs:
        after.setdefault(first, set()).add(second)
    words = {word for pair in pairs for word in pair}
    backward = frozenset((second, first) for first, second in pairs)
    antisymmetric, functional = not pairs & backward, len(after) == len(pairs)
    injective = len({second for _, second in pairs}) == len(pairs)
    transitive = all(after.get(second, set()) <= after[first] for first, second in pairs)
    total = len(pairs | backward) == len(words) * (len(words) - 1)
    chains: list[Chain] = []
    cycles: list[Chain] = []
    if antisymmetric and functional and injective:
        chains, cycles = _rows(dict(pairs), sheet_order or {})
    elif antisymmetric and transitive and total:
        chains = [tuple(sorted(words, key=lambda word: len(after.get(word, ())), reverse=True))]
    return StaticRelation(
        name=name,
        arity=arity,
        sides=sides,
        fixed=fixed,
        pairs=pairs,
        loops=frozenset(pair[0] for pair in every - pairs),
        symmetric=bool(pairs) and pairs == backward,
        antisymmetric=antisymmetric,
        functional=functional,
        injective=injective,
        transitive=transitive,
        total=total,
        same_domain=same_domain,
        covers_domain=words >= set(domain),
        chains=tuple(chains),
        cycles=tuple(cycles),
    )


def word_order(rules: Rules) -> dict[str, int]:
    """Return the words of a sheet in the order in which it first writes them; the same for scrambled rules."""
    order: dict[str, int] = {}
    for rule in rules.rules:
        for atom in (rule.head, *(literal.atom for literal in rule.body)):
            for word in chain.from_iterable(map(constants, atom.args)):
                order.setdefault(word, len(order))
    return order


def sheet_place(term: GroundTerm, sheet_order: Mapping[str, int]) -> list[int]:
    """Return a sort key: the order in which the sheet first writes the words of a term."""
    return [sheet_order.get(word, len(sheet_order)) for word in constants(term)]


def _rows(after: dict[GroundTerm, GroundTerm], sheet_order: Mapping[str, int]) -> tuple[list[Chain], list[Chain]]:
    """Return the chains of a one-to-one map, and its cycles."""
    left = dict(after)

    def follow(word: GroundTerm) -> Chain:
        row = [word]
        while row[-1] in left:
            row.append(left.pop(row[-1]))
        return tuple(row)

    starts = sorted(after.keys() - set(after.values()), key=lambda word: sheet_place(word, sheet_order))
    chains = [follow(word) for word in starts]
    cycles = []
    while left:
        cycles.append(follow(min(left, key=lambda word: sheet_place(word, sheet_order)))[:-1])
    return sorted(chains, key=len, reverse=True), sorted(cycles, key=len, reverse=True)
