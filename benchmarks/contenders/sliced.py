"""The bit-sliced engine on one thread."""

from __future__ import annotations

from random import Random

from benchmarks.catalogue import MAX_STEPS, BenchGame
from benchmarks.contenders.engine import BatchRunner
from ludens.circuit import optimise, translate
from ludens.engines.sliced.engine import SlicedEngine
from ludens.gdl.rules import Rules
from ludens.ground import ground

SMALLEST_BATCH, LARGEST_BATCH = 1 << 10, 1 << 22
"""With fewer games than this there would be lanes without any."""


def prepare(game: BenchGame) -> BatchRunner:
    return runner(build(Rules.from_source(game.source())))


def build(rules: Rules) -> SlicedEngine:
    program = ground(rules)
    return SlicedEngine(program, optimise(translate(program)), threads=1)


def runner(engine: SlicedEngine) -> BatchRunner:
    start, rng = engine.initial(1), Random(1)

    def play_games(games: int) -> int:
        return int(engine.tally(start, games, rng, MAX_STEPS).steps.sum())

    return BatchRunner(play_games, SMALLEST_BATCH, LARGEST_BATCH)
