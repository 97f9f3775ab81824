"""Repetition: moves back to states that the match has been in gain nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ludens.analysis.counters import step_counter
from ludens.engines.base import Floats, known_goals
from ludens.engines.rows import Rows
from ludens.engines.sliced.tables import CircuitTables
from ludens.game import State
from ludens.search.alphabeta.sides import Sides
from ludens.search.view import GameView


class Repetition:
    """The states of a match, apart from their step counter, and the caps on moves back to them.

    Going back and forth leads to the end that the step counter brings. So such a move is worth no more than if the game
    ended there, whatever an evaluator hopes for. This holds only where the counter does nothing but end the game.
    """

    def __init__(self, role: int) -> None:
        self._role = role
        self._states: list[State] = []
        self._rows: set[bytes] = set()
        self._taken = 0
        """The number of states whose rows were added."""
        self._view: GameView | None = None
        self._mask: Rows | None = None
        """The bits of a row that do not count steps; None if the game has no such counter."""

    def add(self, state: State) -> None:
        self._states.append(state)

    def caps(self, view: GameView, row: Rows, legal: Sequence[Sequence[int]], sides: Sides) -> dict[int, Floats]:
        """Return for each move back the most that all sides get [sides]; nothing if all moves lead back.

        This is for states where no other role has a choice, on the compiled engine, where looking at all moves costs
        little, and not for max^n, where the search does not know what a side gets for certain.
        """
        moves = legal[self._role]
        alone = all(len(others) == 1 for role, others in enumerate(legal) if role != self._role)
        if sides.maxn or not alone or len(moves) < 2 or view.engine.circuit is None:
            return {}
        self._update(view, view.engine.circuit)
        if self._mask is None:
            return {}
        joints = np.array([[others[0] for others in legal]] * len(moves), np.int32)
        joints[:, self._role] = moves
        after = view.engine.expand(np.repeat(row, len(moves), axis=0), joints)
        back = [(row & self._mask).tobytes() in self._rows for row in after.rows]
        if all(back):
            return {}
        values = np.clip(known_goals(after.goals)[:, sides.representatives], sides.lowest, sides.highest)
        values[:, 0] -= values @ sides.taken
        return {move: values[place] for place, move in enumerate(moves) if back[place]}

    def _update(self, view: GameView, circuit: CircuitTables) -> None:
        """Add the rows of the states that are new since the last search."""
        if self._view is not view:
            counter = step_counter(circuit)
            self._mask = None if counter is None or counter.ends_at is None else ~counter.mask
            self._view, self._rows, self._taken = view, set(), 0
        new = self._states[self._taken :]
        if self._mask is not None:
            self._rows.update((view.row(state)[0] & self._mask).tobytes() for state in new)
        self._taken += len(new)
