"""The order of the words of an argument, by the successor and order relations over its domain."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ludens.analysis.domain_graph import DomainGraph
from ludens.analysis.relations import StaticRelation
from ludens.core import GroundTerm
from ludens.gdl.domains import Position


@dataclass(frozen=True, slots=True)
class Order:
    """Words in a row, by the relation that puts them there."""

    words: tuple[GroundTerm, ...]
    relation: GroundTerm
    """With `?x` and `?y` for a word and the next one."""
    wraps: bool = False
    """Whether the last word is followed by the first."""

    def restricted(self, words: Collection[GroundTerm]) -> Order:
        """Return the order of some of the words; it goes round only if all of them are there."""
        kept = tuple(word for word in self.words if word in words)
        return Order(kept, self.relation, self.wraps and len(kept) == len(self.words))

    def distance(self, one: GroundTerm, other: GroundTerm) -> int:
        """Return the number of steps between two words, the shorter way round."""
        return self.steps(self.words.index(one), self.words.index(other))

    def steps(self, one: int, other: int) -> int:
        """Return the number of steps between two places."""
        steps = abs(one - other)
        return min(steps, len(self.words) - steps) if self.wraps else steps


class Orders:
    """The orders that the static relations of a game give to argument positions."""

    def __init__(self, relations: Iterable[StaticRelation], graph: DomainGraph, roles: Collection[str]) -> None:
        self._graph = graph
        self._roles = set(roles)
        relations = list(relations)
        self._rows = list(_rows(relations))
        self._lengths = [_length(order, relation, relations) for order, relation in self._rows]

    def of(self, position: Position, words: Collection[GroundTerm]) -> Order | None:
        """Return the order of the words of a position, all of which it must have.

        Of several relations over the same domain a successor counts more than an order, then the one that the domain
        graph shows nearest to the position, then the one with fewer arguments, then the one in whose row the steps of
        its like are short (adding 1 comes before adding 3), then the shortest row. Roles have an order of turns, but
        are neither places nor amounts.
        """
        if len(words) < 2 or self._roles.issuperset(words):
            return None
        distances = self._graph.distances(position)
        fitting = [
            (not relation.is_successor, distance, relation.arity, self._lengths[number], len(order.words), number)
            for number, (order, relation) in enumerate(self._rows)
            if (distance := _distance(relation, distances)) is not None and set(words) <= set(order.words)
        ]
        return self._rows[min(fitting)[-1]][0].restricted(words) if fitting else None


def _distance(relation: StaticRelation, distances: Mapping[Position, int]) -> int | None:
    """Return the distance of the nearer argument of a relation; None if it has another domain."""
    return min((distances[side] for side in relation.positions if side in distances), default=None)


def _length(order: Order, relation: StaticRelation, relations: Iterable[StaticRelation]) -> float:
    """Return the mean distance of the pairs of the other parts of a relation in the order that one part gives."""
    if not relation.fixed:
        return 0.0
    places = {word: place for place, word in enumerate(order.words)}
    steps = [
        order.steps(places[first], places[second])
        for other in relations
        if (other.name, other.arity, other.sides) == (relation.name, relation.arity, relation.sides)
        for first, second in other.pairs
        if first in places and second in places
    ]
    return sum(steps) / max(1, len(steps))


def _rows(relations: Iterable[StaticRelation]) -> Iterator[tuple[Order, StaticRelation]]:
    """Yield the rows of successor relations and orders; those that go round first."""
    useful = [relation for relation in relations if relation.is_successor or relation.is_order]
    for relation in useful:
        yield from ((Order(words, relation.pattern, True), relation) for words in relation.cycles)
    for relation in useful:
        yield from ((Order(words, relation.pattern), relation) for words in relation.chains)
