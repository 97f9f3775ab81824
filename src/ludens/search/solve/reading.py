"""From the values of states back to names: the principal variation, and what each first move is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ludens.core import Move, Role
from ludens.search.solve.induction_kernel import CHANCE, back_up
from ludens.search.solve.solution import MoveValue
from ludens.search.view import GameView

if TYPE_CHECKING:
    from ludens.search.solve.values import Valued

Floats = NDArray[np.float64]

DIGITS = 9
"""Values are told as exactly as they are found."""


def named_values(view: GameView, of_roles: NDArray[np.int64], values: Floats) -> dict[Role, float | None]:
    """The values [sides] of the roles, chance left out; None for NaN, and for one who can only play on for ever."""
    return {
        role: round(float(values[side]), DIGITS) if values[side] >= 0 else None
        for role, side in zip(view.roles, of_roles.tolist(), strict=True)
        if side != CHANCE
    }


def principal_variation(valued: Valued) -> Iterator[tuple[int, Mapping[Role, Move]]]:
    """The states and joint moves of best play from the start, until chance or a mixture decides, or play repeats."""
    graph, game = valued.graph, valued.game
    state, seen = 0, set[int]()
    while not game.ends[state] and state not in seen:
        seen.add(state)
        option = back_up(game, valued.known, valued.workspace, state)
        digits = _digits(valued, state, option)
        if option < 0 or digits is None:
            return
        legal = graph.view.engine.look(graph.store.rows[state : state + 1])
        joint = [legal.legal(0, role)[digit] for role, digit in enumerate(digits)]
        place = int(np.ravel_multi_index(digits, game.choices[state].tolist()))
        state = int(graph.children(state)[place])
        yield state, graph.view.joint(joint)


def _digits(valued: Valued, state: int, option: int) -> list[int] | None:
    """Return which of its legal moves each role makes in an option; None if chance has a choice."""
    choices, of_roles = valued.game.choices[state].tolist(), valued.sides.of_roles.tolist()
    by_side = np.unravel_index(max(option, 0), valued.workspace.counts.tolist())
    digits = [0] * len(choices)
    for side, own in enumerate(by_side):
        members = [role for role, its_side in enumerate(of_roles) if its_side == side]
        for role, digit in zip(members, np.unravel_index(own, [choices[role] for role in members]), strict=True):
            digits[role] = int(digit)
    return None if any(choices[role] > 1 for role, side in enumerate(of_roles) if side == CHANCE) else digits


def move_values(valued: Valued) -> tuple[MoveValue, ...]:
    """Return what the moves of those who have a choice at the start are worth, everybody else playing the best way."""
    graph, game, workspace, sides = valued.graph, valued.game, valued.workspace, valued.sides
    view = graph.view
    back_up(game, valued.known, workspace, 0)
    legal = view.engine.look(graph.store.rows[:1])
    found = []
    for role, side in enumerate(sides.of_roles.tolist()):
        moves = legal.legal(0, role)
        if len(moves) > 1:
            rows = _chance_rows(valued, role) if side == CHANCE else _side_rows(valued, role, side)
            found += [
                MoveValue(
                    role=view.roles[role],
                    move=view.move(int(move)),
                    values=named_values(view, sides.of_roles, values),
                    distance=float(distance) if np.isfinite(distance) else None,
                    probability=None if np.isnan(probability) else float(probability),
                )
                for move, (values, distance, probability) in zip(moves, rows, strict=True)
            ]
    return tuple(found)


def _side_rows(valued: Valued, role: int, side: int) -> list[tuple[Floats, float, float]]:
    """For each move of a role its values, distance and probability; its side makes the best of each move."""
    workspace, game = valued.workspace, valued.game
    counts = workspace.counts.tolist()
    options = int(np.prod(counts))
    table = np.column_stack([workspace.values[:options], workspace.distances[:options]]).reshape(*counts, -1)
    for other in reversed(range(len(counts))):
        if other != side:
            weights = _strategy(valued, other)
            table = _mean(table, weights, other)
    members = [member for member, its_side in enumerate(valued.sides.of_roles.tolist()) if its_side == side]
    choices = [int(game.choices[0, member]) for member in members]
    place = members.index(role)
    table = np.moveaxis(table.reshape(*choices, -1), place, 0).reshape(choices[place], -1, table.shape[-1])
    strategy = _strategy(valued, side)
    mixture = np.moveaxis(strategy.reshape(choices), place, 0).reshape(choices[place], -1).sum(axis=1)
    rows = [part[int(np.argmax(np.nan_to_num(part[:, side], nan=-1.0)))] for part in table]
    return [(row[:-1], row[-1], share) for row, share in zip(rows, mixture, strict=True)]


def _mean(table: Floats, weights: Floats, axis: int) -> Floats:
    """Return the weighted mean over an axis; what has no weight does not count, whatever it is."""
    moved = np.moveaxis(table, axis, 0)
    used = weights != 0
    mean: Floats = np.tensordot(weights[used], moved[used], axes=1)
    return mean


def _strategy(valued: Valued, side: int) -> Floats:
    """Return how probable each joint move of a side is at the start; sure if it has only one."""
    count = int(valued.workspace.counts[side])
    return np.ones(1) if count == 1 else valued.workspace.strategies[side, :count].copy()


def _chance_rows(valued: Valued, role: int) -> list[tuple[Floats, float, float]]:
    """Return the same for each move of chance, everybody else playing the best way without knowing it."""
    game, known = valued.game, valued.known
    choices = game.choices[0].tolist()
    children = valued.graph.children(0).reshape(choices)
    weights = np.ones(choices)
    of_roles = valued.sides.of_roles.tolist()
    for side in range(valued.sides.count):
        members = [member for member, its_side in enumerate(of_roles) if its_side == side]
        shape = [choices[other] if other in members else 1 for other in range(len(choices))]
        weights = weights * _strategy(valued, side).reshape(shape)
    rows = []
    for outcome in range(choices[role]):
        after, share = children.take(outcome, role).ravel(), weights.take(outcome, role).ravel()
        used = share != 0
        values = share[used] @ known.values[after[used]]
        rows.append((values, 1.0 + share[used] @ known.distances[after[used]], 1.0 / choices[role]))
    return rows
