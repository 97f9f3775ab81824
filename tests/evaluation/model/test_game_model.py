"""Equation 2 of the paper, by hand, and the limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.evaluation.model.game_model import limited, lottery_value

UNIT = st.floats(0, 1)


def one(payoff: float, control: float, termination: float, share: float) -> float:
    return float(lottery_value(np.array([payoff]), np.array([control]), np.array([termination]), share)[0])


def test_equation_2_by_hand() -> None:
    # T P + (1 - T) ((50 + 50 C) S_C + S_P P) = 0.2 * 70 + 0.8 * (75 * 0.659 + 0.341 * 70)
    assert one(70, 0.5, 0.2, 0.659) == pytest.approx(0.2 * 70 + 0.8 * (75 * 0.659 + 0.341 * 70))
    assert one(70, 0.5, 0.2, 0.659) == pytest.approx(72.636)


def test_at_the_end_only_the_payoff_counts() -> None:
    assert one(30, 1, 1, 0.9) == 30


def test_without_control_only_the_payoff_and_without_payoff_only_control() -> None:
    assert one(30, 0.8, 0.1, 0) == pytest.approx(30)
    assert one(50, 0.8, 0, 1) == pytest.approx(90)


@given(st.floats(0, 100), st.floats(-1, 1), UNIT, UNIT)
def test_it_is_between_what_is_paid(payoff: float, control: float, termination: float, share: float) -> None:
    ways = payoff, 50 + 50 * control
    assert min(ways) - 1e-9 <= one(payoff, control, termination, share) <= max(ways) + 1e-9


@given(st.lists(st.floats(-1000, 1000), min_size=2, max_size=2))
def test_limits_keep_the_order_and_are_kept(pair: list[float]) -> None:
    low, high = limited(np.sort(pair), 0, 100)
    assert 0 <= low <= high <= 100


def test_inside_the_limits_nothing_changes() -> None:
    inside = np.linspace(10, 90, 9)
    assert limited(inside, 0, 100) == pytest.approx(inside)
    assert limited(np.array([120.0, 130.0]), 0, 100)[0] < limited(np.array([120.0, 130.0]), 0, 100)[1] < 100
