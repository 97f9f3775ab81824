"""Random games side by side, on the best engine that a game has."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from random import Random

import numpy as np
from numpy.typing import NDArray

from ludens.core import Move
from ludens.engines.base import Engine
from ludens.engines.rows import Rows
from ludens.errors import UnknownFactError
from ludens.game import Game


class RandomPlays:
    """Games that are played in step, each by random numbers of its own: so they are the same on every engine."""

    def __init__(self, game: Game, rngs: Sequence[Random]) -> None:
        self.game = game
        self.engine: Engine = game.engine.fork()
        self.rows: Rows = self.engine.initial(len(rngs))
        """[games that go on, words]"""
        self.games: NDArray[np.int64] = np.arange(len(rngs))
        """The number of each of them."""
        self.steps = 0
        """How many joint moves were made."""
        self._rngs = rngs

    def __len__(self) -> int:
        return len(self.rows)

    def keep(self, going: NDArray[np.bool_]) -> None:
        """Go on with some of the games only."""
        self.rows, self.games = self.rows[going], self.games[going]

    def draw(self, legal: Sequence[Sequence[Sequence[int]]]) -> list[list[int]]:
        """Return a joint move for each game, of the legal moves of all roles in it."""
        pairs = zip(self.games.tolist(), legal, strict=True)
        return [[self._rngs[number].choice(moves) for moves in own] for number, own in pairs]

    def step(self, joint: Sequence[Sequence[int]]) -> None:
        """Make the joint moves, and go over to a better engine as soon as there is one."""
        self.engine, self.rows = self.engine.step_apart(self.rows, joint)
        self.steps += 1
        self.game.count_steps(len(self.rows))
        if self.engine.source is not self.game.engine:
            better = self.game.engine.fork()
            with suppress(UnknownFactError):  # of a state that no play from the start reaches
                self.engine, self.rows = better, better.adopt(self.engine, self.rows)

    def names(self, joint: Sequence[int]) -> tuple[Move, ...]:
        """Return a joint move as the author of the rules writes it."""
        return tuple(self.game.move_of(self.engine.move_term(number)) for number in joint)


def play_rngs(rng: Random, plays: int, batch: int) -> list[Random]:
    """Return random numbers for each game of a batch; a game that is the only one uses those that are given."""
    return [rng] if plays == 1 else [Random(rng.getrandbits(64)) for _ in range(batch)]
