"""The states that a match has been in: who is ahead gains nothing by going back to them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ludens.analysis.counters import step_counter
from ludens.engines.sliced import SlicedEngine
from ludens.game import State
from ludens.search.alphabeta.sides import Sides
from ludens.search.positions import Floats, Positions, Rows, known_goals


class MetStates:
    """States that were met before, apart from the steps counted, and what moves back to them are worth.

    Whoever goes back and forth comes to the end that the step counter brings. So such a move is worth no more than if
    the game ended there, whatever an evaluator hopes for. Only where all that the counter does is to end the game: then
    nothing else changes with the steps.
    """

    def __init__(self, role: int) -> None:
        self._role = role
        self._states: list[State] = []
        self._rows: set[bytes] = set()
        self._taken = 0
        """How many of the states the rows are of."""
        self._positions: Positions | None = None
        self._mask: Rows | None = None
        """The bits of a row that do not count steps; None if the game has no such counter."""

    def add(self, state: State) -> None:
        self._states.append(state)

    def caps(self, positions: Positions, row: Rows, legal: Sequence[Sequence[int]], sides: Sides) -> dict[int, Floats]:
        """For each move back what all sides get [sides] at most, as a search has it; nothing if all moves lead back.

        Of moves that nobody else answers, and only where looking at all of them costs next to nothing, and where the
        search knows what a side gets for certain: not in max^n.
        """
        moves = legal[self._role]
        alone = all(len(others) == 1 for role, others in enumerate(legal) if role != self._role)
        if sides.maxn or not alone or len(moves) < 2 or not isinstance(positions.engine, SlicedEngine):
            return {}
        self._follow(positions, positions.engine)
        if self._mask is None:
            return {}
        joints = np.array([[others[0] for others in legal]] * len(moves), np.int32)
        joints[:, self._role] = moves
        after = positions.expand(np.repeat(row, len(moves), axis=0), joints)
        back = [(row & self._mask).tobytes() in self._rows for row in after.rows]
        if all(back):
            return {}
        values = np.clip(known_goals(after.goals)[:, sides.representatives], sides.lowest, sides.highest)
        values[:, 0] -= values @ sides.taken
        return {move: values[place] for place, move in enumerate(moves) if back[place]}

    def _follow(self, positions: Positions, engine: SlicedEngine) -> None:
        """Take in the states that are new since the last time."""
        if self._positions is not positions:
            counter = step_counter(engine)
            self._mask = None if counter is None or counter.ends_at is None else ~counter.mask
            self._positions, self._rows, self._taken = positions, set(), 0
        new = self._states[self._taken :]
        if self._mask is not None:
            self._rows.update((positions.row(state)[0] & self._mask).tobytes() for state in new)
        self._taken += len(new)
