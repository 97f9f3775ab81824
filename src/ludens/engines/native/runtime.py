"""What a compiled game does, written once and translated: to C by `c_writer`, to LLVM by `llvm_writer`.

These functions are never run as Python. They are written in a small part of it: every value is an unsigned number of
64 bits, every array belongs to the tables of the game `t` or to the workspace `w`, or is passed in, and there are
assignments, `if`, `while`, `for` over a range, calls and `return`. `plan` says what the arrays hold.

The evaluation is incremental. A gate is an AND; it counts those of its literals that are false. When a node changes,
the counts of the gates that read it change, and gates whose count came to zero or left it are marked. They are looked
at in an order in which each comes after all that it reads; gates in the same word do not read each other. So a step
costs what it changes, not what there is. A literal that very many gates read is their guard: these gates do not count
it but have it as a mask over their word.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from ludens.engines.backend.language import (
    Bytes,
    ConstantBytes,
    ConstantNumbers,
    Constants,
    Numbers,
    Results,
    Scratch,
    Words,
    inline,
    low_bit,
    ones,
)

NO_MOVE = 0xFFFFFFFF
NO_VALUE = 0xFFFFFFFFFFFFFFFF
CANNOT_MOVE = 0xFFFFFFFFFFFFFFFE
"""As results: -1 and -2."""
ENDED, CUT, STUCK = 0, 1, 2
READY = 0x6C7564656E730001
COMPONENT = 0x80000000
MASK, DIRTY = 1, 2
"""Each word of nodes is four words of memory: which nodes are active, a mask, what is marked, and nothing."""
NODE, FAN_END, SLOT, SPECIAL = 4, 1, 2, 3


# -- propagation -----------------------------------------------------------------------------


@inline
def propagate(t: Constants, w: Scratch, node: int, value: int) -> None:
    """Tell the gates that read a node that it has changed to a value."""
    record = NODE * node
    for place in range(t.nodes[record], t.nodes[record + FAN_END]):
        edge = t.edges[place]
        holds = (edge ^ value) & 1
        gate = edge >> 1
        before = w.counts[gate]
        w.counts[gate] = before + 1 - holds - holds
        crossed = (before == holds) << (gate & 63)
        word = gate >> 6
        w.words[4 * word] ^= crossed
        w.words[4 * word + DIRTY] ^= crossed & w.words[4 * word + MASK]
    slot = t.nodes[record + SLOT]
    w.outputs[slot >> 6] ^= 1 << (slot & 63)
    if t.nodes[record + SPECIAL]:
        propagate_special(t, w, t.nodes[record + SPECIAL])


def propagate_special(t: Constants, w: Scratch, special: int) -> None:
    """A node that is a guard, has several outputs or is read by recursive rules has changed."""
    for place in range(t.specials[3 * special], t.specials[3 * special + 3]):
        word = t.guarded_words[place]
        w.words[4 * word + MASK] = ~w.words[4 * word + MASK]
        w.words[4 * word + DIRTY] ^= w.words[4 * word]
    for place in range(t.specials[3 * special + 1], t.specials[3 * special + 4]):
        slot = t.more_slots[place]
        w.outputs[slot >> 6] ^= 1 << (slot & 63)
    for place in range(t.specials[3 * special + 2], t.specials[3 * special + 5]):
        trigger = t.triggers[place]
        w.words[4 * (trigger >> 6) + DIRTY] |= 1 << (trigger & 63)


def settle(t: Constants, w: Scratch) -> None:
    """Evaluate all gates whose inputs have changed."""
    for word in range(t.first_gate_word, t.end_gate_word):
        marked = w.words[4 * word + DIRTY]
        w.words[4 * word + DIRTY] = 0
        while marked:
            place = low_bit(marked)
            marked &= marked - 1
            node = 64 * word + place
            if t.component_count and t.nodes[NODE * node + SPECIAL] >= COMPONENT:
                evaluate_component(t, w, t.nodes[NODE * node + SPECIAL] - COMPONENT)
            else:
                propagate(t, w, node, ((w.words[4 * word] & w.words[4 * word + MASK]) >> place) & 1)


# -- recursive rules -------------------------------------------------------------------------


def evaluate_component(t: Constants, w: Scratch, component: int) -> None:
    """The least solution of rules that depend on themselves: from nothing, whatever follows is added."""
    first_loop = t.components[2 * component]
    first_member = t.components[2 * component + 1]
    end = t.components[2 * component + 2]
    for item in range(first_loop, first_member):
        w.item_values[item] = 0
    for item in range(first_member, end):
        missing = w.counts[t.item_counters[item]]
        for place in range(t.item_inputs[item], t.item_inputs[item + 1]):
            literal = t.item_literals[place]
            missing += 1 ^ w.item_values[literal >> 1] ^ (literal & 1)
        w.item_counts[item] = missing
        w.item_values[item] = missing == 0
    waiting = 0
    for item in range(first_loop, first_member):
        definition = t.item_literals[t.item_inputs[item]]
        if w.item_values[definition >> 1] ^ (definition & 1):
            w.item_queue[waiting] = item
            waiting += 1
    for place in range(waiting):
        w.item_values[w.item_queue[place]] = 1
    follow_component(t, w, first_member, waiting)
    for item in range(first_loop, end):
        node = t.item_nodes[item]
        value = w.item_values[item]
        if value != (w.words[4 * (node >> 6)] >> (node & 63)) & 1:
            w.words[4 * (node >> 6)] ^= 1 << (node & 63)
            propagate(t, w, node, value)


def follow_component(t: Constants, w: Scratch, first_member: int, waiting: int) -> None:
    """Go on from the loop inputs in the queue; every item changes once at most."""
    done = 0
    while done < waiting:
        item = w.item_queue[done]
        done += 1
        value = w.item_values[item]
        for place in range(t.item_fans[item], t.item_fans[item + 1]):
            edge = t.item_edges[place]
            reader = edge >> 1
            holds = (edge ^ value) & 1
            if reader < first_member:
                if holds > w.item_values[reader]:
                    w.item_values[reader] = 1
                    w.item_queue[waiting] = reader
                    waiting += 1
            else:
                before = w.item_counts[reader]
                w.item_counts[reader] = before + 1 - holds - holds
                if before == holds:
                    w.item_values[reader] ^= 1
                    w.item_queue[waiting] = reader
                    waiting += 1


# -- states and moves ------------------------------------------------------------------------


def prepare(t: Constants, w: Scratch) -> None:
    """Fill a workspace that was not used before: everything as if no node held, then what follows from that."""
    for node in range(64 * t.word_count):
        w.counts[node] = t.first_counts[node]
    for place in range(4 * t.word_count):
        w.words[place] = t.first_words[place]
    for word in range(t.output_words):
        w.outputs[word] = t.first_outputs[word]
    for role in range(t.role_count):
        w.made[role] = NO_MOVE
    w.ready[0] = READY
    settle(t, w)


def take_back(t: Constants, w: Scratch) -> None:
    """Unmake the moves that were made, if any."""
    for role in range(t.role_count):
        node = w.made[role]
        if node != NO_MOVE:
            w.made[role] = NO_MOVE
            w.words[4 * (node >> 6)] ^= 1 << (node & 63)
            propagate(t, w, node, 0)


def set_word(t: Constants, w: Scratch, word: int, facts: int) -> None:
    """Let exactly these facts of one word of the state hold."""
    changed = facts ^ w.words[4 * word]
    w.words[4 * word] = facts
    while changed:
        place = low_bit(changed)
        changed &= changed - 1
        propagate(t, w, 64 * word + place, (facts >> place) & 1)


def enter(t: Constants, w: Scratch, states: ConstantBytes, first_byte: int) -> None:
    """Evaluate a state, starting from whatever was evaluated last."""
    if w.ready[0] != READY:
        prepare(t, w)
    take_back(t, w)
    for word in range(t.state_words):
        facts = 0
        for byte in range(8 * word, least(8 * word + 8, t.state_bytes)):
            facts |= states[first_byte + byte] << (8 * (byte & 7))
        set_word(t, w, word, facts & t.fluent_masks[word])
    settle(t, w)


def least(left: int, right: int) -> int:
    result = left
    if right < left:
        result = right
    return result


def make_move(t: Constants, w: Scratch, role: int, move: int) -> None:
    node = t.first_move_node + move
    w.made[role] = node
    w.words[4 * (node >> 6)] ^= 1 << (node & 63)
    propagate(t, w, node, 1)


def go_on(t: Constants, w: Scratch) -> None:
    """From a state in which moves have been made to the next one."""
    settle(t, w)
    for word in range(t.state_words):
        w.after[word] = w.outputs[word]
    take_back(t, w)
    for word in range(t.state_words):
        set_word(t, w, word, w.after[word])
    settle(t, w)


def is_legal(t: Constants, w: Scratch, role: int, move: int) -> int:
    if move < t.first_moves[role] or move >= t.first_moves[role + 1]:
        return 0
    slot = 64 * t.legal_words[role] + move - t.first_moves[role]
    return (w.outputs[slot >> 6] >> (slot & 63)) & 1


def goal_of(t: Constants, w: Scratch, role: int) -> int:
    """The one goal value of a role, or -1; `score` comes first."""
    found = 0
    value = NO_VALUE
    for goal in range(t.first_goals[role], t.first_goals[role + 1]):
        if literal_holds(w, t.goal_literals[goal]):
            found += 1
            value = t.goal_numbers[goal]
    if found != 1 or value > 100:
        value = NO_VALUE
    return value


def literal_holds(w: Scratch, literal: int) -> int:
    word = literal >> 7
    return (((w.words[4 * word] & w.words[4 * word + MASK]) >> ((literal >> 1) & 63)) ^ literal) & 1


def score(t: Constants, w: Scratch) -> None:
    """Evaluate the gates that only goals need, all of them: this is asked for once in a game."""
    for gate in range(t.score_count):
        node = t.first_score_node + gate
        value = 1
        place = t.score_inputs[gate]
        while value and place < t.score_inputs[gate + 1]:
            value = literal_holds(w, t.score_literals[place])
            place += 1
        bit = 1 << (node & 63)
        w.words[4 * (node >> 6)] = (w.words[4 * (node >> 6)] & ~bit) | value << (node & 63)


def random_number(rng: Words) -> int:
    """The next number of the generator splitmix64."""
    rng[0] += 0x9E3779B97F4A7C15
    number = rng[0]
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB
    return number ^ (number >> 31)


def choose(t: Constants, w: Scratch, role: int, rng: Words) -> int:
    """A random legal move of a role, or NO_MOVE."""
    first = t.legal_words[role]
    count = 0
    for word in range(first, t.legal_words[role + 1]):
        count += ones(w.outputs[word])
    if count == 0:
        return NO_MOVE
    skipped = 0
    if count > 1:
        skipped = ((random_number(rng) >> 32) * count) >> 32
    word = first
    while skipped >= ones(w.outputs[word]):
        skipped -= ones(w.outputs[word])
        word += 1
    bits = w.outputs[word]
    while skipped:
        bits &= bits - 1
        skipped -= 1
    return t.first_moves[role] + 64 * (word - first) + low_bit(bits)


def terminal_now(t: Constants, w: Scratch) -> int:
    return w.outputs[t.terminal_word] & 1


def play_on(
    t: Constants,
    w: Scratch,
    rng: Words,
    max_steps: int,
    goals: Results,
    first_goal: int,
    steps: Numbers,
    game: int,
) -> int:
    """Play at random from the state that was entered."""
    for role in range(t.role_count):
        goals[first_goal + role] = NO_VALUE
    result = ENDED
    made = 0
    while result == ENDED and terminal_now(t, w) == 0:
        if made == max_steps:
            result = CUT
        else:
            for role in range(t.role_count):
                move = choose(t, w, role, rng)
                if move == NO_MOVE:
                    result = STUCK
                    goals[first_goal + role] = CANNOT_MOVE
                else:
                    make_move(t, w, role, move)
            if result == ENDED:
                go_on(t, w)
                made += 1
    steps[game] = made
    if result == ENDED:
        score(t, w)
        for role in range(t.role_count):
            goals[first_goal + role] = goal_of(t, w, role)
    return result


# -- what the library offers -----------------------------------------------------------------


def init(t: Constants, state: Bytes) -> None:
    for byte in range(t.state_bytes):
        state[byte] = t.init[byte]


def terminal(t: Constants, w: Scratch, state: ConstantBytes) -> int:
    enter(t, w, state, 0)
    return terminal_now(t, w)


def legal_bits(t: Constants, w: Scratch, state: ConstantBytes, bits: Bytes) -> None:
    enter(t, w, state, 0)
    for byte in range(t.legal_bytes):
        bits[byte] = 0
    for role in range(t.role_count):
        for move in range(t.first_moves[role], t.first_moves[role + 1]):
            bits[move >> 3] |= is_legal(t, w, role, move) << (move & 7)


def legal(t: Constants, w: Scratch, state: ConstantBytes, role: int, moves: Numbers) -> int:
    count = 0
    if role < t.role_count:
        enter(t, w, state, 0)
        for word in range(t.legal_words[role], t.legal_words[role + 1]):
            bits = w.outputs[word]
            while bits:
                moves[count] = t.first_moves[role] + 64 * (word - t.legal_words[role]) + low_bit(bits)
                count += 1
                bits &= bits - 1
    return count


def next_state(t: Constants, w: Scratch, state: ConstantBytes, moves: ConstantNumbers, after: Bytes) -> int:
    enter(t, w, state, 0)
    for role in range(t.role_count):
        if is_legal(t, w, role, moves[role]) == 0:
            return 0
    for role in range(t.role_count):
        make_move(t, w, role, moves[role])
    settle(t, w)
    for byte in range(t.state_bytes):
        after[byte] = w.outputs[byte >> 3] >> (8 * (byte & 7))
    return 1


def goal(t: Constants, w: Scratch, state: ConstantBytes, role: int) -> int:
    value = NO_VALUE
    if role < t.role_count:
        enter(t, w, state, 0)
        score(t, w)
        value = goal_of(t, w, role)
    return value


def playout(
    t: Constants,
    w: Scratch,
    state: ConstantBytes,
    rng: Words,
    max_steps: int,
    goals: Results,
    steps: Numbers,
) -> int:
    enter(t, w, state, 0)
    return play_on(t, w, rng, max_steps, goals, 0, steps, 0)


def goal_bits(t: Constants, w: Scratch, state: ConstantBytes, bits: Bytes) -> None:
    """Which of all goal values hold, the roles one after the other; the bits are zero before."""
    enter(t, w, state, 0)
    score(t, w)
    for goal in range(t.first_goals[t.role_count]):
        bits[goal >> 3] |= literal_holds(w, t.goal_literals[goal]) << (goal & 7)


def playouts(
    t: Constants,
    w: Scratch,
    states: ConstantBytes,
    rng: Words,
    count: int,
    max_steps: int,
    goals: Results,
    steps: Numbers,
    results: Bytes,
) -> None:
    """One random game from each of many states, whose rows have a whole number of words."""
    for game in range(count):
        enter(t, w, states, 8 * t.state_words * game)
        results[game] = play_on(t, w, rng, max_steps, goals, t.role_count * game, steps, game)


OFFERED = ("init", "terminal", "legal_bits", "legal", "next_state", "goal", "playout")
"""By the library, under the names in its header."""
BATCHED = ("goal_bits", "playouts")
"""Only by the engine."""
