"""A game whose decisive states have more facts than the relational engine can hold."""

from __future__ import annotations

from math import isqrt

import ludens
from ludens.engines.backed import BackedEngine
from ludens.engines.choose import Compilation
from ludens.engines.relational.storage import MOST_ROWS
from ludens.ground import GroundingLimits

DIGITS = isqrt(3 * MOST_ROWS // 5)
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


def joined(game: ludens.Game) -> BackedEngine:
    """The engine that a game gets that does not ground."""
    game._compilation = Compilation(game.engine_rules, GroundingLimits(rules=1), game.reference_engine)
    assert game.compile(), game.compile_error
    assert isinstance(game.engine, BackedEngine)
    return game.engine


def big_game() -> ludens.Game:
    game = ludens.load(BIG)
    joined(game)
    return game
