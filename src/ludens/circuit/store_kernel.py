"""The gates of a circuit while it is being built, each different gate once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludens.runtime.jit import compiled

Ints = npt.NDArray[np.int32]


class GateStore(NamedTuple):
    """Growing lists of gates; `sizes` holds the numbers of gates and inputs."""

    first_gate: int
    starts: Ints
    inputs: Ints
    table: Ints
    """Open hash table of gate numbers, -1 where free; its length is a power of two."""
    sizes: npt.NDArray[np.int64]


def new_store(first_gate: int, max_gates: int, max_inputs: int) -> GateStore:
    slots = 1 << max(4, (2 * max_gates + 1).bit_length())
    return GateStore(
        first_gate,
        np.zeros(max_gates + 1, np.int32),
        np.empty(max_inputs, np.int32),
        np.full(slots, -1, np.int32),
        np.zeros(2, np.int64),
    )


@compiled
def sort_literals(literals: Ints, count: int) -> None:
    if count > 40:
        literals[:count].sort()
        return
    for i in range(1, count):
        value = literals[i]
        j = i - 1
        while j >= 0 and literals[j] > value:
            literals[j + 1] = literals[j]
            j -= 1
        literals[j + 1] = value


@compiled
def normalise(literals: Ints, count: int) -> int:
    """Sort, drop repetitions and `true`; return the new count, or -1 for an AND that never holds."""
    sort_literals(literals, count)
    kept = 0
    for i in range(count):
        literal = literals[i]
        if literal == 0:
            return -1
        if literal == 1 or (kept and literals[kept - 1] == literal):
            continue
        if kept and literals[kept - 1] ^ 1 == literal:
            return -1
        literals[kept] = literal
        kept += 1
    return kept


@compiled
def add_and(store: GateStore, literals: Ints, count: int) -> int:
    """Return the literal of the AND of the first `count` literals, which get sorted."""
    count = normalise(literals, count)
    if count < 0:
        return 0
    if count == 0:
        return 1
    if count == 1:
        return int(literals[0])
    # 1. Look for the same gate.
    mask = len(store.table) - 1
    code = np.uint32(count)
    for i in range(count):
        code = np.uint32((np.uint64(code) ^ np.uint64(literals[i])) * np.uint64(0x9E3779B1) & np.uint64(0xFFFFFFFF))
        code ^= code >> np.uint32(15)
    slot = np.int64(code) & mask
    while store.table[slot] >= 0:
        gate = store.table[slot]
        begin = store.starts[gate]
        if store.starts[gate + 1] - begin == count:
            same = True
            for i in range(count):
                if store.inputs[begin + i] != literals[i]:
                    same = False
                    break
            if same:
                return 2 * (store.first_gate + int(gate))
        slot = (slot + 1) & mask
    # 2. There is none: add it.
    gate, end = store.sizes[0], store.sizes[1]
    if gate + 1 >= len(store.starts) or end + count > len(store.inputs):
        raise MemoryError("the store of gates is full")
    store.table[slot] = gate
    for i in range(count):
        store.inputs[end + i] = literals[i]
    store.starts[gate + 1] = end + count
    store.sizes[0] = gate + 1
    store.sizes[1] = end + count
    return 2 * (store.first_gate + int(gate))
