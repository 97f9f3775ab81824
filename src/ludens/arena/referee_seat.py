"""One seat at a match, as the referee deals with it."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ludens.arena.language import Language
from ludens.arena.result import MatchSettings
from ludens.arena.seats.base import News, Seat
from ludens.core import GroundTerm, Move, Role
from ludens.errors import MessageError, SeatError, SeatTimeoutError
from ludens.gdl.terms import term_text
from ludens.players.protocol_player import NO_MOVE
from ludens.protocol import Message, Percepts, Start, read_info, read_move

Value = TypeVar("Value")

TIMED_OUT, GONE, ILLEGAL, NOT_A_MOVE = "TO", "CE", "IL", "IL null"
"""The codes of errors in records; an illegal move follows its code."""
SHOWN = 100
"""So many characters of an answer are quoted."""
READ = 4096
"""So many characters of an answer are read: that takes time, in which all other matches wait."""


@dataclass
class RefereeSeat:
    """One seat at the match: its role, the words it knows, and what it failed to do in this turn."""

    role: Role
    seat: Seat
    language: Language
    name: str
    is_lost: bool = False
    """Whether it may not know where the match stands, because it was interrupted."""
    code: str = ""
    reasons: list[str] = field(default_factory=list)

    async def ask(self, message: Message, seconds: float) -> str | None:
        """The answer; None, and a note, if there is none."""
        return await self._try(self.seat.ask(message, seconds, self.language.spelling))

    async def catch_up(self, start: Start, history: Sequence[News], seconds: float) -> None:
        """Tell a player that knows nothing of the match what happened before the latest news."""
        await self._try(self.seat.catch_up(start, history, seconds, self.language.spelling))

    async def _try(self, action: Awaitable[Value]) -> Value | None:
        """What a seat comes to; None, and a note, if it fails. Seats are foreign code: anything may go wrong."""
        try:
            return await action
        except SeatTimeoutError as error:
            self.note(TIMED_OUT, str(error))
        except SeatError as error:
            self.note(GONE, str(error))
        except Exception as error:
            self.note(GONE, f"{type(error).__name__}: {error}")
        finally:
            self.reasons += self.seat.complaints()
        return None

    def note(self, code: str, reason: str) -> None:
        self.code = code
        self.reasons.append(reason)

    def forget_faults(self) -> None:
        self.code = ""
        self.reasons.clear()

    def start_message(self, settings: MatchSettings) -> Start:
        clocks, words = settings.clocks, self.language
        return Start(settings.match_id, words.role_name(self.role), words.rules, clocks.start, clocks.play)

    def told(self, news: News) -> News:
        """News in the words that this player knows."""
        told = self.language.told
        match news:
            case None:
                return None
            case Percepts(turn, own_move, seen):
                return Percepts(turn, own_move if own_move is None else told(own_move), tuple(map(told, seen)))
            case _:
                return tuple(map(told, news))

    def understood(self, reply: str, legal: Mapping[GroundTerm, Move]) -> Move | None:
        """The legal move that an answer is; None, and a note, if it is none."""
        try:
            term = self.language.understood(read_move(reply[:READ]))
        except MessageError as error:
            self.code = NOT_A_MOVE
            self.reasons = self.reasons or [f"{self.name} answered {reply[:SHOWN]!r}, which is no move: {error}"]
            return None
        move = legal.get(term)
        if move is None and term == NO_MOVE:
            self.code = NOT_A_MOVE
            self.reasons = self.reasons or [f"{self.name} answered that it has no move"]
        elif move is None:
            text = term_text(term)[:SHOWN]
            self.code = f"{ILLEGAL} {text}"
            self.reasons = [f"{text} is not legal", *(reason for reason in self.reasons if text not in reason)]
        return move

    def is_free(self, reply: str | None) -> bool:
        """Whether the player says that it can play; what it is called is noted by the way."""
        if reply is None:
            return False
        try:
            info = read_info(reply[:READ])
        except MessageError:
            return True
        self.name = info.name[:SHOWN] or self.name
        return info.available
