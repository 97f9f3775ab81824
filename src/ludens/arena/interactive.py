"""The driver of matches with people at this computer, for the terminal and the browser alike.

People choose by `choose`, players by `think`; a step is made as soon as everybody has chosen, so nobody sees the
move of another before that. Nothing here knows what a match looks like.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from ludens.arena.direct import DirectSeat
from ludens.arena.journals import Journal
from ludens.arena.match import TIMED_OUT, Match
from ludens.arena.records import new_match_id
from ludens.arena.result import MatchSettings, PlayedTurn
from ludens.core import Clocks, Decision, Move, Role
from ludens.errors import GameOverError, LudensError, PlayError, UnknownRoleError
from ludens.game import Game, State
from ludens.players.base import BasePlayer
from ludens.players.belief_state import BeliefState
from ludens.players.registry import check_name, is_own_player, make_player
from ludens.protocol.lists import ground_term
from ludens.runtime.deadline import Deadline

PERSON = "person"
"""Takes a seat that is no player's."""
ADVISER = "uct"
PERCEPTION_SECONDS = 1.0
"""How long finding the possible states may take in a turn, for each person."""


@dataclass(frozen=True)
class Advice:
    """What the adviser would do."""

    role: Role
    decision: Decision | None
    move: Move


class Observers:
    """What some roles can tell about the state, from a first state on that all of them know."""

    def __init__(self, first: State, roles: Iterable[Role], rng: Random) -> None:
        hidden = first.game.traits.hidden
        self._beliefs = {role: BeliefState(first, role, Random(rng.random())) for role in roles} if hidden else {}

    @property
    def are_certain(self) -> bool:
        """Whether none of them has any doubt about the state."""
        return all(belief.is_certain for belief in self._beliefs.values())

    def states(self, role: Role) -> tuple[State, ...]:
        """Return the states that are possible as far as a role can tell, where it does not see everything."""
        return self._beliefs[role].states

    def follow(self, turn: PlayedTurn) -> None:
        """Learn of a turn what can be seen of it."""
        for role, belief in self._beliefs.items():
            seen = turn.percepts[role] if turn.percepts else ()
            belief.perceive(turn.moves[role], seen, Deadline(PERCEPTION_SECONDS))


