"""A small game with heuristics, for tests of workers and pools."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random

from ludens import load
from ludens.cluster.orders import MatchOrder, Task, TurnOrder
from ludens.cluster.pool import WorkerPool
from ludens.cluster.searcher import PooledSearcher
from ludens.cluster.worker import make_searcher
from ludens.game import Game, State
from ludens.players.kuhlmann import find_ideas
from ludens.runtime.deadline import Deadline


@cache
def game() -> Game:
    made = load("breakthrough")
    made.compile()
    return made


@cache
def match() -> MatchOrder:
    ideas = find_ideas(game(), Deadline.never(), Random(1))
    return MatchOrder(game().rules, "white", ideas.kind, ideas.heuristics)


def near_the_end() -> State:
    """White can win by one move, and only by this one."""
    facts = ["(cell 1 7 white)", "(cell 4 2 white)", "(cell 6 3 black)", "(cell 8 8 black)", "(control white)"]
    return game().state(facts)


def searcher_of(pool: WorkerPool, prior: float = 0.0) -> PooledSearcher:
    """With the same record for four heuristics."""
    return PooledSearcher(game(), match(), pool, make_searcher(game(), match(), 0), (prior,) * 4)


def orders(count: int, state: State | None = None, seconds: float = 5.0, nodes: int | None = None) -> list[TurnOrder]:
    heuristics: Sequence[int | None] = [None, *range(len(match().heuristics))]
    tasks = [Task(heuristics[number % len(heuristics)], number) for number in range(count)]
    facts = (state or game().initial_state()).facts
    return [TurnOrder(facts, task, seconds, nodes) for task in tasks]
