"""What the protocol `Player` promises: every player keeps it, in games of every kind."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path
from random import Random

import pytest
from _pytest.mark import ParameterSet

from ludens import load
from ludens.core import Answer, Clocks, Move, Role
from ludens.errors import PlayError, UnknownRoleError
from ludens.game import Game
from ludens.players import PLAYERS, cluneplayer, make_player
from ludens.players.base import BasePlayer
from ludens.runtime.deadline import Deadline
from tests.tiers import ARCHETYPES, pairwise

CLOCKS = Clocks(1.0, 1.0)
OWN = "Own"
"""A player that is no player of ours: it is loaded from a file."""
NAMES = (*PLAYERS, OWN)
NODES, TURNS = 30, 8
STUDIOUS = ("cluneplayer", "fluxplayer", "kuhlmann")
"""Players that study a game first. They do the same for every role, so one of them takes one seat only."""
HUGE = "amazonswhole"
"""A game that takes long to study; it is studied as far as the clock allows."""
WHOLE = ("blocksworld", "breakthrough", "threeway", "racetrackcorridor", "fourcorners", "twokeys", "pig", "landlord")
"""Games that are played to the end: for one, in turn, at the same time, together, with chance and many roles."""


def paired(turned: int, sheets: list[str] | None = None) -> list[ParameterSet]:
    """Players times games; the default tier has other pairs for each turn."""
    names = list(NAMES)
    return pairwise(names[turned:] + names[:turned], sheets)


@pytest.fixture(autouse=True)
def a_small_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluneplayer, "REPEATABLE_STATES", cluneplayer.USEFUL_STATES)


@cache
def loaded(sheet: str) -> Game:
    """A game on the reference engine, which says what is legal."""
    return load(sheet)


def player_named(name: str, seed: str = "1", nodes: int | None = NODES) -> BasePlayer:
    where = f"{Path(__file__).with_name('own_player.py')}:{OWN}" if name == OWN else name
    player = make_player(where, Random(seed), nodes)
    assert isinstance(player, BasePlayer)
    return player


def played(
    name: str, sheet: str, turns: int = TURNS, nodes: int | None = NODES, seconds: float = 1.0
) -> list[dict[Role, Move]]:
    """The first joint moves of a match in which the player takes every seat, or one if it is studious.

    All other roles move at random.
    """
    game, rng = loaded(sheet), Random(f"{name} {sheet}")
    seats = [rng.choice(game.player_roles)] if name in STUDIOUS else game.player_roles
    players = {role: player_named(name, f"{sheet} {role}", nodes) for role in seats}
    for role, player in players.items():
        player.start(game, role, CLOCKS, Deadline(seconds))
    state, joints = game.initial_state(), list[dict[Role, Move]]()
    told: dict[Role, set[str]] = {role: set() for role in players}
    while not state.is_terminal and len(joints) < turns:
        answers = {role: player.move(Deadline(seconds)) for role, player in players.items()}
        for role, answer in answers.items():
            assert answer.move in state.legal_moves(role)
            assert answer.decision is None or answer.decision.move == answer.move
            assert not [text for text in answer.diagnostics if "getting ready failed" in text]
            assert not [text for text in answer.diagnostics if text in told[role]], "each text is told once"
            told[role] |= set(answer.diagnostics)
        asked = {role: answer.move for role, answer in answers.items()}
        joints.append({role: asked.get(role) or rng.choice(state.legal_moves(role)) for role in game.roles})
        for role, player in players.items():
            if game.traits.hidden:
                player.perceive(joints[-1][role], tuple(fact.term for fact in state.percepts(joints[-1])[role]))
            else:
                player.observe(joints[-1])
        state = state.next(joints[-1])
    for player in players.values():
        player.stop()
    return joints


@pytest.mark.parametrize("name", NAMES)
def test_it_has_its_name_and_moves_only_in_a_match(name: str) -> None:
    player, game = player_named(name), loaded("tictactoe")
    assert player.name == name
    with pytest.raises(PlayError, match="call start first"):
        player.move(Deadline(1))
    with pytest.raises(UnknownRoleError):
        player.start(game, "nobody", CLOCKS, Deadline(1))
    for leave in (player.stop, player.abort):
        player.start(game, "x", CLOCKS, Deadline(1))
        answer = player.move(Deadline(1))
        assert isinstance(answer, Answer)
        assert answer.move in game.initial_state().legal_moves("x")
        leave()
        with pytest.raises(PlayError, match="call start first"):
            player.move(Deadline(1))


@pytest.mark.parametrize(("name", "sheet"), paired(7))
def test_its_moves_are_legal(name: str, sheet: str) -> None:
    by_clock = name in STUDIOUS and sheet == HUGE
    assert played(name, sheet, nodes=None if by_clock else NODES, seconds=0.3 if by_clock else 1.0)


@pytest.mark.full
@pytest.mark.parametrize("sheet", WHOLE)
@pytest.mark.parametrize("name", [*STUDIOUS, "earlypayoff"])
def test_its_moves_are_legal_to_the_end(name: str, sheet: str) -> None:
    assert played(name, sheet, turns=10_000)


@pytest.mark.parametrize(("name", "sheet"), paired(3, list(ARCHETYPES)))
def test_the_same_seed_gives_the_same_moves(name: str, sheet: str) -> None:
    assert played(name, sheet) == played(name, sheet)


@pytest.mark.parametrize(("name", "sheet"), paired(5, [*ARCHETYPES, "chess"]))
@pytest.mark.parametrize("seconds", [0.001, 0])
def test_it_moves_though_there_is_no_time(name: str, sheet: str, seconds: float) -> None:
    """Before it can have found out anything, and right after other moves were told."""
    began = time.monotonic()
    assert played(name, sheet, turns=3, nodes=None, seconds=seconds)
    assert time.monotonic() - began < 20
