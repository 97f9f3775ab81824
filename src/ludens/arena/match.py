"""A match between players of the same process, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from random import Random
from typing import Any, TypeAlias, TypeVar

from ludens.arena.referee import Referee
from ludens.arena.result import SEED_BITS, Fault, JointMove, MatchResult, MatchSettings, Turn
from ludens.arena.seats.base import News
from ludens.core import Clocks, Player, Role
from ludens.game import Game, State
from ludens.gdl.terms import Spelling
from ludens.players.base import FollowingPlayer
from ludens.players.protocol_player import NO_MOVE
from ludens.protocol import READY, Abort, Message, Percepts, Play, Start, Stop
from ludens.runtime.deadline import Deadline

__all__ = ["Fault", "JointMove", "MatchResult", "OnMove", "play_match", "seats"]

Value = TypeVar("Value")
OnMove: TypeAlias = Callable[[State, JointMove, State], None]
"""Called after each joint move with the state before it, the moves, and the state after it."""

MATCH_ID = "match"


def seats(game: Game) -> tuple[Role, ...]:
    """The roles that players take: all but the one that moves by chance."""
    return game.player_roles


class TrustedSeat:
    """A player that is called directly, so that a match needs no event loop and can be played from anywhere.

    Deadlines are told to it, and trusted.
    """

    is_human = False

    def __init__(self, player: Player, game: Game) -> None:
        self.name = player.name
        self._player, self._game = player, game
        self._clocks = Clocks(0, 0)
        self._complaints: list[str] = []

    async def ask(self, message: Message, seconds: float, spelling: Spelling | None = None) -> str:
        match message:
            case Start(_, role, _, start, play):
                self._clocks = Clocks(start, play)
                self._try(partial(self._player.start, self._game.rules, role, self._clocks, Deadline(start)))
            case Play(_, news):
                self._tell(news)
                move = self._try(lambda: self._player.move(Deadline(self._clocks.play)))
                return NO_MOVE if move is None else str(move)
            case Stop(_, news):
                self._tell(news)
                self._try(self._player.stop)
            case Abort():
                self._try(self._player.abort)
        return READY

    async def catch_up(
        self, start: Start, history: Sequence[News], seconds: float, spelling: Spelling | None = None
    ) -> None:
        await self.ask(start, seconds)
        for news in history:
            self._tell(news)

    def complaints(self) -> list[str]:
        excuses = self._player.faults if isinstance(self._player, FollowingPlayer) else []
        found = [*self._complaints, *excuses]
        self._complaints.clear()
        excuses.clear()
        return found

    async def close(self) -> None:
        pass

    def _tell(self, news: News) -> None:
        move_of, player = self._game.move_of, self._player
        if isinstance(news, Percepts):
            if news.own_move is not None:
                self._try(partial(player.perceive, move_of(news.own_move), news.seen))
        elif news is not None:
            joint = dict(zip(self._game.rule_roles, map(move_of, news), strict=True))
            self._try(partial(player.observe, joint))

    def _try(self, action: Callable[[], Value]) -> Value | None:
        """What the player answers; None, and a note, if it fails. Players are foreign code: anything may go wrong."""
        try:
            return action()
        except Exception as error:
            self._complaints.append(f"{type(error).__name__}: {error}")
            return None


def play_match(
    game: Game,
    players: Sequence[Player],
    clocks: Clocks,
    rng: Random,
    on_move: OnMove | None = None,
    max_steps: int = 10_000,
) -> MatchResult:
    """Play a match; the players take the roles of `seats(game)` in this order, chance is drawn from `rng`.

    A player that fails, or moves against the rules, does not end the match: a random legal move is made for it.
    Deadlines are told to the players, and trusted.
    """
    settings = MatchSettings(MATCH_ID, clocks, rng.getrandbits(SEED_BITS), max_steps=max_steps, one_by_one=True)

    trusted = [TrustedSeat(player, game) for player in players]

    def watch(turn: Turn) -> None:
        if on_move:
            on_move(turn.before, turn.moves, turn.after)

    return _without_waiting(Referee(game, trusted, settings, on_turn=watch, in_loop=False).play())


def _without_waiting(match: Coroutine[Any, Any, Value]) -> Value:
    """Run what never waits for anything; so it needs no event loop, and may be called where one is running."""
    try:
        match.send(None)
    except StopIteration as result:
        value: Value = result.value
        return value
    raise RuntimeError("the match waits for something; it has to be played in an event loop")
