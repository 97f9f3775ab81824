"""Players that do not think; they are opponents to measure others by."""

from __future__ import annotations

from random import Random

from ludens.core import Move, Role
from ludens.game import State
from ludens.players.base import BasePlayer
from ludens.runtime.deadline import Deadline


class LegalPlayer(BasePlayer):
    """Makes the first legal move."""

    needs_state = False

    def __init__(self) -> None:
        super().__init__("legal")

    def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
        return state.legal_moves(role)[0]


class RandomPlayer(BasePlayer):
    """Makes any legal move, all with equal chances."""

    needs_state = False

    def __init__(self, rng: Random) -> None:
        super().__init__("random", rng)

    def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
        return self._rng.choice(state.legal_moves(role))
