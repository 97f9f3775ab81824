"""Formulas of no game, made at random, and the plain evaluation of whole batches of states."""

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray

from ludens.engines.rows import Rows, unpack
from ludens.evaluation.fuzzy.formulas import Formulas, GoalValue
from ludens.evaluation.fuzzy.norms import Norm
from ludens.evaluation.fuzzy.reference import reference_degrees, reference_values


def random_formulas(rng: Random, roles: int = 2, fluents: int = 70, gates: int = 40) -> Formulas:
    """With leaves of all kinds but opaque ones, gates of many sizes, and goals that may be leaves or constants."""
    leaves = rng.sample(range(fluents), rng.randint(1, fluents))
    near = [rng.sample(range(fluents), rng.choice((0, 0, 1, 5, 30))) for _ in leaves]
    comparisons = rng.randint(0, 5)
    inputs: list[list[int]] = []
    nodes = 1 + len(leaves) + comparisons
    for _ in range(gates):
        size = rng.choice((0, 1, 2, 3, 4, 7, 8, 20))
        latest = rng.choice((0, 2 * nodes // 3))
        inputs.append([rng.randrange(2 * latest, 2 * nodes) for _ in range(size)])
        nodes += 1
    return Formulas(
        roles=tuple(f"role{number}" for number in range(roles)),
        fluent_count=fluents,
        fluents=np.array(leaves, np.int32),
        near_starts=np.cumsum([0, *map(len, near)], dtype=np.int32),
        near_fluents=np.array([fluent for each in near for fluent in each], np.int32),
        near_degrees=np.array([rng.random() for each in near for _ in each], np.float32),
        comparison_holds=np.array([rng.random() < 0.5 for _ in range(comparisons)], np.bool_),
        comparison_degrees=np.array([rng.choice((0, 1, rng.random())) for _ in range(comparisons)], np.float32),
        opaque=np.zeros(0, np.int32),
        circuit=None,
        starts=np.cumsum([0, *map(len, inputs)], dtype=np.int32),
        inputs=np.array([literal for each in inputs for literal in each], np.int32),
        goals=tuple(_random_goals(rng, nodes) for _ in range(roles)),
        terminal=rng.randrange(2 * nodes),
        names={},
        left_out=(),
    )


def _random_goals(rng: Random, nodes: int) -> tuple[GoalValue, ...]:
    values = sorted(rng.sample(range(101), rng.randint(0, 4)))
    return tuple(GoalValue(value, rng.randrange(2 * nodes)) for value in values)


def degrees_one_by_one(formulas: Formulas, rows: Rows, norm: Norm) -> NDArray[np.float64]:
    """[states, roles]: how good states are for each role, state by state and formula by formula."""
    degrees = [
        reference_degrees(formulas, reference_values(formulas, facts, norm), norm)
        for facts in unpack(rows, formulas.fluent_count)
    ]
    return np.array(degrees).reshape(len(rows), len(formulas.roles))
