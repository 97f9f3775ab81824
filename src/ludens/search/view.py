"""`GameView`: what a search sees of a game, an engine inside and names outside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ludens.core import Move, Role
from ludens.engines.base import Engine
from ludens.engines.rows import Rows
from ludens.game import Game, State
from ludens.gdl.keywords import CHANCE


@dataclass(frozen=True, slots=True, eq=False)
class GameView:
    """A game on one engine, whose rows live as long as the view."""

    game: Game
    engine: Engine
    roles: tuple[Role, ...] = field(init=False)
    chance: int = field(init=False)
    """The role whose moves are drawn with equal chances, or -1."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "roles", self.game.roles)
        places = [index for index, role in enumerate(self.game.roles) if role.lower() == CHANCE]
        object.__setattr__(self, "chance", places[0] if places else -1)

    @classmethod
    def of(cls, state: State) -> GameView:
        """Return the view of the fastest engine that knows a state."""
        return cls(state.game, state.encoded()[0].source.fork())

    def shows(self, state: State) -> bool:
        """Return whether it is the view of the fastest engine that knows a state, and has room for more states."""
        return self.engine.source is state.encoded()[0].source and not self.engine.is_crowded

    def row(self, state: State) -> Rows:
        """[1, words]: the row of a state, even if the game has moved to another engine in the meantime."""
        return self.engine.adopt(*state.encoded())

    def move(self, number: int) -> Move:
        """Return a move by its name."""
        return self.game.move_of(self.engine.move_term(int(number)))

    def joint(self, numbers: Iterable[int]) -> dict[Role, Move]:
        """Return a joint move [roles] by its names."""
        return {role: self.move(number) for role, number in zip(self.roles, numbers, strict=True)}
