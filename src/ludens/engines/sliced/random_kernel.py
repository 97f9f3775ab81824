"""Random bits for all lanes: each word of a vector is fed by its own generator, xoshiro256++.

All 64 bits of its output are good, so each bit serves as an independent coin for one lane.

state  [4] vectors, one generator per word
"""

from __future__ import annotations

import numpy as np

from ludens.engines.sliced.vectors import (
    Vector,
    Vectors,
    aligned_vectors,
    load,
    shift_left,
    shift_right,
    store,
    words_of,
)
from ludens.runtime.jit import inlined

WORD_MASK = 2**64 - 1


def seeded_state(seed: int, width: int) -> Vectors:
    """The start of `width` generators; their states follow each other in the splitmix64 sequence of the seed."""
    state = aligned_vectors(4, width)
    words = words_of(state)
    counter = seed & WORD_MASK
    for stream in range(width):
        for part in range(4):
            counter = (counter + 0x9E3779B97F4A7C15) & WORD_MASK
            words[part, stream] = _scrambled(counter)
    return state


def _scrambled(number: int) -> np.uint64:
    """The output function of splitmix64."""
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & WORD_MASK
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & WORD_MASK
    return np.uint64(number ^ (number >> 31))


@inlined
def rotated(vector: Vector, places: int) -> Vector:
    """Each word rotated up by 1 to 63 bits."""
    return shift_left(vector, places) | shift_right(vector, 64 - places)


@inlined
def fill_random(state: Vectors, vectors: Vectors, start: int, count: int) -> None:
    """Write `count` vectors of random bits, keeping the generators in registers meanwhile."""
    first, second, third, fourth = load(state, 0), load(state, 1), load(state, 2), load(state, 3)
    for index in range(start, start + count):
        store(vectors, index, rotated(first + fourth, 23) + first)
        shifted = shift_left(second, 17)
        third = third ^ first
        fourth = fourth ^ second
        second = second ^ third
        first = first ^ fourth
        third = third ^ shifted
        fourth = rotated(fourth, 45)
    store(state, 0, first)
    store(state, 1, second)
    store(state, 2, third)
    store(state, 3, fourth)
