"""The algebra of degrees of truth."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ludens.evaluation.fuzzy.norms import HALF, MIN_THRESHOLD, POWERS, Norm, weighted_sum

NEAR = 1e-9


@st.composite
def norms(draw: st.DrawFn) -> Norm:
    t = draw(st.floats(MIN_THRESHOLD, 0.99))
    return Norm(draw(st.floats(t, 0.99)), t, draw(st.sampled_from(POWERS)))


def degrees_of(norm: Norm) -> st.SearchStrategy[float]:
    """Degrees that a formula can have."""
    return st.floats(0, 1 - norm.t) | st.floats(norm.t, 1)


@st.composite
def norms_and_degrees(draw: st.DrawFn) -> tuple[Norm, list[float]]:
    norm = draw(norms())
    return norm, draw(st.lists(degrees_of(norm), max_size=12))


@given(norms_and_degrees())
def test_degrees_tell_the_truth(drawn: tuple[Norm, list[float]]) -> None:
    norm, degrees = drawn
    together, either = norm.conjunction(degrees), norm.disjunction(degrees)
    assert norm.t <= together <= 1 if all(degree > HALF for degree in degrees) else 0 <= together <= 1 - norm.t
    assert norm.t <= either <= 1 if any(degree > HALF for degree in degrees) else 0 <= either <= 1 - norm.t


@given(norms_and_degrees())
def test_a_disjunction_is_the_dual_of_a_conjunction(drawn: tuple[Norm, list[float]]) -> None:
    norm, degrees = drawn
    opposites = [1 - degree for degree in degrees]
    assert norm.disjunction(degrees) == pytest.approx(1 - norm.conjunction(opposites), abs=NEAR)
    assert norm.conjunction(degrees) == pytest.approx(1 - norm.disjunction(opposites), abs=NEAR)


@given(norms_and_degrees(), st.data())
def test_more_of_a_part_is_never_less_of_the_whole(drawn: tuple[Norm, list[float]], data: st.DataObject) -> None:
    norm, degrees = drawn
    assume(degrees)
    place = data.draw(st.integers(0, len(degrees) - 1))
    more = [*degrees]
    more[place] = max(degrees[place], data.draw(degrees_of(norm)))
    assert norm.conjunction(more) >= norm.conjunction(degrees) - NEAR
    assert norm.disjunction(more) >= norm.disjunction(degrees) - NEAR


@given(norms_and_degrees(), st.randoms())
def test_the_order_of_parts_does_not_matter(drawn: tuple[Norm, list[float]], rng: object) -> None:
    norm, degrees = drawn
    shuffled = [*degrees]
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert norm.conjunction(shuffled) == norm.conjunction(degrees)
    assert norm.disjunction(shuffled) == norm.disjunction(degrees)


@given(norms(), st.data())
def test_one_part_alone_is_the_whole(norm: Norm, data: st.DataObject) -> None:
    degree = data.draw(degrees_of(norm))
    assert norm.conjunction([degree]) == pytest.approx(degree, abs=NEAR)
    assert norm.conjunction([degree, 1.0]) == pytest.approx(degree, abs=NEAR)
    assert norm.disjunction([degree, 0.0]) == pytest.approx(degree, abs=NEAR)
    assert norm.conjunction([degree, 0.0]) == 0


@given(norms_and_degrees(), norms_and_degrees())
def test_nesting_where_the_threshold_has_no_say(
    drawn: tuple[Norm, list[float]], others: tuple[Norm, list[float]]
) -> None:
    """Sums do not depend on brackets; with a false part in each bracket nothing is lifted to the threshold."""
    norm, degrees = drawn
    first, second = [*degrees, 1 - norm.t], [*(degree for degree in others[1] if degree > norm.t), 1 - norm.p]
    nested = norm.conjunction([norm.conjunction(first), norm.conjunction(second)])
    assert nested == pytest.approx(norm.conjunction([*first, *second]), abs=NEAR)


@given(norms(), st.integers(1, 40), st.integers(1, 40))
def test_nesting_of_what_is_all_true(norm: Norm, left: int, right: int) -> None:
    many = [norm.p] * (left + right)
    nested = norm.conjunction([norm.conjunction(many[:left]), norm.conjunction(many[left:])])
    assert norm.t <= nested <= norm.p + NEAR
    assert norm.t <= norm.conjunction(many) <= norm.p + NEAR


@given(norms(), st.integers(2, 30))
def test_more_subgoals_met_are_better(norm: Norm, subgoals: int) -> None:
    """As in the blocks world; until so much is missing that the degree is 0."""
    degrees = [norm.conjunction([norm.crisp(place < met) for place in range(subgoals)]) for met in range(subgoals + 1)]
    for fewer, more in pairwise(degrees):
        assert fewer < more or fewer == 0 == more


@given(st.lists(st.floats(0, 0.4) | st.floats(0.6, 1), min_size=1, max_size=6))
def test_the_exponent_1_adds_up_what_is_missing(degrees: list[float]) -> None:
    norm = Norm(0.9, 0.6, 1)
    expected = max(0.0, 1 - sum(1 - degree for degree in degrees))
    if all(degree > HALF for degree in degrees):
        expected = max(expected, norm.t)
    assert norm.conjunction(degrees) == pytest.approx(expected, abs=NEAR)


@given(st.lists(st.floats(0, 0.4) | st.floats(0.6, 1), min_size=1, max_size=6))
def test_large_exponents_look_at_the_worst_part(degrees: list[float]) -> None:
    least, most = min(degrees), max(degrees)
    gaps = [
        (least - Norm(0.9, 0.6, q).conjunction(degrees), Norm(0.9, 0.6, q).disjunction(degrees) - most) for q in POWERS
    ]
    for (conjunction, disjunction), (next_conjunction, next_disjunction) in pairwise(gaps):
        assert -NEAR <= next_conjunction <= conjunction + NEAR
        assert -NEAR <= next_disjunction <= disjunction + NEAR
    assert max(gaps[-1]) <= len(degrees) ** (1 / POWERS[-1]) - 1 + NEAR


@given(norms(), st.floats(0, 1), st.lists(st.floats(0, 0.999), max_size=5))
def test_atoms_are_on_their_sides(norm: Norm, degree: float, closeness: list[float]) -> None:
    for holds, value in product(
        (False, True),
        (norm.crisp, lambda holds: norm.comparison(holds, degree), lambda holds: norm.graded(holds, closeness)),
    ):
        assert norm.t - NEAR <= value(holds) <= 1 if holds else 0 <= value(holds) <= 1 - norm.t + NEAR


def test_graded_atoms_take_the_mean_of_what_is_near() -> None:
    norm = Norm(0.8, 0.6, 2)
    assert norm.graded(True, [0.1]) == 0.8
    assert norm.graded(False, []) == 0
    assert norm.graded(False, [0.5, 1.0]) == pytest.approx(0.4 * 0.75)


def test_the_end_is_wanted_only_where_the_goal_is_met() -> None:
    norm = Norm(0.8, 0.6, 2)
    assert norm.goal(0.8, 0.2) < norm.goal(0.8, 0.8)
    assert norm.goal(0.2, 0.2) > norm.goal(0.2, 0.8)
    assert norm.goal(0.7, 0.0) > HALF > norm.goal(0.3, 1.0)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 100)), max_size=6))
def test_weighted_sums(goals: list[tuple[float, int]]) -> None:
    """The product co-norm: 1 as soon as 100 is certain, and never below any of its parts."""
    degrees, values = [degree for degree, _ in goals], [value for _, value in goals]
    total = weighted_sum(degrees, values)
    assert 0 <= total <= 1
    assert all(total >= degree * value / 100 - NEAR for degree, value in goals)
    assert weighted_sum([1.0, *degrees], [100, *values]) == 1


@pytest.mark.parametrize(
    ("p", "t", "q", "message"),
    [
        (0.9, 0.5, 2, "need 0.51 <= t <= p < 1, not t = 0.5 and p = 0.9"),
        (0.6, 0.7, 2, "not t = 0.7 and p = 0.6"),
        (1.0, 0.7, 2, "not t = 0.7 and p = 1"),
        (float("nan"), 0.7, 2, "not t = 0.7 and p = nan"),
        (0.9, 0.6, 3, "the exponent q is one of 1, 2, 4, 8, 16, not 3"),
        (0.9, 0.6, 0, "not 0"),
    ],
)
def test_parameters_that_make_no_sense(p: float, t: float, q: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Norm(p, t, q)
