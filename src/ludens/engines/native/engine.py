"""The native engine: the sliced engine, with other ways for one or a few states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import index
from random import Random
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ludens.circuit import Circuit
from ludens.core import GroundTerm, Playouts
from ludens.engines.base import MAX_STEPS, JointMoves
from ludens.engines.native.lanes import GrowingCode
from ludens.engines.native.plan import plan_of
from ludens.engines.native.single import ComingSingleStates, SingleStates
from ludens.engines.rows import Rows, row_words
from ludens.engines.sliced.engine import SlicedEngine
from ludens.engines.sliced.question import Question
from ludens.errors import CompileError
from ludens.ground import GroundProgram
from ludens.runtime.process_lock import lazy_property

MAX_STATES_BY_CODE = 128
"""Up to this number of states are asked about by code made for the circuit, if that is big, instead of by tables."""
BIG_CIRCUIT = 4_000
"""Gates. Below that the tables of the sliced engine are as fast as code for 64 states."""
WORTHWHILE = 20
"""The number of questions about one state, or about few, after which the code that answers them is made."""
MAX_SEQUENTIAL_GAMES = 8
"""Up to this number of random games are played one after the other."""
LONGEST_GAME = 2**32 - 1
WORD = np.dtype(np.uint64)


class NativeEngine(SlicedEngine):
    """A sliced engine whose answers for single states are kept up to date from state to state.

    One state costs what it changes of the one before. A few states go through machine code that is made for the circuit
    in the background; many states, and many random games, go the way of the sliced engine. Whatever is not made yet, or
    cannot be made, is answered by the tables of the sliced engine. All ways give the same answers, but random games
    with the same seed differ between few games and many, and between few before and after their code is there.
    """

    def __init__(self, program: GroundProgram, circuit: Circuit, threads: int | None = None) -> None:
        super().__init__(program, circuit, threads)
        make = partial(_single_states, circuit, program.init, program.goal_values)
        self._coming = ComingSingleStates(make)
        self._asked_of_one = 0
        self._one_row = 1, self.words
        self._last_bits = len(program.fluents) - 64 * (self.words - 1)

    # -- Engine ------------------------------------------------------------------------------

    def terminal(self, rows: Rows) -> NDArray[np.bool_]:
        single = self._single(rows)
        return np.array([single.terminal(rows)]) if single else super().terminal(rows)

    def legal(self, rows: Rows) -> list[list[list[int]]]:
        single = self._single(rows)
        return [single.legal(rows)] if single else super().legal(rows)

    def step(self, rows: Rows, joint: JointMoves) -> Rows:
        after = None
        if (single := self._single(rows)) and len(joint) == 1:
            after = single.advance(rows, joint[0])
        return super().step(rows, joint) if after is None else after

    def playouts(self, rows: Rows, rng: Random, max_steps: int = MAX_STEPS) -> Playouts:
        if 0 < len(rows) <= MAX_SEQUENTIAL_GAMES and index(max_steps) <= LONGEST_GAME:
            if (single := self._coming.ready) is not None:
                return single.playouts(self.circuit.checked(rows), self.roles, rng, max(0, max_steps))
            self._coming.start()
        return super().playouts(rows, rng, max_steps)

    # -- beyond the protocol -----------------------------------------------------------------

    @property
    def single(self) -> SingleStates:
        """What answers about single states; a caller waits until it is made.

        CompileError if it cannot be made; then the tables of the sliced engine go on answering.
        """
        if self._coming.ready is None:
            self._coming.wait()
        if self._coming.ready is None:
            raise CompileError(f"the code for single states could not be made: {self._coming.error!r}")
        return self._coming.ready

    def prepare(self) -> Self:
        """Wait until single states have code of their own; from then on random games can be repeated by their seed."""
        self._coming.wait()
        return self

    def _single(self, states: Rows) -> SingleStates | None:
        """The same if there is one state, and it is ready; after some such questions it is made."""
        if len(states) != 1:
            return None
        if (ready := self._coming.ready) is not None:
            if states.shape != self._one_row or states.dtype != WORD or self._has_more(states):
                self.circuit.checked(states)
            return ready
        self._asked_of_one += 1
        if self._asked_of_one >= WORTHWHILE:
            self._coming.start()
        return None

    def _has_more(self, state: Rows) -> bool:
        """Whether there are bits beyond the fluents."""
        return bool(state.size and state.item(-1) >> self._last_bits)

    def make_code(self) -> None:
        """Have the code for few states made, and wait for it, whatever the size of the circuit."""
        for question in (self._legal, self._next, self._terminal, self._goals):
            question.code.wait()

    @lazy_property
    def _legal(self) -> NativeQuestion:
        return self._question(self.circuit.gates.legal, "legal_bits")

    @lazy_property
    def _next(self) -> NativeQuestion:
        return self._question(self.circuit.gates.next, "")

    @lazy_property
    def _terminal(self) -> NativeQuestion:
        return self._question(np.array([self.circuit.gates.terminal], np.int32), "")

    @lazy_property
    def _goals(self) -> NativeQuestion:
        return self._question(self.circuit.gates.goals, "goal_bits")

    def _question(self, literals: NDArray[np.int32], function: str) -> NativeQuestion:
        def ask_one(state: Rows) -> Rows | None:
            single = self._single(state)
            return single.bits(function, state, row_words(len(literals))) if single else None

        return NativeQuestion(self.circuit.gates, literals, ask_one if function else None)


class NativeQuestion(Question):
    """A question that has its own ways for one state and for a few."""

    def __init__(
        self, circuit: Circuit, literals: NDArray[np.int32], ask_one: Callable[[Rows], Rows | None] | None
    ) -> None:
        super().__init__(circuit, literals)
        self.code = GrowingCode(circuit, literals)
        self._ask_one = ask_one
        self._asked_of_few = 0
        self._is_big = circuit.gate_count >= BIG_CIRCUIT

    def ask(self, states: Rows, moves: Rows | None = None) -> Rows:
        if len(states) == 1 and self._ask_one and (answer := self._ask_one(states)) is not None:
            return answer
        if 0 < len(states) <= MAX_STATES_BY_CODE:
            if self.code.best:
                return self.code.best.ask(states, moves)
            self._asked_of_few += 1
            if self._is_big and self._asked_of_few >= WORTHWHILE:
                self.code.start()
        return super().ask(states, moves)


def _single_states(
    circuit: Circuit, init: NDArray[np.bool_], goal_values: Sequence[Sequence[GroundTerm]]
) -> SingleStates:
    numbers = np.arange(circuit.move_count)
    return SingleStates(plan_of(circuit, init, goal_values), np.split(numbers, np.cumsum(circuit.move_counts)[:-1]))
