"""Counting all ways to play, to a depth: the classic test of whether rules and engine are right.

States that are reached in several ways are expanded once: each carries along how many ways lead to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import TypeAlias, TypeVar

from ludens.core import Move
from ludens.errors import NoLegalMoveError
from ludens.game import State

JointMove: TypeAlias = tuple[Move, ...]
"""The moves in the order of the roles."""
Key = TypeVar("Key", bound=Hashable)
Layer: TypeAlias = dict[State, Counter[Key]]
"""The states at one depth, each with the number of ways to it; ways are counted apart for each key."""


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
    """One level after the other, until all games have ended.

    >>> from ludens import load
    >>> [level.nodes for level in islice(perft(load("tictactoe").initial_state()), 3)]
    [9, 72, 504]
    """
    for depth, layer in enumerate(_layers({state: Counter({None: 1})}), start=1):
        nodes = sum(ways.total() for ways in layer.values())
        ended = sum(ways.total() for position, ways in layer.items() if position.is_terminal)
        yield Level(depth, nodes, ended, len(layer))


def divide(state: State, depth: int) -> dict[JointMove, int]:
    """For each joint move the number of ways to play `depth` joint moves that start with it."""
    layer: Layer[JointMove] = {}
    counts: Counter[JointMove] = Counter()
    for joint in joint_moves(state):
        layer.setdefault(state.next(joint), Counter())[joint] += 1
        counts[joint] = 0
    last = layer if depth == 1 else next(islice(_layers(layer), depth - 2, None), {})
    for ways in last.values():
        counts.update(ways)
    return dict(counts)


def _layers(layer: Layer[Key]) -> Iterator[Layer[Key]]:
    """The layers that follow, each one joint move further."""
    while any(not state.is_terminal for state in layer):
        following: Layer[Key] = {}
        for state, ways in layer.items():
            for joint in joint_moves(state):
                following.setdefault(state.next(joint), Counter()).update(ways)
        layer = following
        yield layer


def joint_moves(state: State) -> Iterator[JointMove]:
    """All combinations of legal moves; none after the end."""
    if state.is_terminal:
        return
    legal = [state.legal_moves(role) for role in state.game.roles]
    for role, moves in zip(state.game.roles, legal, strict=True):
        if not moves:
            raise NoLegalMoveError(role)
    yield from product(*legal)
