"""Asking one thing about many states: a part of the circuit, and room to evaluate it."""

from __future__ import annotations

import numpy as np

from ludens.circuit import Circuit
from ludens.engines.rows import Rows, row_words
from ludens.engines.sliced.layout import FIRST_FLUENT, Ints, lay_out, new_wires
from ludens.engines.sliced.question_kernel import ask
from ludens.engines.sliced.vectors import words_of
from ludens.runtime.process_lock import ProcessLock

WIDTH = 8
"""Words per wire: 512 states are asked at once."""


class Question:
    """Some literals of a circuit, asked of any number of states; by several threads one after the other."""

    def __init__(self, circuit: Circuit, literals: Ints) -> None:
        layout = lay_out(circuit, [literals])
        self._gates, self._asked = layout.phases[0], layout.outputs[0]
        self._values = new_wires(layout.wire_count, WIDTH)
        self._words = words_of(self._values)
        self._fluents = np.arange(FIRST_FLUENT, layout.first_move, dtype=np.int32)
        self._moves = np.arange(layout.first_move, layout.first_move + circuit.move_count, dtype=np.int32)
        self._no_moves = np.zeros((0, row_words(circuit.move_count)), np.uint64)
        self._lock = ProcessLock()

    def ask(self, states: Rows, moves: Rows | None = None) -> Rows:
        """One row per state: bit i tells whether literal i holds, after these moves if it depends on them."""
        answers = np.zeros((len(states), row_words(len(self._asked))), np.uint64)
        made = self._no_moves if moves is None else moves
        with self._lock:
            ask(states, made, self._values, self._words, self._fluents, self._moves, self._gates, self._asked, answers)
        return answers
