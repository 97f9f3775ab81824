"""`solve`: the exact value of a game, or of an endgame, by looking at all that can happen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ludens.core import Role
from ludens.engines.base import UNKNOWN_GOAL
from ludens.engines.rows import Rows
from ludens.game import Game, State
from ludens.gdl.keywords import CHANCE
from ludens.gdl.rules import Rules
from ludens.runtime.deadline import Deadline
from ludens.search.base import check_open
from ludens.search.solve.graph import StateGraph
from ludens.search.solve.limits import LimitName, LimitReachedError, ProgressCallback, SolveBudget, SolveLimits
from ludens.search.solve.proof import AlphaBetaProof
from ludens.search.solve.puzzle import puzzle_moves, solve_puzzle
from ludens.search.solve.reading import move_values, named_values, principal_variation
from ludens.search.solve.solution import Outcome, Solution
from ludens.search.solve.values import Valued, value_graph
from ludens.search.view import GameView

GRAPH_SHARE = 0.5
"""The part of the time for finding all states, where alpha-beta may do without."""
MATCHING_PENNIES = """
(role a) (role b) (legal a heads) (legal a tails) (legal b heads) (legal b tails) (init open) (<= terminal (true over))
(<= (next over) (true open)) (<= (next same) (does a ?x) (does b ?x))
(<= (goal a 100) (true same)) (<= (goal a 0) (not (true same)))
(<= (goal b 0) (true same)) (<= (goal b 100) (not (true same)))
"""
WAITING = """
(role a) (role b) (legal a wait) (legal a stop) (legal b wait) (init open) (<= (next open) (does a wait))
(<= (next over) (does a stop)) (<= terminal (true over)) (goal a 100) (goal b 0)
"""
SWITCHES = """
(role a) (switch 1) (switch 2) (switch 3) (switch 4) (switch 5) (switch 6) (switch 7) (switch 8) (switch 9) (switch 10)
(switch 11) (switch 12) (switch 13) (<= (legal a (flip ?s)) (switch ?s))
(<= (next (on ?s)) (does a (flip ?s)) (not (true (on ?s)))) (<= (next (on ?s)) (true (on ?s)) (not (does a (flip ?s))))
(<= dark (switch ?s) (not (true (on ?s)))) (<= terminal (not dark)) (<= (goal a 100) (not dark)) (<= (goal a 0) dark)
"""
"""Enough states for the table to grow."""


def solve(
    state: State,
    limits: SolveLimits | None = None,
    progress: ProgressCallback | None = None,
    *,
    all_moves: bool = False,
) -> Solution:
    """Return what a state is worth to each role when everybody plays the best way.

    Each role wants the most for itself; among moves that are equal for it, it takes the quicker win, the slower loss,
    the shorter way to a draw, and then the first in the order of the legal moves. `all_moves`: tell the value of every
    first move of a puzzle too, which takes a search for each; of other games these are always known, unless the value
    comes from alpha-beta.

    All states are looked at. Where they are too many for the memory, or for half of the time, alpha-beta goes on
    within the same limits if there are two sides and one wins what the other loses; it proves no other games.

    >>> from ludens import load
    >>> solve(load("tictactoe").initial_state()).values
    {Role('x'): 50.0, Role('o'): 50.0}
    """
    limits = limits or SolveLimits()
    budget = SolveBudget(limits, progress)
    check_open(state)
    if not state.game.compile(budget.deadline, budget.report) and not state.game.engine_is_final:
        return _given_up(state.game.roles, budget, "seconds")
    view = GameView.of(state)
    proof = AlphaBetaProof(state, budget)
    solution = solve_position(view, view.row(state), budget, all_moves=all_moves, proof=proof)
    if solution.outcome == "unsolved":
        solution = proof.complete(solution)
    return replace(solution, seconds=budget.seconds)


def solve_position(
    view: GameView,
    row: Rows,
    budget: SolveBudget,
    *,
    all_moves: bool = False,
    proof: AlphaBetaProof | None = None,
) -> Solution:
    """The same for the state of a row, by its whole graph only; it is given up early if there is another proof."""
    try:
        if len(view.roles) > 1:
            return _solve_game(view, row, budget, proof)
        solution = solve_puzzle(view, row, budget)
        return replace(solution, moves=puzzle_moves(view, row, budget)) if all_moves else solution
    except LimitReachedError as reached:
        return _given_up(view.roles, budget, reached.limit)


def _given_up(roles: Sequence[Role], budget: SolveBudget, limit: LimitName) -> Solution:
    return Solution(
        outcome="unsolved",
        method="none",
        states=budget.states,
        depth=budget.depth,
        seconds=budget.seconds,
        values={role: None for role in roles if role.lower() != CHANCE},
        limit=limit,
    )


def _solve_game(view: GameView, row: Rows, budget: SolveBudget, proof: AlphaBetaProof | None) -> Solution:
    early = Deadline(GRAPH_SHARE * budget.deadline.remaining)
    graph = StateGraph(view, row, budget)
    for _ in graph.grow(keep_edges=True):
        if early.passed and proof is not None and proof.is_possible:
            raise LimitReachedError("seconds")
    valued = value_graph(graph, budget)
    pv = list(principal_variation(valued))
    values = named_values(view, valued.sides.of_roles, valued.known.values[0])
    outcome = _outcome(valued)
    if outcome != "solved":
        values, pv = dict.fromkeys(values), []
    last = pv[-1][0] if pv else 0
    if graph.store.ends[last]:
        for role, goal in zip(view.roles, graph.store.goals[last].tolist(), strict=True):
            if role in values and values[role] is None:
                values[role] = float(goal) if goal >= 0 else UNKNOWN_GOAL
    distance = float(valued.known.distances[0])
    return Solution(
        outcome=outcome,
        method=valued.method,
        states=graph.size,
        depth=graph.depth,
        seconds=budget.seconds,
        values=values,
        distance=distance if outcome == "solved" and np.isfinite(distance) else None,
        pv=tuple(joint for _, joint in pv),
        moves=move_values(valued),
        several=bool(valued.known.several[0]),
    )


def _outcome(valued: Valued) -> Outcome:
    if np.isnan(valued.known.values[0]).all():
        return "undefined"
    return "endless" if valued.endless else "solved"


def prepare() -> None:
    """Have the machine code of the solver made, or read from disk, before it is needed."""
    for rules in (MATCHING_PENNIES, WAITING, SWITCHES):
        solve(Game(Rules.parse(rules)).initial_state())
    solve(Game(Rules.parse(MATCHING_PENNIES)).initial_state(), SolveLimits(memory=1))  # by alpha-beta
