"""The evaluation of batches: the same degrees as formula by formula, whatever the batch and the machine."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.engines.rows import Rows, pack, row_words
from ludens.evaluation.fuzzy.batches import LARGE_LANES, SMALL_LANES, BatchEvaluation
from ludens.evaluation.fuzzy.formulas import Formulas, GoalValue
from ludens.evaluation.fuzzy.norms import MIN_THRESHOLD, POWERS, Norm
from ludens.runtime.jit import JIT_OFF
from tests.child import run_child
from tests.evaluation.fuzzy.random_formulas import degrees_one_by_one, random_formulas
from tests.evaluation.fuzzy.unrolled import random_states, unrolled
from tests.tiers import examples, first

EXACT = 1e-5
NO_JIT = """
from ludens.runtime.jit import JIT_OFF
from tests.evaluation.fuzzy.test_batches import some_degrees
assert JIT_OFF
print(*some_degrees())
"""


def random_rows(formulas: Formulas, states: int, seed: int) -> Rows:
    generator = np.random.default_rng(seed)
    return pack(generator.random((states, formulas.fluent_count)) < generator.random((states, 1)))


@examples(60)
@given(
    seed=st.integers(0, 2**32),
    states=st.sampled_from((1, SMALL_LANES, SMALL_LANES + 1, LARGE_LANES + 3)),
    t=st.floats(MIN_THRESHOLD, 0.95),
    p=st.floats(0, 1),
    q=st.sampled_from(POWERS),
)
def test_random_formulas(seed: int, states: int, t: float, p: float, q: int) -> None:
    norm = Norm(t + p * (0.99 - t), t, q)
    formulas = random_formulas(Random(seed))
    rows = random_rows(formulas, states, seed)
    found = BatchEvaluation(formulas, norm).degrees(rows)
    np.testing.assert_allclose(found, degrees_one_by_one(formulas, rows, norm), atol=EXACT)


@examples(30)
@given(seed=st.integers(0, 2**32), q=st.sampled_from(POWERS))
def test_the_truth_is_never_lost_by_rounding(seed: int, q: int) -> None:
    """Nearly at one half, in deep formulas: a role that only wants 100 has a degree of t at least if it has won."""
    norm = Norm(MIN_THRESHOLD, MIN_THRESHOLD, q)
    formulas = random_formulas(Random(seed), gates=150)
    last = 2 * formulas.node_count - 2
    formulas = replace(formulas, goals=((GoalValue(100, last),), (GoalValue(100, last + 1),)))
    degrees = BatchEvaluation(formulas, norm).degrees(random_rows(formulas, 70, seed))
    assert ((degrees > norm.t - 1e-7) | (degrees < 1 - norm.t + 1e-7)).all()
    assert ((degrees[:, 0] > 0.5) != (degrees[:, 1] > 0.5)).all()


@pytest.mark.parametrize(
    "name",
    first(
        4,
        [
            "tictactoe",
            "racetrackcorridor",
            "hex",
            "dicerace",
            "checkers",
            "breakthrough",
            "chinesecheckers3",
            "othello",
        ],
    ),
)
def test_states_of_real_games(name: str) -> None:
    one = unrolled(name)
    rows = one.engine.encode([*random_states(one.game, 6, seed=1)])
    for norm in (Norm(), Norm(0.9, 0.6, 1), Norm(0.7, 0.65, 16)):
        found = BatchEvaluation(one.formulas, norm).degrees(rows)
        np.testing.assert_allclose(found, degrees_one_by_one(one.formulas, rows, norm), atol=EXACT)


def test_the_batch_does_not_matter() -> None:
    """Each state has the same degrees alone, in a small batch, in a large one, in any place, and every time."""
    formulas = random_formulas(Random(5))
    batches, rows = BatchEvaluation(formulas, Norm()), random_rows(formulas, 200, 5)
    together = batches.degrees(rows)
    assert (batches.degrees(rows) == together).all()
    assert (batches.degrees(rows[::-1]) == together[::-1]).all()
    assert (np.concatenate([batches.degrees(rows[place : place + 1]) for place in range(200)]) == together).all()
    assert (np.concatenate([batches.degrees(part) for part in np.split(rows, 20)]) == together).all()
    assert batches.degrees(rows[:0]).shape == (0, 2)


def test_threads_do_not_disturb_each_other() -> None:
    formulas = random_formulas(Random(6), gates=300)
    batches, rows = BatchEvaluation(formulas, Norm()), random_rows(formulas, 512, 6)
    expected = batches.degrees(rows)
    with ThreadPoolExecutor(4) as pool:
        assert all((found == expected).all() for found in pool.map(batches.degrees, [rows] * 40))


def test_mixtures() -> None:
    formulas = random_formulas(Random(7), roles=3)
    batches, rows = BatchEvaluation(formulas, Norm()), random_rows(formulas, 30, 7)
    mixture = np.arange(12.0).reshape(3, 4)
    degrees = batches.degrees(rows)
    np.testing.assert_allclose(batches.mixed(rows, mixture), mixture[:, 0] + degrees @ mixture[:, 1:].T)


def some_degrees() -> list[float]:
    found: list[float] = []
    for seed in range(6):
        formulas = random_formulas(Random(seed))
        batches = BatchEvaluation(formulas, Norm(0.8, 0.6, 2 ** (seed % 5)))
        for states in (3, 20):
            found += batches.degrees(random_rows(formulas, states, seed)).ravel().tolist()
    return found


def test_the_same_without_machine_code() -> None:
    """To the precision of single numbers: products and sums may be rounded together."""
    assert not JIT_OFF
    plain = [float(word) for word in run_child(NO_JIT, jit=False).split()]
    np.testing.assert_allclose(some_degrees(), plain, atol=1e-6)


def test_rows_of_another_game_are_refused() -> None:
    formulas = random_formulas(Random(8))
    words = row_words(formulas.fluent_count)
    with pytest.raises(ValueError, match=f"states are rows of {words} words for this game, not \\(2, 1\\)"):
        BatchEvaluation(formulas, Norm()).degrees(np.zeros((2, 1), np.uint64))
