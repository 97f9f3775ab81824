"""The search tree: blocks in one arena, so that all that belongs to a node lies together in memory.

The arena is counted in cells of 8 bytes; `ints` [2 * cells], `floats` [cells] and `words` [cells] are the same memory.
A node is known by its first cell. R roles, W words in the row of a state, E edges; all in cells:

node     header   3      MOVER, EDGES, VISITS, STATE, JOINTS, FORWARD (ints)
         starts   R/2    [R + 1] ints: where the edges of each role begin; the last is E
         values   R      what a proven node, or the best proven child, is worth to each role, scaled to 0..1
         row      W      the state; for an end nothing is written here
         sums     E      of the values of all visits, for the role that moves (with regret matching its regrets)
         links    3E/2   [E] visits, with those that only began; [E] children; [E] moves (ints)
         amaf     2E     with RAVE: [E] sums of the values of playouts with the move here or later; [E] their number

joint    header   3      JOINT, its node, child, ended visits, the next joint of the node, FORWARD (ints)
         sums     R      of the values of all visits
         choices  R/2    [R] ints: the edge that each role takes

A node where one role has a choice finds its children at the edges of that role, which is its mover. Where several
have one (`SIMULTANEOUS`), the children belong to joints, found by a hash table. A child is a node; `NO_CHILD`;
`PENDING`, if a lane is on its way to create it; or, proven, the number `proven_link(node)`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.engines.sliced.bits_kernel import Words
from ludens.runtime.jit import borrowed, compiled, inlined

Ints = NDArray[np.int32]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

MOVER, EDGES, VISITS, STATE, JOINTS, FORWARD = range(6)
JOINT_NODE, JOINT_CHILD, JOINT_VISITS, JOINT_NEXT = 1, 2, 3, 4
HEADER = 3
SIMULTANEOUS, END, JOINT = -1, -2, -3
OPEN, PROVEN, FLOORED = range(3)
"""The state of a node; FLOORED: open, but the mover has a choice whose value is proven and stands as its values."""
NO_CHILD, PENDING, PROVEN_LINK = -1, -2, -3
"""The child of an edge if it is no open node; proven ones are numbered down from `PROVEN_LINK`."""
FREE = 0
ROOM, FULL_NOW, FULL_FOR_GOOD = range(3)
MAX_ENDS = 1024
NO_PRIORS, MAST, RAVE = range(3)

COUNTERS = USED, STATES, JOINED, ENDS, ROOT, FULL, ITERATIONS, PLAYOUTS, DEEPEST, RECORDED = range(10)
"""Cells in use, the first of which is no block; entries of the tables; ends; the root; whether something found no room
(`FULL_FOR_GOOD`: recycling does not help); iterations; playouts; depth; playouts whose moves were recorded."""


class Tree(NamedTuple):
    """The arena and its indexes."""

    ints: Ints
    floats: Floats
    words: Words
    states: Ints
    """[2**n]: nodes by the hash of their rows, or FREE."""
    joints: Ints
    """[2**n]: joints by the hash of their node and choices, or FREE."""
    ends: Ints
    """[MAX_ENDS]: the nodes of ends, which share one for each outcome."""
    counters: Counts
    random: Words
    """[1]: the state of the generator."""
    highest: Floats
    """[roles]: no value is higher for the role."""
    root_sums: Floats
    """[edges of the largest node, roles]: of the values of all visits of the root's edges; one mover only."""
    root_visits: Counts
    """[edges of the largest node]: the number of these values."""
    value: Floats
    joint: Ints
    """[roles]: scratch."""
    priors: int
    """NO_PRIORS, MAST or RAVE."""
    move_sums: Floats
    move_playouts: Floats
    """[moves]: with MAST, sums of the values of all playouts with a move for its role, and their number."""
    last_made_in: Counts
    """[moves]: with RAVE, the number of the last playout that a move was made in."""
    chance: int
    values_at: int
    row_at: int
    sums_at: int


@inlined
def proven_link(node: int) -> int:
    """Return a proven node as a link to a child, or the node of such a link."""
    return PROVEN_LINK - node


@inlined
def visits_at(tree: Tree, node: int) -> int:
    """Return where the visits of the edges are in `ints`; children and moves follow."""
    return 2 * (node + tree.sums_at + int(tree.ints[2 * node + EDGES]))


@inlined
def child_of(tree: Tree, node: int, place: int) -> int:
    """Return the child at an edge of a node with one mover, or at a joint of one with several."""
    if tree.ints[2 * node + MOVER] == SIMULTANEOUS:
        return int(tree.ints[2 * place + JOINT_CHILD])
    return int(tree.ints[visits_at(tree, node) + tree.ints[2 * node + EDGES] + place])


