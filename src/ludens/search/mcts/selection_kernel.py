"""Selection: hundreds of iterations are handed out over the tree at once, level by level.

At each node the iterations go to its edges in portions, always to the edge with the best upper confidence bound, in
which iterations under way count as visits without value (virtual loss). So they spread over the tree at the cost of few
walks. An iteration ends at an edge without a child: a `leaf`, to be played out by as many lanes. One that comes to a
proven node is backed up at once.

items    a node that iterations of this round pass, and their number; its parent is the item above
leaves   edges at which iterations end
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.runtime.jit import borrowed, compiled, inlined
from ludens.search.mcts.backup_kernel import back_up, prove
from ludens.search.mcts.priors_kernel import informed_bound, record_path, write_priors
from ludens.search.mcts.tree_kernel import (
    DEEPEST,
    EDGES,
    HEADER,
    ITERATIONS,
    JOINT_VISITS,
    MOVER,
    NO_CHILD,
    NO_PRIORS,
    PENDING,
    PROVEN,
    PROVEN_LINK,
    ROOT,
    SIMULTANEOUS,
    STATE,
    VISITS,
    Floats,
    Ints,
    Tree,
    add_joint,
    child_of,
    proven_link,
    random_below,
    random_word,
    set_child,
    visits_at,
    write_joint,
)

PORTIONS = 8
"""An edge gets at most one part in this many of what is left at a time."""
NEARLY_NONE = 1e-9
"""Stands for no visits; it makes the bound higher than any other."""
NEVER = -1.0
NO_EDGE = -1
LEAF = -1


class MctsOptions(NamedTuple):
    """The parameters of selection and expansion."""

    exploration: float
    expand_at: int
    """The visits of an edge at which its child becomes a node of the tree."""
    max_depth: int
    regret: bool
    mixing: float
    """With regret matching, the share of uniformly random choices."""
    portion: int
    portion_from: int
    """After `portion_from` iterations an edge gets at least `portion` of them at a time."""


class SelectionRound(NamedTuple):
    """The workspace of one round of selection."""

    item_node: Ints
    item_count: Ints
    item_parent: Ints
    item_place: Ints
    """[items]: the edge or joint of the parent's node that leads here."""
    item_depth: Ints
    leaf_item: Ints
    """[leaves]: the item (LEAF instead of a node) in which the iterations end."""
    leaf_expands: NDArray[np.bool_]
    """[leaves]: whether one of the iterations is to add the child to the tree."""
    leaf_group: Ints
    """[leaves]: the group of lanes that plays them out."""
    path_nodes: Ints
    path_places: Ints
    """[depth]: scratch for one path."""
    bounds: Floats
    priors: Floats
    given: Ints
    """[edges of the largest node]: scratch."""
    choices: Ints
    """[roles]: scratch."""
    tally: Ints
    """[2]: items and leaves of this round."""


ITEMS, LEAVES = range(2)


@inlined
def write_path(selection: SelectionRound, item: int, nodes: Ints, places: Ints) -> int:
    """Write the path to an item, from the root down; return its length."""
    length = selection.item_depth[item]
    for level in range(length - 1, -1, -1):
        places[level] = selection.item_place[item]
        item = selection.item_parent[item]
        nodes[level] = selection.item_node[item]
    return int(length)


@compiled
def read_leaf(tree: Tree, selection: SelectionRound, leaf: int, joint: Ints) -> int:
    """Write the path and the joint move [roles] of a leaf; return the length of the path."""
    length = write_path(selection, selection.leaf_item[leaf], selection.path_nodes, selection.path_places)
    write_joint(tree, selection.path_nodes[length - 1], selection.path_places[length - 1], joint)
    return length


@inlined
def _add_item(selection: SelectionRound, node: int, count: int, parent: int, place: int) -> int:
    item = selection.tally[ITEMS]
    selection.tally[ITEMS] = item + 1
    selection.item_node[item] = node
    selection.item_count[item] = count
    selection.item_parent[item] = parent
    selection.item_place[item] = place
    selection.item_depth[item] = selection.item_depth[parent] + 1 if item else 0
    return int(item)


