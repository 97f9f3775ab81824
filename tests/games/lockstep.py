"""Playing a rule sheet and a model of the game side by side."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.analysis.analysed import game_of
from tests.games.models import Model


def assert_agreement(name: str, make_model: Callable[[], Model], plays: int = 12) -> None:
    """Random games in which legal moves, goals and the end must be the same in every state."""
    game = game_of(name)
    rng = Random(name)
    for _ in range(plays):
        state, model = game.initial_state(), make_model()
        assert game.roles == tuple(model.roles)
        while not model.over():
            assert not state.is_terminal
            legal = {role: set(state.legal_moves(role)) for role in game.roles}
            assert legal == {role: model.legal(role) for role in model.roles}
            assert state.goals == model.goals()
            joint = {str(role): str(rng.choice(state.legal_moves(role))) for role in game.roles}
            state = state.next(joint)
            model.play(joint)
        assert state.is_terminal
        assert state.goals == model.goals()
