"""Seats and journals that tests of the referee look into."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from random import Random

from ludens.arena.records import Record
from ludens.arena.referee import Referee
from ludens.arena.result import MatchResult, MatchSettings
from ludens.arena.seats import PlayerSeat, Seat
from ludens.core import Answer, Clocks
from ludens.game import Game
from ludens.gdl.terms import Spelling
from ludens.players import RandomPlayer
from ludens.protocol import Info, Message, Play, Start

CLOCKS = Clocks(2.0, 1.0)
SETTINGS = MatchSettings("Kiosk.1", CLOCKS, 5)


class NotedRecords:
    """A journal in memory."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []
        self.last: Record | None = None

    def began(self, record: Record) -> None:
        self._note("began", record)

    def moved(self, record: Record) -> None:
        self._note("moved", record)

    def ended(self, record: Record) -> None:
        self._note("aborted" if record.is_aborted else "ended", record)

    def _note(self, what: str, record: Record) -> None:
        self.calls.append((what, record.turns))
        self.last = record


class Scripted:
    """A seat that answers what a test has prepared, and keeps what it was asked."""

    is_human = False
    answer: Answer | None = None

    def __init__(self, answers: Sequence[str], name: str = "scripted") -> None:
        self.name = name
        self.asked: list[Message] = []
        self._answers = iter(answers)

    async def ask(self, message: Message, seconds: float, spelling: object = None) -> str:
        self.asked.append(message)
        return next(self._answers) if isinstance(message, Play | Info) else "ready"

    async def catch_up(self, start: Start, history: Sequence[object], seconds: float, spelling: object = None) -> None:
        raise AssertionError("nobody is lost here")

    def diagnostics(self) -> list[str]:
        return []

    async def close(self) -> None:
        pass


class Listening:
    """Keeps what another seat is asked."""

    def __init__(self, seat: Seat) -> None:
        self.name, self.is_human = seat.name, seat.is_human
        self.asked: list[Message] = []
        self._seat = seat
        self.catch_up, self.diagnostics, self.close = seat.catch_up, seat.diagnostics, seat.close

    @property
    def answer(self) -> Answer | None:
        return self._seat.answer

    async def ask(self, message: Message, seconds: float, spelling: Spelling | None = None) -> str:
        self.asked.append(message)
        return await self._seat.ask(message, seconds, spelling)


def randoms(game: Game, seed: int = 1) -> list[Seat]:
    return [PlayerSeat(RandomPlayer(Random(f"{seed}/{role}"))) for role in game.player_roles]


def played(game: Game, seats: Sequence[Seat], settings: MatchSettings = SETTINGS, **options: object) -> MatchResult:
    result = asyncio.run(Referee(game, seats, settings, **options).play())  # type: ignore[arg-type]
    assert list(result.record.replay(game))[-1] == result.final
    assert result.record.moves == [[spaced(move) for move in joint.values()] for joint in result.moves]
    return result


def spaced(move: str) -> str:
    return move.replace("(", "( ").replace(")", " )")
