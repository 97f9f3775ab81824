"""From the ends back to the start: what each state is worth to each side when everybody plays the best way.

A side is some roles that always get the same goals, and moves as one. An option of a state is one joint move of all
sides, whatever chance does; options are numbered with the last side running fastest. How they are valued:

- one side has a choice: it takes what is best for itself;
- two sides of a constant sum choose at the same time: the equilibrium of the matrix game;
- other sides choose at the same time: moves that are strictly dominated are left out, again and again. If the options
  that remain are all the same, that is the value; if not, there is none, and the value is NaN.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.runtime.jit import compiled, inlined
from ludens.search.matrix_kernel import solve_matrix

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

TINY = 1e-9
"""Values that differ by less are equal."""
CHANCE = -1
NEW, OPEN, DONE = 0, 1, 2
NONE, MIXED = -1, -2


class InductionTables(NamedTuple):
    """The graph of a game and the sides, as arrays."""

    edge_starts: Longs
    """[states + 1]"""
    edges: Ints
    ends: Bools
    """[states]"""
    choices: Ints
    """[states, roles]: how many legal moves each role has."""
    side_of: Longs
    """[roles]: the side of each role, or CHANCE."""
    constant_sum: bool
    """Whether what one of the sides that ever have a choice wins is what the other one loses."""
    middle: Floats
    """[sides]: with more than this a side is in a hurry, with less it plays for time."""
    most: Floats
    """[sides]: the best that each can get at any end."""


class Values(NamedTuple):
    """What is known about each state."""

    values: Floats
    """[states, sides]: NaN where there is no value."""
    distances: Floats
    """[states]: how many joint moves it takes to the end, on average if chance takes part."""
    several: Bools
    """[states]: whether another choice among equals, here or later, gives somebody another value."""


class InductionWorkspace(NamedTuple):
    """The workspace of one state."""

    values: Floats
    """[options, sides]"""
    distances: Floats
    """[options]"""
    several: Bools
    """[options]"""
    counts: Longs
    """[sides]: how many joint moves each side has."""
    strategies: Floats
    """[sides, joint moves]: how probable each is; NaN if there is no value."""
    kept: Bools
    """[sides, joint moves]: which ones are not dominated."""
    choosers: Longs
    """[sides]: the sides that have a choice come first."""


@compiled
def order_states(edge_starts: Longs, edges: Ints, order: Longs) -> bool:
    """Write all states so that what follows a state comes before it; return False if play can go round in circles.

    Even then what follows mostly comes first.
    """
    states = len(order)
    marks = np.zeros(states, np.uint8)
    path = np.zeros(states, np.int32)
    places = edge_starts[:states].copy()
    acyclic = True
    depth, done = 0, 0
    path[0], marks[0] = 0, OPEN
    while depth >= 0:
        state = path[depth]
        if places[state] == edge_starts[state + 1]:
            marks[state] = DONE
            order[done] = state
            done += 1
            depth -= 1
            continue
        child = edges[places[state]]
        places[state] += 1
        if marks[child] == NEW:
            marks[child] = OPEN
            depth += 1
            path[depth] = child
        elif marks[child] == OPEN:
            acyclic = False
    return acyclic


@inlined
def _option_of(game: InductionTables, workspace: InductionWorkspace, state: int, joint: int) -> int:
    """Return the option that a joint move of all roles, chance included, belongs to."""
    roles = game.choices.shape[1]
    option = 0
    for side in range(len(workspace.counts)):
        own, weight, rest = 0, 1, joint
        for role in range(roles - 1, -1, -1):
            count = game.choices[state, role]
            if game.side_of[role] == side:
                own += weight * (rest % count)
                weight *= count
            rest //= count
        option = option * workspace.counts[side] + own
    return option


@inlined
def _lay_out_options(game: InductionTables, known: Values, workspace: InductionWorkspace, state: int) -> int:
    """Value the options by the states after them, by their mean where chance takes part; return their number."""
    # 1. How many joint moves each side has.
    roles, sides = game.choices.shape[1], len(workspace.counts)
    for side in range(sides):
        workspace.counts[side] = 1
    choosing_roles = 0
    for role in range(roles):
        choosing_roles += game.choices[state, role] > 1
        if game.side_of[role] != CHANCE:
            workspace.counts[game.side_of[role]] *= game.choices[state, role]
    options = 1
    for side in range(sides):
        options *= workspace.counts[side]

    # 2. Each option is worth the mean of its joint moves.
    first, last = game.edge_starts[state], game.edge_starts[state + 1]
    share = options / (last - first)
    for option in range(options):
        for side in range(sides):
            workspace.values[option, side] = 0.0
        workspace.distances[option] = 1.0
        workspace.several[option] = False
    for edge in range(first, last):
        option = edge - first
        if options < last - first or choosing_roles > 1:
            option = _option_of(game, workspace, state, edge - first)
        child = game.edges[edge]
        for side in range(sides):
            workspace.values[option, side] += share * known.values[child, side]
        workspace.distances[option] += share * known.distances[child]
        workspace.several[option] |= known.several[child]
    return options


@inlined
def _play_surely(workspace: InductionWorkspace, option: int) -> None:
    """Each side makes just its move of an option."""
    for side in range(len(workspace.counts) - 1, -1, -1):
        own, option = option % workspace.counts[side], option // workspace.counts[side]
        for move in range(workspace.counts[side]):
            workspace.strategies[side, move] = 1.0 if move == own else 0.0


@inlined
def _is_better(game: InductionTables, workspace: InductionWorkspace, side: int, option: int, best: int) -> bool:
    """Return whether a side prefers an option: the higher value, then the quicker win or the slower loss."""
    value, gain = workspace.values[option, side], workspace.values[option, side] - workspace.values[best, side]
    saved = workspace.distances[best] - workspace.distances[option]
    if abs(gain) <= TINY:
        gain = -saved if value < game.middle[side] - TINY else saved
    return bool(gain > TINY)


@inlined
def _differ(workspace: InductionWorkspace, option: int, other: int) -> bool:
    """Return whether somebody gets more by one of two options than by the other."""
    different = False
    for side in range(len(workspace.counts)):
        different |= abs(workspace.values[option, side] - workspace.values[other, side]) > TINY
    return different


@inlined
def _best_option(game: InductionTables, workspace: InductionWorkspace, options: int, side: int) -> int:
    """The option that a side takes for itself; `options` if it cannot tell, as one without a value may be better."""
    best, unknown = options, False
    for option in range(options):
        if np.isnan(workspace.values[option, side]):
            unknown = True
        elif best == options or _is_better(game, workspace, side, option, best):
            best = option
    if best == options or (unknown and workspace.values[best, side] < game.most[side] - TINY):
        return options
    # Another choice later may make a worse option as good as the best, unless values of sides that choose are certain.
    for option in range(options):
        tied = abs(workspace.values[option, side] - workspace.values[best, side]) <= TINY
        workspace.several[best] |= workspace.several[option] and (tied or not game.constant_sum)
        workspace.several[best] |= tied and _differ(workspace, option, best)
    return best


@inlined
def _is_kept(workspace: InductionWorkspace, option: int) -> bool:
    kept = True
    for side in range(len(workspace.counts) - 1, -1, -1):
        kept &= workspace.kept[side, option % workspace.counts[side]]
        option //= workspace.counts[side]
    return kept


@inlined
def _is_dominated(workspace: InductionWorkspace, options: int, side: int, own: int, stride: int) -> bool:
    """Return whether another move of the side is better for it than its own, whatever the others do."""
    count = workspace.counts[side]
    dominated = False
    for other in range(count):
        better = other != own and workspace.kept[side, other] and not dominated
        for rest in range(options // count):
            if not better:
                break
            option = (rest // stride * count + own) * stride + rest % stride
            if _is_kept(workspace, option):
                better = workspace.values[option + (other - own) * stride, side] > workspace.values[option, side] + TINY
        dominated |= better
    return dominated


@inlined
def _undominated_option(workspace: InductionWorkspace, options: int) -> int:
    """Drop dominated moves; return the first of the options left if these are all the same, else `options`."""
    sides = len(workspace.counts)
    for side in range(sides):
        for own in range(workspace.counts[side]):
            workspace.kept[side, own] = True
    changed = True
    while changed:
        changed = False
        stride = options
        for side in range(sides):
            stride //= workspace.counts[side]
            for own in range(workspace.counts[side]):
                if workspace.kept[side, own] and _is_dominated(workspace, options, side, own, stride):
                    workspace.kept[side, own] = False
                    changed = True
    first, same = options, True
    for option in range(options):
        if _is_kept(workspace, option):
            first = min(first, option)
            same &= not np.isnan(workspace.values[option, 0]) and not _differ(workspace, option, first)
    return first if same else options


@inlined
def _mix(known: Values, workspace: InductionWorkspace, state: int) -> int:
    """Write the equilibrium of two sides; return the option it comes to, or MIXED."""
    first, second = workspace.choosers[0], workspace.choosers[1]
    rows, columns = workspace.counts[first], workspace.counts[second]
    payoffs = np.empty((rows, columns))
    for option in range(rows * columns):
        payoffs[option // columns, option % columns] = workspace.values[option, first]
    equilibrium = solve_matrix(payoffs)
    for row in range(rows):
        workspace.strategies[first, row] = equilibrium.row_strategy[row]
    for column in range(columns):
        workspace.strategies[second, column] = equilibrium.column_strategy[column]
    for side in range(len(workspace.counts)):
        known.values[state, side] = 0.0
    known.distances[state] = 0.0
    known.several[state] = False
    used, last = 0, 0
    for option in range(rows * columns):
        weight = workspace.strategies[first, option // columns] * workspace.strategies[second, option % columns]
        if weight > 0:
            used += 1
            last = option
            known.distances[state] += weight * workspace.distances[option]
            known.several[state] |= workspace.several[option]
            for side in range(len(workspace.counts)):
                known.values[state, side] += weight * workspace.values[option, side]
    known.values[state, first] = equilibrium.value
    return last if used == 1 else MIXED


@compiled
def back_up(game: InductionTables, known: Values, workspace: InductionWorkspace, state: int) -> int:
    """Value a state by those after it; return the option taken, MIXED if sides mix, NONE if there is no value."""
    # 1. What can be chosen, and by whom.
    options = _lay_out_options(game, known, workspace, state)
    sides = len(workspace.counts)
    choosing = 0
    for side in range(sides):
        workspace.strategies[side, 0] = 1.0
        if workspace.counts[side] > 1:
            workspace.choosers[choosing] = side
            choosing += 1

    # 2. The option that is taken.
    if choosing == 2 and game.constant_sum:
        return _mix(known, workspace, state)
    chosen = options - 1
    if choosing == 1:
        chosen = _best_option(game, workspace, options, workspace.choosers[0])
    elif choosing > 1:
        chosen = _undominated_option(workspace, options)

    # 3. It gives the state its value.
    settled = chosen < options
    for side in range(sides):
        known.values[state, side] = workspace.values[chosen, side] if settled else np.nan
    known.distances[state] = workspace.distances[chosen] if settled else np.nan
    known.several[state] = settled and workspace.several[chosen]
    if not settled:
        for side in range(sides):
            for move in range(workspace.counts[side]):
                workspace.strategies[side, move] = np.nan
        return NONE
    _play_surely(workspace, chosen)
    return chosen


@compiled
def back_up_all(
    game: InductionTables, known: Values, workspace: InductionWorkspace, order: Longs, first: int, last: int
) -> float:
    """Value the states of a part of the order that are no ends; return the greatest change of a value."""
    change = 0.0
    before = np.zeros(known.values.shape[1])
    for place in range(first, last):
        state = int(order[place])
        if not game.ends[state]:
            for side in range(len(before)):
                before[side] = known.values[state, side]
            back_up(game, known, workspace, state)
            for side in range(len(before)):
                change = max(change, abs(known.values[state, side] - before[side]))
    return change
