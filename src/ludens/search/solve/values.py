"""The values of all states of a graph, by what kind of game it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.search.solve.graph import StateGraph
from ludens.search.solve.induction_kernel import (
    CHANCE,
    TINY,
    InductionTables,
    InductionWorkspace,
    Values,
    back_up_all,
    order_states,
)
from ludens.search.solve.limits import SolveBudget
from ludens.search.solve.retrograde_kernel import ANYBODY, attract, reverse_edges
from ludens.search.solve.sides import GraphSides

PIECE = 1 << 18
"""States that are valued between two looks at the clock."""
CONVERGED = 1e-13
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Valued:
    """A graph with the values of its states."""

    graph: StateGraph
    sides: GraphSides
    game: InductionTables
    known: Values
    workspace: InductionWorkspace
    method: str
    endless: bool = False
    """Whether nobody can force an end from the start."""


def value_graph(graph: StateGraph, budget: SolveBudget) -> Valued:
    """Values of all states; NaN where there are none.

    Without circles it is backward induction. With circles, two sides of a constant sum (or one) are needed: by
    retrograde analysis if they take turns without chance, and if not by value iteration.
    """
    sides = GraphSides.of(graph)
    game, known, workspace = _tables(graph, sides)
    order = np.zeros(graph.size, np.int64)
    budget.checkpoint("ordering states")
    if order_states(game.edge_starts, game.edges, order):
        _sweep(game, known, workspace, order, budget)
        return Valued(graph, sides, game, known, workspace, "backward induction")
    if not sides.constant_sum:
        known.values[:], known.distances[:] = np.nan, np.nan
        return Valued(graph, sides, game, known, workspace, "none")
    movers = _movers(graph, sides)
    if movers is not None:
        endless = _analyse_backwards(graph, sides, movers, known, budget)
        return Valued(graph, sides, game, known, workspace, "retrograde analysis", endless)
    endless = _iterate(game, sides, known, workspace, order, budget)
    return Valued(graph, sides, game, known, workspace, "value iteration", endless)


def _sweep(
    game: InductionTables, known: Values, workspace: InductionWorkspace, order: Longs, budget: SolveBudget
) -> float:
    """Value every state once, by the states after it; the greatest change."""
    change = 0.0
    for first in range(0, len(order), PIECE):
        change = max(change, back_up_all(game, known, workspace, order, first, min(first + PIECE, len(order))))
        budget.checkpoint("valuing states")
    return change


def _tables(graph: StateGraph, sides: GraphSides) -> tuple[InductionTables, Values, InductionWorkspace]:
    store, size = graph.store, graph.size
    edge_starts = graph.edge_starts[: size + 1]
    game = InductionTables(
        edge_starts=edge_starts,
        edges=graph.edges[: edge_starts[-1]],
        ends=store.ends[:size],
        choices=store.choices[:size],
        side_of=sides.of_roles,
        constant_sum=sides.constant_sum,
        middle=sides.middle(),
        most=sides.end_values.max(axis=0, initial=-1.0),
    )
    known = Values(np.zeros((size, sides.count)), np.zeros(size), np.zeros(size, np.bool_))
    known.values[game.ends] = sides.end_values
    options = int(np.diff(edge_starts).max())
    workspace = InductionWorkspace(
        values=np.zeros((options, sides.count)),
        distances=np.zeros(options),
        several=np.zeros(options, np.bool_),
        counts=np.zeros(sides.count, np.int64),
        strategies=np.zeros((sides.count, options)),
        kept=np.zeros((sides.count, options), np.bool_),
        choosers=np.zeros(sides.count, np.int64),
    )
    return game, known, workspace


def _movers(graph: StateGraph, sides: GraphSides) -> Ints | None:
    """[states]: the active side that has a choice, 0 or 1, or ANYBODY; None if chance, or both at once, have one."""
    movers = np.full(graph.size, ANYBODY, np.int32)
    for role, side in enumerate(sides.of_roles.tolist()):
        chooses = graph.store.choices[: graph.size, role] > 1
        if side == CHANCE and chooses.any():
            return None
        if chooses.any():
            place = sides.active.index(side)
            if (chooses & (movers != ANYBODY) & (movers != place)).any():
                return None
            movers[chooses] = place
    return movers


def _analyse_backwards(graph: StateGraph, sides: GraphSides, movers: Ints, known: Values, budget: SolveBudget) -> bool:
    """Retrograde analysis; whether the start has no end that is forced.

    Ends that are better than playing on for ever are taken from the best down: the first side can force one of them
    from all states that `attract` finds. So for the second side with the ends that are worse. What is left over is
    worth as much as playing on for ever, and is settled if each side alone can force such an end.
    """
    size, draw = graph.size, sides.endless_value
    starts, parents = np.zeros(size + 1, np.int64), np.zeros(len(graph.edges), np.int32)
    edge_starts = graph.edge_starts[: size + 1]
    edges = graph.edges[: edge_starts[-1]]
    budget.checkpoint("reversing moves")
    reverse_edges(edge_starts, edges, starts, parents)
    ends = np.flatnonzero(graph.store.ends[:size]).astype(np.int32)
    first = sides.active[0] if sides.active else 0
    goals = sides.end_values[:, first]
    worth = np.full(size, draw)
    distances = np.full(size, -1, np.int32)
    left = np.diff(edge_starts).astype(np.int32)
    queue = np.zeros(size, np.int32)

    def reach(value: float, side: int, distances: Ints, left: Ints) -> Ints:
        reached = ends[goals == value]
        distances[reached] = 0
        budget.checkpoint("valuing states")
        return queue[: attract(starts, parents, movers, side, reached, distances, left, queue)]

    values = np.unique(goals).tolist()
    for side, some in ((0, [v for v in reversed(values) if v > draw]), (1, [v for v in values if v < draw])):
        for value in some:
            worth[reach(value, side, distances, left)] = value
    forced = [distances.copy(), distances.copy()]
    for side, own in enumerate(forced):
        reach(draw, side, own, left.copy())
    reach(draw, ANYBODY, distances, left)

    known.values[:] = np.nan
    known.values[:, first] = worth
    for other in sides.active[1:]:
        known.values[:, other] = (sides.total or 0.0) - worth
    known.values[ends] = sides.end_values
    known.distances[:] = np.where(distances < 0, np.inf, distances)
    return any(own[0] < 0 for own in forced)


def _iterate(
    game: InductionTables,
    sides: GraphSides,
    known: Values,
    workspace: InductionWorkspace,
    order: Longs,
    budget: SolveBudget,
) -> bool:
    """Value iteration from below and from above; whether these do not meet at the start.

    Each sweep gives bounds that are certain: playing on for ever counts as the worst, or as the best, for the first
    side. One side alone has nothing from playing on, so that only the lower bound counts for it.
    """
    first = sides.active[0] if sides.active else 0
    low, high = sides.end_values[:, first].min(initial=100.0), sides.end_values[:, first].max(initial=0.0)
    upper = Values(known.values.copy(), known.distances.copy(), known.several.copy())
    for bound, value in ((known, low), (upper, high)):
        bound.values[~game.ends] = value
        for other in sides.active[1:]:
            bound.values[~game.ends, other] = (sides.total or 0.0) - value
    two_sides = sides.total is not None
    change = np.inf
    while change > CONVERGED and upper.values[0, first] - known.values[0, first] > TINY:
        change = _sweep(game, known, workspace, order, budget)
        if two_sides:
            change = max(change, _sweep(game, upper, workspace, order, budget))
    known.distances[~game.ends] = np.nan
    return bool(two_sides and upper.values[0, first] - known.values[0, first] > TINY)
