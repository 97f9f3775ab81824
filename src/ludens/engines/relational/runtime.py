"""What every compiled game shares, in the small part of Python of `backend.language`.

Everything is a number: a word, or a compound term that is known by its function and arguments (`intern`). A *goal* is
a question whose answers are kept as long as the state stays: a variant of a relation and the arguments that are known.
The goals of a recursion are worked out together (`settle`): a rule that asks for a goal that is not complete becomes a
*consumer* of its answers, and every pair of a consumer and an answer is looked at once, when the later of the two comes
up. So no conclusion is drawn twice, as in semi-naive evaluation.

Item 0 of every pool is a place for what finds no room; then `FAILED` is set, and all comes to an end soon.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from ludens.engines.backend.language import Constants, Scratch, external

EPOCH, WORK, FAILED, TERMS, ARGUMENTS, MOVES, ROUND, LENGTH = range(8)
GOALS, KEYS, ANSWERS, VALUES, CONSUMERS, ENVIRONMENTS, EVENTS = range(8, 15)
CONTROLS = 15
MULTIPLIER = 0x9E3779B97F4A7C15
NEW, RUNNING, COMPLETE = 0, 1, 2
GOAL, ANSWER, CONSUMER = 0, 1, 2
MAX_WORK = 300_000_000
"""Calls of functions for one state, answers that are told, and numbers that loops go through."""
MANY_TERMS, MANY_GOALS, MANY_ANSWERS, MANY_CONSUMERS, MANY_EVENTS = range(1, 6)
MANY_FACTS, MANY_MOVES, STRANGE_FACT, ENDLESS = range(6, 10)
"""What `FAILED` says."""
ENDED, CUT, STUCK, BROKEN = 0, 1, 2, 3
"""How a playout ends: by itself, at the limit of steps, because a role cannot move, or because of `FAILED`."""


# -- what is written for each game, by `compiler` --------------------------------------------


@external
def load_state(w: Scratch) -> None:
    """Take up the state in the array `state`."""


@external
def is_terminal(w: Scratch) -> int:
    """1 if the state is an end, else 0."""
    return 0


@external
def list_moves(w: Scratch, role: int) -> None:
    """Write the legal moves of a role to `moves`."""


@external
def list_goals(w: Scratch, role: int) -> None:
    """Write the goal values of a role to `moves`."""


@external
def make_next(w: Scratch) -> None:
    """Write the state after the moves in `joint` to `state`."""


@external
def run_rules(w: Scratch, goal: int) -> None:
    """Run the rules of a goal."""


@external
def resume(w: Scratch, function: int, environment: int, answer: int) -> None:
    """Run the rest of a rule with an answer of the goal it waits for."""


# -- terms -----------------------------------------------------------------------------------


def fail(w: Scratch, why: int) -> None:
    """Give up, for want of room."""
    if w.control[FAILED] == 0:
        w.control[FAILED] = why
    w.control[WORK] = MAX_WORK


def mixed(w: Scratch, first: int, count: int) -> int:
    """A hash of a number and those in `scratch`."""
    mix = first * MULTIPLIER
    for i in range(count):
        mix = (mix ^ w.scratch[i]) * MULTIPLIER
        mix = mix ^ (mix >> 32)
    return mix


def intern(t: Constants, w: Scratch, functor: int, count: int) -> int:
    """The number of the term of a function and the arguments in `scratch`."""
    place = mixed(w, functor, count) & t.term_mask
    found = w.term_slots[place]
    while found != 0:
        if w.term_functors[found] == functor:
            start = w.term_starts[found]
            differences = 0
            for i in range(count):
                differences = differences | (w.term_arguments[start + i] ^ w.scratch[i])
            if differences == 0:
                return t.first_compound + found - 1
        place = (place + 1) & t.term_mask
        found = w.term_slots[place]
    return new_term(t, w, functor, count, place)


def new_term(t: Constants, w: Scratch, functor: int, count: int, place: int) -> int:
    found = w.control[TERMS] + 1
    start = w.control[ARGUMENTS]
    if (found >= t.most_terms) | (start + count >= t.most_arguments):
        fail(w, MANY_TERMS)
        return 0
    w.control[TERMS] = found
    w.control[ARGUMENTS] = start + count
    w.term_slots[place] = found
    w.term_functors[found] = functor
    w.term_starts[found] = start
    w.term_places[found] = place
    mix = functor * MULTIPLIER
    for i in range(count):
        w.term_arguments[start + i] = w.scratch[i]
        mix = (mix ^ content(t, w, w.scratch[i])) * MULTIPLIER
        mix = mix ^ (mix >> 32)
    w.term_contents[found] = mix
    return t.first_compound + found - 1


def forget_terms(t: Constants, w: Scratch, terms: int, arguments: int) -> None:
    """Keep the first terms and their arguments only; tables that know others are forgotten too."""
    for found in range(terms + 1, w.control[TERMS] + 1):
        w.term_slots[w.term_places[found]] = 0
    w.control[TERMS] = terms
    w.control[ARGUMENTS] = arguments
    forget(t, w)


def content(t: Constants, w: Scratch, term: int) -> int:
    """A hash of what a term says, which does not depend on when it was met first."""
    if term < t.first_compound:
        return term * MULTIPLIER
    return w.term_contents[term - t.first_compound + 1]


# -- goals -----------------------------------------------------------------------------------


def goal_of(t: Constants, w: Scratch, variant: int, count: int) -> int:
    """The goal of a variant and the known arguments in `scratch`; a new one if there is none yet."""
    place = mixed(w, variant + 1, count) & t.goal_mask
    while w.goal_stamps[place] == w.control[EPOCH]:
        goal = w.goal_slots[place]
        start = w.goal_keys[goal]
        differences = w.goal_variants[goal] ^ variant
        for i in range(count):
            differences = differences | (w.keys[start + i] ^ w.scratch[i])
        if differences == 0:
            return goal
        place = (place + 1) & t.goal_mask
    return new_goal(t, w, variant, count, place)


def new_goal(t: Constants, w: Scratch, variant: int, count: int, place: int) -> int:
    goal = w.control[GOALS] + 1
    start = w.control[KEYS]
    if (goal >= t.most_goals) | (start + count >= t.most_keys):
        fail(w, MANY_GOALS)
        w.goal_states[0] = COMPLETE
        return 0
    w.control[GOALS] = goal
    w.control[KEYS] = start + count
    w.goal_stamps[place] = w.control[EPOCH]
    w.goal_slots[place] = goal
    w.goal_variants[goal] = variant
    w.goal_keys[goal] = start
    w.goal_states[goal] = NEW
    w.goal_answers[goal] = 0
    w.goal_lasts[goal] = 0
    w.goal_consumers[goal] = 0
    for i in range(count):
        w.keys[start + i] = w.scratch[i]
    return goal


def add_answer(t: Constants, w: Scratch, goal: int, count: int) -> None:
    """Keep the answer in `scratch`, unless the goal has it."""
    place = mixed(w, goal, count) & t.answer_mask
    is_new = 1
    while (w.answer_stamps[place] == w.control[EPOCH]) & is_new:
        answer = w.answer_slots[place]
        start = w.answer_values[answer]
        differences = w.answer_goals[answer] ^ goal
        for i in range(count):
            differences = differences | (w.values[start + i] ^ w.scratch[i])
        if differences == 0:
            is_new = 0
        place = (place + 1) & t.answer_mask
    if is_new:
        new_answer(t, w, goal, count, place)


def new_answer(t: Constants, w: Scratch, goal: int, count: int, place: int) -> None:
    answer = w.control[ANSWERS] + 1
    start = w.control[VALUES]
    if (answer >= t.most_answers) | (start + count >= t.most_values):
        fail(w, MANY_ANSWERS)
    else:
        w.control[ANSWERS] = answer
        w.control[VALUES] = start + count
        w.answer_stamps[place] = w.control[EPOCH]
        w.answer_slots[place] = answer
        w.answer_goals[answer] = goal
        w.answer_values[answer] = start
        w.answer_nexts[answer] = 0
        w.answer_events[answer] = 0
        for i in range(count):
            w.values[start + i] = w.scratch[i]
        last = w.goal_lasts[goal]
        if last:
            w.answer_nexts[last] = answer
        else:
            w.goal_answers[goal] = answer
        w.goal_lasts[goal] = answer
        if w.goal_states[goal] == RUNNING:
            w.answer_events[answer] = post(t, w, ANSWER, answer)


def add_consumer(t: Constants, w: Scratch, goal: int, function: int, count: int, asked: int) -> None:
    """Let the rest of a rule, which knows what is in `scratch`, have all answers of a goal in the same recursion.

    It gets them at once if there will be no others: where nothing is asked for, the first answer says it all.
    """
    start = w.control[ENVIRONMENTS]
    if start + count >= t.most_environments:
        fail(w, MANY_CONSUMERS)
    else:
        w.control[ENVIRONMENTS] = start + count
        for i in range(count):
            w.environments[start + i] = w.scratch[i]
        if (w.goal_states[goal] == COMPLETE) | ((asked == 0) & (w.goal_answers[goal] != 0)):
            answer = w.goal_answers[goal]
            while (answer != 0) & (w.control[WORK] < MAX_WORK):
                count_work(w)
                resume(w, function, start, w.answer_values[answer])
                answer = w.answer_nexts[answer]
            if w.control[ENVIRONMENTS] == start + count:
                w.control[ENVIRONMENTS] = start
        else:
            new_consumer(t, w, goal, function, start)


def new_consumer(t: Constants, w: Scratch, goal: int, function: int, environment: int) -> None:
    consumer = w.control[CONSUMERS] + 1
    if consumer >= t.most_consumers:
        fail(w, MANY_CONSUMERS)
    else:
        w.control[CONSUMERS] = consumer
        w.consumer_functions[consumer] = function
        w.consumer_environments[consumer] = environment
        w.consumer_goals[consumer] = goal
        w.consumer_nexts[consumer] = w.goal_consumers[goal]
        w.goal_consumers[goal] = consumer
        w.consumer_events[consumer] = post(t, w, CONSUMER, consumer)


def count_work(w: Scratch) -> None:
    """Nothing takes for ever."""
    w.control[WORK] += 1
    if w.control[WORK] >= MAX_WORK:
        fail(w, ENDLESS)


def post(t: Constants, w: Scratch, kind: int, item: int) -> int:
    event = w.control[EVENTS] + 1
    if event >= t.most_events:
        fail(w, MANY_EVENTS)
        return 0
    w.control[EVENTS] = event
    w.event_kinds[event] = kind
    w.event_items[event] = item
    return event


def begin(t: Constants, w: Scratch, goal: int) -> None:
    """Let a goal take part in the recursion that is being worked out."""
    if w.goal_states[goal] == NEW:
        w.goal_states[goal] = RUNNING
        post(t, w, GOAL, goal)


def settle(t: Constants, w: Scratch, goal: int) -> None:
    """Work out a goal and all that it needs in the same recursion."""
    first = w.control[EVENTS] + 1
    begin(t, w, goal)
    event = first
    while event <= w.control[EVENTS]:
        if w.event_kinds[event] == GOAL:
            run_rules(w, w.event_items[event])
        if w.event_kinds[event] == ANSWER:
            tell_consumers(t, w, w.event_items[event], event)
        if w.event_kinds[event] == CONSUMER:
            tell_answers(t, w, w.event_items[event], event)
        event += 1
        if w.control[WORK] >= MAX_WORK:
            w.control[EVENTS] = first - 1
    finish(t, w, first, event)
    w.control[EVENTS] = first - 1


def finish(t: Constants, w: Scratch, first: int, end: int) -> None:
    """All goals of the recursion have all their answers; these come before anything that is asked later."""
    for event in range(first, end):
        if w.event_kinds[event] == GOAL:
            goal = w.event_items[event]
            w.goal_states[goal] = COMPLETE
            answer = w.goal_answers[goal]
            while answer != 0:
                w.answer_events[answer] = 0
                answer = w.answer_nexts[answer]


def tell_consumers(t: Constants, w: Scratch, answer: int, event: int) -> None:
    consumer = w.goal_consumers[w.answer_goals[answer]]
    while (consumer != 0) & (w.control[WORK] < MAX_WORK):
        count_work(w)
        if w.consumer_events[consumer] < event:
            resume(w, w.consumer_functions[consumer], w.consumer_environments[consumer], w.answer_values[answer])
        consumer = w.consumer_nexts[consumer]


def tell_answers(t: Constants, w: Scratch, consumer: int, event: int) -> None:
    answer = w.goal_answers[w.consumer_goals[consumer]]
    while (answer != 0) & (w.control[WORK] < MAX_WORK):
        count_work(w)
        if w.answer_events[answer] < event:
            resume(w, w.consumer_functions[consumer], w.consumer_environments[consumer], w.answer_values[answer])
        answer = w.answer_nexts[answer]


def forget(t: Constants, w: Scratch) -> None:
    """Begin with another state."""
    w.control[EPOCH] += 1
    w.control[WORK] = 0
    w.control[GOALS] = 0
    w.control[KEYS] = 0
    w.control[ANSWERS] = 0
    w.control[VALUES] = 0
    w.control[CONSUMERS] = 0
    w.control[ENVIRONMENTS] = 0
    w.control[EVENTS] = 0


# -- what is asked of a game -----------------------------------------------------------------


def add_move(t: Constants, w: Scratch, move: int) -> None:
    """Note a legal move, once."""
    if w.move_stamps[move] != w.control[ROUND]:
        w.move_stamps[move] = w.control[ROUND]
        count = w.control[MOVES]
        if count >= t.most_moves:
            fail(w, MANY_MOVES)
        else:
            w.moves[count] = move
            w.control[MOVES] = count + 1


def begin_state(t: Constants, w: Scratch) -> None:
    """Take up the state that is written in `state`."""
    forget(t, w)
    load_state(w)


def ask_terminal(t: Constants, w: Scratch) -> int:
    return is_terminal(w)


def ask_legal(t: Constants, w: Scratch, role: int) -> int:
    """Write the legal moves of a role to `moves`; how many there are."""
    w.control[MOVES] = 0
    w.control[ROUND] += 1
    list_moves(w, role)
    return w.control[MOVES]


def ask_goals(t: Constants, w: Scratch, role: int) -> int:
    """Write the goal values of a role to `moves`; how many there are."""
    w.control[MOVES] = 0
    w.control[ROUND] += 1
    list_goals(w, role)
    return w.control[MOVES]


def ask_next(t: Constants, w: Scratch) -> None:
    """Write the state after the moves in `joint` to `state`."""
    make_next(w)


def scrambled(number: int) -> int:
    """The bits of a number in disorder."""
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB
    return number ^ (number >> 31)


def drawn(t: Constants, w: Scratch, count: int) -> int:
    """One of the moves in `moves`, all equally likely, and the same one in whatever order they stand there."""
    w.seed[0] = w.seed[0] + MULTIPLIER
    chance = scrambled(w.seed[0])
    best = 0
    chosen = w.moves[0]
    for i in range(count):
        rank = scrambled(content(t, w, w.moves[i]) ^ chance)
        if rank > best:
            best = rank
            chosen = w.moves[i]
    return chosen


def draw_moves(t: Constants, w: Scratch) -> int:
    """A random legal move for each role; the number of roles, or the first one that cannot move."""
    for role in range(t.roles):
        count = ask_legal(t, w, role)
        if count == 0:
            return role
        w.joint[role] = drawn(t, w, count)
    return t.roles


def play(t: Constants, w: Scratch, most_steps: int) -> int:
    """Play the state in `state` to its end; how that came, the number of steps times four added to it."""
    steps = 0
    begin_state(t, w)
    while is_terminal(w) == 0:
        if w.control[FAILED]:
            return BROKEN
        if steps == most_steps:
            return CUT + 4 * steps
        role = draw_moves(t, w)
        if role < t.roles:
            w.joint[0] = role
            return STUCK + 4 * steps
        make_next(w)
        begin_state(t, w)
        steps += 1
    if w.control[FAILED]:
        return BROKEN
    return ENDED + 4 * steps
