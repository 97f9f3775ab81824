"""Measuring an engine: it takes about as long as it may, whatever the engine and the game."""

from __future__ import annotations

import time
from random import Random

from ludens.core import Playouts
from ludens.engines.reference import ReferenceEngine
from ludens.engines.rows import Rows
from ludens.engines.speed import MAX_GAME, MAX_STEPS, Speed, measure
from ludens.game import load
from ludens.gdl.rules import Rules
from tests.engines.sheets import FREE

ENDLESS = "(role me) (init (at a)) (legal me go) (<= (next ?f) (true ?f)) (<= terminal (true (at b))) (goal me 0)"
PAUSE, SECONDS = 0.005, 0.05


class Noted(ReferenceEngine):
    """Notes how long games may be; `pause`: seconds that every state takes."""

    def __init__(self, rules: Rules, pause: float = 0.0) -> None:
        self.pause = pause
        self.longest: set[int] = set()
        super().__init__(rules)

    def legal(self, rows: Rows) -> list[list[list[int]]]:
        time.sleep(self.pause)
        return super().legal(rows)

    def playouts(self, rows: Rows, rng: Random, max_steps: int = 10_000) -> Playouts:
        self.longest.add(max_steps)
        return super().playouts(rows, rng, max_steps)


def test_both_ways_are_measured() -> None:
    engine = Noted(load("nim").engine_rules)
    speed = measure(engine, SECONDS, 4)
    assert speed.single
    assert speed.games
    assert engine.longest <= set(range(1, MAX_STEPS + 1))


def test_games_of_slow_engines_are_broken_off() -> None:
    """They cannot make more states in a second than their pauses allow."""
    engine = Noted(Rules.parse(ENDLESS), PAUSE)
    speed = measure(engine, SECONDS, 1)
    assert speed.single
    assert speed.single <= 1 / PAUSE
    (longest,) = engine.longest
    assert 1 <= longest <= MAX_GAME * SECONDS / PAUSE


def test_a_role_that_cannot_move_is_no_figure() -> None:
    speed = measure(Noted(Rules.parse(FREE["a role that can get stuck"])), SECONDS, 2)
    assert speed.games is None


def test_no_games_are_played_where_a_role_gets_stuck_at_once() -> None:
    """How long they would take is not known then."""
    engine = Noted(Rules.parse("(role me) (init a) (<= (legal me go) (true a)) (goal me 0) (<= terminal (true b))"))
    assert measure(engine, SECONDS, 1) == Speed(None, None)
    assert engine.longest == set()
