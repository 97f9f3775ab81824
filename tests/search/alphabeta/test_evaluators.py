"""Leaves that are not ends: the values of evaluators, against plain search on states."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ludens
from ludens.core import Limit
from ludens.game import Game, State
from ludens.search.alphabeta import AlphaBetaOptions, AlphaBetaSearcher, EarlyPayoff

NO_REDUCTIONS = AlphaBetaOptions(reductions=False)
VARIANTS = [
    NO_REDUCTIONS,
    replace(NO_REDUCTIONS, table_bytes=0),
    replace(NO_REDUCTIONS, table_bytes=2000),
    replace(NO_REDUCTIONS, pruning=False, killers=False, history=False),
    replace(NO_REDUCTIONS, lookahead=0, aspiration=False),
]


class Whim:
    """Says something about each state that is hard to guess, but always the same."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self.batches: list[int] = []

    def of(self, facts: Any) -> list[float]:
        rng = Random(repr(sorted(map(str, facts))))
        return [rng.uniform(5, 95) for _ in self._game.roles]

    def evaluate(self, rows: Any, engine: Any = None) -> NDArray[np.float64]:
        decoded = (engine or self._game.engine).decode(rows)
        self.batches.append(len(decoded))
        return np.array([self.of(facts) for facts in decoded]).reshape(len(decoded), len(self._game.roles))

    def explain(self, state: Any) -> str:
        return "who knows"


def goals_of(state: State) -> list[float]:
    return [50.0 if goal is None else float(goal) for goal in state.goals.values()]


def after_moves(state: State, role: int) -> list[list[State]]:
    """The states after each of a role's moves and each answer."""
    game = state.game
    rows = []
    for own in state.legal_moves(game.roles[role]):
        others = [[own] if index == role else state.legal_moves(name) for index, name in enumerate(game.roles)]
        rows.append([state.next(list(joint)) for joint in product(*others)])
    return rows


def plain(state: State, role: int, depth: int, leaf: Any) -> float:
    """What a role can expect if all others answer as badly as they can."""
    if state.is_terminal:
        return goals_of(state)[role]
    if depth == 0:
        return float(leaf(state)[role])
    return max(min(plain(after, role, depth - 1, leaf) for after in row) for row in after_moves(state, role))


def plain_maxn(state: State, depth: int, leaf: Any) -> list[float]:
    if state.is_terminal:
        return goals_of(state)
    if depth == 0:
        return [float(number) for number in leaf(state)]
    movers = [index for index, name in enumerate(state.game.roles) if len(state.legal_moves(name)) > 1]
    mover = movers[0] if movers else 0
    outcomes = [plain_maxn(after, depth - 1, leaf) for row in after_moves(state, mover) for after in row]
    return max(outcomes, key=lambda values: values[mover])


@cache
def middle(name: str, moves: int) -> State:
    """A state some random moves after the start."""
    game = ludens.load(name)
    assert game.compile()
    rng, state = Random(7), game.initial_state()
    for _ in range(moves):
        state = state.next({role: rng.choice(state.legal_moves(role)) for role in game.roles})
    return state


@cache
def whimsical(name: str, moves: int, depth: int) -> list[float]:
    """What plain search says to two roles."""
    state = middle(name, moves)
    return [plain(state, role, depth, lambda at: Whim(state.game).of(at.terms)) for role in range(2)]


@pytest.mark.parametrize("options", VARIANTS)
@pytest.mark.parametrize(
    ("name", "moves", "depth"), [("tictactoe", 2, 3), ("connectfour", 6, 3), ("biddingtictactoe", 1, 1), ("tron", 2, 2)]
)
def test_a_depth_that_is_limited(name: str, moves: int, depth: int, options: AlphaBetaOptions) -> None:
    state = middle(name, moves)
    whim = Whim(state.game)
    for role in range(2):
        searcher = AlphaBetaSearcher(state.game, state.game.roles[role], whim, replace(options, mode="paranoid"))
        decision = searcher.search(state, Limit.of(depth=depth), Random(3))
        assert decision.values[state.game.roles[role]] == pytest.approx(whimsical(name, moves, depth)[role])
        assert decision.depth == depth


@pytest.mark.parametrize("options", VARIANTS)
def test_a_depth_that_is_limited_with_three_players(options: AlphaBetaOptions) -> None:
    state = middle("threeway", 17)
    whim = Whim(state.game)
    searcher = AlphaBetaSearcher(state.game, state.game.roles[1], whim, replace(options, mode="maxn"))
    decision = searcher.search(state, Limit.of(depth=2), Random(3))
    assert list(decision.values.values()) == pytest.approx(plain_maxn(state, 2, lambda at: whim.of(at.terms)))


def test_children_are_evaluated_in_batches() -> None:
    state = middle("connectfour", 4)
    whim = Whim(state.game)
    AlphaBetaSearcher(state.game, "red", whim).search(state, Limit.of(depth=3), Random(3))
    assert sum(whim.batches) / len(whim.batches) > 7


def test_early_payoff_is_the_goal_of_the_state() -> None:
    state = middle("kalah", 5)
    searcher = AlphaBetaSearcher(state.game, state.game.roles[0], EarlyPayoff(state.game), NO_REDUCTIONS)
    decision = searcher.search(state, Limit.of(depth=2), Random(3))
    assert decision.values[state.game.roles[0]] == plain(state, 0, 2, goals_of)
    batch = state.encoded()[1]
    assert EarlyPayoff(state.game).evaluate(batch).tolist() == [goals_of(state)]
    reference = state.game.reference_engine.fork()
    assert EarlyPayoff(state.game).evaluate(reference.encode([state.terms]), reference).tolist() == [goals_of(state)]
    assert EarlyPayoff(state.game).explain(state).startswith("if the game ended here: ")


def test_reductions_see_further_with_fewer_nodes() -> None:
    state = middle("connectfour", 4)
    whim = Whim(state.game)
    full, reduced = (
        AlphaBetaSearcher(state.game, "red", whim, AlphaBetaOptions(reductions=reductions)).search(
            state, Limit.of(depth=6), Random(3)
        )
        for reductions in (False, True)
    )
    assert full.depth == reduced.depth == 6
    assert reduced.nodes < full.nodes


def test_without_an_evaluator_nothing_is_known() -> None:
    state = middle("connectfour", 4)
    decision = AlphaBetaSearcher(state.game, "red").search(state, Limit.of(depth=2), Random(3))
    assert decision.values["red"] == 50.0  # type: ignore[index]
    assert not decision.proven


def test_values_that_are_no_numbers_count_as_unknown() -> None:
    state = middle("connectfour", 4)
    whim = Whim(state.game)
    whim.evaluate = lambda rows, engine=None: np.full((len(rows), 2), np.nan)  # type: ignore[method-assign]
    decision = AlphaBetaSearcher(state.game, "red", whim).search(state, Limit.of(depth=2), Random(3))
    assert decision.values["red"] == 50.0  # type: ignore[index]
