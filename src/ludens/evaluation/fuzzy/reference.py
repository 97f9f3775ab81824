"""Degrees of truth of one state, formula by formula: what the fast evaluation must agree with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ludens.engines.rows import pack, unpack
from ludens.engines.sliced.question import Question
from ludens.evaluation.fuzzy.formulas import Formulas
from ludens.evaluation.fuzzy.norms import Norm, weighted_sum

Bits = NDArray[np.bool_]


def reference_values(formulas: Formulas, facts: Bits, norm: Norm, opaque: Sequence[bool] | None = None) -> list[float]:
    """[nodes]: the degree of each; `facts` [fluents] tells which of the engine's fluents hold.

    `opaque` tells which opaque atoms hold, if that is known already.
    """
    values = [0.0]
    for leaf, fluent in enumerate(formulas.fluents.tolist()):
        start, end = formulas.near_starts[leaf : leaf + 2]
        if start == end:
            values.append(norm.crisp(bool(facts[fluent])))
        else:
            held = facts[formulas.near_fluents[start:end]]
            values.append(norm.graded(bool(facts[fluent]), formulas.near_degrees[start:end][held].tolist()))
    for holds, degree in zip(formulas.comparison_holds.tolist(), formulas.comparison_degrees.tolist(), strict=True):
        values.append(norm.comparison(holds, degree))
    values += [norm.crisp(holds) for holds in (opaque_truth(formulas, facts) if opaque is None else opaque)]
    for start, end in zip(formulas.starts[:-1].tolist(), formulas.starts[1:].tolist(), strict=True):
        values.append(norm.conjunction(degree_of(values, literal) for literal in formulas.inputs[start:end].tolist()))
    return values


def opaque_truth(formulas: Formulas, facts: Bits) -> list[bool]:
    """Return which opaque atoms hold."""
    if formulas.circuit is None:
        return []
    answer = Question(formulas.circuit, formulas.opaque).ask(pack(facts[np.newaxis]))
    return [bool(holds) for holds in unpack(answer, len(formulas.opaque))[0]]


def degree_of(values: Sequence[float], literal: int) -> float:
    """Return the degree of a literal, by those of the nodes."""
    return 1 - values[literal >> 1] if literal & 1 else values[literal >> 1]


def reference_degrees(formulas: Formulas, values: Sequence[float], norm: Norm) -> list[float]:
    """[roles]: how good the state is for the goals of each role, by the degrees of the nodes."""
    end = degree_of(values, formulas.terminal)
    return [
        weighted_sum(
            [norm.goal(degree_of(values, goal.literal), end) for goal in goals], [goal.value for goal in goals]
        )
        for goals in formulas.goals
    ]
