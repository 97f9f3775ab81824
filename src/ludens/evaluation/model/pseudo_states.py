"""Pairs of pseudo-states that differ in one thing, to see what it does to the goals, or to what is legal.

They are made from states of play by changing one fact, and need not be reachable. What holds instead of the fact
changes with it: a place has one content, and an empty place is marked as empty if the game does that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.facts import GameFacts
from ludens.analysis.states import Bits, signature_of
from ludens.core import GroundTerm
from ludens.engines.rows import Rows, pack, unpack
from ludens.engines.sliced.tables import CircuitTables
from ludens.evaluation.features.interpretations import BestShare, Measure, Sum
from ludens.evaluation.model.goals import Goals
from ludens.gdl.formulas import Signature

Floats = NDArray[np.float64]

EACH = (4, 1_024)
"""The least and the most pairs for one fluent."""
MAX_PAIRS = 80_000
"""In all, however many fluents there are."""
BLOCK = 1_024
"""States that are looked at together."""
MAX_EXPRESSED = 8
"""The most conjunctions of an expression that are made true."""
MAX_ALTERNATIVES = 300
"""Expressions that have more are not made false."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """States without and with something."""

    without: Rows
    having: Rows

    def __len__(self) -> int:
        return len(self.without)

    def select(self, kept: Bits | slice) -> Pairs:
        return Pairs(self.without[kept], self.having[kept])

    def joined(self, other: Pairs) -> Pairs:
        return Pairs(np.concatenate([self.without, other.without]), np.concatenate([self.having, other.having]))


class PseudoStates:
    """Makes pairs from the states of a sample."""

    def __init__(self, tables: CircuitTables, facts: GameFacts, rows: Rows, rng: np.random.Generator) -> None:
        self._rng = rng
        self._rows, self._fluent_count = rows, len(tables.fluents)
        self._exclusive, self._groups = _exclusive(tables.fluents, facts)
        self._blanks = _blanks(tables.fluents, facts)
        boards = {board.signature for board in facts.boards if board.content_order is None}
        self._on_board = np.array([signature_of(fluent) in boards for fluent in tables.fluents], np.bool_)

    def placed(self, fluents: NDArray[np.int64], most: int) -> Pairs:
        """For each of these fluents some states, without and with it; about `most` in all.

        What can be at the same place is placed there in the same states, so that it is only compared with each other.
        """
        each = int(np.clip(most // max(1, len(fluents)), *EACH))
        shared = self._groups[fluents, 0] if self._groups.shape[1] else np.full(len(fluents), -1)
        places = np.where(shared >= 0, shared, -1 - fluents)
        _, numbers = np.unique(places, return_inverse=True)
        sources = self._rng.integers(len(self._rows), size=(numbers.max(initial=-1) + 1, each))[numbers].ravel()
        chosen = np.repeat(fluents, each)
        if len(chosen) > MAX_PAIRS:
            kept = np.sort(self._rng.choice(len(chosen), MAX_PAIRS, replace=False))
            chosen, sources = chosen[kept], sources[kept]
        blocks = [
            self._placed(chosen[begin : begin + BLOCK], sources[begin : begin + BLOCK])
            for begin in range(0, max(1, len(chosen)), BLOCK)
        ]
        return Pairs(np.concatenate([one.without for one in blocks]), np.concatenate([one.having for one in blocks]))

    def _placed(self, chosen: NDArray[np.int64], sources: NDArray[np.int64]) -> Pairs:
        """For each of these fluents one state, without and with it, if there is room."""
        states = unpack(self._rows[sources], self._fluent_count)
        having = states[np.arange(len(chosen)), chosen]
        without = states.copy()
        self._remove(without, np.flatnonzero(having), chosen[having])
        after = states.copy()
        free = self._place(after, np.flatnonzero(~having), chosen[~having])
        kept = having.copy()
        kept[~having] = free
        return Pairs(pack(without[kept]), pack(after[kept]))

    def moved(self, measure: Measure, count: int) -> Pairs:
        """States where something is away from what a distance is measured to, and the same with it there."""
        reading = measure.reading
        assert isinstance(reading, Sum)
        away = np.array([c for c, weight in zip(reading.columns, reading.weights, strict=True) if weight], np.int64)
        states = self._states(count)
        states = states[states[:, away].any(axis=1)]
        weights = states[:, away] * self._rng.random((len(states), len(away)))
        sources = away[weights.argmax(axis=1)] if len(states) else away[:0]
        targets = self._rng.choice(np.array(measure.targets, np.int64), size=len(states))
        after = states.copy()
        everywhere = np.arange(len(states))
        self._remove(after, everywhere, sources)
        free = self._place(after, everywhere, targets) & ~states[everywhere, targets]
        return Pairs(pack(states[free]), pack(after[free]))

    def expressed(self, measure: Measure, count: int) -> Pairs:
        """States in which a whole expression holds, and the same where one condition of it does not.

        An expression of alternatives holds if one does, and does not if none does. There are no pairs for an
        expression that is defined by others.
        """
        states = self._states(count)
        fluents = self._fluent_count
        if isinstance(measure.reading, BestShare):
            able = [one for one in measure.reading.conditions if all(max(c, ~c) < fluents for c in one)]
            order = self._rng.permutation(len(able))[:MAX_EXPRESSED]
            blocks = np.array_split(states, max(1, len(order)))
            pairs = [self._completed(block, able[number]) for number, block in zip(order, blocks, strict=False)]
            if len(measure.reading.conditions) == len(able) == 1:  # maybe these are alternatives: none, and one
                none_met = self._completed(states, tuple(~column for column in able[0]))
                pairs.append(Pairs(none_met.having, none_met.without))
        else:
            able = [measure.reading.columns] if max(measure.reading.columns) < fluents else []
            pairs = [self._cleared(states, columns) for columns in able if len(columns) <= MAX_ALTERNATIVES]
        none = pack(states[:0])
        joined = Pairs(none, none)
        for found in pairs:
            joined = joined.joined(found)
        return joined

    def _completed(self, states: Bits, conditions: tuple[int, ...]) -> Pairs:
        """With all conditions met, and all but one."""
        having, everywhere = states.copy(), np.arange(len(states))
        for column in conditions:
            self._settle(having, everywhere, column, met=True)
        without, undone = having.copy(), self._rng.integers(len(conditions), size=len(states))
        for number, column in enumerate(conditions):
            self._settle(without, np.flatnonzero(undone == number), column, met=False)
        wanted = np.array([column >= 0 for column in conditions])
        columns = [max(column, ~column) for column in conditions]
        kept = (having[:, columns] == wanted).all(axis=1)
        return Pairs(pack(without[kept]), pack(having[kept]))

    def _settle(self, states: Bits, rows: NDArray[np.int64], column: int, met: bool) -> None:
        fluents = np.full(len(rows), max(column, ~column))
        if (column >= 0) == met:
            self._place(states, rows, fluents)
        else:
            self._remove(states, rows, fluents)

    def _cleared(self, states: Bits, columns: tuple[int, ...]) -> Pairs:
        """With none of some fluents, whatever takes their places, and with one."""
        without = states.copy()
        for column in columns:
            held = np.flatnonzero(without[:, column])
            others = [int(rival) for rival in self._rivals(column) if rival not in columns]
            if others:
                self._place(without, held, np.full(len(held), others[0]))
            else:
                without[held, column] = False
        having = without.copy()
        self._place(having, np.arange(len(states)), self._rng.choice(np.array(columns, np.int64), size=len(states)))
        kept = ~without[:, list(columns)].any(axis=1)
        return Pairs(pack(without[kept]), pack(having[kept]))

    def source_count(self, pairs: Pairs) -> int:
        """From how many different states of the sample some pairs were made, by placing one thing or taking it away."""
        known = {row.tobytes() for row in self._rows}
        return len(known.intersection(row.tobytes() for rows in (pairs.without, pairs.having) for row in rows))

    def _remove(self, states: Bits, rows: NDArray[np.int64], fluents: NDArray[np.int64]) -> None:
        states[rows, fluents] = False
        blanks = self._blanks[fluents]
        states[rows[blanks >= 0], blanks[blanks >= 0]] = True

    def _place(self, states: Bits, rows: NDArray[np.int64], fluents: NDArray[np.int64]) -> Bits:
        """Returns where nothing but an empty place, or what is not on a board, had to give way."""
        free = np.ones(len(rows), np.bool_)
        for groups in self._groups.T:
            for group in np.unique(groups[fluents[groups[fluents] >= 0]]):
                here = np.flatnonzero(groups[fluents] == group)
                members = self._exclusive[group]
                kept = members == fluents[here, None]
                held = states[np.ix_(rows[here], members)] & ~kept
                free[here] &= ~(held & (members != self._blanks[fluents[here], None])).any(axis=1)
                states[np.ix_(rows[here], members)] &= kept
        states[rows, fluents] = True
        return free | ~self._on_board[fluents]

    def _states(self, count: int) -> Bits:
        """Some of the sample, each as often as chance will have it."""
        return unpack(self._rows[self._rng.integers(len(self._rows), size=count)], self._fluent_count)

    def _rivals(self, fluent: int) -> list[int]:
        """Return the fluents that one excludes."""
        groups = [group for group in self._groups[fluent] if group >= 0]
        return sorted({int(member) for group in groups for member in self._exclusive[group]} - {fluent})


def goal_gains(goals: Goals, pairs: Pairs) -> tuple[Pairs, Floats]:
    """Return the pairs where all goals are known, and [pairs, roles] how much higher they are with what differs."""
    before, after = goals(pairs.without), goals(pairs.having)
    known = np.concatenate([before, after], axis=1).min(axis=1) >= 0
    return pairs.select(known), (after[known] - before[known]).astype(np.float64)


def _exclusive(fluents: tuple[GroundTerm, ...], facts: GameFacts) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    """Groups of fluents of which only one holds at a time; and [fluents, ...] the groups of each, filled up with -1."""
    groups: dict[tuple[Signature, tuple[int, ...], tuple[GroundTerm, ...]], list[int]] = {}
    for number, fluent in enumerate(fluents):
        signature = signature_of(fluent)
        modes = facts.modes.get(signature)
        for key in modes.keys if modes else ():
            inputs = tuple(fluent[1 + index] for index in key.inputs)
            groups.setdefault((signature, key.inputs, inputs), []).append(number)
    members = [group for group in groups.values() if len(group) > 1]
    numbers: list[list[int]] = [[] for _ in fluents]
    for place, group in enumerate(members):
        for number in group:
            numbers[number].append(place)
    table = np.full((len(fluents), max(map(len, numbers), default=0)), -1, np.int64)
    for number, found in enumerate(numbers):
        table[number, : len(found)] = found
    return [np.array(group, np.int64) for group in members], table


def _blanks(fluents: tuple[GroundTerm, ...], facts: GameFacts) -> NDArray[np.int64]:
    """[fluents]: the one that marks its place as empty, or -1."""
    numbers = {fluent: number for number, fluent in enumerate(fluents)}
    blanks = np.full(len(fluents), -1, np.int64)
    for number, fluent in enumerate(fluents):
        board = facts.board(signature_of(fluent))
        if board and board.blank and not isinstance(fluent, str):
            arguments = list(fluent)
            for place, word in zip(board.content_arguments, board.blank, strict=True):
                arguments[1 + place] = word
            blank = numbers.get(tuple(arguments), -1)
            blanks[number] = blank if blank != number else -1
    return blanks
