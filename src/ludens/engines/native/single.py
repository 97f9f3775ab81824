"""One state at a time: what is asked about it, and random games one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random

import numpy as np
from numpy.typing import NDArray

from ludens.core import Playouts
from ludens.engines.native.background import Background
from ludens.engines.native.kernels import Frame
from ludens.engines.native.plan import Plan
from ludens.engines.native.runtime import CANNOT_MOVE, ENDED, STUCK
from ludens.engines.sliced.rows import Rows
from ludens.errors import NoLegalMoveError

OCTETS = np.dtype("<u8")
"""Rows as bytes have the lowest bits first, whatever the computer."""


class SingleStates:
    """The functions of `runtime` for one game. Threads may share it: each call has a frame for itself.

    A call costs little more than what the state changes of the one before, so all that is written to is made once.
    """

    def __init__(self, plan: Plan, role_moves: Sequence[NDArray[np.int64]]) -> None:
        self.plan = plan
        self._numbers = np.concatenate(role_moves).tolist()
        firsts = plan.tables["first_moves"].tolist()
        self._columns = [
            {number: first + place for place, number in enumerate(numbers.tolist())}
            for numbers, first in zip(role_moves, firsts, strict=False)
        ]
        self._frames: deque[Frame] = deque()

    @contextmanager
    def frame(self) -> Iterator[Frame]:
        """Memory for single states, and the functions that work on it; for one thread at a time."""
        frame = self._take()
        yield frame
        self._frames.append(frame)

    def _take(self) -> Frame:
        try:
            return self._frames.pop()
        except IndexError:
            return Frame(self.plan)

    def terminal(self, state: Rows) -> bool:
        frame = self._take()
        terminal = frame.call["terminal"](frame.address, _octets(state))
        self._frames.append(frame)
        return bool(terminal)

    def legal(self, state: Rows) -> list[list[int]]:
        frame, octets, numbers = self._take(), _octets(state), self._numbers
        legal, moves, place = frame.call["legal"], frame.moves, frame.moves_address
        result = [
            [numbers[move] for move in moves[: legal(frame.address, octets, role, place)].tolist()]
            for role in range(len(self._columns))
        ]
        self._frames.append(frame)
        return result

    def advance(self, state: Rows, joint: Sequence[int]) -> Rows | None:
        """None if a move is not legal."""
        try:
            made = [columns[move] for columns, move in zip(self._columns, joint, strict=True)]
        except (KeyError, ValueError):
            return None
        frame = self._take()
        frame.moves[: len(made)] = made
        places = frame.moves_address, frame.after_address
        after = frame.after.copy() if frame.call["next_state"](frame.address, _octets(state), *places) else None
        self._frames.append(frame)
        return after

    def bits(self, question: str, state: Rows, words: int) -> Rows:
        """What `legal_bits` and `goal_bits` answer, as a row."""
        bits = np.zeros((1, words), OCTETS)
        with self.frame() as frame:
            frame.call[question](frame.address, _octets(state), bits.ctypes.data)
        return bits.astype(np.uint64, copy=False)

    def playouts(self, states: Rows, roles: Sequence[str], rng: Random, max_steps: int) -> Playouts:
        """A game from each state, one after the other."""
        goals = np.empty((len(states), len(roles)), np.int32)
        steps, results = np.empty(len(states), np.uint32), np.empty(len(states), np.uint8)
        numbers = np.array([rng.getrandbits(64)], np.uint64)
        with self.frame() as frame:
            frame.call["playouts"](
                frame.address, _octets(states), numbers.ctypes.data, len(states), max_steps, goals.ctypes.data,
                steps.ctypes.data, results.ctypes.data,
            )  # fmt: skip
        if (results == STUCK).any():
            stuck = np.argwhere(goals == np.int32(CANNOT_MOVE - 2**64))[0][1]
            raise NoLegalMoveError(roles[stuck])
        return Playouts(goals.astype(np.int16), steps.astype(np.int32), results == ENDED)


class ComingSingleStates(Background):
    """`SingleStates` that are made in the background once there is reason to."""

    thread_name = "ludens-single"

    def __init__(self, make: Callable[[], SingleStates]) -> None:
        super().__init__()
        self.ready: SingleStates | None = None
        self._make = make

    def work(self) -> None:
        if self.ready is None:
            made = self._make()
            with made.frame():
                pass  # the first frame has the machine code made
            self.ready = made


def _octets(rows: Rows) -> bytes:
    return rows.astype(OCTETS, copy=False).tobytes()
