"""Search and random games in one: every lane plays from where a descent ended; lanes that end begin new descents.

A descent ends at a move of a node. Its lane is loaded with the state of the node; in the next pass it is made to take
that move, while all others draw theirs, and then plays on at random. A lane whose game is over stays as it is until a
good part of all lanes is over; then all of these are counted and loaded anew together.

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
from ludens.search.mcts.priors_kernel import note_move, note_path
from ludens.search.mcts.selection_kernel import Descents, Options, descend, write_path
from ludens.search.mcts.tree_kernel import (
    FULL,
    FULL_NOW,
    PLAYED,
    PROVEN,
    ROOT,
    STATE,
    VISITED,
    Counts,
    Floats,
    Ints,
    Tree,
    abandon,
    add_end,
    add_state,
    write_joint,
)

RUNNING, OVER, ENDED, FIRST_ENDED, FORCED, EXPANDING, FRESH, ADDING = range(8)
"""Lanes that play; that are over, and of these: ended by the rules, and in the first state after a descent; lanes that
are to take the move of their descent, and to add the state after it to the tree; that just took it; that add it now."""
LANE_MASKS = 8
NOW, OLDEST, TO_BEGIN, FIRST_LANE_COUNT, FREE_GROUPS = range(5)
LANE_COUNTERS = 5
NO_LANE = -1
NO_MOVE = -1
VISITS_PER_CALL = 16384
"""A call ends when so many descents began, since those to proven nodes take time but no passes."""
GOING, FINISHED, SOLVED, NO_ROOM = range(4)
"""Why `run` came back: its passes were made; all descents ended; the root is proven; the arena is full."""


class Lanes(NamedTuple):
    """What each lane is doing. Lanes that begin at the same edge are a group; there are as many as lanes."""

    masks: Vectors
    """[LANE_MASKS]"""
    mask_words: Words
    group: Ints
    """[L]: the group of each lane."""
    rows: Words
    """[L, W]: the state it was loaded with."""
    birth: Counts
    """[L]: the pass in which it was."""
    nodes: Ints
    places: Ints
    """[groups, depth]: the path of its descent."""
    length: Ints
    """[groups]: the length of the path."""
    joint: Ints
    """[groups, R]: the moves that end the descent."""
    size: Ints
    """[groups]: how many lanes it has."""
    playing: Ints
    """[groups]: how many of these are not counted yet."""
    sums: Floats
    """[groups, R]: what its games came to so far."""
    free: Ints
    """[groups]: a stack of the groups that are free."""
    counters: Counts
    """[LANE_COUNTERS]: the number of this pass, when the oldest lane was born, how many descents are still to begin,
    how many lanes are used at first, and how many groups are free."""
    value: Floats
    """[L, R]: what the game of each lane came to."""
    log: Vectors
    log_words: Words
    """[passes * moves]: the moves that all lanes made, pass after pass and round again; nothing if no line is kept."""
    made: Ints
    """[passes, R, L]: the same as numbers, or NO_MOVE; no passes if there are no priors."""
    line: Ints
    """[1 + longest]: the moves that led to the best end of a single role, after their number."""
    best: Floats
    """[1]: the value of that end."""
    block: Words
    """[64]"""
    read_rows: Words
    """[64, W]"""
    read_legal: Words
    """[64, words for all moves]"""
    moves: Ints
    """[moves]"""
    starts: Ints
    """[R + 1]"""


class Game(NamedTuple):
    """What the machine of random games does not say."""

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
    """[R]: what counts where the rules give no single value."""
    max_steps: int


@compiled
def run(
    machine: Machine,
    memory: Memory,
    game: Game,
    tree: Tree,
    lanes: Lanes,
    descents: Descents,
    options: Options,
    passes: int,
) -> int:
    """Make so many passes, or fewer where there is nothing left to do."""
    machine, memory, game = borrowed(machine), borrowed(memory), borrowed(game)
    tree, lanes, descents = borrowed(tree), borrowed(lanes), borrowed(descents)
    values, masks, counters = memory.values, lanes.masks, lanes.counters
    fluents, first_fluent, next_wires = len(machine.next_wires), machine.first_fluent, machine.next_wires
    most_visits = tree.counters[VISITED] + VISITS_PER_CALL
    for _ in range(passes):
        running = load(masks, RUNNING)
        if any_set(running):
            # 1. What is so in each lane? Those that just took the move of their descent are the new nodes.
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
            # 2. All go on, but for those that are over.
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
        # 3. Is it time to count the lanes that are over, and to begin new descents?
        allowed = min(len(lanes.birth), max(counters[FIRST_LANE_COUNT], tree.counters[VISITED] // 2))
        free = allowed - popcount(running)
        if (counters[TO_BEGIN] > 0 and 4 * free >= allowed) or not any_set(running):
            over = load(masks, OVER)
            if any_set(over):
                evaluate(values, machine.score)
                _count_ends(machine, memory, game, tree, lanes, options)
            root = tree.counters[ROOT]
            if tree.ints[2 * root + STATE] == PROVEN:
                return SOLVED
            if counters[TO_BEGIN] == 0 and not any_set(running):
                return FINISHED
            _begin(tree, lanes, descents, options, min(free, counters[TO_BEGIN]))
            if any_set(load(masks, FORCED)):
                rows_to_lanes(lanes.rows, memory.bank_words, game.fluents)
            for fluent in range(fluents):
                after = select(running, load(values, next_wires[fluent]), load(memory.bank, fluent))
                store(values, first_fluent + fluent, after)
            if tree.counters[FULL] == FULL_NOW:
                return NO_ROOM
            if tree.counters[VISITED] >= most_visits:
                break
        else:
            for fluent in range(fluents):
                wire = first_fluent + fluent
                store(values, wire, select(running, load(values, next_wires[fluent]), load(values, wire)))
    return GOING


@inlined
def _read(memory: Memory, lanes: Lanes, wires: Ints, word: int, rows: Words) -> None:
    """The 64 lanes of a word as rows, bit i being wire `wires[i]`."""
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
def _add_nodes(memory: Memory, game: Game, tree: Tree, lanes: Lanes) -> None:
    """Add the states of all expanding lanes to the tree; those of ends follow when they are counted."""
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
    """Lanes that have played for too long are over."""
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
    """Set the moves of the descents."""
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
def _count_ends(machine: Machine, memory: Memory, game: Game, tree: Tree, lanes: Lanes, options: Options) -> None:
    """Give the value of all games that are over to the tree, and prove what they prove."""
    values, masks, mask_words = memory.values, lanes.masks, lanes.mask_words
    words, roles = mask_words.shape[1], len(game.unknown)
    # 1. The goals, role by role, where there is just one.
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
            tree.counters[PLAYED] += 1
            group = lanes.group[lane]
            if len(lanes.log) and lanes.value[lane, 0] > lanes.best[0]:
                _keep_line(tree, lanes, lane)
            if len(lanes.made):
                _note_moves(tree, lanes, lane)
            for role in range(roles):
                lanes.sums[group, role] += lanes.value[lane, role]
            lanes.playing[group] -= 1
            if lanes.playing[group] == 0:
                at_once = first_ended >> np.uint64(bit) & np.uint64(1) != 0
                _end_group(tree, lanes, group, lane if at_once else NO_LANE, options.regret)
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
def _write_made(machine: Machine, memory: Memory, game: Game, lanes: Lanes) -> None:
    """Keep the moves of this pass in a way that is fast to read, lane by lane."""
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
def _note_moves(tree: Tree, lanes: Lanes, lane: int) -> None:
    """The game of a lane is over: note what its moves came to; those that there was no room for are forgotten."""
    made, group, now, value = lanes.made, lanes.group[lane], lanes.counters[NOW], lanes.value[lane]
    for step in range(max(lanes.birth[lane] + 2, now - len(made) + 1), now + 1):
        moves = made[step % len(made)]
        if moves[0, lane] == NO_MOVE:
            break
        for role in range(len(value)):
            note_move(tree, moves[role, lane], value[role], 1)
    note_path(tree, lanes.nodes[group], lanes.places[group], lanes.length[group], value, 1)


@inlined
def _keep_line(tree: Tree, lanes: Lanes, lane: int) -> None:
    """The game of a lane is the best so far: keep its moves from the root on, unless it was too long."""
    line, log_words = lanes.line, lanes.log_words
    group, moves = lanes.group[lane], len(lanes.moves)
    passes = len(lanes.log) // moves
    length = lanes.length[group]
    if lanes.counters[NOW] - lanes.birth[lane] >= passes or length + passes >= len(line):
        return
    # 1. Down the tree, with the move that ended the descent.
    for level in range(length):
        write_joint(tree, lanes.nodes[group, level], lanes.places[group, level], line[1 + level : 2 + level])
    # 2. The random game after it; it ends where no move was made.
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
    lanes.best[0] = lanes.value[lane, 0]


@inlined
def _end_group(tree: Tree, lanes: Lanes, group: int, lane: int, regret: bool) -> None:
    """All games of a group are over; if the edge leads to an end, so that none began, a lane that stands there."""
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
def _begin(tree: Tree, lanes: Lanes, descents: Descents, options: Options, count: int) -> None:
    """New descents, and their lanes; first those that add nodes, so that these lie in few words."""
    if count <= 0:
        return
    lanes.counters[TO_BEGIN] -= count
    jobs = descend(tree, descents, options, count)
    lane = 0
    for job in range(jobs):
        group = _new_group(tree, lanes, descents, descents.job_item[job])
        descents.job_group[job] = group
        if descents.job_expands[job]:
            lane = _load_lane(tree, lanes, group, lane)
            lanes.mask_words[EXPANDING, (lane - 1) >> 6] |= np.uint64(1) << np.uint64((lane - 1) & 63)
    for job in range(jobs):
        group = descents.job_group[job]
        while lanes.playing[group] < lanes.size[group]:
            lane = _load_lane(tree, lanes, group, lane)


@inlined
def _new_group(tree: Tree, lanes: Lanes, descents: Descents, item: int) -> int:
    """A group for the descents that ended at an edge."""
    lanes.counters[FREE_GROUPS] -= 1
    group = lanes.free[lanes.counters[FREE_GROUPS]]
    nodes, places = lanes.nodes[group], lanes.places[group]
    length = write_path(descents, item, nodes, places)
    lanes.length[group] = length
    lanes.size[group] = descents.item_count[item]
    lanes.playing[group] = 0
    write_joint(tree, nodes[length - 1], places[length - 1], lanes.joint[group])
    for role in range(lanes.sums.shape[1]):
        lanes.sums[group, role] = 0.0
    return int(group)


@inlined
def _load_lane(tree: Tree, lanes: Lanes, group: int, lane: int) -> int:
    """Let the next free lane begin where a descent ended; the lane after it."""
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
    """End all games that are under way, as if their descents had never been."""
    for group in range(len(lanes.playing)):
        if lanes.playing[group] > 0:
            abandon(tree, lanes.nodes[group], lanes.places[group], lanes.length[group], lanes.size[group])
        lanes.playing[group] = 0
        lanes.free[group] = group
    lanes.counters[FREE_GROUPS] = len(lanes.playing)
    for mask in range(LANE_MASKS):
        for word in range(lanes.mask_words.shape[1]):
            lanes.mask_words[mask, word] = 0
