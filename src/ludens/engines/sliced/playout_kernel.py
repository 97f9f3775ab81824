"""Random games to their ends, in all lanes at once; a lane that ends begins the next game.

values    [wires] vectors, and `words` [wires, W], the same memory as plain words
bank      [fluents] vectors: the state that each lane begins with, and `bank_words` [fluents, W]
rows      [rows, row words]: states, bit i of a row being fluent i
left      [starts]: how many games from each start have still to begin; several starts may be the same row
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.engines.sliced.bits_kernel import Words, trailing_zeros
from ludens.engines.sliced.choice_kernel import choose_moves
from ludens.engines.sliced.gates_kernel import Gates, evaluate
from ludens.engines.sliced.vectors import Vectors, and_not, any_set, load, popcount, select, store, zeros
from ludens.runtime.jit import compiled, inlined

Ints = NDArray[np.int32]
Counts = NDArray[np.int64]


class Machine(NamedTuple):
    """The tables of a game."""

    look: Gates
    """What must be known before moves are chosen: the end and the legal moves."""
    step: Gates
    score: Gates
    terminal: int
    first_fluent: int
    next_wires: Ints
    goal_wires: Ints
    goal_roles: Ints
    """[goal wires]: the role of each."""
    legal: Ints
    roles: Ints
    levels: Ints


class Memory(NamedTuple):
    """Where one batch of lanes lives."""

    values: Vectors
    words: Words
    bank: Vectors
    bank_words: Words
    scratch: Vectors
    random_state: Vectors
    masks: Vectors
    """[MASKS] working vectors that are also read bit by bit."""
    mask_words: Words
    lane_start: Ints
    """[lanes]: which start the game of each lane comes from."""
    lane_row: Ints
    """[lanes]: which row stands in the bank."""
    lane_birth: Counts
    """[lanes]: the step at which it began."""
    queue: Counts
    """[2]: how many games have still to begin in all, and the start that was last to get a new lane."""


class Tally(NamedTuple):
    """What came of the games of each start."""

    ended: Counts
    """[starts]: games that ended by themselves."""
    cut: Counts
    """[starts]: games that reached the limit."""
    steps: Counts
    """[starts]: joint moves made in all games together."""
    goals: Counts
    """[starts, goal wires]: games that ended with just this goal for the role."""


ACTIVE, OVER, TERMINAL, RELOADED, SINGLE = range(5)
MASKS = 5
TO_BEGIN, LAST_START = range(2)
DONE, NO_LEGAL_MOVE = 0, 1


@compiled
def play(
    machine: Machine, memory: Memory, rows: Words, row_of: Ints, left: Counts, max_steps: int, tally: Tally
) -> int:
    """Play all games to their ends; `DONE`, or `NO_LEGAL_MOVE` if a role has none in a state that is not terminal."""
    values, masks = memory.values, memory.masks
    fluents = len(machine.next_wires)
    # 1. Every lane begins a game, as long as there are any; the starts take turns.
    for mask in range(MASKS):
        store(masks, mask, zeros(values))
    games = left.sum()
    if games == 0:
        return DONE
    memory.queue[LAST_START] = -1
    for lane in range(min(len(memory.lane_start), games)):
        start = _next_start(memory.queue, left)
        left[start] -= 1
        games -= 1
        memory.lane_start[lane] = start
        memory.lane_row[lane] = row_of[start]
        memory.lane_birth[lane] = 0
        bit = np.uint64(1) << np.uint64(lane & 63)
        memory.mask_words[ACTIVE, lane >> 6] |= bit
        memory.mask_words[RELOADED, lane >> 6] |= bit
    memory.queue[TO_BEGIN] = games
    _reload(memory, rows)
    for fluent in range(fluents):
        store(values, machine.first_fluent + fluent, load(memory.bank, fluent))
    step = 0
    limit_step = max_steps
    bank, scratch, random_state = memory.bank, memory.scratch, memory.random_state
    look, after_moves, score = machine.look, machine.step, machine.score
    legal, roles, levels, next_wires = machine.legal, machine.roles, machine.levels, machine.next_wires
    first_fluent = machine.first_fluent
    while True:
        # 2. Which games are over?
        evaluate(values, look)
        active = load(masks, ACTIVE)
        terminal = load(values, machine.terminal) & active
        store(masks, TERMINAL, terminal)
        store(masks, OVER, terminal)
        if step >= limit_step:
            limit_step = _cut(memory, step, max_steps)
        over = load(masks, OVER)
        # 3. In all others every role moves.
        missing = choose_moves(values, legal, roles, levels, scratch, random_state, and_not(active, over))
        if any_set(missing):
            return NO_LEGAL_MOVE
        evaluate(values, after_moves)
        step += 1
        # 4. Those that are over are counted, and their lanes begin new games.
        if any_set(over):
            if any_set(terminal):
                evaluate(values, score)
            _record(machine, memory, tally, step - 1)
            _begin(memory, row_of, left, step)
            _reload(memory, rows)
            if not any_set(load(masks, ACTIVE)):
                return DONE
            for fluent in range(fluents):
                after = select(over, load(bank, fluent), load(values, next_wires[fluent]))
                store(values, first_fluent + fluent, after)
        else:
            for fluent in range(fluents):
                store(values, first_fluent + fluent, load(values, next_wires[fluent]))


@inlined
def _next_start(queue: Counts, left: Counts) -> int:
    """The next start that has games left, round the list; there must be one."""
    start = int((queue[LAST_START] + 1) % len(left))
    while left[start] <= 0:
        start = (start + 1) % len(left)
    queue[LAST_START] = start
    return start


@inlined
def _cut(memory: Memory, step: int, max_steps: int) -> int:
    """Games that reached the limit are over; the step at which to look again."""
    mask_words, lane_birth = memory.mask_words, memory.lane_birth
    oldest = step
    for word in range(mask_words.shape[1]):
        bits = mask_words[ACTIVE, word]
        while bits:
            bit = trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            birth = lane_birth[64 * word + bit]
            if step - birth >= max_steps:
                mask_words[OVER, word] |= np.uint64(1) << np.uint64(bit)
            else:
                oldest = min(oldest, birth)
    return oldest + max_steps


@inlined
def _record(machine: Machine, memory: Memory, tally: Tally, step: int) -> None:
    """Count the games that are over."""
    values, masks, mask_words = memory.values, memory.masks, memory.mask_words
    lane_start, lane_birth = memory.lane_start, memory.lane_birth
    goal_wires, goal_roles, goals = machine.goal_wires, machine.goal_roles, tally.goals
    ended, cut, steps = tally.ended, tally.cut, tally.steps
    one_start = len(ended) == 1
    # 1. Ends and lengths.
    terminal = load(masks, TERMINAL)
    if one_start:
        games = popcount(terminal)
        ended[0] += games
        cut[0] += popcount(load(masks, OVER)) - games
    for word in range(mask_words.shape[1]):
        bits = mask_words[OVER, word]
        length = 0
        while bits:
            bit = trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            lane = 64 * word + bit
            if one_start:
                length += step - lane_birth[lane]
                continue
            start = lane_start[lane]
            steps[start] += step - lane_birth[lane]
            if mask_words[TERMINAL, word] >> np.uint64(bit) & np.uint64(1):
                ended[start] += 1
            else:
                cut[start] += 1
        steps[0] += length
    # 2. Goals, role by role, where there is just one.
    first = 0
    while first < len(goal_wires):
        last = first
        once, twice = zeros(masks), zeros(masks)
        while last < len(goal_wires) and goal_roles[last] == goal_roles[first]:
            goal = load(values, goal_wires[last])
            twice = twice | (once & goal)
            once = once | goal
            last += 1
        single = and_not(once, twice) & terminal
        for wire in range(first, last):
            lanes = load(values, goal_wires[wire]) & single
            if one_start:
                goals[0, wire] += popcount(lanes)
                continue
            store(masks, SINGLE, lanes)
            for word in range(mask_words.shape[1]):
                bits = mask_words[SINGLE, word]
                while bits:
                    goals[lane_start[64 * word + trailing_zeros(bits)], wire] += 1
                    bits &= bits - np.uint64(1)
        first = last


@inlined
def _begin(memory: Memory, row_of: Ints, left: Counts, step: int) -> None:
    """New games in the lanes that are free, from the same start as before if it has any left."""
    mask_words, queue = memory.mask_words, memory.queue
    lane_start, lane_row, lane_birth = memory.lane_start, memory.lane_row, memory.lane_birth
    to_begin = queue[TO_BEGIN]
    for word in range(mask_words.shape[1]):
        bits = mask_words[OVER, word]
        while bits:
            bit = trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            lane = 64 * word + bit
            if to_begin == 0:
                mask_words[ACTIVE, word] &= ~(np.uint64(1) << np.uint64(bit))
                continue
            to_begin -= 1
            lane_birth[lane] = step
            if len(left) == 1:
                continue
            start = lane_start[lane]
            if left[start] == 0:
                start = _next_start(queue, left)
                lane_start[lane] = start
                if row_of[start] != lane_row[lane]:
                    lane_row[lane] = row_of[start]
                    mask_words[RELOADED, word] |= np.uint64(1) << np.uint64(bit)
            left[start] -= 1
    queue[TO_BEGIN] = to_begin


@inlined
def _reload(memory: Memory, rows: Words) -> None:
    """Write the states that the lanes in RELOADED begin with into the bank."""
    bank, bank_words, masks, mask_words = memory.bank, memory.bank_words, memory.masks, memory.mask_words
    lane_row = memory.lane_row
    reloaded = load(masks, RELOADED)
    if not any_set(reloaded):
        return
    for fluent in range(len(bank)):
        store(bank, fluent, and_not(load(bank, fluent), reloaded))
    for word in range(mask_words.shape[1]):
        bits = mask_words[RELOADED, word]
        while bits:
            bit = trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            row = lane_row[64 * word + bit]
            for column in range(rows.shape[1]):
                facts = rows[row, column]
                while facts:
                    fluent = 64 * column + trailing_zeros(facts)
                    facts &= facts - np.uint64(1)
                    bank_words[fluent, word] |= np.uint64(1) << np.uint64(bit)
    store(masks, RELOADED, zeros(masks))
