"""One game as people and players at one table play it: who sits where, what was moved, and what comes next.

Nothing here knows of browsers. People choose by `choose`, players by `think`; a step is made as soon as everybody has
chosen, so nobody sees the move of another before that. What is left to chance follows from the seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from ludens.core import Clocks, Decision, Move, Player, Role
from ludens.errors import GameOverError, NoLegalMoveError, PlayError, UnknownRoleError
from ludens.game import Game, State
from ludens.players import PLAYERS
from ludens.players.base import BasePlayer
from ludens.players.observers import Observers, tell
from ludens.runtime.deadline import Deadline

PERSON = "person"
"""Who sits in a seat that is no player's."""
ADVISER = "uct"
START_SECONDS = 6.0
"""How long players get ready at most before their first move."""
MIN_SECONDS, MAX_SECONDS = 0.05, 60.0
"""How long a player may be told to think."""


@dataclass(frozen=True)
class PastTurn:
    """A joint move that was made, and what was thought about it."""

    before: State
    joint: Mapping[Role, Move]
    """As it was played, chance included."""
    decisions: Mapping[Role, Decision]
    """Of the players that thought."""
    had_choice: frozenset[Role]


@dataclass(frozen=True)
class Advice:
    """What the adviser would do."""

    role: Role
    decision: Decision | None
    move: Move


