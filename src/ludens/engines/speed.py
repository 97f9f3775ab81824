"""How fast an engine is here: measured briefly, by random play."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from ludens.engines.base import Engine, random_joint
from ludens.errors import NoLegalMoveError

MAX_STEPS = 1000
"""Where a game without end is broken off."""
MAX_GAME = 5.0
"""How many times as long as the whole measurement a game may take, by the speed of its first states."""
SECONDS_A_CALL = 0.05
"""Batches of games grow until one takes this long, so that the cost of a call does not show."""
SEED = 1


@dataclass(frozen=True, slots=True)
class Speed:
    """States in a second; a state is one joint move made."""

    single: float | None
    """One state after the other, as `State.next` and `State.legal_moves` ask."""
    games: float | None
    """In random games, as many at once as suit the engine. Both are None where a role gets stuck by random play."""


def measure(engine: Engine, seconds: float, most_games: int) -> Speed:
    """Play for the given seconds in each of the two ways; `most_games` at once.

    Where states are slow, games are broken off before one takes much longer than that. Where a role gets stuck no games
    are played: they would lead there too, and nobody knows how long that takes.
    """
    single = _rate(_stepper(engine), seconds)
    if single is None:
        return Speed(None, None)
    steps = max(1, min(MAX_STEPS, int(MAX_GAME * seconds * single)))
    return Speed(single, _rate(_player(engine, most_games, steps), seconds))


def _rate(play: Callable[[], int], seconds: float) -> float | None:
    """The first call, which may load or make something, does not count."""
    try:
        play()
        begun = now = time.perf_counter()
        states = 0
        while now - begun < seconds:
            states += play()
            now = time.perf_counter()
    except NoLegalMoveError:
        return None
    return states / (now - begun)


def _stepper(source: Engine) -> Callable[[], int]:
    """Makes one random move in each call, and begins anew after the end."""
    rng = Random(SEED)
    engine = source.fork()
    state, steps = engine.initial(1), 0

    def step() -> int:
        nonlocal engine, state, steps
        if steps == MAX_STEPS or engine.terminal(state)[0]:
            state, steps = engine.initial(1), 0
            if engine.terminal(state)[0]:
                return 0
        engine, state = engine.step_apart(state, [random_joint(engine, state, rng)])
        steps += 1
        return 1

    return step


def _player(engine: Engine, most_games: int, max_steps: int) -> Callable[[], int]:
    """Plays a batch of random games in each call."""
    rng = Random(SEED)
    games = 1

    def play() -> int:
        nonlocal games
        begun = time.perf_counter()
        states = int(engine.playouts(engine.initial(games), rng, max_steps).lengths.sum())
        if time.perf_counter() - begun < SECONDS_A_CALL:
            games = min(2 * games, most_games)
        return states

    return play
