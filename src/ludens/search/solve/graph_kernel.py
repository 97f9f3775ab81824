"""The graph of all states that play can reach, as flat arrays: finding joint moves, and telling new states from old.

States are numbered in the order in which they are found. A joint move of a state is a number too: the place of its
moves in the lists of legal moves, the last role running fastest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.runtime.jit import compiled, inlined

Rows = NDArray[np.uint64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

FREE = -1
ENDLESS_LIST = 2**40
"""More joint moves than anybody lists."""


class StateStore(NamedTuple):
    """All states found so far, and a hash table of them; arrays have room for more."""

    rows: Rows
    """[room, words]"""
    ends: NDArray[np.bool_]
    """[room]: whether play ends here: the rules say so, or some role has no legal move."""
    goals: NDArray[np.int16]
    """[room, roles]: -1 where there is no single number, or the rules do not say that it is the end."""
    choices: Ints
    """[room, roles]: how many legal moves each role has; 0 for all of them at an end."""
    parents: Ints
    """[room]: the state from which each was found first."""
    slots: Ints
    """[a power of two]: numbers of states, or FREE."""
    key: Rows
    """[words]: the bits that tell states apart."""


@inlined
def _hash(row: Rows, key: Rows) -> np.uint64:
    """Return the hash of a row in the bits of the key; all arithmetic stays below 2**64, for plain Python too."""
    low = np.uint64(0xFFFFFFFF)
    state = np.uint64(0x9E3779B97F4A7C15)
    for word in range(len(row) + 1):
        mixed = state ^ (row[word] & key[word]) if word < len(row) else state
        first = (mixed & low) * np.uint64(0xCC9E2D51)
        second = (mixed >> np.uint64(32)) * np.uint64(0x9E3779B1)
        state = first ^ (second << np.uint64(32)) ^ (second >> np.uint64(32))
        state ^= state >> np.uint64(29)
    return state


@inlined
def _slot_of(store: StateStore, row: Rows) -> int:
    """Return the slot of a state that is equal to the row in all bits of the key, or the free slot for it."""
    rows, slots, key = store.rows, store.slots, store.key
    last = np.uint64(len(slots) - 1)
    slot = _hash(row, key) & last
    while slots[slot] != FREE:
        state = slots[slot]
        same = True
        for word in range(len(key)):
            if (rows[state, word] ^ row[word]) & key[word]:
                same = False
                break
        if same:
            break
        slot = (slot + np.uint64(1)) & last
    return int(slot)


@compiled
def fill_slots(store: StateStore, size: int) -> None:
    """Put the first `size` states into a table that is free."""
    for state in range(size):
        store.slots[_slot_of(store, store.rows[state])] = state


@compiled
def insert(
    store: StateStore,
    size: int,
    rows: Rows,
    terminal: NDArray[np.bool_],
    goals: NDArray[np.int16],
    starts: Longs,
    moves: Ints,
    parents: Longs,
    numbers: Ints,
    new_moves: Ints,
) -> tuple[int, int]:
    """Number states [n]: write their numbers, and all of new ones; return the number of states, and of new moves.

    `starts` [n * roles + 1] and `moves` are their legal moves, of which those of new states are copied.
    """
    roles = goals.shape[1]
    place = 0
    for child in range(len(rows)):
        # 1. A state that is known has a number.
        slot = _slot_of(store, rows[child])
        if store.slots[slot] != FREE:
            numbers[child] = store.slots[slot]
            continue

        # 2. A new one gets the next; it is an end also if somebody cannot move.
        state = size
        size += 1
        numbers[child] = store.slots[slot] = state
        store.rows[state] = rows[child]
        store.parents[state] = parents[child]
        first = child * roles
        stuck = False
        for role in range(roles):
            stuck |= starts[first + role] == starts[first + role + 1]
        end = terminal[child] or stuck
        store.ends[state] = end
        for role in range(roles):
            store.goals[state, role] = goals[child, role] if terminal[child] else -1
            store.choices[state, role] = 0 if end else starts[first + role + 1] - starts[first + role]

        # 3. Its moves are kept until it is expanded.
        if not end:
            for move in range(starts[first], starts[first + roles]):
                new_moves[place] = moves[move]
                place += 1
    return size, place


@compiled
def list_joint_moves(
    choices: Ints,
    state: int,
    number: int,
    last: int,
    moves: Ints,
    place: int,
    parents: Longs,
    joint: Ints,
    edge_starts: Longs,
) -> tuple[int, int, int, int]:
    """List joint moves from one of a state on, to fill the room there is, but not those of the state `last`.

    The legal moves of the first state begin at `place` of `moves`. Writes `parents` [room], `joint` [room, roles], and
    for states whose joint moves are all listed where they end. Return the state, joint move and place to go on with,
    and how many were listed.
    """
    roles, room = choices.shape[1], len(parents)
    listed = 0
    while state < last and listed < room:
        # 1. How many joint moves the state has, and how many of them there is room for.
        count, after = 1, place
        for role in range(roles):
            count = min(count * choices[state, role], ENDLESS_LIST)
            after += choices[state, role]
        stop = min(count, number + room - listed)

        # 2. The moves of a joint move are the digits of its number.
        for value in range(number, stop):
            parents[listed] = state
            rest, end = value, after
            for role in range(roles - 1, -1, -1):
                own = choices[state, role]
                end -= own
                joint[listed, role] = moves[end + rest % own]
                rest //= own
            listed += 1

        # 3. Go on with the next state, if this one is done.
        number = stop
        if number == count:
            edge_starts[state + 1] = edge_starts[state] + count
            state, number, place = state + 1, 0, after
    return state, number, place, listed
