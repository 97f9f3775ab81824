"""Matches between two players, each on a core of its own, so that equal clocks are equal thinking.

A game may have any number of roles. Of several, the first player takes one, another one in each match, and the second
player all others; or each takes half of them. A puzzle is played by each player on its own.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import combinations
from multiprocessing import get_context
from multiprocessing.queues import Queue
from random import Random
from statistics import fmean

import ludens
from benchmarks.contest import one_core
from experiments.chosen_heuristic import CHOSEN_PLAYERS
from experiments.worker_pools import POOLED_PLAYERS
from ludens.arena.match import MatchResult, play_match
from ludens.core import Answer, Clocks, GroundTerm, Move, Player, Role
from ludens.errors import LudensError
from ludens.game import Game
from ludens.players import PLAYERS
from ludens.runtime.cores import available_cores
from ludens.runtime.deadline import Deadline
from ludens.search.positions import UNKNOWN_GOAL

START_CLOCK = 300.0
"""Long enough for machine code to be made; a player that is ready does not use it up."""


@dataclass(frozen=True, slots=True)
class Task:
    """A match to play; `seatings` tells which roles the first player has in the match of this number."""

    sheet: str
    players: tuple[str, str]
    number: int
    seed: int
    clock: float
    nodes: int | None = None
    """How much the players search in place of the clock, for matches that can be repeated."""
    start: float = START_CLOCK
    halves: bool = False
    """Whether each player has half of the roles; where they are an odd number, the first has the smaller half."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """How a match went; pairs are in the order of the players, whatever roles they had."""

    sheet: str
    players: tuple[str, str]
    number: int
    seed: int
    roles: tuple[str, ...]
    """Those of the first player, then those of the second; both have the only one of a puzzle."""
    scores: tuple[float, float]
    """The mean of all roles that a player had."""
    moves: int
    longest: tuple[float, float]
    """The real seconds that each player took for its longest move."""
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Why a player did not play by its name, as it says."""

    @property
    def lead(self) -> float:
        """How much more the first player got."""
        return self.scores[0] - self.scores[1]


@dataclass(frozen=True, slots=True)
class FailedMatch:
    """A match that could not be played to its end, as the rules are not those of a game."""

    task: Task
    reason: str


class TimedPlayer:
    """A player, and how long it took at most for a move."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.name = player.name
        self.longest = 0.0
        self.notes: list[str] = []

    def start(self, game: Game, role: str, clocks: Clocks, deadline: Deadline) -> None:
        self._player.start(game, role, clocks, deadline)

    def move(self, deadline: Deadline) -> Answer:
        begun = time.monotonic()
        answer = self._player.move(deadline)
        self.longest = max(self.longest, time.monotonic() - begun)
        self.notes += [f"{self.name}: {text}" for text in answer.diagnostics]
        return answer

    def observe(self, joint: Mapping[Role, Move]) -> None:
        self._player.observe(joint)

    def perceive(self, own_move: Move, seen: tuple[GroundTerm, ...]) -> None:
        self._player.perceive(own_move, seen)

    def stop(self) -> None:
        self._player.stop()

    def abort(self) -> None:
        self._player.abort()


def play(task: Task) -> PlayedMatch:
    game, rng = ludens.load(task.sheet), Random(task.seed)
    if len(game.player_roles) == 1:
        return _play_alone(task, game, rng)
    choices = seatings(len(game.player_roles), task.halves)
    own = choices[task.number % len(choices)]
    sides = [
        [seat for seat in range(len(game.player_roles)) if (seat in own) == is_first] for is_first in (True, False)
    ]
    players = {seat: _player(name, rng, task) for name, side in zip(task.players, sides, strict=True) for seat in side}
    result = play_match(game, [players[seat] for seat in sorted(players)], _clocks(task), rng)
    first, second = (fmean(_score(result, game.player_roles[seat]) for seat in side) for side in sides)
    roles = [game.player_roles[seat] for seat in players]
    return _played(task, roles, [[players[seat] for seat in side] for side in sides], (first, second), [result])


def seatings(roles: int, halves: bool) -> list[tuple[int, ...]]:
    """Which roles the first player has, match by match, and then again from the beginning.

    Halves come in pairs: what the first player has in one match, the second has in the next.

    >>> seatings(3, halves=False), seatings(2, halves=True)
    ([(0,), (1,), (2,)], [(0,), (1,)])
    >>> seatings(4, halves=True)
    [(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2)]
    """
    if not halves or roles % 2:
        return list(combinations(range(roles), roles // 2 if halves else 1))
    with_first = [half for half in combinations(range(roles), roles // 2) if 0 in half]
    others = [tuple(role for role in range(roles) if role not in half) for half in with_first]
    return [half for pair in zip(with_first, others, strict=True) for half in pair]


def _play_alone(task: Task, game: Game, rng: Random) -> PlayedMatch:
    """Both players at the same puzzle; chance, if there is any, is the same for both."""
    role, luck = game.player_roles[0], rng.getrandbits(64)
    players = [_player(name, rng, task) for name in task.players]
    results = [play_match(game, [player], _clocks(task), Random(luck)) for player in players]
    scores = (_score(results[0], role), _score(results[1], role))
    return _played(task, (role, role), [[player] for player in players], scores, results)


def _played(
    task: Task,
    roles: Sequence[Role],
    players: Sequence[Sequence[TimedPlayer]],
    scores: tuple[float, float],
    results: Sequence[MatchResult],
) -> PlayedMatch:
    """`players`: those of the first kind, and of the second."""
    return PlayedMatch(
        sheet=task.sheet,
        players=task.players,
        number=task.number,
        seed=task.seed,
        roles=tuple(map(str, roles)),
        scores=scores,
        moves=sum(len(result.moves) for result in results),
        longest=(max(player.longest for player in players[0]), max(player.longest for player in players[1])),
        faults=tuple(f"step {fault.step}, {fault.role}: {fault.text}" for result in results for fault in result.faults),
        notes=tuple(dict.fromkeys(note for side in players for player in side for note in player.notes)),
    )


def _player(name: str, rng: Random, task: Task) -> TimedPlayer:
    make = {**CHOSEN_PLAYERS, **POOLED_PLAYERS, **PLAYERS}[name]
    return TimedPlayer(make(Random(rng.getrandbits(64)), task.nodes))


def _clocks(task: Task) -> Clocks:
    return Clocks(task.start, task.clock)


def _attempt(task: Task) -> PlayedMatch | FailedMatch:
    try:
        return play(task)
    except LudensError as error:
        return FailedMatch(task, str(error))


def play_all(
    tasks: Sequence[Task], parallel: int, one_core_each: bool = True
) -> Generator[PlayedMatch | FailedMatch, None, None]:
    """Play the matches, so many at a time, and give each as it ends; each has one core, or all if it is to be so."""
    if parallel == 1:
        with one_core() if one_core_each else nullcontext():
            yield from map(_attempt, tasks)
        return
    context = get_context("spawn")
    cores: Queue[int] = context.Queue()
    for core in available_cores()[:parallel]:
        cores.put(core)
    with ProcessPoolExecutor(parallel, context, _take_core, (cores,)) as pool:
        try:
            for future in as_completed([pool.submit(_attempt, task) for task in tasks]):
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _take_core(cores: Queue[int]) -> None:
    """Stay on a core that no other worker has; an interruption is for whoever hands out the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    core = cores.get()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def _score(result: MatchResult, role: Role) -> float:
    goal = result.goals[role] if result.finished else None
    return UNKNOWN_GOAL if goal is None else float(goal)
