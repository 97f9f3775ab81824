"""A player as its users write one."""

from __future__ import annotations

from ludens.core import Move, Role
from ludens.game import State
from ludens.players import BasePlayer
from ludens.runtime.deadline import Deadline

LOOKED_AT = 3


class Own(BasePlayer):
    """Looks one move ahead for some of its moves, as long as there is time."""

    def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
        others = {other: state.legal_moves(other)[0] for other in state.game.roles}
        best, most = state.legal_moves(role)[0], -1
        for move in state.legal_moves(role)[:LOOKED_AT]:
            if deadline.passed:
                self.report("there was no time to look at all moves")
                break
            points = state.next({**others, role: move}).goals[role] or 0
            if points > most:
                best, most = move, points
        return best
