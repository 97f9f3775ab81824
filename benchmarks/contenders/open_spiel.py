"""OpenSpiel's games, written by hand in C++, played wholly on the C++ side.

Its Python package reaches random play in C++ through the evaluator of its tree search: one simulation of a new
tree plays `n_rollouts` games from the root. Of the ways it offers this is the fastest; its random bots are slower.
It does not say how many moves were made, so games are counted and multiplied by the mean length of a game,
which is measured beforehand.
"""

from __future__ import annotations

import time
from random import Random
from typing import Any

import pyspiel

from benchmarks.catalogue import BenchGame
from benchmarks.contenders import CannotPlayError, Played

LENGTH_SECONDS = 1.5
MIN_GAMES = 500
STATES_A_CALL = 20_000
TREE_MEGABYTES = 16


class SpielRunner:
    """Plays games from the start of an OpenSpiel game."""

    def __init__(self, name: str) -> None:
        game = pyspiel.load_game(name)
        self._start = game.new_initial_state()
        self._mean_length = mean_length(self._start, Random(1))
        self._rollouts = max(1, round(STATES_A_CALL / self._mean_length))
        evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=self._rollouts, seed=1)
        self._bot = pyspiel.MCTSBot(
            game,
            evaluator,
            uct_c=1.0,
            max_simulations=1,
            max_memory_mb=TREE_MEGABYTES,
            solve=False,
            seed=1,
            verbose=False,
        )

    def settle(self) -> None:
        self.play(0)

    def play(self, seconds: float) -> Played:
        playouts = 0
        begin = now = time.process_time()
        while not playouts or now - begin < seconds:
            self._bot.mcts_search(self._start)
            playouts += self._rollouts
            now = time.process_time()
        return Played(round(playouts * self._mean_length), playouts, now - begin)


def mean_length(start: Any, rng: Random) -> float:
    """The mean number of moves of a random game, over enough games for an error of about one percent."""
    moves = played = 0
    begin = time.process_time()
    while played < MIN_GAMES or time.process_time() - begin < LENGTH_SECONDS:
        state = start.clone()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            moves += 1
        played += 1
    return moves / played


def prepare(game: BenchGame) -> SpielRunner:
    if game.open_spiel is None:
        raise CannotPlayError("not a game that OpenSpiel has")
    return SpielRunner(game.open_spiel)
