"""`BatchEvaluation`: formulas and a norm for batches of states; for several threads at the same time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludens.engines.rows import Rows, row_words
from ludens.engines.sliced.question import Question
from ludens.evaluation.fuzzy.formulas import Formulas
from ludens.evaluation.fuzzy.fuzzy_kernel import EvaluationMemory, evaluate
from ludens.evaluation.fuzzy.layout import lay_out
from ludens.evaluation.fuzzy.norms import Norm

SMALL_LANES, LARGE_LANES = 16, 64
"""The states that are evaluated at once, in small batches and in others."""


class BatchEvaluation:
    """The degrees to which states fulfil the goals of the roles."""

    def __init__(self, formulas: Formulas, norm: Norm) -> None:
        self._layout = lay_out(formulas, norm)
        roles = len(formulas.roles)
        self.identity_mixture = np.hstack([np.zeros((roles, 1)), np.eye(roles)])
        """The mixture that gives the degrees as they are."""
        self._words = row_words(formulas.fluent_count)
        self._question = formulas.circuit and Question(formulas.circuit, formulas.opaque)
        self._free: dict[int, list[EvaluationMemory]] = {SMALL_LANES: [], LARGE_LANES: []}

    def mixed(self, rows: Rows, mixture: NDArray[np.float64]) -> NDArray[np.float64]:
        """[states, roles]: for each role a number and shares [roles, 1 + roles] in the degrees of all roles."""
        rows = np.ascontiguousarray(rows, np.uint64)
        if rows.ndim != 2 or rows.shape[1] != self._words:
            raise ValueError(f"states are rows of {self._words} words for this game, not {rows.shape}")
        answers = self._question.ask(rows) if self._question else np.zeros((len(rows), 0), np.uint64)
        worths = np.zeros((len(rows), len(mixture)))
        lanes = SMALL_LANES if len(rows) <= SMALL_LANES else LARGE_LANES
        memory = self._memory(lanes)
        evaluate(self._layout.tables, memory, rows, answers, mixture, worths)
        self._free[lanes].append(memory)
        return worths

    def degrees(self, rows: Rows) -> NDArray[np.float64]:
        """[states, roles]: from 0 to 1."""
        return self.mixed(rows, self.identity_mixture)

    def _memory(self, lanes: int) -> EvaluationMemory:
        """Return memory that no thread uses now."""
        try:
            return self._free[lanes].pop()
        except IndexError:
            return self._layout.new_memory(lanes)
