"""A game whose decisive states have more facts than the relational engine can hold, which is few here."""

from __future__ import annotations

from functools import cache
from math import isqrt
from unittest.mock import patch

import ludens
from ludens.engines.fallback import FallbackEngine
from ludens.engines.relational import storage
from ludens.engines.rows import Rows
from ludens.engines.select import EngineLoader
from ludens.ground import GroundingLimits

MAX_ROWS = 512
DIGITS = isqrt(3 * MAX_ROWS // 5)
"""Twice the pairs of these are too many facts, once is not."""
BIG = (
    "(role me) (init (step 1)) (succ 1 2) (succ 2 3) (legal me left) (legal me right) "
    + " ".join(f"(d {digit})" for digit in range(DIGITS))
    + """
(<= (next (word ?m ?a ?b)) (does me ?m) (d ?a) (d ?b))
(<= (next (word ?m ?a ?b)) (true (word ?m ?a ?b)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 3)))
(<= both (true (word left 0 0)) (true (word right 0 0)))
(<= (goal me 100) both) (<= (goal me 10) (not both))
"""
)
"""Who makes both moves wins, and only the reference engine can tell."""


def joined(game: ludens.Game) -> FallbackEngine:
    """The engine that a game gets that does not ground."""
    game._compilation = EngineLoader(game.engine_rules, GroundingLimits(rules=1), game.reference_engine)
    assert game.compile(), game.compile_error
    assert isinstance(game.engine, FallbackEngine)
    return game.engine


def is_beyond(engine: FallbackEngine, row: Rows) -> bool:
    """Whether the reference engine answers for a state."""
    (state,) = engine._states(row)
    return state.position is not None


@cache
def joined_game(sheet: str) -> ludens.Game:
    """A game on such an engine, shared by all who do not change it."""
    game = ludens.load(sheet)
    joined(game)
    return game


@cache
def big_game() -> ludens.Game:
    game = ludens.load(BIG)
    with patch.object(storage, "MAX_ROWS", MAX_ROWS):
        joined(game)
    return game
