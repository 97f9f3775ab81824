"""States of random games, played many at a time on the compiled engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.engines.sliced import SlicedEngine
from ludens.engines.sliced.rows import Rows, unpack
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
    engine: SlicedEngine, games: int, rng: np.random.Generator, deadline: Deadline, max_steps: int = MAX_STEPS
) -> PlayedStates | None:
    """All states of so many random games from the start; None if the deadline comes first."""
    states = engine.initial(games)
    numbers = np.arange(games, dtype=np.int32)
    found: list[tuple[Rows, NDArray[np.int32], NDArray[np.bool_], NDArray[np.int32]]] = []
    for _ in range(max_steps + 1):
        if deadline.passed:
            return None
        legal = unpack(engine.legal_bits(states), engine.circuit.move_count)
        over = engine.terminal(states)
        choices, moves = _choose(engine, legal, rng)
        found.append((states, choices, over, numbers))
        going = ~over & (choices > 0).all(axis=1)
        if not going.any():
            break
        states, numbers = engine.advance(states[going], moves[going]), numbers[going]  # type: ignore[arg-type]
    rows, choices, terminal, games_of = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.argsort(games_of, kind="stable")
    return PlayedStates(rows[order], choices[order], terminal[order], games_of[order])


def _choose(
    engine: SlicedEngine, legal: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """[states, roles]: how many legal moves each role has, and the number of one of them (0 where there is none)."""
    columns = engine.column_numbers()
    choices = np.zeros((len(legal), len(engine.roles)), np.int32)
    moves = np.zeros((len(legal), len(engine.roles)), np.int64)
    begin = 0
    for role, count in enumerate(engine.circuit.move_counts):
        part = legal[:, begin : begin + count]
        _, places = np.nonzero(part)
        choices[:, role] = part.sum(axis=1)
        starts = np.cumsum(choices[:, role]) - choices[:, role]
        picked = starts + (rng.random(len(legal)) * choices[:, role]).astype(np.int64)
        has = choices[:, role] > 0
        moves[has, role] = columns[begin + places[picked[has]]]
        begin += count
    return choices, moves
