"""What a search sees of a game: rows for states, numbers for moves, and whole batches at a time.

A state is a row of words; equal rows are equal states. Moves are numbered through all roles: move 5 of one role and
move 6 of another are two numbers even if both are written `noop`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.core import Engine, GroundTerm, Move, Role, Tallies
from ludens.engines.fallback import FallbackEngine
from ludens.engines.sliced import SlicedEngine
from ludens.engines.sliced.expansion import WIDTH
from ludens.engines.sliced.expansion_kernel import Expanded, list_all_moves
from ludens.errors import EvaluationLimitError, NoLegalMoveError
from ludens.game import Game, State
from ludens.gdl.keywords import CHANCE
from ludens.runtime.deadline import Deadline

Rows = NDArray[np.uint64]
Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

MAX_STEPS = 10_000
MAX_STATES, MAX_FACTS = 50_000, 5_000_000
"""More than these are not kept where states are kept at all."""
MIN_STEP = 1e-6
UNKNOWN_GOAL = 50.0
"""What a role gets where the rules do not give one number."""


def known_goals(goals: NDArray[np.int16]) -> NDArray[np.float64]:
    """Goals with a number for what the rules do not give."""
    return np.where(goals < 0, UNKNOWN_GOAL, goals).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """Some states, and what is so in each of them."""

    rows: Rows
    """[states, words]"""
    terminal: NDArray[np.bool_]
    """[states]"""
    goals: NDArray[np.int16]
    """[states, roles]: -1 where the rules give no single number; also for states that are not terminal."""
    starts: NDArray[np.int64]
    """[states * roles + 1]: where the legal moves begin, state after state and there role after role.

    Terminal states may or may not have moves; who searches does not look at them.
    """
    moves: Ints

    def legal(self, state: int, role: int, roles: int) -> Ints:
        place = state * roles + role
        return self.moves[self.starts[place] : self.starts[place + 1]]


class Positions(ABC):
    """The states and moves of one game on one engine; for one thread at a time."""

    lanes = 1
    """So many states cost no more than one."""

    def __init__(self, game: Game, engine: Engine[Any], words: int) -> None:
        self.game = game
        self.engine = engine
        self.words = words
        self.roles = game.roles
        self.chance = next((index for index, role in enumerate(game.roles) if role.lower() == CHANCE), -1)
        """The role whose moves are drawn with equal chances, or -1."""

    def row(self, state: State) -> Rows:
        """[1, words]: the row of a state, even if the game has moved to another engine in the meantime."""
        engine, batch = state.encoded()
        return self._rows_of(batch if engine is self.engine else self.engine.encode(engine.decode(batch)))

    @abstractmethod
    def _rows_of(self, batch: Any) -> Rows: ...

    @abstractmethod
    def batch(self, rows: Rows) -> Any:
        """The rows as the engine takes them; for evaluators."""

    @abstractmethod
    def look(self, rows: Rows) -> Expansion:
        """What is so in these states."""

    @abstractmethod
    def expand(self, rows: Rows, joint: Ints, deadline: Deadline | None = None) -> Expansion:
        """The states after the joint moves [states, roles], which are legal.

        With a deadline only the first of them, and at least one, where an engine that takes one after the other is not
        in time for more.
        """

    @abstractmethod
    def move(self, number: int) -> Move: ...

    def joint(self, numbers: Any) -> dict[Role, Move]:
        """A joint move [roles] by its names."""
        return {role: self.move(int(number)) for role, number in zip(self.roles, numbers, strict=True)}

    @property
    def is_crowded(self) -> bool:
        """Whether so many states are kept that it is time to begin anew."""
        return False

    @abstractmethod
    def playouts(self, rows: Rows, games: int, rng: Random, deadline: Deadline) -> NDArray[np.float64]:
        """[states, roles]: what so many random games from each state gave in sum.

        A game that is cut because time is over, or that cannot go on, counts as UNKNOWN_GOAL.
        """


def positions_of(state: State) -> Positions:
    """The view of the fastest engine that knows the state."""
    engine, _ = state.encoded()
    if isinstance(engine, SlicedEngine):
        return SlicedPositions(state.game, engine)
    if isinstance(engine, FallbackEngine):
        return JoinedPositions(state.game, engine)
    return InterpretedPositions(state.game, engine)


class SlicedPositions(Positions):
    """On the bit-sliced engine, with its own rows."""

    engine: SlicedEngine
    lanes = 64 * WIDTH

    def __init__(self, game: Game, engine: SlicedEngine) -> None:
        super().__init__(game, engine, engine.initial(1).shape[1])
        self.expander = engine.expander
        self._memory = self.expander.new_memory()
        self._numbers = engine.column_numbers()
        self._seconds_a_step = 0.0

    def _rows_of(self, batch: Rows) -> Rows:
        return batch

    def batch(self, rows: Rows) -> Rows:
        return rows

    def look(self, rows: Rows) -> Expansion:
        return self._listed(self.expander.look(self._memory, np.ascontiguousarray(rows)))

    def expand(self, rows: Rows, joint: Ints, deadline: Deadline | None = None) -> Expansion:
        moves = np.ascontiguousarray(joint, np.int32)
        return self._listed(self.expander.expand(self._memory, np.ascontiguousarray(rows), moves))

    def move(self, number: int) -> Move:
        return self.game.move_of(self.engine.move_term(int(self._numbers[number])))

    def playouts(self, rows: Rows, games: int, rng: Random, deadline: Deadline) -> NDArray[np.float64]:
        batches = max(1.0, len(rows) * games / self.lanes)
        if self._seconds_a_step == 0.0:
            self._seconds_a_step = self._measured_step(rows)
        steps = int(min(MAX_STEPS, max(1.0, deadline.remaining / self._seconds_a_step / batches)))
        begun = time.monotonic()
        try:
            tallies = self.engine.tally(rows, games, rng, steps)
        except NoLegalMoveError:
            return sum((self._walk(rows, rng, deadline) for _ in range(games)), np.zeros((len(rows), len(self.roles))))
        longest = max(1, int(tallies.steps.max(initial=0)) // max(1, games))
        self._seconds_a_step = (time.monotonic() - begun) / longest / batches
        return _goal_sums(tallies, games)

    def _measured_step(self, rows: Rows) -> float:
        """What a step of random games costs; the first one loads machine code, and does not count."""
        begun = 0.0
        for _ in range(2):
            begun = time.monotonic()
            with suppress(NoLegalMoveError):
                self.engine.tally(rows[:1], 1, Random(0), 1)
        return max(time.monotonic() - begun, MIN_STEP)

    def _walk(self, rows: Rows, rng: Random, deadline: Deadline) -> NDArray[np.float64]:
        """[states, roles]: the goals of one random game from each state; slow, but roles may be stuck."""
        roles = len(self.roles)
        ends = np.full((len(rows), roles), UNKNOWN_GOAL)
        places, seen = np.arange(len(rows)), self.look(rows)
        for _ in range(MAX_STEPS):
            goals = seen.goals[seen.terminal]
            ends[places[seen.terminal]] = known_goals(goals)
            choices = np.diff(seen.starts).reshape(-1, roles)
            going = ~seen.terminal & (choices > 0).all(axis=1)
            places, choices = places[going], choices[going]
            if not len(places) or deadline.passed:
                break
            picks = [[rng.randrange(count) for count in counts] for counts in choices.tolist()]
            firsts = seen.starts[:-1].reshape(-1, roles)[going]
            seen = self.expand(seen.rows[going], seen.moves[firsts + np.array(picks)])
        return ends

    def _listed(self, expanded: Expanded) -> Expansion:
        starts = np.zeros(len(expanded.rows) * len(self.roles) + 1, np.int64)
        moves = np.empty(int(np.bitwise_count(expanded.legal).sum()), np.int32)
        list_all_moves(expanded.legal, self.expander.role_starts, starts, moves)
        return Expansion(expanded.rows, expanded.terminal, expanded.goals, starts, moves)


class InterpretedPositions(Positions):
    """On the reference engine, state by state; the row of a state is the number it got when it was first met."""

    def __init__(self, game: Game, engine: Engine[Any]) -> None:
        super().__init__(game, engine, 1)
        self._states: list[Any] = []
        """A batch of one each."""
        self._facts = 0
        """How many they have in all."""
        self._numbers: dict[frozenset[GroundTerm], int] = {}
        self._moves: list[tuple[int, int]] = []
        """Role and number of each move."""
        self._move_numbers: dict[tuple[int, int], int] = {}

    @property
    def is_crowded(self) -> bool:
        return len(self._states) > MAX_STATES or self._facts > MAX_FACTS

    def _rows_of(self, batch: Any) -> Rows:
        return np.array([[self._number_of(batch)]], np.uint64)

    def _number_of(self, batch: Any) -> int:
        facts = self.engine.decode(batch)[0]
        number = self._numbers.setdefault(facts, len(self._states))
        if number == len(self._states):
            self._states.append(batch)
            self._facts += len(facts)
        return number

    def batch(self, rows: Rows) -> Any:
        """For the reference engine, which evaluators know of."""
        facts = [self.engine.decode(self._states[number])[0] for number in rows[:, 0].tolist()]
        return self.game.reference_engine.encode(facts)

    def look(self, rows: Rows) -> Expansion:
        return self._seen(rows[:, 0].tolist())

    def expand(self, rows: Rows, joint: Ints, deadline: Deadline | None = None) -> Expansion:
        return self._seen(self._after(rows[:, 0].tolist(), joint.tolist(), deadline or Deadline.never()))

    def _after(self, states: list[int], joints: list[list[int]], deadline: Deadline) -> Iterator[int]:
        for number, moves in zip(states, joints, strict=True):
            joint = [self._moves[move][1] for move in moves]
            yield self._number_of(self.engine.advance(self._states[number], [joint]))
            if deadline.passed:
                break

    def _seen(self, states: Iterable[int]) -> Expansion:
        """Of each state all that is asked for before the next one is made."""
        numbers: list[int] = []
        terminal: list[bool] = []
        goals: list[NDArray[np.int16]] = []
        starts, moves = [0], list[int]()
        for number in states:
            state = self._states[number]
            numbers.append(number)
            terminal.append(bool(self.engine.terminal(state)[0]))
            goals.append(self.engine.goals(state)[0])
            legal = [()] * len(self.roles) if terminal[-1] else self.engine.legal(state)[0]
            for role, own in enumerate(legal):
                moves += [self._move_number(role, move) for move in own]
                starts.append(len(moves))
        return Expansion(
            rows=np.array(numbers, np.uint64).reshape(-1, 1),
            terminal=np.array(terminal, np.bool_),
            goals=np.array(goals, np.int16).reshape(-1, len(self.roles)),
            starts=np.array(starts, np.int64),
            moves=np.array(moves, np.int32),
        )

    def move(self, number: int) -> Move:
        return self.game.move_of(self.engine.move_term(self._moves[number][1]))

    def playouts(self, rows: Rows, games: int, rng: Random, deadline: Deadline) -> NDArray[np.float64]:
        ends = np.zeros((len(rows), len(self.roles)))
        for place, number in enumerate(rows[:, 0].tolist()):
            for _ in range(games):
                ends[place] += self._playout(self._states[number], rng, deadline)
        return ends

    def _playout(self, state: Any, rng: Random, deadline: Deadline) -> NDArray[np.float64]:
        """The goals of one random game."""
        for _ in range(MAX_STEPS):
            if deadline.passed:
                break
            if self.engine.terminal(state)[0]:
                return known_goals(self.engine.goals(state)[0])
            legal = self.engine.legal(state)[0]
            if not all(legal):
                break
            state = self.engine.advance(state, [[rng.choice(moves) for moves in legal]])
        return self._unknown

    @property
    def _unknown(self) -> NDArray[np.float64]:
        return np.full(len(self.roles), UNKNOWN_GOAL)

    def _move_number(self, role: int, move: int) -> int:
        number = self._move_numbers.setdefault((role, move), len(self._moves))
        if number == len(self._moves):
            self._moves.append((role, move))
        return number


class JoinedPositions(InterpretedPositions):
    """On the relational engine: state by state, but random games are played by the engine."""

    engine: FallbackEngine

    def __init__(self, game: Game, engine: FallbackEngine) -> None:
        super().__init__(game, engine)
        self._seconds_a_step = 0.0

    def _playout(self, state: Any, rng: Random, deadline: Deadline) -> NDArray[np.float64]:
        """A game that becomes too much for the engine counts as one that cannot go on: nobody knows how it ends."""
        if state[0].position:
            return super()._playout(state, rng, deadline)
        if deadline.passed:
            return self._unknown
        try:
            if self._seconds_a_step == 0.0:
                self._played(state, Random(0), 1)
            steps = deadline.remaining / max(self._seconds_a_step, MIN_STEP)
            return self._played(state, rng, int(min(MAX_STEPS, max(1.0, steps))))
        except (NoLegalMoveError, EvaluationLimitError):
            return self._unknown

    def _played(self, state: Any, rng: Random, max_steps: int) -> NDArray[np.float64]:
        begun = time.monotonic()
        played = self.engine.quick_playouts(state, rng, max_steps)
        self._seconds_a_step = (time.monotonic() - begun) / max(1, int(played.lengths[0]))
        return known_goals(played.goals[0])


def _goal_sums(tallies: Tallies, games: int) -> NDArray[np.float64]:
    """[states, roles]: the sums of the goals of so many games from each state."""
    sums = []
    for values, counts in zip(tallies.values, tallies.counts, strict=True):
        valid = np.array(values) >= 0
        unknown = games - counts[:, valid].sum(axis=1)
        sums.append(counts[:, valid] @ np.array(values)[valid] + UNKNOWN_GOAL * unknown)
    return np.stack(sums, axis=1)
