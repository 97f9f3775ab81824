"""Counting all ways to play, to a depth: the classic test of whether rules and engine are right.

States that are reached in several ways are expanded once: each carries along how many ways lead to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ludens.core import Move
from ludens.engines.base import Engine, Expansion, Ints
from ludens.engines.rows import Rows
from ludens.errors import NoLegalMoveError, UnknownFactError
from ludens.game import Game, State

JointMove: TypeAlias = tuple[Move, ...]
"""The moves in the order of the roles."""

BATCH = 1 << 14
"""States that are expanded at once."""
MAX_EXACT = 2**62
"""Numbers of ways beyond this do not fit a machine word."""


@dataclass(frozen=True, slots=True)
class Level:
    """All ways to play a number of joint moves; games that ended before are not counted again."""

    depth: int
    nodes: int
    """How many sequences of joint moves there are."""
    ended: int
    """How many of them end the game."""
    positions: int
    """To how many different states they lead."""


def perft(state: State) -> Iterator[Level]:
    """Yield one level after the other, until all games have ended.

    >>> from itertools import islice
    >>> from ludens import load
    >>> [level.nodes for level in islice(perft(load("tictactoe").initial_state()), 3)]
    [9, 72, 504]
    """
    layer = _Layer.of(state)
    depth = 0
    while not layer.terminal.all():
        layer = layer.following()
        depth += 1
        ended = int(layer.ways[layer.terminal].sum())
        yield Level(depth, int(layer.ways.sum()), ended, len(layer.rows))


def divide(state: State, depth: int) -> dict[JointMove, int]:
    """Return for each joint move the number of ways to play `depth` joint moves that start with it."""
    return {joint: _count(state.next(joint), depth - 1) for joint in joint_moves(state)}


def _count(state: State, depth: int) -> int:
    """Return the number of ways to play a number of joint moves."""
    layer = _Layer.of(state)
    for _ in range(depth):
        if layer.terminal.all():
            return 0
        layer = layer.following()
    return int(layer.ways.sum())


class _Layer:
    """The states at one depth, each once, and the number of ways that lead to it."""

    def __init__(self, game: Game, engine: Engine, rows: Rows, ways: NDArray[np.generic]) -> None:
        self.game, self.engine, self.rows, self.ways = game, engine, rows, ways
        self._parts = [engine.look(rows[first : first + BATCH]) for first in range(0, len(rows), BATCH)]
        self.terminal: NDArray[np.bool_] = np.concatenate([part.terminal for part in self._parts])

    @classmethod
    def of(cls, state: State) -> _Layer:
        engine, row = state.encoded()
        return cls(state.game, engine, row, np.ones(1, np.int64))

    def following(self) -> _Layer:
        """Return the layer one joint move further, on the best engine that is ready by then."""
        most = max(int(part.choices.prod(axis=1).max(initial=0)) for part in self._parts)
        if self.ways.dtype != object and int(self.ways.sum()) * most > MAX_EXACT:
            self.ways = self.ways.astype(object)
        engine = self.engine.fork()
        found, ways = [], []
        for part, first in zip(self._parts, range(0, len(self.rows), BATCH), strict=True):
            rows = engine.adopt(self.engine, part.rows)
            for parents, joint in self._joint_moves(part):
                found.append(engine.expand(rows[parents], joint).rows)
                ways.append(self.ways[first + parents])
        rows, total = _merged(np.concatenate(found), np.concatenate(ways))
        best = self._best(engine)
        try:
            return _Layer(self.game, best, best.adopt(engine, rows), total)
        except UnknownFactError:
            return _Layer(self.game, engine, rows, total)

    def _best(self, engine: Engine) -> Engine:
        """Return an engine for the next layer, whose table has the states of that layer only."""
        return engine.fork() if engine.source is self.game.engine else self.game.engine.fork()

    def _joint_moves(self, seen: Expansion) -> Iterator[tuple[NDArray[np.int64], Ints]]:
        """Yield all joint moves of states that are not over, in batches: of which state each is, and the moves."""
        choices, firsts = seen.choices, seen.starts[:-1].reshape(seen.goals.shape)
        counts = np.where(seen.terminal, 0, choices.prod(axis=1))
        for stuck in np.flatnonzero(~seen.terminal & (counts == 0)).tolist():
            (facts,) = self.engine.decode(seen.rows[stuck : stuck + 1])
            check_moves(self.game.state_of(facts))
        ends = np.cumsum(counts)
        for begin in range(0, int(ends[-1]), BATCH):
            number = np.arange(begin, min(begin + BATCH, int(ends[-1])))
            parents = np.searchsorted(ends, number, side="right")
            number -= (ends - counts)[parents]
            joint = np.empty((len(number), choices.shape[1]), np.int32)
            for role in reversed(range(choices.shape[1])):
                own = choices[parents, role]
                joint[:, role] = seen.moves[firsts[parents, role] + number % own]
                number //= own
            yield parents, joint


def _merged(rows: Rows, ways: NDArray[np.generic]) -> tuple[Rows, NDArray[np.generic]]:
    """Return each state once, and the sum of the ways to it."""
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    total = np.zeros(len(first), ways.dtype)
    np.add.at(total, place, ways)
    return rows[first], total


def check_moves(state: State) -> None:
    """NoLegalMoveError where a role cannot move, or NoOutcomeError where nothing can be drawn for its moves."""
    for role in state.game.roles:
        if not state.legal_moves(role):
            raise NoLegalMoveError(role)


def joint_moves(state: State) -> Iterator[JointMove]:
    """Yield all combinations of legal moves; none after the end."""
    if not state.is_terminal:
        check_moves(state)
        yield from product(*(state.legal_moves(role) for role in state.game.roles))
