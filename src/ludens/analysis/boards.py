"""Boards: fluents that give a content to each place of a grid of any dimension, and what lies on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.domain_graph import argument_position
from ludens.analysis.modes import Evidence, FluentModes, FluentTable, Key
from ludens.analysis.orders import Order, Orders
from ludens.analysis.states import Bits, SampledStates
from ludens.analysis.turns import SEVERAL
from ludens.core import GroundTerm
from ludens.gdl.formulas import Signature

MAX_CONTENTS = 100
"""The limit on contents that are described."""

MAX_MEAN_ARRIVALS = 1.2
"""The largest mean number of places that a piece comes to in a move; above 1, since some moves take others along."""

ContentKind = Literal["blank", "piece", "marker"]
Words = tuple[GroundTerm, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """A coordinate of a board."""

    argument: int
    words: Words
    """In their order, if they have one."""
    order: Order | None


@dataclass(frozen=True, slots=True)
class Content:
    """A content of a board: a piece moves from place to place, a marker only comes and goes."""

    words: Words
    """The content arguments of the fluent."""
    kind: ContentKind
    most: int
    """The largest number of places with it at once, on one board; 0 if it was never seen."""
    unique: bool
    """Whether it is never on two places of a board."""
    unique_evidence: Evidence
    owner: int | None
    """The number of the role that alone was seen to bring or move it."""


@dataclass(frozen=True, slots=True)
class Board:
    """A fluent as a board, or as several of the same shape that other arguments tell apart."""

    signature: Signature
    key: Key
    axes: tuple[Axis, ...]
    selectors: tuple[Axis, ...]
    """Arguments without an order, beside coordinates that have one: each word has a board of its own."""
    content_arguments: tuple[int, ...]
    """None of a board that only tells which places are marked."""
    content_order: Order | None
    """If the content is an amount."""
    exclusive: bool
    """Whether a place has one content at a time."""
    places: int
    """The number of places of all boards together."""
    contents: tuple[Content, ...]

    @property
    def dimension(self) -> int:
        return len(self.axes)

    @property
    def is_ordered(self) -> bool:
        """Whether all coordinates are."""
        return all(axis.order for axis in self.axes)

    @property
    def coordinates(self) -> tuple[int, ...]:
        return tuple(axis.argument for axis in self.axes)

    @property
    def blank(self) -> Words | None:
        return next((content.words for content in self.contents if content.kind == "blank"), None)


def argument_orders(table: FluentTable, orders: Orders) -> dict[int, Order]:
    """Return the arguments of a fluent that have an order; of all words that they may have, or else of those seen."""
    found: dict[int, Order] = {}
    for index in range(table.arity):
        position = argument_position(table.signature, index)
        for words in (table.allowed_words(index), table.words(index)):
            order = orders.of(position, words)
            if order:
                found.setdefault(index, order)
    return found


def find_board(
    table: FluentTable, modes: FluentModes, orders: Orders, states: SampledStates, mover: NDArray[np.int32]
) -> Board | None:
    """Return the fluent as a board, with the best choice of coordinates; None if it is none."""
    ordered = argument_orders(table, orders)
    layouts = list(_layouts(table.arity, modes, ordered))
    if not layouts:
        return None
    key, inputs = max(layouts, key=lambda layout: _preference(layout[0], layout[1], ordered))
    return _board(table, key, inputs, ordered, states, mover)


def _layouts(arity: int, modes: FluentModes, ordered: dict[int, Order]) -> Iterator[tuple[Key, tuple[int, ...]]]:
    """Yield the ways to take some arguments of a fluent as coordinates, each with the key that it goes by."""
    keys = [key for key in modes.keys if not key.trivial]
    for key in keys:
        countable = sum(index in ordered for index in key.inputs)
        amounts = [index for index in ordered if index not in key.inputs]
        if countable or (len(key.inputs) >= 2 and len(key.inputs) + len(amounts) < arity):
            yield key, key.inputs  # a place determines what lies there
        if not countable and len(amounts) >= 2:
            yield key, tuple(sorted(amounts))  # a thing determines where it lies
    if not keys and arity >= 2 and ordered:
        yield Key(tuple(range(arity)), "proved"), tuple(sorted(ordered))  # any places may be marked, in several ways


def _preference(key: Key, inputs: Sequence[int], ordered: dict[int, Order]) -> tuple[int, ...]:
    """Return the sort key: many ordered coordinates, then those that determine the content, then few coordinates."""
    return sum(index in ordered for index in inputs), key.inputs == inputs, key.full, -len(inputs)


def _board(
    table: FluentTable,
    key: Key,
    inputs: Sequence[int],
    ordered: dict[int, Order],
    states: SampledStates,
    mover: NDArray[np.int32],
) -> Board:
    outputs = tuple(index for index in range(table.arity) if index not in inputs)
    axes = [
        Axis(index, order.words if (order := ordered.get(index)) else table.words(index), ordered.get(index))
        for index in inputs
    ]
    has_order = any(axis.order for axis in axes)
    selectors = tuple(axis for axis in axes if has_order and not axis.order)
    content_order = ordered.get(outputs[0]) if len(outputs) == 1 else None
    board = Board(
        signature=table.signature,
        key=key,
        axes=tuple(axis for axis in axes if axis not in selectors),
        selectors=selectors,
        content_arguments=outputs,
        content_order=content_order,
        exclusive=set(key.inputs) <= set(inputs),
        places=_place_count(table, axes),
        contents=(),
    )
    if content_order or len({tuple(fact[index] for index in outputs) for fact in table.facts}) > MAX_CONTENTS:
        return board
    contents = tuple(_contents(board, table, states, mover))
    return replace(board, contents=contents)


def _place_count(table: FluentTable, axes: Sequence[Axis]) -> int:
    """Return the number of places of the facts; where not all facts are known, of all combinations of words."""
    if table.more_words:
        return prod(len(axis.words) for axis in axes)
    return len(set(table.groups(axis.argument for axis in axes).tolist()))


@dataclass(frozen=True, slots=True)
class _Behaviour:
    """The appearances of one content in the sampled states."""

    words: Words
    most: int
    counts: NDArray[np.int64]
    """[states]: on how many places it was, on all boards."""
    places: int
    """The number of its possible places, as far as it is known."""
    came: NDArray[np.int64]
    """[steps]: on how many places it was after the step, but not before."""
    went: NDArray[np.int64]
    bringing: frozenset[int]
    """The roles whose turn it was when it came; negative if no single role had one."""

    @property
    def owner(self) -> int | None:
        return min(self.bringing) if len(self.bringing) == 1 and min(self.bringing) >= 0 else None

    @property
    def changes(self) -> Bits:
        return (self.came > 0) | (self.went > 0)

    @property
    def rests(self) -> bool:
        """Whether it lay on one place, never moved, and yet can lie on others: the largest disc of a tower."""
        return self.most == 1 and not self.changes.any() and self.places > self.counts.max()

    @property
    def moves(self) -> bool:
        """Whether it goes from places to others, and never to more than it leaves.

        What roles in turn all shift, several at a time, are rather marks on places that move.
        """
        both = (self.came > 0) & (self.went > 0)
        if not both.any() or (self.came > self.went)[both].any():
            return False
        all_shift = len(self.bringing) > 1 and SEVERAL not in self.bringing
        return not (all_shift and np.mean(self.came[both]) > MAX_MEAN_ARRIVALS)


def _contents(board: Board, table: FluentTable, states: SampledStates, mover: NDArray[np.int32]) -> Iterable[Content]:
    behaviours = list(_behaviours(board, table, states, mover))
    blank = _blank(board, behaviours)
    changing = [seen for seen in behaviours if seen.words != blank and seen.changes.any()]
    all_move = bool(changing) and all(seen.moves for seen in changing)
    for seen in behaviours:
        moves = seen.moves or (all_move and seen.rests)
        kind: ContentKind = "blank" if seen.words == blank else "piece" if moves else "marker"
        yield Content(
            words=seen.words,
            kind=kind,
            most=seen.most,
            unique=seen.most <= 1,
            unique_evidence="sampled" if seen.most <= 1 else "refuted",
            owner=None if kind == "blank" else seen.owner,
        )


def _behaviours(
    board: Board, table: FluentTable, states: SampledStates, mover: NDArray[np.int32]
) -> Iterable[_Behaviour]:
    selectors = [axis.argument for axis in board.selectors]
    columns: dict[Words, list[int]] = {}
    for place, fact in enumerate(table.facts):
        columns.setdefault(tuple(fact[index] for index in board.content_arguments), []).append(place)
    before, after = states.steps
    for words, places in columns.items():
        bits = table.bits[:, places]
        boards = [tuple(table.facts[place][index] for index in selectors) for place in places]
        counts = [bits[:, [one == other for other in boards]].sum(axis=1) for one in dict.fromkeys(boards)]
        was, then = bits[before], bits[after]
        came, went = (then & ~was).sum(axis=1), (was & ~then).sum(axis=1)
        yield _Behaviour(
            words=words,
            most=int(np.max(counts)),
            counts=bits.sum(axis=1),
            places=len(places),
            came=came,
            went=went,
            bringing=frozenset(mover[before][came > 0].tolist()),
        )


def _blank(board: Board, behaviours: Sequence[_Behaviour]) -> Words | None:
    """Return the content of empty places: on a full board, the one that takes part in every change.

    If that is so of several, it is the one that is always on more places than the others, or alone never comes, or
    alone never gets less; if of none, the unowned one that is on most places at the start. The latter is
    also meant where what never gets less is nowhere at the start, as arrows that block places for good.
    """
    if not board.key.full or not board.exclusive or len(behaviours) < 2:
        return None
    changes = np.logical_or.reduce([seen.changes for seen in behaviours])
    common = [seen for seen in behaviours if seen.owner is None and 2 * seen.counts[0] > board.places]
    always = [seen for seen in behaviours if changes.any() and (seen.changes == changes).all()] or common
    largest = [
        seen for seen in always if all((seen.counts > other.counts).all() for other in always if other is not seen)
    ]
    found = largest or [seen for seen in always if not seen.came.any()]
    found = found or [seen for seen in always if (seen.came >= seen.went).all()]
    if common and len(found) == 1 and not found[0].counts[0]:
        found = common
    return found[0].words if len(found) == 1 else None
