"""Gate after gate: constants, equal gates, nested ANDs, and inputs that follow from other inputs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludens.circuit.store_kernel import GateStore, Ints, add_and, normalise
from ludens.runtime.jit import compiled

MAX_IMPLIED = 24
"""The limit on recorded consequences of a literal; any subset of them is sound."""
IMPLIED_PER_NODE = 12
"""Room for consequences, for each node on average; when it is used up, no more are recorded."""


class MoveNodes(NamedTuple):
    """What is known of the moves made: each role makes exactly one, and it is legal. Without moves: nothing."""

    first: int
    """The node of the first move."""
    role_starts: Ints
    """[roles + 1]: the node of the first move of each role."""
    roles: Ints
    """[moves]"""
    legal: Ints
    """[moves]: the literals that tell whether they are legal, in the circuit to simplify."""
    ready: int
    """The gate before which all gates for `legal` stand."""


class Implied(NamedTuple):
    """For each literal others that hold with it: `items[rows[literal] : rows[literal] + sizes[literal]]`."""

    rows: npt.NDArray[np.int64]
    sizes: Ints
    items: Ints
    end: npt.NDArray[np.int64]
    """[1]: how many items there are."""


class Known(NamedTuple):
    """What the inputs of the present gate say, by themselves or by what they imply."""

    counts: Ints
    """[literals]: how many of them say it."""
    role_counts: Ints
    """[roles]: how many of them say what the move of the role is."""
    role_moves: Ints
    """[roles]: the node of that move."""


@compiled
def mark(known: Known, moves: MoveNodes, implied: Implied, literal: int, change: int) -> bool:
    """Count a literal and its consequences in or out; return whether they contradict what is known."""
    contradiction = False
    row = implied.rows[literal]
    for i in range(-1, implied.sizes[literal]):
        item = literal if i < 0 else implied.items[row + i]
        known.counts[item] += change
        contradiction |= known.counts[item ^ 1] > 0
        move = (item >> 1) - moves.first
        if item & 1 == 0 and 0 <= move < len(moves.roles):
            role = moves.roles[move]
            contradiction |= known.role_counts[role] > 0 and known.role_moves[role] != item >> 1
            known.role_moves[role] = item >> 1
            known.role_counts[role] += change
    return contradiction


@compiled
def forget(known: Known, implied: Implied, literal: int) -> None:
    row = implied.rows[literal]
    known.counts[literal] = 0
    for i in range(implied.sizes[literal]):
        known.counts[implied.items[row + i]] = 0


@compiled
def is_known(known: Known, moves: MoveNodes, literal: int) -> bool:
    if known.counts[literal] > 0:
        return True
    move = (literal >> 1) - moves.first
    if literal & 1 and 0 <= move < len(moves.roles):
        role = moves.roles[move]
        return bool(known.role_counts[role] > 0 and known.role_moves[role] != literal >> 1)
    return False


@compiled
def follows(known: Known, moves: MoveNodes, implied: Implied, literal: int) -> bool:
    """Return whether a literal is known, or its inverse implies what is known not to hold."""
    if is_known(known, moves, literal):
        return True
    row = implied.rows[literal ^ 1]
    found = False
    for i in range(implied.sizes[literal ^ 1]):
        found = found or is_known(known, moves, implied.items[row + i] ^ 1)
    return found


@compiled
def reduced(store: GateStore, known: Known, moves: MoveNodes, implied: Implied, literal: int) -> int:
    """Return the literal, or a simpler one that is the same given what is known."""
    if follows(known, moves, implied, literal):
        return 1
    if follows(known, moves, implied, literal ^ 1):
        return 0
    child = (literal >> 1) - store.first_gate
    if child < 0:
        return literal
    last, unknown = 1, 0
    for place in range(store.starts[child], store.starts[child + 1]):
        other = store.inputs[place]
        if not follows(known, moves, implied, other):
            last = other
            unknown += 1
            if unknown > 1:
                return literal
    return last ^ (literal & 1)


@compiled
def note_all(implied: Implied, seen: Ints, target: int, literals: Ints, count: int) -> None:
    """Record that a literal implies all of some others and what they imply."""
    start = end = implied.end[0]
    limit = min(start + MAX_IMPLIED, len(implied.items))
    for deep in range(2):
        for i in range(count):
            row = implied.rows[literals[i]]
            for j in range(implied.sizes[literals[i]] if deep else 1):
                item = implied.items[row + j] if deep else literals[i]
                if end < limit and seen[item] != target:
                    seen[item] = target
                    implied.items[end] = item
                    end += 1
    implied.rows[target] = start
    implied.sizes[target] = end - start
    implied.end[0] = end


@compiled
def note_common(implied: Implied, seen: Ints, target: int, literals: Ints, count: int) -> None:
    """Record what the inverses of all the literals imply: all that is sure when one of the literals fails."""
    start = end = implied.end[0]
    if start + MAX_IMPLIED + 1 > len(implied.items):
        return
    for i in range(count):
        literal = literals[i] ^ 1
        row, size = implied.rows[literal], implied.sizes[literal]
        if i == 0:
            implied.items[end] = literal
            end += 1
            for j in range(size):
                implied.items[end] = implied.items[row + j]
                end += 1
            continue
        stamp = -1 - i
        seen[literal] = stamp
        for j in range(size):
            seen[implied.items[row + j]] = stamp
        kept = start
        for place in range(start, end):
            if seen[implied.items[place]] == stamp:
                implied.items[kept] = implied.items[place]
                kept += 1
        seen[literal] = -1
        for j in range(size):
            seen[implied.items[row + j]] = -1
        end = kept
        if end == start:
            break
    implied.rows[target] = start
    implied.sizes[target] = end - start
    implied.end[0] = end


@compiled
def add_gate(store: GateStore, implied: Implied, seen: Ints, literals: Ints, count: int) -> int:
    """Return the literal of an AND, after recording the consequences of a new gate."""
    before = store.sizes[0]
    literal = add_and(store, literals, count)
    if store.sizes[0] > before:
        inputs = store.inputs[store.starts[before] : store.starts[before + 1]]
        note_all(implied, seen, literal, inputs, len(inputs))
        note_common(implied, seen, literal ^ 1, inputs, len(inputs))
    return literal


@compiled
def collect_inputs(
    starts: Ints, inputs: Ints, inside: npt.NDArray[np.bool_], mapped: Ints, first_gate: int, gate: int, literals: Ints
) -> int:
    """Collect the new inputs of a gate, through the gates `inside` it; return their number."""
    count = 0
    waiting = 1
    literals[len(literals) - 1] = 2 * (first_gate + gate)
    while waiting:
        child = (literals[len(literals) - waiting] >> 1) - first_gate
        waiting -= 1
        for place in range(starts[child], starts[child + 1]):
            literal = inputs[place]
            inner = (literal >> 1) - first_gate
            if inner >= 0 and inside[inner]:
                waiting += 1
                literals[len(literals) - waiting] = literal
            else:
                literals[count] = mapped[literal >> 1] ^ (literal & 1)
                count += 1
    return count


@compiled
def turn_many_moves(
    store: GateStore, implied: Implied, seen: Ints, moves: MoveNodes, literals: Ints, count: int, scratch: Ints
) -> int:
    """Replace the exclusion of most moves of a role by the choice of another one; return the new count.

    The literals are sorted.
    """
    kept = 0
    i = 0
    while i < count:
        move = (literals[i] >> 1) - moves.first
        if move < 0 or move >= len(moves.roles):
            literals[kept] = literals[i]
            kept += 1
            i += 1
            continue
        # The inputs from i to the first that is no move of this role.
        role = moves.roles[move]
        begin, end = moves.role_starts[role], moves.role_starts[role + 1]
        j = i
        positive = False
        others = 0
        node = begin
        while j < count and literals[j] >> 1 < end:
            positive |= literals[j] & 1 == 0
            while node < literals[j] >> 1:
                scratch[others] = 2 * node + 1
                others += 1
                node += 1
            node += 1
            j += 1
        excluded = j - i
        left = end - begin - excluded
        if positive or (left > 1 and left + 3 > excluded):
            for k in range(i, j):
                literals[kept] = literals[k]
                kept += 1
        else:
            while node < end:
                scratch[others] = 2 * node + 1
                others += 1
                node += 1
            literals[kept] = add_gate(store, implied, seen, scratch, others) ^ 1
            kept += 1
        i = j
    return kept


@compiled
def simplify_gates(
    store: GateStore,
    starts: Ints,
    inputs: Ints,
    uses: Ints,
    inside: npt.NDArray[np.bool_],
    mapped: Ints,
    moves: MoveNodes,
) -> None:
    """Rebuild all gates in a new store.

    `uses` [nodes]: how often each old node is read. `inside` [gates]: whether an old gate is read only once, as
    an input of an AND, and so becomes part of that. `mapped` [nodes]: the new literal of each old node; given
    for all that is no gate, filled in for the gates.
    """
    first_gate = store.first_gate
    nodes = first_gate + len(store.starts)
    implied = Implied(
        np.zeros(2 * nodes, np.int64),
        np.zeros(2 * nodes, np.int32),
        np.empty(IMPLIED_PER_NODE * nodes, np.int32),
        np.zeros(1, np.int64),
    )
    roles = len(moves.role_starts)
    known = Known(np.zeros(2 * nodes, np.int32), np.zeros(roles, np.int32), np.zeros(roles, np.int32))
    seen = np.full(2 * nodes, -1, np.int32)
    literals = np.empty(len(inputs) + len(starts) + 1, np.int32)
    marked = np.empty(2 * len(literals), np.int32)
    part = np.empty(len(inputs) + len(moves.roles) + 1, np.int32)
    owned = np.zeros(len(store.starts), np.bool_)
    for gate in range(len(starts) - 1):
        if gate == moves.ready:
            for move in range(len(moves.legal)):
                part[0] = mapped[moves.legal[move] >> 1] ^ (moves.legal[move] & 1)
                note_all(implied, seen, 2 * (moves.first + move), part, 1)
        if uses[first_gate + gate] == 0 or inside[gate]:
            continue
        # 1. The inputs, and their joint consequences.
        count = normalise(literals, collect_inputs(starts, inputs, inside, mapped, first_gate, gate, literals))
        if count > 0 and len(moves.roles):
            count = turn_many_moves(store, implied, seen, moves, literals, count, part)
            count = normalise(literals, count)
        impossible = count < 0
        marks = 0
        for i in range(max(count, 0)):
            if mark(known, moves, implied, literals[i], 1):
                impossible = True
            marked[marks] = literals[i]
            marks += 1
        # 2. Each input, simplified given the others.
        i = -1
        while not impossible and i + 1 < count:
            i += 1
            mark(known, moves, implied, literals[i], -1)
            literal = reduced(store, known, moves, implied, literals[i])
            child = (literal >> 1) - first_gate
            if literal & 1 and child >= 0:
                left = 0
                changed = False
                for inner in range(store.starts[child], store.starts[child + 1]):
                    other = reduced(store, known, moves, implied, store.inputs[inner])
                    changed |= other != store.inputs[inner]
                    if other == 0:
                        left = 0
                        literal = 1
                        break
                    if other != 1:
                        part[left] = other
                        left += 1
                if left == 1 or (left > 1 and changed and owned[child]):
                    before = store.sizes[0]
                    literal = add_gate(store, implied, seen, part, left) ^ 1
                    if store.sizes[0] > before:
                        owned[before] = True
            if literal != literals[i]:
                literals[i] = literal
                marked[marks] = literal
                marks += 1
            impossible = literal == 0 or (literal != 1 and mark(known, moves, implied, literal, 1))
        # 3. The new gate.
        for i in range(marks):
            forget(known, implied, marked[i])
        for role in range(roles):
            known.role_counts[role] = 0
        before = store.sizes[0]
        result = 0 if impossible else add_gate(store, implied, seen, literals, count)
        mapped[first_gate + gate] = result
        if store.sizes[0] > before:
            owned[before] = uses[first_gate + gate] == 1
        elif result >= 2 * first_gate:
            owned[(result >> 1) - first_gate] = False
