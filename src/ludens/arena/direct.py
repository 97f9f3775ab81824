"""The driver of matches between players of this process: no event loop, no clock but what players are told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TypeVar

from ludens.arena.journals import Journal, Journals
from ludens.arena.match import ILLEGAL, MAX_CODE, NOT_A_MOVE, Match, OnTurn
from ludens.arena.result import SEED_BITS, MatchResult, MatchSettings, check_seats
from ludens.core import Clocks, Player, Role
from ludens.errors import IllegalMoveError
from ludens.game import Game
from ludens.players.base import ask_move
from ludens.runtime.deadline import Deadline

Value = TypeVar("Value")


class DirectSeat:
    """A player of this process that is called directly; what it fails to do is noted in its match."""

    def __init__(self, match: Match, role: Role, player: Player) -> None:
        self.role, self.player = role, player
        self._match = match
        self._told = 0
        """How many turns the player was told of."""

    def start(self, deadline: Deadline) -> None:
        clocks = self._match.settings.clocks
        self._try(partial(self.player.start, self._match.game, self.role, clocks, deadline), "START: ")

    def tell(self) -> None:
        """Tell the player of the turns that it has not heard of."""
        new, self._told = self._match.turns[self._told :], len(self._match.turns)
        for turn in new:
            self._try(partial(turn.tell, self.player, self.role))

    def move(self, deadline: Deadline) -> None:
        """Have the player answer in its match."""
        self.tell()
        answer = self._try(partial(ask_move, self.player, deadline))
        if answer is None:
            self._match.fail(self.role, NOT_A_MOVE)
            return
        self._match.report(self.role, answer.diagnostics, is_fault=False)
        try:
            self._match.answer(self.role, answer.move, answer.decision)
        except IllegalMoveError:
            self._match.fail(self.role, f"{ILLEGAL} {answer.move}"[:MAX_CODE], f"{answer.move} is not legal")

    def end(self) -> None:
        """Tell the player that the match is over: played to its end, or broken off."""
        if self._match.is_finished:
            self.tell()
            self._try(self.player.stop, "at the end: ")
        else:
            self._try(self.player.abort, "at the end: ")

    def _try(self, action: Callable[[], Value], when: str = "") -> Value | None:
        """What the player answers; None, and a note, if it fails. Players are foreign code: anything may go wrong."""
        try:
            return action()
        except MemoryError:
            raise
        except Exception as error:
            self._match.report(self.role, [f"{type(error).__name__}: {error}"], when)
            return None


def play_match(
    game: Game,
    players: Sequence[Player],
    clocks: Clocks,
    rng: Random,
    on_turn: OnTurn | None = None,
    max_steps: int = 10_000,
    *,
    match_id: str = "match",
    journal: Journal | None = None,
) -> MatchResult:
    """Play a match right here, calling one player after the other; they take `game.player_roles` in this order.

    A player that fails, or moves against the rules, does not end the match: a random legal move is made for it, and
    chance is drawn from `rng`, too. Deadlines are told to the players, and trusted.

    >>> from ludens import load, players
    >>> seats = [players.make_player("legal"), players.make_player("random", Random(1))]
    >>> play_match(load("nim"), seats, Clocks(10, 1), Random(7)).goals
    {Role('first'): 100, Role('second'): 0}
    """
    check_seats(game, len(players))
    settings = MatchSettings(match_id, clocks, rng.getrandbits(SEED_BITS), max_steps=max_steps, one_by_one=True)
    match = Match(game, settings)
    match.check()
    record = match.seat([player.name for player in players])
    seats = [DirectSeat(match, role, player) for role, player in zip(game.player_roles, players, strict=True)]
    journal = journal or Journals(())
    try:
        journal.began(record)
        for seat in seats:
            seat.start(Deadline(clocks.start))
        while not match.is_over:
            for seat in seats:
                match.check()
                seat.move(Deadline(clocks.play))
            turn = match.step()
            journal.moved(record)
            if on_turn:
                on_turn(turn)
        match.end()
        journal.ended(record)
    except BaseException:
        if not record.is_completed and not record.is_aborted:
            record.abort()
            journal.ended(record)
        raise
    finally:
        for seat in seats:
            seat.end()
    return match.result()
