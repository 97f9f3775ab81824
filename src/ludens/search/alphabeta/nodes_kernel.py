"""One node: who chooses there, its children, and their order.

The arrays are those of `memory_kernel.Search`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludens.engines.sliced.bits_kernel import Words
from ludens.engines.sliced.expansion_kernel import list_moves
from ludens.runtime.jit import inlined
from ludens.search.alphabeta import memory_kernel as m
from ludens.search.alphabeta import table_kernel as t
from ludens.search.alphabeta.memory_kernel import Counts, Floats, Ints

SAME = 1e-9
"""Values that differ by less are equal."""
INFINITE = 1e9
"""Beyond all values, for open windows."""
KILLER_SCORE = 1e15
HASH_MOVE_SCORE = 1e16
WIN_SCORE = 1e17


@inlined
def plan_node(
    roles: Ints, legal: Words, state: int, place: int, full: bool, registers: Counts, moves: Ints, starts: Counts
) -> bool:
    """Write to the registers who chooses in a state; return whether it is a dead end, where a role has no move.

    `place` is that of the node in the order of choosing, if it is not `full`.
    """
    count_roles = roles.shape[1] - 1
    # 1. List the legal moves.
    starts[0] = 0
    choosers = ours = rivals = 0
    product = 1
    for role in range(count_roles):
        first, last = roles[m.STARTS, role], roles[m.STARTS, role + 1]
        starts[role + 1] = list_moves(legal[state], first, last, moves, starts[role])
        count = starts[role + 1] - starts[role]
        if count == 0:
            return True
        if count > 1 and roles[m.SIDES, role] >= 0:
            choosers += 1
            product *= count
            if roles[m.SIDES, role] == 0:
                ours = max(ours, 1) * count
            else:
                rivals += 1
    if full:
        place = 0
    # 2. Find the next role with a choice; if none has one, the first makes its only move.
    chosen = -1
    later = 0
    after = count_roles
    for index in range(place, count_roles):
        role = roles[m.CHOOSING, index]
        if starts[role + 1] - starts[role] > 1:
            if chosen < 0:
                chosen = role
                after = index + 1
            else:
                later += 1
    if chosen < 0:
        chosen = roles[m.CHOOSING, 0]
    count = starts[chosen + 1] - starts[chosen]
    # 3. Find the kind of its choice.
    kind, rows, last_chooser = m.CHOICE, 0, later == 0
    together = registers[m.SIMULTANEOUS]
    if roles[m.SIDES, chosen] < 0 or (together == m.RANDOM and choosers > 1 and roles[m.SIDES, chosen] > 0):
        kind = m.EXPECTATION
    elif together == m.EQUILIBRIUM and full and ours and rivals and product <= registers[m.MATRIX_LIMIT]:
        kind, rows, count, after = m.MATRIX, ours, product, count_roles - 1
        chance = roles[m.CHOOSING, count_roles - 1]
        last_chooser = roles[m.SIDES, chance] >= 0 or starts[chance + 1] - starts[chance] == 1
    registers[m.PLAN_KIND], registers[m.PLAN_ROLE], registers[m.PLAN_COUNT] = kind, chosen, count
    registers[m.PLAN_LAST], registers[m.PLAN_PLACE], registers[m.PLAN_ROWS] = last_chooser, after, rows
    return False


@inlined
def begin_node(ply: int, frames: Counts, windows: Floats, roles: Ints, registers: Counts, count_sides: int) -> None:
    """Set up the frame of a planned node."""
    # 1. Write who chooses, and by whose value.
    maxn, side = registers[m.MAXN], roles[m.SIDES, registers[m.PLAN_ROLE]]
    frames[ply, m.KIND], frames[ply, m.ROLE] = registers[m.PLAN_KIND], registers[m.PLAN_ROLE]
    frames[ply, m.COUNT], frames[ply, m.LAST] = registers[m.PLAN_COUNT], registers[m.PLAN_LAST]
    frames[ply, m.ROWS], frames[ply, m.PLACE] = registers[m.PLAN_ROWS], registers[m.PLAN_PLACE]
    frames[ply, m.SIDE] = max(side, 0) if maxn else 0
    frames[ply, m.SIGN] = 1 if maxn or side == 0 else -1
    if maxn and ply > 0 and frames[ply - 1, m.SIDE] == frames[ply, m.SIDE]:
        windows[ply, m.BETA] = INFINITE
    # 2. Reset the results.
    frames[ply, m.INDEX], frames[ply, m.STAGE], frames[ply, m.FETCHED] = 0, -1, 0
    frames[ply, m.BEST], frames[ply, m.BEST_KNOWN], frames[ply, m.BEST_PROVEN] = -1, 0, 0
    frames[ply, m.ALL_KNOWN], frames[ply, m.ALL_PROVEN], frames[ply, m.CUT] = t.EXACT, t.EXACT, 0
    windows[ply, m.WEIGHT] = 1.0
    for side in range(count_sides):
        windows[ply, m.VALUE + side] = 0.0


@inlined
def write_children(
    roles: Ints, registers: Counts, moves: Ints, starts: Counts, joint: Counts, joints: Ints, first: int
) -> None:
    """Write the moves of the planned children from entry `first` on; those of other roles are as in `joint`."""
    count_roles = roles.shape[1] - 1
    chooser = registers[m.PLAN_ROLE]
    for number in range(registers[m.PLAN_COUNT]):
        for role in range(count_roles):
            joints[first + number, role] = joint[role]
        if registers[m.PLAN_KIND] != m.MATRIX:
            joints[first + number, chooser] = moves[starts[chooser] + number]
            continue
        rest = number
        for index in range(count_roles - 1, -1, -1):
            role = roles[m.CHOOSING, index]
            count = starts[role + 1] - starts[role]
            if roles[m.SIDES, role] >= 0:
                joints[first + number, role] = moves[starts[role] + rest % count]
                rest //= count


@inlined
def settle_children(
    roles: Ints,
    sides: Floats,
    total: float,
    registers: Counts,
    terminal: NDArray[np.bool_],
    goals: NDArray[np.int16],
    entries: Counts,
    values: Floats,
) -> bool:
    """Find the ends among the expanded entries, and their values; return False if these contradict the kind."""
    first, count = registers[m.REQUEST_FIRST], registers[m.REQUEST_COUNT]
    payoff = registers[m.LEAF] == m.PAYOFF
    for child in range(first, first + count):
        ended = terminal[child]
        entries[child, m.BLOCK], entries[child, m.ENDED], entries[child, m.EVALUATED] = -1, ended, ended or payoff
        if not ended and not payoff:
            continue
        added = 0.0
        for side in range(sides.shape[1]):
            goal = float(goals[child, int(sides[m.REPRESENTATIVE, side])])
            values[child, side] = goal if goal >= 0 else sides[m.UNKNOWN_VALUE, side]
            added += values[child, side]
        own = values[child, 0]
        values[child, 0] = against_rivals(values[child], sides)
        if not ended:
            continue
        if total >= 0 and abs(added - total) > SAME:
            return False
        for role in range(roles.shape[1] - 1):
            side = roles[m.SIDES, role]
            if side >= 0:
                goal = float(goals[child, role])
                value = own if side == 0 else values[child, side]
                if value != (goal if goal >= 0 else sides[m.UNKNOWN_VALUE, side]):
                    return False
    return True


@inlined
def against_rivals(values: Floats, sides: Floats) -> float:
    """Return the value that side 0 maximises, where each side gets these values."""
    value = values[0]
    for side in range(1, len(values)):
        value -= sides[m.TAKEN, side] * values[side]
    return float(value)


@inlined
def order_moves(
    ply: int,
    frames: Counts,
    sides: Floats,
    joints: Ints,
    entries: Counts,
    values: Floats,
    scores: Floats,
    history: Floats,
) -> None:
    """Order the children of a choice for the search."""
    first, count = frames[ply, m.FIRST], frames[ply, m.COUNT]
    role, side = frames[ply, m.ROLE], frames[ply, m.SIDE]
    for child in range(first, first + count):
        entries[child, m.ORDER] = child
    if frames[ply, m.KIND] != m.CHOICE or count < 2:
        return
    # 1. Score them: wins, the hash move, killer moves, the history heuristic; ends that are no wins last.
    sign = frames[ply, m.SIGN]
    win = sides[m.HIGHEST_VALUE, side] if sign > 0 else sides[m.LOWEST_VALUE, side]
    for child in range(first, first + count):
        move = joints[child, role]
        score = history[move]
        if entries[child, m.ENDED]:
            # Goals are whole numbers, and what rivals take away is less than 1
            score = WIN_SCORE if (win - values[child, side]) * sign < 1 - SAME else -1.0
        elif move == frames[ply, m.HASH_MOVE]:
            score = HASH_MOVE_SCORE
        elif move == frames[ply, m.KILLER]:
            score = KILLER_SCORE
        elif move == frames[ply, m.SECOND_KILLER]:
            score = KILLER_SCORE / 10
        scores[child] = score
    # 2. Sort them (Shellsort).
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for place in range(first + gap, first + count):
            child = entries[place, m.ORDER]
            score = scores[child]
            hole = place
            while hole - gap >= first:
                other = entries[hole - gap, m.ORDER]
                if scores[other] > score or (scores[other] == score and other < child):
                    break
                entries[hole, m.ORDER] = other
                hole -= gap
            entries[hole, m.ORDER] = child
        gap //= 3


@inlined
def ignores_counter(registers: Counts, made: int, depth: int) -> bool:
    """Return whether the result of a search of this depth cannot depend on the step counter.

    For keys the depth is that from the root: what was found for the same state at an earlier count went deeper, and
    must not depend on the counter here either.
    """
    start = registers[m.COUNTER_START]
    return bool(start >= 0 and start + made + depth < registers[m.COUNTER_EFFECT])


@inlined
def known_by_table(registers: Counts, notes: Ints, slot: int, made: int, depth: int, ignores: bool) -> int:
    """Return the bounds that an entry of the table gives for a search of a state to some depth."""
    if ignores and not ignores_counter(registers, made, notes[slot, t.DEPTH]):
        return 0
    return int(notes[slot, t.KNOWN]) if notes[slot, t.DEPTH] >= depth else int(notes[slot, t.PROVEN])


@inlined
def settles(maxn: int, known: int, value: float, alpha: float, beta: float) -> bool:
    """Return whether a bound on a value is enough for a window."""
    if known == t.EXACT:
        return True
    return not maxn and ((known == t.LOWER and value >= beta) or (known == t.UPPER and value <= alpha))


@inlined
def is_better(ply: int, frames: Counts, windows: Floats, result: Floats, maxn: int) -> bool:
    """Return whether the result is better for the chooser than the best so far."""
    if not maxn:
        return bool((result[0] - windows[ply, m.VALUE]) * frames[ply, m.SIGN] > SAME)
    side = frames[ply, m.SIDE]
    gain = result[side] - windows[ply, m.VALUE + side]
    if abs(gain) > SAME:
        return bool(gain > 0)
    for other in range(len(result)):
        gain = result[other] - windows[ply, m.VALUE + other]
        if abs(gain) > SAME:
            return bool(gain < 0)
    return False


@inlined
def write_pv(ply: int, child: int, frames: Counts, pvs: Ints, joints: Ints, goes_on: int) -> None:
    """Write the principal variation of a node: the move to its best child and, if it `goes_on`, that of the child."""
    length = 0
    if frames[ply, m.LAST]:
        for role in range(joints.shape[1]):
            pvs[ply, 0, role] = joints[child, role]
        length = 1
    if goes_on:
        for step in range(min(frames[ply + 1, m.PV_LENGTH], m.MAX_PV - length)):
            for role in range(joints.shape[1]):
                pvs[ply, length, role] = pvs[ply + 1, step, role]
            length += 1
    frames[ply, m.PV_LENGTH] = length


@inlined
def chance_weight(ply: int, frames: Counts) -> float:
    """Return the probability of the child that is tried; all are equally likely."""
    return float(1.0 / frames[ply, m.COUNT])