@compiled
def select_leaves(tree: Tree, selection: SelectionRound, options: MctsOptions, count: int) -> int:
    """Hand out `count` iterations from the root; return the number of leaves that they end in."""
    tree, selection = borrowed(tree), borrowed(selection)
    ints = tree.ints
    selection.tally[ITEMS] = 0
    selection.tally[LEAVES] = 0
    tree.counters[ITERATIONS] += count
    _add_item(selection, tree.counters[ROOT], count, 0, NO_EDGE)
    item = 0
    while item < selection.tally[ITEMS]:
        node, given = selection.item_node[item], selection.item_count[item]
        if node == LEAF:
            pass
        elif ints[2 * node + STATE] == PROVEN:
            _back_up_proven(tree, selection, options, item, node, given)
        else:
            ints[2 * node + VISITS] += given
            mover = ints[2 * node + MOVER]
            if mover == SIMULTANEOUS:
                _select_jointly(tree, selection, options, item)
            elif mover == tree.chance:
                _sample_chance(tree, selection, options, item)
            else:
                _select_by_bound(tree, selection, options, item)
        item += 1
    return int(selection.tally[LEAVES])


@inlined
def _back_up_proven(
    tree: Tree, selection: SelectionRound, options: MctsOptions, item: int, proven: int, count: int
) -> None:
    """Back up the iterations that came to a proven node."""
    nodes, places = selection.path_nodes, selection.path_places
    length = write_path(selection, item, nodes, places)
    if length and child_of(tree, nodes[length - 1], places[length - 1]) > PROVEN_LINK:
        prove(tree, nodes, places, length, proven)
    for role in range(len(tree.value)):
        tree.value[role] = tree.floats[proven + tree.values_at + role]
    if tree.priors != NO_PRIORS:
        record_path(tree, nodes, places, length, tree.value, count)
    back_up(tree, nodes, places, length, tree.value, count, options.regret)


@inlined
def _take_edge(
    tree: Tree, selection: SelectionRound, options: MctsOptions, item: int, place: int, count: int, visits: int
) -> None:
    """Lead `count` iterations along an edge or joint, which has `visits` visits with them."""
    node = selection.item_node[item]
    child = child_of(tree, node, place)
    depth = selection.item_depth[item] + 1
    tree.counters[DEEPEST] = max(tree.counters[DEEPEST], depth)
    if child <= PROVEN_LINK:
        # The proven node is credited when its item is reached; by then it cannot have become less.
        _add_item(selection, proven_link(child), count, item, place)
    elif child >= 0 and depth < options.max_depth:
        _add_item(selection, child, count, item, place)
    else:
        end = _add_item(selection, LEAF, count, item, place)
        leaf = selection.tally[LEAVES]
        selection.tally[LEAVES] = leaf + 1
        selection.leaf_item[leaf] = end
        expands = child == NO_CHILD and visits >= options.expand_at
        selection.leaf_expands[leaf] = expands
        if expands:
            set_child(tree, node, place, PENDING)


@inlined
def _bound_width(tree: Tree, node: int, exploration: float) -> float:
    """Return the width of the confidence bounds of a node's edges for a single visit."""
    return float(exploration * np.sqrt(np.log(tree.ints[2 * node + VISITS] + 1.0)))


@inlined
def _write_bounds(tree: Tree, node: int, first: int, last: int, scale: float, selection: SelectionRound) -> None:
    """Write the upper confidence bounds of a role's edges: unvisited ones come first, proven ones never."""
    edges, at, bounds = tree.ints[2 * node + EDGES], visits_at(tree, node), selection.bounds
    sums = tree.floats[node + tree.sums_at + first : node + tree.sums_at + last]
    visits = tree.ints[at + first : at + last]
    children = tree.ints[at + edges + first : at + edges + last]
    if tree.priors != NO_PRIORS:
        write_priors(tree, node, first, last, selection.priors)
        for edge in range(len(visits)):
            bound = informed_bound(tree, sums[edge], visits[edge], selection.priors[edge], scale)
            bounds[edge] = bound if children[edge] > PROVEN_LINK else NEVER
        return
    for edge in range(len(visits)):
        inverse = 1.0 / max(np.float64(visits[edge]), NEARLY_NONE)
        bound = sums[edge] * inverse + scale * np.sqrt(inverse)
        bounds[edge] = bound if children[edge] > PROVEN_LINK else NEVER


