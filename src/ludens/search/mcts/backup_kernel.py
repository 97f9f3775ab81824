"""Backup: means along the selected paths, and proofs as far up as they reach.

A path is `nodes` [length] and `places` [length], from the root down: a node, and the edge or joint taken there.
"""

from __future__ import annotations

import numpy as np

from ludens.runtime.jit import borrowed, compiled, inlined
from ludens.search.mcts.tree_kernel import (
    EDGES,
    FLOORED,
    HEADER,
    JOINT_CHILD,
    JOINT_NEXT,
    JOINT_VISITS,
    JOINTS,
    MOVER,
    NO_CHILD,
    OPEN,
    PENDING,
    PROVEN,
    PROVEN_LINK,
    SIMULTANEOUS,
    STATE,
    Floats,
    Ints,
    Tree,
    child_of,
    find_joint,
    proven_link,
    set_child,
    visits_at,
)


@compiled
def back_up(tree: Tree, nodes: Ints, places: Ints, length: int, value: Floats, count: int, regret: bool) -> None:
    """Add a value [roles] `count` times to all edges of a path; proven edges on it replace the value from below.

    `value` is overwritten. The visits were counted at selection, as virtual losses.
    """
    tree = borrowed(tree)
    ints, floats = tree.ints, tree.floats
    roles = len(value)
    for level in range(length - 1, -1, -1):
        node, place = nodes[level], places[level]
        mover = ints[2 * node + MOVER]
        child = child_of(tree, node, place)
        if child <= PROVEN_LINK:
            for role in range(roles):
                value[role] = floats[proven_link(child) + tree.values_at + role]
        if mover == SIMULTANEOUS:
            ints[2 * place + JOINT_VISITS] += count
            for role in range(roles):
                floats[place + HEADER + role] += count * value[role]
            if regret:
                _regret(tree, node, place, value, count)
            else:
                choices = 2 * (place + HEADER + roles)
                for role in range(roles):
                    floats[node + tree.sums_at + ints[choices + role]] += count * value[role]
        else:
            if level == 0:
                tree.root_visits[place] += count
                for role in range(roles):
                    tree.root_sums[place, role] += count * value[role]
            if child > PROVEN_LINK:
                floats[node + tree.sums_at + place] += count * value[mover]
            if ints[2 * node + STATE] == FLOORED:
                _raise_to_floor(tree, node, place, mover, value)


@inlined
def _raise_to_floor(tree: Tree, node: int, edge: int, mover: int, value: Floats) -> None:
    """Replace the value by the proven floor where the edge is worth no more: the mover would not take it."""
    mean = tree.floats[node + tree.sums_at + edge] / tree.ints[visits_at(tree, node) + edge]
    if tree.floats[node + tree.values_at + mover] >= mean:
        for role in range(len(value)):
            value[role] = tree.floats[node + tree.values_at + role]


@inlined
def _regret(tree: Tree, node: int, joint: int, value: Floats, count: int) -> None:
    """Add the regret of each role for its other edges, by the means of the joints with them."""
    ints, roles = tree.ints, len(value)
    choices = ints[2 * (joint + HEADER + roles) : 2 * (joint + HEADER + roles) + roles].copy()
    for role in range(roles):
        taken = choices[role]
        starts = 2 * (node + HEADER) + role
        for edge in range(ints[starts], ints[starts + 1]):
            choices[role] = edge
            other = find_joint(tree, node, choices)
            if other != NO_CHILD and ints[2 * other + JOINT_VISITS] > 0:
                mean = tree.floats[other + HEADER + role] / ints[2 * other + JOINT_VISITS]
                tree.floats[node + tree.sums_at + edge] += count * (mean - value[role])
        choices[role] = taken


@compiled
def prove(tree: Tree, nodes: Ints, places: Ints, length: int, proven: int) -> None:
    """Link a proven node at the end of a path, and go up as far as it proves more."""
    tree = borrowed(tree)
    ints = tree.ints
    for level in range(length - 1, -1, -1):
        node, place = nodes[level], places[level]
        _link_proven(tree, node, place, proven)
        if ints[2 * node + STATE] != PROVEN and not _proves(tree, node, place, proven):
            return
        ints[2 * node + STATE] = PROVEN
        proven = node


