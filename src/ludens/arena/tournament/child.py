"""A process that plays matches of a tournament: orders come in, one JSON object on a line, and records go out.

Each answer is a line too: `{"loaded": "game"}` once the rules are worked out, `{"step": n}` as a sign of life after
each move, and at last `{"record": ...}` or `{"failure": "why"}`. The process ends with its input, that is with whoever
runs it, also in the middle of a match.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from queue import SimpleQueue
from random import Random
from threading import Thread
from typing import Any, TypeAlias

from ludens.arena.records import Record
from ludens.arena.referee import MatchSettings, Referee
from ludens.arena.seats import make_seat
from ludens.core import Clocks
from ludens.errors import PlanError
from ludens.game import Game, load
from ludens.ground.child import limit_resources

Report: TypeAlias = Callable[[Mapping[str, Any]], None]

MEGABYTE = 1 << 20
KEPT_GAMES = 8


@dataclass(frozen=True, slots=True)
class Order:
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


class Table:
    """Where a worker plays one match after the other; games are kept, since they may have been compiled."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._games: dict[str, Game] = {}

    def play(self, order: Order) -> dict[str, Any]:
        """The answer to an order. Players and rules are foreign: anything may go wrong."""
        try:
            return {"record": asyncio.run(self._play(order)).to_json()}
        except Exception as error:
            return {"failure": f"{type(error).__name__}: {error}"}

    async def _play(self, order: Order) -> Record:
        game = self._game(order)
        settings = MatchSettings(
            order.match_id,
            Clocks(*order.clocks),
            order.seed,
            scramble=order.scramble,
            on_fault="forfeit" if order.on_fault == "forfeit" else "random",
            max_steps=order.max_steps,
            one_by_one=order.one_by_one,
        )
        async with AsyncExitStack() as stack:
            seats = []
            for number, (spec, nodes) in enumerate(zip(order.seats, order.nodes, strict=True)):
                seat = make_seat(spec, Random(f"{order.seed}/seat {number}"), nodes)
                stack.push_async_callback(seat.close)
                seat.name = order.players[number]
                seats.append(seat)
            result = await Referee(game, seats, settings, journal=SignsOfLife(self._report)).play()
        record = result.record
        record.tournament, record.job = order.tournament, order.job
        record.notes.update(order.notes)
        return record

    def _game(self, order: Order) -> Game:
        game = self._games.pop(order.source, None) or load(order.source)
        if game.rules.digest != order.digest:
            raise PlanError(f"the rules in {order.source} were changed while the tournament was under way")
        game.initial_state()
        self._report({"loaded": game.name})
        self._games[order.source] = game
        for oldest in list(self._games)[:-KEPT_GAMES]:
            del self._games[oldest]
        return game


@dataclass(frozen=True)
class SignsOfLife:
    """A journal that tells that the match goes on."""

    report: Report

    def began(self, record: Record) -> None:
        self.report({"step": record.turns})

    moved = ended = began


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m ludens.arena.tournament.child", description=__doc__)
    parser.add_argument("--cores", type=int, nargs="*", default=[], help="stay on these")
    parser.add_argument("--memory", type=int, default=0, help="megabytes")
    chosen = parser.parse_args()
    if chosen.cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, chosen.cores)
    limit_resources(chosen.memory * MEGABYTE, 0)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def report(value: Mapping[str, Any]) -> None:
        print(json.dumps(value), file=answers, flush=True)

    lines: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_read_lines, args=(lines,), daemon=True).start()
    table = Table(report)
    while True:
        report(table.play(Order(**json.loads(lines.get()))))


def _read_lines(lines: SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        lines.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
