"""Games of OpenSpiel as models for our rule sheets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pyspiel

from tests.games.models import Joint, Model


class SpielModel:
    """A game of OpenSpiel in which the players take turns, spoken to in the words of our sheet."""

    def __init__(self, name: str, roles: Sequence[str], word: Callable[[SpielModel, int], str]) -> None:
        self.roles = roles
        self.state: Any = pyspiel.load_game(name).new_initial_state()
        self._word = word

    @property
    def mover(self) -> str:
        player: int = self.state.current_player()
        return self.roles[player]

    def moves(self) -> dict[str, int]:
        return {self._word(self, action): action for action in self.state.legal_actions()}

    def legal(self, role: str) -> set[str]:
        return set(self.moves()) if role == self.mover else {"noop"}

    def play(self, joint: Joint) -> None:
        self.state.apply_action(self.moves()[joint[self.mover]])

    def over(self) -> bool:
        return bool(self.state.is_terminal())

    def goals(self) -> dict[str, int]:
        returns = self.state.returns()
        return {role: 50 + 50 * int(value) for role, value in zip(self.roles, returns, strict=True)}


def tictactoe_move(model: SpielModel, action: int) -> str:
    """OpenSpiel numbers the squares from the top left, row by row."""
    return f"(mark {action % 3 + 1} {3 - action // 3})"


def connect_four_move(model: SpielModel, action: int) -> str:
    return f"(drop {action + 1})"


def breakthrough_move(model: SpielModel, action: int) -> str:
    """Those who begin come from the top, and a star marks a capture: `b7a6*`."""
    column, row, to_column, to_row = model.state.action_to_string(action).rstrip("*")
    return f"(move {ord(column) - 96} {9 - int(row)} {ord(to_column) - 96} {9 - int(to_row)})"


MODELS: Mapping[str, Callable[[], Model]] = MappingProxyType(
    {
        "tictactoe": lambda: SpielModel("tic_tac_toe", ("x", "o"), tictactoe_move),
        "connectfour": lambda: SpielModel("connect_four", ("red", "yellow"), connect_four_move),
        "breakthrough": lambda: SpielModel("breakthrough", ("white", "black"), breakthrough_move),
    }
)
"""The games first bundled that OpenSpiel has too."""
