"""Where to search on: a number of descents is handed out over the tree at once, level by level.

At each node the descents are given to its edges in portions, always to the edge with the best upper confidence bound,
in which descents that were begun count as visits without value. So hundreds of them spread over the tree at the cost
of few walks. A descent ends at an edge without a child: that is a `job`, to be played out by as many lanes. One that
comes to a proven node is settled at once.

items    a node that descents come through in this round, and how many; its parent is the item above
jobs     edges at which descents ended
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.runtime.jit import borrowed, compiled, inlined
from ludens.search.mcts.backup_kernel import back_up, settle
from ludens.search.mcts.priors_kernel import informed_bound, note_path, write_priors
from ludens.search.mcts.tree_kernel import (
    AWAITED,
    DEEPEST,
    EDGES,
    HEADER,
    JOINT_VISITS,
    MOVER,
    NO_CHILD,
    NO_PRIORS,
    PROVEN,
    PROVEN_LINK,
    ROOT,
    SIMULTANEOUS,
    STATE,
    VISITED,
    VISITS,
    Floats,
    Ints,
    Tree,
    add_joint,
    child_of,
    hang,
    proven_link,
    random_below,
    random_word,
    visits_at,
    write_joint,
)

PORTIONS = 8
"""An edge gets at most this part of what is left at a time."""
NEARLY_NONE = 1e-9
"""Stands for no visits; it makes the bound higher than any other."""
NEVER = -1.0
NO_EDGE = -1
LEAF = -1


class Options(NamedTuple):
    """What decides where the search goes."""

    exploration: float
    expand_at: int
    """A child becomes a node of the tree when its edge has so many visits."""
    max_depth: int
    regret: bool
    mixing: float
    """With regret matching, the part of the choices that is made at random."""
    portion: int
    portion_from: int
    """After so many visits of the root, an edge gets at least `portion` descents at a time."""


class Descents(NamedTuple):
    """Room for one round."""

    item_node: Ints
    item_count: Ints
    item_parent: Ints
    item_place: Ints
    """[items]: the edge or joint of the parent's node that leads here."""
    item_depth: Ints
    job_item: Ints
    """[jobs]: the item (LEAF instead of a node) in which the descents end."""
    job_expands: NDArray[np.bool_]
    """[jobs]: whether one of the descents is to add the child to the tree."""
    job_group: Ints
    """[jobs]: for whoever works on them."""
    path_nodes: Ints
    path_places: Ints
    """[depth]: working room for one path."""
    bounds: Floats
    priors: Floats
    given: Ints
    """[edges of the largest node]: working room."""
    choices: Ints
    """[roles]: working room."""
    tally: Ints
    """[2]: items and jobs of this round."""


ITEMS, JOBS = range(2)


@inlined
def write_path(descents: Descents, item: int, nodes: Ints, places: Ints) -> int:
    """The path to an item, from the root down; its length."""
    length = descents.item_depth[item]
    for level in range(length - 1, -1, -1):
        places[level] = descents.item_place[item]
        item = descents.item_parent[item]
        nodes[level] = descents.item_node[item]
    return int(length)


@compiled
def read_job(tree: Tree, descents: Descents, job: int, joint: Ints) -> int:
    """Write the path and the joint move [roles] of a job; the length of the path."""
    length = write_path(descents, descents.job_item[job], descents.path_nodes, descents.path_places)
    write_joint(tree, descents.path_nodes[length - 1], descents.path_places[length - 1], joint)
    return length


@inlined
def _add_item(descents: Descents, node: int, count: int, parent: int, place: int) -> int:
    item = descents.tally[ITEMS]
    descents.tally[ITEMS] = item + 1
    descents.item_node[item] = node
    descents.item_count[item] = count
    descents.item_parent[item] = parent
    descents.item_place[item] = place
    descents.item_depth[item] = descents.item_depth[parent] + 1 if item else 0
    return int(item)


@compiled
def descend(tree: Tree, descents: Descents, options: Options, count: int) -> int:
    """Hand out so many descents from the root; the number of jobs that they end in."""
    tree, descents = borrowed(tree), borrowed(descents)
    ints = tree.ints
    descents.tally[ITEMS] = 0
    descents.tally[JOBS] = 0
    tree.counters[VISITED] += count
    _add_item(descents, tree.counters[ROOT], count, 0, NO_EDGE)
    item = 0
    while item < descents.tally[ITEMS]:
        node, given = descents.item_node[item], descents.item_count[item]
        if node == LEAF:
            pass
        elif ints[2 * node + STATE] == PROVEN:
            _credit(tree, descents, options, item, node, given)
        else:
            ints[2 * node + VISITS] += given
            mover = ints[2 * node + MOVER]
            if mover == SIMULTANEOUS:
                _spread_jointly(tree, descents, options, item)
            elif mover == tree.chance:
                _spread_by_chance(tree, descents, options, item)
            else:
                _spread(tree, descents, options, item)
        item += 1
    return int(descents.tally[JOBS])


@inlined
def _credit(tree: Tree, descents: Descents, options: Options, item: int, proven: int, count: int) -> None:
    """Descents came to a proven node: they are over."""
    nodes, places = descents.path_nodes, descents.path_places
    length = write_path(descents, item, nodes, places)
    if length and child_of(tree, nodes[length - 1], places[length - 1]) > PROVEN_LINK:
        settle(tree, nodes, places, length, proven)
    for role in range(len(tree.value)):
        tree.value[role] = tree.floats[proven + tree.values_at + role]
    if tree.priors != NO_PRIORS:
        note_path(tree, nodes, places, length, tree.value, count)
    back_up(tree, nodes, places, length, tree.value, count, options.regret)


