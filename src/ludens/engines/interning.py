"""Engines that answer about one state at a time: states are interned, and rows are their numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, Generic, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ludens.core import GroundTerm, Playouts, Tallies
from ludens.engines.base import MAX_STEPS, UNKNOWN_GOAL, Engine, Expansion, Floats, JointMoves, known_goals
from ludens.engines.rows import Rows
from ludens.errors import NoLegalMoveError
from ludens.runtime.deadline import Deadline
from ludens.runtime.process_lock import ProcessLock

State = TypeVar("State")

WORD, ONE_WORD = np.dtype(np.uint64), (1,)
MAX_STATES, MAX_FACTS = 50_000, 5_000_000
"""A table with more than these is crowded."""


class Interpreter(ABC, Generic[State]):
    """Answers about one state at a time, in whatever form suits it; threads may share it.

    Moves are numbered by their terms, whichever role makes them.
    """

    roles: tuple[str, ...]

    @abstractmethod
    def initial(self) -> State: ...

    @abstractmethod
    def encode(self, facts: frozenset[GroundTerm]) -> State: ...

    @abstractmethod
    def decode(self, state: State) -> frozenset[GroundTerm]: ...

    @abstractmethod
    def terminal(self, state: State) -> bool: ...

    @abstractmethod
    def legal(self, state: State) -> Sequence[Sequence[int]]:
        """Return the legal moves of each role, in the order of their texts."""

    @abstractmethod
    def goals(self, state: State) -> Sequence[int]:
        """Return the goal of each role; -1 where the rules give no single value."""

    @abstractmethod
    def goal_terms(self, state: State) -> list[frozenset[GroundTerm]]: ...

    @abstractmethod
    def percepts(self, state: State, joint: Sequence[GroundTerm]) -> list[frozenset[GroundTerm]]:
        """Return what each role sees when a joint move, legal or not, is made."""

    @abstractmethod
    def advance(self, state: State, joint: Sequence[int]) -> State:
        """Return the state after a joint move; KeyError for a move that was never legal."""

    @abstractmethod
    def move_term(self, number: int) -> GroundTerm: ...

    @abstractmethod
    def move_number(self, term: GroundTerm) -> int:
        """Return the number of a move; KeyError for one that no state so far allowed."""

    def playouts(self, states: Sequence[State], rng: Random, max_steps: int) -> Playouts:
        """Play each state to its end, or to the limit, by uniformly random legal moves."""
        lengths, finished = np.zeros(len(states), np.int32), np.zeros(len(states), np.bool_)
        goals = np.full((len(states), len(self.roles)), -1, np.int16)
        for row, state in enumerate(states):
            steps = 0
            while not (ended := self.terminal(state)) and steps < max_steps:
                legal = self.legal(state)
                for role, moves in zip(self.roles, legal, strict=True):
                    if not moves:
                        raise NoLegalMoveError(role)
                state = self.advance(state, [rng.choice(moves) for moves in legal])
                steps += 1
            lengths[row], finished[row] = steps, ended
            if ended:
                goals[row] = self.goals(state)
        return Playouts(goals, lengths, finished)

    def goals_within(self, state: State, rng: Random, deadline: Deadline) -> Floats:
        """Return the goals of one playout; UNKNOWN_GOAL where it is cut or cannot go on."""
        for _ in range(MAX_STEPS):
            if deadline.passed:
                break
            if self.terminal(state):
                return known_goals(np.array(self.goals(state), np.int16))
            legal = self.legal(state)
            if not all(legal):
                break
            state = self.advance(state, [rng.choice(moves) for moves in legal])
        return self.unknown

    @property
    def unknown(self) -> Floats:
        """[roles]: what a playout without an end gives."""
        return np.full(len(self.roles), UNKNOWN_GOAL)


class MoveTable:
    """Numbers through all roles for the moves of an interpreter, in the order in which they turn up."""

    def __init__(self, interpreter: Interpreter[Any]) -> None:
        self.numbers: list[dict[int, int]] = [{} for _ in interpreter.roles]
        """For each role the number of each of its moves."""
        self.terms: list[GroundTerm] = []
        """By their numbers."""
        self._moves: list[tuple[int, int]] = []
        self._interpreter = interpreter
        self._lock = ProcessLock()

    def number(self, role: int, move: int) -> int:
        """Return the number of a move of the interpreter."""
        with self._lock:
            number = self.numbers[role].get(move)
            if number is None:
                number, term = len(self._moves), self._interpreter.move_term(move)
                self.terms[number:] = [term]
                self._moves.append((role, move))
                self.numbers[role][move] = number  # as the last: a process may be copied at any moment
            return number

    def joint(self, numbers: Sequence[int]) -> list[int]:
        """Return a joint move of the interpreter; KeyError for a number that is no move of its role."""
        try:
            moves = [self._moves[number] for number in numbers]
        except IndexError:
            raise KeyError("one of these moves was never legal") from None
        if min(numbers, default=0) < 0:
            raise KeyError("the numbers of moves are not negative")
        if [role for role, _ in moves] != list(range(len(self.numbers))):
            raise KeyError("one of these moves is that of another role")
        return [move for _, move in moves]


class _StateTable(Generic[State]):
    """States by their numbers, and numbers by their facts; a state that is alone needs no facts."""

    __slots__ = ("_indexed", "_interpreter", "_lock", "_numbers", "fact_count", "states")

    def __init__(self, interpreter: Interpreter[State], lock: ProcessLock) -> None:
        self._interpreter, self._lock = interpreter, lock
        self.states: list[State] = []
        self.fact_count = 0
        self._numbers: dict[frozenset[GroundTerm], int] = {}
        self._indexed = 0
        """The number of states whose facts are in the index."""

    def number(self, state: State, facts: frozenset[GroundTerm] | None = None) -> int:
        """Return the number of a state, which is a new one if no state has the same facts."""
        with self._lock:
            if not self.states and facts is None:
                self.states.append(state)
                return 0
            self._index()
            known = facts if facts is not None else self._interpreter.decode(state)
            number = self._numbers.get(known)
            if number is None:
                number = len(self.states)
                self.states.append(state)
                self._note(known)
            return number

    def find(self, facts: frozenset[GroundTerm]) -> int | None:
        """Return the number of the state with these facts, if there is one."""
        with self._lock:
            self._index()
            return self._numbers.get(facts)

    def _index(self) -> None:
        for state in self.states[self._indexed :]:
            self._note(self._interpreter.decode(state))

    def _note(self, facts: frozenset[GroundTerm]) -> None:
        self._numbers[facts] = self._indexed
        self._indexed += 1
        self.fact_count += len(facts)


class InternedEngine(Generic[State]):
    """An engine around an interpreter. The row of a state is the number it got when it was first met."""

    words = lanes = 1
    circuit = None

    def __init__(self, interpreter: Interpreter[State]) -> None:
        self.interpreter = interpreter
        self.roles = interpreter.roles
        self._moves = MoveTable(interpreter)
        self._lock = ProcessLock()
        self._table = _StateTable(interpreter, self._lock)
        self._source: Engine | None = None

    # -- states ------------------------------------------------------------------------------

    @property
    def source(self) -> Engine:
        return self._source or self

    def fork(self) -> Engine:
        return self._fork()

    def _fork(self) -> Self:
        fork = object.__new__(type(self))
        fork.__dict__.update(self.__dict__)  # all that changes is in the interpreter
        fork._table, fork._source = _StateTable(self.interpreter, self._lock), self.source
        return fork

    @property
    def is_crowded(self) -> bool:
        return len(self._table.states) > MAX_STATES or self._table.fact_count > MAX_FACTS

    def adopt(self, other: Engine, rows: Rows) -> Rows:
        if other is self:
            return rows
        if other.source is self.source:
            return self._rows(self._table.number(state) for state in cast(Self, other)._states(rows))
        return self.encode(other.decode(rows))

    def initial(self, n: int) -> Rows:
        return np.repeat(self._rows([self._table.number(self.interpreter.initial())]), n, axis=0)

    def encode(self, facts: Sequence[frozenset[GroundTerm]]) -> Rows:
        return self._rows(map(self._encoded, facts))

    def _encoded(self, facts: frozenset[GroundTerm]) -> int:
        number = self._table.find(facts)
        return self._table.number(self.interpreter.encode(facts), facts) if number is None else number

    def decode(self, rows: Rows) -> list[frozenset[GroundTerm]]:
        return [self.interpreter.decode(state) for state in self._states(rows)]

    def _states(self, rows: Rows) -> list[State]:
        """Return the interned states; ValueError for what are no rows of this engine."""
        states = self._table.states
        if rows.shape[1:] != ONE_WORD or rows.dtype != WORD:
            raise ValueError("states are rows of one word (uint64) on this engine; encode them first")
        try:
            return [states[number] for number in rows.ravel().tolist()]
        except IndexError:
            raise ValueError("a row is of another engine, or of another fork of this one") from None

    @staticmethod
    def _rows(numbers: Iterable[int]) -> Rows:
        return np.array([[number] for number in numbers], np.uint64).reshape(-1, 1)

    # -- questions ---------------------------------------------------------------------------

    def look(self, rows: Rows) -> Expansion:
        states = self._states(rows)
        return self._expansion(zip(rows[:, 0].tolist(), states, strict=True))

    def terminal(self, rows: Rows) -> NDArray[np.bool_]:
        return np.array([self.interpreter.terminal(state) for state in self._states(rows)], np.bool_)

    def legal(self, rows: Rows) -> list[list[list[int]]]:
        return [self._numbered(self.interpreter.legal(state)) for state in self._states(rows)]

    def _numbered(self, legal: Sequence[Sequence[int]]) -> list[list[int]]:
        try:
            return [[numbers[move] for move in own] for numbers, own in zip(self._moves.numbers, legal, strict=True)]
        except KeyError:
            return [[self._moves.number(role, move) for move in own] for role, own in enumerate(legal)]

    def goals(self, rows: Rows) -> NDArray[np.int16]:
        goals = [self.interpreter.goals(state) for state in self._states(rows)]
        return np.array(goals, np.int16).reshape(len(rows), len(self.roles))

    def goal_terms(self, rows: Rows) -> list[list[frozenset[GroundTerm]]]:
        return [self.interpreter.goal_terms(state) for state in self._states(rows)]

    def percepts(self, rows: Rows, joint: JointMoves) -> list[list[frozenset[GroundTerm]]]:
        pairs = zip(self._states(rows), joint, strict=True)
        return [self.interpreter.percepts(state, list(map(self.move_term, moves))) for state, moves in pairs]

    # -- steps -------------------------------------------------------------------------------

    def step(self, rows: Rows, joint: JointMoves) -> Rows:
        return self._rows(self._table.number(state) for state in self._after(rows, joint))

    def step_apart(self, rows: Rows, joint: JointMoves) -> tuple[Engine, Rows]:
        fork = self._fork()
        return fork, self._rows([fork._table.number(state) for state in self._after(rows, joint)])

    def expand(self, rows: Rows, joint: JointMoves, deadline: Deadline | None = None) -> Expansion:
        return self._expansion(self._interned(self._after(rows, joint), deadline or Deadline.never()))

    def _after(self, rows: Rows, joint: JointMoves) -> Iterator[State]:
        numbers = joint.tolist() if isinstance(joint, np.ndarray) else joint
        for state, moves in zip(self._states(rows), numbers, strict=True):
            yield self.interpreter.advance(state, self._moves.joint(moves))

    def _interned(self, states: Iterable[State], deadline: Deadline) -> Iterator[tuple[int, State]]:
        for state in states:
            number = self._table.number(state)
            yield number, self._table.states[number]
            if deadline.passed:
                break

    def _expansion(self, states: Iterable[tuple[int, State]]) -> Expansion:
        """Ask all about each state before the next one is made."""
        numbers: list[int] = []
        terminal: list[bool] = []
        goals: list[Sequence[int]] = []
        starts, moves = [0], list[int]()
        nothing: list[list[int]] = [[] for _ in self.roles]
        for number, state in states:
            numbers.append(number)
            terminal.append(self.interpreter.terminal(state))
            goals.append(self.interpreter.goals(state))
            for own in nothing if terminal[-1] else self._numbered(self.interpreter.legal(state)):
                moves += own
                starts.append(len(moves))
        return Expansion(
            rows=self._rows(numbers),
            terminal=np.array(terminal, np.bool_),
            goals=np.array(goals, np.int16).reshape(-1, len(self.roles)),
            starts=np.array(starts, np.int64),
            moves=np.array(moves, np.int32),
        )

    # -- playouts ----------------------------------------------------------------------------

    def playouts(self, rows: Rows, rng: Random, max_steps: int = MAX_STEPS) -> Playouts:
        return self.interpreter.playouts(self._states(rows), rng, max_steps)

    def tally(self, rows: Rows, games: int, rng: Random, max_steps: int = MAX_STEPS) -> Tallies:
        """The values are those that came up."""
        if games < 0:
            raise ValueError(f"there cannot be {games} games")
        played = self.playouts(np.repeat(rows, games, axis=0), rng, max_steps)
        shape = len(rows), games
        values = [np.unique(goals[played.finished]) for goals in played.goals.T]
        counts = [
            np.stack([((goals == value) & played.finished).reshape(shape).sum(axis=1) for value in own], axis=1)
            if len(own)
            else np.zeros((len(rows), 0), np.int64)
            for own, goals in zip(values, played.goals.T, strict=True)
        ]
        ended = played.finished.reshape(shape).sum(axis=1)
        steps = played.lengths.reshape(shape).sum(axis=1, dtype=np.int64)
        found = tuple(tuple(own.tolist()) for own in values)
        return Tallies(self.roles, found, tuple(counts), ended, games - ended, steps)

    def goal_sums(self, rows: Rows, games: int, rng: Random, deadline: Deadline) -> Floats:
        sums = np.zeros((len(rows), len(self.roles)))
        for place, state in enumerate(self._states(rows)):
            for _ in range(games):
                sums[place] += self.interpreter.goals_within(state, rng, deadline)
        return sums

    # -- moves -------------------------------------------------------------------------------

    def move_term(self, number: int) -> GroundTerm:
        return self._moves.terms[number]

    def move_number(self, role: int, term: GroundTerm) -> int:
        return self._moves.numbers[role][self.interpreter.move_number(term)]