@inlined
def set_child(tree: Tree, node: int, place: int, child: int) -> None:
    """Set the child at an edge or joint of a node."""
    if tree.ints[2 * node + MOVER] == SIMULTANEOUS:
        tree.ints[2 * place + JOINT_CHILD] = child
    else:
        tree.ints[visits_at(tree, node) + tree.ints[2 * node + EDGES] + place] = child


@inlined
def revert_visits(tree: Tree, nodes: Ints, places: Ints, length: int, count: int) -> None:
    """Take back the visits of `count` iterations along a path that ended without a value."""
    roles = len(tree.value)
    for level in range(length):
        node, place = nodes[level], places[level]
        visits = visits_at(tree, node)
        if tree.ints[2 * node + MOVER] == SIMULTANEOUS:
            for role in range(roles):
                tree.ints[visits + tree.ints[2 * (place + HEADER + roles) + role]] -= count
        elif child_of(tree, node, place) > PROVEN_LINK:
            tree.ints[visits + place] -= count
    if child_of(tree, nodes[length - 1], places[length - 1]) == PENDING:
        set_child(tree, nodes[length - 1], places[length - 1], NO_CHILD)
    tree.counters[ITERATIONS] -= count


@inlined
def random_word(tree: Tree) -> np.uint64:
    """Return the next number of a xorshift generator."""
    state: np.uint64 = tree.random[0]
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    tree.random[0] = state
    return state


@inlined
def random_below(tree: Tree, bound: int) -> int:
    return int(np.int64(random_word(tree) >> np.uint64(33)) * bound >> 31)


@inlined
def _mixed(key: np.uint64, word: np.uint64) -> np.uint64:
    key ^= word
    key ^= key << np.uint64(13)
    key ^= key >> np.uint64(7)
    key ^= key << np.uint64(17)
    return key


@inlined
def row_place(tree: Tree, row: Words) -> int:
    """Return the place of a state in the table of nodes, or a free place for it."""
    key = np.uint64(0x9E3779B97F4A7C15)
    for column in range(len(row)):
        key = _mixed(key, row[column])
    key ^= key >> np.uint64(32)
    mask = len(tree.states) - 1
    place = np.int64(key & np.uint64(mask))
    while tree.states[place] != FREE:
        at = tree.states[place] + tree.row_at
        same = True
        for column in range(len(row)):
            if tree.words[at + column] != row[column]:
                same = False
                break
        if same:
            break
        place = (place + 1) & mask
    return int(place)


@compiled
def find_state(tree: Tree, row: Words) -> int:
    """Return the node of a state, or NO_CHILD."""
    node = tree.states[row_place(tree, row)]
    return NO_CHILD if node == FREE else int(node)


@inlined
def _allocate(tree: Tree, cells: int) -> int:
    """Return the first cell of a new block, or NO_CHILD where there is no room."""
    first = tree.counters[USED]
    if first + cells > len(tree.floats):
        tree.counters[FULL] = max(FULL_NOW, tree.counters[FULL])
        return NO_CHILD
    tree.counters[USED] = first + cells
    for place in range(2 * first, 2 * (first + HEADER)):
        tree.ints[place] = 0
    return int(first)


@inlined
def node_cells(tree: Tree, edges: int) -> int:
    """Return the cells of a node with a number of edges."""
    return tree.sums_at + edges + (3 * edges + 1) // 2 + (2 * edges if tree.priors == RAVE else 0)


@inlined
def amaf_at(tree: Tree, node: int) -> int:
    """Return where in `floats` the sums of playouts with a move here or later are; their numbers follow."""
    edges = int(tree.ints[2 * node + EDGES])
    return node + tree.sums_at + edges + (3 * edges + 1) // 2


@compiled
def add_state(tree: Tree, row: Words, moves: Ints, starts: Ints) -> int:
    """Return the node of a state that is no end; NO_CHILD if it is new and there is no room.

    `moves` are the legal moves of all roles, those of each beginning at `starts` [roles + 1].
    """
    # 1. Find it, or make room for it.
    tree = borrowed(tree)
    ints, roles = tree.ints, len(starts) - 1
    place = row_place(tree, row)
    if tree.states[place] != FREE:
        return int(tree.states[place])
    edges = int(starts[roles])
    if 4 * tree.counters[STATES] > 3 * len(tree.states):
        tree.counters[FULL] = max(FULL_NOW, tree.counters[FULL])
        return NO_CHILD
    node = _allocate(tree, node_cells(tree, edges))
    if node == NO_CHILD:
        return NO_CHILD
    tree.states[place] = node
    tree.counters[STATES] += 1
    # 2. Find the roles that have a choice.
    mover, choosers = 0, 0
    for role in range(roles):
        if starts[role + 1] - starts[role] > 1:
            mover = role
            choosers += 1
    ints[2 * node + MOVER] = mover if choosers < 2 else SIMULTANEOUS
    ints[2 * node + EDGES] = edges
    ints[2 * node + JOINTS] = NO_CHILD
    for role in range(roles + 1):
        ints[2 * (node + HEADER) + role] = starts[role]
    for column in range(len(row)):
        tree.words[node + tree.row_at + column] = row[column]
    # 3. Write the edges, the moves of each role in random order.
    visits = visits_at(tree, node)
    for edge in range(edges):
        tree.floats[node + tree.sums_at + edge] = 0.0
        ints[visits + edge] = 0
        ints[visits + edges + edge] = NO_CHILD
        ints[visits + 2 * edges + edge] = moves[edge]
    if tree.priors == RAVE:
        amaf = amaf_at(tree, node)
        for place in range(amaf, amaf + 2 * edges):
            tree.floats[place] = 0.0
    for role in range(roles):
        first = visits + 2 * edges + starts[role]
        for left in range(starts[role + 1] - starts[role] - 1, 0, -1):
            other = random_below(tree, left + 1)
            move = ints[first + left]
            ints[first + left] = ints[first + other]
            ints[first + other] = move
    return node


