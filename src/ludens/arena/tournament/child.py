"""A process that plays matches of a tournament: tasks come in, one JSON object on a line, and records go out.

Each answer is a line too: `{"loaded": "game"}` once the rules are worked out, `{"step": n}` as a sign of life after
each move, and at last `{"record": ...}` or `{"failure": "why"}`. The process ends with its input, that is with its
parent, also in the middle of a match.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, TypeAlias

from ludens.arena.records import Record
from ludens.arena.referee import Referee
from ludens.arena.result import MatchSettings
from ludens.arena.seats import Seat, make_seat
from ludens.arena.seats.base import News
from ludens.core import Answer, Clocks
from ludens.errors import PlanError
from ludens.game import Game, load
from ludens.gdl.terms import Spelling
from ludens.protocol import Message, Play, Start
from ludens.runtime.parent_channel import ParentChannel
from ludens.runtime.threads import SerialExecutor

Report: TypeAlias = Callable[[Mapping[str, Any]], None]

MAX_GAMES = 8
"""Games that a worker keeps."""
PRECISION = 4
"""Digits of seconds."""


@dataclass(frozen=True, slots=True)
class MatchTask:
    """All that a worker has to know about a match."""

    match_id: str
    tournament: str
    job: str
    source: str
    digest: str
    players: list[str]
    """The names of the players, by seat."""
    seats: list[str]
    nodes: list[int | None]
    clocks: list[float]
    seed: int
    scramble: bool
    on_fault: str
    max_steps: int
    one_by_one: bool
    """Whether players think here, who would disturb each other."""
    notes: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class MatchRunner:
    """Where a worker plays one match after the other; games are kept, since they may have been compiled."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._games: dict[str, Game] = {}

    def play(self, task: MatchTask) -> dict[str, Any]:
        """Return the answer to a task. Players and rules are foreign: anything may go wrong."""
        try:
            return {"record": asyncio.run(self._play(task)).to_json()}
        except Exception as error:
            return {"failure": f"{type(error).__name__}: {error}"}

    async def _play(self, task: MatchTask) -> Record:
        game = self._game(task)
        settings = MatchSettings(
            task.match_id,
            Clocks(*task.clocks),
            task.seed,
            scramble=task.scramble,
            on_fault="forfeit" if task.on_fault == "forfeit" else "random",
            max_steps=task.max_steps,
            one_by_one=task.one_by_one,
        )
        async with AsyncExitStack() as stack:
            seats = []
            for number, (spec, nodes) in enumerate(zip(task.seats, task.nodes, strict=True)):
                seat = TimedSeat(make_seat(spec, Random(f"{task.seed}/seat {number}"), nodes), task.players[number])
                stack.push_async_callback(seat.close)
                seats.append(seat)
            result = await Referee(game, seats, settings, journal=SignsOfLife(self._report)).play()
        record = result.record
        record.tournament, record.job = task.tournament, task.job
        record.notes.update(task.notes, longestMoves=[round(seat.longest, PRECISION) for seat in seats])
        return record

    def _game(self, task: MatchTask) -> Game:
        game = self._games.pop(task.source, None) or load(task.source)
        if game.rules.digest != task.digest:
            raise PlanError(f"the rules in {task.source} were changed while the tournament was under way")
        game.initial_state()
        self._report({"loaded": game.name})
        self._games[task.source] = game
        for oldest in list(self._games)[:-MAX_GAMES]:
            del self._games[oldest]
        return game


class TimedSeat:
    """A seat under the name that its player has in the tournament, and how long its longest move took."""

    def __init__(self, seat: Seat, name: str) -> None:
        seat.name = self.name = name
        self.is_human = seat.is_human
        self.longest = 0.0
        self._seat = seat

    @property
    def answer(self) -> Answer | None:
        return self._seat.answer

    async def ask(self, message: Message, seconds: float, spelling: Spelling | None = None) -> str:
        begun = time.monotonic()
        try:
            return await self._seat.ask(message, seconds, spelling)
        finally:
            if isinstance(message, Play):
                self.longest = max(self.longest, time.monotonic() - begun)

    async def catch_up(
        self, start: Start, history: Sequence[News], seconds: float, spelling: Spelling | None = None
    ) -> None:
        await self._seat.catch_up(start, history, seconds, spelling)

    def diagnostics(self) -> list[str]:
        return self._seat.diagnostics()

    async def close(self) -> None:
        await self._seat.close()


@dataclass(frozen=True)
class SignsOfLife:
    """A journal that tells that the match goes on."""

    report: Report

    def began(self, record: Record) -> None:
        self.report({"step": record.turns})

    moved = ended = began


def main() -> None:
    """Play matches in a thread: the main thread reads tasks, and notices the end of the input at once."""
    channel, executor = ParentChannel(), SerialExecutor("ludens-matches")
    table = MatchRunner(channel.send_json)
    for line in channel.lines():
        executor.submit(lambda line: channel.send_json(table.play(MatchTask(**json.loads(line)))), line)
    os._exit(0)


if __name__ == "__main__":
    main()
