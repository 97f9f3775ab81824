"""What is asked of every compiled game, and random games, in the same part of Python as `runtime`."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from ludens.engines.native.language import Tables, Workspace
from ludens.engines.relational.runtime import (
    FAILED,
    MANY_MOVES,
    MOVES,
    MULTIPLIER,
    ROUND,
    content,
    fail,
    forget,
)
from ludens.engines.relational.written import is_terminal, list_goals, list_moves, load_state, make_next

ENDED, CUT, STUCK, BROKEN = 0, 1, 2, 3
"""How a random game can end: by itself, at the limit of steps, because a role cannot move, or because of `FAILED`."""


def add_move(t: Tables, w: Workspace, move: int) -> None:
    """Note a legal move, once."""
    if w.move_stamps[move] != w.control[ROUND]:
        w.move_stamps[move] = w.control[ROUND]
        count = w.control[MOVES]
        if count >= t.most_moves:
            fail(w, MANY_MOVES)
        else:
            w.moves[count] = move
            w.control[MOVES] = count + 1


def begin_state(t: Tables, w: Workspace) -> None:
    """Take up the state that is written in `state`."""
    forget(t, w)
    load_state(w)


def ask_terminal(t: Tables, w: Workspace) -> int:
    return is_terminal(w)


def ask_legal(t: Tables, w: Workspace, role: int) -> int:
    """Write the legal moves of a role to `moves`; how many there are."""
    w.control[MOVES] = 0
    w.control[ROUND] += 1
    list_moves(w, role)
    return w.control[MOVES]


def ask_goals(t: Tables, w: Workspace, role: int) -> int:
    """Write the goal values of a role to `moves`; how many there are."""
    w.control[MOVES] = 0
    w.control[ROUND] += 1
    list_goals(w, role)
    return w.control[MOVES]


def ask_next(t: Tables, w: Workspace) -> None:
    """Write the state after the moves in `joint` to `state`."""
    make_next(w)


def scrambled(number: int) -> int:
    """The bits of a number in disorder."""
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB
    return number ^ (number >> 31)


def drawn(t: Tables, w: Workspace, count: int) -> int:
    """One of the moves in `moves`, all equally likely, and the same one in whatever order they stand there."""
    w.seed[0] = w.seed[0] + MULTIPLIER
    chance = scrambled(w.seed[0])
    best = 0
    chosen = w.moves[0]
    for i in range(count):
        rank = scrambled(content(t, w, w.moves[i]) ^ chance)
        if rank > best:
            best = rank
            chosen = w.moves[i]
    return chosen


def draw_moves(t: Tables, w: Workspace) -> int:
    """A random legal move for each role; the number of roles, or the first one that cannot move."""
    for role in range(t.roles):
        count = ask_legal(t, w, role)
        if count == 0:
            return role
        w.joint[role] = drawn(t, w, count)
    return t.roles


def play(t: Tables, w: Workspace, most_steps: int) -> int:
    """Play the state in `state` to its end; how that came, the number of steps times four added to it."""
    steps = 0
    begin_state(t, w)
    while is_terminal(w) == 0:
        if w.control[FAILED]:
            return BROKEN
        if steps == most_steps:
            return CUT + 4 * steps
        role = draw_moves(t, w)
        if role < t.roles:
            w.joint[0] = role
            return STUCK + 4 * steps
        make_next(w)
        begin_state(t, w)
        steps += 1
    if w.control[FAILED]:
        return BROKEN
    return ENDED + 4 * steps
