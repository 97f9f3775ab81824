"""Evaluating some gates for any number of states, batch after batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludens.engines.sliced.bits_kernel import Words, lanes_to_rows, rows_to_lanes
from ludens.engines.sliced.gates_kernel import Gates, evaluate
from ludens.engines.sliced.vectors import Vectors
from ludens.runtime.jit import compiled

Ints = NDArray[np.int32]


@compiled
def ask(
    states: Words,
    moves: Words,
    values: Vectors,
    words: Words,
    fluent_wires: Ints,
    move_wires: Ints,
    gates: Gates,
    asked: Ints,
    answers: Words,
) -> None:
    """Fill in the answers [states, row words] for states and moves in rows; `moves` has no rows if none are made.

    `values` and `words` are the same memory, as vectors and as words [wires, W].
    """
    lanes = 64 * words.shape[1]
    for first in range(0, len(states), lanes):
        rows_to_lanes(states[first : first + lanes], words, fluent_wires)
        if len(moves):
            rows_to_lanes(moves[first : first + lanes], words, move_wires)
        evaluate(values, gates)
        lanes_to_rows(words, asked, answers[first : first + lanes])
