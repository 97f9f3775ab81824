"""A match as messages tell it: whose move it is to answer, and whether news fit what is known."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeAlias

from ludens.core import Answer, Clocks, GroundTerm, Move, Perceives, Player, Role
from ludens.errors import PlayError
from ludens.game import Game, State
from ludens.gdl.rules import Rules
from ludens.gdl.terms import term_text
from ludens.gdl.validate.sheet import Sheet
from ludens.gdl.validate.style import check_case
from ludens.players.game_pool import GamePool
from ludens.protocol import Percepts, Start

News: TypeAlias = "tuple[GroundTerm, ...] | Percepts | None"
Observation: TypeAlias = Callable[[Player], None]
"""What a player is told before it moves."""


@dataclass
class AskedTurn:
    """One question for a move."""

    number: int
    """From 1."""
    news: News
    asked: float
    """When the question came, by `time.monotonic()`."""
    legal: tuple[Move, ...] | None
    """The moves that may be made; None as long as percepts do not tell."""
    thought: Future[Answer | None] = field(default_factory=Future)
    answer: GroundTerm | None = None
    """The move that was answered."""


class MatchView:
    """What a player's side knows of a match, from START on."""

    def __init__(
        self, name: str, rules: Rules, game: Game, role: Role, clocks: Clocks, *, follows: bool = True
    ) -> None:
        """With `follows` all that is told is checked against the rules; a caller that trusts the teller saves time."""
        self.name, self.rules, self.game, self.role, self.clocks = name, rules, game, role, clocks
        self.state: State | None = None
        self._legal: tuple[Move, ...] | None = None
        self._follows = follows
        if follows:
            self._go_to(game.initial_state())
        self.turn: AskedTurn | None = None
        self._perceived: int | None = None
        """The number of the last turn of which percepts were told."""

    @classmethod
    def begin(cls, message: Start, games: GamePool, *, follows: bool = True) -> MatchView:
        """The match that a message begins; LudensError if it cannot be played. Its game comes from the pool."""
        rules = Rules.parse(message.rules, "<START>", "kif")
        game = games.acquire(rules)
        try:
            role = game.roles[game.role_index(message.role)]
            clocks = Clocks(message.start_clock, message.play_clock)
            return cls(message.match, rules, game, role, clocks, follows=follows)
        except BaseException:
            games.release(game)
            raise

    def diagnostics(self) -> list[str]:
        """Return what may be meant in another way than it is taken: here `A` and `a` are the same."""
        return [f"the rules have {finding.message}" for finding in check_case(Sheet(self.rules))]

    def text(self, term: GroundTerm) -> str:
        """A move as the rules of this match spell it."""
        return term_text(term, self.rules.spelling)

    def next_turn(self, news: News, asked: float) -> AskedTurn:
        """The question that these news, which were taken, come with."""
        self.turn = AskedTurn(self.turn.number + 1 if self.turn else 1, news, asked, self._legal)
        return self.turn

    def repeats(self, news: News, asked: float) -> bool:
        """Whether this was told before: nobody has moved since.

        The same joint move may be made twice in a row. Then it holds the move that was answered to the first; or
        another was made in its place, which happens only when the clock is over. Percepts without a number are new
        as soon as the last ones are answered.
        """
        turn = self.turn
        if turn is None or not self._follows:
            return False
        if isinstance(news, Percepts) and isinstance(turn.news, Percepts):
            return news.turn == turn.news.turn
        if news != turn.news:
            return False
        if turn.answer is None:
            return True
        joint = self._possible(news)
        if joint is None:
            return not (self.game.traits.hidden and (news is None or self.state is None))
        in_time = asked <= turn.asked + self.clocks.play
        return in_time and not self.game.matches_announcement(
            Move(self.text(turn.answer), turn.answer), joint[self.role]
        )

    def take(self, news: News) -> Observation:
        """Go on to the next turn; what the player is to be told. PlayError, and no step, for news that do not fit.

        In an old form percepts come alone; where roles see only a part, that is what moves are that do not fit.
        """
        if isinstance(news, Percepts):
            return self._perceive(news)
        hidden = self.game.traits.hidden
        if news is None:
            if self.turn is None:
                return lambda player: None
            if not hidden:
                raise PlayError("NIL was announced after the first move")
            return self._perceive_alone(())
        try:
            joint = self._joint(news)
            if self._follows:
                self._go_to(self._after(joint))
        except PlayError:
            if not hidden:
                raise
            return self._perceive_alone(news)
        return lambda player: player.observe(joint)

    def _go_to(self, state: State) -> None:
        """Rules that cannot be evaluated are noticed here, before anything changes."""
        self.state, self._legal = state, state.legal_moves(self.role)

    def _possible(self, news: News) -> dict[Role, Move] | None:
        """The joint move that news tell of, if it can be made now."""
        if not isinstance(news, tuple) or self.state is None or len(news) != len(self.game.rule_roles):
            return None
        joint = self._joint(news)
        for role, move in joint.items():
            if all(move.term != legal.term for legal in self.state.announced_moves(role)):
                return None
        return joint

    def _joint(self, moves: tuple[GroundTerm, ...]) -> dict[Role, Move]:
        roles = self.game.rule_roles
        if len(moves) != len(roles):
            raise PlayError(f"{len(moves)} moves were announced; the roles are {', '.join(roles)}")
        return {role: Move(self.text(term), term) for role, term in zip(roles, moves, strict=True)}

    def _after(self, joint: dict[Role, Move]) -> State:
        if self.state is None:
            raise PlayError("the state is not known")
        return self.state.next(joint, compiles=False)

    @property
    def _due(self) -> int:
        """The number of the turn that percepts are expected of."""
        return 0 if self._perceived is None else self._perceived + 1

    def _perceive_alone(self, seen: tuple[GroundTerm, ...]) -> Observation:
        """Percepts without a number and the own move, which is the one that was answered."""
        if self.turn and self.turn.answer is None:
            raise PlayError("percepts were announced, but not which move was made")
        return self._perceive(Percepts(self._due, self.turn.answer if self.turn else None, seen))

    def _perceive(self, news: Percepts) -> Observation:
        if self._perceived is not None and news.turn != self._due:
            raise PlayError(f"turn {news.turn} was announced where turn {self._due} was due")
        if news.own_move is not None and not self.game.traits.hidden:
            raise PlayError("percepts were announced, but by these rules everybody is told all moves")
        self._perceived = news.turn
        if news.own_move is None:
            return lambda player: None
        self.state = self._legal = None
        own, seen = Move(self.text(news.own_move), news.own_move), news.seen

        def perceive(player: Player) -> None:
            if not isinstance(player, Perceives):
                raise PlayError(f"{player.name} cannot play games of which it sees only a part")
            player.perceive(own, seen)

        return perceive
