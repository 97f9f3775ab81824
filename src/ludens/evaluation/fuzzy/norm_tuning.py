"""Norm tuning: the exponent for a game, by its agreement with playouts and by how many states it tells apart."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from random import Random
from typing import TypeAlias

import numpy as np

from ludens.analysis.kind import GameKind
from ludens.analysis.states import sample_states
from ludens.engines.rows import Rows, pack
from ludens.evaluation.fuzzy.norms import Norm
from ludens.evaluation.random_play import ALIKE, Worths, mean_correlation, playout_means
from ludens.game import Game
from ludens.runtime.deadline import Deadline

Valuation: TypeAlias = Callable[[Norm, Rows], Worths]
"""The worth of states with a norm."""

CANDIDATES = tuple(Norm(q=q) for q in (4, 16, 8, 2, 1))
"""The likeliest first, as there may not be time for all."""
SAMPLED_STATES, MIN_STATES = 1024, 256
"""The states that are sampled, and the fewest of them even without time."""
MAX_STATES = 512
"""The most states that are evaluated."""


def tune_norm(game: Game, kind: GameKind, valuation: Valuation, deadline: Deadline, rng: Random) -> Norm:
    """Return the candidate whose worths of sampled states correlate best with playouts from there.

    Among those that are as good but for chance, which are all where playouts tell nothing, it is the one that tells the
    most states apart. So it is in puzzles: a single role gets nowhere without a slope from the start on, and playouts
    say nothing about that. And so it is where there is no time for playouts.
    """
    begun = time.monotonic()
    rows = _sampled_rows(game, deadline, rng)
    sampling = time.monotonic() - begun
    worths = _worths(valuation, rows, deadline)
    scores = dict.fromkeys(worths, 0.0)
    if len(kind.teams) > 1:
        players = [role for team in kind.teams for role in team]
        outcomes = playout_means(game, rows, deadline, rng, sampling)
        scores = {norm: mean_correlation(found[:, players], outcomes[:, players]) for norm, found in worths.items()}
    chance = 1 / math.sqrt(max(1, len(rows)))
    as_good = [norm for norm, score in scores.items() if score >= max(scores.values()) - chance]
    return max(as_good, key=lambda norm: told_apart(worths[norm]))


def _sampled_rows(game: Game, deadline: Deadline, rng: Random) -> Rows:
    """Return different states of playouts that are not over."""
    sampled = sample_states(game, rng, deadline, SAMPLED_STATES)
    if len(sampled.bits) < MIN_STATES:
        sampled = sample_states(game, rng, Deadline.never(), MIN_STATES)
    rows: Rows = np.unique(pack(sampled.bits[~sampled.terminal]), axis=0)
    return rows[np.random.default_rng(rng.getrandbits(64)).permutation(len(rows))[:MAX_STATES]]


def _worths(valuation: Valuation, rows: Rows, deadline: Deadline) -> dict[Norm, Worths]:
    """Return the worths of each candidate that there is time for; at least until one of them tells states apart."""
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


def told_apart(worths: Worths) -> int:
    """Return the number of different rows."""
    return len(np.unique(np.round(worths / ALIKE), axis=0))
