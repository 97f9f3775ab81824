"""Least squares against numpy, and the choice of features."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.evaluation.model.regression import forward_selection, least_squares, simplest_selection


def noise(*shape: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


@given(st.integers(0, 1000), st.integers(1, 4))
def test_it_agrees_with_polynomial_fits_of_numpy(seed: int, degree: int) -> None:
    x, target = noise(50, seed=seed), noise(50, seed=seed + 1)
    powers = np.column_stack([x**power for power in range(1, degree + 1)])
    expected = np.polynomial.Polynomial.fit(x, target, degree).convert().coef
    fit = least_squares(powers, target, range(degree))
    assert [fit.constant, *fit.weights] == pytest.approx(np.resize(expected, degree + 1).tolist(), abs=1e-6)


def test_features_are_chosen_in_the_order_of_what_they_explain() -> None:
    values = noise(500, 6)
    target = 2 * values[:, 4] + values[:, 1] + 0.01 * noise(500, seed=3)
    fit = forward_selection(values, target, most=5, least_gain=0.01, least_score=4)
    assert fit.chosen == (4, 1)
    assert fit.weights == pytest.approx((2, 1), abs=0.01)


def test_noise_is_not_chosen_and_repetitions_are_not_either() -> None:
    values = noise(200, 5)
    assert forward_selection(values, noise(200, seed=9), 5, 0.001, 4).chosen == ()
    twice = np.column_stack([values[:, 0], values[:, 0], values[:, 1]])
    assert sorted(forward_selection(twice, twice[:, 0] + twice[:, 2], 3, 0.001, 4).chosen)[1:] == [2]


def test_what_is_set_aside_is_not_explained_again() -> None:
    turn, feature = np.tile([0.0, 1.0], 100)[:, None], noise(200, 1)
    fit = forward_selection(np.column_stack([turn, feature]), 5 * turn[:, 0] + feature[:, 0], 2, 0.001, 4, turn)
    assert fit.chosen == (1,)


def test_plain_features_go_first() -> None:
    plain = noise(300, 1)
    better = plain + 0.05 * noise(300, 1, seed=5)
    values, target = np.column_stack([better, plain]), better[:, 0]
    assert simplest_selection(values, np.array([1, 0]), target, (0.01, 0.01), 4, 2) == [1]
    assert simplest_selection(values, np.array([0, 0]), target, (0.01, 0.01), 4, 2) == [0]


def test_a_target_that_never_changes_needs_no_feature() -> None:
    assert forward_selection(noise(20, 2), np.ones(20), 2, 0.01, 4).chosen == ()
