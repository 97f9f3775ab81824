"""Variations: joint moves and the states along them; the best one that a single role has found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ludens.engines.base import Expansion
from ludens.engines.rows import Rows
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta.memory_kernel import MAX_PV
from ludens.search.view import GameView

JointMoves = list[list[int]]
"""A sequence of joint moves, by the numbers of the view."""


class Variation:
    """Joint moves from a state on, and the states along them."""

    def __init__(self, view: GameView, row: Rows, moves: JointMoves) -> None:
        self._view = view
        self.row = row
        self.moves: JointMoves = []
        self.states: list[Expansion] = []
        """The states after each joint move."""
        for joint in moves:
            self._add(joint)

    def _add(self, joint: list[int]) -> None:
        before = self.states[-1].rows if self.states else self.row
        self.states.append(self._view.engine.expand(before, np.array([joint], np.int32)))
        self.moves.append(joint)

    def lengthen(self, best_move: Callable[[Rows], int], deadline: Deadline) -> None:
        """Append the best moves known, while it is one player's turn, to the end or the deadline."""
        view, roles = self._view, len(self._view.roles)
        state = self.states[-1] if self.states else view.engine.look(self.row)
        while len(self.moves) < MAX_PV and not state.terminal[0] and not deadline.passed:
            legal = [state.legal(0, role).tolist() for role in range(roles)]
            choosers = [role for role in range(roles) if len(legal[role]) > 1]
            if not all(legal) or len(choosers) > 1 or view.chance in choosers:
                break
            joint = [moves[0] for moves in legal]
            if choosers:
                joint[choosers[0]] = best_move(state.rows[0])
                if joint[choosers[0]] not in legal[choosers[0]]:
                    break
            self._add(joint)
            state = self.states[-1]


class BestVariation:
    """The best variation to an end that a single role has found, so that no later search settles for less."""

    def __init__(self) -> None:
        self._rest: dict[bytes, JointMoves] = {}
        """The rest of the variation from each state on it."""
        self.value = -1.0

    def keep(self, found: Variation, role: int) -> None:
        """Remember a variation if it leads to an end that is better than the one known."""
        if not found.states or not found.states[-1].terminal[0] or found.states[-1].goals[0, role] <= self.value:
            return
        self.value = float(found.states[-1].goals[0, role])
        rows = [found.row, *(state.rows for state in found.states[:-1])]
        self._rest = {before.tobytes(): found.moves[place:] for place, before in enumerate(rows)}

    def rest(self, row: Rows) -> JointMoves:
        """Return the rest of the variation from a state on; nothing if the state is not on it."""
        return self._rest.get(row.tobytes(), [])
