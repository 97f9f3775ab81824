"""Inputs that several gates have in common become gates of their own.

The gates are lists that shrink: a place that is no longer used holds -1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludens.circuit.store_kernel import Ints
from ludens.runtime.jit import compiled

Longs = npt.NDArray[np.int64]

WIDE = 24
"""In gates up to this width all pairs of inputs are counted, in wider ones those that are near each other."""
NEAR = 6
MIN_OCCURRENCES = 4
"""A pair in at least this many gates is worth a gate of its own."""


class GateSets(NamedTuple):
    """GateSets as sets of literals, and where each literal occurs."""

    first_gate: int
    starts: Ints
    """[gates + 1]"""
    inputs: Ints
    widths: Ints
    """[gates]: how many inputs are left."""
    occurrence_starts: Ints
    """[literals + 1]"""
    occurrences: Ints
    """The gates of each literal; some may have lost it."""
    keys: Longs
    """Hash table of gates and literals: `gate << 32 | literal`, -1 where free."""
    places: Ints
    """[len(keys)]: where in `inputs` the literal stands."""


@compiled
def key_of(high: int, low: int) -> int:
    return int(high) << 32 | int(low)


@compiled
def slot_of(keys: Longs, key: int) -> int:
    """Return where a key is in an open hash table, or the free slot for it."""
    mask = len(keys) - 1
    slot = (((key >> 32) * 0x45EBCA77 + (key & 0xFFFFFFFF) * 0x5E3779B1) >> 13) & mask
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@compiled
def place_of(gates: GateSets, gate: int, literal: int) -> int:
    """Return where a literal stands among the inputs, or -1."""
    slot = slot_of(gates.keys, key_of(gate, literal))
    if gates.keys[slot] < 0:
        return -1
    place = gates.places[slot]
    return place if gates.inputs[place] == literal else -1


@compiled
def index_gates(gates: GateSets) -> None:
    for gate in range(len(gates.starts) - 1):
        for place in range(gates.starts[gate], gates.starts[gate + 1]):
            key = key_of(gate, gates.inputs[place])
            slot = slot_of(gates.keys, key)
            gates.keys[slot] = key
            gates.places[slot] = place


@compiled
def use_subsets(gates: GateSets, by_width: Ints, longest: int) -> None:
    """Let gates that have all inputs of another gate read that gate instead; wide ones first."""
    for small in by_width:
        begin, end = gates.starts[small], gates.starts[small + 1]
        if end - begin < 2 or gates.widths[small] < end - begin:
            continue
        rarest, fewest = -1, longest + 1
        for place in range(begin, end):
            literal = gates.inputs[place]
            count = gates.occurrence_starts[literal + 1] - gates.occurrence_starts[literal]
            if count < fewest:
                rarest, fewest = literal, count
        if rarest < 0:
            continue
        for number in range(gates.occurrence_starts[rarest], gates.occurrence_starts[rarest + 1]):
            large = gates.occurrences[number]
            if large == small or gates.widths[large] <= end - begin:
                continue
            place = begin
            while place < end and place_of(gates, large, gates.inputs[place]) >= 0:
                place += 1
            if place < end:
                continue
            first = place_of(gates, large, gates.inputs[begin])
            for place in range(begin, end):
                gates.inputs[place_of(gates, large, gates.inputs[place])] = -1
            gates.widths[large] -= end - begin
            whole = 2 * (gates.first_gate + small)
            if place_of(gates, large, whole) < 0:
                gates.inputs[first] = whole
                gates.widths[large] += 1


@compiled
def count_pairs(gates: GateSets, keys: Longs, counts: Ints) -> None:
    """Count how often each pair of inputs, `small << 32 | large`, occurs; until the table is nearly full."""
    room = len(keys) // 4 * 3
    for gate in range(len(gates.starts) - 1):
        for i in range(gates.starts[gate], gates.starts[gate + 1]):
            small = gates.inputs[i]
            last = gates.starts[gate + 1]
            if gates.widths[gate] > WIDE:
                last = min(last, i + 1 + NEAR)
            for j in range(i + 1, last):
                large = gates.inputs[j]
                if small < 0 or large < 0:
                    continue
                key = key_of(min(small, large), max(small, large))
                slot = slot_of(keys, key)
                if keys[slot] < 0:
                    if room == 0:
                        continue
                    room -= 1
                    keys[slot] = key
                counts[slot] += 1


@compiled
def extract_pairs(gates: GateSets, pairs: Longs, counts: Ints, found: Ints) -> int:
    """Make gates of pairs of inputs, the first ones first; `found` [pairs, 2] are the inputs of the new gates.

    A pair that has become much rarer than it was counted is left for another time.
    """
    made = 0
    new = 2 * (gates.first_gate + len(gates.starts) - 1)
    users = np.empty(len(gates.starts), np.int32)
    for number in range(len(pairs)):
        a, b = int(pairs[number] >> 32), int(pairs[number] & 0xFFFFFFFF)
        starts = gates.occurrence_starts
        rare = a if starts[a + 1] - starts[a] < starts[b + 1] - starts[b] else b
        count = 0
        for place in range(starts[rare], starts[rare + 1]):
            gate = gates.occurrences[place]
            if place_of(gates, gate, a) >= 0 and place_of(gates, gate, b) >= 0:
                users[count] = gate
                count += 1
        if count < MIN_OCCURRENCES or 4 * count < 3 * counts[number]:
            continue
        for i in range(count):
            gates.inputs[place_of(gates, users[i], a)] = new + 2 * made
            gates.inputs[place_of(gates, users[i], b)] = -1
            gates.widths[users[i]] -= 1
        found[made, 0], found[made, 1] = a, b
        made += 1
    return made
