"""Correlation with the payoff by pairs of pseudo-states."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from ludens.analysis.states import sample_states
from ludens.engines.rows import pack, unpack
from ludens.evaluation.features.feature_set import Feature, FeatureSet
from ludens.evaluation.features.patterns import Pattern
from ludens.evaluation.model import pseudo_states as pseudo
from ludens.evaluation.model.payoff import correlation, correlations, payoff_form, supported
from ludens.evaluation.model.pseudo_states import PseudoStates
from ludens.evaluation.random_play import PlayedStates
from ludens.runtime.deadline import Deadline
from tests.evaluation.features.modelled import ENOUGH, FOUR, RANKS, Modelled, of_game, of_sheet


def pseudo_states(one: Modelled, states: int = 200) -> PseudoStates:
    rows = pack(sample_states(one.game, Random(1), Deadline(ENOUGH), states).bits)
    return PseudoStates(one.engine.circuit, one.facts, rows, np.random.default_rng(1))


def strength(one: Modelled, features: list[Feature], states: int = 200) -> np.ndarray:
    fluents, pseudo = np.arange(len(one.engine.circuit.fluents)), pseudo_states(one, states)
    return correlations(features, one.atoms, one.engine.goals, pseudo, fluents, 4000, Deadline.never()).strength


def test_the_sign_is_that_of_the_changes() -> None:
    changes = np.array([1.0, -1.0] * 10)
    assert correlation(changes, np.array([[50.0], [-50.0]] * 10), 0.1) == pytest.approx([1])
    assert correlation(changes, np.array([[-50.0], [50.0]] * 10), 0.1) == pytest.approx([-1])


def test_goals_that_change_this_way_and_that_are_not_correlated() -> None:
    gains = np.array([[50.0], [50.0]] * 10)
    assert correlation(np.array([1.0, -1.0] * 10), gains, 0.1) == pytest.approx([0])
    assert correlation(np.zeros(20), gains, 0.1) == pytest.approx([0])


def test_a_few_changes_are_not_enough() -> None:
    gains = np.zeros((20, 1))
    gains[:2] = 50
    assert correlation(np.ones(20), gains, 0.1) == pytest.approx([0])


def test_a_way_to_the_goal_is_correlated_and_the_way_back_is_not() -> None:
    one = of_sheet(RANKS)
    there = one.find("distance", Pattern("function", "cell", (0, "rank8", "red_piece")))
    count = one.find("cardinality", Pattern("function", "cell", (0, "rank8", "red_piece")))
    found = strength(one, [Feature(there), Feature(count)])
    assert found[0, 0] < -0.5
    assert found[1, 0] > 0.5
    assert found[:, 1] == pytest.approx([0, 0])


def test_many_pairs_from_a_few_states_are_not_enough() -> None:
    one = of_sheet(RANKS)
    count = Feature(one.find("cardinality", Pattern("function", "cell", (0, "rank8", "red_piece"))))
    assert strength(one, [count])[0, 0] > 0.5
    assert strength(one, [count], states=3) == pytest.approx(np.zeros((1, 2)))


def test_both_roles_of_a_symmetric_game_see_the_opposite() -> None:
    one = of_game("racetrackcorridor")
    white, black = (
        one.find("distance", Pattern("function", "cell", (role, 1, "1", "runner"))) for role in ("white", "black")
    )
    found = strength(one, [Feature(white), Feature(black), Feature(black, white)])
    assert found[0, 0] < 0 < found[0, 1]
    assert found[1, 1] < 0 < found[1, 0]
    assert found[2, 0] > 0 > found[2, 1]


def test_pairs_differ_in_one_thing_and_what_it_replaces() -> None:
    one = of_game("racetrackcorridor")
    fluents = np.array([n for n, fluent in enumerate(one.engine.circuit.fluents) if fluent[-1] == "runner"])
    pairs = pseudo_states(one).placed(fluents, 500)
    before, after = (unpack(rows, len(one.engine.circuit.fluents)) for rows in (pairs.without, pairs.having))
    came, went = after & ~before, before & ~after
    assert (came.sum(axis=1) == 1).all()
    assert (went.sum(axis=1) == 1).all()
    for gone, new in zip(went.argmax(axis=1)[:50], came.argmax(axis=1)[:50], strict=True):
        assert one.engine.circuit.fluents[gone][:4] == one.engine.circuit.fluents[new][:4]


def test_pairs_are_limited_however_many_fluents_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pseudo, "MAX_PAIRS", 50)
    one = of_game("racetrackcorridor")
    assert 0 < len(pseudo_states(one).placed(np.arange(len(one.engine.circuit.fluents)), 10_000)) <= 50


def test_moved_things_are_still_as_many() -> None:
    one = of_game("racetrackcorridor")
    distance = one.find("distance", Pattern("function", "cell", ("white", 1, "1", "runner")))
    pairs = pseudo_states(one).moved(distance, 100)
    bits = unpack(pairs.having, len(one.engine.circuit.fluents))
    runners = [
        n for n, fluent in enumerate(one.engine.circuit.fluents) if fluent[0] == "cell" and fluent[4] == "runner"
    ]
    assert len(pairs) > 20
    assert (bits[:, runners].sum(axis=1) == 2).all()
    assert bits[:, list(distance.targets)].any(axis=1).all()


def test_ends_of_games_support_what_goes_with_them() -> None:
    games = np.repeat(np.arange(100), 3).astype(np.int32)
    ends = np.tile([[0.0], [100.0]], (50, 1))
    states = PlayedStates(np.zeros((300, 1), np.uint64), np.zeros((300, 1), np.int32), games < 0, games)
    values = np.column_stack([games % 2, -(games % 2), np.arange(300) % 3])
    found = supported(values.astype(np.float64), states, ends)[:, 0]
    assert found == pytest.approx([10, -10, 0], abs=1e-6)
    few = supported(values[:30].astype(np.float64), states, ends[:10])
    assert (few == 0).all()


def test_what_seldom_decides_counts_if_it_is_all_that_decides() -> None:
    gains = np.zeros((10_000, 1))
    gains[:40] = 100
    assert correlation(np.ones(10_000), gains, 0.1) == pytest.approx([0])
    assert correlation(np.ones(10_000), gains, 0.1, covered=0.6) == pytest.approx([40 / np.sqrt(40 * 10_000)])
    part = np.zeros(10_000)
    part[20:] = 1
    assert correlation(part, gains, 0.1, covered=0.6) == pytest.approx([0])


def test_a_correlation_that_may_be_chance_is_none() -> None:
    gains = np.zeros((100, 1))
    gains[:4] = 100
    assert correlation(np.ones(100), gains, 0.1) == pytest.approx([0])
    assert correlation(np.ones(1600), np.tile(gains, (16, 1)), 0.1) == pytest.approx([0.2])


def test_a_whole_expression_differs_in_one_condition() -> None:
    one = of_game("tictactoe")
    line = one.find("partial", Pattern("relation", "line", ("x",)))
    pairs = pseudo_states(one).expressed(line, 100)
    assert len(pairs) > 50
    values = FeatureSet(one.atoms, [Feature(line)])
    assert (values.values(pairs.having) == 1).all()
    assert (values.values(pairs.without) < 1).mean() > 0.8
    assert (one.engine.goals(pairs.having)[:, 0] == 100).mean() > 0.8


def test_alternatives_are_all_taken_away() -> None:
    one = of_sheet(FOUR)
    begun = one.find("partial", Pattern("relation", "begun", ()))
    pairs = pseudo_states(one).expressed(begun, 50)
    values = FeatureSet(one.atoms, [Feature(begun)])
    assert (values.values(pairs.without) == 0).all()
    assert (values.values(pairs.having) == 0.25).all()


def test_a_distance_stands_for_what_is_counted_of_the_same_thing() -> None:
    one = of_game("pig")
    red, blue = (one.find("distance", Pattern("function", "score", (role, "15"))) for role in ("red", "blue"))
    none, nothing = (one.find("cardinality", Pattern("function", "score", (role, "0"))) for role in ("red", "blue"))
    features = [Feature(blue, red), Feature(nothing, none)]
    fluents = np.arange(len(one.engine.circuit.fluents))
    found = correlations(features, one.atoms, one.engine.goals, pseudo_states(one), fluents, 4000, Deadline.never())
    found = replace(found, strength=np.array([[0.9, -0.9], [0.5, -0.5]]))
    values = np.array([[3.0, 0.0], [-2.0, 1.0], [0.0, 0.0], [-3.0, 0.0], [2.0, -1.0]])
    form = payoff_form(features, found, 0, np.array([5.0, 5.0]), values, np.zeros((2, 2)))
    assert form is not None
    assert form.features == (features[0],)
    assert form.constant == pytest.approx(50)
    assert form.weights == pytest.approx((100 / 6,))


def test_ends_that_are_all_alike_contradict_nothing() -> None:
    games = np.arange(200).astype(np.int32)
    states = PlayedStates(np.zeros((200, 1), np.uint64), np.zeros((200, 1), np.int32), games < 0, games)
    found = supported(np.arange(200.0)[:, None], states, np.zeros((200, 1)))
    assert (found == 0).all()
