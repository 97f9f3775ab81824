"""Puzzles: one role and no chance. The shortest way to the best end, breadth first.

A puzzle often counts its steps and ends at a limit, and with the count in the state the same position is a new state
at every step. The count can be left out of what tells states apart if all it does is to end the game when it comes to
n (`StepCounter.ends_at`). Then, with r steps left at the start:

- A position found first at distance d is reached by no shorter way, and what follows it depends on the count only by
  how many steps are left, of which an earlier visit leaves more. So the ends at a distance of less than r are found at
  their shortest distance although a position is expanded only once.
- What is missed are ends by the limit: positions where a way of exactly r steps leads that were found before. They
  take r steps, as many as any play has, so none of them is a shorter way to the same goal.

Hence an end with the highest goal that the rules know, once found, is found with the fewest steps. If none is found,
an end by the limit may still be better than what was found, and the search is made again with the whole state.
"""

from __future__ import annotations

import numpy as np

from ludens.analysis.counters import step_counter
from ludens.core import Move, Role
from ludens.engines.base import UNKNOWN_GOAL
from ludens.engines.rows import Rows
from ludens.search.solve.graph import StateGraph
from ludens.search.solve.limits import SolveBudget
from ludens.search.solve.solution import MoveValue, Solution
from ludens.search.view import GameView

METHOD = "breadth-first search"


def solve_puzzle(view: GameView, start: Rows, budget: SolveBudget) -> Solution:
    wanted = _highest_goal(view)
    key = _key_without_counter(view, start)
    graph = StateGraph(view, start, budget, key)
    best = _best_end(graph, wanted)
    if key is not None and (best is None or _goal(graph, best) < wanted):
        graph = StateGraph(view, start, budget)
        best = _best_end(graph, wanted)
    role = view.roles[0]
    return Solution(
        outcome="endless" if best is None else "solved",
        method=METHOD,
        states=graph.size,
        depth=graph.depth,
        seconds=budget.seconds,
        values={role: None if best is None else _goal(graph, best)},
        distance=None if best is None else float(graph.depth_of(best)),
        pv=() if best is None else _pv(graph, best),
    )


def _best_end(graph: StateGraph, wanted: float) -> int | None:
    """Return the first end with the highest goal; the search is over as soon as one gives what is wanted."""
    best = 0 if graph.store.ends[0] else None
    for first, last in graph.grow(keep_edges=False):
        goals = np.where(graph.store.ends[first:last], graph.store.goals[first:last, 0].astype(np.float64), -2.0)
        goals[goals == -1] = UNKNOWN_GOAL
        if last > first and goals.max() >= 0 and (best is None or goals.max() > _goal(graph, best)):
            best = first + int(goals.argmax())
            if goals.max() >= wanted:
                break
    return best


def _goal(graph: StateGraph, state: int) -> float:
    goal = float(graph.store.goals[state, 0])
    return UNKNOWN_GOAL if goal < 0 else goal


def _highest_goal(view: GameView) -> float:
    """Return the best that the rules can give, as far as that is known."""
    circuit = view.engine.circuit
    return 100.0 if circuit is None else float(max(UNKNOWN_GOAL, *circuit.goal_values.tolist(), 0))


def _key_without_counter(view: GameView, start: Rows) -> Rows | None:
    """Return the bits that tell positions apart, if the step counter may be left out."""
    counter = step_counter(view.engine.circuit) if view.engine.circuit else None
    if counter is None or counter.ends_at is None:
        return None
    count = counter.count(start[0])
    return None if count is None or count > counter.ends_at else ~counter.mask


def _pv(graph: StateGraph, end: int) -> tuple[dict[Role, Move], ...]:
    """Return the moves from the start to an end, by the states from which each was found first."""
    path = [end]
    while path[-1]:
        path.append(int(graph.store.parents[path[-1]]))
    path.reverse()
    rows = graph.store.rows[path]
    view, key = graph.view, graph.store.key
    legal = view.engine.look(rows)
    pv = []
    for place in range(len(path) - 1):
        moves = legal.legal(place, 0)
        before = np.repeat(rows[place : place + 1], len(moves), axis=0)
        after = view.engine.expand(before, moves[:, np.newaxis]).rows
        chosen = int(np.flatnonzero(((after ^ rows[place + 1]) & key == 0).all(axis=1))[0])
        pv.append(view.joint(moves[chosen : chosen + 1]))
    return tuple(pv)


def puzzle_moves(view: GameView, start: Rows, budget: SolveBudget) -> tuple[MoveValue, ...]:
    """Return the value of each first move: what the puzzle after it comes to."""
    moves = view.engine.look(start).legal(0, 0)
    after = view.engine.expand(np.repeat(start, len(moves), axis=0), moves[:, np.newaxis])
    solutions = [solve_puzzle(view, after.rows[place : place + 1], budget) for place in range(len(moves))]
    best = max(_rank(solution) for solution in solutions)
    return tuple(
        MoveValue(
            role=view.roles[0],
            move=view.move(int(move)),
            values=solution.values,
            distance=None if solution.distance is None else solution.distance + 1,
            probability=float(place == [_rank(other) for other in solutions].index(best)),
        )
        for place, (move, solution) in enumerate(zip(moves, solutions, strict=True))
    )


def _rank(solution: Solution) -> tuple[float, float]:
    """Return the rank of an end, by its goal, then by the shortness of the way."""
    (value,) = solution.values.values()
    return (-1.0, 0.0) if value is None or solution.distance is None else (value, -solution.distance)
