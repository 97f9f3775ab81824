"""States of random games, played many at a time on the compiled engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.engines.base import Engine, Expansion
from ludens.engines.rows import Rows
from ludens.runtime.deadline import Deadline

MAX_STEPS = 500
"""Games are cut after so many joint moves."""


@dataclass(frozen=True, eq=False)
class PlayedStates:
    """States in the order of play: first all of the first game, then all of the second, and so on."""

    rows: Rows
    """[states, words]"""
    choices: NDArray[np.int32]
    """[states, roles]: how many legal moves each role has; at the end, too."""
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
        """These games, and then those of another sample."""
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
    """All states of so many random games from the start; None if the deadline comes first."""
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
    """[states, roles]: how many legal moves each role has, and one of them (0 where there is none)."""
    choices = seen.choices.astype(np.int32)
    starts = seen.starts[:-1].reshape(choices.shape)
    moves = np.zeros(choices.shape, np.int32)
    for role, (counts, firsts) in enumerate(zip(choices.T, starts.T, strict=True)):
        picked = firsts + (rng.random(len(choices)) * counts).astype(np.int64)
        has = counts > 0
        moves[has, role] = seen.moves[picked[has]]
    return choices, moves