@inlined
def _link_proven(tree: Tree, node: int, place: int, proven: int) -> None:
    """Link a proven child to an edge or joint; all visits of the edge now count as its value."""
    set_child(tree, node, place, proven_link(proven))
    mover = tree.ints[2 * node + MOVER]
    if mover != SIMULTANEOUS:
        visits = tree.ints[visits_at(tree, node) + place]
        worth = tree.floats[proven + tree.values_at + mover]
        tree.floats[node + tree.sums_at + place] = visits * worth
        state = tree.ints[2 * node + STATE]
        if mover != tree.chance and (
            state == OPEN or (state == FLOORED and worth > tree.floats[node + tree.values_at + mover])
        ):
            tree.ints[2 * node + STATE] = FLOORED
            _copy_values(tree, proven, node)


@compiled
def attach(tree: Tree, nodes: Ints, places: Ints, length: int, child: int) -> None:
    """Link a new child at the end of a path, or NO_CHILD where there was no room for it."""
    tree = borrowed(tree)
    if child >= 0 and tree.ints[2 * child + STATE] == PROVEN:
        prove(tree, nodes, places, length, child)
    elif child_of(tree, nodes[length - 1], places[length - 1]) == PENDING:
        set_child(tree, nodes[length - 1], places[length - 1], child)


@inlined
def _proves(tree: Tree, node: int, place: int, proven: int) -> bool:
    """Return whether a proven child proves the node; if so write its values."""
    mover = tree.ints[2 * node + MOVER]
    if mover == SIMULTANEOUS:
        return _joints_prove(tree, node, place, proven)
    if mover != tree.chance and tree.floats[proven + tree.values_at + mover] >= tree.highest[mover]:
        _copy_values(tree, proven, node)
        return True
    return _edges_prove(tree, node, mover)


@inlined
def _copy_values(tree: Tree, source: int, target: int) -> None:
    for role in range(len(tree.value)):
        tree.floats[target + tree.values_at + role] = tree.floats[source + tree.values_at + role]


@inlined
def _edges_prove(tree: Tree, node: int, mover: int) -> bool:
    """Return whether all children are proven; the value is the best for the mover, or the mean for chance."""
    ints, floats, roles = tree.ints, tree.floats, len(tree.value)
    starts = 2 * (node + HEADER) + mover
    first, last = ints[starts], ints[starts + 1]
    children = visits_at(tree, node) + ints[2 * node + EDGES]
    for edge in range(first, last):
        child = ints[children + edge]
        if child >= 0 and ints[2 * child + STATE] == PROVEN:  # proven by another way that led there
            _link_proven(tree, node, edge, child)
        elif child > PROVEN_LINK:
            return False
    best = proven_link(ints[children + first])
    _copy_values(tree, best, node)
    for edge in range(first + 1, last):
        child = proven_link(ints[children + edge])
        if mover == tree.chance:
            for role in range(roles):
                floats[node + tree.values_at + role] += floats[child + tree.values_at + role]
        elif floats[child + tree.values_at + mover] > floats[node + tree.values_at + mover]:
            _copy_values(tree, child, node)
    if mover == tree.chance:
        for role in range(roles):
            floats[node + tree.values_at + role] /= last - first
    return True


@inlined
def _joints_prove(tree: Tree, node: int, joint: int, proven: int) -> bool:
    """Return whether all joints are worth the same, or all with one choice of a role give it the highest value."""
    ints, floats, roles = tree.ints, tree.floats, len(tree.value)
    starts = 2 * (node + HEADER)
    choices = 2 * (joint + HEADER + roles)
    # 1. Count the joints that are worth the same, and for each role those of them with its choice here.
    equal, with_choice = 0, np.zeros(roles, np.int64)
    other = ints[2 * node + JOINTS]
    while other != NO_CHILD:
        child = ints[2 * other + JOINT_CHILD]
        same = child <= PROVEN_LINK
        for role in range(roles):
            at = proven_link(child) + tree.values_at + role
            same = same and floats[at] == floats[proven + tree.values_at + role]
        if same:
            equal += 1
            for role in range(roles):
                with_choice[role] += ints[2 * (other + HEADER + roles) + role] == ints[choices + role]
        other = ints[2 * other + JOINT_NEXT]
    # 2. Compare with the number of all joints.
    every = 1
    for role in range(roles):
        every *= ints[starts + role + 1] - ints[starts + role]
    sure = equal == every
    for role in range(roles):
        if role != tree.chance and floats[proven + tree.values_at + role] >= tree.highest[role]:
            sure = sure or with_choice[role] == every // (ints[starts + role + 1] - ints[starts + role])
    if sure:
        _copy_values(tree, proven, node)
    return sure
