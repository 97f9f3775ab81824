"""Tree search and playouts in one loop: every lane of the bit-sliced engine plays out one iteration of the search.

1. selection  an iteration ends at an edge of a node; its lane is loaded with the state of the node
2. expansion  in the next pass the lane takes the move of the edge; the state after it may become a node
3. playout    the lane plays on at random
4. backup     a lane that is over waits until a good part of all lanes is over; these are backed up and loaded together

L lanes, R roles, W words in the row of a state
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludens.engines.sliced.bits_kernel import Words, rows_to_lanes, trailing_zeros, transpose
from ludens.engines.sliced.choice_kernel import DOES, choose_moves
from ludens.engines.sliced.expansion_kernel import list_moves
from ludens.engines.sliced.gates_kernel import evaluate
from ludens.engines.sliced.playout_kernel import Machine, Memory
from ludens.engines.sliced.vectors import Vectors, and_not, any_set, load, popcount, select, store, zeros
from ludens.runtime.jit import borrowed, compiled, inlined
from ludens.search.mcts.backup_kernel import attach, back_up
from ludens.search.mcts.priors_kernel import record_move, record_path
from ludens.search.mcts.selection_kernel import MctsOptions, SelectionRound, select_leaves, write_path
from ludens.search.mcts.tree_kernel import (
    FULL,
    FULL_NOW,
    ITERATIONS,
    PLAYOUTS,
    PROVEN,
    ROOT,
    STATE,
    Counts,
    Floats,
    Ints,
    Tree,
    add_end,
    add_state,
    revert_visits,
    write_joint,
)

RUNNING, OVER, ENDED, FIRST_ENDED, FORCED, EXPANDING, FRESH, ADDING = range(8)
"""Masks of lanes: in play; over; of these ended by the rules, and ended right after the selected move; about to take
the selected move; about to add the state after it to the tree; have just taken it; add it in this pass."""
LANE_MASKS = 8
NOW, OLDEST, TO_BEGIN, FIRST_LANE_COUNT, FREE_GROUPS = range(5)
LANE_COUNTERS = 5
NO_LANE = -1
NO_MOVE = -1
ITERATIONS_PER_CALL = 16384
"""Iterations that one call begins at most, since those to proven nodes take time but no passes."""
GOING, FINISHED, SOLVED, NO_ROOM = range(4)
"""Why `grow_tree` returned: its passes were made; all iterations ended; the root is proven; the arena is full."""


class Lanes(NamedTuple):
    """The iterations under way. Lanes that begin at the same edge are a group; there are as many groups as lanes."""

    masks: Vectors
    """[LANE_MASKS]"""
    mask_words: Words
    group: Ints
    """[L]: the group of each lane."""
    rows: Words
    """[L, W]: the state it was loaded with."""
    birth: Counts
    """[L]: the pass in which it was loaded."""
    nodes: Ints
    places: Ints
    """[groups, depth]: the path that was selected."""
    length: Ints
    """[groups]: the length of the path."""
    joint: Ints
    """[groups, R]: the joint move at the end of the path."""
    size: Ints
    """[groups]: the number of its lanes."""
    playing: Ints
    """[groups]: the number of its lanes that are not backed up yet."""
    sums: Floats
    """[groups, R]: the sums of the values of its playouts so far."""
    free: Ints
    """[groups]: a stack of the groups that are free."""
    counters: Counts
    """[LANE_COUNTERS]: the number of this pass, the birth of the oldest lane, the iterations still to begin, the lanes
    used at first, the free groups."""
    value: Floats
    """[L, R]: the value of the playout of each lane."""
    log: Vectors
    log_words: Words
    """[passes * moves]: a ring of the moves that all lanes made in each pass; empty if no line is kept."""
    made: Ints
    """[passes, R, L]: a ring of the same as numbers, or NO_MOVE; empty without priors."""
    best_line: Ints
    """[1 + longest]: the moves that led to the best end of a single role, after their number."""
    best_value: Floats
    """[1]: the value of that end."""
    block: Words
    """[64]: scratch."""
    read_rows: Words
    """[64, W]"""
    read_legal: Words
    """[64, words for all moves]"""
    moves: Ints
    """[moves]"""
    starts: Ints
    """[R + 1]"""


class PlayoutTables(NamedTuple):
    """The tables of a game beyond those of the playout machine."""

    fluents: Ints
    """[fluents]: their numbers, for the bank."""
    fluent_wires: Ints
    legal_wires: Ints
    """[moves]"""
    role_starts: Ints
    """[R + 1]: where the moves of each role begin."""
    goal_values: Floats
    """[goal wires]: scaled to 0..1."""
    unknown: Floats
    """[R]: the value where the rules give no single goal."""
    max_steps: int


@compiled
def grow_tree(
    machine: Machine,
    memory: Memory,
    game: PlayoutTables,
    tree: Tree,
    lanes: Lanes,
    selection: SelectionRound,
    options: MctsOptions,
    passes: int,
) -> int:
    """Make a number of passes, or fewer where nothing is left to do; return why it ended."""
    machine, memory, game = borrowed(machine), borrowed(memory), borrowed(game)
    tree, lanes, selection = borrowed(tree), borrowed(lanes), borrowed(selection)
    values, masks, counters = memory.values, lanes.masks, lanes.counters
    fluents, first_fluent, next_wires = len(machine.next_wires), machine.first_fluent, machine.next_wires
    max_iterations = tree.counters[ITERATIONS] + ITERATIONS_PER_CALL
    for _ in range(passes):
        running = load(masks, RUNNING)
        if any_set(running):
            # 1. Expansion: look at the state of each lane; lanes that just took the selected move are at new nodes.
            evaluate(values, machine.look)
            counters[NOW] += 1
            forced = load(masks, FORCED)
            fresh = load(masks, FRESH)
            terminal = load(values, machine.terminal) & running
            expanding = and_not(load(masks, EXPANDING) & fresh, terminal)
            if any_set(expanding):
                store(masks, ADDING, expanding)
                _add_nodes(memory, game, tree, lanes)
            store(masks, EXPANDING, and_not(load(masks, EXPANDING), fresh))
            # 2. Playout: every lane that is not over makes a move.
            if counters[NOW] - counters[OLDEST] >= game.max_steps:
                _cut(lanes, game.max_steps)
                running = load(masks, RUNNING)
            moving = and_not(and_not(running, terminal), forced)
            missing = choose_moves(
                values, machine.legal, machine.roles, machine.levels, memory.scratch, memory.random_state, moving
            )
            ended = (terminal | missing) & running
            store(masks, ENDED, load(masks, ENDED) | ended)
            store(masks, FIRST_ENDED, load(masks, FIRST_ENDED) | (ended & fresh))
            store(masks, OVER, load(masks, OVER) | ended)
            running = and_not(running, ended)
            store(masks, RUNNING, running)
            if any_set(forced):
                _force(machine, memory, lanes)
            if len(lanes.log):
                _write_log(machine, memory, lanes)
            if len(lanes.made):
                _write_made(machine, memory, game, lanes)
            evaluate(values, machine.step)
            store(masks, FRESH, forced)
            store(masks, FORCED, zeros(masks))
        # 3. Backup of the lanes that are over, and selection for them, when there are enough of them.
        allowed = min(len(lanes.birth), max(counters[FIRST_LANE_COUNT], tree.counters[ITERATIONS] // 2))
        free = allowed - popcount(running)
        if (counters[TO_BEGIN] > 0 and 4 * free >= allowed) or not any_set(running):
            over = load(masks, OVER)
            if any_set(over):
                evaluate(values, machine.score)
                _back_up_ended(machine, memory, game, tree, lanes, options)
            root = tree.counters[ROOT]
            if tree.ints[2 * root + STATE] == PROVEN:
                return SOLVED
            if counters[TO_BEGIN] == 0 and not any_set(running):
                return FINISHED
            _begin_iterations(tree, lanes, selection, options, min(free, counters[TO_BEGIN]))
            if any_set(load(masks, FORCED)):
                rows_to_lanes(lanes.rows, memory.bank_words, game.fluents)
            for fluent in range(fluents):
                after = select(running, load(values, next_wires[fluent]), load(memory.bank, fluent))
                store(values, first_fluent + fluent, after)
            if tree.counters[FULL] == FULL_NOW:
                return NO_ROOM
            if tree.counters[ITERATIONS] >= max_iterations:
                break
        else:
            for fluent in range(fluents):
                wire = first_fluent + fluent
                store(values, wire, select(running, load(values, next_wires[fluent]), load(values, wire)))
    return GOING


@inlined
def _read(memory: Memory, lanes: Lanes, wires: Ints, word: int, rows: Words) -> None:
    """Write the 64 lanes of a word as rows, bit i being wire `wires[i]`."""
    block = lanes.block
    for column in range(rows.shape[1]):
        items = min(64, len(wires) - 64 * column)
        for item in range(items):
            block[item] = memory.words[wires[64 * column + item], word]
        block[items:] = 0
        transpose(block)
        for lane in range(64):
            rows[lane, column] = block[lane]


@inlined
def _add_nodes(memory: Memory, game: PlayoutTables, tree: Tree, lanes: Lanes) -> None:
    """Add the states of all expanding lanes to the tree; ends are added when they are backed up."""
    roles = len(game.unknown)
    for word in range(lanes.mask_words.shape[1]):
        bits = lanes.mask_words[ADDING, word]
        if bits == 0:
            continue
        _read(memory, lanes, game.fluent_wires, word, lanes.read_rows)
        _read(memory, lanes, game.legal_wires, word, lanes.read_legal)
        while bits:
            bit = trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            lane = 64 * word + bit
            group = lanes.group[lane]
            count, stuck = 0, False
            for role in range(roles):
                lanes.starts[role] = count
                first = game.role_starts[role]
                count = list_moves(lanes.read_legal[bit], first, game.role_starts[role + 1], lanes.moves, count)
                stuck |= count == lanes.starts[role]
            lanes.starts[roles] = count
            if stuck:
                continue
            child = add_state(tree, lanes.read_rows[bit], lanes.moves, lanes.starts)
            attach(tree, lanes.nodes[group], lanes.places[group], lanes.length[group], child)


@inlined
def _cut(lanes: Lanes, max_steps: int) -> None:
    """End the playouts that reached the limit of steps."""
    now = lanes.counters[NOW]
    oldest = now
    for word in range(lanes.mask_words.shape[1]):
        bits = lanes.mask_words[RUNNING, word]
        while bits:
            bit = trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            birth = lanes.birth[64 * word + bit]
            if now - birth >= max_steps:
                lanes.mask_words[RUNNING, word] &= ~(np.uint64(1) << np.uint64(bit))
                lanes.mask_words[OVER, word] |= np.uint64(1) << np.uint64(bit)
            else:
                oldest = min(oldest, birth)
    lanes.counters[OLDEST] = oldest


@inlined
def _force(machine: Machine, memory: Memory, lanes: Lanes) -> None:
    """Set the selected moves."""
    first_does = machine.roles[0, DOES]
    for word in range(lanes.mask_words.shape[1]):
        bits = lanes.mask_words[FORCED, word]
        while bits:
            bit = trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            group = lanes.group[64 * word + bit]
            for role in range(lanes.joint.shape[1]):
                wire = first_does + lanes.joint[group, role]
                memory.words[wire, word] |= np.uint64(1) << np.uint64(bit)


@inlined
def _back_up_ended(
    machine: Machine, memory: Memory, game: PlayoutTables, tree: Tree, lanes: Lanes, options: MctsOptions
) -> None:
    """Back up the values of all playouts that are over, and prove what they prove."""
    values, masks, mask_words = memory.values, lanes.masks, lanes.mask_words
    words, roles = mask_words.shape[1], len(game.unknown)
    # 1. The goals, role by role, where there is a single one.
    for word in range(words):
        bits = mask_words[OVER, word]
        while bits:
            lane = 64 * word + trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            for role in range(roles):
                lanes.value[lane, role] = game.unknown[role]
    terminal = load(values, machine.terminal) & load(masks, ENDED)
    first = 0
    while first < len(machine.goal_wires):
        last, role = first, machine.goal_roles[first]
        once, twice = zeros(masks), zeros(masks)
        while last < len(machine.goal_wires) and machine.goal_roles[last] == role:
            goal = load(values, machine.goal_wires[last])
            twice = twice | (once & goal)
            once = once | goal
            last += 1
        single = and_not(once, twice) & terminal
        for wire in range(first, last):
            store(masks, FORCED, load(values, machine.goal_wires[wire]) & single)
            for word in range(words):
                bits = mask_words[FORCED, word]
                while bits:
                    lanes.value[64 * word + trailing_zeros(bits), role] = game.goal_values[wire]
                    bits &= bits - np.uint64(1)
        first = last
    store(masks, FORCED, zeros(masks))
    # 2. Up the tree.
    for word in range(words):
        bits = mask_words[OVER, word]
        first_ended = mask_words[FIRST_ENDED, word]
        while bits:
            bit = trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            lane = 64 * word + bit
            tree.counters[PLAYOUTS] += 1
            group = lanes.group[lane]
            if len(lanes.log) and lanes.value[lane, 0] > lanes.best_value[0]:
                _keep_best_line(tree, lanes, lane)
            if len(lanes.made):
                _record_moves(tree, lanes, lane)
            for role in range(roles):
                lanes.sums[group, role] += lanes.value[lane, role]
            lanes.playing[group] -= 1
            if lanes.playing[group] == 0:
                at_once = first_ended >> np.uint64(bit) & np.uint64(1) != 0
                _back_up_group(tree, lanes, group, lane if at_once else NO_LANE, options.regret)
    for mask in (OVER, ENDED, FIRST_ENDED):
        store(masks, mask, zeros(masks))


@inlined
def _write_log(machine: Machine, memory: Memory, lanes: Lanes) -> None:
    """Keep the moves of this pass."""
    moves, does = len(lanes.moves), machine.roles[0, DOES]
    first = lanes.counters[NOW] % (len(lanes.log) // moves) * moves
    for move in range(moves):
        store(lanes.log, first + move, load(memory.values, does + move))


@inlined
def _write_made(machine: Machine, memory: Memory, game: PlayoutTables, lanes: Lanes) -> None:
    """Keep the moves of this pass by lane, where they are fast to read."""
    made, does = lanes.made[lanes.counters[NOW] % len(lanes.made)], machine.roles[0, DOES]
    made[:] = NO_MOVE
    for role in range(len(made)):
        for move in range(game.role_starts[role], game.role_starts[role + 1]):
            if any_set(load(memory.values, does + move)):
                for word in range(memory.words.shape[1]):
                    bits = memory.words[does + move, word]
                    while bits:
                        made[role, 64 * word + trailing_zeros(bits)] = move
                        bits &= bits - np.uint64(1)


@inlined
def _record_moves(tree: Tree, lanes: Lanes, lane: int) -> None:
    """Record the moves of a playout for the priors, as far back as the ring of moves reaches."""
    made, group, now, value = lanes.made, lanes.group[lane], lanes.counters[NOW], lanes.value[lane]
    for step in range(max(lanes.birth[lane] + 2, now - len(made) + 1), now + 1):
        moves = made[step % len(made)]
        if moves[0, lane] == NO_MOVE:
            break
        for role in range(len(value)):
            record_move(tree, moves[role, lane], value[role], 1)
    record_path(tree, lanes.nodes[group], lanes.places[group], lanes.length[group], value, 1)


@inlined
def _keep_best_line(tree: Tree, lanes: Lanes, lane: int) -> None:
    """Keep the moves of the best playout so far, from the root on, unless it was too long."""
    line, log_words = lanes.best_line, lanes.log_words
    group, moves = lanes.group[lane], len(lanes.moves)
    passes = len(lanes.log) // moves
    length = lanes.length[group]
    if lanes.counters[NOW] - lanes.birth[lane] >= passes or length + passes >= len(line):
        return
    # 1. The path in the tree, to the selected move.
    for level in range(length):
        write_joint(tree, lanes.nodes[group, level], lanes.places[group, level], line[1 + level : 2 + level])
    # 2. The playout after it; it ends where no move was made.
    going, step = True, lanes.birth[lane] + 2
    while going and step <= lanes.counters[NOW]:
        going = False
        first = step % passes * moves
        for move in range(moves):
            if log_words[first + move, lane >> 6] >> np.uint64(lane & 63) & np.uint64(1):
                line[1 + length] = move
                length += 1
                going = True
                break
        step += 1
    line[0] = length
    lanes.best_value[0] = lanes.value[lane, 0]


@inlined
def _back_up_group(tree: Tree, lanes: Lanes, group: int, lane: int, regret: bool) -> None:
    """Back up a group whose playouts are all over; `lane` stands at an end if the edge leads to one, else NO_LANE."""
    nodes, places, length = lanes.nodes[group], lanes.places[group], lanes.length[group]
    value, size = lanes.sums[group], lanes.size[group]
    for role in range(len(value)):
        value[role] = value[role] / size if lane == NO_LANE else lanes.value[lane, role]
    if lane != NO_LANE:
        attach(tree, nodes, places, length, add_end(tree, value))
    back_up(tree, nodes, places, length, value, size, regret)
    lanes.free[lanes.counters[FREE_GROUPS]] = group
    lanes.counters[FREE_GROUPS] += 1


@inlined
def _begin_iterations(tree: Tree, lanes: Lanes, selection: SelectionRound, options: MctsOptions, count: int) -> None:
    """Select leaves and load their lanes; first those that add nodes, so that these lie in few words."""
    if count <= 0:
        return
    lanes.counters[TO_BEGIN] -= count
    leaves = select_leaves(tree, selection, options, count)
    lane = 0
    for leaf in range(leaves):
        group = _new_group(tree, lanes, selection, selection.leaf_item[leaf])
        selection.leaf_group[leaf] = group
        if selection.leaf_expands[leaf]:
            lane = _load_lane(tree, lanes, group, lane)
            lanes.mask_words[EXPANDING, (lane - 1) >> 6] |= np.uint64(1) << np.uint64((lane - 1) & 63)
    for leaf in range(leaves):
        group = selection.leaf_group[leaf]
        while lanes.playing[group] < lanes.size[group]:
            lane = _load_lane(tree, lanes, group, lane)


@inlined
def _new_group(tree: Tree, lanes: Lanes, selection: SelectionRound, item: int) -> int:
    """Return a group for the iterations that end at an edge."""
    lanes.counters[FREE_GROUPS] -= 1
    group = lanes.free[lanes.counters[FREE_GROUPS]]
    nodes, places = lanes.nodes[group], lanes.places[group]
    length = write_path(selection, item, nodes, places)
    lanes.length[group] = length
    lanes.size[group] = selection.item_count[item]
    lanes.playing[group] = 0
    write_joint(tree, nodes[length - 1], places[length - 1], lanes.joint[group])
    for role in range(lanes.sums.shape[1]):
        lanes.sums[group, role] = 0.0
    return int(group)


@inlined
def _load_lane(tree: Tree, lanes: Lanes, group: int, lane: int) -> int:
    """Load the next free lane with the leaf of a group; return the lane after it."""
    while lanes.mask_words[RUNNING, lane >> 6] >> np.uint64(lane & 63) & np.uint64(1):
        lane += 1
    row = lanes.nodes[group, lanes.length[group] - 1] + tree.row_at
    for column in range(lanes.rows.shape[1]):
        lanes.rows[lane, column] = tree.words[row + column]
    lanes.group[lane] = group
    lanes.playing[group] += 1
    lanes.birth[lane] = lanes.counters[NOW]
    bit = np.uint64(1) << np.uint64(lane & 63)
    lanes.mask_words[RUNNING, lane >> 6] |= bit
    lanes.mask_words[FORCED, lane >> 6] |= bit
    return lane + 1


@compiled
def drop_lanes(tree: Tree, lanes: Lanes) -> None:
    """Drop all playouts under way, and take back the visits of their iterations."""
    for group in range(len(lanes.playing)):
        if lanes.playing[group] > 0:
            revert_visits(tree, lanes.nodes[group], lanes.places[group], lanes.length[group], lanes.size[group])
        lanes.playing[group] = 0
        lanes.free[group] = group
    lanes.counters[FREE_GROUPS] = len(lanes.playing)
    for mask in range(LANE_MASKS):
        for word in range(lanes.mask_words.shape[1]):
            lanes.mask_words[mask, word] = 0
