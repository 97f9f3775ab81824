"""What the engines of ludens have in common as contenders."""

from __future__ import annotations

import time
from collections.abc import Callable

from benchmarks.contenders import Played

SECONDS_A_CALL = 0.05
"""Batches grow until one takes this long, so that the cost of a call does not show."""


class BatchRunner:
    """Plays batches of games from the start: `play_games(n)` plays n of them and tells the moves made."""

    def __init__(self, play_games: Callable[[int], int], smallest_batch: int, largest_batch: int) -> None:
        self._play_games = play_games
        self._batch = 1
        self._smallest_batch, self._largest_batch = smallest_batch, largest_batch

    def settle(self) -> None:
        """Let batches grow to their full size, with a first call of each size for what is compiled on the way."""
        self._batch = self._smallest_batch
        while True:
            self._play_games(self._batch)
            begin = time.process_time()
            self._play_games(self._batch)
            if self._batch >= self._largest_batch or time.process_time() - begin >= SECONDS_A_CALL:
                return
            self._batch = min(2 * self._batch, self._largest_batch)

    def play(self, seconds: float) -> Played:
        states = playouts = 0
        begin = now = time.process_time()
        while not playouts or now - begin < seconds:
            states += self._play_games(self._batch)
            playouts += self._batch
            now = time.process_time()
        return Played(states, playouts, now - begin)
