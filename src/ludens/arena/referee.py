"""The referee: plays a match between seats, whoever sits in them, and writes down what happens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any, TypeAlias, TypeVar

from ludens.arena.journals import Journal
from ludens.arena.language import Language
from ludens.arena.records import Record
from ludens.arena.referee_seat import RefereeSeat
from ludens.arena.result import Fault, JointMove, MatchResult, MatchSettings, Turn, check_seats
from ludens.arena.seats.base import News, Seat
from ludens.core import GroundTerm, Move, Role
from ludens.errors import NoLegalMoveError, PlayError
from ludens.game import Game, State
from ludens.gdl.keywords import CHANCE
from ludens.protocol import BUSY, Abort, Info, Message, Percepts, Play, Stop
from ludens.runtime.deadline import Deadline

__all__ = ["Fault", "JointMove", "MatchResult", "MatchSettings", "OnTurn", "Referee", "Turn"]

OnTurn: TypeAlias = Callable[[Turn], None]
Value = TypeVar("Value")

FAREWELL_SECONDS = 5.0
"""How long the referee waits for answers that change nothing any more."""
POLL_SECONDS = 1.0
"""How often players that are busy are asked again whether they are free."""
MAX_NOTES = 100
"""So many faults are told in words in a record; it has the codes of all."""


@dataclass(frozen=True)
class Situation:
    """Where a match stands, and what was told about the way there."""

    state: State
    legal: Mapping[Role, Mapping[GroundTerm, Move]]
    """What each role may do; empty at the end."""
    news: Mapping[Role, News]
    """What each seat is told of the last turn, in the words of the game."""
    trouble: NoLegalMoveError | None = None
    """Why the match cannot go on from here, though it is not over."""

    @property
    def is_over(self) -> bool:
        return not self.legal and self.trouble is None


class Referee:
    """Plays one match; each seat has a role of `game.player_roles`, in this order.

    A player that fails in whatever way neither ends the match nor disturbs the others. What the rules say is worked out
    by `steps`, if one is given: a single thread there keeps the matches of a process from waiting for each other.
    Without an event loop (`in_loop`) seats are asked one by one, and must never wait for anything.
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
        in_loop: bool = True,
    ) -> None:
        check_seats(game, len(seats))
        self._game, self._settings, self._journal = game, settings, journal
        self._on_turn, self._steps, self._in_loop = on_turn, steps, in_loop
        plain = Language(game.rules)
        self._chairs = [
            RefereeSeat(role, seat, plain, seat.name) for role, seat in zip(game.player_roles, seats, strict=True)
        ]
        for chair in self._chairs:
            if settings.scramble and not chair.seat.is_human:
                chair.language = Language(game.rules, Random(f"{settings.seed}/words/{chair.role}"))
        self._told: list[Mapping[Role, News]] = []
        """What the seats were told turn by turn."""
        self._moves: list[JointMove] = []
        self._faults: list[Fault] = []
        self._shown_faults = 0
        self._record: Record | None = None
        """What is written down; there is none before the match begins."""

    async def play(self) -> MatchResult:
        """Play the match. Whatever breaks it off, players are told that it is aborted, and so is the record."""
        return await self._guarded(self._play())

    async def resume(self, record: Record) -> MatchResult:
        """Go on with a match from its record, with the settings of `MatchSettings.of_record`.

        Players that still know it go on; those that do not are started again and told what happened.
        """
        if record.match_id != self._settings.match_id:
            raise PlayError(f"the record is that of {record.match_id}, not of {self._settings.match_id}")
        if record.is_completed:
            raise PlayError(f"the match {record.match_id} is over; there is nothing to go on with")
        return await self._guarded(self._resume(record))

    async def _guarded(self, match: Awaitable[MatchResult]) -> MatchResult:
        try:
            return await match
        except (Exception, asyncio.CancelledError, KeyboardInterrupt):
            await self._abort()
            raise

    async def _play(self) -> MatchResult:
        situation = await self._worked_out(self._beginning)
        self._check(situation)
        if self._settings.wait is not None:
            await self._wait_for_players(self._settings.wait)
        await self._begin(self._new_record(situation.state))
        await self._start()
        return await self._go_on(situation)

    async def _resume(self, record: Record) -> MatchResult:
        situation = await self._worked_out(partial(self._replayed, record))
        if self._settings.wait is not None:
            await self._busy_players()  # They may well be, with this match: all that counts is what they are called.
        self._credit(record)
        record.is_aborted = False
        await self._begin(record)
        if not self._moves:
            await self._start()
            return await self._go_on(situation)
        for chair in self._chairs:
            chair.forget_faults()
            chair.is_lost = True
        codes = zip(self._game.rule_roles, record.errors[-1], strict=True)
        return await self._go_on(situation, tuple(role for role, code in codes if code))

    async def _go_on(self, situation: Situation, failed: tuple[Role, ...] = ()) -> MatchResult:
        """Turn by turn to the end; the moves of some may have been replaced in the turn before."""
        ends_by_fault = self._settings.on_fault == "forfeit"
        while not situation.is_over and not (failed and ends_by_fault) and len(self._moves) < self._settings.max_steps:
            situation, failed = await self._turn(situation)
        return await self._end(situation, failed if ends_by_fault else ())

    # -- before the first move ---------------------------------------------------------------

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
        """Ask all who they are, and whether they are free; those that are not."""
        for chair in self._chairs:
            chair.forget_faults()
        replies = await self._ask_all(lambda chair: chair.ask(Info(), FAREWELL_SECONDS))
        return [chair for chair, reply in zip(self._chairs, replies, strict=True) if not chair.is_free(reply)]

    def _credit(self, record: Record) -> None:
        """Write down who plays from now on, if these are others than before."""
        names = {chair.role: chair.name for chair in self._chairs}
        people = {chair.role: chair.seat.is_human for chair in self._chairs}
        record.is_player_human = [people.get(role, False) for role in self._game.rule_roles]
        present = [names.get(role, CHANCE) for role in self._game.rule_roles]
        if record.player_names != present:
            earlier = record.notes.setdefault("earlierPlayers", [])
            earlier.append({"players": record.player_names, "turns": record.turns})
            record.player_names = present
        record.notes.update(self._settings.notes())

    def _new_record(self, initial: State) -> Record:
        settings = self._settings
        return Record.begin(
            self._game,
            initial,
            [chair.name for chair in self._chairs],
            settings.clocks,
            settings.match_id,
            settings.seed,
            scrambled=settings.scramble,
            is_player_human=[chair.seat.is_human for chair in self._chairs],
            notes=settings.notes(),
        )

    async def _start(self) -> None:
        settings = self._settings
        seconds = settings.clocks.start + settings.grace
        replies = await self._ask_all(lambda chair: chair.ask(chair.start_message(settings), seconds))
        for chair, reply in zip(self._chairs, replies, strict=True):
            if reply is not None and reply.strip().lower() == BUSY:
                chair.reasons.append(f"{chair.name} answered {BUSY}")
        codes = self._take_faults("START: ")
        if self._faults:
            self._known_record.errors[0] = [codes.get(role, "") for role in self._game.rule_roles]
            await self._begin(self._known_record)

    async def _begin(self, record: Record) -> None:
        """Write the match down as it is before its next turn; if that fails nobody is told of it."""
        if self._journal:
            await self._worked_out(partial(self._journal.began, record))
        self._record = record

    # -- one turn ----------------------------------------------------------------------------

    async def _turn(self, situation: Situation) -> tuple[Situation, tuple[Role, ...]]:
        """Have everybody move; the situation after it, and whose move had to be replaced."""
        self._check(situation)
        self._told.append(situation.news)
        moves = await self._ask_all(lambda chair: self._move(chair, situation))
        asked = {chair.role: move for chair, move in zip(self._chairs, moves, strict=True)}
        failed = tuple(role for role, move in asked.items() if move is None)
        joint = {role: asked.get(role) or self._drawn(role, situation.legal[role]) for role in self._game.roles}
        announced, after = await self._worked_out(partial(self._after, situation.state, joint))
        codes = self._take_faults()
        self._moves.append(announced)
        record = self._known_record
        record.add_turn(announced, after.state, [codes[chair.role] for chair in self._chairs])
        if self._journal:
            await self._worked_out(partial(self._journal.moved, record))
        if self._on_turn:
            faults = tuple(self._faults[self._shown_faults :])
            self._shown_faults = len(self._faults)
            self._on_turn(Turn(len(self._moves), situation.state, announced, after.state, faults))
        return after, failed

    async def _move(self, chair: RefereeSeat, situation: Situation) -> Move | None:
        """The move of a player; None if it makes none that is legal."""
        legal = situation.legal[chair.role]
        seconds = self._settings.clocks.play + self._settings.grace
        message = Play(self._settings.match_id, chair.told(situation.news[chair.role]))
        move = await self._answer(chair, message, seconds, legal)
        if move is None and chair.is_lost:
            await self._catch_up(chair, seconds)
            move = await self._answer(chair, message, seconds, legal)
        chair.is_lost = False
        return move

    async def _answer(
        self, chair: RefereeSeat, message: Play, seconds: float, legal: Mapping[GroundTerm, Move]
    ) -> Move | None:
        reply = await chair.ask(message, seconds)
        return None if reply is None else chair.understood(reply, legal)

    async def _catch_up(self, chair: RefereeSeat, seconds: float) -> None:
        """Start a player again that does not know the match any more; what failed before does not count."""
        await chair.ask(Abort(self._settings.match_id), min(seconds, FAREWELL_SECONDS))
        history = [chair.told(news[chair.role]) for news in self._told[:-1]]
        await chair.catch_up(chair.start_message(self._settings), history, seconds)
        chair.forget_faults()

    def _drawn(self, role: Role, legal: Mapping[GroundTerm, Move]) -> Move:
        """What chance does in this turn, or a move in place of one that a player failed to make."""
        return Random(f"{self._settings.seed}/{len(self._moves)}/{role}").choice(sorted(legal.values()))

    # -- the end -----------------------------------------------------------------------------

    async def _end(self, situation: Situation, forfeited: tuple[Role, ...]) -> MatchResult:
        record, finished = self._known_record, situation.is_over or bool(forfeited)
        result = MatchResult(situation.state, tuple(self._moves), (), finished, record, forfeited)
        if forfeited:
            record.notes["forfeited"] = list(forfeited)
        if finished:
            record.complete(result.goals)
        else:
            record.abort()
        await self._write_end(record)
        if finished:
            await self._farewell(lambda chair: Stop(self._settings.match_id, chair.told(situation.news[chair.role])))
        else:
            await self._farewell(lambda chair: Abort(self._settings.match_id))
        return replace(result, faults=tuple(self._faults))

    async def _abort(self) -> None:
        """The match is broken off: write it down first, then tell everybody."""
        record = self._record
        if record is None:
            return
        try:
            if not record.is_completed and not record.is_aborted:
                record.abort()
                await self._write_end(record)
        finally:
            await self._farewell(lambda chair: Abort(self._settings.match_id))

    async def _write_end(self, record: Record) -> None:
        if self._journal:
            await self._worked_out(partial(self._journal.ended, record))

    async def _farewell(self, message: Callable[[RefereeSeat], Message]) -> None:
        """The last message to all, for whose answers nobody waits for long."""
        seconds = min(self._settings.clocks.play, FAREWELL_SECONDS) + self._settings.grace
        await self._ask_all(lambda chair: chair.ask(message(chair), seconds), at_once=True)
        self._take_faults("at the end: ")

    # -- what the rules say ------------------------------------------------------------------

    async def _worked_out(self, action: Callable[[], Value]) -> Value:
        if self._steps is None:
            return action()
        return await asyncio.get_running_loop().run_in_executor(self._steps, action)

    def _beginning(self) -> Situation:
        first: News = Percepts(0, None, ()) if self._game.traits.hidden else None
        return self._situation(self._game.initial_state(), {chair.role: first for chair in self._chairs})

    def _after(self, state: State, joint: JointMove) -> tuple[JointMove, Situation]:
        """The joint move as it is announced, and where it leads."""
        announced = self._game.announced(joint)
        return announced, self._situation(state.next(joint), self._news(state, joint, announced))

    def _news(self, state: State, joint: JointMove, announced: JointMove) -> Mapping[Role, News]:
        if self._game.traits.hidden:
            turn = len(self._moves) + 1
            percepts = state.percepts(joint)
            return {
                chair.role: Percepts(
                    turn, announced[chair.role].term, tuple(fact.term for fact in percepts[chair.role])
                )
                for chair in self._chairs
            }
        everything = tuple(announced[role].term for role in self._game.rule_roles)
        return {chair.role: everything for chair in self._chairs}

    def _situation(self, state: State, news: Mapping[Role, News]) -> Situation:
        if state.is_terminal:
            return Situation(state, {}, news)
        try:
            legal = {role: {move.term: move for move in state.legal_moves(role)} for role in self._game.roles}
            for role, moves in legal.items():
                if not moves:
                    raise NoLegalMoveError(role)
        except NoLegalMoveError as error:
            return Situation(state, {}, news, error)
        return Situation(state, legal, news)

    def _check(self, situation: Situation) -> None:
        """NoLegalMoveError if the rules do not let the match go on."""
        if situation.trouble:
            where = f"after move {len(self._moves)}" if self._moves else "at the start"
            remedy = "correct the rules: everybody needs a move until the game is over"
            raise NoLegalMoveError(situation.trouble.role, f"{where}, {situation.trouble}; {remedy}")

    def _replayed(self, record: Record) -> Situation:
        """Where a recorded match stands."""
        situation = self._beginning()
        for turn, after in enumerate(record.replay(self._game)):
            if turn:
                joint = record.joint(self._game, turn - 1)
                self._told.append(situation.news)
                situation = self._situation(after, self._news(situation.state, joint, joint))
                self._moves.append(joint)
        return situation

    # -- all seats ---------------------------------------------------------------------------

    async def _ask_all(
        self, ask: Callable[[RefereeSeat], Coroutine[Any, Any, Value]], *, at_once: bool = False
    ) -> list[Value]:
        """Everybody's answers in the order of the seats; asked at once, or one after the other if that is wanted."""
        if not self._in_loop or (self._settings.one_by_one and not at_once):
            return [await ask(chair) for chair in self._chairs]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(chair)) for chair in self._chairs]
        return [task.result() for task in tasks]

    def _take_faults(self, when: str = "") -> dict[Role, str]:
        """The codes of what went wrong since the last time, by role; the words are kept here and in the record."""
        step = len(self._told) or 1
        codes = {chair.role: chair.code for chair in self._chairs}
        faults = [Fault(step, chair.role, when + reason) for chair in self._chairs for reason in chair.reasons]
        for chair in self._chairs:
            chair.forget_faults()
        self._faults += faults
        if faults and self._record:
            words = self._record.notes.setdefault("faults", [])
            told = faults[: max(0, MAX_NOTES - len(words))]
            words += [f"move {fault.step}, {fault.role}: {fault.reason}" for fault in told]
        return codes

    @property
    def _known_record(self) -> Record:
        assert self._record is not None, "the record begins before START"
        return self._record
