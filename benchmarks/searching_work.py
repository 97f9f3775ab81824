"""Tree searches at work: how many iterations they make from the start of a game in some time.

An iteration is a random game from a leaf whose outcome is taken back up the tree. OpenSpiel goes down the tree for
each of them; ludens sends several down together, and they part on the way or play from the same leaf. Every search
begins with an empty tree; one that ends early, because the game is solved, is begun again until the time is over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from benchmarks.catalogue import BenchGame
from benchmarks.comparing import Work, Worked, repeated
from benchmarks.contenders import CannotPlayError
from benchmarks.contenders.sliced import runner
from benchmarks.searching_results import ONE_THREAD, PLAYOUTS, SPIEL, SPIEL_SOLVER, TREE, TWO_THREADS
from ludens.core import Limit
from ludens.engines.sliced import SlicedEngine
from ludens.game import Game
from ludens.search.mcts import MctsSearcher

EXPLORATION = 2.0
"""What OpenSpiel's own examples use."""
TREE_MEGABYTES = 1024
"""More than OpenSpiel fills in a round, so that it never has to clear its tree."""


def on_one_core(entry: BenchGame, game: Game) -> Mapping[str, Callable[[], Work]]:
    """The contenders on one core, each to be made ready first."""
    contenders: dict[str, Callable[[], Work]] = {
        TREE: lambda: tree_search(game, threads=1),
        PLAYOUTS: lambda: pure_playouts(game),
    }
    if (name := entry.open_spiel) is not None:
        contenders[SPIEL] = lambda: open_spiel_search(name, solve=False)
        contenders[SPIEL_SOLVER] = lambda: open_spiel_search(name, solve=True)
    return contenders


def on_two_cores(game: Game) -> Mapping[str, Callable[[], Work]]:
    return {
        ONE_THREAD: lambda: tree_search(game, threads=1),
        TWO_THREADS: lambda: tree_search(game, threads=2),
    }


def tree_search(game: Game, threads: int) -> Work:
    start, rng = game.initial_state(), Random(1)
    mover = max(game.roles, key=lambda role: len(start.legal_moves(role)))

    def search(limit: Limit) -> int:
        return MctsSearcher(game, mover, threads=threads).search(start, limit, rng).playouts

    search(Limit.of(nodes=1))  # without a deadline: this may have to wait for machine code
    return lambda seconds: repeated(lambda left: search(Limit.of(seconds=left)), seconds)


def pure_playouts(game: Game) -> Work:
    """Random games from the start, without a tree."""
    engine = game.engine
    if not isinstance(engine, SlicedEngine):
        raise CannotPlayError(f"the rules could not be compiled: {game.compile_error}")
    playing = runner(engine)
    playing.settle()

    def work(seconds: float) -> Worked:
        begun = time.monotonic()
        played = playing.play(seconds)
        return Worked(played.playouts, played.cpu_seconds, time.monotonic() - begun)

    return work


def open_spiel_search(name: str, solve: bool) -> Work:
    """OpenSpiel's search in C++, which plays one random game from each new leaf."""
    import pyspiel

    game: Any = pyspiel.load_game(name)
    start = game.new_initial_state()

    def search(seconds: float) -> int:
        bot = pyspiel.MCTSBot(
            game,
            pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=1),
            uct_c=EXPLORATION,
            max_simulations=2**31 - 1,
            max_memory_mb=TREE_MEGABYTES,
            solve=solve,
            seed=1,
            verbose=False,
            max_wall_clock_time=seconds,
        )
        return int(bot.mcts_search(start).explore_count)

    return lambda seconds: repeated(search, seconds)
