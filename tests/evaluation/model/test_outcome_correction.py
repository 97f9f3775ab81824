"""What will come, beyond the worth: on numbers made up, and in games."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from ludens.core import Role
from ludens.evaluation.features.feature_set import Feature
from ludens.evaluation.features.patterns import Argument, AtomKind, Pattern
from ludens.evaluation.model.forms import LinearForm
from ludens.evaluation.model.game_model import RoleModel
from ludens.evaluation.model.outcome_correction import (
    MAX_ADDED,
    OutcomeCorrection,
    payoff_parts,
    telling_features,
    within,
)
from ludens.runtime.deadline import Deadline
from tests.evaluation.features.modelled import ENOUGH, of_game


def difference(name: str, *arguments: tuple[Argument, Argument]) -> Feature:
    """The count of an expression for red less that for black; the words of both where they differ."""
    game = of_game("cylindercheckers")
    kind: AtomKind = "function" if name == "cell" else "relation"
    own, others = (Pattern(kind, name, words) for words in zip(*arguments, strict=True))
    return Feature(game.find("cardinality", own), game.find("cardinality", others))


class Forms(NamedTuple):
    """What the tests are about, found in the features of cylinder checkers."""

    pieces: LinearForm
    red: RoleModel
    men: Feature
    kings: Feature
    at_home: Feature
    mixed: Feature
    """Both sides pay red."""


@pytest.fixture(scope="module")
def forms() -> Forms:
    pieces = LinearForm((difference("holds", ("red", "black"), (1, 1), (2, 2)),), (5.0,), 50.0)
    return Forms(
        pieces,
        RoleModel(Role("red"), pieces, None, 1.0, 0.0),
        men=difference("cell", (0, 0), (1, 1), ("red_man", "black_man")),
        kings=difference("cell", (0, 0), (1, 1), ("red_king", "black_king")),
        at_home=difference("cell", (0, 0), ("1", "8"), ("red_man", "black_man")),
        mixed=difference("cell", (0, 0), (1, 1), ("red_man", "red_king")),
    )


def test_parts_that_are_worth_more_at_the_end(forms: Forms) -> None:
    """Ends are twice the payoff, and three more for each king: 10 points for a man, 13 for a king.

    If kings are chosen, the payoff counts twice, and a king 3/2 more; if men are, 2.6 times, and a man 3/2.6 less.
    """
    rng = np.random.default_rng(1)
    values = rng.integers(-4, 5, (120_000, 2)).astype(np.float64)
    payoff = 50 + 5 * values.sum(axis=1)
    ends = 2 * payoff + 3 * values[:, 1] + rng.normal(0, 10, len(values))
    form = telling_features([forms.men, forms.kings], values, payoff, ends, np.arange(len(values)) // 20)
    assert form is not None
    assert len(form.features) == 1  # either of them tells what the other does, as the payoff is their sum
    expected = 3 / 2 if form.features == (forms.kings,) else -3 / 2.6
    assert form.weights[0] == pytest.approx(expected, abs=0.1)
    assert form.constant == 0


def test_nothing_is_added_where_all_lasts_alike_or_the_payoff_says_nothing(forms: Forms) -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(-4, 5, (120_000, 2)).astype(np.float64)
    payoff, noise = 50 + 5 * values.sum(axis=1), rng.normal(0, 10, len(values))
    games = np.arange(len(values)) // 20
    assert telling_features([forms.men, forms.kings], values, payoff, payoff + noise, games) is None
    assert telling_features([forms.men, forms.kings], values, payoff, 50 - payoff + 3 * values[:, 1], games) is None


def test_parts_are_counts_of_what_pays_each_side(forms: Forms) -> None:
    features = [
        forms.men,
        forms.kings,
        forms.at_home,
        forms.mixed,
        forms.pieces.features[0],
        Feature(forms.men.measure),
    ]
    found = payoff_parts(forms.pieces, features, of_game("cylindercheckers").atoms)
    assert found == {forms.men: 5.0, forms.kings: 5.0, forms.at_home: 5.0}


def test_what_pays_is_at_most_doubled_and_never_a_burden(forms: Forms) -> None:
    form = LinearForm((forms.men, forms.kings, forms.at_home), (-30.0, 7.0, 1.5), 0.0)
    assert within({forms.men: 5.0, forms.kings: 5.0, forms.at_home: 5.0}, form).weights == (-5.0, 5.0, 1.5)


def test_what_several_parts_count_is_no_burden_either(forms: Forms) -> None:
    """A man at home pays 5, and both parts take it away."""
    paid = {forms.men: 5.0, forms.kings: 5.0, forms.at_home: 5.0}
    assert within(paid, LinearForm((forms.men, forms.at_home), (-30.0, -30.0), 0.0)).weights == (-2.5, -2.5)
    assert within(paid, LinearForm((forms.men, forms.at_home), (30.0, -30.0), 0.0)).weights == (5.0, -5.0)
    turned = Feature(forms.at_home.parts[1], forms.at_home.parts[0])
    assert within(paid | {turned: 5.0}, LinearForm((forms.men, turned), (-30.0, 30.0), 0.0)).weights == (-2.5, 2.5)


def test_kings_and_men_at_home_last_in_cylinder_checkers(forms: Forms) -> None:
    game = of_game("cylindercheckers")
    correction = OutcomeCorrection(game.engine, game.atoms, (0, 1), np.random.default_rng(1), 6_000)
    form = correction.form(forms.red, [forms.men, forms.kings, forms.at_home], [], Deadline(ENOUGH))
    assert form is not None
    gains = dict(zip(form.features, form.weights, strict=True))
    assert gains.get(forms.kings, 0) - gains.get(forms.men, 0) > 0
    assert gains.get(forms.at_home, 0) > 0
    assert correction.form(forms.red, [], [], Deadline(ENOUGH)) is None


def test_who_can_jump_will_have_more(forms: Forms) -> None:
    """What one side loses by it the other has more, whoever is looked at."""
    game = of_game("cylindercheckers")
    jumps = difference("can_jump", ("red", "black"), (1, 1), (2, 2), (3, 3), (4, 4))
    black = RoleModel(Role("black"), forms.pieces.opposite(), None, 1.0, 0.0)
    for roles, model, sign in (((0, 1), forms.red, 1), ((1, 0), black, -1)):
        correction = OutcomeCorrection(game.engine, game.atoms, roles, np.random.default_rng(1), 2_000)
        form = correction.form(model, [], [jumps, *forms.pieces.features], Deadline(ENOUGH))
        assert form is not None
        assert form.features == (jumps,)
        assert 0.2 * 5 < sign * form.weights[0] < 2 * 5, "a part of a piece, or a series of them"


def test_signs_are_not_limited_by_what_they_pay(forms: Forms) -> None:
    form = LinearForm((forms.men, forms.mixed), (-30.0, 30.0), 0.0)
    assert within({forms.men: 5.0}, form).weights == (-5.0, 30.0)
    assert within({}, form).weights == form.weights


def test_features_that_tell_nothing_are_not_chosen(forms: Forms) -> None:
    """Each is the same in all states of a game, so that only the games are independent: 1,000, and not 8,000."""
    rng = np.random.default_rng(1)
    games, many = np.arange(8_000) // 8, [Feature(forms.men.measure)] * 90
    worth = rng.normal(50, 10, len(games))
    chosen = 0
    for _ in range(10):
        values, noise = rng.normal(0, 1, (1_000, 90))[games], rng.normal(0, 10, 1_000)[games]
        chosen += telling_features(many, values, worth, worth + noise, games) is not None
    assert chosen <= 1
    values[:, 7] += 0.2 * noise
    form = telling_features(many, values, worth, worth + noise, games)
    assert form is not None
    assert len(form.features) == 1


def test_no_more_is_added_than_half_of_the_range(forms: Forms) -> None:
    """Where a piece pays ten times as much, a jump is worth ten times as much, but then it would be too much."""
    game = of_game("cylindercheckers")
    jumps = difference("can_jump", ("red", "black"), (1, 1), (2, 2), (3, 3), (4, 4))
    found = []
    for paid in (5.0, 50.0):
        correction = OutcomeCorrection(game.engine, game.atoms, (0, 1), np.random.default_rng(1), 1_000)
        model = replace(forms.red, payoff=LinearForm(forms.pieces.features, (paid,), 50.0))
        form = correction.form(model, [], [jumps], Deadline(ENOUGH))
        assert form is not None
        found.append(form.weights[0])
    assert found[0] < found[1] < 9 * found[0]
    assert found[1] <= MAX_ADDED


def test_no_time(forms: Forms) -> None:
    game = of_game("cylindercheckers")
    assert (
        OutcomeCorrection(game.engine, game.atoms, (0, 1), np.random.default_rng(1)).form(
            forms.red, [forms.men], [], Deadline(0)
        )
        is None
    )
