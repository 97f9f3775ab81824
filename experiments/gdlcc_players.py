"""The plain Monte Carlo player of the paper about gdlcc, on several engines: it plays a match against itself.

In every state it plays random games for its move clock, averages what each first move of each role gave, and makes the
best move of every role. What counts is how much it does in the time; all seconds are of the processor.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np

from ludens.engines.base import Engine
from ludens.engines.native import CompiledGame
from ludens.engines.native.c_library import C_FLAGS, c_compiler, c_library
from ludens.engines.relational import RelationalEngine
from ludens.engines.sliced import SlicedEngine
from ludens.errors import CompileError
from ludens.gdl.rules import Rules

PLAYER = Path(__file__).with_name("gdlcc_player.c")
TABLE_STATES = 10_000
"""What the transposition table holds, as in the paper; it is emptied before each move."""
MAX_TURNS, MAX_STEPS = 300, 1000
UNKNOWN_GOAL = 50.0
MAX_GAMES, SHARE_OF_A_CALL = 1 << 14, 0.1
NATIVE, TABLE, RELATIONAL, SLICED = "C library", "C library tt", "relational", "sliced"


@dataclass(frozen=True, slots=True)
class Turn:
    """What was done in one state of a match, within the move clock."""

    simulations: int
    states: int


PlayMatch: TypeAlias = Callable[[int, float], list[Turn]]
"""Plays a match with this seed and move clock."""


@contextmanager
def library_player(rules: Rules, table: int) -> Iterator[PlayMatch]:
    """The C library of the game and a player written in C; CompileError if there is none."""
    compiler = c_compiler()
    if compiler is None:
        raise CompileError("there is no C compiler")
    game = CompiledGame.compile(rules)
    with TemporaryDirectory(prefix="ludens-gdlcc-") as folder:
        for file, text in c_library(game, "game", "game").items():
            Path(folder, file).write_text(text, encoding="utf-8")
        command = [*compiler, *C_FLAGS, "-DGAME=game", "-include", "game.h", "game.c", str(PLAYER)]
        _output(f"the C compiler {compiler[0]}", [*command, "-o", "player"], folder)

        def play(seed: int, clock: float) -> list[Turn]:
            run = ["./player", str(seed), str(clock), str(table), str(MAX_TURNS)]
            return [Turn(*map(int, line.split())) for line in _output("the player in C", run, folder).splitlines()]

        yield play


def _output(what: str, command: list[str], folder: str) -> str:
    """What a program writes; CompileError with the first line of its complaint if it fails."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    except OSError as error:
        raise CompileError(f"{what} cannot be run: {error.strerror}") from None
    if done.returncode:
        complaint = next(iter(done.stderr.splitlines()), f"it ended with code {done.returncode}")
        raise CompileError(f"{what} failed: {complaint}")
    return done.stdout


@contextmanager
def engine_player(engine: Engine, games: int) -> Iterator[PlayMatch]:
    """An engine from Python: a batch of playouts in each call, larger while a call is a small part of the clock.

    The last call goes on beyond the clock; that part of it does not count.
    """

    def play(seed: int, clock: float) -> list[Turn]:
        rng, state = Random(seed), engine.initial(1)
        turns: list[Turn] = []
        engine.playouts(np.repeat(state, games, axis=0), Random(0), 1)
        while not engine.terminal(state)[0] and len(turns) < MAX_TURNS:
            legal = [list(moves) for moves in engine.legal(state)[0]]
            turn, joint = _think(engine, state, legal, games, clock, rng)
            turns.append(turn)
            state = engine.step(state, [joint])
        return turns

    yield play


def _think(
    engine: Engine, state: Any, legal: list[list[int]], games: int, clock: float, rng: Random
) -> tuple[Turn, list[int]]:
    sums = [np.zeros(len(moves)) for moves in legal]
    counts = [np.zeros(len(moves)) for moves in legal]
    simulations = states = 0
    draws = np.random.default_rng(rng.getrandbits(64))
    begun = now = time.process_time()
    while now - begun < clock:
        places = [draws.integers(len(moves), size=games) for moves in legal]
        joints = np.stack([np.array(moves)[chosen] for moves, chosen in zip(legal, places, strict=True)], axis=1)
        played = engine.playouts(engine.step(np.repeat(state, games, axis=0), joints.tolist()), rng, MAX_STEPS)
        rewards = np.where(played.goals < 0, UNKNOWN_GOAL, played.goals)
        for role, chosen in enumerate(places):
            np.add.at(sums[role], chosen, rewards[:, role])
            np.add.at(counts[role], chosen, 1)
        simulations += games
        states += games + int(played.lengths.sum())
        before, now = now, time.process_time()
        if now - before < SHARE_OF_A_CALL * clock:
            games = min(2 * games, MAX_GAMES)
    means = [total / np.maximum(count, 1) for total, count in zip(sums, counts, strict=True)]
    share = clock / (now - begun)
    turn = Turn(round(share * simulations), round(share * states))
    return turn, [moves[int(np.argmax(mean))] for moves, mean in zip(legal, means, strict=True)]


NEED_CIRCUIT = (NATIVE, TABLE, SLICED)
"""Players for games that can be grounded."""
PLAYERS: Mapping[str, Callable[[Rules], Any]] = {
    NATIVE: lambda rules: library_player(rules, 0),
    TABLE: lambda rules: library_player(rules, TABLE_STATES),
    RELATIONAL: lambda rules: engine_player(RelationalEngine.compile(rules), 8),
    SLICED: lambda rules: engine_player(SlicedEngine.compile(rules, threads=1), 1024),
}
