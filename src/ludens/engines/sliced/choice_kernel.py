"""Uniform random choice among the legal moves, for all lanes at once.

The moves of a role are the leaves of a tree: blocks of 7 moves, then nodes of 8 children, and a root of up to 16.
The number of legal moves below a node, per lane, is kept as binary digits: `planes`, one vector per digit, lowest
first. With at most 7 * 8**level moves below it, a node of level 0, 1, 2, ... has 3, 6, 9, ... planes; the root has
as many as the number of all moves needs.

1. count    the planes of all nodes, from the blocks up to the root, which then has n, the number of legal moves
2. draw     rank = floor(u * n / 2**24) with 24 random planes u: each rank below n has probability 1/n +- 2**-24
3. descend  in each lane to the child that holds the move of that rank. Lanes are at different nodes, so the children
            of the node where each lane is are first collected into one; then it is decided once for all lanes

Where no lane has a choice nothing is drawn. Roles that never have a choice in the same lane share one draw.

wires    [wires] vectors
legal    [moves] the wire that says whether a move is legal; each role's last block is filled up with a zero wire
roles    [roles, 5] see `ROLE_COLUMNS`
levels   [rows, 4] see `LEVEL_COLUMNS`
scratch  [plan.scratch_size] vectors, zero at first; BOUND and places of nodes that do not exist stay so
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.engines.sliced.random_kernel import fill_random
from ludens.engines.sliced.vectors import Vector, Vectors, and_not, any_set, load, majority, store, zeros
from ludens.runtime.jit import compiled, inlined

Ints = NDArray[np.int32]

BLOCK = 7
CHILDREN = 8
ROOT_CHILDREN = 16
RANDOM_PLANES = 24
DIGIT = 4

ROLE_COLUMNS = START, MOVES, DOES, BOTTOM, TOP = range(5)
"""Start in `legal`, number of moves, first wire of `does`, first and last row in `levels`."""

LEVEL_COLUMNS = NODES, PLANES, COUNTS, LANES = range(4)
"""Number of nodes, planes of each, and where `scratch` has these planes and the lanes that are at each node."""

# The places in `scratch` that all roles use. No number has more than MAX_PLANES planes.
MAX_PLANES = 24
BOUND = 0
RANDOM = BOUND + MAX_PLANES
PRODUCT = RANDOM + RANDOM_PLANES
RANKS = PRODUCT + RANDOM_PLANES + MAX_PLANES
CHOSEN = RANKS + (ROOT_CHILDREN + 1) * MAX_PLANES
COLLECTED = CHOSEN + ROOT_CHILDREN
FREE = COLLECTED + CHILDREN * MAX_PLANES


@dataclass(frozen=True, slots=True, eq=False)
class ChoicePlan:
    """What the kernel has to know about the moves of all roles; shared by any number of batches."""

    legal: Ints
    roles: Ints
    levels: Ints
    scratch_size: int


def plan_choice(legal_wires: Sequence[Sequence[int]], does_starts: Sequence[int], zero_wire: int) -> ChoicePlan:
    """Lay out the trees of all roles: the wires of the legal moves of each, and the first wire of its does block.

    `zero_wire` is one that is set in no lane.
    """
    legal: list[int] = []
    roles: list[tuple[int, ...]] = []
    levels: list[tuple[int, ...]] = []
    most_blocks = max((_parts(len(wires), BLOCK) for wires in legal_wires), default=1)
    lanes = (FREE, FREE + most_blocks)  # used in turns from level to level
    free = FREE + 2 * most_blocks
    for wires, does_start in zip(legal_wires, does_starts, strict=True):
        bottom = len(levels)
        for height, (nodes, planes) in enumerate(_tree(len(wires))):
            levels.append((nodes, planes, free, lanes[height % 2]))
            free += _parts(nodes, CHILDREN) * CHILDREN * planes
        roles.append((len(legal), len(wires), does_start, bottom, len(levels) - 1))
        legal += wires
        legal += [zero_wire] * (_parts(len(wires), BLOCK) * BLOCK - len(wires))
    return ChoicePlan(
        np.array(legal, np.int32),
        np.array(roles, np.int32).reshape(-1, len(ROLE_COLUMNS)),
        np.array(levels, np.int32).reshape(-1, len(LEVEL_COLUMNS)),
        free,
    )


def _tree(moves: int) -> list[tuple[int, int]]:
    """Nodes and planes of each level, from the blocks up to the root.

    >>> _tree(300)
    [(43, 3), (6, 6), (1, 9)]
    """
    tree = [(_parts(moves, BLOCK), 3)]
    while tree[-1][0] > ROOT_CHILDREN:
        nodes, planes = tree[-1]
        tree.append((_parts(nodes, CHILDREN), planes + 3))
    return tree if tree[0][0] == 1 else [*tree, (1, moves.bit_length())]


def _parts(things: int, size: int) -> int:
    return max(1, -(-things // size))


@compiled
def choose_moves(
    wires: Vectors, legal: Ints, roles: Ints, levels: Ints, scratch: Vectors, random_state: Vectors, active: Vector
) -> Vector:
    """Set exactly one does wire per role in each active lane, none in others; the lanes where a role has no move."""
    missing = zeros(wires)
    drawn = zeros(wires)
    group = 0
    for role in range(len(roles) + 1):
        several = zeros(wires)
        if role < len(roles):
            if roles[role, MOVES] == 1:
                only = load(wires, legal[roles[role, START]])
                store(wires, roles[role, DOES], only & active)
                missing = missing | and_not(active, only)
                continue
            _count(wires, legal, roles, role, levels, scratch)
            several = _lanes_with_choice(roles, role, levels, scratch) & active
            missing = missing | and_not(active, several | load(scratch, levels[roles[role, TOP], COUNTS]))
        if role == len(roles) or any_set(drawn & several):
            if any_set(drawn):
                _draw(scratch, random_state, roles[group:role], levels)
            for member in range(group, role):
                if roles[member, MOVES] > 1:
                    _pick(wires, legal, roles, member, levels, scratch, active)
            group = role
            drawn = zeros(wires)
        if role < len(roles):
            drawn = drawn | several
            counts = levels[roles[role, TOP], COUNTS]
            for plane in range(levels[roles[role, TOP], PLANES]):
                bound = load(scratch, BOUND + plane) | (load(scratch, counts + plane) & several)
                store(scratch, BOUND + plane, bound)
    return missing


@inlined
def _lanes_with_choice(roles: Ints, role: int, levels: Ints, scratch: Vectors) -> Vector:
    """The lanes with two or more legal moves."""
    counts = levels[roles[role, TOP], COUNTS]
    several = zeros(scratch)
    for plane in range(1, levels[roles[role, TOP], PLANES]):
        several = several | load(scratch, counts + plane)
    return several


@inlined
def _count(wires: Vectors, legal: Ints, roles: Ints, role: int, levels: Ints, scratch: Vectors) -> None:
    """Step 1: the planes of all nodes of a role."""
    # 1. The blocks
    bottom = roles[role, BOTTOM]
    at = roles[role, START]
    counts = levels[bottom, COUNTS]
    for _ in range(levels[bottom, NODES]):
        a, b, c, d = (
            load(wires, legal[at]),
            load(wires, legal[at + 1]),
            load(wires, legal[at + 2]),
            load(wires, legal[at + 3]),
        )
        e, f, g = load(wires, legal[at + 4]), load(wires, legal[at + 5]), load(wires, legal[at + 6])
        left, right = a ^ b ^ c, d ^ e ^ f
        twos, more_twos, last_twos = majority(a, b, c), majority(d, e, f), majority(left, right, g)
        store(scratch, counts, left ^ right ^ g)
        store(scratch, counts + 1, twos ^ more_twos ^ last_twos)
        store(scratch, counts + 2, majority(twos, more_twos, last_twos))
        at += BLOCK
        counts += 3
    # 2. The nodes above
    for level in range(bottom + 1, roles[role, TOP] + 1):
        children, planes = levels[level - 1, NODES], levels[level - 1, PLANES]
        arity = children if level == roles[role, TOP] else CHILDREN
        part = levels[level - 1, COUNTS]
        total = levels[level, COUNTS]
        for first in range(0, children, arity):
            for plane in range(levels[level, PLANES]):
                store(scratch, total + plane, load(scratch, part + plane) if plane < planes else zeros(scratch))
            part += planes
            for _ in range(first + 1, min(first + arity, children)):
                _add(scratch, total, levels[level, PLANES], part, planes)
                part += planes
            total += levels[level, PLANES]


@inlined
def _add(scratch: Vectors, total: int, total_planes: int, part: int, part_planes: int) -> None:
    """Add the number at `part` to that at `total`."""
    carry = zeros(scratch)
    for plane in range(part_planes):
        before, more = load(scratch, total + plane), load(scratch, part + plane)
        store(scratch, total + plane, before ^ more ^ carry)
        carry = majority(before, more, carry)
    for plane in range(part_planes, total_planes):
        before = load(scratch, total + plane)
        store(scratch, total + plane, before ^ carry)
        carry = before & carry


@inlined
def _draw(scratch: Vectors, random_state: Vectors, roles: Ints, levels: Ints) -> None:
    """Step 2: PRODUCT = u * BOUND with fresh u; its planes from RANDOM_PLANES on are the rank. Clears BOUND."""
    nothing = zeros(scratch)
    planes = 0
    for role in range(len(roles)):
        planes = max(planes, levels[roles[role, TOP], PLANES])
    fill_random(random_state, scratch, RANDOM, RANDOM_PLANES)
    for digit in range(0, planes, DIGIT):
        bound = BOUND + digit
        one, two, four, eight = (
            load(scratch, bound),
            load(scratch, bound + 1),
            load(scratch, bound + 2),
            load(scratch, bound + 3),
        )
        # u times four planes of the bound, plus what is there from the lower ones, from the lowest plane up
        ones, twos, fours, eights = nothing, nothing, nothing, nothing
        if digit == 0 or any_set(one | two | four | eight):
            for plane in range(RANDOM_PLANES):
                bit = load(scratch, RANDOM + plane)
                carry = load(scratch, PRODUCT + digit + plane) if digit else nothing
                addend = bit & one
                store(scratch, PRODUCT + digit + plane, ones ^ addend ^ carry)
                carry = majority(ones, addend, carry)
                addend = bit & two
                ones = twos ^ addend ^ carry
                carry = majority(twos, addend, carry)
                addend = bit & four
                twos = fours ^ addend ^ carry
                carry = majority(fours, addend, carry)
                addend = bit & eight
                fours = eights ^ addend ^ carry
                eights = majority(eights, addend, carry)
        top = PRODUCT + digit + RANDOM_PLANES
        store(scratch, top, ones)
        store(scratch, top + 1, twos)
        store(scratch, top + 2, fours)
        store(scratch, top + 3, eights)
        for plane in range(DIGIT):
            store(scratch, bound + plane, nothing)


@inlined
def _pick(wires: Vectors, legal: Ints, roles: Ints, role: int, levels: Ints, scratch: Vectors, active: Vector) -> None:
    """Step 3: set the does wires of a role by the rank."""
    several = _lanes_with_choice(roles, role, levels, scratch) & active
    if any_set(several):
        bottom, top = roles[role, BOTTOM], roles[role, TOP]
        for plane in range(levels[top, PLANES]):
            store(scratch, RANKS + plane, load(scratch, PRODUCT + RANDOM_PLANES + plane) & several)
        store(scratch, levels[top, LANES], active)
        for level in range(top, bottom, -1):
            _descend(levels, level, scratch)
        _pick_in_blocks(wires, legal, roles, role, levels, scratch)
    else:
        for move in range(roles[role, MOVES]):
            store(wires, roles[role, DOES] + move, load(wires, legal[roles[role, START] + move]) & active)


@inlined
def _descend(levels: Ints, level: int, scratch: Vectors) -> None:
    """Move all lanes from their node to the child that has their rank, and make the rank that in the child."""
    # 1. the planes of the children of the node where each lane is
    parents, parent_planes, parent_lanes = levels[level, NODES], levels[level, PLANES], levels[level, LANES]
    children, planes = levels[level - 1, NODES], levels[level - 1, PLANES]
    counts, arity = levels[level - 1, COUNTS], children
    if parents > 1:
        arity = CHILDREN
        for slot in range(CHILDREN * planes):
            collected = zeros(scratch)
            for node in range(parents):
                place = counts + node * CHILDREN * planes + slot
                collected = collected | (load(scratch, parent_lanes + node) & load(scratch, place))
            store(scratch, COLLECTED + slot, collected)
        counts = COLLECTED
    # 2. subtract child after child from the rank; it falls below zero at the child that has it, and never again
    for child in range(arity):
        ranks = RANKS + child * parent_planes
        borrow = zeros(scratch)
        for plane in range(planes):
            rank, count = load(scratch, ranks + plane), load(scratch, counts + child * planes + plane)
            store(scratch, ranks + parent_planes + plane, rank ^ count ^ borrow)
            borrow = majority(~rank, count, borrow)
        for plane in range(planes, parent_planes):
            rank = load(scratch, ranks + plane)
            store(scratch, ranks + parent_planes + plane, rank ^ borrow)
            borrow = and_not(borrow, rank)
        store(scratch, CHOSEN + child, borrow)
    # 3. the rank before that
    for plane in range(planes):
        rest = zeros(scratch)
        for child in range(arity):
            rest = rest | (load(scratch, CHOSEN + child) & load(scratch, RANKS + child * parent_planes + plane))
        store(scratch, RANKS + plane, rest)
    # 4. the lanes at each child
    for parent in range(parents):
        first = parent * arity
        for child in range(first, min(first + arity, children)):
            lanes = load(scratch, parent_lanes + parent) & load(scratch, CHOSEN + child - first)
            store(scratch, levels[level - 1, LANES] + child, lanes)


@inlined
def _pick_in_blocks(wires: Vectors, legal: Ints, roles: Ints, role: int, levels: Ints, scratch: Vectors) -> None:
    """Set the does wire with the rank that each lane has in its block; clear the others."""
    bottom, moves = roles[role, BOTTOM], roles[role, MOVES]
    blocks, first_lanes = levels[bottom, NODES], levels[bottom, LANES]
    # 1. the legal moves of the block where each lane is
    a, b, c, d = zeros(scratch), zeros(scratch), zeros(scratch), zeros(scratch)
    e, f, g = zeros(scratch), zeros(scratch), zeros(scratch)
    at = roles[role, START]
    for block in range(blocks):
        lanes = load(scratch, first_lanes + block)
        a, b = a | (lanes & load(wires, legal[at])), b | (lanes & load(wires, legal[at + 1]))
        c, d = c | (lanes & load(wires, legal[at + 2])), d | (lanes & load(wires, legal[at + 3]))
        e, f = e | (lanes & load(wires, legal[at + 4])), f | (lanes & load(wires, legal[at + 5]))
        g = g | (lanes & load(wires, legal[at + 6]))
        at += BLOCK
    # 2. count the rank down; after it fell below zero it is 7, so it can not do so again in a block of 7
    rank = load(scratch, RANKS), load(scratch, RANKS + 1), load(scratch, RANKS + 2)
    rank, a = _less(rank, a)
    rank, b = _less(rank, b)
    rank, c = _less(rank, c)
    rank, d = _less(rank, d)
    rank, e = _less(rank, e)
    rank, f = _less(rank, f)
    rank, g = _less(rank, g)
    # 3. the does wires of all blocks
    at = roles[role, DOES]
    for block in range(moves // BLOCK):
        lanes = load(scratch, first_lanes + block)
        store(wires, at, lanes & a)
        store(wires, at + 1, lanes & b)
        store(wires, at + 2, lanes & c)
        store(wires, at + 3, lanes & d)
        store(wires, at + 4, lanes & e)
        store(wires, at + 5, lanes & f)
        store(wires, at + 6, lanes & g)
        at += BLOCK
    lanes = load(scratch, first_lanes + moves // BLOCK)
    left = moves % BLOCK
    if left > 0:
        store(wires, at, lanes & a)
    if left > 1:
        store(wires, at + 1, lanes & b)
    if left > 2:
        store(wires, at + 2, lanes & c)
    if left > 3:
        store(wires, at + 3, lanes & d)
    if left > 4:
        store(wires, at + 4, lanes & e)
    if left > 5:
        store(wires, at + 5, lanes & f)


@inlined
def _less(rank: tuple[Vector, Vector, Vector], one: Vector) -> tuple[tuple[Vector, Vector, Vector], Vector]:
    """Subtract one in some lanes; also the lanes where the rank was zero."""
    ones, twos, fours = rank
    more = and_not(one, ones)
    most = and_not(more, twos)
    return (ones ^ one, twos ^ more, fours ^ most), and_not(most, fours)
