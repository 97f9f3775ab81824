"""Layouts that several tests look at, each made once, and random games to draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random

from ludens import Game, load
from ludens.boards import BoardLayout, Hints, Picture, draw, make_layout
from ludens.boards.facts_cache import bundled_facts, sampled_facts
from ludens.core import Move, Role
from ludens.game import State, load_bundled
from ludens.runtime.deadline import Deadline

SECONDS = 60.0
"""Long enough for an analysis to end by itself, also on a machine that is busy."""
HEAD = "(role x) (role o) (<= (legal ?r noop) (role ?r)) (<= terminal (not (true go))) (<= (goal ?r 50) (role ?r)) "


def layout_of(game: Game, hints: Hints | None = None) -> BoardLayout:
    game.compile(Deadline(SECONDS))
    facts = sampled_facts(game, Deadline(SECONDS))
    assert facts is not None
    return make_layout(game, facts, hints)


@cache
def bundled(name: str) -> tuple[Game, BoardLayout]:
    """A bundled game, drawn without hints by the facts that ship with it."""
    game = load_bundled(name)
    facts = bundled_facts(game)
    assert facts is not None, f"the rules of {name} were changed; run `make docs`"
    return game, make_layout(game, facts, Hints())


@cache
def hinted(name: str) -> tuple[Game, BoardLayout]:
    """A bundled game, drawn with its own hints."""
    game, plain = bundled(name)
    return game, make_layout(game, plain.facts)


@cache
def sheet(path: Path) -> tuple[Game, BoardLayout]:
    game = load(path)
    return game, layout_of(game)


def steps(game: Game, rng: Random, most: int) -> Iterator[tuple[State, Mapping[Role, Move] | None, State | None]]:
    """The states of a random game from the start, with the joint move and the state before."""
    state, joint, before = game.initial_state(), None, None
    yield state, joint, before
    for _ in range(most):
        if state.is_terminal:
            return
        before, joint = state, {role: rng.choice(state.legal_moves(role)) for role in game.roles}
        state = state.next(joint)
        yield state, joint, before


def picture(name: str, *moves: Mapping[str, str]) -> Picture:
    """A bundled game after some moves, drawn without hints."""
    game, layout = bundled(name)
    state, before = game.initial_state(), None
    joint: Mapping[Role, Move] | None = None
    for given in moves:
        before = state
        chosen = {game.role_index(role): move for role, move in given.items()}
        joint = {
            role: next(move for move in state.legal_moves(role) if index not in chosen or str(move) == chosen[index])
            for index, role in enumerate(game.roles)
        }
        state = state.next(joint)
    return draw(layout, state, joint, before)
