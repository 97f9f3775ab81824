"""What the players of this package share: following a match move by move."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from random import Random

from ludens.core import Clocks, Decision, GroundTerm, Move, Role
from ludens.errors import PlayError
from ludens.game import Game, State
from ludens.gdl.rules import Rules
from ludens.players.belief_state import BeliefState
from ludens.players.game_pool import GamePool
from ludens.runtime.deadline import Deadline

PERCEPTION_SECONDS, PERCEPTION_SHARE = 2.0, 0.25
"""How long finding the possible states may take in a turn: seconds, and at most this part of the play clock."""


class FollowingPlayer(ABC):
    """A player that knows the state of its match; what is left to do is to choose a move.

    Where a role does not see everything, several states may be possible. A player that needs to know the state then
    says so and makes any legal move; for others one of the possible states is as good as the true one, since a role
    has the same legal moves in all of them.
    """

    needs_state = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.decision: Decision | None = None
        """What led to the last move; None for a player that does not think, or had no choice."""
        self.games = GamePool()
        """Where its games come from; players of the same process may share one."""
        self.faults: list[str] = []
        """Why it could not play as it should in this match, in words; whoever reads it may clear it."""
        self._excused = False
        self._rng = Random(0)
        self._game: Game | None = None
        self._knowledge: BeliefState | None = None
        self._patience = PERCEPTION_SECONDS
        self._turn = 0
        self._role = Role("")

    def start(self, rules: Rules, role: str, clocks: Clocks, deadline: Deadline) -> None:
        self._leave_game()
        game = self._game = self.games.acquire(rules)
        self._role = game.roles[game.role_index(role)]
        self._knowledge = BeliefState(game.initial_state(), self._role, self._rng)
        self._patience = min(PERCEPTION_SECONDS, PERCEPTION_SHARE * clocks.play)
        self._turn = 0
        self.faults, self._excused = [], False

    def _leave_game(self) -> None:
        if self._game is not None:
            self.games.release(self._game)
        self._game = None

    @property
    def knowledge(self) -> BeliefState:
        """What is known of the state."""
        if self._knowledge is None:
            raise PlayError(f"the player {self.name} has no match; call start first")
        return self._knowledge

    @property
    def state(self) -> State:
        """The state, or one that is possible."""
        return self.knowledge.states[0]

    def move(self, deadline: Deadline) -> Move:
        self.knowledge.go_on()
        legal = self.knowledge.likely_moves() if self.knowledge.lost else self.state.legal_moves(self._role)
        lacks_state = self.needs_state and not self.knowledge.is_certain and len(legal) > 1
        if not lacks_state and not self.knowledge.lost:
            return self.choose(self.state, self._role, deadline)
        if not self._excused:
            self.faults.append(self._excuse())
            self._excused = True
        self.decision = None
        return self._rng.choice(legal)

    def _excuse(self) -> str:
        if self.knowledge.lost:
            why = f"no state was found in which {self._role} sees what it was told up to move {self._turn}"
            return f"{self.name} does not know what is legal: {why}; it makes a move that is likely to be"
        count = len(self.knowledge.states)
        states = (
            f"{count} states are"
            if self.knowledge.complete
            else f"at least {count} state{'s are' if count > 1 else ' is'}"
        )
        why = f"after move {self._turn}, {states} possible for {self._role}"
        return f"{self.name} cannot play a game of which it sees only a part: {why}; it moves at random"

    @abstractmethod
    def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
        """A legal move for the role in this state, before the deadline."""
        ...

    def observe(self, joint: Mapping[Role, Move]) -> None:
        self.knowledge.observe(self.state.next(joint))
        self._turn += 1

    def perceive(self, own_move: Move, seen: tuple[GroundTerm, ...]) -> None:
        self._turn += 1
        self.knowledge.perceive(own_move, seen, Deadline(self._patience))

    def stop(self) -> None:
        self._leave_game()
        self._knowledge = None

    def abort(self) -> None:
        self.stop()
