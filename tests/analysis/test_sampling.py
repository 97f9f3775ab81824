"""What random play tells about games."""

from __future__ import annotations

from random import Random

import pytest

from ludens import load
from ludens.analysis.sampling import Sample, Spread, sample
from ludens.errors import NoLegalMoveError
from ludens.runtime.deadline import Deadline


def seen(game: str, plays: int = 30, **more: int) -> Sample:
    return sample(load(game), plays, Random(1), Deadline(30), **more)


def test_spread() -> None:
    assert Spread.of({1: 3, 5: 1}) == Spread(1, 2.0, 5)
    assert Spread.of({}) == Spread(0, 0.0, 0)


def test_tictactoe() -> None:
    found = seen("tictactoe", 200)
    assert found.plays == found.finished == 200
    assert (found.lengths.least, found.lengths.most) == (5, 9)
    assert (found.joint_moves.least, found.joint_moves.most) == (1, 9)
    assert not found.simultaneous
    assert found.constant_sum == 100
    assert found.facts == 9 * 3 + 2
    assert found.moves == 2 * 9 + 2
    assert found.choices["x"].most == 9  # type: ignore[index]
    assert found.choices["o"].most == 8  # type: ignore[index]


def test_simultaneous_moves() -> None:
    found = seen("rockpaperscissors")
    assert found.simultaneous
    assert found.joint_moves == Spread(9, 9.0, 9)
    assert found.lengths == Spread(5, 5.0, 5)


def test_chance_makes_no_choice() -> None:
    found = seen("dicerace")
    assert set(found.choices) == {"red", "blue"}
    assert not found.simultaneous
    assert found.joint_moves.most == 6


def test_sums_that_differ_and_a_single_role() -> None:
    assert seen("threeway", 60).goal_sums <= {99, 100}
    assert seen("eightpuzzle", 3).constant_sum is None


def test_the_same_seed_gives_the_same_sample() -> None:
    assert seen("connectfour", 5) == seen("connectfour", 5)


def test_long_games_are_cut() -> None:
    found = seen("breakthrough", 2, max_steps=4)
    assert (found.plays, found.finished, found.states) == (2, 0, 8)
    assert found.lengths == Spread()


def test_time_is_kept() -> None:
    found = sample(load("breakthrough"), 10**9, Random(1), Deadline(0.2))
    assert found.plays < 1_000
    nothing = sample(load("breakthrough"), 5, Random(1), Deadline(0))
    assert (nothing.plays, nothing.states, nothing.facts) == (0, 0, 0)


def test_a_role_without_a_move_is_told() -> None:
    stuck = "(role a) (init p) (<= (legal a go) (true q)) (<= terminal (true q)) (goal a 0)"
    with pytest.raises(NoLegalMoveError, match="a has no legal move"):
        seen(stuck)


@pytest.mark.parametrize("game", ["tictactoe", "rockpaperscissors", "dicerace", "pig"])
def test_all_engines_play_the_same_games(game: str) -> None:
    compiled, plain = load(game), load(game)
    assert compiled.compile()
    plain._compilation.refuse("this is about the reference engine")
    one, other = (sample(loaded, 20, Random(4), Deadline(60)) for loaded in (compiled, plain))
    assert one == other
