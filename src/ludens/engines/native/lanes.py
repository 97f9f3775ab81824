"""Asking a few states at once by code that was made for the circuit of one game.

The code is made in the background: without optimisation first, which is ready soon, then with it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ludens.circuit import Circuit
from ludens.engines.backend.language import read_functions
from ludens.engines.backend.llvm_writer import Framed, LlvmWriter
from ludens.engines.backend.machine_code import LoadedCode
from ludens.engines.native import batching
from ludens.engines.native.background import Background
from ludens.engines.native.straight import Component, Piece, StraightCode, straight_code
from ludens.engines.rows import Rows
from ludens.runtime.deadline import Deadline
from ludens.runtime.threads import Interrupted

LEVELS = (0, 2)
"""Of optimisation, one after the other. The second saves up to a fifth of the time and takes ten times as long."""
MAX_OPTIMISED = 8_000
"""Inputs of gates; for more of them it is not worth it."""
POINTER, NUMBER = ctypes.c_void_p, ctypes.c_uint32
CROSSINGS = {
    "spread": "ptr %a, i64 %b, i64 %c, i64 %d, ptr %e, i64 %f",
    "gather": "ptr %a, i64 %b, ptr %c, i64 %d, i64 %e, i64 %f",
}
"""Functions of `batching` that are called from another module, with their parameters."""
OUTSIDE = "define void @outside_{name}({types}) {{\ncall void @{name}({types})\nret void\n}}"
INSIDE = "define internal void @{name}({types}) {{\ncall void inttoptr (i64 {address} to ptr)({types})\nret void\n}}"


class LaneCode:
    """Machine code that answers some literals of a circuit for any number of states, 64 in each pass."""

    def __init__(self, code: StraightCode, level: int, deadline: Deadline | None = None) -> None:
        """Interrupted once the deadline passes or is cancelled; then it is not to be used."""
        self._code, self._level, self._deadline = code, level, deadline
        self._modules: list[LoadedCode] = []
        common = _batching()
        module = LoadedCode(_driver([self._addresses(part) for part in code.parts], common), level=0)
        self._modules += [common, module]
        signature = ctypes.CFUNCTYPE(None, POINTER, POINTER, NUMBER, POINTER, NUMBER, NUMBER, POINTER, NUMBER, NUMBER)
        self.address = module.address("ask_lanes")
        """Of the function `ask` of `batching`, for callers that are compiled themselves."""
        self._ask: Callable[..., None] = signature(self.address)

    def ask(self, states: Rows, moves: Rows | None = None) -> Rows:
        """One row per state: bit i tells whether literal i holds, after these moves if it depends on them."""
        code = self._code
        answers = np.zeros((len(states), code.answer_words), np.uint64)
        lanes = np.zeros(code.lane_count, np.uint64)
        made = states if moves is None or not code.move_words else moves
        words = code.move_words if made is moves else 0
        self._ask(
            lanes.ctypes.data, states.ctypes.data, code.state_words, made.ctypes.data, words, len(states),
            answers.ctypes.data, code.answer_words, code.first_answer,
        )  # fmt: skip
        return answers

    def _addresses(self, part: Piece | Component) -> tuple[tuple[int, ...], list[int]]:
        """The lanes that begin as zero, and the functions to call."""
        pieces = part.pieces if isinstance(part, Component) else (part,)
        addresses = []
        for piece in pieces:
            if self._deadline and self._deadline.passed:
                raise Interrupted
            self._modules.append(LoadedCode(piece.assembly, self._level, passes=0))
            addresses.append(self._modules[-1].address("piece"))
        return (part.lanes if isinstance(part, Component) else ()), addresses


@cache
def _batching() -> LoadedCode:
    """The functions that lead from states to lanes and back, which are the same for all circuits.

    Who uses them holds on to them: two threads at the same time may get code of their own each, and only one is kept.
    """
    writer = LlvmWriter({}, Framed([]))
    functions = read_functions(batching)
    texts = [writer.function(functions[name]) for name in ("transpose", *CROSSINGS)]
    texts += [OUTSIDE.format(name=name, types=types) for name, types in CROSSINGS.items()]
    return LoadedCode("\n".join([*texts, writer.metadata()]), level=2, keep=True)


def _driver(parts: Sequence[tuple[tuple[int, ...], list[int]]], common: LoadedCode) -> str:
    """The function `ask` of `batching`, and `evaluate` as calls of all pieces."""
    writer = LlvmWriter({}, Framed([]))
    lines = ["define internal void @evaluate(ptr %lanes) nounwind {"]
    for number, (zeros, addresses) in enumerate(parts):
        lines += _part_lines(number, zeros, addresses)
    texts = ["\n".join([*lines, "ret void", "}"])]
    for name, types in CROSSINGS.items():
        texts.append(INSIDE.format(name=name, types=types, address=common.address(f"outside_{name}")))
    texts.append(writer.function(read_functions(batching)["ask"], "ask_lanes"))
    return "\n".join([*texts, writer.metadata()])


def _part_lines(number: int, zeros: Sequence[int], addresses: Sequence[int]) -> list[str]:
    calls = [f"call void inttoptr (i64 {address} to ptr)(ptr %lanes)" for address in addresses]
    if not zeros:
        return calls
    lines = []
    for lane in zeros:
        lines += [f"%zero{lane} = getelementptr i64, ptr %lanes, i64 {lane}", f"store i64 0, ptr %zero{lane}"]
    update = f"%changed{number} = call i64 inttoptr (i64 {addresses[-1]} to ptr)(ptr %lanes)"
    test = [f"%again{number} = icmp ne i64 %changed{number}, 0"]
    branch = f"br i1 %again{number}, label %loop{number}, label %done{number}"
    return [*lines, f"br label %loop{number}", f"loop{number}:", *calls[:-1], update, *test, branch, f"done{number}:"]


class GrowingCode(Background):
    """Lane code that gets better in the background: nothing at first, then what each level of optimisation gives."""

    thread_name = "ludens-native"

    def __init__(self, circuit: Circuit, asked: NDArray[np.int32]) -> None:
        super().__init__()
        self.best: LaneCode | None = None
        self.level = -1
        """Of optimisation; -1 as long as there is no code."""
        self._circuit, self._asked = circuit, asked

    def work(self) -> None:
        levels = LEVELS if len(self._circuit.inputs) <= MAX_OPTIMISED else LEVELS[:1]
        missing = [level for level in levels if level > self.level]
        code = straight_code(self._circuit, self._asked) if missing else None
        for level in missing:
            assert code
            self.best = LaneCode(code, level, self.deadline)
            self.level = level
