"""The native engine: one game after the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.catalogue import MAX_STEPS, BenchGame
from benchmarks.contenders.engine import BatchRunner
from ludens.engines.native import NativeEngine
from ludens.gdl.rules import Rules

SMALLEST_BATCH, LARGEST_BATCH = 1, 1 << 12


def prepare(game: BenchGame) -> BatchRunner:
    engine = NativeEngine.compile(Rules.from_source(game.source()), threads=1)
    return BatchRunner(_player(engine), SMALLEST_BATCH, LARGEST_BATCH)


def _player(engine: NativeEngine) -> Callable[[int], int]:
    """Calls the code itself, as a compiled search would; the engine plays many games in its other way."""
    numbers = np.array([1], np.uint64)

    def play_games(games: int) -> int:
        rows, goals = engine.initial(games), np.empty((games, len(engine.roles)), np.int32)
        steps, results = np.empty(games, np.uint32), np.empty(games, np.uint8)
        after = goals.ctypes.data, steps.ctypes.data, results.ctypes.data
        with engine.single.frame() as frame:
            frame.call["playouts"](frame.address, rows.ctypes.data, numbers.ctypes.data, games, MAX_STEPS, *after)
        return int(steps.sum())

    return play_games
