"""The sequential test: as often wrong as it says, and no more; quick where the answer is clear."""

from __future__ import annotations

import math
from random import Random

import pytest

from ludens.arena.tournament.sprt import Sprt, SprtBounds, elo_score, log_likelihood_ratio, score_elo
from tests.tiers import FULL

RUNS = 100


def simulated(bounds: SprtBounds, mean: float, draws: float, seed: int) -> Sprt:
    """A test of pairs of matches between players with this mean score, of which so many are draws."""
    rng, test, wins = Random(seed), Sprt(bounds), mean - draws / 2
    while test.answer == "open":
        results = [1.0 if luck < wins else 0.5 if luck < wins + draws else 0.0 for luck in (rng.random(), rng.random())]
        test.add(sum(results) / 2)
    return test


@pytest.mark.parametrize(
    ("low", "high", "draws"),
    [(0.5, 0.6, 0.3), pytest.param(0.5, 0.6, 0.0, marks=FULL), pytest.param(0.45, 0.55, 0.6, marks=FULL)],
)
@pytest.mark.parametrize("truth", ["low", "high"])
def test_error_rates(low: float, high: float, draws: float, truth: str) -> None:
    bounds = SprtBounds(low, high, alpha=0.05, beta=0.05)
    mean, wrong = (low, "higher") if truth == "low" else (high, "lower")
    tests = [simulated(bounds, mean, draws, seed) for seed in range(RUNS)]
    errors = sum(test.answer == wrong for test in tests)
    deviation = math.sqrt(RUNS * 0.05 * 0.95)
    assert errors <= RUNS * 0.05 + 2.5 * deviation


def test_it_is_shorter_the_clearer_the_answer_is() -> None:
    bounds = SprtBounds(0.5, 0.6)
    lengths = [sum(simulated(bounds, mean, 0.2, seed).pairs for seed in range(20)) / 20 for mean in (0.55, 0.65, 0.8)]
    assert lengths[0] > lengths[1] > lengths[2]
    assert simulated(bounds, 0.9, 0.0, 1).answer == "higher"
    assert simulated(bounds, 0.2, 0.0, 1).answer == "lower"


@pytest.mark.parametrize(("ones", "zeros"), [(7, 3), (30, 30), (1, 9)])
def test_wins_and_losses_alone_give_the_ratio_of_coin_tosses(ones: int, zeros: int) -> None:
    """Of two values only one spread has a given mean, so the ratio is that of the classical test."""
    exact = ones * math.log(0.6 / 0.5) + zeros * math.log(0.4 / 0.5)
    assert log_likelihood_ratio({1.0: ones, 0.0: zeros}, 0.5, 0.6) == pytest.approx(exact, abs=0.02)


def test_many_draws_make_it_sure_of_less_difference() -> None:
    """The same mean with less spread says more."""
    steady = log_likelihood_ratio({0.5: 90, 0.75: 10}, 0.5, 0.55)
    wild = log_likelihood_ratio({0.0: 47, 1.0: 53}, 0.5, 0.55)
    assert abs(steady) > abs(wild)


def test_the_first_answer_stands() -> None:
    bounds = SprtBounds(0.5, 0.7)
    test = Sprt.of(bounds, [1.0] * 50 + [0.0] * 500)
    assert test.answer == "higher"
    pairs, ratio = test.pairs, test.ratio
    test.add(0.0)
    assert (test.pairs, test.ratio) == (pairs, ratio)
    assert pairs < 20


def test_scores_of_any_size_are_counted() -> None:
    test = Sprt.of(SprtBounds(0.5, 0.6), [0.625, 0.33, 0.9] * 5)
    assert test.pairs == 15
    assert test.mean == pytest.approx((0.625 + 0.33 + 0.9) / 3)


def test_elo() -> None:
    assert elo_score(0) == 0.5
    assert elo_score(400) == pytest.approx(10 / 11)
    for elo in (-300, -5, 20, 700):
        assert score_elo(elo_score(elo)) == pytest.approx(elo)
    assert (score_elo(1), score_elo(0)) == (math.inf, -math.inf)
