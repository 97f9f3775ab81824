"""Matrix games: known equilibria, and the conditions that make any equilibrium one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from ludens.search.matrix_kernel import Floats, solve_matrix
from tests.search.oracles import equilibrium_value
from tests.tiers import examples

ROUNDING = 1e-9


def check(payoffs: ArrayLike) -> tuple[float, Floats, Floats]:
    """Solve, and check that neither side can do better."""
    matrix = np.array(payoffs, np.float64)
    before = matrix.copy()
    value, rows, columns = solve_matrix(matrix)
    np.testing.assert_array_equal(matrix, before)
    scale = max(1.0, float(np.abs(matrix).max()))
    for mixture, count in zip((rows, columns), matrix.shape, strict=True):
        assert mixture.shape == (count,)
        assert (mixture >= 0).all()
        assert abs(mixture.sum() - 1) < ROUNDING
    assert abs((rows @ matrix).min() - value) < ROUNDING * scale
    assert abs((matrix @ columns).max() - value) < ROUNDING * scale
    return value, rows, columns


@pytest.mark.parametrize(
    ("payoffs", "value", "rows", "columns"),
    [
        ([[1, -1], [-1, 1]], 0, [1 / 2, 1 / 2], [1 / 2, 1 / 2]),
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], 0, [1 / 3] * 3, [1 / 3] * 3),
        # Winning with rock counts twice, and with rock, paper, scissors once, twice, three times.
        ([[0, -1, 2], [1, 0, -1], [-2, 1, 0]], 0, [1 / 4, 1 / 2, 1 / 4], [1 / 4, 1 / 2, 1 / 4]),
        ([[0, -2, 1], [2, 0, -3], [-1, 3, 0]], 0, [3 / 6, 1 / 6, 2 / 6], [3 / 6, 1 / 6, 2 / 6]),
        ([[50, 0, 100], [100, 50, 0], [0, 100, 50]], 50, [1 / 3] * 3, [1 / 3] * 3),
        # Morra with one or two fingers.
        ([[2, -3], [-3, 4]], -1 / 12, [7 / 12, 5 / 12], [7 / 12, 5 / 12]),
        # The middle row is worse than a mixture of the others, though not worse than either.
        ([[4, 0], [1, 1], [0, 4]], 2, [1 / 2, 0, 1 / 2], [1 / 2, 1 / 2]),
    ],
)
def test_known_equilibria(payoffs: ArrayLike, value: float, rows: list[float], columns: list[float]) -> None:
    found = check(payoffs)
    assert found[0] == pytest.approx(value, abs=ROUNDING)
    np.testing.assert_allclose(found[1], rows, atol=ROUNDING)
    np.testing.assert_allclose(found[2], columns, atol=ROUNDING)


@examples(200)
@given(st.tuples(*[st.integers(-100, 100)] * 4))
def test_two_by_two_has_a_closed_form(numbers: tuple[int, int, int, int]) -> None:
    a, b, c, d = numbers
    lower, upper = max(min(a, b), min(c, d)), min(max(a, c), max(b, d))
    expected = lower if lower == upper else (a * d - b * c) / (a + d - b - c)
    assert check([[a, b], [c, d]])[0] == pytest.approx(expected, abs=ROUNDING)


def matrices(numbers: st.SearchStrategy[float], largest: int) -> st.SearchStrategy[list[list[float]]]:
    sizes = st.tuples(st.integers(1, largest), st.integers(1, largest))
    return sizes.flatmap(
        lambda size: st.lists(st.lists(numbers, min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0])
    )


@examples(300)
@given(
    st.one_of(
        matrices(st.sampled_from([0.0, 1.0]), 8),
        matrices(st.sampled_from([0.0, 50.0, 100.0]), 10),
        matrices(st.integers(0, 100).map(float), 8),
        matrices(st.floats(-1e6, 1e6), 6),
    )
)
def test_nobody_can_do_better(payoffs: list[list[float]]) -> None:
    check(payoffs)


@examples(100)
@given(matrices(st.integers(-5, 5).map(float), 4))
def test_value_is_that_of_exact_fractions(payoffs: list[list[float]]) -> None:
    assert check(payoffs)[0] == pytest.approx(float(equilibrium_value(payoffs)), abs=ROUNDING)


@examples(60)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32))
def test_large_matrices(rows: int, columns: int, seed: int) -> None:
    """Payoffs of any kind, with rows that are there twice, and with differences that come from rounding."""
    rng = np.random.default_rng(seed)
    kinds = [rng.random((rows, columns)), rng.integers(0, 2, (rows, columns)), rng.integers(0, 5, (rows, columns)) * 25]
    payoffs = kinds[seed % 3].astype(float)
    check(payoffs)
    check(payoffs + rng.integers(-2, 3, payoffs.shape) * 2.0**-44)
    check(np.concatenate([payoffs, payoffs]))


@examples(100)
@given(matrices(st.integers(-9, 9).map(float), 5))
def test_sides_can_be_exchanged_and_scales_do_not_matter(payoffs: list[list[float]]) -> None:
    matrix = np.array(payoffs)
    value = check(matrix)[0]
    assert check(-matrix.T)[0] == pytest.approx(-value, abs=ROUNDING)
    assert check(1e-3 * matrix + 7)[0] == pytest.approx(1e-3 * value + 7, abs=ROUNDING)


@pytest.mark.parametrize("payoffs", [[[3.0]], [[3.0, 1.0, 2.0]], [[3.0], [1.0], [2.0]], [[7.0] * 4] * 3, [[0.0] * 5]])
def test_pure_choices(payoffs: list[list[float]]) -> None:
    value, rows, columns = check(payoffs)
    assert value == max(map(min, payoffs))
    assert sorted(rows)[-1] == sorted(columns)[-1] == 1.0


def test_saddle_point_is_found_exactly() -> None:
    value, rows, columns = check([[0.1, 0.7, 0.2], [0.3, 0.9, 0.8], [0.2, 0.1, 0.9]])
    assert (value, rows.tolist(), columns.tolist()) == (0.3, [0, 1, 0], [1, 0, 0])


def test_slices_of_other_arrays() -> None:
    room = np.array([[1.0, -1.0, 9.0], [-1.0, 1.0, 9.0], [9.0, 9.0, 9.0]])
    assert solve_matrix(room[:2, :2]).value == pytest.approx(0)
    assert solve_matrix(room.T[:2, :2]).value == pytest.approx(0)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_nothing_to_choose_from(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="at least one row and one column"):
        solve_matrix(np.zeros(shape))


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_odd_numbers(odd: float) -> None:
    matrix = np.array([[1.0, 0.0], [0.0, 1.0]])
    matrix[1, 0] = odd
    with pytest.raises(ValueError, match="finite"):
        solve_matrix(matrix)
