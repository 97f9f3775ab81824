"""Equation 1 of the paper, and what roles can choose from."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ludens.analysis.states import sample_states
from ludens.core import Deadline
from ludens.engines.sliced.rows import pack
from ludens.evaluation.model.control import Mobility, control_of
from tests.evaluation.features.modelled import ENOUGH, of_game


def test_equation_1_by_hand() -> None:
    choices = np.array([[7, 3], [2, 8], [5, 5]], np.int32)
    assert control_of(choices, 0, most=10) == pytest.approx([0.4, -0.6, 0])
    assert control_of(choices, 1, most=10) == pytest.approx([-0.4, 0.6, 0])


def test_all_others_are_adversaries() -> None:
    assert control_of(np.array([[4, 1, 1, 2]], np.int32), 0, most=8) == pytest.approx([0])
    assert control_of(np.array([[4, 1, 1, 2]], np.int32), 3, most=8) == pytest.approx([-0.5])


def test_roles_that_move_at_once_are_counted_as_they_are() -> None:
    one = of_game("racetrackcorridor")
    states = sample_states(one.game, Random(1), Deadline(ENOUGH), 60)
    going = ~states.terminal
    found = Mobility(one.engine, one.facts).choices(pack(states.bits))
    assert (found[going] == states.choices[going]).all()


def test_roles_that_take_turns_are_counted_as_if_it_were_their_turn() -> None:
    one = of_game("breakthrough")
    found = Mobility(one.engine, one.facts).choices(one.engine.initial(1))
    assert found[0, 0] == found[0, 1] > 1
