"""The simplest thing to say about a state that is not the end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludens.engines.base import UNKNOWN_GOAL, Engine, known_goals
from ludens.engines.rows import Rows
from ludens.game import Game, State


class EarlyPayoff:
    """A state is worth what the goals in it say, as if the game ended there.

    Whoever expands states gets their goals along with them. Alpha-beta therefore takes those it has instead of asking
    for them batch by batch, which gives the same values and does not leave the kernel.
    """

    def __init__(self, game: Game) -> None:
        self._game = game

    def evaluate(self, rows: Rows, engine: Engine | None = None) -> NDArray[np.float64]:
        """[states, roles]; the rows are of any engine of the game, by default the one that it has."""
        return known_goals((engine or self._game.engine).goals(rows))

    def explain(self, state: State) -> str:
        goals = ((role, UNKNOWN_GOAL if goal is None else goal) for role, goal in state.goals.items())
        return "if the game ended here: " + ", ".join(f"{role} {goal:g}" for role, goal in goals)
