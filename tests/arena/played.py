"""Matches by chance alone, as records."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from ludens.arena.records import Record
from ludens.core import Clocks, Move, Role
from ludens.game import Game, State


def turns(game: Game, rng: Random) -> Iterator[tuple[dict[Role, Move], State]]:
    """Random joint moves as everybody is told them, each with the state after it."""
    state = game.initial_state()
    while not state.is_terminal:
        joint = {role: rng.choice(state.legal_moves(role)) for role in game.roles}
        state = state.next(joint)
        yield game.announced(joint), state


def begun(game: Game, match_id: str = "m.1", seed: int = 1, job: str | None = None) -> Record:
    """The record of a match before its first move."""
    names = [f"player{number}" for number in range(len(game.player_roles))]
    tournament = None if job is None else "cup"
    return Record.begin(
        game,
        game.initial_state(),
        names,
        Clocks(10, 0.5),
        match_id,
        seed,
        start_time=1_000_000,
        tournament=tournament,
        job=job,
    )


def played(game: Game, match_id: str = "m.1", seed: int = 1, limit: int = 10_000, job: str | None = None) -> Record:
    """The record of a random match; it is aborted at the limit of turns."""
    record, rng = begun(game, match_id, seed, job), Random(seed)
    state = game.initial_state()
    for number, (announced, state) in enumerate(turns(game, rng), 1):
        errors = ["TO" if rng.random() < 0.1 else "" for _ in game.player_roles]
        record.add_turn(announced, state, errors, time_ms=1_000_000 + 500 * number)
        if number == limit:
            break
    if state.is_terminal:
        record.complete(state.goals)
    else:
        record.abort()
    return record