@compiled
def add_end(tree: Tree, value: Floats) -> int:
    """Return the node of an end with this value [roles]; NO_CHILD if it is new and there is no room."""
    tree = borrowed(tree)
    for number in range(tree.counters[ENDS]):
        at = tree.ends[number] + tree.values_at
        same = True
        for role in range(len(value)):
            same &= tree.floats[at + role] == value[role]
        if same:
            return int(tree.ends[number])
    node = _allocate(tree, tree.sums_at)
    if node == NO_CHILD:
        return NO_CHILD
    tree.ints[2 * node + MOVER] = END
    tree.ints[2 * node + STATE] = PROVEN
    for role in range(len(value)):
        tree.floats[node + tree.values_at + role] = value[role]
    if tree.counters[ENDS] < MAX_ENDS:
        tree.ends[tree.counters[ENDS]] = node
        tree.counters[ENDS] += 1
    return node


@inlined
def joint_place(tree: Tree, node: int, choices: Ints) -> int:
    """Return the place of a joint in its table, or a free place for it."""
    roles = len(tree.value)
    key = _mixed(np.uint64(0x9E3779B97F4A7C15), np.uint64(node))
    for role in range(roles):
        key = _mixed(key, np.uint64(choices[role]))
    key ^= key >> np.uint64(32)
    mask = len(tree.joints) - 1
    place = np.int64(key & np.uint64(mask))
    while tree.joints[place] != FREE:
        joint = tree.joints[place]
        same = tree.ints[2 * joint + JOINT_NODE] == node
        for role in range(roles):
            same &= tree.ints[2 * (joint + HEADER + roles) + role] == choices[role]
        if same:
            break
        place = (place + 1) & mask
    return int(place)


@inlined
def find_joint(tree: Tree, node: int, choices: Ints) -> int:
    """Return the joint of the edges [roles], or NO_CHILD."""
    joint = tree.joints[joint_place(tree, node, choices)]
    return NO_CHILD if joint == FREE else int(joint)


@inlined
def add_joint(tree: Tree, node: int, choices: Ints) -> int:
    """Return the joint of the edges [roles], a new one if need be; NO_CHILD if there is no room."""
    roles, ints = len(tree.value), tree.ints
    place = joint_place(tree, node, choices)
    if tree.joints[place] != FREE:
        return int(tree.joints[place])
    if 4 * tree.counters[JOINED] > 3 * len(tree.joints):
        tree.counters[FULL] = max(FULL_NOW, tree.counters[FULL])
        return NO_CHILD
    joint = _allocate(tree, HEADER + roles + (roles + 1) // 2)
    if joint == NO_CHILD:
        return NO_CHILD
    tree.joints[place] = joint
    tree.counters[JOINED] += 1
    ints[2 * joint + MOVER] = JOINT
    ints[2 * joint + JOINT_NODE] = node
    ints[2 * joint + JOINT_CHILD] = NO_CHILD
    ints[2 * joint + JOINT_NEXT] = ints[2 * node + JOINTS]
    ints[2 * node + JOINTS] = joint
    for role in range(roles):
        tree.floats[joint + HEADER + role] = 0.0
        ints[2 * (joint + HEADER + roles) + role] = choices[role]
    return joint


@inlined
def write_joint(tree: Tree, node: int, place: int, joint: Ints) -> None:
    """Write the move of each role [roles] at an edge or joint of a node."""
    ints, roles = tree.ints, len(joint)
    moves = visits_at(tree, node) + 2 * ints[2 * node + EDGES]
    mover = ints[2 * node + MOVER]
    for role in range(roles):
        edge = ints[2 * (node + HEADER) + role]
        if mover == SIMULTANEOUS:
            edge = ints[2 * (place + HEADER + roles) + role]
        elif role == mover:
            edge = place
        joint[role] = ints[moves + edge]
