"""Flat Monte Carlo: each move is worth the mean of the playouts after it.

All moves are tried equally often, simultaneous moves of the others are drawn uniformly, and the move with the highest
mean is chosen. Nothing is learned about the moves after the first: the baseline of all better searches.
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
from ludens.engines.base import UNKNOWN_GOAL, Expansion, known_goals
from ludens.engines.rows import Rows
from ludens.game import Game
from ludens.search.base import BaseSearcher, Watch
from ludens.search.view import GameView

Choices = NDArray[np.int64]
"""[joint moves, roles]: the place of each move in the list of its role."""

MAX_CHILDREN = 512
"""The most joint moves that are tried at once; of more than these some are drawn each time."""
ROUND_SECONDS = 0.01
"""The length of a round of playouts: between two rounds the search can be stopped."""
MAX_PLAYOUTS = 4096
"""The most playouts after each joint move in one round."""
MAX_COUNTED_PLAYOUTS = 64
"""The same where playouts are counted rather than timed, so that the same seed gives the same decision."""


class FlatSearcher(BaseSearcher):
    """Averages over playouts."""

    def __init__(self, game: Game, role: str) -> None:
        super().__init__("montecarlo", game, role)

    def _search(self, view: GameView, row: Rows, watch: Watch, rng: Random) -> Decision:
        return _Averages(self.role, view, row, rng).decide(watch)


class _Averages:
    """One search: the results of each move so far."""

    def __init__(self, role: int, view: GameView, row: Rows, rng: Random) -> None:
        self._role, self._view, self._row, self._rng = role, view, row, rng
        start = view.engine.look(row)
        self._legal = [start.legal(0, index) for index in range(len(view.roles))]
        self._moves = self._legal[role]
        self._totals = [np.zeros((len(moves), len(view.roles))) for moves in self._legal]
        """For each role [its moves, roles]: the sums of the goals of the playouts with this move."""
        self._counts = [np.zeros(len(moves), np.int64) for moves in self._legal]
        self._playouts = 0
        sizes = list(map(len, self._legal))
        self._all_at_once = prod(sizes) <= MAX_CHILDREN
        self._sizes, self._draws = sizes, np.random.default_rng(rng.getrandbits(64))
        self._order, self._turn = self._draws.permutation(sizes[role]), 0
        """Own moves take turns in this order, where there are too many joint moves; and the next turn."""

    def decide(self, watch: Watch) -> Decision:
        playouts = 0
        for choices, children in self._rounds(watch):
            begun = time.monotonic()
            playouts = max(playouts, self._view.engine.lanes // len(choices), 1)
            playouts = min(playouts, self._affordable(watch, children))
            results = self._play_out(children, playouts, watch)
            if watch.passed and self._playouts:
                break  # some of these playouts may have been cut
            for role, (totals, counts) in enumerate(zip(self._totals, self._counts, strict=True)):
                np.add.at(totals, choices[:, role], results)
                np.add.at(counts, choices[:, role], playouts)
            self._playouts += playouts * len(choices)
            if not self._all_at_once:
                playouts = 1
            elif watch.samples is not None:
                playouts = min(2 * playouts, MAX_COUNTED_PLAYOUTS)
            elif time.monotonic() - begun < ROUND_SECONDS:
                playouts = min(2 * playouts, MAX_PLAYOUTS)
            else:
                playouts //= 2
            settled = self._all_at_once and children.terminal.all()
            if settled or watch.passed or self._playouts >= (watch.samples or math.inf):
                break
        return self._decision(watch)

    def _rounds(self, watch: Watch) -> Iterator[tuple[Choices, Expansion]]:
        """Yield for each round the joint moves, as places in the lists of moves, and the states after them."""
        while not watch.passed:
            choices = np.array(list(product(*map(range, self._sizes)))) if self._all_at_once else self._drawn()
            joints = np.stack([moves[choices[:, role]] for role, moves in enumerate(self._legal)], axis=1)
            children = self._view.engine.expand(np.repeat(self._row, len(joints), axis=0), joints, watch)
            choices = choices[: len(children.rows)]
            yield choices, children
            while self._all_at_once:
                yield choices, children

    def _drawn(self) -> Choices:
        """Return joint moves in which the role's own moves take turns, and the others are random."""
        turns = self._turn + np.arange(MAX_CHILDREN)
        self._turn += MAX_CHILDREN
        columns = [
            self._order[turns % size] if role == self._role else self._draws.integers(size, size=MAX_CHILDREN)
            for role, size in enumerate(self._sizes)
        ]
        return np.stack(columns, axis=1)

    def _affordable(self, watch: Watch, children: Expansion) -> int:
        """Return the playouts after each joint move that the limit still allows, at least one."""
        if watch.samples is None:
            return MAX_PLAYOUTS
        return max(1, (watch.samples - self._playouts) // len(children.rows))

    def _play_out(self, children: Expansion, playouts: int, watch: Watch) -> NDArray[np.float64]:
        """Return the sums of the goals [children, roles] of playouts after each joint move; ends have their own."""
        ends = children.terminal
        results = known_goals(children.goals) * playouts
        if not ends.all():
            results[~ends] = self._view.engine.goal_sums(children.rows[~ends], playouts, self._rng, watch)
        return results

    def _decision(self, watch: Watch) -> Decision:
        means, counts = self._means(self._role), self._counts[self._role]
        order = np.lexsort((-means[:, self._role], counts == 0))
        favourites = [int(np.argmax(self._means(role)[:, role])) for role in range(len(self._legal))]
        favourites[self._role] = best = int(order[0])
        view = self._view
        return Decision(
            move=view.move(self._moves[best]),
            values=dict(zip(view.roles, means[best].tolist(), strict=True)),
            pv=(view.joint([moves[place] for moves, place in zip(self._legal, favourites, strict=True)]),),
            candidates=tuple(
                Candidate(view.move(self._moves[place]), float(means[place, self._role]), int(count))
                for place, count in zip(order, counts[order], strict=True)
            ),
            nodes=self._playouts,
            playouts=self._playouts,
            depth=1,
            seconds=watch.seconds,
        )

    def _means(self, role: int) -> NDArray[np.float64]:
        """Return the mean goals [moves of the role, roles] of the playouts with each move."""
        totals, counts = self._totals[role], self._counts[role][:, np.newaxis]
        means: NDArray[np.float64] = np.full(totals.shape, UNKNOWN_GOAL)
        np.divide(totals, counts, out=means, where=counts > 0)
        return means
