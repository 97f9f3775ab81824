"""Degrees of truth of goals for batches of states: L states at a time, one lane each, in one pass over the gates.

1. see        the truth of fluents and opaque leaves
2. grade      fluents that others can stand in for
3. conclude   conjunctions, one after the other
4. judge      the degree of each role, by its goals and the end

words    [words, 1]: bit i of the word of a literal tells whether it is true in state i; exact, by logic alone.
         The literals of `Formulas` come first, then all fluents of the engine.
vectors  [vectors], one number for each state. First come the slots: what a literal lacks to be certain, to the power
         of q: (c * (1 - degree))^q. Then come the shares and the bits of graded atoms, and the degrees of roles.

A conjunction lacks the root of the sum of what its parts lack, so its power is just that sum, and only the power of the
opposite needs roots. The factor c keeps powers clear of the smallest numbers that there are. Crisp atoms have no slot:
they lack one of two amounts, by their bits. Up to `SMALL` of them together lack one of so few amounts that it can be
looked up by how many are true.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.engines.sliced.bits_kernel import Words, rows_to_lanes
from ludens.evaluation.fuzzy.vectors import (
    Vector,
    Vectors,
    choose,
    greatest,
    least,
    load,
    plus_product,
    spread,
    square_root,
    store,
    without_small,
)
from ludens.runtime.jit import borrowed, compiled, inlined

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]

SMALL = 7
"""The most crisp atoms of a conjunction that is looked up by how many are true."""
NONE = -1
"""In place of a slot or table that is not needed."""


class PackedPlan(NamedTuple):
    """A plan as few arrays, as handing over many takes the interpreter long."""

    ints: Ints
    """The tables of whole numbers, in the order of `EvaluationPlan`, one after the other."""
    floats: Floats
    """The others."""
    starts: NDArray[np.int64]
    """Where each table begins in `ints`, and where the last one ends; then the same for `floats`."""


class EvaluationPlan(NamedTuple):
    """The computation, as tables in the order of its steps."""

    first: Ints
    """[4] see `SHARES` and so on."""
    fluents: Ints
    """[fluent leaves]: the word of the fluent of each leaf."""
    fluent_wires: Ints
    """[fluents]: the word of each fluent of the engine."""
    opaque_wires: Ints
    """[opaque leaves]: the literal of each."""
    held: Ints
    """[bits]: words of the fluents whose bits are needed as numbers."""
    group_starts: Ints
    """[groups + 1]"""
    group_bits: Ints
    """For each group what is counted together."""
    graded: Ints
    """[graded leaves + 1, 5] see the columns `WORD` and so on."""
    near_bits: Ints
    """What can stand in for graded atoms."""
    gates: Ints
    """[gates + 1, 7] see the columns `NODE` and so on."""
    crisp: Ints
    """Literals of crisp atoms, gate after gate."""
    parts: Ints
    """[parts, 2]: the slot and the literal of each, gate after gate."""
    goals: Ints
    """[goal values, 4] see the columns `ROLE` and so on; all roles one after the other."""
    numbers: Floats
    """[10] see `ROOTS` and so on."""
    near_degrees: Floats
    """How near each of `near_bits` is."""
    bases: Floats
    """[gates]: what the constant parts of each lack, in sum."""
    lookup: Floats
    """[tables, 2, SMALL + 1]: what a gate lacks, and its opposite, by how many atoms are true."""
    weights: Floats
    """[goal values]"""


SHARES, BITS, DEGREES, END_LACKS = range(4)
"""Of `first`: the first vectors for groups, for bits and for roles, and the slot of the opposite of the end."""
NODE, TRUE_SO_FAR, FIRST_CRISP, FIRST_PART, TABLE, LACKS, OPPOSITE_LACKS = range(7)
"""Of `gates`: the number of the node, whether constant parts are true, where its crisp atoms and its other parts begin,
its table, and the slots of its two literals."""
WORD, FIRST_NEAR, GROUP, GRADED_LACKS, GRADED_OPPOSITE = range(5)
"""Of `graded`: the fluent itself, where those begin that stand in for it, their group, and two slots."""
ROLE, LITERAL, GOAL_LACKS, GOAL_OPPOSITE = range(4)
"""Of `goals`."""

ROOTS, FACTOR, SMALLEST, TRUE_LACKS, FALSE_LACKS, MAX_TRUE_SHARE, MIN_FALSE_SHARE, MAX_LACK, P, T = range(10)
"""Of `numbers`: how many square roots undo the power; c; what times c is smaller counts as nothing; powers of what true
and of what false crisp atoms lack; of what a conjunction lacks at most if it is true, at least if it is false, and at
all; p and t of the norm."""


class EvaluationMemory(NamedTuple):
    """The memory of one thread."""

    words: Words
    """[words, 1]"""
    vectors: Vectors
    """[vectors]"""
    lanes: Floats
    """[vectors, L]: the same memory as the vectors."""


@compiled
def evaluate(
    tables: PackedPlan,
    memory: EvaluationMemory,
    states: Words,
    answers: Words,
    mixture: NDArray[np.float64],
    worths: NDArray[np.float64],
) -> None:
    """Fill in what states are worth [states, roles]: a mixture [roles, 1 + roles] of 1 and the degrees of all roles.

    `answers` are rows that tell the truth of the opaque leaves.
    """
    plan, room = _opened(borrowed(tables)), borrowed(memory)
    lanes, first_degree = room.lanes.shape[1], plan.first[DEGREES]
    for first in range(0, len(states), lanes):
        rows_to_lanes(states[first : first + lanes], room.words, plan.fluent_wires)
        rows_to_lanes(answers[first : first + lanes], room.words, plan.opaque_wires)
        _see(plan, room)
        _grade(plan, room)
        _conclude(plan, room)
        _judge(plan, room, len(mixture))
        for lane in range(min(lanes, len(states) - first)):
            for role in range(len(mixture)):
                worth = mixture[role, 0]
                for other in range(len(mixture)):
                    worth += mixture[role, 1 + other] * (1.0 - room.lanes[first_degree + other, lane])
                worths[first + lane, role] = worth


@inlined
def _opened(tables: PackedPlan) -> EvaluationPlan:
    ints, floats, at = tables.ints, tables.floats, tables.starts
    return EvaluationPlan(
        ints[at[0] : at[1]],
        ints[at[1] : at[2]],
        ints[at[2] : at[3]],
        ints[at[3] : at[4]],
        ints[at[4] : at[5]],
        ints[at[5] : at[6]],
        ints[at[6] : at[7]],
        ints[at[7] : at[8]].reshape((at[8] - at[7]) // 5, 5),
        ints[at[8] : at[9]],
        ints[at[9] : at[10]].reshape((at[10] - at[9]) // 7, 7),
        ints[at[10] : at[11]],
        ints[at[11] : at[12]].reshape((at[12] - at[11]) // 2, 2),
        ints[at[12] : at[13]].reshape((at[13] - at[12]) // 4, 4),
        floats[at[14] : at[15]],
        floats[at[15] : at[16]],
        floats[at[16] : at[17]],
        floats[at[17] : at[18]].reshape((at[18] - at[17]) // (2 * SMALL + 2), 2, SMALL + 1),
        floats[at[18] : at[19]],
    )


@inlined
def _see(plan: EvaluationPlan, memory: EvaluationMemory) -> None:
    """Step 1: write the truth of fluents and opaque leaves."""
    words = memory.words
    for leaf in range(len(plan.fluents)):
        word = words[plan.fluents[leaf], 0]
        words[2 * leaf + 2, 0], words[2 * leaf + 3, 0] = word, ~word
    for leaf in range(len(plan.opaque_wires)):
        literal = plan.opaque_wires[leaf]
        words[literal + 1, 0] = ~words[literal, 0]


@inlined
def _grade(plan: EvaluationPlan, memory: EvaluationMemory) -> None:
    """Step 2: grade fluents that others can stand in for, by the mean of how near those are that hold."""
    numbers, words, vectors = plan.numbers, memory.words, memory.vectors
    shares, bits, squarings = plan.first[SHARES], plan.first[BITS], int(numbers[ROOTS])
    nothing, one = spread(vectors, 0.0), spread(vectors, 1.0)
    factor, smallest = spread(vectors, numbers[FACTOR]), spread(vectors, numbers[SMALLEST])
    whole = spread(vectors, numbers[FACTOR] * (1.0 - numbers[T]))
    for bit in range(len(plan.held)):
        store(vectors, bits + bit, choose(words[plan.held[bit], 0], one, nothing))
    for group in range(len(plan.group_starts) - 1):
        holding = nothing
        for place in range(plan.group_starts[group], plan.group_starts[group + 1]):
            holding = holding + load(vectors, bits + plan.group_bits[place])
        store(vectors, shares + group, whole / greatest(holding, one))
    for leaf in range(len(plan.graded) - 1):
        near = nothing
        for place in range(plan.graded[leaf, FIRST_NEAR], plan.graded[leaf + 1, FIRST_NEAR]):
            degree = spread(vectors, plan.near_degrees[place])
            near = plus_product(near, degree, load(vectors, bits + plan.near_bits[place]))
        near = near * load(vectors, shares + plan.graded[leaf, GROUP])
        holds = words[plan.graded[leaf, WORD], 0]
        degree = choose(holds, spread(vectors, numbers[FACTOR] * numbers[P]), near)
        if plan.graded[leaf, GRADED_LACKS] != NONE:
            lacks = without_small(factor - degree, smallest)
            store(vectors, plan.graded[leaf, GRADED_LACKS], _power(lacks, squarings))
        if plan.graded[leaf, GRADED_OPPOSITE] != NONE:
            lacks = without_small(degree, smallest)
            store(vectors, plan.graded[leaf, GRADED_OPPOSITE], _power(lacks, squarings))


@inlined
def _conclude(plan: EvaluationPlan, memory: EvaluationMemory) -> None:
    """Step 3: conclude conjunctions, one after the other."""
    numbers, words, vectors, gates, parts = plan.numbers, memory.words, memory.vectors, plan.gates, plan.parts
    roots = int(numbers[ROOTS])
    factor, smallest = spread(vectors, numbers[FACTOR]), spread(vectors, numbers[SMALLEST])
    true_lacks, false_lacks = spread(vectors, numbers[TRUE_LACKS]), spread(vectors, numbers[FALSE_LACKS])
    most_of_true, least_of_false = spread(vectors, numbers[MAX_TRUE_SHARE]), spread(vectors, numbers[MIN_FALSE_SHARE])
    most = spread(vectors, numbers[MAX_LACK])
    for gate in range(len(gates) - 1):
        truth = ~np.uint64(0) if gates[gate, TRUE_SO_FAR] else np.uint64(0)
        first, last = gates[gate, FIRST_CRISP], gates[gate + 1, FIRST_CRISP]
        lacks_slot, opposite_slot = gates[gate, LACKS], gates[gate, OPPOSITE_LACKS]
        table = gates[gate, TABLE]
        if table != NONE:
            ones = twos = fours = np.uint64(0)
            for place in range(first, last):
                word = words[plan.crisp[place], 0]
                truth &= word
                both = ones & word
                ones, fours, twos = ones ^ word, fours | twos & both, twos ^ both
            if lacks_slot != NONE:
                store(vectors, lacks_slot, _looked_up(vectors, plan.lookup[table, 0], ones, twos, fours, last - first))
            if opposite_slot != NONE:
                rest = _looked_up(vectors, plan.lookup[table, 1], ones, twos, fours, last - first)
                store(vectors, opposite_slot, rest)
        else:
            lacks = spread(vectors, plan.bases[gate])
            for place in range(first, last):
                word = words[plan.crisp[place], 0]
                truth &= word
                lacks = lacks + choose(word, true_lacks, false_lacks)
            for place in range(gates[gate, FIRST_PART], gates[gate + 1, FIRST_PART]):
                truth &= words[parts[place, 1], 0]
                lacks = lacks + load(vectors, parts[place, 0])
            lacks = choose(truth, least(lacks, most_of_true), greatest(least(lacks, most), least_of_false))
            if lacks_slot != NONE:
                store(vectors, lacks_slot, lacks)
            if opposite_slot != NONE:
                rest = without_small(factor - _root(lacks, roots), smallest)
                store(vectors, opposite_slot, _power(rest, roots))
        literal = 2 * gates[gate, NODE]
        words[literal, 0], words[literal + 1, 0] = truth, ~truth


@inlined
def _judge(plan: EvaluationPlan, memory: EvaluationMemory, roles: int) -> None:
    """Step 4: judge each role by the product of 1 - h(value) * value / 100 over its goal values.

    h is the degree of goal-or-end where the goal holds, and of goal-and-not-end elsewhere.
    """
    numbers, words, vectors, goals, first = plan.numbers, memory.words, memory.vectors, plan.goals, plan.first[DEGREES]
    one, shrink = spread(vectors, 1.0), spread(vectors, 1.0 / numbers[FACTOR])
    least_true, most_false = spread(vectors, numbers[T]), spread(vectors, 1.0 - numbers[T])
    for role in range(roles):
        store(vectors, first + role, one)
    end = load(vectors, plan.first[END_LACKS])
    for goal in range(len(goals)):
        holds = words[goals[goal, LITERAL], 0]
        lacks = choose(holds, load(vectors, goals[goal, GOAL_OPPOSITE]), load(vectors, goals[goal, GOAL_LACKS]))
        amount = least(_root(lacks + end, int(numbers[ROOTS])) * shrink, one)
        degree = choose(holds, greatest(amount, least_true), least(one - amount, most_false))
        role = first + goals[goal, ROLE]
        store(vectors, role, load(vectors, role) * (one - degree * spread(vectors, plan.weights[goal])))


@inlined
def _looked_up(
    vectors: Vectors, entries: Floats, ones: np.uint64, twos: np.uint64, fours: np.uint64, most: int
) -> Vector:
    """The entry at the number that three words tell bit by bit."""
    few = choose(
        twos,
        choose(ones, spread(vectors, entries[3]), spread(vectors, entries[2])),
        choose(ones, spread(vectors, entries[1]), spread(vectors, entries[0])),
    )
    if most < 4:
        return few
    many = choose(
        twos,
        choose(ones, spread(vectors, entries[7]), spread(vectors, entries[6])),
        choose(ones, spread(vectors, entries[5]), spread(vectors, entries[4])),
    )
    return choose(fours, many, few)


@inlined
def _power(vector: Vector, squarings: int) -> Vector:
    for _ in range(squarings):
        vector = vector * vector
    return vector


@inlined
def _root(vector: Vector, roots: int) -> Vector:
    for _ in range(roots):
        vector = square_root(vector)
    return vector
