"""Players on games that become no circuit, or only after long: they play as they should, on the relational engine."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ludens import load
from ludens.arena.direct import play_match
from ludens.core import Clocks, Player
from ludens.engines.fallback import FallbackEngine
from ludens.engines.native import NativeEngine
from ludens.ground import GroundingLimits
from ludens.players import make_player
from ludens.players.preparation import Preparation
from ludens.players.searching import SearchingPlayer
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import EarlyPayoff
from tests.players.test_fluxplayer import evaluator_of
from tests.tiers import FULL

CLOCKS = Clocks(20.0, 0.3)
LONG = 600.0
RELATIONAL = [
    ("uct", "fluxplayer"),
    pytest.param(("alphabeta", "montecarlo"), marks=FULL),
    pytest.param(("cluneplayer", "earlypayoff"), marks=FULL),
]


def player_named(name: str, nodes: int | None = None) -> SearchingPlayer:
    player = make_player(name, Random(1), nodes)
    assert isinstance(player, SearchingPlayer)
    return player


def preparation_of(player: SearchingPlayer) -> Preparation:
    assert player._preparation is not None
    return player._preparation


@pytest.fixture
def nothing_grounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.engines.select.GroundingLimits", partial(GroundingLimits, rules=1))


@pytest.mark.usefixtures("nothing_grounds")
def test_fluxplayer_says_why_it_plays_by_early_payoff() -> None:
    player = player_named("fluxplayer", nodes=5_000)
    game = load("tictactoe")
    player.start(game, "x", CLOCKS, Deadline(60))
    assert isinstance(game.engine, FallbackEngine)
    assert isinstance(evaluator_of(player), EarlyPayoff)
    answer = player.move(Deadline.never())
    [note] = answer.diagnostics
    assert "the rules do not become a circuit (the rules have more than 1 instances" in note
    assert answer.move in game.initial_state().legal_moves("x")
    assert answer.decision is not None
    assert answer.decision.nodes > 1


@pytest.mark.usefixtures("nothing_grounds")
@pytest.mark.parametrize("pair", RELATIONAL)
def test_whole_matches_on_the_relational_engine(pair: tuple[str, str]) -> None:
    players: list[Player] = [player_named(name, nodes=300) for name in pair]
    result = play_match(load("tictactoe"), players, CLOCKS, Random(1))
    assert result.finished
    assert result.faults == ()


@pytest.mark.usefixtures("nothing_grounds")
def test_a_sheet_of_the_corpus_against_the_clock(corpus: Path) -> None:
    """The first moves; each is chosen by the search that the player is named for, once it is ready."""
    game = load(corpus / "games" / "merrills.kif")
    players = [player_named("uct"), player_named("fluxplayer")]
    for player, role in zip(players, game.roles, strict=True):
        player.start(game, role, CLOCKS, Deadline(0.1))
    for player in players:
        assert preparation_of(player).wait(Deadline(LONG))
        assert isinstance(player.state.game.engine, FallbackEngine)
    state = game.initial_state()
    for _ in range(4):
        seated = dict(zip(game.roles, players, strict=True))
        joint = {role: player.move(Deadline(CLOCKS.play)).move for role, player in seated.items()}
        for player, role in zip(players, game.roles, strict=True):
            if len(state.legal_moves(role)) > 1:
                assert player._informed[0] is player._searcher, "no random games in place of the search"
            player.observe(joint)
        state = state.next(joint)
    for player in players:
        player.stop()


def test_players_search_before_the_circuit_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    reached = threading.Event()
    make = NativeEngine.compile

    def slow(*arguments: Any, **options: Any) -> NativeEngine:
        assert reached.wait(LONG)
        return make(*arguments, **options)

    monkeypatch.setattr(NativeEngine, "compile", slow)
    player = player_named("uct")
    game = load("connectfour")
    game._compilation.patience = 0
    try:
        player.start(game, "red", Clocks(60, 1), Deadline(0.1))
        preparation = preparation_of(player)
        assert preparation.ready.wait(LONG)
        assert isinstance(player.state.game.engine, FallbackEngine)
        player.move(Deadline(0.3))
        early = player._informed[0]
        assert early is player._searcher
        reached.set()
        assert preparation.wait(Deadline(LONG))
        assert isinstance(player.state.game.engine, NativeEngine)
        player.move(Deadline(0.3))
        assert player._informed[0] is player._searcher
        assert player._informed[0] is not early, "the one before might have been searching"
    finally:
        reached.set()
        player.stop()
