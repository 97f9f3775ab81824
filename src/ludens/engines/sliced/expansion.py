"""Expanding states: the children of many states in one pass, with all that a search wants to know about them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludens.circuit import Circuit
from ludens.engines.base import Ints
from ludens.engines.rows import Rows, row_words
from ludens.engines.sliced.expansion_kernel import Expanded, ExpansionMemory, ExpansionTables, expand, look
from ludens.engines.sliced.layout import FIRST_FLUENT, lay_out, new_wires
from ludens.engines.sliced.vectors import words_of

WIDTH = 8
"""Words per wire: narrower ones are no faster."""


class Expander:
    """The tables that expand states of one game; `new_memory` gives each thread room of its own."""

    def __init__(self, circuit: Circuit, goal_values: NDArray[np.int16]) -> None:
        others = np.concatenate([[circuit.terminal], circuit.goals])
        step = lay_out(circuit, [circuit.next])
        seen = lay_out(circuit, [np.concatenate([circuit.legal, others]).astype(np.int32)])
        legal_wires, other_wires = np.split(seen.outputs[0], [circuit.move_count])
        self.tables = ExpansionTables(
            step=step.phases[0],
            step_fluents=np.arange(FIRST_FLUENT, step.first_move, dtype=np.int32),
            step_moves=np.arange(step.first_move, step.first_move + circuit.move_count, dtype=np.int32),
            next_wires=step.outputs[0],
            look=seen.phases[0],
            look_fluents=np.arange(FIRST_FLUENT, seen.first_move, dtype=np.int32),
            legal_wires=legal_wires,
            other_wires=other_wires,
            goal_starts=np.concatenate([[0], np.cumsum(circuit.goal_counts)]).astype(np.int32),
            goal_values=goal_values,
        )
        self._wires = step.wire_count, seen.wire_count
        self._words = row_words(circuit.fluent_count), row_words(circuit.move_count)

    def new_memory(self) -> ExpansionMemory:
        step_values, look_values = (new_wires(count, WIDTH) for count in self._wires)
        others = np.zeros((64 * WIDTH, row_words(len(self.tables.other_wires))), np.uint64)
        return ExpansionMemory(step_values, words_of(step_values), look_values, words_of(look_values), others)

    def room(self, states: int) -> Expanded:
        """Arrays that the given number of expanded states can be written to."""
        state_words, move_words = self._words
        return Expanded(
            rows=np.zeros((states, state_words), np.uint64),
            legal=np.zeros((states, move_words), np.uint64),
            terminal=np.zeros(states, np.bool_),
            goals=np.zeros((states, len(self.tables.goal_starts) - 1), np.int16),
        )

    def expand(self, memory: ExpansionMemory, states: Rows, moves: Ints) -> Expanded:
        """The states after the joint moves [states, roles]."""
        expanded = self.room(len(states))
        expand(self.tables, memory, states, moves, len(states), expanded)
        return expanded

    def look(self, memory: ExpansionMemory, states: Rows) -> Expanded:
        """What can be said about the states themselves."""
        expanded = self.room(len(states))
        look(self.tables, memory, states, len(states), expanded)
        return expanded
