"""How heuristics do in random games: whether what they value goes with what the games come to."""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random

import numpy as np

from ludens.analysis.kind import GameKind
from ludens.evaluation.fuzzy.norm_tuning import agreement, random_outcomes
from ludens.evaluation.random_play import play_at_random
from ludens.evaluation.simple.evaluator import HeuristicEvaluator
from ludens.evaluation.simple.heuristics import Heuristic
from ludens.game import Game
from ludens.runtime.deadline import Deadline

GAMES, MAX_STATES = 128, 512
"""Random games whose states are looked at, and how many of these states."""


def correlations(
    game: Game, role: str, kind: GameKind, heuristics: Sequence[Heuristic], deadline: Deadline, rng: Random
) -> tuple[float, ...]:
    """For each heuristic, from -1 to 1: how the worth of states goes with what the role gets in random games from them.

    All are 0 where the game is not compiled, or time is too short.
    """
    begun, numbers = time.monotonic(), np.random.default_rng(rng.getrandbits(64))
    engine = game.engine
    played = play_at_random(engine, GAMES, numbers, deadline) if engine.circuit is not None else None
    if played is None:
        return (0.0,) * len(heuristics)
    going = np.flatnonzero(~played.terminal)
    rows, own = played.rows[numbers.permutation(going)[:MAX_STATES]], [game.role_index(role)]
    outcomes = random_outcomes(game, rows, deadline, rng, time.monotonic() - begun)[:, own]
    evaluators = (HeuristicEvaluator(game, role, kind, heuristic) for heuristic in heuristics)
    return tuple(agreement(evaluator.evaluate(rows)[:, own], outcomes) for evaluator in evaluators)
