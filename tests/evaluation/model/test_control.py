"""Equation 1 of the paper, what roles can choose from, and the features that tell it."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ludens.analysis.states import sample_states
from ludens.engines.rows import pack
from ludens.evaluation.model.control import Mobility, control_form, control_of
from ludens.runtime.deadline import Deadline
from tests.evaluation.features.modelled import ENOUGH, counted, of_game

QUEEN, KNIGHT, PLACE = counted("queen", "foe"), counted("knight", "foe"), counted("place", "foe")
LEVELS = np.array([0, 0, 1])


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
    found = Mobility(one.engine.circuit, one.facts).choices(pack(states.bits))
    assert (found[going] == states.choices[going]).all()


def test_roles_that_take_turns_are_counted_as_if_it_were_their_turn() -> None:
    one = of_game("breakthrough")
    found = Mobility(one.engine.circuit, one.facts).choices(one.engine.initial(1))
    assert found[0, 0] == found[0, 1] > 1


def placed(pairs: int = 300) -> np.ndarray:
    """One thing more or less in each pair."""
    rng = np.random.default_rng(1)
    signs: np.ndarray = rng.choice([-1.0, 1.0], size=(pairs, 1))
    return signs * np.eye(3)[rng.integers(3, size=pairs)]


def test_weights_are_what_one_thing_more_adds() -> None:
    changes = placed()
    form = control_form([QUEEN, KNIGHT, PLACE], changes, LEVELS, changes @ [0.2, 0.05, 0.0], np.zeros((1, 3)))
    assert form is not None
    assert dict(zip(form.features, form.weights, strict=True)) == pytest.approx({QUEEN: 0.2, KNIGHT: 0.05})
    assert form.constant == 0


def test_what_is_no_plain_count_has_to_explain_more() -> None:
    changes = placed()
    for weight, expected in ((0.05, {QUEEN, KNIGHT}), (0.2, {QUEEN, KNIGHT, PLACE})):
        gains = changes @ [0.2, 0.05, weight]
        form = control_form([QUEEN, KNIGHT, PLACE], changes, LEVELS, gains, np.zeros((1, 3)))
        assert form is not None
        assert set(form.features) == expected


def test_control_of_one_side_is_zero_on_average() -> None:
    changes, values = placed(), np.array([[2.0, 4.0, 0.0], [4.0, 0.0, 0.0]])
    features = [counted("queen"), counted("knight"), counted("place")]
    form = control_form(features, changes, LEVELS, changes @ [0.2, 0.05, 0.0], values)
    assert form is not None
    assert form.constant == pytest.approx(-(0.2 * 3 + 0.05 * 2))


def test_what_is_set_aside_is_the_cause_of_its_own() -> None:
    changes = placed()
    gains = changes @ [0.2, 0.0, 0.0]
    assert control_form([KNIGHT], changes[:, :1], LEVELS[:1], gains, np.zeros((1, 1)), changes[:, :1]) is None


def test_no_control_without_pairs_or_by_chance() -> None:
    assert control_form([QUEEN, KNIGHT, PLACE], placed(0), LEVELS, np.zeros(0), np.zeros((1, 3))) is None
    noise = np.random.default_rng(2).normal(size=300)
    assert control_form([QUEEN, KNIGHT, PLACE], placed(), LEVELS, noise, np.zeros((1, 3))) is None
