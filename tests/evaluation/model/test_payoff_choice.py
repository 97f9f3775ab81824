"""Which of the features that are correlated make up the payoff: the rules one by one, on tables written by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ludens.evaluation.features.feature_set import Feature
from ludens.evaluation.model.forms import LinearForm
from ludens.evaluation.model.payoff import Correlations, payoff_form
from tests.evaluation.features.modelled import counted

PAIRS = 40
TELLING = 20
"""In so many of the pairs, the first ones, the goals change."""
A, B = counted("a"), counted("b")
RELATIVE = counted("c", "foe")


def form_of(
    features: Sequence[Feature],
    changed: Sequence[range],
    strength: Sequence[float] = (0.5, 0.5),
    stability: Sequence[float] = (5, 5),
    spread: Sequence[float] = (1, 1),
    support: Sequence[float] = (0, 0),
) -> LinearForm | None:
    """The payoff of one role, of features that change in these pairs."""
    count = len(features)
    table = np.zeros((PAIRS, count), np.bool_)
    for number, pairs in enumerate(changed):
        table[list(pairs), number] = True
    gains = np.where(np.arange(PAIRS) < TELLING, 100.0, 0.0)[:, None]
    single = np.zeros(count, np.bool_)
    found = Correlations(tuple(features), np.array(strength[:count])[:, None], table, gains, single)
    values = np.array([[-1.0], [1.0]]) * np.array(spread[:count])
    ends = np.array(support[:count], np.float64)[:, None]
    return payoff_form(features, found, 0, np.array(stability[:count], np.float64), values, ends)


def chosen(form: LinearForm | None) -> tuple[Feature, ...]:
    return form.features if form else ()


@pytest.mark.parametrize(("covered", "expected"), [(6, ()), (8, (A,))])
def test_it_must_go_with_enough_of_the_changes_of_the_goals(covered: int, expected: tuple[Feature, ...]) -> None:
    assert chosen(form_of([A], [range(covered)])) == expected


@pytest.mark.parametrize(("common", "expected"), [(4, (A, RELATIVE)), (6, (RELATIVE,))])
def test_one_side_counts_only_for_what_differences_do_not_tell(common: int, expected: tuple[Feature, ...]) -> None:
    assert chosen(form_of([A, RELATIVE], [range(10), range(10 - common, 20)])) == expected


@pytest.mark.parametrize(
    ("strength", "stability", "expected"),
    [
        ((0.9, 0.6), (5, 5), (A,)),  # the second also counts what does not matter
        ((0.7, 0.6), (5, 5), (B,)),  # not much, so it is the whole of which the first is a part
        ((0.7, 0.6), (7, 5), (A, B)),  # a part that is more stable
    ],
)
def test_of_a_whole_and_its_part(
    strength: tuple[float, float], stability: tuple[float, float], expected: tuple[Feature, ...]
) -> None:
    assert chosen(form_of([A, B], [range(TELLING), range(PAIRS)], strength, stability)) == expected


@pytest.mark.parametrize(("spread", "expected"), [((1, 0.04), (A,)), ((1, 0.06), (A, B))])
def test_trifles_are_left_out(spread: tuple[float, float], expected: tuple[Feature, ...]) -> None:
    assert chosen(form_of([A, B], [range(10), range(10, 20)], spread=spread)) == expected


@pytest.mark.parametrize(("support", "expected"), [((-2.1, 0), (B,)), ((-1.9, 0), (A, B)), ((9, 0), (A, B))])
def test_what_ends_contradict_is_not_believed(support: tuple[float, float], expected: tuple[Feature, ...]) -> None:
    assert chosen(form_of([A, B], [range(10), range(10, 20)], support=support)) == expected


def test_weights_are_stabilities_scaled_to_a_hundred() -> None:
    form = form_of([A, B], [range(10), range(10, 20)], (0.5, -0.5), (6, 4), spread=(1, -1))
    assert form is not None
    assert form.weights == pytest.approx((30, -20))
    assert form.constant == pytest.approx(50)


def test_what_never_differs_pays_nothing() -> None:
    assert form_of([A], [range(TELLING)], spread=(0,)) is None
