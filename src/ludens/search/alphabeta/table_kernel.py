"""The transposition table: bounds on the values of states, in a fixed amount of memory.

keys      [slots, 2]: 128 bits for each state, the XOR of random words, one pair for each bit of a row that is set
notes     [slots, NOTES]: the columns below; an empty slot has age 0
values    [slots, sides]
random_words  [bits of a row + 1, 2]; the last pair marks the keys of states whose step counter does not matter
counts    [2]: the slots in use, and the age of the search under way

What is known of a value is two bits: whether the value written is a lower bound (LOWER), and an upper bound (UPPER);
both if it is exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludens.engines.sliced.bits_kernel import Words, trailing_zeros
from ludens.runtime.jit import compiled, inlined

Ints = NDArray[np.int32]

LOWER, UPPER, EXACT = 1, 2, 3
MOVE, DEPTH, KNOWN, PROVEN, AGE, NOTES = range(6)
BUCKET = 4
"""The slots in a row that may hold a state."""


@inlined
def write_key(
    random_words: Words, rows: Words, state: int, ignored: Words, ignores: bool, keys: Words, place: int
) -> None:
    """Write the key of a state, without the bits of `ignored` [row words] if it `ignores` them."""
    first, second = np.uint64(0), np.uint64(0)
    for column in range(rows.shape[1]):
        bits = rows[state, column]
        if ignores:
            bits &= ~ignored[column]
        while bits:
            bit = 64 * column + trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            first ^= random_words[bit, 0]
            second ^= random_words[bit, 1]
    if ignores:
        first ^= random_words[64 * rows.shape[1], 0]
        second ^= random_words[64 * rows.shape[1], 1]
    keys[place, 0], keys[place, 1] = first, second


@inlined
def find(table_keys: Words, notes: Ints, first: np.uint64, second: np.uint64) -> int:
    """Return the slot of a state by its key, or -1."""
    buckets = len(table_keys) // BUCKET
    if buckets == 0:
        return -1
    start = BUCKET * int(first % np.uint64(buckets))
    for slot in range(start, start + BUCKET):
        if table_keys[slot, 0] == first and table_keys[slot, 1] == second and notes[slot, AGE] > 0:
            return slot
    return -1


@compiled
def look_up(random_words: Words, row: Words, ignored: Words, ignores: bool, table_keys: Words, notes: Ints) -> int:
    """Return the slot of the state of a row [1, row words], or -1; see `write_key`."""
    keys = np.empty((1, 2), np.uint64)
    write_key(random_words, row, 0, ignored, ignores, keys, 0)
    return find(table_keys, notes, keys[0, 0], keys[0, 1])


@inlined
def place_for(table_keys: Words, notes: Ints, counts: NDArray[np.int64], first: np.uint64, second: np.uint64) -> int:
    """Return the slot to write a state to: its own, an empty one, or the oldest and shallowest; -1 without slots."""
    buckets = len(table_keys) // BUCKET
    if buckets == 0:
        return -1
    start = BUCKET * int(first % np.uint64(buckets))
    chosen, least = -1, 0
    for slot in range(start, start + BUCKET):
        if notes[slot, AGE] == 0:
            counts[0] += 1
            return slot
        if table_keys[slot, 0] == first and table_keys[slot, 1] == second:
            return slot
        worth = int(notes[slot, DEPTH]) - 1_000_000 * int(counts[1] - notes[slot, AGE])
        if chosen < 0 or worth < least:
            chosen, least = slot, worth
    return chosen


@inlined
def store(
    table_keys: Words,
    notes: Ints,
    values: NDArray[np.float64],
    counts: NDArray[np.int64],
    key: tuple[np.uint64, np.uint64],
    move: int,
    depth: int,
    known: int,
    proven: int,
    value: NDArray[np.float64],
) -> None:
    """Store the result of a search of some depth; what is proven holds for any depth."""
    slot = place_for(table_keys, notes, counts, key[0], key[1])
    if slot < 0:
        return
    same = notes[slot, AGE] > 0 and table_keys[slot, 0] == key[0] and table_keys[slot, 1] == key[1]
    notes[slot, AGE] = counts[1]
    if same and notes[slot, PROVEN] == EXACT:
        return
    table_keys[slot, 0], table_keys[slot, 1] = key[0], key[1]
    if move >= 0 or not same:
        notes[slot, MOVE] = move
    notes[slot, DEPTH], notes[slot, KNOWN], notes[slot, PROVEN] = depth, known, proven
    for side in range(len(value)):
        values[slot, side] = value[side]