class InteractiveMatch:
    """A match under way between people and players.

    Each player is started once and told of every turn. After an undo another one is started, and told what is left.
    """

    def __init__(
        self,
        game: Game,
        seats: Mapping[Role, str],
        clocks: Clocks,
        seed: int = 0,
        nodes: int | None = None,
        *,
        journal: Journal | None = None,
        match_id: str | None = None,
    ) -> None:
        """Say who plays each role: `person`, who takes the roles that nobody is named for, or the name of a player.

        `nodes`: how much players search, for play that can be repeated. `journal`: hears of the match once it is over
        or given up, if a step was made since it last heard of it.
        """
        self.game, self.clocks, self.seed, self.nodes = game, clocks, seed, nodes
        self.seats = {role: seats.get(role, PERSON) for role in game.player_roles}
        for name in self.seats.values():
            if name != PERSON and not is_own_player(name):
                check_name(name)
        self._journal = journal
        self._players: dict[Role, DirectSeat] = {}
        self._advisers: dict[Role, DirectSeat] = {}
        self._deadline = Deadline.never()
        """The time for the thought that is under way."""
        self._is_hurried = False
        """Whether players are to move as soon as they are ready."""
        self._is_news = False
        """Whether a step was made of which the journal has not heard."""
        self._given_up: Match | None = None
        """The match before the last restart, as long as nothing was moved since."""
        self.match = self._new_match(match_id)
        self._observe_again()

    # -- where the match stands --------------------------------------------------------------

    @property
    def state(self) -> State:
        return self.match.state

    @property
    def turns(self) -> Sequence[PlayedTurn]:
        return self.match.turns

    @property
    def is_over(self) -> bool:
        return self.match.is_over

    @property
    def is_unclear(self) -> bool:
        """Whether there is more to the state than the people may know."""
        return not self.is_over and not self._observers.are_certain

    @property
    def can_undo(self) -> bool:
        return bool(self.match.answers or self._given_up or self.turns)

    @property
    def has_chosen(self) -> bool:
        """Whether a person has made a choice that can be taken back."""
        return bool(self.match.answers or self._turns_back())

    @property
    def people(self) -> tuple[Role, ...]:
        return tuple(role for role, seat in self.seats.items() if seat == PERSON)

    def legal(self, role: Role) -> tuple[Move, ...]:
        return self.match.legal(role)

    @property
    def asked(self) -> Role | None:
        """The person whose move is awaited next; None if it is not up to people."""
        return next((role for role in self._to_ask() if self.seats[role] == PERSON), None)

    @property
    def thinkers(self) -> tuple[Role, ...]:
        """The players that have a choice and have not moved yet."""
        return tuple(role for role in self._to_ask() if self.seats[role] != PERSON)

    def _to_ask(self) -> list[Role]:
        missing = self.match.to_ask()
        return [role for role in self.match.choosers() if role in missing]

    def known_states(self, role: Role) -> tuple[State, ...]:
        """Return the states that are possible as far as a person can tell."""
        return self._observers.states(role) if self.game.traits.hidden else (self.state,)

    # -- moving ------------------------------------------------------------------------------

    def choose(self, role: Role, move: Move | str) -> None:
        """Take the move of a person, and make the step if that was the last choice."""
        if not self.is_over and self.seats.get(role) != PERSON:
            raise UnknownRoleError(role, self.people)
        self.match.answer(role, move)
        self._step_if_ready()

    def choose_for_late(self) -> None:
        """Move at random for the people whose time is over."""
        for role in self._to_ask():
            if self.seats[role] == PERSON:
                self.match.fail(role, TIMED_OUT, "did not move in time")
        self._step_if_ready()

    def think(self) -> None:
        """Let all players choose that have not, and make the step if nobody else has a choice."""
        for role in self.thinkers:
            player = self._player(role)
            deadline = self._new_deadline(self.clocks.play)
            if self._is_hurried:
                deadline.cancel()
            player.move(deadline)
        self._is_hurried = False
        self._step_if_ready()

    def expect_thought(self) -> None:
        """Forget that players were told to move now: other ones will be asked. From any thread."""
        self._is_hurried = False

    def interrupt(self) -> None:
        """Have the players that think, or are about to, move now; from any thread."""
        self._is_hurried = True
        self._deadline.cancel()

    def replay(self, joints: Sequence[Sequence[str]]) -> None:
        """Make the moves of a match that was begun elsewhere: by turn, and in the order of the roles."""
        roles = self.game.rule_roles
        for words in joints:
            try:
                joint = {role: self.game.move_of(ground_term(word)) for role, word in zip(roles, words, strict=True)}
                self._observers.follow(self.match.follow(joint))
            except (LudensError, ValueError):
                raise PlayError("these are not the moves of this game; begin a new one") from None
        self._is_news = bool(joints)
        self._end_if_over()

    def _step_if_ready(self) -> None:
        if self.is_over or not self.match.is_ready:
            return
        self._observers.follow(self.match.step())
        self._given_up, self._is_news = None, True
        self._end_if_over()

    def _end_if_over(self) -> None:
        if self.is_over:
            self.match.end()
            self._write_down()

    # -- going back, and other wishes --------------------------------------------------------

    def undo(self) -> None:
        """Go back to the last turn in which a person had a choice, or else to the beginning.

        What was chosen in this turn is forgotten first.
        Directly after a restart the match before it comes back.
        """
        if not self.can_undo:
            raise PlayError("there is no move to take back")
        if self.match.answers:
            self.match.withdraw()
            if self.people:
                return
        if self._given_up and not self.turns:
            self.match, self._given_up = self._given_up, None
            if self.match.record.is_aborted:
                self.match.record.reopen()
        else:
            self.match.undo(self._turns_back() or len(self.turns))
        self._observe_again()

    def restart(self) -> None:
        """Begin another match; `undo` brings the present one back."""
        self.give_up()
        if self.turns:
            self._given_up = self.match
        self.match = self._new_match()
        self._observe_again()

    def change_sides(self) -> None:
        """Give everybody the role of the next one; the match goes on."""
        occupants = list(self.seats.values())
        self.seats = dict(zip(self.seats, occupants[-1:] + occupants[:-1], strict=True))
        self.match.withdraw()
        self._seat(self.match)
        self._observe_again()

    def advise(self, role: Role) -> Advice:
        """Return what the adviser would do for a role in this state."""
        if self.is_over:
            raise GameOverError("the game is over; there are no more moves")
        legal = self.legal(role)
        if len(legal) == 1 or self.is_unclear:
            return Advice(role, None, legal[0])
        chosen = self._consult(role, self.state, self.clocks.play)
        return Advice(role, chosen, chosen.move) if isinstance(chosen, Decision) else Advice(role, None, chosen)

    def assess(self, turn: int, seconds: float) -> Decision | None:
        """Return what the adviser thinks of the state before a turn; None where nobody had a choice."""
        played = self.turns[turn]
        role = next((role for role in self.seats if role in played.choosers), None)
        if role is None or self.is_unclear:
            return None
        chosen = self._consult(role, played.before, seconds)
        return chosen if isinstance(chosen, Decision) else None

    def _consult(self, role: Role, state: State, seconds: float) -> Move | Decision:
        if role not in self._advisers:
            self._advisers[role] = self._started(ADVISER, role)
        adviser = self._advisers[role]
        adviser.tell()
        assert isinstance(adviser.player, BasePlayer)
        return adviser.player.choose(state, role, self._new_deadline(seconds))

    def prepare(self) -> None:
        """Have all players ready, so that their first move does not wait for it."""
        for role, seat in self.seats.items():
            if seat != PERSON:
                self._player(role)

    def give_up(self) -> None:
        """Write the match down as aborted, unless it is over."""
        if not self.is_over and self.turns:
            self.match.record.abort()
        self._write_down()

    def close(self) -> None:
        """End the match, over or not, and what goes on for it in the background."""
        self.give_up()
        self._stop_players()
        self.game.stop_compiling()

    # -- within ------------------------------------------------------------------------------

    def _new_match(self, match_id: str | None = None) -> Match:
        settings = MatchSettings(match_id or new_match_id(self.game.name), self.clocks, self.seed, nodes=self.nodes)
        match = Match(self.game, settings)
        self._seat(match)
        return match

    def _seat(self, match: Match) -> None:
        match.seat(list(self.seats.values()), self.people)

    def _write_down(self) -> None:
        if self._journal and self._is_news:
            self._journal.ended(self.match.record)
        self._is_news = False

    def _turns_back(self) -> int:
        """Count the turns back to the last one in which a person, or where there is none a player, had a choice."""
        people = set(self.people) or set(self.seats)
        back = (number for number, turn in enumerate(reversed(self.turns), 1) if turn.choosers & people)
        return next(back, 0)

    def _observe_again(self) -> None:
        """Have people, and players when they are needed, learn from the beginning what led here."""
        self._stop_players()
        first = self.turns[0].before if self.turns else self.state
        self._observers = Observers(first, self.people, self._rng("knowledge"))
        for turn in self.turns:
            self._observers.follow(turn)

    def _player(self, role: Role) -> DirectSeat:
        if role not in self._players:
            self._players[role] = self._started(self.seats[role], role)
        return self._players[role]

    def _started(self, name: str, role: Role) -> DirectSeat:
        seat = DirectSeat(self.match, role, make_player(name, self._rng(name, role), self.nodes))
        seat.start(self._new_deadline(self.clocks.start))
        return seat

    def _new_deadline(self, seconds: float) -> Deadline:
        self._deadline = Deadline(seconds)
        return self._deadline

    def _stop_players(self) -> None:
        for seat in (*self._players.values(), *self._advisers.values()):
            seat.end()
        self._players, self._advisers = {}, {}

    def _rng(self, *what: object) -> Random:
        return Random("/".join(map(str, (self.seed, *what))))
