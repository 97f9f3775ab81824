"""Alpha-beta as a state machine: it runs until it needs something that it cannot do by itself, and returns what.

A value is a vector, one number for each side; what is known about it is as in `table_kernel`. With two sides, or
where all others are taken to be against side 0 (paranoid), only the value of side 0 decides, and windows bound it.
Otherwise each side maximises its own value (max^n): ties are broken by what is worst for side 0, then for the next
sides, so that the value of a state does not depend on the order of moves.
"""

from __future__ import annotations

import numpy as np

from ludens.engines.sliced.expansion_kernel import Expanded, ExpansionMemory, ExpansionTables, expand
from ludens.runtime.jit import compiled, inlined
from ludens.search.alphabeta import memory_kernel as m
from ludens.search.alphabeta import table_kernel as t
from ludens.search.alphabeta.lookahead_kernel import ASKS, CUTS, copy_row, prefetch
from ludens.search.alphabeta.memory_kernel import Counts, Floats
from ludens.search.alphabeta.nodes_kernel import (
    INFINITE,
    SAME,
    against_rivals,
    begin_node,
    chance_weight,
    ignores_counter,
    is_better,
    known_by_table,
    order_moves,
    plan_node,
    settle_children,
    settles,
    write_children,
    write_pv,
)
from ludens.search.matrix_kernel import solve_matrix

ENTER, SETTLE, NEXT, RETURNED, LEAVE = range(5)
"""Phases: a new node; its children are expanded; the next child; the value of the child is known; all are tried."""
RUNNING, DONE, EXPAND, EVALUATE, ROOM, CONTRADICTION, OUT_OF_NODES = range(7)
"""Reasons to halt."""
NULL_WINDOW_WIDTH = 1e-3
"""Less than the difference between any two values that matter."""


@compiled
def resume_compiled(tables: ExpansionTables, memory: ExpansionMemory, search: m.Search, budget: int) -> int:
    """Run for at most `budget` steps, with the states expanded right here; return why it halted."""
    registers, rows, legal, terminal = search.registers, search.rows, search.legal, search.terminal
    goals, joints, parents = search.goals, search.joints, search.parents
    registers[m.BUDGET] = budget
    while True:
        status = resume(search)
        if status != EXPAND:
            return status
        first, count = registers[m.REQUEST_FIRST], registers[m.REQUEST_COUNT]
        after = first + count
        registers[m.BUDGET] -= (count + 511) // 512 * registers[m.PASS_COST]
        registers[m.BUDGET] -= (count + 63) // 64 * registers[m.GROUP_COST]
        expanded = Expanded(rows[first:after], legal[first:after], terminal[first:after], goals[first:after])
        expand(tables, memory, parents, joints[first:after], count, expanded)


