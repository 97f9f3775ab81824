"""What players share: following a match move by move, and saying what kept them from playing as they should."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from random import Random
from threading import Lock

from ludens.core import Answer, Clocks, Decision, GroundTerm, Move, Player, Role
from ludens.errors import PlayError
from ludens.game import Game, State
from ludens.players.belief_state import BeliefState
from ludens.runtime.deadline import Deadline

PERCEPTION_SECONDS, PERCEPTION_SHARE = 2.0, 0.25
"""How long finding the possible states may take in a turn: seconds, and at most this part of the play clock."""


class Diagnostics:
    """What a player has to say about one match, each text once; it can be added to from any thread.

    >>> diagnostics = Diagnostics()
    >>> diagnostics.add("a worker failed")
    >>> diagnostics.add("a worker failed")
    >>> diagnostics.take(), diagnostics.take()
    (('a worker failed',), ())
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._added: dict[str, None] = {}
        self._taken = 0

    def add(self, text: str) -> None:
        with self._lock:
            self._added.setdefault(text)

    def take(self) -> tuple[str, ...]:
        """Return what is new since the last time."""
        with self._lock:
            new = tuple(self._added)[self._taken :]
            self._taken = len(self._added)
            return new


def ask_move(player: Player, deadline: Deadline) -> Answer:
    """Return the answer of a player, who may be foreign code; PlayError if it is something else."""
    answer: object = player.move(deadline)
    if not isinstance(answer, Answer):
        raise PlayError(f"{player.name} answered {answer!r} in place of an Answer")
    return answer


class BasePlayer(ABC):
    """A player that follows its match; what is left to do is to choose a move.

    Where a role does not see everything, several states may be possible. A player that needs to know the state then
    says so and makes any legal move; for others one of the possible states is as good as the true one, since a role
    has the same legal moves in all of them.
    """

    needs_state = True

    def __init__(self, name: str | None = None, rng: Random | None = None) -> None:
        """By default a player is called like its class; `rng` is for what it leaves to chance."""
        self.name = type(self).__name__ if name is None else name
        self._rng = rng or Random(0)
        self._diagnostics = Diagnostics()
        self._has_excused = False
        self._belief: BeliefState | None = None
        self._perception_seconds = PERCEPTION_SECONDS
        self._turn = 0
        self._role = Role("")

    def start(self, game: Game, role: str, clocks: Clocks, deadline: Deadline) -> None:
        self._belief = None
        self._role = game.roles[game.role_index(role)]
        self._belief = BeliefState(game.initial_state(), self._role, self._rng)
        self._perception_seconds = min(PERCEPTION_SECONDS, PERCEPTION_SHARE * clocks.play)
        self._turn = 0
        self._diagnostics, self._has_excused = Diagnostics(), False

    def report(self, text: str) -> None:
        """Have the next answer say what keeps the player from playing as it should; each text once in a match."""
        self._diagnostics.add(text)

    @property
    def belief(self) -> BeliefState:
        """What is known of the state."""
        if self._belief is None:
            raise PlayError(f"the player {self.name} has no match; call start first")
        return self._belief

    @property
    def state(self) -> State:
        """The state, or one that is possible."""
        return self.belief.states[0]

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves of the role as far as it can tell."""
        self.belief.go_on()
        return tuple(self.belief.likely_moves()) if self.belief.lost else self.state.legal_moves(self._role)

    def move(self, deadline: Deadline) -> Answer:
        legal = self.legal_moves()
        needs_more = self.needs_state and not self.belief.is_certain and len(legal) > 1
        if self.belief.lost or needs_more:
            if not self._has_excused:
                self.report(self._excuse())
                self._has_excused = True
            chosen: Move | Decision = self._rng.choice(legal)
        else:
            chosen = self.choose(self.state, self._role, deadline)
        diagnostics = self._diagnostics.take()
        if isinstance(chosen, Decision):
            return Answer(chosen.move, chosen, diagnostics)
        return Answer(chosen, None, diagnostics)

    def _excuse(self) -> str:
        if self.belief.lost:
            why = f"no state was found in which {self._role} sees what it was told up to move {self._turn}"
            return f"{self.name} does not know what is legal: {why}; it makes a move that is likely to be"
        count = len(self.belief.states)
        at_least = "" if self.belief.complete else "at least "
        states = f"{at_least}{count} state{'s are' if count > 1 else ' is'}"
        why = f"after move {self._turn}, {states} possible for {self._role}"
        return f"{self.name} cannot play a game of which it sees only a part: {why}; it moves at random"

    @abstractmethod
    def choose(self, state: State, role: Role, deadline: Deadline) -> Move | Decision:
        """Return a legal move for the role in this state before the deadline, or the decision of a search."""
        ...

    def observe(self, joint: Mapping[Role, Move]) -> None:
        self.belief.observe(self.state.next(joint, compiles=False))
        self._turn += 1

    def perceive(self, own_move: Move, seen: tuple[GroundTerm, ...]) -> None:
        self._turn += 1
        self.belief.perceive(own_move, seen, Deadline(self._perception_seconds))

    def stop(self) -> None:
        self._belief = None

    def abort(self) -> None:
        self.stop()
