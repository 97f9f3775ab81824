"""Flat Monte Carlo: each move is worth what random games after it give on average.

All moves are tried equally often, whatever the others may do at the same time is drawn with equal chances, and the
move with the highest average is chosen. Nothing is known about the game, and nothing learned about the moves after
the first: it is what all better searches are measured against.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import product
from math import prod
from random import Random

import numpy as np
from numpy.typing import NDArray

from ludens.core import Candidate, Decision
from ludens.game import Game
from ludens.search.base import BaseSearcher, Watch
from ludens.search.positions import UNKNOWN_GOAL, Expansion, Positions, Rows, known_goals

Choices = NDArray[np.int64]
"""[joint moves, roles]: the place of each move in the list of its role."""

MAX_CHILDREN = 512
"""So many joint moves are tried at once; of more than these some are drawn each time."""
ROUND_SECONDS = 0.01
"""How long a round of random games should take: between two rounds the search can be stopped."""
MAX_GAMES = 4096
"""Random games after each joint move in one round."""
COUNTED_GAMES = 64
"""The same where games are counted rather than timed, so that the same seed gives the same decision."""


class FlatSearcher(BaseSearcher):
    """Averages over random games."""

    def __init__(self, game: Game, role: str) -> None:
        super().__init__("montecarlo", game, role)

    def _search(self, positions: Positions, row: Rows, watch: Watch, rng: Random) -> Decision:
        return _Averages(self.role, positions, row, rng).decide(watch)


class _Averages:
    """One search: what was found out so far about each move of the role."""

    def __init__(self, role: int, positions: Positions, row: Rows, rng: Random) -> None:
        self._role, self._positions, self._row, self._rng = role, positions, row, rng
        start = positions.look(row)
        self._legal = [start.legal(0, index, len(positions.roles)) for index in range(len(positions.roles))]
        self._moves = self._legal[role]
        self._totals = [np.zeros((len(moves), len(positions.roles))) for moves in self._legal]
        """For each role [its moves, roles]: what the games with this move gave in sum."""
        self._counts = [np.zeros(len(moves), np.int64) for moves in self._legal]
        self._playouts = 0
        sizes = list(map(len, self._legal))
        self._all_at_once = prod(sizes) <= MAX_CHILDREN
        self._sizes, self._draws = sizes, np.random.default_rng(rng.getrandbits(64))
        self._order, self._turn = self._draws.permutation(sizes[role]), 0
        """Own moves take turns in this order, where there are too many joint moves; and whose turn it is."""

    def decide(self, watch: Watch) -> Decision:
        games = 0
        for choices, children in self._rounds(watch):
            begun = time.monotonic()
            games = max(games, self._positions.lanes // len(choices), 1)
            games = min(games, self._affordable(watch, children))
            results = self._play_on(children, games, watch)
            if watch.passed and self._playouts:
                break  # some of these games may have been cut
            for role, (totals, counts) in enumerate(zip(self._totals, self._counts, strict=True)):
                np.add.at(totals, choices[:, role], results)
                np.add.at(counts, choices[:, role], games)
            self._playouts += games * len(choices)
            if not self._all_at_once:
                games = 1
            elif watch.samples is not None:
                games = min(2 * games, COUNTED_GAMES)
            elif time.monotonic() - begun < ROUND_SECONDS:
                games = min(2 * games, MAX_GAMES)
            else:
                games //= 2
            settled = self._all_at_once and children.terminal.all()
            if settled or watch.passed or self._playouts >= (watch.samples or math.inf):
                break
        return self._decision(watch)

    def _rounds(self, watch: Watch) -> Iterator[tuple[Choices, Expansion]]:
        """For each round the joint moves, as places in the lists of moves, and where they lead."""
        while not watch.passed:
            choices = np.array(list(product(*map(range, self._sizes)))) if self._all_at_once else self._drawn()
            joints = np.stack([moves[choices[:, role]] for role, moves in enumerate(self._legal)], axis=1)
            children = self._positions.expand(np.repeat(self._row, len(joints), axis=0), joints, watch)
            choices = choices[: len(children.rows)]
            yield choices, children
            while self._all_at_once:
                yield choices, children

    def _drawn(self) -> Choices:
        """Joint moves in which the role's own moves take turns, and the others are random."""
        turns = self._turn + np.arange(MAX_CHILDREN)
        self._turn += MAX_CHILDREN
        columns = [
            self._order[turns % size] if role == self._role else self._draws.integers(size, size=MAX_CHILDREN)
            for role, size in enumerate(self._sizes)
        ]
        return np.stack(columns, axis=1)

    def _affordable(self, watch: Watch, children: Expansion) -> int:
        """How many games after each joint move the limit allows still, at least one."""
        if watch.samples is None:
            return MAX_GAMES
        return max(1, (watch.samples - self._playouts) // len(children.rows))

    def _play_on(self, children: Expansion, games: int, watch: Watch) -> NDArray[np.float64]:
        """[children, roles]: what so many random games after each joint move gave; an end has its own value."""
        ends = children.terminal
        results = known_goals(children.goals) * games
        if not ends.all():
            results[~ends] = self._positions.playouts(children.rows[~ends], games, self._rng, watch)
        return results

    def _decision(self, watch: Watch) -> Decision:
        means, counts = self._means(self._role), self._counts[self._role]
        order = np.lexsort((-means[:, self._role], counts == 0))
        favourites = [int(np.argmax(self._means(role)[:, role])) for role in range(len(self._legal))]
        favourites[self._role] = best = int(order[0])
        positions = self._positions
        return Decision(
            move=positions.move(self._moves[best]),
            values=dict(zip(positions.roles, means[best].tolist(), strict=True)),
            line=(positions.joint([moves[place] for moves, place in zip(self._legal, favourites, strict=True)]),),
            candidates=tuple(
                Candidate(positions.move(self._moves[place]), float(means[place, self._role]), int(count))
                for place, count in zip(order, counts[order], strict=True)
            ),
            nodes=self._playouts,
            playouts=self._playouts,
            depth=1,
            seconds=watch.seconds,
        )

    def _means(self, role: int) -> NDArray[np.float64]:
        """[moves of the role, roles]: what the games with each move gave on average."""
        totals, counts = self._totals[role], self._counts[role][:, np.newaxis]
        means: NDArray[np.float64] = np.full(totals.shape, UNKNOWN_GOAL)
        np.divide(totals, counts, out=means, where=counts > 0)
        return means