@compiled
def resume(search: m.Search) -> int:
    """Run until the budget of steps is used up or something is needed; return why it halted."""
    roles, sides, sums, counter_mask = search.roles, search.sides, search.sums, search.counter_mask
    frames, windows, keys, pvs = search.frames, search.windows, search.keys, search.pvs
    rows, legal, terminal, goals, joints = search.rows, search.legal, search.terminal, search.goals, search.joints
    entries, values, scores, parents = search.entries, search.values, search.scores, search.parents
    table_keys, table_notes, table_values = search.table_keys, search.table_notes, search.table_values
    random_words, table_counts, history = search.random_words, search.table_counts, search.history
    registers, result, moves, move_starts = search.registers, search.result, search.moves, search.move_starts
    caps = search.caps
    count_roles, count_sides = joints.shape[1], len(result)
    maxn, prunes = registers[m.MAXN], registers[m.PRUNES]
    lowest, highest = sides[m.LOWEST_VALUE, 0], sides[m.HIGHEST_VALUE, 0]
    while registers[m.BUDGET] > 0:
        registers[m.BUDGET] -= 1
        ply, phase = registers[m.PLY], registers[m.PHASE]
        gives, known, proven = False, 0, 0
        if phase == ENTER:
            state, full = frames[ply, m.STATE], frames[ply, m.FULL] != 0
            # 1. Probe the transposition table.
            frames[ply, m.BASE], frames[ply, m.PV_LENGTH] = registers[m.TOP], 0
            if ply > 0:
                frames[ply, m.HASH_MOVE] = -1
            if full:
                depth, made = frames[ply, m.DEPTH], frames[ply, m.MADE]
                ignores = ignores_counter(registers, made, frames[0, m.DEPTH])
                t.write_key(random_words, rows, state, counter_mask, ignores, keys, ply)
                slot = t.find(table_keys, table_notes, keys[ply, 0], keys[ply, 1])
                if slot >= 0:
                    if frames[ply, m.HASH_MOVE] < 0:
                        frames[ply, m.HASH_MOVE] = table_notes[slot, t.MOVE]
                    known = known_by_table(registers, table_notes, slot, made, depth, ignores)
                    alpha, beta = windows[ply, m.ALPHA], windows[ply, m.BETA]
                    if ply > 0 and settles(maxn, known, table_values[slot, 0], alpha, beta):
                        gives, proven = True, table_notes[slot, t.PROVEN] & known
                        for side in range(count_sides):
                            result[side] = table_values[slot, side]
            # 2. Find who chooses.
            if not gives and plan_node(roles, legal, state, frames[ply, m.PLACE], full, registers, moves, move_starts):
                gives, known, proven = True, t.EXACT, t.EXACT
                added = 0.0
                for side in range(count_sides):
                    result[side] = sides[m.UNKNOWN_VALUE, side]
                    added += result[side]
                if sums[m.TOTAL] >= 0 and abs(added - sums[m.TOTAL]) > SAME:
                    return CONTRADICTION
                result[0] = against_rivals(result, sides)
            if not gives:
                count, first = registers[m.PLAN_COUNT], registers[m.TOP]
                block = entries[state, m.BLOCK] if full else -1
                if block < 0 and first + count > len(rows):
                    registers[m.NEEDED] = first + count
                    return ROOM
                # 3. Set up the frame.
                begin_node(ply, frames, windows, roles, registers, count_sides)
                if full:
                    for role in range(count_roles):
                        frames[ply, m.JOINT + role] = moves[move_starts[role]]
                # 4. Get the children: prefetched, without states of their own, or requested.
                if block < 0:
                    write_children(roles, registers, moves, move_starts, frames[ply, m.JOINT :], joints, first)
                    registers[m.TOP] += count
                else:
                    first = block
                frames[ply, m.FIRST] = first
                if block < 0 and frames[ply, m.LAST]:
                    for child in range(count):
                        copy_row(rows, state, parents, child)
                    registers[m.REQUEST_FIRST], registers[m.REQUEST_COUNT] = first, count
                    registers[m.PHASE] = SETTLE
                    return EXPAND
                for child in range(first, first + count):
                    entries[child, m.BLOCK] = -1
                    if block < 0:
                        entries[child, m.ENDED] = 0
                order_moves(ply, frames, sides, joints, entries, values, scores, history)
                registers[m.PHASE] = NEXT
        elif phase == SETTLE:
            # 5. Read and order the requested children.
            if not settle_children(roles, sides, sums[m.TOTAL], registers, terminal, goals, entries, values):
                return CONTRADICTION
            if frames[ply, m.FETCHED] == 0:
                order_moves(ply, frames, sides, joints, entries, values, scores, history)
            else:
                frames[ply, m.FETCHED] = 2
            registers[m.PHASE] = NEXT
        elif phase == NEXT:
            if registers[m.VISITED] >= registers[m.NODE_LIMIT]:
                return OUT_OF_NODES
            if frames[ply, m.INDEX] >= frames[ply, m.COUNT] or frames[ply, m.CUT]:
                registers[m.PHASE] = LEAVE
                continue
            child = entries[frames[ply, m.FIRST] + frames[ply, m.INDEX], m.ORDER]
            last = frames[ply, m.LAST]
            # 6. Choose the depth, reduced for late moves.
            depth = frames[ply, m.DEPTH] - last
            if frames[ply, m.STAGE] < 0:
                frames[ply, m.NODES], frames[ply, m.STAGE] = registers[m.VISITED], m.REDUCED
            if frames[ply, m.STAGE] == m.REDUCED and registers[m.REDUCTIONS]:
                depth = _reduced_depth(ply, frames, depth)
            frames[ply, m.TRIED_DEPTH] = depth
            # 7. Take the values of ends and leaves.
            if last and (entries[child, m.ENDED] or depth <= 0):
                leaf = registers[m.LEAF]
                if leaf == m.EVALUATOR and not entries[child, m.EVALUATED]:
                    _ask_for_values(ply, frames, registers)
                    return EVALUATE
                valued = entries[child, m.ENDED] or leaf != m.UNKNOWN
                for side in range(count_sides):
                    result[side] = values[child, side] if valued else sides[m.UNKNOWN_VALUE, side]
                if not valued:
                    result[0] = against_rivals(result, sides)
                registers[m.VISITED] += 1
                registers[m.RESULT_KNOWN], registers[m.RESULT_PV] = t.EXACT, 0
                registers[m.RESULT_PROVEN] = t.EXACT if entries[child, m.ENDED] else 0
                registers[m.PHASE] = RETURNED
                continue
            # 8. Prefetch: from the second child on, all that are left will probably be searched.
            if last and not frames[ply, m.FETCHED] and registers[m.LOOKAHEAD]:
                found = prefetch(search, ply, depth)
                if found == CUTS:
                    continue
                if found == ASKS:
                    registers[m.PHASE] = SETTLE
                    return EXPAND
            # 9. Go down to the child.
            registers[m.VISITED] += last
            below = ply + 1
            frames[below, m.STATE] = child if last else frames[ply, m.STATE]
            frames[below, m.DEPTH], frames[below, m.MADE] = depth, frames[ply, m.MADE] + last
            frames[below, m.FULL], frames[below, m.PLACE] = last, frames[ply, m.PLACE]
            if not last:
                for role in range(count_roles):
                    frames[below, m.JOINT + role] = joints[child, role]
            _set_window(ply, frames, windows, maxn, prunes, lowest, highest, sums[m.MOST])
            registers[m.PLY], registers[m.PHASE] = below, ENTER
        elif phase == RETURNED:
            child = entries[frames[ply, m.FIRST] + frames[ply, m.INDEX], m.ORDER]
            known, proven = registers[m.RESULT_KNOWN], registers[m.RESULT_PROVEN]
            kind = frames[ply, m.KIND]
            registers[m.PHASE] = NEXT
            # 10. Re-search with more depth or a wider window where the child turned out good.
            if kind == m.CHOICE and known and _needs_re_search(ply, frames, windows, result, registers, maxn):
                continue
            # 11. Write the value of the child; a repetition is capped.
            if ply == 0 and kind == m.CHOICE and not proven & t.LOWER:
                move = joints[child, frames[ply, m.ROLE]]
                if result[0] > caps[move, 0]:
                    proven = 0
                    for side in range(count_sides):
                        result[side] = caps[move, side]
            for side in range(count_sides):
                values[child, side] = result[side]
            entries[child, m.ENTRY_KNOWN], entries[child, m.ENTRY_PROVEN] = known, proven
            entries[child, m.ENTRY_NODES] = registers[m.VISITED] - frames[ply, m.NODES]
            frames[ply, m.ALL_PROVEN] &= proven
            if known or not maxn:  # in max^n nothing is known of a child that is worse than another
                frames[ply, m.ALL_KNOWN] &= known
                # 12. Update the best child, the window and the principal variation.
                if kind == m.EXPECTATION:
                    if frames[ply, m.INDEX] == 0:
                        write_pv(ply, child, frames, pvs, joints, registers[m.RESULT_PV])
                    _add_to_mean(ply, frames, windows, result, maxn, prunes, lowest, highest)
                elif kind == m.CHOICE and (frames[ply, m.BEST] < 0 or is_better(ply, frames, windows, result, maxn)):
                    frames[ply, m.BEST] = child
                    frames[ply, m.BEST_KNOWN], frames[ply, m.BEST_PROVEN] = known, proven
                    for side in range(count_sides):
                        windows[ply, m.VALUE + side] = result[side]
                    # With a null window only the rest of a joint move matters, which completes the variation above.
                    wide = maxn or ply == 0 or windows[ply, m.BETA] - windows[ply, m.ALPHA] > 2 * NULL_WINDOW_WIDTH
                    if wide or not frames[ply, m.FULL]:
                        write_pv(ply, child, frames, pvs, joints, registers[m.RESULT_PV])
                    if prunes:
                        _update_window(ply, frames, windows, result, maxn, lowest, highest)
            frames[ply, m.STAGE] = -1
            frames[ply, m.INDEX] += 1
        else:
            # 13. Find the value of the node and its bounds.
            if frames[ply, m.KIND] == m.MATRIX:
                frames[ply, m.BEST] = _solve_matrix_node(ply, frames, windows, values, search.strategy)
                write_pv(ply, frames[ply, m.BEST], frames, pvs, joints, 0)
            known, proven = _bounds(ply, frames, windows, maxn, lowest, highest)
            for side in range(count_sides):
                result[side] = windows[ply, m.VALUE + side]
            # 14. Store it in the transposition table, with killer moves and history.
            move = -1
            if frames[ply, m.BEST] >= 0:
                move = joints[frames[ply, m.BEST], frames[ply, m.ROLE]]
                if frames[ply, m.CUT] and not entries[frames[ply, m.BEST], m.ENDED]:
                    _record_cutoff(ply, frames, history, registers, move)
            if frames[ply, m.FULL] and known and not (ply == 0 and registers[m.HAS_CAPS]):
                key = (keys[ply, 0], keys[ply, 1])
                depth = frames[ply, m.DEPTH]
                t.store(table_keys, table_notes, table_values, table_counts, key, move, depth, known, proven, result)
            gives = True
        if gives:
            # 15. Return to the node above.
            registers[m.RESULT_KNOWN], registers[m.RESULT_PROVEN], registers[m.RESULT_PV] = known, proven, 1
            registers[m.TOP] = frames[ply, m.BASE]
            registers[m.PLY], registers[m.PHASE] = ply - 1, RETURNED
            if ply == 0:
                return DONE
    return RUNNING


