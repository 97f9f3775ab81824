"""Random games on the compiled engine, against the reference engine."""

from __future__ import annotations

import numpy as np
import pytest

import ludens
from ludens.engines.sliced import SlicedEngine
from ludens.evaluation.random_play import PlayedStates, play_at_random
from ludens.runtime.deadline import Deadline


def played(name: str, games: int, seed: int = 1, **options: int) -> tuple[ludens.Game, PlayedStates]:
    game = ludens.load(name)
    game.compile()
    assert isinstance(game.engine, SlicedEngine)
    states = play_at_random(game.engine, games, np.random.default_rng(seed), Deadline.never(), **options)
    assert states is not None
    return game, states


@pytest.mark.parametrize("name", ["tictactoe", "racetrackcorridor", "pig"])
def test_every_state_follows_from_the_one_before(name: str) -> None:
    game, states = played(name, 3)
    facts = [frozenset(map(str, game.state(map(str, terms)).facts)) for terms in _facts(game, states)]
    assert states.games.tolist() == sorted(states.games.tolist())
    for step in states.steps.tolist():
        state = game.state(facts[step])
        joint = np.array([len(state.legal_moves(role)) for role in game.roles])
        assert states.choices[step].tolist() == joint.tolist()
        assert facts[step + 1] in _successors(state, game)


def test_games_are_played_to_the_end() -> None:
    _game, states = played("tictactoe", 20)
    last = np.flatnonzero(np.append(states.games[1:] != states.games[:-1], True))
    assert states.terminal[last].all()
    assert states.terminal.sum() == 20


def test_the_same_seed_gives_the_same_games() -> None:
    one, other, third = (played("breakthrough", 4, seed)[1] for seed in (7, 7, 8))
    assert np.array_equal(one.rows, other.rows)
    assert not np.array_equal(one.rows, third.rows)


def test_long_games_are_cut_and_late_ones_given_up() -> None:
    game, states = played("breakthrough", 2, max_steps=5)
    assert len(states) == 12
    assert isinstance(game.engine, SlicedEngine)
    assert play_at_random(game.engine, 2, np.random.default_rng(1), Deadline(0)) is None


def test_joined_samples_keep_their_games_apart() -> None:
    _, one = played("tictactoe", 2)
    _, other = played("tictactoe", 3, seed=2)
    both = one.joined(other)
    assert len(both) == len(one) + len(other)
    assert len(set(both.games.tolist())) == 5
    assert len(both.steps) == len(one.steps) + len(other.steps)


def _facts(game: ludens.Game, states: PlayedStates) -> list[list[str]]:
    from ludens.gdl.terms import term_text

    return [[term_text(fact) for fact in facts] for facts in game.engine.decode(states.rows)]


def _successors(state: ludens.State, game: ludens.Game) -> set[frozenset[str]]:
    from itertools import product

    moves = product(*(state.legal_moves(role) for role in game.roles))
    return {frozenset(map(str, state.next(joint).facts)) for joint in moves}