@inlined
def _follow(tree: Tree, descents: Descents, options: Options, item: int, place: int, count: int, visits: int) -> None:
    """Descents take an edge or joint, which now has so many visits."""
    node = descents.item_node[item]
    child = child_of(tree, node, place)
    depth = descents.item_depth[item] + 1
    tree.counters[DEEPEST] = max(tree.counters[DEEPEST], depth)
    if child <= PROVEN_LINK:
        # The proven node is credited when its item is reached; by then it cannot have become less.
        _add_item(descents, proven_link(child), count, item, place)
    elif child >= 0 and depth < options.max_depth:
        _add_item(descents, child, count, item, place)
    else:
        leaf = _add_item(descents, LEAF, count, item, place)
        job = descents.tally[JOBS]
        descents.tally[JOBS] = job + 1
        descents.job_item[job] = leaf
        expands = child == NO_CHILD and visits >= options.expand_at
        descents.job_expands[job] = expands
        if expands:
            hang(tree, node, place, AWAITED)


@inlined
def _scale(tree: Tree, node: int, exploration: float) -> float:
    """How wide the confidence bounds of a node's edges are."""
    return float(exploration * np.sqrt(np.log(tree.ints[2 * node + VISITS] + 1.0)))


@inlined
def _write_bounds(tree: Tree, node: int, first: int, last: int, scale: float, descents: Descents) -> None:
    """The upper confidence bounds of a role's edges: what is unvisited comes first, what is proven never."""
    edges, at, bounds = tree.ints[2 * node + EDGES], visits_at(tree, node), descents.bounds
    sums = tree.floats[node + tree.sums_at + first : node + tree.sums_at + last]
    visits = tree.ints[at + first : at + last]
    children = tree.ints[at + edges + first : at + edges + last]
    if tree.priors != NO_PRIORS:
        write_priors(tree, node, first, last, descents.priors)
        for edge in range(len(visits)):
            bound = informed_bound(tree, sums[edge], visits[edge], descents.priors[edge], scale)
            bounds[edge] = bound if children[edge] > PROVEN_LINK else NEVER
        return
    for edge in range(len(visits)):
        inverse = 1.0 / max(np.float64(visits[edge]), NEARLY_NONE)
        bound = sums[edge] * inverse + scale * np.sqrt(inverse)
        bounds[edge] = bound if children[edge] > PROVEN_LINK else NEVER


@inlined
def _spread(tree: Tree, descents: Descents, options: Options, item: int) -> None:
    """One role chooses, by upper confidence bounds."""
    ints, floats, bounds, given = tree.ints, tree.floats, descents.bounds, descents.given
    node, left = descents.item_node[item], descents.item_count[item]
    mover = ints[2 * node + MOVER]
    first, last = ints[2 * (node + HEADER) + mover], ints[2 * (node + HEADER) + mover + 1]
    sums = node + tree.sums_at + first
    visits = visits_at(tree, node) + first
    scale = _scale(tree, node, options.exploration)
    count = last - first
    _write_bounds(tree, node, first, last, scale, descents)
    least = options.portion if tree.counters[VISITED] > options.portion_from else 1
    if left <= least:
        best = _argmax(bounds, count)
        ints[visits + best] += left
        _follow(tree, descents, options, item, first + best, left, ints[visits + best])
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
            prior = descents.priors[best]
            bounds[best] = informed_bound(tree, floats[sums + best], ints[visits + best], prior, scale)
        else:
            inverse = 1.0 / ints[visits + best]
            bounds[best] = floats[sums + best] * inverse + scale * np.sqrt(inverse)
    for edge in range(count):
        if given[edge] > 0:
            _follow(tree, descents, options, item, first + edge, given[edge], ints[visits + edge])


@inlined
def _argmax(bounds: Floats, count: int) -> int:
    best, highest = 0, bounds[0]
    for edge in range(1, count):
        if bounds[edge] > highest:
            best, highest = edge, bounds[edge]
    return best


@inlined
def _spread_by_chance(tree: Tree, descents: Descents, options: Options, item: int) -> None:
    """Chance chooses, uniformly."""
    ints, given = tree.ints, descents.given
    node = descents.item_node[item]
    first, last = ints[2 * (node + HEADER) + tree.chance], ints[2 * (node + HEADER) + tree.chance + 1]
    visits = visits_at(tree, node)
    for edge in range(first, last):
        given[edge] = 0
    for _ in range(descents.item_count[item]):
        edge = first + random_below(tree, last - first)
        given[edge] += 1
        ints[visits + edge] += 1
    for edge in range(first, last):
        if given[edge] > 0:
            _follow(tree, descents, options, item, edge, given[edge], ints[visits + edge])


@inlined
def _spread_jointly(tree: Tree, descents: Descents, options: Options, item: int) -> None:
    """Each role chooses by itself."""
    ints, choices = tree.ints, descents.choices
    node, left = descents.item_node[item], descents.item_count[item]
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
                choices[role] = _matched(tree, node, first, last, options.mixing)
                portion = 1
            else:
                scale = _scale(tree, node, options.exploration)
                _write_bounds(tree, node, first, last, scale, descents)
                choices[role] = first + _argmax(descents.bounds, last - first)
        left -= portion
        joint = add_joint(tree, node, choices)
        if joint == NO_CHILD:
            continue
        for role in range(len(choices)):
            ints[visits + choices[role]] += portion
        _follow(tree, descents, options, item, joint, portion, ints[2 * joint + JOINT_VISITS] + portion)


@inlined
def _matched(tree: Tree, node: int, first: int, last: int, mixing: float) -> int:
    """A choice in proportion to the positive regrets; with probability `mixing`, or if there are none, any."""
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
