"""The player's side of the game protocol: messages in, answers out, whatever they are and whatever the player does."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from threading import RLock
from typing import Any, TypeVar

from ludens.core import Answer, GroundTerm, Move, Player, Ponders, Role
from ludens.errors import MessageError, PlayError
from ludens.game import State
from ludens.players.base import BasePlayer, ask_move
from ludens.players.game_pool import GamePool
from ludens.players.match_view import AskedTurn, MatchView, News, Observation
from ludens.players.wording import in_words
from ludens.protocol import (
    ABORTED,
    BUSY,
    DONE,
    READY,
    Abort,
    Info,
    Message,
    Ping,
    Play,
    Preview,
    Start,
    Stop,
    info_text,
    ping_text,
    read_move,
)
from ludens.runtime.deadline import Deadline
from ludens.runtime.threads import Interrupted, SerialExecutor, interruptible_by, result_or_timeout

Result = TypeVar("Result")

RESERVE, RESERVE_SHARE = 0.3, 0.3
"""How long before the clock a player has to move: seconds, and at most this part of the clock.

The answer is on its way 0.2 s before the clock then, also where the machine is busy.
"""
READING_SECONDS = (1.0, 60.0)
"""How long a stranger's rules may take to be understood: as long as the start clock allows, within these bounds."""
FOLLOWING_SECONDS, FOLLOWING_SHARE = (1.0, 10.0), 0.5
"""How long they may take to be evaluated in a turn: this part of the play clock, within these bounds."""
END_SECONDS = 1.0
"""How long the end of a match waits for the player; a thought that goes on after that is given up."""
QUIET_SECONDS = 0.5
"""How long a message waits for a cancelled thought to end."""
MAX_FAULTS = 100
NO_MOVE = "nil"


@dataclass(frozen=True, eq=False)
class _Coming:
    """A match whose rules are being read."""

    name: str
    work: Deadline = field(default_factory=Deadline.never)
    """The time for reading them; cancelled when the match is not to begin any more."""


