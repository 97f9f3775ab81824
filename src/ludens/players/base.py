"""What the players of this package share: following a match move by move."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from ludens.core import Clocks, Deadline, Decision, Move, Role
from ludens.errors import PlayError
from ludens.game import Game, State
from ludens.gdl.rules import Rules


class FollowingPlayer(ABC):
    """A player that knows the state of its match; what is left to do is to choose a move."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.decision: Decision | None = None
        """What led to the last move; None for a player that does not think, or had no choice."""
        self._game: Game | None = None
        self._state: State | None = None
        self._role = Role("")

    def start(self, rules: Rules, role: str, clocks: Clocks, deadline: Deadline) -> None:
        game = self._game = self._game_of(rules)
        self._role = game.roles[game.role_index(role)]
        self._state = game.initial_state()

    def _game_of(self, rules: Rules) -> Game:
        """The game of the last match if it is played again and was compiled; it would have to be compiled anew."""
        last = self._game
        return last if last and last.rules == rules and last.is_settled and not last.compile_error else Game(rules)

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
