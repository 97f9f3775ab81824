"""The referee: drives a match between seats, wherever their players are, by the clock, and keeps its record."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Executor
from functools import partial
from random import Random
from typing import Any, TypeVar, cast

from ludens.arena.journals import Journal
from ludens.arena.match import GONE, ILLEGAL, NOT_A_MOVE, TIMED_OUT, Match, OnTurn
from ludens.arena.records import Record
from ludens.arena.result import MatchResult, MatchSettings, check_seats
from ludens.arena.seats.base import News, Seat
from ludens.core import GroundTerm, Move, Role
from ludens.errors import MessageError, PlayError, SeatError, SeatTimeoutError
from ludens.game import Game
from ludens.gdl.rules import Rules
from ludens.gdl.scramble import scramble
from ludens.gdl.terms import Spelling, rename, term_text
from ludens.players.protocol_player import NO_MOVE
from ludens.protocol import BUSY, Abort, Info, Message, Percepts, Play, Start, Stop, read_info, read_move
from ludens.runtime.deadline import Deadline

Value = TypeVar("Value")

FAREWELL_SECONDS = 5.0
"""How long the referee waits for answers that change nothing any more."""
POLL_SECONDS = 1.0
"""How often players that are busy are asked again whether they are free."""
MAX_SHOWN = 100
"""The number of characters of an answer that are quoted."""
MAX_READ = 4096
"""The number of characters of an answer that are read: that takes time, in which all other matches wait."""


class Language:
    """Translates between the words of a game and those that one player knows."""

    def __init__(self, rules: Rules, rng: Random | None = None) -> None:
        """The author's words, or words made up with `rng`."""
        scrambling = None if rng is None else scramble(rules, rng)
        told = scrambling.rules if scrambling else rules
        self._forward = scrambling.forward if scrambling else {}
        self._backward = scrambling.backward if scrambling else {}
        self.rules = told.to_kif()
        self.spelling: Spelling = told.spelling

    def role_name(self, role: Role) -> str:
        return self._forward.get(role.lower(), str(role))

    def told(self, term: GroundTerm) -> GroundTerm:
        """Return a term of the game as the player is told it."""
        return cast(GroundTerm, rename(term, self._forward)) if self._forward else term

    def understood(self, term: GroundTerm) -> GroundTerm:
        """Return what a player says in the words of the game; words that it does not know stay."""
        return cast(GroundTerm, rename(term, self._backward)) if self._backward else term

    def news(self, news: News) -> News:
        """Return news in the words that the player knows."""
        match news:
            case None:
                return None
            case Percepts(turn, own_move, seen):
                return Percepts(
                    turn, own_move if own_move is None else self.told(own_move), tuple(map(self.told, seen))
                )
            case _:
                return tuple(map(self.told, news))


class RefereeSeat:
    """One seat at the match: its role, the words it knows, and what it failed to do in this turn."""

    def __init__(self, role: Role, seat: Seat, language: Language) -> None:
        self.role, self.seat, self.language = role, seat, language
        self.name = seat.name
        self.is_lost = False
        """Whether it may not know where the match stands, because it was interrupted."""
        self.code = ""
        self.reasons: list[str] = []

    async def ask(self, message: Message, seconds: float) -> str | None:
        """Return the answer; None, and a reason, if there is none."""
        return await self._try(self.seat.ask(message, seconds, self.language.spelling))

    async def catch_up(self, start: Start, history: Sequence[News], seconds: float) -> None:
        """Tell a player that knows nothing of the match what happened before the latest news."""
        await self._try(self.seat.catch_up(start, history, seconds, self.language.spelling))

    async def _try(self, action: Awaitable[Value]) -> Value | None:
        """What a seat comes to; None, and a reason, if it fails. Seats are foreign code: anything may go wrong."""
        try:
            return await action
        except SeatTimeoutError as error:
            self._fail(TIMED_OUT, str(error))
        except SeatError as error:
            self._fail(GONE, str(error))
        except Exception as error:
            self._fail(GONE, f"{type(error).__name__}: {error}")
        finally:
            self.reasons += self.seat.diagnostics()
        return None

    def _fail(self, code: str, reason: str) -> None:
        self.code = code
        self.reasons.append(reason)

    def take_reasons(self) -> list[str]:
        """Return what went wrong since the last time, and forget it."""
        reasons, self.reasons, self.code = self.reasons, [], ""
        return reasons

    def start_message(self, settings: MatchSettings) -> Start:
        clocks, words = settings.clocks, self.language
        return Start(settings.match_id, words.role_name(self.role), words.rules, clocks.start, clocks.play)

    def understood(self, reply: str, match: Match) -> Move | None:
        """Return the legal move that an answer is; None, and a reason, if it is none."""
        try:
            term = self.language.understood(read_move(reply[:MAX_READ]))
        except MessageError as error:
            self.code = NOT_A_MOVE
            self.reasons = self.reasons or [f"{self.name} answered {reply[:MAX_SHOWN]!r}, which is no move: {error}"]
            return None
        move = match.legal_move(self.role, term)
        if move is None and term == NO_MOVE:
            self.code = NOT_A_MOVE
            self.reasons = self.reasons or [f"{self.name} answered that it has no move"]
        elif move is None:
            text = term_text(term)[:MAX_SHOWN]
            self.code = f"{ILLEGAL} {text}"
            self.reasons = [f"{text} is not legal", *(reason for reason in self.reasons if text not in reason)]
        return move

    def is_free(self, reply: str | None) -> bool:
        """Whether the player says that it can play; the name that it gives itself is taken over."""
        if reply is None:
            return False
        try:
            info = read_info(reply[:MAX_READ])
        except MessageError:
            return True
        self.name = info.name[:MAX_SHOWN] or self.name
        return info.available


