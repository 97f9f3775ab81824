"""Matches between two players, each on a core of its own, so that equal clocks are equal thinking."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.queues import Queue
from random import Random

import ludens
from benchmarks.contest import one_core
from ludens.arena.match import play_match
from ludens.core import Clocks, Deadline, GroundTerm, Move, Player, Role, available_cores
from ludens.gdl.rules import Rules
from ludens.players import PLAYERS
from ludens.search.positions import UNKNOWN_GOAL

START_CLOCK = 300.0
"""Long enough for machine code to be made; a player that is ready does not use it up."""


@dataclass(frozen=True, slots=True)
class Task:
    """A match to play: with an even number the first player has the first role, with an odd one the second."""

    sheet: str
    players: tuple[str, str]
    number: int
    seed: int
    clock: float
    nodes: int | None = None
    """How much the players search in place of the clock, for matches that can be repeated."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """How a match went; pairs are in the order of the players, whatever roles they had."""

    sheet: str
    players: tuple[str, str]
    number: int
    seed: int
    roles: tuple[str, str]
    scores: tuple[float, float]
    moves: int
    longest: tuple[float, float]
    """The real seconds that each player took for its longest move."""
    faults: tuple[str, ...] = ()


class TimedPlayer:
    """A player, and how long it took at most for a move."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.name = player.name
        self.longest = 0.0

    def start(self, rules: Rules, role: str, clocks: Clocks, deadline: Deadline) -> None:
        self._player.start(rules, role, clocks, deadline)

    def move(self, deadline: Deadline) -> Move:
        begun = time.monotonic()
        move = self._player.move(deadline)
        self.longest = max(self.longest, time.monotonic() - begun)
        return move

    def observe(self, joint: Mapping[Role, Move]) -> None:
        self._player.observe(joint)

    def perceive(self, own_move: Move, seen: tuple[GroundTerm, ...]) -> None:
        self._player.perceive(own_move, seen)

    def stop(self) -> None:
        self._player.stop()

    def abort(self) -> None:
        self._player.abort()


def play(task: Task) -> PlayedMatch:
    rng = Random(task.seed)
    first, second = (TimedPlayer(PLAYERS[name](Random(rng.getrandbits(64)), task.nodes)) for name in task.players)
    game = ludens.load(task.sheet)
    swapped = task.number % 2 == 1
    seated = [second, first] if swapped else [first, second]
    clocks = Clocks(START_CLOCK, task.clock)
    result = play_match(game, seated, clocks, rng)
    roles = game.roles[::-1] if swapped else game.roles
    goals = [result.goals[role] if result.finished else None for role in roles]
    return PlayedMatch(
        task.sheet,
        task.players,
        task.number,
        task.seed,
        (str(roles[0]), str(roles[1])),
        (_score(goals[0]), _score(goals[1])),
        len(result.moves),
        (first.longest, second.longest),
        tuple(f"step {fault.step}, {fault.role}: {fault.reason}" for fault in result.faults),
    )


def play_all(tasks: Sequence[Task], parallel: int) -> Generator[PlayedMatch, None, None]:
    """Play the matches, so many at a time, and give each as it ends; every match has one core."""
    if parallel == 1:
        with one_core():
            yield from map(play, tasks)
        return
    context = get_context("spawn")
    cores: Queue[int] = context.Queue()
    for core in available_cores()[:parallel]:
        cores.put(core)
    with ProcessPoolExecutor(parallel, context, _take_core, (cores,)) as pool:
        try:
            for future in as_completed([pool.submit(play, task) for task in tasks]):
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _take_core(cores: Queue[int]) -> None:
    """Stay on a core that no other worker has; an interruption is for whoever hands out the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    core = cores.get()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def _score(goal: int | None) -> float:
    return UNKNOWN_GOAL if goal is None else float(goal)
