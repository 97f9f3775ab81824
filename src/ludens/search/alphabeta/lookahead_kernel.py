"""Prefetching: the children of several siblings are expanded at once, as a pass costs the same for one as for many.

The arrays are those of `memory_kernel.Search`.
"""

from __future__ import annotations

from ludens.engines.sliced.bits_kernel import Words
from ludens.runtime.jit import inlined
from ludens.search.alphabeta import memory_kernel as m
from ludens.search.alphabeta import table_kernel as t
from ludens.search.alphabeta.memory_kernel import Counts, Floats
from ludens.search.alphabeta.nodes_kernel import ignores_counter, known_by_table, plan_node, settles, write_children

NOTHING, ASKS, CUTS = range(3)
"""Results of prefetching: no state to expand; a request; a child that causes a cutoff, now the next to try."""


@inlined
def prefetch(search: m.Search, ply: int, depth: int) -> int:
    """Request the children of the children left that the table does not settle, as far as there is room.

    `depth` is that of the children.
    """
    frames, windows, keys, entries = search.frames, search.windows, search.keys, search.entries
    registers, moves, move_starts = search.registers, search.moves, search.move_starts
    table_notes, table_values, joints = search.table_notes, search.table_values, search.joints
    # 1. Read what all children have in common.
    first, next_index, top = frames[ply, m.FIRST], frames[ply, m.INDEX], registers[m.TOP]
    room = min(registers[m.LOOKAHEAD], len(search.rows) - top)
    made = frames[ply, m.MADE] + 1
    ignores = ignores_counter(registers, made, frames[0, m.DEPTH])
    frames[ply, m.FETCHED] = 2
    used = 0
    for index in range(next_index, frames[ply, m.COUNT]):
        child = entries[first + index, m.ORDER]
        if entries[child, m.ENDED]:
            continue
        # 2. Probe the transposition table.
        t.write_key(search.random_words, search.rows, child, search.counter_mask, ignores, keys, ply + 1)
        slot = t.find(search.table_keys, table_notes, keys[ply + 1, 0], keys[ply + 1, 1])
        if slot >= 0:
            known, value = known_by_table(registers, table_notes, slot, made, depth, ignores), table_values[slot, 0]
            if settles(registers[m.MAXN], known, value, windows[ply, m.ALPHA], windows[ply, m.BETA]):
                if not _cuts(ply, frames, windows, registers, known, value):
                    continue
                # By the table this child causes a cutoff: it comes first.
                for before in range(next_index, index):
                    entries[entries[first + before, m.ORDER], m.BLOCK] = -1
                entries[first + index, m.ORDER] = entries[first + next_index, m.ORDER]
                entries[first + next_index, m.ORDER] = child
                return CUTS
        # 3. Write its children.
        if plan_node(search.roles, search.legal, child, 0, True, registers, moves, move_starts):
            continue
        count = registers[m.PLAN_COUNT]
        if not registers[m.PLAN_LAST]:
            continue
        if used + count > room:
            break
        joint = frames[ply + 1, m.JOINT :]
        for role in range(joints.shape[1]):
            joint[role] = moves[move_starts[role]]
        write_children(search.roles, registers, moves, move_starts, joint, joints, top + used)
        for place in range(used, used + count):
            copy_row(search.rows, child, search.parents, place)
        entries[child, m.BLOCK] = top + used
        used += count
    if used == 0:
        return NOTHING
    # 4. Request them.
    frames[ply, m.FETCHED] = 1
    registers[m.REQUEST_FIRST], registers[m.REQUEST_COUNT] = top, used
    registers[m.TOP] += used
    return ASKS


@inlined
def copy_row(rows: Words, state: int, parents: Words, place: int) -> None:
    for column in range(rows.shape[1]):
        parents[place, column] = rows[state, column]


@inlined
def _cuts(ply: int, frames: Counts, windows: Floats, registers: Counts, known: int, value: float) -> bool:
    """Return whether a child of this value causes a cutoff."""
    if frames[ply, m.KIND] != m.CHOICE or registers[m.MAXN] or not registers[m.PRUNES]:
        return False
    if frames[ply, m.SIGN] > 0:
        return bool(known & t.LOWER and value >= windows[ply, m.BETA])
    return bool(known & t.UPPER and value <= windows[ply, m.ALPHA])
