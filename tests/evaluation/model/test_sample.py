"""Stability against its definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ludens.evaluation.model.sample import stabilities

VALUES = arrays(np.float64, st.tuples(st.integers(3, 12), st.just(2)), elements=st.integers(-9, 9).map(float))


def test_what_grows_little_by_little_is_stable_and_what_jumps_is_not() -> None:
    grows, jumps = np.arange(100.0), np.arange(100) % 2
    found = stabilities(np.column_stack([grows, jumps]), np.arange(99))
    assert found == pytest.approx([grows.var(), 0.25])


def test_steps_between_games_do_not_count() -> None:
    values = np.array([[0.0], [1.0], [10.0], [11.0]])
    assert stabilities(values, np.array([0, 2])) == pytest.approx([values.var()])


def test_what_never_changes_tells_nothing() -> None:
    assert stabilities(np.ones((5, 1)), np.arange(4)).tolist() == [0]
    assert stabilities(np.ones((1, 2)), np.arange(0)).tolist() == [0, 0]


@given(VALUES)
def test_it_is_the_quotient_of_two_variances(values: np.ndarray) -> None:
    steps = np.arange(len(values) - 1)
    for column, found in zip(values.T, stabilities(values, steps), strict=True):
        total = sum((value - column.mean()) ** 2 for value in column) / len(column)
        adjacent = sum((after - before) ** 2 for before, after in itertools.pairwise(column)) / len(steps)
        assert found == pytest.approx(total / adjacent if adjacent else 0)


@given(VALUES, st.floats(0.5, 5), st.floats(-5, 5))
def test_scale_and_zero_do_not_matter(values: np.ndarray, scale: float, shift: float) -> None:
    steps = np.arange(len(values) - 1)
    assert stabilities(values * scale + shift, steps) == pytest.approx(stabilities(values, steps), rel=1e-6)
