"""The reference engine, which works straight from the rules, one game after the other."""

from __future__ import annotations

from random import Random

from benchmarks.catalogue import MAX_STEPS, BenchGame
from benchmarks.contenders.engine import BatchRunner
from ludens.engines.reference import ReferenceEngine
from ludens.gdl.rules import Rules


def prepare(game: BenchGame) -> BatchRunner:
    engine, rng = ReferenceEngine(Rules.from_source(game.source())), Random(1)

    def play_games(games: int) -> int:
        return int(engine.playouts(engine.initial(games), rng, MAX_STEPS).lengths.sum())

    return BatchRunner(play_games, smallest_batch=1, largest_batch=1)
