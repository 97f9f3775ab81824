"""People at a match."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from ludens.arena.seats.player import PlayerSeat
from ludens.core import Clocks, GroundTerm, Move, Role
from ludens.game import Game, State
from ludens.players.base import BasePlayer
from ludens.runtime.deadline import Deadline


@dataclass(frozen=True, slots=True)
class MoveRequest:
    """A request to a person: a move for a role in a state."""

    state: State
    role: Role
    deadline: Deadline
    is_certain: bool
    """Whether this is the state; where a role sees only a part it may be one of several that are possible."""
    seen: tuple[str, ...]
    """What the role has perceived since it was last asked (GDL-II)."""


Asker: TypeAlias = Callable[[MoveRequest], Move]
"""Asks a person, in a thread of its own."""


class PersonPlayer(BasePlayer):
    """Makes the moves that a person chooses; without a choice nobody is asked."""

    needs_state = False

    def __init__(self, ask: Asker) -> None:
        super().__init__("human")
        self._ask = ask
        self._seen: list[str] = []

    def start(self, game: Game, role: str, clocks: Clocks, deadline: Deadline) -> None:
        super().start(game, role, clocks, deadline)
        self._seen.clear()

    def perceive(self, own_move: Move, seen: tuple[GroundTerm, ...]) -> None:
        super().perceive(own_move, seen)
        self._seen += [str(self.state.game.move_of(term)) for term in seen]

    def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
        legal = state.legal_moves(role)
        if len(legal) == 1:
            return legal[0]
        seen, self._seen = tuple(self._seen), []
        return self._ask(MoveRequest(state, role, deadline, self.belief.is_certain, seen))


class PersonSeat(PlayerSeat):
    """A person, asked by a function."""

    def __init__(self, ask: Asker) -> None:
        super().__init__(PersonPlayer(ask), is_human=True)