class ProtocolPlayer:
    """One player that is spoken to by messages, in one match at a time. Answers are texts; no message raises.

    The player thinks in a thread of its own, so other messages are answered meanwhile, from any thread. The match is
    followed apart from the player: where that fails, moves against the rules or is late, there is still a legal move.

    >>> from random import Random
    >>> from ludens.players import RandomPlayer
    >>> player = ProtocolPlayer(RandomPlayer(Random(1)))
    >>> player.answer(Info())
    '((name random) (status available))'
    >>> player.answer(Play("unknown", None))
    'busy'
    """

    def __init__(
        self,
        player: Player,
        *,
        reserve: float = RESERVE,
        mend: bool = True,
        ponder: bool = False,
        games: GamePool | None = None,
    ) -> None:
        """Say how it is used.

        `reserve`: seconds before the clock at which it answers, less for short clocks. `mend`: answer some legal move
        in time where the player has none; otherwise the answer is what the player says, whenever it does. `ponder`:
        let the player think on between its answer and the next message. `games`: shared with other players.
        """
        self.player = player
        self.faults: list[str] = []
        """What the player failed to do in this match, in words; it may be cleared by the reader."""
        self.last_answer: Answer | None = None
        """What the player has answered to the last question for a move, if it did in time."""
        self._reserve, self._mend, self._ponder = reserve, mend, ponder
        self._games = games or GamePool.of_process()
        self._match: MatchView | None = None
        self._ended: MatchView | None = None
        self._coming: _Coming | None = None
        self._lock = RLock()
        self._executor = SerialExecutor(f"player-{player.name}")
        self._deadline = Deadline.never()
        """When the thought under way is to end; cancelled so that the player gives its best so far."""
        self._patience = Deadline.never()
        """Cancelled when nobody waits for the player any more in this match."""

    @property
    def match(self) -> str | None:
        """The match under way."""
        match = self._match
        return match.name if match else None

    @property
    def _is_free(self) -> bool:
        return self._match is None and self._coming is None

    @property
    def role(self) -> Role | None:
        """The role in the match under way, or else in the last one."""
        match = self._match or self._ended
        return match.role if match else None

    @property
    def state(self) -> State | None:
        """What is known of the match under way, or else how the last one ended."""
        match = self._match or self._ended
        return match.state if match else None

    @property
    def turns(self) -> int:
        """How many moves were asked for in the match under way, or else in the last one."""
        match = self._match or self._ended
        return match.turn.number if match and match.turn else 0

    def answer(self, message: Message, received: float | None = None) -> str:
        """The answer to a message that came at a time of `time.monotonic()`, by default now."""
        received = time.monotonic() if received is None else received
        match message:
            case Info():
                return info_text(self.player.name, self._is_free)
            case Ping():
                return ping_text(self._is_free)
            case Preview():
                return READY
            case Start():
                return self._start(message, received)
            case Play():
                return self._play(message, received)
            case Stop() | Abort():
                return self._end(message, received)

    def interrupt(self) -> None:
        """Cancel the thought under way, from any thread; a player that looks at its deadline ends it soon."""
        self._deadline.cancel()

    def catch_up(self, history: Iterable[News]) -> None:
        """Tell the player of turns that it has missed in the match under way, without asking it for moves."""
        with self._lock:
            match = self._match
            for news in history:
                observe = self._news(match, news) if match else None
                self._tell(observe)

    # -- START -------------------------------------------------------------------------------

    def _start(self, message: Start, received: float) -> str:
        with self._lock:
            coming = self._coming
            if {self.match, coming and coming.name} - {None, message.match}:
                return BUSY
            if coming:
                coming.work.cancel()
            coming = self._coming = _Coming(message.match)
        faults: list[str] = []
        match = self._read_start(message, received, coming.work, faults)
        with self._lock:
            if self._coming is not coming:
                if match:
                    self._games.release(match.game)
                return BUSY
            self._coming = None
            if self._match:
                self.interrupt()
                self._executor.wait(Deadline(QUIET_SECONDS))
                self._leave(self._match, self.player.abort)
                self._patience.cancel()
            self.faults[:] = faults
            if match is None:
                return BUSY
            self._match, self._patience = match, Deadline.never()
            clock = match.clocks.start
            deadline = self._deadline = _deadline(received, clock - self._kept(clock))
            begin = partial(self.player.start, match.game, match.role, match.clocks, deadline)
            started = self._submit("start", begin)
        _, late = self._awaited(started, received, clock)
        if late:
            self._note("the player was not ready when the start clock was over")
        return READY

    def _read_start(self, message: Start, received: float, work: Deadline, faults: list[str]) -> MatchView | None:
        """The match that begins; None, and what is wrong, if it cannot be played."""
        least, most = READING_SECONDS if self._mend else (math.inf, math.inf)
        seconds = min(most, max(least, self._left(received, message.start_clock)))
        try:
            begin = partial(MatchView.begin, message, self._games, follows=self._mend)
            match = evaluate_within(work.share(at_most=seconds), begin)
            faults += match.diagnostics() if self._mend else []
            return match
        except TimeoutError:
            faults.append("this match cannot be played: its rules could not be understood in the start clock")
        except Exception as error:
            faults.append(f"this match cannot be played: {in_words(error)}")
        return None

    # -- PLAY --------------------------------------------------------------------------------

    def _play(self, message: Play, received: float) -> str:
        with self._lock:
            match = self._match
            if match is None or match.name != message.match:
                return BUSY
            self.last_answer = None
            turn = self._turn(match, message.news, received)
        answer, late = self._awaited(turn.thought, received, match.clocks.play)
        with self._lock:
            if turn.answer is None:
                turn.answer = self._chosen(match, turn, answer, late)
                if self._ponder and match is self._match and match.turn is turn:
                    self._start_pondering()
        return NO_MOVE if turn.answer is None else match.text(turn.answer)

    def _turn(self, match: MatchView, news: News, received: float) -> AskedTurn:
        """The turn that a message asks about: a new one, unless it was asked before or the news do not fit."""
        turn = match.turn
        if turn and match.repeats(news, received):
            return turn
        self.interrupt()
        observe = self._news(match, news)
        if observe is None and turn:
            return turn
        clock = match.clocks.play
        deadline = self._deadline = _deadline(received, clock - self._kept(clock))
        asked = match.next_turn(news, received)

        def think() -> Answer | None:
            if observe:
                self._try("take note of the moves", partial(observe, self.player))
            if asked.legal is None and self._mend:
                asked.legal = self._try("know its moves", self._known_moves)
            return self._try("move", partial(ask_move, self.player, deadline))

        asked.thought = self._executor.submit(self._patiently, self._patience, think)
        return asked

    def _news(self, match: MatchView, news: News) -> Observation | None:
        """What the player is to be told; None, and a note, for news that do not fit."""
        try:
            if not self._mend:
                return match.take(news)
            least, most = FOLLOWING_SECONDS
            seconds = min(most, max(least, FOLLOWING_SHARE * match.clocks.play))
            return evaluate_within(Deadline(seconds), partial(match.take, news))
        except TimeoutError:
            self._note("the moves announced could not be followed: the rules are too hard to evaluate")
            return None
        except Exception as error:
            self._note(f"the moves announced do not fit: {in_words(error)}")
            return None

    def _tell(self, observe: Observation | None) -> None:
        if observe:
            self._submit("take note of the moves", partial(observe, self.player))

    def _chosen(self, match: MatchView, turn: AskedTurn, answer: Answer | None, late: bool) -> GroundTerm | None:
        """The move to answer: the player's own if that is legal, else a legal one."""
        legal = turn.legal
        if late:
            self._note("the player did not move in time")
        elif answer is not None:
            self.last_answer = answer
            term = _term(answer.move)
            if term is not None and (legal is None or any(term == known.term for known in legal)):
                return term
            self._note(f"the player made the move {answer.move}, which is not legal")
            if not self._mend:
                return term
        return legal[0].term if legal and self._mend else None

    def _known_moves(self) -> tuple[Move, ...] | None:
        """What is legal as far as the player can tell from its percepts."""
        try:
            return self.player.legal_moves() if isinstance(self.player, BasePlayer) else None
        except PlayError:
            return None

    def _start_pondering(self) -> None:
        if isinstance(self.player, Ponders):
            deadline = self._deadline = Deadline.never()
            self._submit("ponder", partial(self.player.ponder, deadline))

    # -- STOP and ABORT ----------------------------------------------------------------------

    def _end(self, message: Stop | Abort, received: float) -> str:
        answer = DONE if isinstance(message, Stop) else ABORTED
        with self._lock:
            match = self._match
            if self._coming and self._coming.name == message.match:
                self._coming.work.cancel()
                self._coming = None
                if match is None:
                    return answer
            if match is None or match.name != message.match:
                known = match is None and self._ended is not None and self._ended.name == message.match
                return answer if known else BUSY
            self.interrupt()
            if isinstance(message, Stop):
                observe = None if match.repeats(message.news, received) else self._news(match, message.news)
                self._tell(observe)
                ended = self._leave(match, self.player.stop)
            else:
                ended = self._leave(match, self.player.abort)
            patience = self._patience
        with suppress(TimeoutError, Interrupted):
            result_or_timeout(ended, Deadline(END_SECONDS))
        patience.cancel()
        return answer

    def _leave(self, match: MatchView, end: Callable[[], None]) -> Future[None]:
        """End the match; the player is told as soon as it has ended its thought."""
        self._match, self._ended = None, match
        self._games.release(match.game)
        return self._executor.submit(self._try, "end the match", end)

    # -- the player --------------------------------------------------------------------------

    def _submit(self, what: str, action: Callable[[], object]) -> Future[object]:
        """Have the player do something in its thread, after all that it was told before."""
        return self._executor.submit(self._patiently, self._patience, partial(self._try, what, action))

    @staticmethod
    def _patiently(patience: Deadline, action: Callable[[], Result]) -> Result:
        """Do something in which rules are evaluated only as long as somebody waits for it.

        A player that does not end for another reason keeps its thread; what it is told meanwhile it hears later.
        """
        with interruptible_by(patience):
            return action()

    def _try(self, what: str, action: Callable[[], Result]) -> Result | None:
        """What the player does; None, and a note, if it fails. Players are foreign code: anything may go wrong."""
        try:
            return action()
        except BaseException as error:
            self._note(f"the player failed to {what}: {in_words(error)}")
            return None

    def _note(self, fault: str) -> None:
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(fault)

    def _kept(self, clock: float) -> float:
        return min(self._reserve, RESERVE_SHARE * clock)

    def _awaited(self, future: Future[Any], received: float, clock: float) -> tuple[Any, bool]:
        """What the player comes to, and whether that took too long."""
        deadline = self._patience.share(at_most=self._left(received, clock) if self._mend else math.inf)
        try:
            return result_or_timeout(future, deadline), False
        except (TimeoutError, Interrupted):
            return None, True

    def _left(self, received: float, clock: float) -> float:
        """Seconds until an answer has to be given; half of the reserve is left then."""
        return received + clock - self._kept(clock) / 2 - time.monotonic()


def evaluate_within(deadline: Deadline, question: Callable[[], Result]) -> Result:
    """Ask something about a stranger's rules, which may take for ever; TimeoutError or Interrupted in time."""

    def answer(own: Deadline) -> Result:
        with interruptible_by(own):
            return question()

    return SerialExecutor("rules").result_or_timeout(answer, deadline)


def _deadline(received: float, seconds: float) -> Deadline:
    return Deadline(received + seconds - time.monotonic())


def _term(move: str) -> GroundTerm | None:
    """A move of a player as a term; None if it is none."""
    if isinstance(move, Move):
        return move.term
    try:
        return read_move(move)
    except (MessageError, TypeError, AttributeError):
        return None
