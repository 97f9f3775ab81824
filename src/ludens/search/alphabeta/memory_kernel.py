"""The memory of an alpha-beta search: its stack, and all tables it works with.

A *node* is a state, or a state where some of the roles have already chosen: roles choose one after the other, and
the state after is known when the last has. Each node on the way from the root has a *frame*; all children of the
nodes on the way are *entries* of a stack. A side is a group of roles who want the same; side 0 is the one that
searches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.engines.sliced.bits_kernel import Words

Ints = NDArray[np.int32]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

# Columns of `frames`
(
    STATE,  # the entry whose state it is
    DEPTH,  # joint moves still to look ahead
    MADE,  # joint moves made since the root
    FULL,  # whether nobody has chosen yet
    PLACE,  # how far in the order of choosing it is
    KIND,
    ROLE,  # who chooses
    SIDE,  # by whose value
    SIGN,  # 1 for the highest value, -1 for the lowest
    FIRST,  # the first child
    COUNT,  # how many there are
    LAST,  # whether the children are states
    ROWS,  # moves of side 0 in a matrix
    INDEX,  # which child is next, in the order of trying
    STAGE,  # how it is searched; -1 before
    TRIED_DEPTH,  # how deep it is searched
    FETCHED,  # whether children of the children have been prefetched: no, requested, yes
    BEST,  # the best child so far, or -1; of a matrix the likeliest in the end
    BEST_KNOWN,
    BEST_PROVEN,
    ALL_KNOWN,
    ALL_PROVEN,
    CUT,  # whether there was a cutoff; for an expectation, what is known of its value then
    BASE,  # the top of the stack before
    HASH_MOVE,  # the best move by the table, or -1; at the root that of the iteration before
    KILLER,  # a move that caused a cutoff at this ply,
    SECOND_KILLER,  # and the one before
    NODES,  # how many nodes were visited before the child that is tried
    PV_LENGTH,
    JOINT,  # from here on the moves of all roles: those chosen, and the first legal one of the others
) = range(30)
# Columns of `windows`
ALPHA, BETA, WEIGHT, VALUE = range(4)
"""WEIGHT: the probability of the children left. From VALUE on: the value of the best child, or the sum so far."""
# Columns of `entries`
BLOCK, ENDED, EVALUATED, ORDER, ENTRY_KNOWN, ENTRY_PROVEN, ENTRY_NODES, ENTRY_COLUMNS = range(8)
# Places in `registers`
(
    PHASE,
    PLY,
    TOP,
    VISITED,
    NODE_LIMIT,
    BUDGET,
    RESULT_KNOWN,
    RESULT_PROVEN,
    RESULT_PV,  # whether the frame below has the principal variation of the result
    REQUEST_FIRST,
    REQUEST_COUNT,
    NEEDED,
    # the chooser in the state just looked at: columns of `frames`
    PLAN_KIND,
    PLAN_ROLE,
    PLAN_COUNT,
    PLAN_LAST,
    PLAN_PLACE,
    PLAN_ROWS,
    # what does not change during a search
    MAXN,  # whether each side wants its own value high; otherwise all others want that of side 0 low
    SIMULTANEOUS,
    LEAF,
    REDUCTIONS,
    PRUNES,
    USE_KILLERS,
    USE_HISTORY,
    LOOKAHEAD,  # the most states that are prefetched at once
    MATRIX_LIMIT,  # the most joint moves of a matrix
    COUNTER_START,  # the step counter at the root; negative if there is none that can be left out
    COUNTER_EFFECT,  # the first count that something depends on
    PASS_COST,  # the steps that take as long as a pass over the gates,
    GROUP_COST,  # and as long as 64 states in it
    HAS_CAPS,  # whether some moves at the root are capped, so that it is not worth what others may read
    REGISTERS,
) = range(33)
CHOICE, EXPECTATION, MATRIX = range(3)
REDUCED, NULL_WINDOW, FULL_WINDOW = range(3)
"""Stages: reduced depth and null window; full depth and null window; full window."""
SERIAL, RANDOM, EQUILIBRIUM = range(3)
"""Models of simultaneous moves."""
UNKNOWN, PAYOFF, EVALUATOR = range(3)
"""Values of leaves: unknown, the goals in the state, or those of an evaluator."""
MAX_PV = 64
"""The most joint moves of a principal variation."""
STARTS, CHOOSING, SIDES = range(3)
LOWEST_VALUE, HIGHEST_VALUE, UNKNOWN_VALUE, REPRESENTATIVE, TAKEN = range(5)
TOTAL, MOST = range(2)


class Search(NamedTuple):
    """The game, the stack and the tables, as plain arrays."""

    # the game
    roles: Ints
    """[3, roles + 1]: where the numbers of each role's moves begin; who chooses before whom, side 0 first and chance
    last; the side of each role, -1 for chance."""
    sides: Floats
    """[5, sides]: the lowest and the highest value, that of a state nothing is known about, the role that stands for
    the side, how much of what it gets is taken from the value of side 0."""
    sums: Floats
    """[2]: what the values of all sides add up to, negative if that is not known; and at most, unknown ones too."""
    counter_mask: Words
    """[row words]: the bits of the step counter."""
    # the nodes on the way
    frames: Counts
    """[plies, JOINT + roles]"""
    windows: Floats
    """[plies, VALUE + sides]"""
    keys: Words
    """[plies, 2]"""
    pvs: Ints
    """[plies, MAX_PV, roles]: the principal variation of each node."""
    # their children
    rows: Words
    """[entries, row words]"""
    legal: Words
    """[entries, words of moves]"""
    terminal: NDArray[np.bool_]
    """[entries]"""
    goals: NDArray[np.int16]
    """[entries, roles]"""
    joints: Ints
    """[entries, roles]: the moves that led here."""
    entries: Counts
    """[entries, ENTRY_COLUMNS]"""
    values: Floats
    """[entries, sides]"""
    scores: Floats
    """[entries]: the highest is tried first."""
    parents: Words
    """[entries, row words]: the states before those that are to be expanded."""
    # the transposition table
    table_keys: Words
    """[slots, 2]; for this and the next four see `table_kernel`."""
    table_notes: Ints
    table_values: Floats
    random_words: Words
    table_counts: Counts
    # the rest
    caps: Floats
    """[moves, sides]: the values of a move at the root where its value to side 0 would be more, and is not certain."""
    history: Floats
    """[moves]: the history heuristic: cutoffs by each move, weighted by depth."""
    registers: Counts
    """[REGISTERS]"""
    result: Floats
    """[sides]"""
    moves: Ints
    """[moves of all roles]: those that are legal in the state just looked at."""
    move_starts: Counts
    """[roles + 1]"""
    strategy: Floats
    """[2, MATRIX_LIMIT]: if the root is a matrix, the probability and the value of each joint move of side 0."""