class Referee:
    """Plays one match; each seat has a role of `game.player_roles`, in this order.

    A player that fails in whatever way neither ends the match nor disturbs the others. What the rules say is worked out
    by `steps`, if one is given: a single thread there keeps the matches of a process from waiting for each other.
    """

    def __init__(
        self,
        game: Game,
        seats: Sequence[Seat],
        settings: MatchSettings,
        journal: Journal | None = None,
        *,
        on_turn: OnTurn | None = None,
        steps: Executor | None = None,
    ) -> None:
        check_seats(game, len(seats))
        self._game, self._settings, self._journal = game, settings, journal
        self._on_turn, self._steps = on_turn, steps
        plain = Language(game.rules)
        self._seats = [
            RefereeSeat(role, seat, self._made_up_words(role) if settings.scramble and not seat.is_human else plain)
            for role, seat in zip(game.player_roles, seats, strict=True)
        ]
        self._match: Match | None = None

    async def play(self) -> MatchResult:
        """Play the match. Whatever breaks it off, players are told that it is aborted, and so is the record."""
        return await self._guarded(self._play())

    async def resume(self, record: Record) -> MatchResult:
        """Go on with a match from its record, with the settings of `MatchSettings.of_record`.

        Players that still know it go on; those that do not are started again and told what happened.
        """
        return await self._guarded(self._resume(record))

    async def _guarded(self, playing: Awaitable[MatchResult]) -> MatchResult:
        try:
            return await playing
        except (Exception, asyncio.CancelledError, KeyboardInterrupt):
            await self._abort()
            raise

    async def _play(self) -> MatchResult:
        match = await self._worked_out(partial(Match, self._game, self._settings))
        match.check()
        if self._settings.wait is not None:
            await self._wait_for_players(self._settings.wait)
        await self._begin(match)
        await self._start(match)
        return await self._go_on(match)

    async def _resume(self, record: Record) -> MatchResult:
        match = await self._worked_out(partial(Match.resume, self._game, self._settings, record))
        if self._settings.wait is not None:
            await self._busy_players()  # They may well be, with this match: all that counts is what they are called.
        await self._begin(match)
        if match.turns:
            for seat in self._seats:
                seat.take_reasons()
                seat.is_lost = True
        else:
            await self._start(match)
        return await self._go_on(match)

    async def _go_on(self, match: Match) -> MatchResult:
        while not match.is_over:
            await self._turn(match)
        match.end()
        await self._write_end(match)
        name = self._settings.match_id
        if match.is_finished:
            await self._farewell(match, lambda seat: Stop(name, seat.language.news(match.news(seat.role))))
        else:
            await self._farewell(match, lambda seat: Abort(name))
        return match.result()

    # -- before the first move ---------------------------------------------------------------

    def _made_up_words(self, role: Role) -> Language:
        return Language(self._game.rules, Random(f"{self._settings.seed}/words/{role}"))

    async def _wait_for_players(self, seconds: float) -> None:
        """Ask until everybody is free; names are those that the players give themselves."""
        deadline = Deadline(seconds)
        while missing := await self._busy_players():
            if deadline.passed:
                who = missing[0]
                why = who.reasons[0] if who.reasons else f"{who.name} is busy"
                raise PlayError(f"the match cannot begin: {why}")
            await asyncio.sleep(min(POLL_SECONDS, deadline.remaining))

    async def _busy_players(self) -> list[RefereeSeat]:
        """Ask all who they are, and whether they are free; return those that are not."""
        for seat in self._seats:
            seat.take_reasons()
        replies = await self._ask_all(lambda seat: seat.ask(Info(), FAREWELL_SECONDS))
        return [seat for seat, reply in zip(self._seats, replies, strict=True) if not seat.is_free(reply)]

    async def _begin(self, match: Match) -> None:
        """Write the match down as it is before its next turn; if that fails nobody is told of it."""
        people = [seat.role for seat in self._seats if seat.seat.is_human]
        match.seat([seat.name for seat in self._seats], people)
        await self._write_beginning(match)
        self._match = match

    async def _start(self, match: Match) -> None:
        seconds = self._settings.clocks.start + self._settings.grace
        replies = await self._ask_all(lambda seat: seat.ask(seat.start_message(self._settings), seconds))
        for seat, reply in zip(self._seats, replies, strict=True):
            if reply is not None and reply.strip().lower() == BUSY:
                seat.reasons.append(f"{seat.name} answered {BUSY}")
            match.fail_start(seat.role, seat.code)
            match.report(seat.role, seat.take_reasons(), "START: ")
        if match.diagnostics:
            await self._write_beginning(match)

    # -- one turn ----------------------------------------------------------------------------

    async def _turn(self, match: Match) -> None:
        """Have everybody move."""
        match.check()
        moves = await self._ask_all(lambda seat: self._move(seat, match))
        for seat, move in zip(self._seats, moves, strict=True):
            answer = seat.seat.answer
            if move is None:
                match.fail(seat.role, seat.code)
            else:
                match.answer(seat.role, move, answer.decision if answer else None)
            match.report(seat.role, seat.take_reasons())
            match.report(seat.role, answer.diagnostics if answer else (), is_fault=False)
        turn = await self._worked_out(match.step)
        if self._journal:
            await self._worked_out(partial(self._journal.moved, match.record))
        if self._on_turn:
            self._on_turn(turn)

    async def _move(self, seat: RefereeSeat, match: Match) -> Move | None:
        """Return the move of a player; None if it makes none that is legal."""
        seconds = self._settings.clocks.play + self._settings.grace
        message = Play(self._settings.match_id, seat.language.news(match.news(seat.role)))
        move = await self._answer(seat, message, seconds, match)
        if move is None and seat.is_lost:
            await self._catch_up(seat, seconds, match)
            move = await self._answer(seat, message, seconds, match)
        seat.is_lost = False
        return move

    async def _answer(self, seat: RefereeSeat, message: Play, seconds: float, match: Match) -> Move | None:
        reply = await seat.ask(message, seconds)
        return None if reply is None else seat.understood(reply, match)

    async def _catch_up(self, seat: RefereeSeat, seconds: float, match: Match) -> None:
        """Start a player again that does not know the match any more; what failed before does not count."""
        await seat.ask(Abort(self._settings.match_id), min(seconds, FAREWELL_SECONDS))
        history = [seat.language.news(match.news(seat.role, turn)) for turn in range(len(match.turns))]
        await seat.catch_up(seat.start_message(self._settings), history, seconds)
        seat.take_reasons()

    # -- the end -----------------------------------------------------------------------------

    async def _abort(self) -> None:
        """The match is broken off: write it down first, then tell everybody."""
        match = self._match
        if match is None:
            return
        try:
            if not match.record.is_completed and not match.record.is_aborted:
                match.record.abort()
                await self._write_end(match)
        finally:
            await self._farewell(match, lambda seat: Abort(self._settings.match_id))

    async def _farewell(self, match: Match, message: Callable[[RefereeSeat], Message]) -> None:
        """Send the last message to all; nobody waits for long for their answers."""
        seconds = min(self._settings.clocks.play, FAREWELL_SECONDS) + self._settings.grace
        await self._ask_all(lambda seat: seat.ask(message(seat), seconds), at_once=True)
        for seat in self._seats:
            match.report(seat.role, seat.take_reasons(), "at the end: ")

    # -- within ------------------------------------------------------------------------------

    async def _worked_out(self, action: Callable[[], Value]) -> Value:
        if self._steps is None:
            return action()
        return await asyncio.get_running_loop().run_in_executor(self._steps, action)

    async def _write_beginning(self, match: Match) -> None:
        if self._journal:
            await self._worked_out(partial(self._journal.began, match.record))

    async def _write_end(self, match: Match) -> None:
        if self._journal:
            await self._worked_out(partial(self._journal.ended, match.record))

    async def _ask_all(
        self, ask: Callable[[RefereeSeat], Coroutine[Any, Any, Value]], *, at_once: bool = False
    ) -> list[Value]:
        """Return everybody's answers by seat; asked at once, or one after the other if that is wanted."""
        if self._settings.one_by_one and not at_once:
            return [await ask(seat) for seat in self._seats]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(seat)) for seat in self._seats]
        return [task.result() for task in tasks]
