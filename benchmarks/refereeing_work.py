"""Matches that are played to be measured: between players that do not think, here and over HTTP."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from statistics import median

from ludens.arena.direct import play_match
from ludens.arena.referee import Referee
from ludens.arena.result import MatchSettings
from ludens.arena.seats import HttpSeat, PlayerSeat, Seat
from ludens.core import Answer, Clocks, Move, Role
from ludens.game import Game
from ludens.players import RandomPlayer
from ludens.runtime.deadline import Deadline

CALLED, THREADS, HTTP = "called directly", "in threads", "over HTTP"
WAYS = (CALLED, THREADS, HTTP)
TARGETS: Mapping[str, float] = {CALLED: 0.005, THREADS: 0.005, HTTP: 0.020}
"""Seconds that the referee may add to a move."""
CLOCKS = Clocks(60.0, 30.0)
MAX_STEPS = 100
MATCHES_OF_A_SERVER = 200


@dataclass(frozen=True, slots=True)
class Overhead:
    """What a move costs when players do not think: medians over the moves, in seconds."""

    way: str
    game: str
    moves: int = 0
    total: float | None = None
    own: float | None = None
    """What the players take for themselves."""
    problem: str | None = None

    @property
    def added(self) -> float | None:
        return None if self.total is None or self.own is None else max(0.0, self.total - self.own)

    @property
    def met(self) -> bool:
        return self.added is not None and self.added < TARGETS[self.way]


@dataclass(frozen=True, slots=True)
class Crowd:
    """Many matches at once between players over HTTP."""

    game: str
    matches: int
    finished: int = 0
    moves: int = 0
    faults: int = 0
    seconds: float = 0.0
    problem: str | None = None

    @property
    def met(self) -> bool:
        return self.finished == self.matches and self.faults == 0 and self.problem is None


class TimedPlayer(RandomPlayer):
    """Plays at random, and adds up the time that takes; getting ready does not count."""

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self.spent = 0.0

    def move(self, deadline: Deadline) -> Answer:
        begun = time.perf_counter()
        answer = super().move(deadline)
        self.spent += time.perf_counter() - begun
        return answer

    def observe(self, joint: Mapping[Role, Move]) -> None:
        begun = time.perf_counter()
        super().observe(joint)
        self.spent += time.perf_counter() - begun


class Measuring:
    """Plays a game some times, and notes after each move the time and what the players have spent by then."""

    def __init__(self, game: Game, rounds: int) -> None:
        self._game, self._rounds = game, rounds
        self._times: list[tuple[float, float]] = []

    def overhead(self, way: str, addresses: Sequence[str] = (), own: float | None = None) -> Overhead:
        """Play in one of the ways; over HTTP it has to be told what such players take for themselves."""
        self._times = []
        for number in range(self._rounds):
            if way == CALLED:
                self._call(number)
            else:
                asyncio.run(self._referee(way, number, addresses))
        totals, spent = zip(*self._times, strict=True)
        return Overhead(way, self._game.name, len(totals), median(totals), median(spent) if own is None else own)

    def _call(self, number: int) -> None:
        players = self._players(number)
        marks: list[tuple[float, float]] = []
        play_match(self._game, players, CLOCKS, Random(number), lambda *_: _mark(marks, players), MAX_STEPS)
        self._keep(marks)

    async def _referee(self, way: str, number: int, addresses: Sequence[str]) -> None:
        players = self._players(number) if way == THREADS else []
        seats = [PlayerSeat(player) for player in players] or http_seats(self._game, addresses)
        settings = MatchSettings(f"{self._game.name}.{number}", CLOCKS, number, max_steps=MAX_STEPS)
        marks: list[tuple[float, float]] = []
        result = await Referee(self._game, seats, settings, on_turn=lambda _: _mark(marks, players)).play()
        if result.faults:
            raise RuntimeError(result.faults[0].text)
        self._keep(marks)

    def _players(self, number: int) -> list[TimedPlayer]:
        return [TimedPlayer(Random(f"{number}/{role}")) for role in self._game.player_roles]

    def _keep(self, marks: Sequence[tuple[float, float]]) -> None:
        for (earlier, spent), (later, spent_later) in pairwise(marks):
            self._times.append((later - earlier, spent_later - spent))


def _mark(marks: list[tuple[float, float]], players: Sequence[TimedPlayer]) -> None:
    marks.append((time.perf_counter(), sum(player.spent for player in players)))


def http_seats(game: Game, addresses: Sequence[str]) -> list[Seat]:
    return [HttpSeat(addresses[number % len(addresses)]) for number in range(len(game.player_roles))]


def crowd(game: Game, matches: int, addresses: Sequence[str]) -> Crowd:
    """Play many matches at once between the players at these addresses."""
    begun = time.perf_counter()
    finished = moves = faults = 0

    async def one(number: int, steps: ThreadPoolExecutor) -> None:
        nonlocal finished, moves, faults
        settings = MatchSettings(f"crowd.{game.name}.{number}", CLOCKS, number, max_steps=MAX_STEPS)
        result = await Referee(game, http_seats(game, addresses), settings, steps=steps).play()
        finished += result.finished
        moves += len(result.moves)
        faults += len(result.faults)

    async def everybody() -> None:
        with ThreadPoolExecutor(1) as steps:
            async with asyncio.TaskGroup() as group:
                for number in range(matches):
                    group.create_task(one(number, steps))

    asyncio.run(everybody())
    return Crowd(game.name, matches, finished, moves, faults, time.perf_counter() - begun)


@contextmanager
def player_servers(number: int) -> Iterator[list[str]]:
    """Players that move at random, in processes of their own; their addresses."""
    command = [sys.executable, "-m", "ludens", "serve", "--player", "random", "--seed", "1", "--port", "0", "--quiet"]
    servers = [
        subprocess.Popen([*command, "--matches", str(MATCHES_OF_A_SERVER)], stdout=subprocess.PIPE, text=True)
        for _ in range(number)
    ]
    try:
        yield [_address(server) for server in servers]
    finally:
        for server in servers:
            server.terminate()
            server.communicate()


def _address(server: subprocess.Popen[str]) -> str:
    """Where a server says that it is."""
    assert server.stdout is not None
    for line in server.stdout:
        for word in line.split():
            if word.startswith("http://"):
                return word.rstrip(";")
    raise RuntimeError("a player server ended before it said where it is")
