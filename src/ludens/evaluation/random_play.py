"""Playouts that keep their states, played many at a time; what playouts from states come to, and who agrees with it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ludens.engines.base import Engine, Expansion
from ludens.engines.rows import Rows
from ludens.errors import NoLegalMoveError
from ludens.game import Game
from ludens.runtime.deadline import Deadline

Worths: TypeAlias = NDArray[np.float64]
"""[states, roles]"""

MAX_STEPS = 500
"""The most joint moves of a playout that keeps its states."""
ROUNDS, MAX_ROUND_STEPS = (1, 1, 2, 4, 8, 16, 32), 300
"""The playouts from each state, round by round, and their most joint moves."""
ALIKE = 1e-4
"""The difference of worths that count as the same."""


@dataclass(frozen=True, eq=False)
class PlayedStates:
    """States in the order of play: first all of the first game, then all of the second, and so on."""

    rows: Rows
    """[states, words]"""
    choices: NDArray[np.int32]
    """[states, roles]: the number of legal moves of each role; at the end, too."""
    terminal: NDArray[np.bool_]
    """[states]"""
    games: NDArray[np.int32]
    """[states]: the number of the game."""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def steps(self) -> NDArray[np.int64]:
        """The places of the states that have a successor; it is always the next one."""
        return np.flatnonzero(self.games[1:] == self.games[:-1])

    def joined(self, other: PlayedStates) -> PlayedStates:
        """Return these games, and then those of another sample."""
        later = other.games + (self.games[-1] + 1 if len(self) else 0)
        return PlayedStates(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.choices, other.choices]),
            np.concatenate([self.terminal, other.terminal]),
            np.concatenate([self.games, later.astype(np.int32)]),
        )


def play_at_random(
    engine: Engine, games: int, rng: np.random.Generator, deadline: Deadline, max_steps: int = MAX_STEPS
) -> PlayedStates | None:
    """Return all states of a number of playouts from the start; None if the deadline comes first."""
    states = engine.initial(games)
    numbers = np.arange(games, dtype=np.int32)
    found: list[tuple[Rows, NDArray[np.int32], NDArray[np.bool_], NDArray[np.int32]]] = []
    for _ in range(max_steps + 1):
        if deadline.passed:
            return None
        seen = engine.look(states)
        choices, moves = _choose(seen, rng)
        over = seen.terminal
        found.append((states, choices, over, numbers))
        going = ~over & (choices > 0).all(axis=1)
        if not going.any():
            break
        states, numbers = engine.step(states[going], moves[going]), numbers[going]
    rows, choices, terminal, games_of = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.argsort(games_of, kind="stable")
    return PlayedStates(rows[order], choices[order], terminal[order], games_of[order])


def _choose(seen: Expansion, rng: np.random.Generator) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the number of legal moves [states, roles], and one of them for each role (0 where there is none)."""
    choices = seen.choices.astype(np.int32)
    starts = seen.starts[:-1].reshape(choices.shape)
    moves = np.zeros(choices.shape, np.int32)
    for role, (counts, firsts) in enumerate(zip(choices.T, starts.T, strict=True)):
        picked = firsts + (rng.random(len(choices)) * counts).astype(np.int64)
        has = counts > 0
        moves[has, role] = seen.moves[picked[has]]
    return choices, moves


def playout_means(game: Game, rows: Rows, deadline: Deadline, rng: Random, seconds: float) -> Worths:
    """Return the mean goals [states, roles] of as many playouts as there is time for; NaN where none came to an end.

    `seconds`: the time of the first round; that of the others is judged by the one before.
    """
    engine = game.engine
    known = np.zeros((len(rows), len(game.roles)))
    total = np.zeros_like(known)
    before = 1
    try:
        for games in ROUNDS:
            if seconds * games / before >= deadline.remaining:
                break
            begun = time.monotonic()
            means = engine.tally(rows, games, rng, MAX_ROUND_STEPS).means()
            seconds, before = time.monotonic() - begun, games
            known += games * ~np.isnan(means)
            total += games * np.nan_to_num(means)
    except NoLegalMoveError:
        known[:] = 0
    return np.where(known > 0, total / np.maximum(known, 1), np.nan)


def mean_correlation(worths: Worths, outcomes: Worths) -> float:
    """Return the mean correlation over the roles, without unknown outcomes (NaN); 0 where nothing varies."""
    found = []
    for worth, outcome in zip(worths.T, outcomes.T, strict=True):
        known = ~np.isnan(outcome)
        varies = known.any() and np.ptp(worth[known]) > ALIKE and np.ptp(outcome[known]) > 0
        found.append(float(np.corrcoef(worth[known], outcome[known])[0, 1]) if varies else 0.0)
    return sum(found) / max(1, len(found))
