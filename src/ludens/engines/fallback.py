"""The relational engine with the reference engine behind it, for the states that are too much for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ludens.core import Engine, GroundTerm, Playouts
from ludens.engines.random_play import play_one_by_one
from ludens.engines.reference import ReferenceEngine
from ludens.engines.reference.engine import Position
from ludens.errors import EvaluationLimitError, UnknownFactError
from ludens.runtime.process_lock import ProcessLock

if TYPE_CHECKING:
    from ludens.engines.relational import RelationalEngine

Answer = TypeVar("Answer")

MAX_FAILURES = 8
"""What the relational engine could not answer for so many states, and for no other, it is not asked again."""


class FallbackState:
    """A state as the relational engine has it, or as the reference engine does; threads may share it."""

    __slots__ = ("position", "row")

    def __init__(self, row: Any = None, position: Position | None = None) -> None:
        self.row = row
        self.position = position
        """Set once it has turned out that the reference engine has to answer."""


class _Side:
    """One of the two engines, and the numbers that its moves have outside."""

    def __init__(self, engine: Engine[Any]) -> None:
        self.engine = engine
        self.numbers: dict[int, int] = {}


class FallbackEngine:
    """Answers whatever the reference engine can answer, mostly at the speed of the relational engine.

    That one has limits: on the facts of a state, the moves, the depth of a recursion. A state beyond them is asked of
    the reference engine, by its facts and terms; the states after it may be within the limits again. So nobody who
    plays or searches has to expect an EvaluationLimitError that the rules are not to blame for.
    """

    def __init__(self, relational: RelationalEngine, reference: ReferenceEngine) -> None:
        self.relational, self.reference = relational, reference
        self.roles = relational.roles
        self._fast, self._sure = _Side(relational), _Side(reference)
        self._terms: dict[int, GroundTerm] = {}
        self._numbers: dict[GroundTerm, int] = {}
        self._numbering = ProcessLock()
        self._answered: set[str] = set()
        self._failures: dict[str, int] = {}
        (self._initial,) = (FallbackState(row) for row in relational.initial(1))

    # -- Engine ------------------------------------------------------------------------------

    def initial(self, n: int) -> list[FallbackState]:
        return [self._initial] * n

    def repeat(self, states: Sequence[FallbackState], n: int) -> list[FallbackState]:
        return [state for state in states for _ in range(n)]

    def encode(self, facts: Sequence[frozenset[GroundTerm]]) -> list[FallbackState]:
        states = {state: self._encoded(state) for state in set(facts)}
        return [states[state] for state in facts]

    def decode(self, states: Sequence[FallbackState]) -> list[frozenset[GroundTerm]]:
        return [self._facts(state) for state in states]

    def legal(self, states: Sequence[FallbackState]) -> list[list[list[int]]]:
        return [self._answer("legal", state, self._legal) for state in states]

    def advance(self, states: Sequence[FallbackState], moves: Sequence[Sequence[int]]) -> list[FallbackState]:
        """KeyError for a move that was never legal."""
        pairs = zip(states, moves, strict=True)
        return [self._answer("advance", state, partial(self._advance, joint=joint)) for state, joint in pairs]

    def terminal(self, states: Sequence[FallbackState]) -> NDArray[np.bool_]:
        answers = (self._answer("terminal", state, _terminal) for state in states)
        return np.fromiter(answers, np.bool_, len(states))

    def goals(self, states: Sequence[FallbackState]) -> NDArray[np.int16]:
        rows = [self._answer("goals", state, _goals) for state in states]
        return np.array(rows, np.int16).reshape(len(states), len(self.roles))

    def goal_terms(self, states: Sequence[FallbackState]) -> list[Sequence[frozenset[GroundTerm]]]:
        return [self._answer("goal_terms", state, _goal_terms) for state in states]

    def playouts(self, states: Sequence[FallbackState], rng: Random, max_steps: int = 10_000) -> Playouts:
        """By the relational engine alone if it can; else state by state, which is much slower.

        All games are then played anew: to replace only those that failed, or a small part around them, would favour
        those that cannot fail.
        """
        try:
            return self.quick_playouts(states, rng, max_steps)
        except EvaluationLimitError:
            return play_one_by_one(self, ([state] for state in states), rng, max_steps)

    def move_term(self, number: int) -> GroundTerm:
        return self._terms[number]

    def move_number(self, term: GroundTerm) -> int:
        return self._numbers[term]

    # -- beyond the protocol -----------------------------------------------------------------

    def quick_playouts(self, states: Sequence[FallbackState], rng: Random, max_steps: int = 10_000) -> Playouts:
        """The same by the relational engine alone; EvaluationLimitError if a game is too much for it."""
        if any(state.row is None for state in states):
            raise EvaluationLimitError("a state is beyond the limits of the relational engine")
        return self.relational.playouts([state.row for state in states], rng, max_steps)

    # -- single states -----------------------------------------------------------------------

    def _answer(self, question: str, state: FallbackState, ask: Callable[[_Side, Any], Answer]) -> Answer:
        """Ask the relational engine about a batch of one, and the reference engine where that fails."""
        if state.position is None:
            if question in self._answered or self._failures.get(question, 0) < MAX_FAILURES:
                try:
                    answer = ask(self._fast, [state.row])
                except EvaluationLimitError:
                    self._failures[question] = self._failures.get(question, 0) + 1
                else:
                    self._answered.add(question)
                    return answer
            (state.position,) = self.reference.encode([self._facts(state)])
        return ask(self._sure, [state.position])

    def _facts(self, state: FallbackState) -> frozenset[GroundTerm]:
        return state.position.facts if state.position else self.relational.decode([state.row])[0]

    def _encoded(self, facts: frozenset[GroundTerm]) -> FallbackState:
        try:
            return FallbackState(self.relational.encode([facts])[0])
        except (UnknownFactError, EvaluationLimitError):
            return FallbackState(position=self.reference.encode([facts])[0])

    def _legal(self, side: _Side, batch: Any) -> list[list[int]]:
        """The legal moves by their numbers outside."""
        legal, numbers = side.engine.legal(batch)[0], side.numbers
        try:
            return [[numbers[move] for move in moves] for moves in legal]
        except KeyError:
            return [[self._number(side, move) for move in moves] for moves in legal]

    def _number(self, side: _Side, move: int) -> int:
        """A move has the same number whichever engine meets it first; the term comes first, for other threads."""
        term = side.engine.move_term(move)
        with self._numbering:
            number = self._numbers.get(term, len(self._numbers))
            self._terms[number] = term
            self._numbers[term] = side.numbers[move] = number
        return number

    def _advance(self, side: _Side, batch: Any, joint: Sequence[int]) -> FallbackState:
        terms, engine = [self._terms[number] for number in joint], side.engine
        try:
            moves = [engine.move_number(term) for term in terms]
        except KeyError:
            engine.legal(batch)  # numbers the moves that this engine has not met so far
            moves = [engine.move_number(term) for term in terms]
        (after,) = engine.advance(batch, [moves])
        return FallbackState(after) if side is self._fast else self._encoded(after.facts)


def _terminal(side: _Side, batch: Any) -> bool:
    return bool(side.engine.terminal(batch)[0])


def _goals(side: _Side, batch: Any) -> NDArray[np.int16]:
    values: NDArray[np.int16] = side.engine.goals(batch)[0]
    return values


def _goal_terms(side: _Side, batch: Any) -> Sequence[frozenset[GroundTerm]]:
    return side.engine.goal_terms(batch)[0]