@dataclass
class PlaySession:
    """A game under way. `seats` says for each role who plays it: `person`, or the name of a player."""

    game: Game
    seats: dict[Role, str]
    seconds: float = 1.0
    seed: int = 0
    nodes: int | None = None
    """How many nodes players search, for play that can be repeated."""
    state: State = field(init=False)
    past: list[PastTurn] = field(default_factory=list, init=False)
    chosen: dict[Role, Move] = field(default_factory=dict, init=False)
    """The moves of this turn so far; they are nobody's business until all have moved."""

    def __post_init__(self) -> None:
        self.seats = {role: self._known(role) for role in self.game.player_roles}
        self.seconds = min(max(self.seconds, MIN_SECONDS), MAX_SECONDS)
        self._players: dict[Role, Player] = {}
        self._advisers: dict[Role, BasePlayer] = {}
        self._thought = Deadline.never()
        """The time for the thought under way."""
        self._is_hurried = False
        """Whether players that only get ready are to move as soon as they are."""
        self._decisions: dict[Role, Decision] = {}
        self._given_up: list[PastTurn] = []
        """The game before the last restart, as long as nothing was moved since."""
        self._begin()

    def _known(self, role: Role) -> str:
        name = self.seats.get(role, PERSON)
        if name != PERSON and name not in PLAYERS:
            raise PlayError(f"there is no player {name!r}; there are {', '.join(PLAYERS)}")
        return name

    # -- where the game stands ---------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        return self.state.is_terminal

    @property
    def is_hidden(self) -> bool:
        """Whether roles see only a part of the game."""
        return self.game.traits.hidden

    @property
    def is_unclear(self) -> bool:
        """Whether there is more to the state than people at the table may know."""
        return not self.is_over and not self._onlookers.are_certain

    @property
    def can_undo(self) -> bool:
        return bool(self.past or self.chosen or self._given_up)

    @property
    def people(self) -> tuple[Role, ...]:
        return tuple(role for role, seat in self.seats.items() if seat == PERSON)

    def choosers(self) -> tuple[Role, ...]:
        """The roles that have more than one move now, whoever plays them."""
        return () if self.is_over else tuple(role for role in self.seats if len(self.legal(role)) > 1)

    def legal(self, role: Role) -> tuple[Move, ...]:
        moves = self.state.legal_moves(role)
        if not moves and not self.is_over:
            raise NoLegalMoveError(role)
        return moves

    @property
    def asked(self) -> Role | None:
        """The person whose move is awaited next; None if it is not up to people."""
        return next((role for role in self.choosers() if self.seats[role] == PERSON and role not in self.chosen), None)

    @property
    def thinkers(self) -> tuple[Role, ...]:
        """The players that have not moved yet and have a choice."""
        return tuple(role for role in self.choosers() if self.seats[role] != PERSON and role not in self.chosen)

    def known_states(self, role: Role) -> tuple[State, ...]:
        """The states that are possible as far as a person can tell; the true one where everybody sees everything."""
        return self._onlookers.states(role) if self.is_hidden else (self.state,)

    # -- moving ------------------------------------------------------------------------------

    def choose(self, role: Role, move: Move) -> None:
        """A person chooses; the step is made if that was the last choice."""
        if self.is_over:
            raise GameOverError("the game is over; there are no more moves")
        if self.seats.get(role) != PERSON:
            raise UnknownRoleError(role, self.people)
        if move not in self.legal(role):
            raise PlayError(f"{move} is not legal for {role}")
        self.chosen[role] = move
        self._step_if_complete()

    def choose_any(self) -> None:
        """Choose at random for the people whose time is over."""
        while (role := self.asked) is not None and not self.is_over:
            turn = len(self.past)
            self.choose(role, self._rng("late", turn, role).choice(self.legal(role)))
            if len(self.past) > turn:
                return

    def think(self) -> None:
        """Let all players choose that have not, and make the step if nobody else has a choice."""
        for role in self.thinkers:
            self.chosen[role] = self._answer(role)
        self._is_hurried = False
        self._step_if_complete()

    def _answer(self, role: Role) -> Move:
        player = self._player(role)
        deadline = self._thought = Deadline(self.seconds)
        if self._is_hurried:
            deadline.cancel()
        if self.is_hidden or not isinstance(player, BasePlayer):
            answer = player.move(deadline)
            move, decision = answer.move, answer.decision
        else:
            move, decision = _parts(player.choose(self.state, role, deadline))
        if decision:
            self._decisions[role] = decision
        legal = self.legal(role)
        return next((known for known in legal if known == move), legal[0])

    def expect_thought(self) -> None:
        """Players will be asked; they need not hurry because others were interrupted before. From any thread."""
        self._is_hurried = False

    def interrupt(self) -> None:
        """Have the players that think, or are about to, move now; from any thread."""
        self._is_hurried = True
        self._thought.cancel()

    def _step_if_complete(self) -> None:
        if self.is_over or any(role not in self.chosen for role in self.choosers()):
            return
        choosers = frozenset(self.choosers())
        joint = {role: self.chosen.get(role) or self.legal(role)[0] for role in self.seats}
        rng = self._rng("chance", len(self.past))
        for role in self.game.roles:
            if role not in joint:
                joint[role] = rng.choice(self.state.legal_moves(role))
                choosers |= {role} if len(self.state.legal_moves(role)) > 1 else frozenset()
        self._step(joint, choosers)

    def _step(self, joint: Mapping[Role, Move], choosers: frozenset[Role]) -> None:
        before, self.state = self.state, self.state.next(joint)
        self.past.append(PastTurn(before, joint, self._decisions, choosers))
        self.chosen, self._decisions, self._given_up = {}, {}, []
        self._tell(before, joint)

    def replay(self, joints: Sequence[Sequence[str]]) -> None:
        """Make the moves of a game that was begun elsewhere: for each turn those of all roles, in their order."""
        for words in joints:
            if len(words) != len(self.game.roles):
                raise PlayError("these are not the moves of this game; begin a new one")
            legal = {role: self.state.legal_moves(role) for role in self.game.roles}
            joint = {
                role: next((move for move in legal[role] if move == word), None)
                for role, word in zip(self.game.roles, words, strict=True)
            }
            known = {role: move for role, move in joint.items() if move is not None}
            if len(known) < len(joint) or self.is_over:
                raise PlayError("these are not the moves of this game; begin a new one")
            self._step(known, frozenset(role for role, moves in legal.items() if len(moves) > 1))

    def _tell(self, before: State, joint: Mapping[Role, Move]) -> None:
        """Where roles see only a part, say to each what it sees."""
        if not self.is_hidden:
            return
        for role, player in self._players.items():
            tell(player, role, before, joint)
        self._onlookers.follow(before, joint)

    # -- going back, and other wishes ----------------------------------------------------------

    def undo(self) -> None:
        """Back to the last turn in which a person had a choice; what was chosen in this one is forgotten first.

        Directly after a restart the game before it comes back.
        """
        if self.chosen:
            self.chosen = {}
            if self.people:
                return
        if not self.can_undo:
            raise PlayError("there is no move to take back")
        if self._given_up and not self.past:
            self._bring_back()
            return
        people = set(self.people) or set(self.seats)
        while self.past:
            turn = self.past.pop()
            self.state = turn.before
            if turn.had_choice & people:
                break
        self._forget()
        self._follow_again()

    def restart(self) -> None:
        self._given_up, self.past = self.past or self._given_up, []
        self._begin()

    def _bring_back(self) -> None:
        self.past, self._given_up = self._given_up, []
        last = self.past[-1]
        self.state = last.before.next(last.joint)
        self._forget()
        self._follow_again()

    def change_sides(self) -> None:
        """Everybody takes the role of the next one; the game goes on."""
        occupants = list(self.seats.values())
        self._stop_players()
        self.seats = dict(zip(self.seats, occupants[-1:] + occupants[:-1], strict=True))
        self._forget()
        self._follow_again()

    def advise(self, role: Role) -> Advice:
        """What the adviser would do for a role in this state."""
        if self.is_over:
            raise GameOverError("the game is over; there are no more moves")
        legal = self.legal(role)
        if len(legal) == 1 or self.is_unclear:
            return Advice(role, None, legal[0])
        move, decision = self._consult(role, self.state, self.seconds)
        return Advice(role, decision, move)

    def assess(self, turn: int, seconds: float) -> Decision | None:
        """What the adviser thinks of the state before a move that was made; None where nobody had a choice."""
        past = self.past[turn]
        role = next((role for role in self.seats if role in past.had_choice), None)
        if role is None or self.is_unclear:
            return None
        return self._consult(role, past.before, seconds)[1]

    def _consult(self, role: Role, state: State, seconds: float) -> tuple[Move, Decision | None]:
        """What the adviser would do for a role, and what it thought."""
        if role not in self._advisers:
            started = self._started(ADVISER, role)
            assert isinstance(started, BasePlayer)
            self._advisers[role] = started
        self._thought = Deadline(seconds)
        return _parts(self._advisers[role].choose(state, role, self._thought))

    def prepare(self) -> None:
        """Have all players ready, so that their first move does not wait for it."""
        for role, seat in self.seats.items():
            if seat != PERSON:
                self._player(role)

    def close(self) -> None:
        """Nobody plays here any more; what goes on in the background ends."""
        self._stop_players()
        for adviser in self._advisers.values():
            adviser.abort()
        self.game.stop_compiling()

    # -- within ------------------------------------------------------------------------------

    def _begin(self) -> None:
        self.state = self.game.initial_state()
        self._forget()
        self._follow_again()

    def _forget(self) -> None:
        self.chosen, self._decisions = {}, {}

    def _follow_again(self) -> None:
        """Where roles see only a part, players and people learn anew what led here."""
        first = self.past[0].before if self.past else self.state
        self._onlookers = Observers(first, self.people, self._rng("knowledge"))
        if self.is_hidden:
            self._stop_players()
            for turn in self.past:
                self._tell(turn.before, turn.joint)

    def _player(self, role: Role) -> Player:
        """The player of a role, started; it hears of what happened where it cannot see the state."""
        if role not in self._players:
            player = self._started(self.seats[role], role)
            if self.is_hidden:
                for turn in self.past:
                    tell(player, role, turn.before, turn.joint)
            self._players[role] = player
        return self._players[role]

    def _started(self, name: str, role: Role) -> Player:
        player = PLAYERS[name](self._rng(name, role), self.nodes)
        self._thought = Deadline(START_SECONDS)
        player.start(self.game, role, Clocks(START_SECONDS, self.seconds), self._thought)
        return player

    def _stop_players(self) -> None:
        for player in self._players.values():
            player.abort()
        self._players.clear()

    def _rng(self, *what: object) -> Random:
        return Random("/".join(map(str, (self.seed, *what))))


def _parts(chosen: Move | Decision) -> tuple[Move, Decision | None]:
    """A move and what led to it, as a player chooses."""
    return (chosen.move, chosen) if isinstance(chosen, Decision) else (chosen, None)
