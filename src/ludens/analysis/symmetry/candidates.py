"""Symmetries of ordered boards that the rules do not show, tried out in states of random games.

A sheet may treat all places alike although its rules go through them from one corner to the other, to count discs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.boards import Axis, Board
from ludens.analysis.domain_graph import argument_position
from ludens.analysis.states import SampledStates
from ludens.analysis.symmetry.effects import axis_images
from ludens.analysis.symmetry.rule_graph import Word
from ludens.analysis.symmetry.symmetries import Symmetry
from ludens.analysis.symmetry.typed import TypedRules
from ludens.engines.base import Engine
from ludens.engines.rows import pack, unpack
from ludens.gdl.formulas import Signature
from ludens.runtime.deadline import Deadline

if TYPE_CHECKING:
    from ludens.engines.sliced.tables import CircuitTables

MAX_STATES = 512
"""The number of states that are compared with their images."""
MAX_IMAGES = 400
"""The limit on members of a group; beyond it a known symmetry may be tried again and reported as sampled."""

Permutation = NDArray[np.int64]


def sampled_symmetries(
    typed: TypedRules,
    boards: Iterable[Board],
    known: Sequence[Symmetry],
    engine: Engine,
    states: SampledStates,
    rng: Random,
    deadline: Deadline,
) -> tuple[tuple[Symmetry, ...], bool]:
    """Return reflections and exchanges of coordinates that held in sampled states, without known ones.

    Also whether all were tried until the deadline. What roles see is not compared, so of a game in which they see only
    a part nothing is said.
    """
    found: list[Symmetry] = []
    ordered = [board for board in boards if board.is_ordered]
    if not ordered or not len(states.steps[0]) or any(rule.head.signature == ("sees", 2) for rule in typed.rules):
        return (), True
    trial = _Trial(engine, states, rng)
    if not trial.is_telling:
        return (), True
    for board in ordered:
        for candidate in _candidates(typed, board, trial.tables):
            if deadline.passed:
                return tuple(found), False
            if not _is_known(candidate, board, [*known, *found]) and trial.holds(candidate):
                found.append(candidate)
    return tuple(found), True


def _candidates(typed: TypedRules, board: Board, tables: CircuitTables) -> Iterator[Symmetry]:
    """Yield the reflection of each coordinate, and the exchange of any two that are as long."""
    kinds = [typed.position_type(argument_position(board.signature, axis.argument)) for axis in board.axes]
    functions = _functions(tables)
    roles = tuple(range(len(tables.roles)))
    for axis, kind in zip(board.axes, kinds, strict=True):
        same = {signature: (signature, tuple(range(signature[1]))) for signature in functions}
        yield Symmetry(_words(axis, kind, axis, kind, turned=True), same, roles, typed)
    for (one, kind), (other, other_kind) in combinations(zip(board.axes, kinds, strict=True), 2):
        if len(one.words) == len(other.words) and kind != other_kind:
            words = _words(one, kind, other, other_kind) | _words(other, other_kind, one, kind)
            turned = {signature: (signature, _exchanged(typed, signature, kind, other_kind)) for signature in functions}
            yield Symmetry(words, turned, roles, typed)


def _words(one: Axis, kind: int, other: Axis, other_kind: int, turned: bool = False) -> dict[Word, Word]:
    images = other.words[::-1] if turned else other.words
    return {(str(word), kind): (str(image), other_kind) for word, image in zip(one.words, images, strict=True)}


def _functions(tables: CircuitTables) -> set[Signature]:
    terms = [*tables.fluents, *tables.moves]
    return {(str(term[0]), len(term) - 1) for term in terms if isinstance(term, tuple)}


def _exchanged(typed: TypedRules, signature: Signature, kind: int, other_kind: int) -> tuple[int, ...]:
    """Return the places that arguments get: the first of one type that of the first of the other type, and so on."""
    kinds = [typed.position_type(argument_position(signature, index)) for index in range(signature[1])]
    places = list(range(signature[1]))
    ones, others = ([index for index, found in enumerate(kinds) if found == wanted] for wanted in (kind, other_kind))
    for one, other in zip(ones, others, strict=False):
        places[one], places[other] = other, one
    return tuple(places)


def _is_known(candidate: Symmetry, board: Board, known: Sequence[Symmetry]) -> bool:
    """Return whether a composition of known symmetries acts on the places of the board as the candidate does."""
    start = tuple((axis.argument, axis.words) for axis in board.axes)
    wanted = axis_images(candidate, board, start)
    group, todo = {start}, [start]
    while todo and len(group) < MAX_IMAGES:
        images = todo.pop()
        for symmetry in known:
            image = axis_images(symmetry, board, images)
            if image is not None and image not in group:
                group.add(image)
                todo.append(image)
    return wanted in group


class _Trial:
    """Sampled states, random moves and successors, to be compared with their images."""

    def __init__(self, engine: Engine, states: SampledStates, rng: Random) -> None:
        assert engine.circuit is not None
        self.engine, self.tables = engine, engine.circuit
        going = states.steps[0]
        self.bits = states.bits[going[:: max(1, len(going) // MAX_STATES)]]
        self.ends = states.bits[np.flatnonzero(states.terminal)[:MAX_STATES]]
        rows = pack(np.concatenate([self.bits, self.ends]))
        self.terminal, self.goals = engine.terminal(rows), engine.goals(rows)
        rows = rows[: len(self.bits)]
        self.joint = [[rng.choice(moves) for moves in legal] for legal in engine.legal(rows)]
        self.legal = self._legal(rows)
        self.after = unpack(engine.step(rows, self.joint), len(self.tables.fluents))
        self._fluents = {fluent: number for number, fluent in enumerate(self.tables.fluents)}

    def _legal(self, rows: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """[states, moves]"""
        seen = self.engine.look(rows)
        legal = np.zeros((len(rows), len(self.tables.moves)), np.bool_)
        legal[np.repeat(np.arange(len(rows)), seen.choices.sum(axis=1)), seen.moves] = True
        return legal

    @cached_property
    def is_telling(self) -> bool:
        """Whether all goal values occur: of a goal that no state reaches, none can tell whether it is symmetric."""
        pairs = zip(self.tables.role_goals, self.goals.T, strict=True)
        return all(set(values) <= set(goals.tolist()) for values, goals in pairs)

    def holds(self, symmetry: Symmetry) -> bool:
        fluents = self._fluent_images(symmetry)
        moves = self._move_images(symmetry)
        if fluents is None or moves is None:
            return False
        images = pack(np.concatenate([self.bits, self.ends])[:, fluents])
        if (self.engine.terminal(images) != self.terminal).any() or (self.engine.goals(images) != self.goals).any():
            return False
        images = images[: len(self.bits)]
        if (self._legal(images) != self.legal[:, moves]).any():
            return False
        joint = [[self._moved(symmetry, role, move) for role, move in enumerate(moves)] for moves in self.joint]
        after = unpack(self.engine.step(images, joint), len(self._fluents))
        return bool((after == self.after[:, fluents]).all())

    def _moved(self, symmetry: Symmetry, role: int, move: int) -> int:
        return self.engine.move_number(role, symmetry.move(self.engine.move_term(move)))

    def _fluent_images(self, symmetry: Symmetry) -> Permutation | None:
        """Return [fluents]: which fluent becomes each."""
        return _sources([self._fluents.get(symmetry.fluent(fluent)) for fluent in self.tables.fluents])

    def _move_images(self, symmetry: Symmetry) -> Permutation | None:
        """Return [moves]: which move of the same role becomes each."""
        role_of = np.repeat(np.arange(len(self.tables.roles)), self.tables.gates.move_counts).tolist()
        moves = list(zip(role_of, self.tables.moves, strict=True))
        places = {move: place for place, move in enumerate(moves)}
        return _sources([places.get((role, symmetry.move(term))) for role, term in moves])


def _sources(images: Sequence[int | None]) -> Permutation | None:
    """Return the inverse of a permutation; None if it is none."""
    if None in images or len(set(images)) < len(images):
        return None
    sources = np.empty(len(images), np.int64)
    sources[np.array(images, np.int64)] = np.arange(len(images))
    return sources
