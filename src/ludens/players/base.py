"""What the players of this package share: following a match move by move."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from ludens.core import Clocks, Deadline, Move, Role
from ludens.errors import PlayError
from ludens.game import Game, State
from ludens.gdl.rules import Rules


class FollowingPlayer(ABC):
    """A player that knows the state of its match; what is left to do is to choose a move."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._state: State | None = None
        self._role = Role("")

    def start(self, rules: Rules, role: str, clocks: Clocks, deadline: Deadline) -> None:
        game = Game(rules)
        self._role = game.roles[game.role_index(role)]
        self._state = game.initial_state()

    @property
    def state(self) -> State:
        if self._state is None:
            raise PlayError(f"the player {self.name} has no match; call start first")
        return self._state

    def move(self, deadline: Deadline) -> Move:
        return self.choose(self.state, self._role, deadline)

    @abstractmethod
    def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
        """A legal move for the role in this state, before the deadline."""
        ...

    def observe(self, joint: Mapping[Role, Move]) -> None:
        self._state = self.state.next(joint)

    def stop(self) -> None:
        if self._state is not None:
            self._state.game.stop_compiling()
        self._state = None

    def abort(self) -> None:
        self.stop()
