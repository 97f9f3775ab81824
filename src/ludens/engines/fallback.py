"""The relational engine with the reference engine behind it, for the states that are too much for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from ludens.core import GroundTerm, Playouts
from ludens.engines.base import MAX_STEPS, MIN_STEP_SECONDS, Floats, known_goals
from ludens.engines.interning import InternedEngine, Interpreter
from ludens.engines.reference import ReferenceEngine
from ludens.engines.reference.engine import Position
from ludens.errors import EvaluationLimitError, NoLegalMoveError, UnknownFactError
from ludens.runtime.deadline import Deadline
from ludens.runtime.process_lock import ProcessLock

if TYPE_CHECKING:
    from ludens.engines.relational import RelationalEngine

Answer = TypeVar("Answer")

MAX_FAILURES = 8
"""After this number of failures, and no answer, the relational engine is not asked a question again."""


class FallbackState:
    """A state as the relational engine has it, or as the reference engine does; threads may share it."""

    __slots__ = ("position", "row")

    def __init__(self, row: Any = None, position: Position | None = None) -> None:
        self.row = row
        self.position = position
        """Set once it has turned out that the reference engine has to answer."""


class _Side:
    """One of the two interpreters, and the numbers that its moves have outside."""

    def __init__(self, interpreter: Interpreter[Any]) -> None:
        self.interpreter = interpreter
        self.numbers: dict[int, int] = {}


class FallbackInterpreter(Interpreter[FallbackState]):
    """Answers whatever the reference engine can answer, mostly at the speed of the relational engine.

    That one has limits: on the facts of a state, the moves, the depth of a recursion. A state beyond them is asked of
    the reference engine, by its facts and terms; the states after it may be within the limits again. So nobody who
    plays or searches has to expect an EvaluationLimitError that the rules are not to blame for.
    """

    def __init__(self, relational: RelationalEngine, reference: ReferenceEngine) -> None:
        self.relational, self.reference = relational.interpreter, reference.interpreter
        self.roles = relational.roles
        self._fast, self._sure = _Side(self.relational), _Side(self.reference)
        self._terms: dict[int, GroundTerm] = {}
        self._numbers: dict[GroundTerm, int] = {}
        self._numbering = ProcessLock()
        self._answered: set[str] = set()
        self._failures: dict[str, int] = {}
        self._initial = FallbackState(self.relational.initial())
        self._step_seconds = 0.0

    # -- Interpreter -------------------------------------------------------------------------

    def initial(self) -> FallbackState:
        return self._initial

    def encode(self, facts: frozenset[GroundTerm]) -> FallbackState:
        try:
            return FallbackState(self.relational.encode(facts))
        except (UnknownFactError, EvaluationLimitError):
            return FallbackState(position=self.reference.encode(facts))

    def decode(self, state: FallbackState) -> frozenset[GroundTerm]:
        return state.position.facts if state.position else self.relational.decode(state.row)

    def terminal(self, state: FallbackState) -> bool:
        return self._answer("terminal", state, lambda side, at: side.interpreter.terminal(at))

    def legal(self, state: FallbackState) -> list[list[int]]:
        return self._answer("legal", state, self._legal)

    def goals(self, state: FallbackState) -> Sequence[int]:
        return self._answer("goals", state, lambda side, at: side.interpreter.goals(at))

    def goal_terms(self, state: FallbackState) -> list[frozenset[GroundTerm]]:
        return self._answer("goal_terms", state, lambda side, at: side.interpreter.goal_terms(at))

    def percepts(self, state: FallbackState, joint: Sequence[GroundTerm]) -> list[frozenset[GroundTerm]]:
        return self.reference.percepts(state.position or self.reference.encode(self.decode(state)), joint)

    def advance(self, state: FallbackState, joint: Sequence[int]) -> FallbackState:
        return self._answer("advance", state, partial(self._advance, joint=joint))

    def playouts(self, states: Sequence[FallbackState], rng: Random, max_steps: int) -> Playouts:
        """By the relational engine alone if it can; else state by state, which is much slower.

        All games are then played anew: to replace only those that failed, or a small part around them, would favour
        those that cannot fail.
        """
        try:
            return self.quick_playouts(states, rng, max_steps)
        except EvaluationLimitError:
            return super().playouts(states, rng, max_steps)

    def quick_playouts(self, states: Sequence[FallbackState], rng: Random, max_steps: int) -> Playouts:
        """The same by the relational engine alone; EvaluationLimitError if a game is too much for it."""
        if any(state.row is None for state in states):
            raise EvaluationLimitError("a state is beyond the limits of the relational engine")
        return self.relational.playouts([state.row for state in states], rng, max_steps)

    def goals_within(self, state: FallbackState, rng: Random, deadline: Deadline) -> Floats:
        """A game that becomes too much for the engine counts as one that cannot go on: nobody knows how it ends."""
        if state.position:
            return super().goals_within(state, rng, deadline)
        if deadline.passed:
            return self.unknown
        try:
            if self._step_seconds == 0.0:
                self._timed_goals(state, Random(0), 1)
            steps = deadline.remaining / max(self._step_seconds, MIN_STEP_SECONDS)
            return self._timed_goals(state, rng, int(min(MAX_STEPS, max(1.0, steps))))
        except (NoLegalMoveError, EvaluationLimitError):
            return self.unknown

    def _timed_goals(self, state: FallbackState, rng: Random, max_steps: int) -> Floats:
        begun = time.monotonic()
        played = self.quick_playouts([state], rng, max_steps)
        self._step_seconds = (time.monotonic() - begun) / max(1, int(played.lengths[0]))
        return known_goals(played.goals[0])

    def move_term(self, number: int) -> GroundTerm:
        return self._terms[number]

    def move_number(self, term: GroundTerm) -> int:
        return self._numbers[term]

    # -- one of the two ----------------------------------------------------------------------

    def _answer(self, question: str, state: FallbackState, ask: Callable[[_Side, Any], Answer]) -> Answer:
        """Ask the relational interpreter, and the reference interpreter where that fails."""
        if state.position is None:
            if question in self._answered or self._failures.get(question, 0) < MAX_FAILURES:
                try:
                    answer = ask(self._fast, state.row)
                except EvaluationLimitError:
                    self._failures[question] = self._failures.get(question, 0) + 1
                else:
                    self._answered.add(question)
                    return answer
            state.position = self.reference.encode(self.decode(state))
        return ask(self._sure, state.position)

    def _legal(self, side: _Side, state: Any) -> list[list[int]]:
        """The legal moves by their numbers outside."""
        legal, numbers = side.interpreter.legal(state), side.numbers
        try:
            return [[numbers[move] for move in moves] for moves in legal]
        except KeyError:
            return [[self._number(side, move) for move in moves] for moves in legal]

    def _number(self, side: _Side, move: int) -> int:
        """A move has the same number whichever engine meets it first; the term comes first, for other threads."""
        term = side.interpreter.move_term(move)
        with self._numbering:
            number = self._numbers.get(term, len(self._numbers))
            self._terms[number] = term
            self._numbers[term] = side.numbers[move] = number
        return number

    def _advance(self, side: _Side, state: Any, joint: Sequence[int]) -> FallbackState:
        terms, interpreter = [self._terms[number] for number in joint], side.interpreter
        try:
            moves = [interpreter.move_number(term) for term in terms]
        except KeyError:
            interpreter.legal(state)  # numbers the moves that this engine has not met so far
            moves = [interpreter.move_number(term) for term in terms]
        after = interpreter.advance(state, moves)
        return FallbackState(after) if side is self._fast else self.encode(after.facts)


class FallbackEngine(InternedEngine[FallbackState]):
    """The engine of games that do not become a circuit."""

    interpreter: FallbackInterpreter

    def __init__(self, relational: RelationalEngine, reference: ReferenceEngine) -> None:
        super().__init__(FallbackInterpreter(relational, reference))
        self.relational, self.reference = relational, reference
