"""What is known about a move wherever it was made, to guide the search where an edge has few visits of its own.

MAST    for each move the mean value, for its role, of all games with it, in the tree or in the random part
RAVE    for each edge the mean value of the games through its node with its move there or later

This prior p counts as a part w of the value of an edge with n visits and the mean q, in place of q alone:

    bound = (1 - w) q + w p + scale / sqrt(n + 1)       w = MAST_VISITS / (n + MAST_VISITS)  with MAST
                                                        w = sqrt(k / (3 n + k)), k = EQUAL_VISITS, with RAVE

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
    NOTED,
    RAVE,
    SIMULTANEOUS,
    Floats,
    Ints,
    Tree,
    later_at,
    visits_at,
    write_joint,
)

MAST_VISITS = 32.0
"""The prior counts as much as so many visits."""
EQUAL_VISITS = 30.0
"""With so many visits, the prior counts as much as they do."""
NEVER_MADE = 1.0
"""The prior of a move that nobody has made: worth a try."""


@inlined
def informed_bound(tree: Tree, total: float, visits: int, prior: float, scale: float) -> float:
    """The upper confidence bound of an edge."""
    if tree.priors == MAST:
        weight = MAST_VISITS / (visits + MAST_VISITS)
    else:
        weight = np.sqrt(EQUAL_VISITS / (3.0 * visits + EQUAL_VISITS))
    mean = total / max(visits, 1)
    return float((1.0 - weight) * mean + weight * prior + scale / np.sqrt(visits + 1.0))


@inlined
def write_priors(tree: Tree, node: int, first: int, last: int, priors: Floats) -> None:
    """The priors of some edges of a node, beginning with 0."""
    edges = tree.ints[2 * node + EDGES]
    moves, later = visits_at(tree, node) + 2 * edges, later_at(tree, node)
    for edge in range(first, last):
        if tree.priors == MAST:
            move = tree.ints[moves + edge]
            total, games = tree.move_sums[move], tree.move_games[move]
        else:
            total, games = tree.floats[later + edge], tree.floats[later + edges + edge]
        priors[edge - first] = total / games if games > 0.0 else NEVER_MADE


@inlined
def note_move(tree: Tree, move: int, value: float, count: int) -> None:
    """A move was made in the game that is noted; its role got this value. So it was `count` times."""
    if tree.priors == MAST:
        tree.move_sums[move] += count * value
        tree.move_games[move] += count
    else:
        tree.made_in[move] = tree.counters[NOTED]


@compiled
def note_path(tree: Tree, nodes: Ints, places: Ints, length: int, value: Floats, count: int) -> None:
    """Note the moves along a path (see `back_up`) of a game with this value [roles], and end the game.

    Those after it, if they are known, were noted before.
    """
    tree = borrowed(tree)
    for level in range(length - 1, -1, -1):
        write_joint(tree, nodes[level], places[level], tree.joint)
        for role in range(len(value)):
            note_move(tree, tree.joint[role], value[role], count)
        if tree.priors == RAVE:
            _note_later(tree, nodes[level], value, count)
    tree.counters[NOTED] += 1


@inlined
def _note_later(tree: Tree, node: int, value: Floats, count: int) -> None:
    """Count the game for all edges of those who choose at a node whose moves were made there or later."""
    ints, floats = tree.ints, tree.floats
    edges, mover, starts = ints[2 * node + EDGES], ints[2 * node + MOVER], 2 * (node + HEADER)
    moves, later = visits_at(tree, node) + 2 * edges, later_at(tree, node)
    for role in range(len(value)):
        if mover in (role, SIMULTANEOUS):
            for edge in range(ints[starts + role], ints[starts + role + 1]):
                if tree.made_in[ints[moves + edge]] == tree.counters[NOTED]:
                    floats[later + edge] += count * value[role]
                    floats[later + edges + edge] += count
