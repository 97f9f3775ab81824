"""Degrees of atoms: how near another place or amount is, how clearly a comparison holds or how narrowly it fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.boards import Board
from ludens.analysis.facts import GameFacts
from ludens.analysis.orders import Order
from ludens.analysis.relations import StaticRelation
from ludens.analysis.states import signature_of
from ludens.core import GroundTerm
from ludens.evaluation.fuzzy.formulas import Floats, Ints
from ludens.gdl.formulas import Atom, Signature
from ludens.gdl.terms import Term, natural_key

MIN_WORDS = 3
"""Between two words there is nothing to grade."""
MAX_WORDS = 300
"""All pairs of the words of an order are looked at; those of a larger one would be too many."""

Words = tuple[GroundTerm, ...]


# -- comparisons -----------------------------------------------------------------------------


@dataclass(frozen=True)
class GradedOrder:
    """An order relation whose comparisons have degrees."""

    relation: StaticRelation

    @cached_property
    def _places(self) -> dict[GroundTerm, int]:
        return {word: place for place, word in enumerate(self.words)}

    @cached_property
    def _steps(self) -> NDArray[np.float32]:
        """[words, words]: how many steps lead from a word to one after it, 1 and more; 0 if it is not after it."""
        after = np.zeros((len(self.words), len(self.words)), np.float32)
        for first, second in self.relation.pairs:
            after[self._places[first], self._places[second]] = 1
        between: NDArray[np.float32] = after @ after
        return after * (1 + between)

    @cached_property
    def words(self) -> Words:
        """All that it relates, if only to themselves."""
        return tuple(sorted({*chain.from_iterable(self.relation.pairs), *self.relation.loops}, key=natural_key))

    def sides(self, atom: Atom) -> tuple[Term, Term] | None:
        """Return the two terms that an atom compares; None if it is none of this relation."""
        relation = self.relation
        if atom.signature != (relation.name, relation.arity):
            return None
        others = tuple(term for index, term in enumerate(atom.args) if index not in relation.sides)
        first, second = (atom.args[index] for index in relation.sides)
        return (first, second) if others == relation.fixed else None

    def atom(self, first: GroundTerm, second: GroundTerm) -> GroundTerm:
        """Return the comparison as a term, as the rules write it."""
        words = {"?x": first, "?y": second}
        return tuple(words.get(part, part) if isinstance(part, str) else part for part in self.relation.pattern)

    def holds(self, first: GroundTerm, second: GroundTerm) -> bool:
        return first in self.relation.loops if first == second else self._between(first, second) > 0

    def degree(self, first: GroundTerm, second: GroundTerm) -> float:
        """Return how clearly a comparison holds, or how nearly: by the steps from one word to the other."""
        if self.holds(first, second):
            return self._between(first, second) / len(self.words)
        missing = self._between(second, first)
        return 1 - missing / len(self.words) if missing or first == second else 0.0

    def _between(self, first: GroundTerm, second: GroundTerm) -> float:
        return float(self._steps[self._places[first], self._places[second]])


def graded_orders(facts: GameFacts) -> tuple[list[GradedOrder], list[GradedOrder]]:
    """Return the order relations whose comparisons are graded, and those that have too many words for that."""
    orders = [GradedOrder(relation) for relation in facts.relations if relation.is_order]
    orders = [order for order in orders if len(order.words) >= MIN_WORDS]
    small = [order for order in orders if len(order.words) <= MAX_WORDS]
    return small, [order for order in orders if len(order.words) > MAX_WORDS]


# -- fluents ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Axis:
    """An argument whose words are in an order."""

    argument: int
    places: Mapping[GroundTerm, int]
    wraps: bool

    @classmethod
    def of(cls, argument: int, order: Order) -> _Axis:
        return cls(argument, {word: place for place, word in enumerate(order.words)}, order.wraps)

    def away(self, place: int, places: Ints) -> NDArray[np.float64]:
        """Return the part of its length that lies between a place and others."""
        steps = np.abs(places - place)
        return (np.minimum(steps, len(self.places) - steps) if self.wraps else steps) / len(self.places)


@dataclass(frozen=True, slots=True)
class _Scale:
    """Along which arguments facts are near each other; others must be the same, and some have to be certain words."""

    axes: tuple[_Axis, ...]
    same: tuple[int, ...]
    content: tuple[int, ...] = ()
    contents: frozenset[Words] = frozenset({()})

    def group(self, arguments: Words) -> Words | None:
        """Return what a fact shares with all that are near it; None if it is not on the scale."""
        content = tuple(arguments[index] for index in self.content)
        if content not in self.contents or any(arguments[axis.argument] not in axis.places for axis in self.axes):
            return None
        return (*content, *(arguments[index] for index in self.same))

    def places(self, arguments: Words) -> list[int]:
        return [axis.places[arguments[axis.argument]] for axis in self.axes]


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Fluents that can stand in for each other."""

    numbers: Ints
    places: Ints
    """[fluents, axes]"""
    axes: tuple[_Axis, ...]


