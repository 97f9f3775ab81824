"""Statistics of endings, against numbers worked out by other means."""

from __future__ import annotations

import statistics
from random import Random

import numpy as np
import pytest

from ludens import load
from ludens.analysis.outcomes import Outcomes
from ludens.core import Playouts


def playouts(goals: list[list[int]], lengths: list[int], finished: list[bool]) -> Playouts:
    return Playouts(np.array(goals, np.int16), np.array(lengths, np.int32), np.array(finished, np.bool_))


def test_means_margins_and_wins() -> None:
    outcomes = Outcomes(load("tictactoe"))
    values = [100, 100, 0, 50]
    outcomes.add(playouts([[v, 100 - v] for v in values], [5, 7, 8, 9], [True] * 4))
    first, second = outcomes.roles.values()
    assert first.mean == statistics.mean(values)
    assert first.margin == pytest.approx(1.96 * statistics.stdev(values) / 2)
    assert (first.wins, second.wins) == (2, 1)
    assert first.goals == {100: 2, 0: 1, 50: 1}
    assert (outcomes.games, outcomes.finished) == (4, 4)


def test_cut_games_and_missing_values_do_not_count() -> None:
    outcomes = Outcomes(load("tictactoe"))
    outcomes.add(playouts([[-1, -1], [100, -1]], [3, 4], [False, True]))
    first, second = outcomes.roles.values()
    assert (outcomes.games, outcomes.finished, outcomes.unfinished) == (2, 1, 1)
    assert outcomes.lengths == {4: 1}
    assert (first.mean, first.margin) == (100.0, None)
    assert (second.mean, second.margin, second.wins) == (None, None, 0)


def test_a_lone_role_wins_with_all_points_only() -> None:
    outcomes = Outcomes(load("eightpuzzle"))
    outcomes.add(playouts([[100], [0], [50]], [22, 30, 30], [True] * 3))
    assert next(iter(outcomes.roles.values())).wins == 1


def test_chance_is_left_out() -> None:
    outcomes = Outcomes(load("dicerace"))
    outcomes.add(playouts([[0, 100, 0]], [20], [True]))
    assert {role: result.mean for role, result in outcomes.roles.items()} == {"red": 0.0, "blue": 100.0}


def test_tictactoe_at_random_ends_as_is_known() -> None:
    """Of random games the first player wins 58.5 %, the second 28.8 %, and 12.7 % are drawn."""
    game = load("tictactoe")
    outcomes = Outcomes(game)
    outcomes.add(game.playouts(game.initial_state(), 2_000, Random(5)))
    first, second = outcomes.roles.values()
    assert first.wins / 2_000 == pytest.approx(0.585, abs=0.04)
    assert second.wins / 2_000 == pytest.approx(0.288, abs=0.04)
    assert first.mean is not None
    assert first.margin is not None
    assert abs(first.mean - (58.5 + 12.7 / 2)) < 2 * first.margin
