"""Recycling: the nodes with the fewest visits are dropped, and the rest moved together.

1. mark     from the root on, all nodes with enough visits; below others only what is proven, without its children
2. forward  each marked block learns its new place
3. relink   all links are set to the new places, or to NO_CHILD
4. move     block after block, downwards in memory
5. index    the tables are filled again
"""

from __future__ import annotations

import numpy as np

from ludens.runtime.jit import borrowed, compiled, inlined
from ludens.search.mcts.tree_kernel import (
    EDGES,
    END,
    ENDS,
    FORWARD,
    FREE,
    HEADER,
    JOINED,
    JOINT,
    JOINT_CHILD,
    JOINT_NEXT,
    JOINT_NODE,
    JOINTS,
    MOVER,
    NO_CHILD,
    PROVEN_LINK,
    ROOT,
    SIMULTANEOUS,
    STATES,
    USED,
    VISITS,
    Tree,
    joint_place,
    node_cells,
    proven_link,
    row_place,
    visits_at,
)

FIRST_BLOCK = 1
MARKED = 1
POWERS = 32


@inlined
def _size(tree: Tree, block: int) -> int:
    """Return the cells of a block."""
    kind = tree.ints[2 * block + MOVER]
    if kind == JOINT:
        return HEADER + len(tree.value) + (len(tree.value) + 1) // 2
    return tree.sums_at if kind == END else node_cells(tree, tree.ints[2 * block + EDGES])


@compiled
def recycle(tree: Tree, most: int) -> None:
    """Keep the root and the most visited nodes in about `most` cells; no iteration may be under way."""
    tree = borrowed(tree)
    _mark(tree, _threshold(tree, most))
    _forward(tree)
    _relink(tree)
    _move(tree)
    _index(tree)


@inlined
def _threshold(tree: Tree, most: int) -> int:
    """Return the least visits, a power of two, of the nodes that fit into `most` cells."""
    cells = np.zeros(POWERS, np.int64)
    block = FIRST_BLOCK
    while block < tree.counters[USED]:
        size = _size(tree, block)
        tree.ints[2 * block + FORWARD] = 0
        if tree.ints[2 * block + MOVER] >= SIMULTANEOUS:
            power = 0
            while tree.ints[2 * block + VISITS] >> power > 1:
                power += 1
            cells[power] += size
        block += size
    kept, power = cells[POWERS - 1], POWERS - 1
    while power > 0 and kept + cells[power - 1] <= most:
        power -= 1
        kept += cells[power]
    return 1 << power if power else 0


@inlined
def _mark(tree: Tree, least: int) -> None:
    """Step 1; the table of states, which is filled again later, serves as the stack of nodes."""
    ints, stack = tree.ints, tree.states
    root = tree.counters[ROOT]
    ints[2 * root + FORWARD] = MARKED
    stack[0] = root
    height = 1
    while height > 0:
        height -= 1
        node = stack[height]
        if ints[2 * node + MOVER] == SIMULTANEOUS:
            joint = ints[2 * node + JOINTS]
            while joint != NO_CHILD:
                ints[2 * joint + FORWARD] = MARKED
                height = _mark_child(tree, ints[2 * joint + JOINT_CHILD], least, height)
                joint = ints[2 * joint + JOINT_NEXT]
        else:
            edges = ints[2 * node + EDGES]
            children = visits_at(tree, node) + edges
            for edge in range(edges):
                height = _mark_child(tree, ints[children + edge], least, height)


@inlined
def _mark_child(tree: Tree, link: int, least: int, height: int) -> int:
    """Mark the child of a link if it is to be kept; return the height of the stack."""
    child = proven_link(link) if link <= PROVEN_LINK else link
    if child < 0 or tree.ints[2 * child + FORWARD] == MARKED:
        return height
    enough = tree.ints[2 * child + VISITS] >= least
    if enough or link <= PROVEN_LINK:
        tree.ints[2 * child + FORWARD] = MARKED
        if enough and tree.ints[2 * child + MOVER] != END:
            tree.states[height] = child
            return height + 1
    return height


@inlined
def _forward(tree: Tree) -> None:
    """Step 2; FORWARD becomes the new place, or stays 0."""
    block, place = FIRST_BLOCK, FIRST_BLOCK
    while block < tree.counters[USED]:
        size = _size(tree, block)
        if tree.ints[2 * block + FORWARD] == MARKED:
            tree.ints[2 * block + FORWARD] = place
            place += size
        block += size


@inlined
def _moved(tree: Tree, link: int) -> int:
    """Return a link to the new place of a child."""
    if link > PROVEN_LINK:
        return tree.ints[2 * link + FORWARD] or NO_CHILD if link >= 0 else NO_CHILD
    place = tree.ints[2 * proven_link(link) + FORWARD]
    return proven_link(place) if place else NO_CHILD


@inlined
def _relink(tree: Tree) -> None:
    """Step 3."""
    ints = tree.ints
    block = FIRST_BLOCK
    while block < tree.counters[USED]:
        kind = ints[2 * block + MOVER]
        if ints[2 * block + FORWARD] and kind == JOINT:
            ints[2 * block + JOINT_NODE] = ints[2 * ints[2 * block + JOINT_NODE] + FORWARD]
            ints[2 * block + JOINT_CHILD] = _moved(tree, ints[2 * block + JOINT_CHILD])
            ints[2 * block + JOINT_NEXT] = _moved(tree, ints[2 * block + JOINT_NEXT])
        elif ints[2 * block + FORWARD] and kind != END:
            ints[2 * block + JOINTS] = _moved(tree, ints[2 * block + JOINTS])
            edges = ints[2 * block + EDGES]
            children = visits_at(tree, block) + edges
            for edge in range(edges):
                ints[children + edge] = _moved(tree, ints[children + edge])
        block += _size(tree, block)
    tree.counters[ROOT] = ints[2 * tree.counters[ROOT] + FORWARD]
    kept = 0
    for number in range(tree.counters[ENDS]):
        place = ints[2 * tree.ends[number] + FORWARD]
        if place:
            tree.ends[kept] = place
            kept += 1
    tree.counters[ENDS] = kept


@inlined
def _move(tree: Tree) -> None:
    """Step 4."""
    block, after = FIRST_BLOCK, FIRST_BLOCK
    while block < tree.counters[USED]:
        size = _size(tree, block)
        place = tree.ints[2 * block + FORWARD]
        if place:
            for cell in range(size):
                tree.words[place + cell] = tree.words[block + cell]
            after = place + size
        block += size
    tree.counters[USED] = after


@inlined
def _index(tree: Tree) -> None:
    """Step 5."""
    ints, roles = tree.ints, len(tree.value)
    tree.states[:] = FREE
    tree.joints[:] = FREE
    tree.counters[STATES] = 0
    tree.counters[JOINED] = 0
    block = FIRST_BLOCK
    while block < tree.counters[USED]:
        kind = ints[2 * block + MOVER]
        if kind == JOINT:
            choices = 2 * (block + HEADER + roles)
            node = ints[2 * block + JOINT_NODE]
            tree.joints[joint_place(tree, node, ints[choices : choices + roles])] = block
            tree.counters[JOINED] += 1
        elif kind != END:
            tree.states[row_place(tree, tree.words[block + tree.row_at : block + tree.sums_at])] = block
            tree.counters[STATES] += 1
        block += _size(tree, block)
