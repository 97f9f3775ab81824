"""Priors: what is known about a move wherever it was made, for edges with few visits of their own.

MAST    for each move the mean value, for its role, of all playouts with it, in the tree or after it
RAVE    for each edge the mean value of the playouts through its node with its move there or later (all moves as first)

This prior p counts as a part w of the value of an edge with n visits and the mean q, in place of q alone:

    bound = (1 - w) q + w p + scale / sqrt(n + 1)       w = MAST_VISITS / (n + MAST_VISITS)  with MAST
                                                        w = sqrt(k / (3 n + k)), k = RAVE_VISITS, with RAVE

So a move that has done well elsewhere comes first, and one that has not may wait, also if it is unvisited.
"""

from __future__ import annotations

import numpy as np

from ludens.runtime.jit import borrowed, compiled, inlined
from ludens.search.mcts.tree_kernel import (
    EDGES,
    HEADER,
    MAST,
    MOVER,
    RAVE,
    RECORDED,
    SIMULTANEOUS,
    Floats,
    Ints,
    Tree,
    amaf_at,
    visits_at,
    write_joint,
)

MAST_VISITS = 32.0
"""The visits that a MAST prior counts as."""
RAVE_VISITS = 30.0
"""The visits at which a RAVE prior counts as much as they do."""
UNTRIED_PRIOR = 1.0
"""The prior of a move that no playout has made: worth a try."""


@inlined
def informed_bound(tree: Tree, total: float, visits: int, prior: float, scale: float) -> float:
    """Return the upper confidence bound of an edge."""
    if tree.priors == MAST:
        weight = MAST_VISITS / (visits + MAST_VISITS)
    else:
        weight = np.sqrt(RAVE_VISITS / (3.0 * visits + RAVE_VISITS))
    mean = total / max(visits, 1)
    return float((1.0 - weight) * mean + weight * prior + scale / np.sqrt(visits + 1.0))


@inlined
def write_priors(tree: Tree, node: int, first: int, last: int, priors: Floats) -> None:
    """Write the priors of the edges `first` to `last` of a node, from place 0 on."""
    edges = tree.ints[2 * node + EDGES]
    moves, amaf = visits_at(tree, node) + 2 * edges, amaf_at(tree, node)
    for edge in range(first, last):
        if tree.priors == MAST:
            move = tree.ints[moves + edge]
            total, playouts = tree.move_sums[move], tree.move_playouts[move]
        else:
            total, playouts = tree.floats[amaf + edge], tree.floats[amaf + edges + edge]
        priors[edge - first] = total / playouts if playouts > 0.0 else UNTRIED_PRIOR


@inlined
def record_move(tree: Tree, move: int, value: float, count: int) -> None:
    """Record a move of `count` playouts that gave its role this value."""
    if tree.priors == MAST:
        tree.move_sums[move] += count * value
        tree.move_playouts[move] += count
    else:
        tree.last_made_in[move] = tree.counters[RECORDED]


@compiled
def record_path(tree: Tree, nodes: Ints, places: Ints, length: int, value: Floats, count: int) -> None:
    """Record the moves along a path (see `back_up`) of a playout with this value [roles], and end its record.

    The moves after the path, if they are known, are recorded before.
    """
    tree = borrowed(tree)
    for level in range(length - 1, -1, -1):
        write_joint(tree, nodes[level], places[level], tree.joint)
        for role in range(len(value)):
            record_move(tree, tree.joint[role], value[role], count)
        if tree.priors == RAVE:
            _record_amaf(tree, nodes[level], value, count)
    tree.counters[RECORDED] += 1


@inlined
def _record_amaf(tree: Tree, node: int, value: Floats, count: int) -> None:
    """Add the playout to all edges of the choosing roles whose moves were made at the node or later."""
    ints, floats = tree.ints, tree.floats
    edges, mover, starts = ints[2 * node + EDGES], ints[2 * node + MOVER], 2 * (node + HEADER)
    moves, amaf = visits_at(tree, node) + 2 * edges, amaf_at(tree, node)
    for role in range(len(value)):
        if mover in (role, SIMULTANEOUS):
            for edge in range(ints[starts + role], ints[starts + role + 1]):
                if tree.last_made_in[ints[moves + edge]] == tree.counters[RECORDED]:
                    floats[amaf + edge] += count * value[role]
                    floats[amaf + edges + edge] += count
