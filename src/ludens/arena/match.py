"""A match between players of the same process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import TypeAlias, TypeVar

from ludens.core import Clocks, Deadline, Move, Player, Role
from ludens.errors import NoLegalMoveError, PlayError
from ludens.game import Game, State
from ludens.gdl.keywords import CHANCE

Answer = TypeVar("Answer")
JointMove: TypeAlias = Mapping[Role, Move]
OnMove: TypeAlias = Callable[[State, JointMove, State], None]
"""Called after each joint move with the state before it, the moves, and the state after it."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A move that a player failed to make; a random legal move was made in its place."""

    step: int
    role: Role
    reason: str


@dataclass(frozen=True)
class MatchResult:
    """How a match went. `finished` is false if it was cut because it was too long."""

    final: State
    moves: tuple[JointMove, ...]
    faults: tuple[Fault, ...]
    finished: bool

    @property
    def goals(self) -> dict[Role, int | None]:
        return self.final.goals


def seats(game: Game) -> tuple[Role, ...]:
    """The roles that players take: all but the one that moves by chance."""
    return tuple(role for role in game.roles if role.lower() != CHANCE)


def play_match(
    game: Game,
    players: Sequence[Player],
    clocks: Clocks,
    rng: Random,
    on_move: OnMove | None = None,
    max_steps: int = 10_000,
) -> MatchResult:
    """Play a match; the players take the roles of `seats(game)` in this order, chance is drawn from `rng`.

    A player that fails, or moves against the rules, does not end the match: a random legal move is made for it.
    Deadlines are told to the players, and trusted.
    """
    roles = seats(game)
    if len(players) != len(roles):
        raise PlayError(f"{game.name} needs {len(roles)} players, for {', '.join(roles)}; {len(players)} were given")
    match = _Match(game, dict(zip(roles, players, strict=True)), clocks, rng)
    finished = False
    try:
        result = match.play(on_move, max_steps)
        finished = result.finished
    finally:
        match.end(finished)
    return result


@dataclass
class _Match:
    game: Game
    players: Mapping[Role, Player]
    clocks: Clocks
    rng: Random
    moves: list[JointMove] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def play(self, on_move: OnMove | None, max_steps: int) -> MatchResult:
        for role, player in self.players.items():
            deadline = Deadline(self.clocks.start)
            self._try(role, partial(player.start, self.game.rules, role, self.clocks, deadline))
        state = self.game.initial_state()
        while not state.is_terminal and len(self.moves) < max_steps:
            joint = {role: self._move(state, role) for role in self.game.roles}
            after = state.next(joint)
            for role, player in self.players.items():
                self._try(role, partial(player.observe, joint))
            self.moves.append(joint)
            if on_move:
                on_move(state, joint, after)
            state = after
        return MatchResult(state, tuple(self.moves), tuple(self.faults), state.is_terminal)

    def end(self, finished: bool) -> None:
        for role, player in self.players.items():
            self._try(role, player.stop if finished else player.abort)

    def _move(self, state: State, role: Role) -> Move:
        legal = state.legal_moves(role)
        if not legal:
            raise NoLegalMoveError(role)
        if role not in self.players:
            return self.rng.choice(legal)
        move = self._try(role, partial(self.players[role].move, Deadline(self.clocks.play)))
        if move in legal:
            return legal[legal.index(move)]
        if not self.faults or self.faults[-1].step <= len(self.moves) or self.faults[-1].role != role:
            self._note(role, f"{move} is not legal")
        return self.rng.choice(legal)

    def _try(self, role: Role, action: Callable[[], Answer]) -> Answer | None:
        """What a player answers; None, and a note, if it fails. Players are foreign code: anything may go wrong."""
        try:
            return action()
        except Exception as error:
            self._note(role, f"{type(error).__name__}: {error}")
            return None

    def _note(self, role: Role, reason: str) -> None:
        self.faults.append(Fault(len(self.moves) + 1, role, reason))
