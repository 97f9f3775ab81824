"""Choosing the exponent for a game: by what random games come to, and by how many states it tells apart."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.kind import GameKind
from ludens.analysis.states import sample_states
from ludens.engines.rows import Rows, pack
from ludens.errors import NoLegalMoveError
from ludens.evaluation.fuzzy.norms import Norm
from ludens.game import Game
from ludens.runtime.deadline import Deadline

Worths: TypeAlias = NDArray[np.float64]
"""[states, roles]"""
Valuation: TypeAlias = Callable[[Norm, Rows], Worths]
"""What states are worth with a norm."""

CANDIDATES = tuple(Norm(q=q) for q in (4, 16, 8, 2, 1))
"""The likeliest first: there may not be time for all."""
SAMPLED_STATES, MIN_STATES = 1024, 256
"""The fewest are sampled even if there is no time."""
MAX_STATES = 512
"""So many of the samples are looked at."""
ROUNDS, MAX_STEPS = (1, 1, 2, 4, 8, 16, 32), 300
"""How many random games from each state, round by round."""
ALIKE = 1e-4
"""Worths that are no further apart are the same."""


def chosen_norm(game: Game, kind: GameKind, valuation: Valuation, deadline: Deadline, rng: Random) -> Norm:
    """The candidate whose worths of sampled states go best with what random games from there come to.

    Among those that are as good but for chance, which are all where random games tell nothing, it is the one that tells
    the most states apart. So it is in puzzles: who is alone gets nowhere without a slope from the start on, and random
    games say nothing about that. And so it is where there is no time for random games.
    """
    begun = time.monotonic()
    rows = _sampled_rows(game, deadline, rng)
    sampling = time.monotonic() - begun
    worths = _worths(valuation, rows, deadline)
    scores = dict.fromkeys(worths, 0.0)
    if len(kind.teams) > 1:
        players = [role for team in kind.teams for role in team]
        outcomes = random_outcomes(game, rows, deadline, rng, sampling)
        scores = {norm: agreement(found[:, players], outcomes[:, players]) for norm, found in worths.items()}
    chance = 1 / math.sqrt(max(1, len(rows)))
    as_good = [norm for norm, score in scores.items() if score >= max(scores.values()) - chance]
    return max(as_good, key=lambda norm: told_apart(worths[norm]))


def _sampled_rows(game: Game, deadline: Deadline, rng: Random) -> Rows:
    """Different states of random games that are not over."""
    sampled = sample_states(game, rng, deadline, SAMPLED_STATES)
    if len(sampled.bits) < MIN_STATES:
        sampled = sample_states(game, rng, Deadline.never(), MIN_STATES)
    rows: Rows = np.unique(pack(sampled.bits[~sampled.terminal]), axis=0)
    return rows[np.random.default_rng(rng.getrandbits(64)).permutation(len(rows))[:MAX_STATES]]


def _worths(valuation: Valuation, rows: Rows, deadline: Deadline) -> dict[Norm, Worths]:
    """Of each candidate that there is time for; at least until one of them tells states apart."""
    found: dict[Norm, Worths] = {}
    took, useful = 0.0, False
    for norm in CANDIDATES:
        if useful and took >= deadline.remaining:
            break
        begun = time.monotonic()
        found[norm] = valuation(norm, rows)
        took = time.monotonic() - begun
        useful = useful or told_apart(found[norm]) > 1
    return found


def agreement(worths: Worths, outcomes: Worths) -> float:
    """The mean correlation over the roles, outcomes that are not known (NaN) left out; 0 where nothing varies."""
    found = []
    for worth, outcome in zip(worths.T, outcomes.T, strict=True):
        known = ~np.isnan(outcome)
        varies = known.any() and np.ptp(worth[known]) > ALIKE and np.ptp(outcome[known]) > 0
        found.append(float(np.corrcoef(worth[known], outcome[known])[0, 1]) if varies else 0.0)
    return sum(found) / max(1, len(found))


def told_apart(worths: Worths) -> int:
    """How many different rows there are."""
    return len(np.unique(np.round(worths / ALIKE), axis=0))


def random_outcomes(game: Game, rows: Rows, deadline: Deadline, rng: Random, seconds: float) -> Worths:
    """[states, roles]: the mean goals of random games, as many as there is time for; NaN where none came to an end.

    `seconds`: how long the first round may take; those that follow are judged by the one before.
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
            means = engine.tally(rows, games, rng, MAX_STEPS).means()
            seconds, before = time.monotonic() - begun, games
            known += games * ~np.isnan(means)
            total += games * np.nan_to_num(means)
    except NoLegalMoveError:
        known[:] = 0
    return np.where(known > 0, total / np.maximum(known, 1), np.nan)
