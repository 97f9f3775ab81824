"""Evaluating gates: all lanes of a wire at once, runs of like gates in one loop.

values    [wires] vectors
runs      [runs, 6] see `RUN_COLUMNS`
operands  the wires that gates read, gate after gate: first those that must be set, then those that must not
loops     [gates inside loops, 6] see `LOOP_COLUMNS`

A gate is the AND of its positive and of its inverted negative operands, stored inverted if `inverted` says so.
A run is a number of such gates with the same numbers of operands, whose outputs follow each other. A component
of recursive rules is a run of its own (positives is `LOOP`): its gates are evaluated one by one, to and fro in two
orders that stand one after the other in `loops`, until no wire that feeds back changes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.engines.sliced.vectors import Vector, Vectors, and_not, any_set, load, ones, store, zeros
from ludens.runtime.jit import compiled, inlined

RUN_COLUMNS = ("positives", "negatives", "inverted", "gates", "first operand", "first output")
LOOP_COLUMNS = ("positives", "negatives", "inverted", "feeds back", "first operand", "output")
LOOP = -1


class Gates(NamedTuple):
    """The gates of one phase of the evaluation."""

    runs: NDArray[np.int32]
    operands: NDArray[np.int32]
    loops: NDArray[np.int32]


@compiled
def evaluate(values: Vectors, gates: Gates) -> None:
    """Give all wires of a phase their values."""
    runs, operands = gates.runs, gates.operands
    for run in range(len(runs)):
        positives, negatives, count = runs[run, 0], runs[run, 1], runs[run, 3]
        place, out = runs[run, 4], runs[run, 5]
        flip = ones(values) if runs[run, 2] else zeros(values)
        # 1. The most frequent shapes, without inner loops.
        if positives == 2 and negatives == 0:
            for gate in range(count):
                both = load(values, operands[place]) & load(values, operands[place + 1])
                store(values, out + gate, both ^ flip)
                place += 2
        elif positives == 1 and negatives == 1:
            for gate in range(count):
                both = and_not(load(values, operands[place]), load(values, operands[place + 1]))
                store(values, out + gate, both ^ flip)
                place += 2
        elif positives == 0 and negatives == 2:
            for gate in range(count):
                either = load(values, operands[place]) | load(values, operands[place + 1])
                store(values, out + gate, ~either ^ flip)
                place += 2
        elif positives == 3 and negatives == 0:
            for gate in range(count):
                both = load(values, operands[place]) & load(values, operands[place + 1])
                store(values, out + gate, both & load(values, operands[place + 2]) ^ flip)
                place += 3
        elif positives == 2 and negatives == 1:
            for gate in range(count):
                both = load(values, operands[place]) & load(values, operands[place + 1])
                store(values, out + gate, and_not(both, load(values, operands[place + 2])) ^ flip)
                place += 3
        elif positives == 1 and negatives == 2:
            for gate in range(count):
                either = load(values, operands[place + 1]) | load(values, operands[place + 2])
                store(values, out + gate, and_not(load(values, operands[place]), either) ^ flip)
                place += 3
        elif positives == 0 and negatives == 3:
            for gate in range(count):
                either = load(values, operands[place]) | load(values, operands[place + 1])
                store(values, out + gate, ~(either | load(values, operands[place + 2])) ^ flip)
                place += 3
        # 2. Recursive rules.
        elif positives == LOOP:
            _settle(values, gates, out, count)
        # 3. All other shapes.
        else:
            for gate in range(count):
                store(values, out + gate, _gate(values, operands, place, positives, negatives) ^ flip)
                place += positives + negatives


@inlined
def _gate(values: Vectors, operands: NDArray[np.int32], place: int, positives: int, negatives: int) -> Vector:
    """The AND of some operands and of the inverses of those after them."""
    middle, end = place + positives, place + positives + negatives
    unwanted = zeros(values)
    operand = middle
    while operand + 1 < end:
        unwanted = unwanted | load(values, operands[operand]) | load(values, operands[operand + 1])
        operand += 2
    if operand < end:
        unwanted = unwanted | load(values, operands[operand])
    result = ~unwanted
    for operand in range(place, middle):
        result = result & load(values, operands[operand])
    return result


@inlined
def _settle(values: Vectors, gates: Gates, first: int, count: int) -> None:
    """Evaluate the gates of one component until nothing changes; what feeds back is false at first."""
    loops, operands = gates.loops, gates.operands
    for gate in range(first, first + count):
        if loops[gate, 3]:
            store(values, loops[gate, 5], zeros(values))
    sweep = 0
    changing = True
    while changing:
        changes = zeros(values)
        begin = first + sweep % 2 * count
        for gate in range(begin, begin + count):
            positives, negatives, place, out = loops[gate, 0], loops[gate, 1], loops[gate, 4], loops[gate, 5]
            if positives == 1 and negatives == 1:
                result = and_not(load(values, operands[place]), load(values, operands[place + 1]))
            else:
                result = _gate(values, operands, place, positives, negatives)
            if loops[gate, 2]:
                result = ~result
            if loops[gate, 3]:
                changes = changes | (result ^ load(values, out))
            store(values, out, result)
        changing = any_set(changes)
        sweep += 1
