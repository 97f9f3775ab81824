"""Choosing the norm that goes best with random games."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ludens.engines.rows import Rows, unpack
from ludens.evaluation.fuzzy.evaluator import FuzzyEvaluator
from ludens.evaluation.fuzzy.norm_tuning import CANDIDATES, Valuation, told_apart, tune_norm
from ludens.evaluation.fuzzy.norms import Norm
from ludens.evaluation.random_play import Worths, mean_correlation
from ludens.runtime.deadline import Deadline
from tests.evaluation.fuzzy.unrolled import ENOUGH, Unrolled, of_rules, unrolled

DRAWN = """
(role me) (init (at 1)) (next1 1 2) (next1 2 3) (next1 3 4) (next1 4 5) (legal me go) (legal me stay)
(<= (next (at ?y)) (does me go) (true (at ?x)) (next1 ?x ?y)) (<= (next (at ?x)) (does me stay) (true (at ?x)))
(<= terminal (true (at 5))) (goal me 50)
"""
"""Whatever happens, it comes to the same."""
NAN = np.nan


def test_agreement_is_the_mean_correlation() -> None:
    worths = np.array([[1.0, 5.0], [2.0, 3.0], [3.0, 1.0]])
    assert mean_correlation(worths, 10 * worths + 3) == pytest.approx(1)
    assert mean_correlation(worths, worths[:, ::-1]) == pytest.approx(-1)
    assert mean_correlation(worths, np.column_stack([worths[:, 0], -worths[:, 1]])) == pytest.approx(0)


def test_what_does_not_vary_agrees_with_nothing() -> None:
    changing, constant = np.array([[1.0], [2.0], [3.0]]), np.full((3, 1), 7.0)
    for worths, outcomes in ((changing, constant), (constant, changing), (changing, np.full((3, 1), NAN))):
        assert mean_correlation(worths, outcomes) == 0
    assert mean_correlation(changing, np.array([[2.0], [NAN], [6.0]])) == pytest.approx(1)
    assert mean_correlation(np.zeros((3, 0)), np.zeros((3, 0))) == 0


def test_states_told_apart() -> None:
    assert told_apart(np.array([[1.0, 2.0], [1.0, 2.0000001], [1.0, 3.0]])) == 2


@pytest.mark.parametrize("best", [CANDIDATES[1], CANDIDATES[-1]])
def test_the_norm_that_foresees_what_games_come_to_is_chosen(best: Norm) -> None:
    """All others have no idea, though they tell all states apart."""
    one, noise = unrolled("connectfour"), np.random.default_rng(1)

    def valuation(norm: Norm, rows: Rows) -> Worths:
        if norm == best:
            return one.engine.tally(rows, 100, Random(5)).means()
        return noise.random((len(rows), 2))

    assert tune_norm(one.game, one.facts.kind, valuation, Deadline(ENOUGH), Random(1)) == best


def test_where_games_tell_nothing_the_most_states_are_told_apart() -> None:
    one, best = of_rules(DRAWN), CANDIDATES[3]

    def valuation(norm: Norm, rows: Rows) -> Worths:
        steps: Worths = unpack(rows, len(one.engine.circuit.fluents)).argmax(axis=1)[:, np.newaxis].astype(float)
        return steps if norm == best else steps // 2

    assert tune_norm(one.game, one.facts.kind, valuation, Deadline(ENOUGH), Random(1)) == best


def test_in_a_puzzle_the_slope_from_the_start_on_counts() -> None:
    """Random games agree best with what sees only the end, which is no help on the way there."""
    one, best = unrolled("pegsolitaire"), CANDIDATES[2]

    def valuation(norm: Norm, rows: Rows) -> Worths:
        if norm == best:
            return np.arange(float(len(rows)))[:, np.newaxis]
        return np.round(one.engine.tally(rows, 100, Random(5)).means(), -1)

    assert tune_norm(one.game, one.facts.kind, valuation, Deadline(ENOUGH), Random(1)) == best


@pytest.mark.parametrize("best", CANDIDATES)
def test_without_time_no_norm_is_chosen_that_tells_nothing_apart(best: Norm) -> None:
    one = unrolled("tictactoe")
    tested: list[Norm] = []

    def valuation(norm: Norm, rows: Rows) -> Worths:
        tested.append(norm)
        return np.arange(2.0 * len(rows)).reshape(-1, 2) if norm == best else np.full((len(rows), 2), 50.0)

    assert tune_norm(one.game, one.facts.kind, valuation, Deadline(0), Random(1)) == best
    assert tested[-1] == best, "with one that does, it is enough"


def test_without_time_no_games_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    one = unrolled("tictactoe")
    monkeypatch.setattr(one.engine, "tally", None)
    tune_norm(one.game, one.facts.kind, real_valuation(one), Deadline(0), Random(1))


def test_who_is_alone_needs_no_random_games(monkeypatch: pytest.MonkeyPatch) -> None:
    one = unrolled("blocksworld")
    monkeypatch.setattr(one.engine, "tally", None)
    tune_norm(one.game, one.facts.kind, real_valuation(one), Deadline(ENOUGH), Random(1))


def test_a_game_that_is_over_at_once() -> None:
    one = of_rules("(role me) (init on) (legal me wait) (<= terminal (true on)) (<= (goal me 100) (true on))")
    assert tune_norm(one.game, one.facts.kind, real_valuation(one), Deadline(ENOUGH), Random(1)) == CANDIDATES[0]


def test_checkers_needs_the_small_exponent() -> None:
    """Larger ones tell far more states apart, but not those that matter."""
    one = unrolled("checkers")
    found = tune_norm(one.game, one.facts.kind, real_valuation(one), Deadline(ENOUGH), Random(1))
    assert found.q == 4
    assert found == tune_norm(one.game, one.facts.kind, real_valuation(one), Deadline(ENOUGH), Random(1))


def real_valuation(one: Unrolled) -> Valuation:
    return lambda norm, rows: FuzzyEvaluator(one.game, one.formulas, one.facts.kind, norm).evaluate(rows)