@inlined
def _reduced_depth(ply: int, frames: Counts, depth: int) -> int:
    """Return the depth for a child: full for the first move, then less and less, down to half."""
    index = frames[ply, m.INDEX]
    if index == 0 or frames[ply, m.KIND] != m.CHOICE or not frames[ply, m.LAST] or depth < 2:
        return depth
    return int(max(depth - 1 - (index - 1) // 3, (depth + 1) // 2))


@inlined
def _ask_for_values(ply: int, frames: Counts, registers: Counts) -> None:
    """Request values of the children, and of those of the siblings that were prefetched together."""
    first, after = frames[ply, m.FIRST], frames[ply, m.FIRST] + frames[ply, m.COUNT]
    if first < frames[ply, m.BASE]:
        after = frames[ply, m.BASE]
    registers[m.REQUEST_FIRST], registers[m.REQUEST_COUNT] = first, after - first


@inlined
def _set_window(
    ply: int, frames: Counts, windows: Floats, maxn: int, prunes: int, lowest: float, highest: float, most: float
) -> None:
    """Set the window of the child that is tried."""
    alpha, beta = -INFINITE, INFINITE
    kind = frames[ply, m.KIND]
    if not prunes:
        pass
    elif maxn:
        # What the child's side gets at least, this side does not get: beyond beta, this side has something better.
        if kind == m.CHOICE and frames[ply, m.BEST] >= 0:
            beta = most - windows[ply, m.VALUE + frames[ply, m.SIDE]]
    elif kind == m.CHOICE:
        alpha, beta = windows[ply, m.ALPHA], windows[ply, m.BETA]
        if frames[ply, m.INDEX] > 0 and frames[ply, m.STAGE] < m.FULL_WINDOW:
            if frames[ply, m.SIGN] > 0:
                beta = min(beta, alpha + NULL_WINDOW_WIDTH)
            else:
                alpha = max(alpha, beta - NULL_WINDOW_WIDTH)
    elif kind == m.EXPECTATION:
        # Star1: beyond these the node is out of its own window, whatever the children left are worth.
        weight = chance_weight(ply, frames)
        rest = windows[ply, m.WEIGHT] - weight
        alpha = (windows[ply, m.ALPHA] - windows[ply, m.VALUE] - rest * highest) / weight
        beta = (windows[ply, m.BETA] - windows[ply, m.VALUE] - rest * lowest) / weight
    windows[ply + 1, m.ALPHA], windows[ply + 1, m.BETA] = alpha, beta


@inlined
def _needs_re_search(ply: int, frames: Counts, windows: Floats, result: Floats, registers: Counts, maxn: int) -> bool:
    """Return whether a child that was searched with reduced depth or window turned out to be good."""
    if frames[ply, m.STAGE] == m.FULL_WINDOW or frames[ply, m.BEST] < 0:
        return False
    shallow = frames[ply, m.TRIED_DEPTH] < frames[ply, m.DEPTH] - frames[ply, m.LAST]
    if maxn:
        frames[ply, m.STAGE] = m.FULL_WINDOW
        return shallow and is_better(ply, frames, windows, result, maxn)
    own, other = windows[ply, m.ALPHA], windows[ply, m.BETA]
    sign = frames[ply, m.SIGN]
    if sign < 0:
        own, other = other, own
    if (result[0] - own) * sign <= SAME:
        return False
    if shallow and registers[m.RESULT_PROVEN] != t.EXACT:
        frames[ply, m.STAGE] = m.NULL_WINDOW
        return True
    frames[ply, m.STAGE] = m.FULL_WINDOW
    return bool((result[0] - other) * sign < 0 and registers[m.RESULT_KNOWN] != t.EXACT)


@inlined
def _update_window(
    ply: int, frames: Counts, windows: Floats, result: Floats, maxn: int, lowest: float, highest: float
) -> None:
    """Narrow the window after a new best child, and see whether there is a cutoff."""
    if maxn:
        frames[ply, m.CUT] = result[frames[ply, m.SIDE]] > windows[ply, m.BETA] + SAME
    elif frames[ply, m.SIGN] > 0:
        windows[ply, m.ALPHA] = max(windows[ply, m.ALPHA], result[0])
        frames[ply, m.CUT] = result[0] >= windows[ply, m.BETA] or result[0] >= highest
    else:
        windows[ply, m.BETA] = min(windows[ply, m.BETA], result[0])
        frames[ply, m.CUT] = result[0] <= windows[ply, m.ALPHA] or result[0] <= lowest


@inlined
def _add_to_mean(
    ply: int, frames: Counts, windows: Floats, result: Floats, maxn: int, prunes: int, lowest: float, highest: float
) -> None:
    """Add a child to an expectation, and see whether there is a cutoff (Star1)."""
    weight = chance_weight(ply, frames)
    for side in range(len(result)):
        windows[ply, m.VALUE + side] += weight * result[side]
    windows[ply, m.WEIGHT] -= weight
    if maxn or not prunes or frames[ply, m.INDEX] + 1 == frames[ply, m.COUNT]:
        return
    least = windows[ply, m.VALUE] + windows[ply, m.WEIGHT] * lowest
    most = windows[ply, m.VALUE] + windows[ply, m.WEIGHT] * highest
    if least >= windows[ply, m.BETA]:
        frames[ply, m.CUT], windows[ply, m.VALUE] = t.LOWER, least
    elif most <= windows[ply, m.ALPHA]:
        frames[ply, m.CUT], windows[ply, m.VALUE] = t.UPPER, most


@inlined
def _bounds(ply: int, frames: Counts, windows: Floats, maxn: int, lowest: float, highest: float) -> tuple[int, int]:
    """Return the bounds known, and proven, of the value of a node whose children were tried."""
    known, proven, cut = frames[ply, m.ALL_KNOWN], frames[ply, m.ALL_PROVEN], frames[ply, m.CUT]
    if frames[ply, m.KIND] == m.EXPECTATION:
        if cut:
            known, proven = known & cut, proven & cut
    elif frames[ply, m.KIND] == m.CHOICE:
        if maxn:
            if cut:
                known, proven = 0, t.EXACT if frames[ply, m.BEST_PROVEN] == t.EXACT else 0
        else:
            own = t.LOWER if frames[ply, m.SIGN] > 0 else t.UPPER
            rest = 0 if cut else t.EXACT - own
            known = (known & rest) | (frames[ply, m.BEST_KNOWN] & own)
            proven = (proven & rest) | (frames[ply, m.BEST_PROVEN] & own)
    if not maxn:
        bounds = t.UPPER if windows[ply, m.VALUE] >= highest else 0
        if windows[ply, m.VALUE] <= lowest:
            bounds |= t.LOWER
        known, proven = known | bounds, proven | bounds
    return known, proven


@inlined
def _record_cutoff(ply: int, frames: Counts, history: Floats, registers: Counts, move: int) -> None:
    """Record a move that caused a cutoff for the killer and history heuristics."""
    if registers[m.USE_HISTORY]:
        history[move] += frames[ply, m.DEPTH] * frames[ply, m.DEPTH]
    if registers[m.USE_KILLERS] and frames[ply, m.KILLER] != move:
        frames[ply, m.SECOND_KILLER] = frames[ply, m.KILLER]
        frames[ply, m.KILLER] = move


@inlined
def _solve_matrix_node(ply: int, frames: Counts, windows: Floats, values: Floats, strategy: Floats) -> int:
    """Solve a matrix [moves of side 0, moves of the others], write the values; return the likeliest child."""
    first, rows = frames[ply, m.FIRST], frames[ply, m.ROWS]
    columns = frames[ply, m.COUNT] // rows
    payoffs = np.empty((rows, columns))
    for row in range(rows):
        for column in range(columns):
            payoffs[row, column] = values[first + row * columns + column, 0]
    value, row_strategy, column_strategy = solve_matrix(payoffs)
    likeliest, most = first, -1.0
    for row in range(rows):
        worth = 0.0
        for column in range(columns):
            child = first + row * columns + column
            weight = row_strategy[row] * column_strategy[column]
            worth += column_strategy[column] * payoffs[row, column]
            for side in range(values.shape[1]):
                windows[ply, m.VALUE + side] += weight * values[child, side]
            if weight > most:
                likeliest, most = child, weight
        if ply == 0:
            strategy[0, row], strategy[1, row] = row_strategy[row], worth
    windows[ply, m.VALUE] = value
    return int(likeliest)