class Proximity:
    """For each fluent of an engine those that say the same of another place or amount."""

    def __init__(self, fluents: Sequence[GroundTerm], facts: GameFacts) -> None:
        self._group_of: dict[int, tuple[_Group, int]] = {}
        by_signature: dict[Signature, list[int]] = {}
        for number, fluent in enumerate(fluents):
            by_signature.setdefault(signature_of(fluent), []).append(number)
        for signature, scale in _scales(facts):
            members: dict[Words, list[int]] = {}
            for number in by_signature.get(signature, []):
                group = scale.group(_arguments(fluents[number]))
                if group is not None and number not in self._group_of:
                    members.setdefault(group, []).append(number)
            for numbers in members.values():
                places = [scale.places(_arguments(fluents[number])) for number in numbers]
                self._add(_Group(np.array(numbers, np.int32), np.array(places, np.int32), scale.axes))
        if facts.counter:
            self._add_counter(fluents, facts.counter.facts)

    def count(self, fluent: int) -> int:
        """Return how many fluents can stand in for one, at most."""
        return len(self._group_of[fluent][0].numbers) - 1 if fluent in self._group_of else 0

    def of(self, fluent: int) -> tuple[Ints, Floats]:
        """Return the fluents that stand in for one, and how near each is (0 to below 1); None if it is not graded."""
        if fluent not in self._group_of:
            return np.zeros(0, np.int32), np.zeros(0, np.float32)
        group, row = self._group_of[fluent]
        parts = [axis.away(group.places[row, each], group.places[:, each]) for each, axis in enumerate(group.axes)]
        away = np.mean(parts, axis=0)
        others = away > 0
        return group.numbers[others], (1 - away[others]).astype(np.float32)

    def _add(self, group: _Group) -> None:
        if len(group.numbers) > 1:
            self._group_of |= {number: (group, row) for row, number in enumerate(group.numbers.tolist())}

    def _add_counter(self, fluents: Sequence[GroundTerm], steps: Sequence[GroundTerm]) -> None:
        """The facts of a step counter: its words may have no order of their own."""
        axis = _Axis.of(0, Order(tuple(steps), ""))
        numbers = [number for number, fluent in enumerate(fluents) if fluent in axis.places]
        places = np.array([[axis.places[fluents[number]]] for number in numbers], np.int32)
        self._add(_Group(np.array(numbers, np.int32), places, (axis,)))


def _arguments(fluent: GroundTerm) -> Words:
    return () if isinstance(fluent, str) else fluent[1:]


def _scales(facts: GameFacts) -> Iterator[tuple[Signature, _Scale]]:
    """Pieces on ordered boards, and amounts."""
    for board in facts.boards:
        pieces = frozenset(content.words for content in board.contents if content.kind == "piece")
        if board.is_ordered and pieces:
            yield board.signature, _board_scale(board, pieces)
    for quantity in facts.quantities:
        yield quantity.signature, _Scale((_Axis.of(quantity.argument, quantity.order),), quantity.key.inputs)


def _board_scale(board: Board, pieces: frozenset[Words]) -> _Scale:
    axes = tuple(_Axis.of(axis.argument, axis.order) for axis in board.axes if axis.order)
    return _Scale(axes, tuple(axis.argument for axis in board.selectors), board.content_arguments, pieces)
