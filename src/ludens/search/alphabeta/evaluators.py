"""The simplest thing to say about a state that is not the end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.core import Engine
from ludens.game import Game, State
from ludens.search.positions import UNKNOWN_GOAL


class EarlyPayoff:
    """A state is worth what the goals in it say, as if the game ended there.

    Whoever expands states gets their goals along with them. Alpha-beta therefore takes those it has instead of asking
    for them batch by batch, which gives the same values and does not leave the kernel.
    """

    def __init__(self, game: Game) -> None:
        self._game = game

    def evaluate(self, states: Any) -> NDArray[np.float64]:
        """[batch, roles]; the states may be a batch of either engine of the game."""
        goals = self._engine_of(states).goals(states)
        return np.where(goals < 0, UNKNOWN_GOAL, goals).astype(np.float64)

    def _engine_of(self, states: Any) -> Engine[Any]:
        """The game may have been compiled since the batch was made, or the compiled engine not know its states."""
        return self._game.engine if isinstance(states, np.ndarray) else self._game.reference_engine

    def explain(self, state: State) -> str:
        goals = ((role, UNKNOWN_GOAL if goal is None else goal) for role, goal in state.goals.items())
        return "if the game ended here: " + ", ".join(f"{role} {goal:g}" for role, goal in goals)