@inlined
def _select_by_bound(tree: Tree, selection: SelectionRound, options: MctsOptions, item: int) -> None:
    """Select for one role, by upper confidence bounds (UCB1)."""
    ints, floats, bounds, given = tree.ints, tree.floats, selection.bounds, selection.given
    node, left = selection.item_node[item], selection.item_count[item]
    mover = ints[2 * node + MOVER]
    first, last = ints[2 * (node + HEADER) + mover], ints[2 * (node + HEADER) + mover + 1]
    sums = node + tree.sums_at + first
    visits = visits_at(tree, node) + first
    scale = _bound_width(tree, node, options.exploration)
    count = last - first
    _write_bounds(tree, node, first, last, scale, selection)
    least = options.portion if tree.counters[ITERATIONS] > options.portion_from else 1
    if left <= least:
        best = _argmax(bounds, count)
        ints[visits + best] += left
        _take_edge(tree, selection, options, item, first + best, left, ints[visits + best])
        return
    for edge in range(count):
        given[edge] = 0
    while left > 0:
        best = _argmax(bounds, count)
        portion = min(left, max(least, left // PORTIONS))
        left -= portion
        given[best] += portion
        ints[visits + best] += portion
        if tree.priors != NO_PRIORS:
            prior = selection.priors[best]
            bounds[best] = informed_bound(tree, floats[sums + best], ints[visits + best], prior, scale)
        else:
            inverse = 1.0 / ints[visits + best]
            bounds[best] = floats[sums + best] * inverse + scale * np.sqrt(inverse)
    for edge in range(count):
        if given[edge] > 0:
            _take_edge(tree, selection, options, item, first + edge, given[edge], ints[visits + edge])


@inlined
def _argmax(bounds: Floats, count: int) -> int:
    best, highest = 0, bounds[0]
    for edge in range(1, count):
        if bounds[edge] > highest:
            best, highest = edge, bounds[edge]
    return best


@inlined
def _sample_chance(tree: Tree, selection: SelectionRound, options: MctsOptions, item: int) -> None:
    """Sample the moves of chance, uniformly."""
    ints, given = tree.ints, selection.given
    node = selection.item_node[item]
    first, last = ints[2 * (node + HEADER) + tree.chance], ints[2 * (node + HEADER) + tree.chance + 1]
    visits = visits_at(tree, node)
    for edge in range(first, last):
        given[edge] = 0
    for _ in range(selection.item_count[item]):
        edge = first + random_below(tree, last - first)
        given[edge] += 1
        ints[visits + edge] += 1
    for edge in range(first, last):
        if given[edge] > 0:
            _take_edge(tree, selection, options, item, edge, given[edge], ints[visits + edge])


@inlined
def _select_jointly(tree: Tree, selection: SelectionRound, options: MctsOptions, item: int) -> None:
    """Select for each role by itself, where several move at the same time (decoupled UCT or regret matching)."""
    ints, choices = tree.ints, selection.choices
    node, left = selection.item_node[item], selection.item_count[item]
    starts, visits = 2 * (node + HEADER), visits_at(tree, node)
    while left > 0:
        portion = max(1, left // PORTIONS)
        for role in range(len(choices)):
            first, last = ints[starts + role], ints[starts + role + 1]
            if last - first == 1:
                choices[role] = first
            elif role == tree.chance:
                choices[role] = first + random_below(tree, last - first)
                portion = 1
            elif options.regret:
                choices[role] = _match_regrets(tree, node, first, last, options.mixing)
                portion = 1
            else:
                scale = _bound_width(tree, node, options.exploration)
                _write_bounds(tree, node, first, last, scale, selection)
                choices[role] = first + _argmax(selection.bounds, last - first)
        left -= portion
        joint = add_joint(tree, node, choices)
        if joint == NO_CHILD:
            continue
        for role in range(len(choices)):
            ints[visits + choices[role]] += portion
        _take_edge(tree, selection, options, item, joint, portion, ints[2 * joint + JOINT_VISITS] + portion)


@inlined
def _match_regrets(tree: Tree, node: int, first: int, last: int, mixing: float) -> int:
    """Sample an edge in proportion to the positive regrets; with probability `mixing`, or if there are none, any."""
    sums = node + tree.sums_at
    total = 0.0
    for edge in range(first, last):
        total += max(0.0, tree.floats[sums + edge])
    draw = (random_word(tree) >> np.uint64(11)) * 2.0**-53
    if total <= 0.0 or draw < mixing:
        return first + random_below(tree, last - first)
    rest = (draw - mixing) / (1.0 - mixing) * total
    for edge in range(first, last):
        rest -= max(0.0, tree.floats[sums + edge])
        if rest < 0.0:
            return edge
    return last - 1
