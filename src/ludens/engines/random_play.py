"""Random games on any engine, one state after the other."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

import numpy as np

from ludens.core import Engine, Playouts
from ludens.errors import NoLegalMoveError


def random_joint(engine: Engine[Any], state: Any, rng: Random) -> list[int]:
    """A legal move of each role, by its number, for a batch of one state; NoLegalMoveError if a role has none."""
    (legal,) = engine.legal(state)
    for role, moves in zip(engine.roles, legal, strict=True):
        if not moves:
            raise NoLegalMoveError(role)
    return [rng.choice(moves) for moves in legal]


def play_one_by_one(engine: Engine[Any], states: Iterable[Any], rng: Random, max_steps: int) -> Playouts:
    """Play each state, which is a batch of one, to its end or to the limit, by uniformly random legal moves."""
    finished: list[bool] = []
    lengths: list[int] = []
    goals: list[Any] = []
    for state in states:
        steps = 0
        while not (ended := bool(engine.terminal(state)[0])) and steps < max_steps:
            state = engine.advance(state, [random_joint(engine, state, rng)])
            steps += 1
        finished.append(ended)
        lengths.append(steps)
        goals.append(engine.goals(state)[0] if ended else [-1] * len(engine.roles))
    values = np.array(goals, np.int16).reshape(len(goals), len(engine.roles))
    return Playouts(values, np.array(lengths, np.int32), np.array(finished, np.bool_))
