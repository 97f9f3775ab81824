"""The relational engine: one game after the other, without grounding the rules."""

from __future__ import annotations

from random import Random

import numpy as np

from benchmarks.catalogue import MAX_STEPS, BenchGame
from benchmarks.contenders.engine import BatchRunner
from ludens.engines.relational import RelationalEngine
from ludens.gdl.rules import Rules

SMALLEST_BATCH, LARGEST_BATCH = 1, 1 << 12


def prepare(game: BenchGame) -> BatchRunner:
    engine, rng = RelationalEngine.compile(Rules.from_source(game.source())), Random(1)
    start = engine.initial(1)

    def play_games(games: int) -> int:
        return int(engine.playouts(np.repeat(start, games, axis=0), rng, MAX_STEPS).lengths.sum())

    return BatchRunner(play_games, SMALLEST_BATCH, LARGEST_BATCH)
