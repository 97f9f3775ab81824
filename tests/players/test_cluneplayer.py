"""Cluneplayer: play by a model of the game, or by early payoff without one."""

from __future__ import annotations

from random import Random

import pytest

from ludens import load
from ludens.arena.direct import play_match
from ludens.core import Clocks, Role
from ludens.engines.select import EngineLoader
from ludens.errors import PlayError
from ludens.evaluation.model.evaluator import ModelEvaluator
from ludens.evaluation.model.game_model import GameModel
from ludens.ground.limits import GroundingLimits
from ludens.players import RandomPlayer, cluneplayer, make_player
from ludens.players.cluneplayer import by_model
from ludens.players.searching import SearchingPlayer
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaSearcher
from ludens.search.alphabeta.evaluators import EarlyPayoff
from tests.tiers import FULL

CLOCKS = Clocks(1.0, 1.0)
EARLY = "states are valued as if the game ended there: "


def named(name: str, seed: int = 1, nodes: int | None = 60) -> SearchingPlayer:
    player = make_player(name, Random(seed), nodes)
    assert isinstance(player, SearchingPlayer)
    return player


def evaluator_of(player: SearchingPlayer) -> object:
    searcher = player._searcher
    assert searcher is not None
    return searcher._evaluator  # type: ignore[attr-defined]


@pytest.mark.parametrize("states", [800, pytest.param(6_400, marks=FULL)])
def test_states_are_valued_by_the_model_once_it_is_ready(states: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluneplayer, "REPEATABLE_STATES", states)
    player = named("cluneplayer")
    player.start(load("racetrackcorridor"), "white", CLOCKS, Deadline(60))
    evaluator = evaluator_of(player)
    assert isinstance(evaluator, ModelEvaluator)
    assert evaluator.model.states >= states
    assert player.move(Deadline(60)).diagnostics == ()


def test_where_nothing_tells_it_says_so_and_plays_by_early_payoff() -> None:
    player = named("cluneplayer")
    player.start(load("rockpaperscissors"), "left", CLOCKS, Deadline(60))
    assert isinstance(evaluator_of(player), EarlyPayoff)
    assert player.move(Deadline(60)).diagnostics == (f"{EARLY}no stable feature tells what counts",)


def test_a_last_model_that_tells_nothing_does_not_replace_one_that_does(monkeypatch: pytest.MonkeyPatch) -> None:
    told = GameModel.tells
    monkeypatch.setattr(cluneplayer, "REPEATABLE_STATES", 1_600)
    monkeypatch.setattr(GameModel, "tells", lambda self, role: self.states < 800 and told(self, role))
    game = load("racetrackcorridor")
    (searcher,) = by_model(game, Role("white"), Deadline.never(), Random(1))
    assert isinstance(searcher, AlphaBetaSearcher)
    assert isinstance(searcher._evaluator, ModelEvaluator)
    assert searcher._evaluator.model.states < 800


def test_where_there_is_no_circuit_it_says_why() -> None:
    game = load("racetrackcorridor")
    game._compilation = EngineLoader(game.rules, GroundingLimits(rules=1))
    assert game.compile()
    reason = r"the rules cannot be compiled to a circuit \(the rules have more than 1 instances"
    with pytest.raises(PlayError, match=f"^{EARLY}{reason}"):
        list(by_model(game, Role("white"), Deadline(60), Random(1)))


def test_a_start_clock_that_is_too_short_for_a_model() -> None:
    """It is ready to move all the same, says why it does not play by its model, and gets one while it plays."""
    game, player = load("breakthrough"), named("cluneplayer", nodes=None)
    told: list[str] = []
    result = play_match(
        game,
        [player, RandomPlayer(Random(1))],
        Clocks(0.05, 0.05),
        Random(1),
        lambda turn: told.extend(each.text for each in turn.diagnostics),
        max_steps=12,
    )
    assert len(result.moves) == 12
    assert result.faults == ()
    assert any("was not ready when the start clock was over" in text for text in told)
    kept = result.record.notes["diagnostics"]
    assert kept == [text for text in kept if text.startswith("move ")], "the record tells of it"
    assert len(kept) == len(told)


@pytest.mark.full
def test_it_beats_early_payoff_where_the_way_is_long() -> None:
    game = load("racetrackcorridor")
    result = play_match(game, [named("cluneplayer", 1, 300), named("earlypayoff", 2, 300)], CLOCKS, Random(1))
    assert result.goals[game.roles[0]] == 100
