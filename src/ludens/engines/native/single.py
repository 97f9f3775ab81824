"""One state at a time: what is asked about it, and playouts one after the other.

The functions of `runtime` are machine code that serves any game, made once in a process.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.core import Playouts
from ludens.engines.backend.language import read_functions
from ludens.engines.backend.llvm_writer import DECLARATIONS, Framed, LlvmWriter
from ludens.engines.backend.machine_code import LoadedCode
from ludens.engines.native import runtime
from ludens.engines.native.background import Background
from ludens.engines.native.plan import CircuitPlan
from ludens.engines.native.runtime import CANNOT_MOVE, ENDED, STUCK
from ludens.engines.rows import Rows
from ludens.errors import NoLegalMoveError

OCTETS = np.dtype("<u8")
"""Rows as bytes have the lowest bits first, whatever the computer."""
POINTER, NUMBER = ctypes.c_void_p, ctypes.c_uint32
SIGNATURES: Mapping[str, tuple[Any, ...]] = {
    "terminal": (ctypes.c_int32, POINTER, POINTER),
    "legal": (ctypes.c_int32, POINTER, POINTER, NUMBER, POINTER),
    "legal_bits": (None, POINTER, POINTER, POINTER),
    "next_state": (ctypes.c_int32, POINTER, POINTER, POINTER, POINTER),
    "goal_bits": (None, POINTER, POINTER, POINTER),
    "playouts": (None, POINTER, POINTER, POINTER, NUMBER, NUMBER, POINTER, POINTER, POINTER),
}
"""Of the functions that Python calls: the result, then the parameters."""


class Frame:
    """The memory of one thread for one game, and the functions that work on it."""

    def __init__(self, plan: CircuitPlan) -> None:
        self._kept: dict[str, NDArray[Any]] = dict(plan.tables)
        self._kept |= {name: np.zeros(array.length, array.dtype) for name, array in plan.workspace.arrays.items()}
        addresses = {name: array.ctypes.data for name, array in self._kept.items()}
        values = {**plan.scalars, **addresses}
        self._frame = np.array([values[name] for name in sorted(values)], np.uint64)
        self.address = self._frame.ctypes.data
        self.kernel = _kernel(tuple(sorted(plan.scalars)), tuple(sorted(plan.dtypes.items())))
        self.call = self.kernel.functions
        self.moves = np.empty(len(plan.tables["first_moves"]) + int(plan.tables["first_moves"][-1]), np.uint32)
        self.after = np.zeros((1, -(-plan.scalars["state_bytes"] // 8)), np.uint64)
        """Room for the moves of a role or of all roles, and for a state."""
        self.moves_address, self.after_address = self.moves.ctypes.data, self.after.ctypes.data


@dataclass(frozen=True, slots=True)
class Kernel:
    """The functions of `runtime`."""

    code: LoadedCode
    """Holds them in memory."""
    addresses: Mapping[str, int]
    """For callers that are compiled themselves."""
    functions: Mapping[str, Callable[..., Any]]


@cache
def _kernel(scalars: tuple[str, ...], dtypes: tuple[tuple[str, np.dtype[Any]], ...]) -> Kernel:
    """The functions for arrays with these elements; the frame has the numbers and addresses in the order of names."""
    names = sorted([*scalars, *(name for name, _ in dtypes)])
    writer = LlvmWriter(dict(dtypes), Framed(names))
    texts = []
    for name, function in read_functions(runtime).items():
        if name in SIGNATURES:
            texts.append(writer.function(function, f"offered_{name}"))
        elif name not in runtime.OFFERED:
            texts.append(writer.function(function))
    code = LoadedCode("\n".join([DECLARATIONS, *texts, writer.metadata()]), level=2, keep=True)
    addresses = {name: code.address(f"offered_{name}") for name in SIGNATURES}
    functions = {name: ctypes.CFUNCTYPE(*types)(addresses[name]) for name, types in SIGNATURES.items()}
    return Kernel(code, addresses, functions)


class SingleStates:
    """The functions of `runtime` for one game. Threads may share it: each call has a frame for itself.

    A call costs little more than what the state changes of the one before, so all that is written to is made once.
    """

    def __init__(self, plan: CircuitPlan, role_moves: Sequence[NDArray[np.int64]]) -> None:
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
