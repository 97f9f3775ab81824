"""The functions of `runtime` as machine code for any game, made once in a process."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.engines.native import runtime
from ludens.engines.native.language import read_functions
from ludens.engines.native.llvm_writer import DECLARATIONS, Framed, LlvmWriter
from ludens.engines.native.machine import NativeCode
from ludens.engines.native.plan import Plan

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

    def __init__(self, plan: Plan) -> None:
        self._kept: dict[str, NDArray[Any]] = dict(plan.tables)
        self._kept |= {array.name: np.zeros(array.length, array.dtype) for array in plan.workspace}
        dtypes = {name: array.dtype for name, array in self._kept.items()}
        addresses = {name: array.ctypes.data for name, array in self._kept.items()}
        values = {**plan.scalars, **addresses}
        self._frame = np.array([values[name] for name in sorted(values)], np.uint64)
        self.address = self._frame.ctypes.data
        self.kernel = _kernel(tuple(sorted(plan.scalars)), tuple(sorted(dtypes.items())))
        self.call = self.kernel.functions
        self.moves = np.empty(len(plan.tables["first_moves"]) + int(plan.tables["first_moves"][-1]), np.uint32)
        self.after = np.zeros((1, -(-plan.scalars["state_bytes"] // 8)), np.uint64)
        """Room for the moves of a role or of all roles, and for a state."""
        self.moves_address, self.after_address = self.moves.ctypes.data, self.after.ctypes.data


@dataclass(frozen=True, slots=True)
class Kernel:
    """The functions of `runtime`."""

    code: NativeCode
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
    code = NativeCode("\n".join([DECLARATIONS, *texts, writer.metadata()]), level=2, keep=True)
    addresses = {name: code.address(f"offered_{name}") for name in SIGNATURES}
    functions = {name: ctypes.CFUNCTYPE(*types)(addresses[name]) for name, types in SIGNATURES.items()}
    return Kernel(code, addresses, functions)
