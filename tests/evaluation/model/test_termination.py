"""Termination by least squares."""

from __future__ import annotations

import numpy as np
import pytest

from ludens.evaluation.features.feature_set import Feature
from ludens.evaluation.features.interpretations import Measure, Sum
from ludens.evaluation.features.patterns import Pattern
from ludens.evaluation.model.termination import MIN_ENDS, termination_form

STEPS, NOISE = (
    Feature(Measure("cardinality", Pattern("function", name, ()), Sum((column,), (1.0,))))
    for column, name in enumerate(("steps", "noise"))
)
LEVELS = np.array([1, 1])


def states(games: int) -> tuple[np.ndarray, np.ndarray]:
    """Games of ten steps: the steps and some noise, and what is the end."""
    steps = np.tile(np.arange(10.0), games)
    noise = np.random.default_rng(1).random(len(steps))
    return np.column_stack([steps, noise]), steps == 9


def test_the_weight_is_that_of_numpy() -> None:
    values, terminal = states(40)
    form = termination_form([STEPS, NOISE], values, LEVELS, terminal)
    slope, constant = np.polyfit(values[:, 0], terminal.astype(float), 1)
    assert form.features == (STEPS,)
    assert form.weights == pytest.approx((slope,))
    assert form.constant == pytest.approx(constant)


def test_without_features_it_is_the_share_of_ends() -> None:
    _, terminal = states(40)
    form = termination_form([], np.zeros((400, 0)), LEVELS[:0], terminal)
    assert form.features == ()
    assert form.constant == pytest.approx(0.1)


def test_a_few_ends_tell_only_how_rare_they_are() -> None:
    values, terminal = states(MIN_ENDS - 1)
    form = termination_form([STEPS, NOISE], values, LEVELS, terminal)
    assert form.features == ()
    assert form.constant == pytest.approx(0.1)
