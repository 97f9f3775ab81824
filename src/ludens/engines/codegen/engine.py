"""The native engine: the sliced engine, with other ways for one or a few states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from random import Random

import numpy as np
from numpy.typing import NDArray

from ludens.circuit import Circuit
from ludens.core import Playouts
from ludens.engines.codegen.compiled import plan_of
from ludens.engines.codegen.kernels import Frame
from ludens.engines.codegen.lanes import GrowingCode
from ludens.engines.codegen.runtime import CANNOT_MOVE, ENDED, STUCK
from ludens.engines.sliced.engine import SlicedEngine
from ludens.engines.sliced.question import Question
from ludens.engines.sliced.rows import Rows, row_words
from ludens.errors import NoLegalMoveError
from ludens.ground import GroundProgram

FEW_STATES = 128
"""So many states are asked about by code made for the circuit, if that is big, instead of by tables."""
BIG_CIRCUIT = 4_000
"""Gates. Below that the tables of the sliced engine are as fast as code for 64 states."""
WORTHWHILE = 20
"""After so many questions about few states the code for them is made."""
FEW_GAMES = 8
"""So many random games are played one after the other."""
MOST_STEPS = 2**32 - 1


class NativeEngine(SlicedEngine):
    """A sliced engine whose answers for single states are kept up to date from state to state.

    One state costs what it changes of the one before. A few states go through machine code that is made for the circuit
    in the background; many states, and many random games, go the way of the sliced engine. All ways give the same
    answers, but random games with the same seed differ between few games and many.
    """

    def __init__(self, program: GroundProgram, circuit: Circuit, threads: int | None = None) -> None:
        super().__init__(program, circuit, threads)
        self.plan = plan_of(program, circuit)
        self._first_moves = [int(first) for first in self.plan.tables["first_moves"]]
        self._frames: list[Frame] = []

    # -- Engine ------------------------------------------------------------------------------

    def legal(self, states: Rows) -> list[list[list[int]]]:
        if len(states) != 1:
            return super().legal(states)
        row = _octets(self._rows(states))
        moves = np.empty(max(1, *self.circuit.move_counts), np.uint32)
        result = []
        with self.frame() as frame:
            for role, numbers in enumerate(self._role_moves):
                count = frame.call["legal"](frame.address, row.ctypes.data, role, moves.ctypes.data)
                result.append(numbers[moves[:count] - self._first_moves[role]].tolist())
        return [result]

    def advance(self, states: Rows, moves: Sequence[Sequence[int]]) -> Rows:
        if len(states) != 1:
            return super().advance(states, moves)
        row, after = _octets(self._rows(states)), np.zeros((1, 8 * states.shape[1]), np.uint8)
        (joint,) = moves
        made = np.array([self._columns[role][move] for role, move in enumerate(joint)], np.uint32)
        with self.frame() as frame:
            legal = frame.call["next_state"](frame.address, row.ctypes.data, made.ctypes.data, after.ctypes.data)
        return _rows(after) if legal else super().advance(states, moves)

    def playouts(self, states: Rows, rng: Random, max_steps: int = 10_000) -> Playouts:
        if not 0 < len(states) <= FEW_GAMES or max_steps > MOST_STEPS:
            return super().playouts(states, rng, max_steps)
        rows = _octets(self._rows(states))
        goals = np.empty((len(rows), len(self.roles)), np.int32)
        steps, results = np.empty(len(rows), np.uint32), np.empty(len(rows), np.uint8)
        state = np.array([rng.getrandbits(64)], np.uint64)
        with self.frame() as frame:
            frame.call["playouts"](
                frame.address, rows.ctypes.data, state.ctypes.data, len(rows), max_steps, goals.ctypes.data,
                steps.ctypes.data, results.ctypes.data,
            )  # fmt: skip
        if (results == STUCK).any():
            stuck = np.argwhere(goals == np.int32(CANNOT_MOVE - 2**64))[0][1]
            raise NoLegalMoveError(self.roles[stuck])
        return Playouts(goals.astype(np.int16), steps.astype(np.int32), results == ENDED)

    # -- beyond the protocol -----------------------------------------------------------------

    @contextmanager
    def frame(self) -> Iterator[Frame]:
        """Memory for single states, and the functions that work on it; for one thread at a time."""
        with self._lock:
            frame = self._frames.pop() if self._frames else None
        yield (frame := frame or Frame(self.plan))
        with self._lock:
            self._frames.append(frame)

    def make_code(self) -> None:
        """Have the code for few states made, and wait for it, whatever the size of the circuit."""
        for question in (self._legal, self._next, self._terminal, self._goals):
            question.code.wait()

    @cached_property
    def _columns(self) -> list[dict[int, int]]:
        """For each role, where its moves stand among the moves of all roles."""
        return [
            {int(number): first + place for place, number in enumerate(numbers)}
            for numbers, first in zip(self._role_moves, self._first_moves, strict=False)
        ]

    @cached_property
    def _legal(self) -> NativeQuestion:
        return self._question(self.circuit.legal, "legal_bits")

    @cached_property
    def _next(self) -> NativeQuestion:
        return self._question(self.circuit.next, "")

    @cached_property
    def _terminal(self) -> NativeQuestion:
        return self._question(np.array([self.circuit.terminal], np.int32), "terminal")

    @cached_property
    def _goals(self) -> NativeQuestion:
        return self._question(self.circuit.goals, "goal_bits")

    def _question(self, literals: NDArray[np.int32], function: str) -> NativeQuestion:
        words = row_words(len(literals))

        def ask_one(state: Rows) -> Rows:
            row, bits = _octets(state), np.zeros((1, 8 * words), np.uint8)
            with self.frame() as frame:
                if function == "terminal":
                    bits[0, 0] = frame.call[function](frame.address, row.ctypes.data)
                else:
                    frame.call[function](frame.address, row.ctypes.data, bits.ctypes.data)
            return _rows(bits)

        return NativeQuestion(self.circuit, literals, ask_one if function else None)


class NativeQuestion(Question):
    """A question that has its own ways for one state and for a few."""

    def __init__(self, circuit: Circuit, literals: NDArray[np.int32], ask_one: Callable[[Rows], Rows] | None) -> None:
        super().__init__(circuit, literals)
        self.code = GrowingCode(circuit, literals)
        self._ask_one = ask_one
        self._asked_of_few = 0
        self._is_big = circuit.gate_count >= BIG_CIRCUIT

    def ask(self, states: Rows, moves: Rows | None = None) -> Rows:
        if len(states) == 1 and self._ask_one:
            return self._ask_one(states)
        if 0 < len(states) <= FEW_STATES:
            if self.code.best:
                return self.code.best.ask(states, moves)
            self._asked_of_few += 1
            if self._is_big and self._asked_of_few >= WORTHWHILE:
                self.code.start()
        return super().ask(states, moves)


def _octets(rows: Rows) -> NDArray[np.uint8]:
    """Rows as bytes, the lowest bits first."""
    return np.ascontiguousarray(rows.astype("<u8", copy=False)).view(np.uint8)


def _rows(octets: NDArray[np.uint8]) -> Rows:
    return octets.view("<u8").astype(np.uint64, copy=False)
