"""Single words of 64 bits: counting, and turning states written in rows into lanes and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numpy.typing import NDArray

from ludens.runtime.jit import compiled, inlined, instructions

Words = NDArray[np.uint64]


def _count_trailing_zeros(typing: Any, word: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), emit


@instructions(_count_trailing_zeros)
def trailing_zeros(word: np.uint64) -> int:
    """The place of the lowest bit that is set."""
    number = int(word)
    return (number & -number).bit_length() - 1


@inlined
def transpose(block: Words) -> None:
    """Bit j of word i becomes bit i of word j, for 64 words."""
    width = 32
    mask = np.uint64(0x00000000FFFFFFFF)
    while width:
        for base in range(0, 64, 2 * width):
            for i in range(base, base + width):
                swapped = ((block[i] >> np.uint64(width)) ^ block[i + width]) & mask
                block[i + width] ^= swapped
                block[i] ^= swapped << np.uint64(width)
        width >>= 1
        mask ^= mask << np.uint64(width)


@compiled
def rows_to_lanes(rows: Words, words: Words, wires: NDArray[np.int32]) -> None:
    """Write states as lanes.

    `rows` [states, row words]: bit i of a row is item i. `words` [wires, W]: item i goes to the wire `wires[i]`.
    """
    block = np.empty(64, np.uint64)
    count = len(wires)
    for group in range((len(rows) + 63) // 64):
        size = min(64, len(rows) - 64 * group)
        for column in range((count + 63) // 64):
            for i in range(size):
                block[i] = rows[64 * group + i, column]
            block[size:] = 0
            transpose(block)
            for i in range(min(64, count - 64 * column)):
                words[wires[64 * column + i], group] = block[i]


@compiled
def lanes_to_rows(words: Words, wires: NDArray[np.int32], rows: Words) -> None:
    """Read lanes as states; the inverse of `rows_to_lanes`."""
    block = np.empty(64, np.uint64)
    count = len(wires)
    for group in range((len(rows) + 63) // 64):
        size = min(64, len(rows) - 64 * group)
        for column in range((count + 63) // 64):
            items = min(64, count - 64 * column)
            for i in range(items):
                block[i] = words[wires[64 * column + i], group]
            block[items:] = 0
            transpose(block)
            for i in range(size):
                rows[64 * group + i, column] = block[i]
