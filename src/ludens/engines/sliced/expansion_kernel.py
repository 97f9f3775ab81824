"""From states and moves to the states after them, and what can be said about these: batch after batch.

Rows and lanes are as in `bits_kernel`. Moves are numbered through all roles, one role after the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.engines.sliced.bits_kernel import Words, lanes_to_rows, rows_to_lanes, trailing_zeros
from ludens.engines.sliced.gates_kernel import Gates, evaluate
from ludens.engines.sliced.vectors import Vectors, load, store
from ludens.runtime.jit import compiled, inlined

Ints = NDArray[np.int32]


class ExpansionTables(NamedTuple):
    """What a game's circuit is evaluated by, first for the step and then for a look at where it led."""

    step: Gates
    step_fluents: Ints
    step_moves: Ints
    next_wires: Ints
    look: Gates
    look_fluents: Ints
    legal_wires: Ints
    other_wires: Ints
    """The wire of the end, then those of the goals."""
    goal_starts: Ints
    """[roles + 1]: where the goals of each role begin."""
    goal_values: NDArray[np.int16]
    """[goals]: -1 for what is no number from 0 to 100."""


class ExpansionMemory(NamedTuple):
    """Room for one batch; `values` and `words` are the same memory as vectors and as words [wires, W]."""

    step_values: Vectors
    step_words: Words
    look_values: Vectors
    look_words: Words
    other_rows: Words
    """[lanes, row words of the end and the goals]."""


class Expanded(NamedTuple):
    """The states after the moves, and what is so there; all [states, ...]."""

    rows: Words
    legal: Words
    """Bit i of a row: move i is legal."""
    terminal: NDArray[np.bool_]
    goals: NDArray[np.int16]
    """[states, roles]: -1 where the rules give no single value."""


@compiled
def expand(
    tables: ExpansionTables, memory: ExpansionMemory, states: Words, moves: Ints, count: int, expanded: Expanded
) -> None:
    """Make the joint moves [states, roles] in the first `count` states."""
    words, step_moves = memory.step_words, tables.step_moves
    lanes = 64 * words.shape[1]
    for first in range(0, count, lanes):
        last = min(first + lanes, count)
        rows_to_lanes(states[first:last], words, tables.step_fluents)
        for wire in range(len(step_moves)):
            for word in range(words.shape[1]):
                words[step_moves[wire], word] = 0
        for state in range(first, last):
            lane = state - first
            bit = np.uint64(1) << np.uint64(lane & 63)
            for role in range(moves.shape[1]):
                words[step_moves[moves[state, role]], lane >> 6] |= bit
        evaluate(memory.step_values, tables.step)
        for fluent in range(len(tables.next_wires)):
            after = load(memory.step_values, tables.next_wires[fluent])
            store(memory.look_values, tables.look_fluents[fluent], after)
        lanes_to_rows(words, tables.next_wires, expanded.rows[first:last])
        _look(tables, memory, first, last, expanded)


@compiled
def look(tables: ExpansionTables, memory: ExpansionMemory, states: Words, count: int, expanded: Expanded) -> None:
    """The same for the first `count` states themselves, with no move made."""
    lanes = 64 * memory.look_words.shape[1]
    for first in range(0, count, lanes):
        last = min(first + lanes, count)
        rows_to_lanes(states[first:last], memory.look_words, tables.look_fluents)
        expanded.rows[first:last] = states[first:last]
        _look(tables, memory, first, last, expanded)


@inlined
def _look(tables: ExpansionTables, memory: ExpansionMemory, first: int, last: int, expanded: Expanded) -> None:
    words, others, starts = memory.look_words, memory.other_rows, tables.goal_starts
    evaluate(memory.look_values, tables.look)
    lanes_to_rows(words, tables.legal_wires, expanded.legal[first:last])
    lanes_to_rows(words, tables.other_wires, others[: last - first])
    for state in range(first, last):
        lane = state - first
        expanded.terminal[state] = others[lane, 0] & np.uint64(1) != 0
        for role in range(len(starts) - 1):
            value, found = -1, 0
            for goal in range(starts[role], starts[role + 1]):
                if others[lane, (goal + 1) >> 6] >> np.uint64((goal + 1) & 63) & np.uint64(1):
                    value = tables.goal_values[goal]
                    found += 1
            expanded.goals[state, role] = value if found == 1 else -1


@inlined
def list_moves(legal: Words, first: int, last: int, moves: Ints, place: int) -> int:
    """Write the numbers from `first` below `last` whose bits are set in a row, from `place` on; the place after."""
    for column in range(first >> 6, (last + 63) >> 6):
        bits = legal[column]
        while bits:
            move = 64 * column + trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            if first <= move < last:
                moves[place] = move
                place += 1
    return place


@compiled
def list_all_moves(legal: Words, role_starts: Ints, starts: NDArray[np.int64], moves: Ints) -> None:
    """The legal moves of all states and roles, one after the other.

    `role_starts` [roles + 1] are the numbers of each role's moves; `starts` [states * roles + 1] becomes the places
    in `moves` where each list begins.
    """
    roles = len(role_starts) - 1
    place = 0
    for state in range(len(legal)):
        for role in range(roles):
            starts[state * roles + role] = place
            place = list_moves(legal[state], role_starts[role], role_starts[role + 1], moves, place)
    starts[len(legal) * roles] = place
