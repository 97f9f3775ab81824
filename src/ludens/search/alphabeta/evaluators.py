"""`EarlyPayoff`, the simplest evaluator, and `SelectiveEvaluator`, what evaluators can declare for the search."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ludens.engines.base import UNKNOWN_GOAL, Engine, known_goals
from ludens.engines.rows import Rows
from ludens.game import Game, State


@runtime_checkable
class SelectiveEvaluator(Protocol):
    """An evaluator that can say what it does not depend on."""

    def ignores(self, fluents: Collection[int]) -> bool:
        """Return whether the worth of states does not depend on these fluents of the compiled engine."""
        ...


class EarlyPayoff:
    """A state is worth what the goals in it say, as if the game ended there.

    The goals of states come with their expansion. Alpha-beta therefore takes those it has instead of asking for them
    batch by batch, which gives the same values and does not leave the kernel.
    """

    def __init__(self, game: Game) -> None:
        self._game = game

    def evaluate(self, rows: Rows, engine: Engine | None = None) -> NDArray[np.float64]:
        """[states, roles]; the rows are of any engine of the game, by default the one that it has."""
        return known_goals((engine or self._game.engine).goals(rows))

    def ignores(self, fluents: Collection[int]) -> bool:
        """Return True: what goals depend on is known to the search itself."""
        return True

    def explain(self, state: State) -> str:
        goals = ((role, UNKNOWN_GOAL if goal is None else goal) for role, goal in state.goals.items())
        return "if the game ended here: " + ", ".join(f"{role} {goal:g}" for role, goal in goals)
