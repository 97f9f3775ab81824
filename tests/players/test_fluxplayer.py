"""Fluxplayer: plays by degrees where there are any, on time from the first move on, and better where it should be."""

from __future__ import annotations

import time
from functools import cache
from random import Random
from threading import Event

import pytest

from ludens import load
from ludens.arena.direct import play_match
from ludens.core import Clocks, GroundTerm
from ludens.errors import EngineError
from ludens.evaluation.fuzzy.evaluator import FuzzyEvaluator
from ludens.game import Game, State
from ludens.gdl.scramble import scramble
from ludens.players import make_player
from ludens.players.protocol_player import ProtocolPlayer
from ludens.players.searching import SearchingPlayer
from ludens.protocol import Play, Start, Stop, read_move
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta.evaluators import EarlyPayoff
from tests.tiers import FULL, every_game

CLOCKS = Clocks(1.0, 1.0)
SHEETS = ("blocksworld", "threeway", "racetrackcorridor", "fourcorners", "twokeys", "pig", "landlord")


def named(name: str, seed: int = 1, nodes: int | None = 60) -> SearchingPlayer:
    player = make_player(name, Random(seed), nodes)
    assert isinstance(player, SearchingPlayer)
    return player


@cache
def loaded(sheet: str) -> Game:
    return load(sheet)


def evaluator_of(player: SearchingPlayer) -> object:
    searcher = player._searcher
    assert searcher is not None
    return searcher._evaluator  # type: ignore[attr-defined]


def test_states_are_valued_by_degrees_once_it_is_ready() -> None:
    for name, kind in (("fluxplayer", FuzzyEvaluator), ("earlypayoff", EarlyPayoff)):
        player = named(name)
        player.start(loaded("breakthrough"), "white", CLOCKS, Deadline(60))
        assert isinstance(evaluator_of(player), kind)
        assert player.move(Deadline(60)).diagnostics == ()


@pytest.mark.parametrize("sheet", every_game(of=SHEETS))
def test_goals_of_all_kinds_have_degrees_or_it_is_told_that_they_have_none(sheet: str) -> None:
    player = named("fluxplayer")
    player.start(loaded(sheet), loaded(sheet).roles[0], CLOCKS, Deadline(60))
    told = player.move(Deadline(60)).diagnostics
    assert isinstance(evaluator_of(player), EarlyPayoff if told else FuzzyEvaluator)
    assert all("no degrees" in text for text in told)


def test_it_builds_what_takes_too_many_moves_to_see() -> None:
    """Nine parts have to be joined.

    The search does not see to the end, and as if it ended there no state is better than another.
    """
    blocks = "abcdefghi"
    goal = " ".join(f"(true (joined {one}))" for one in blocks)
    init = " ".join(f"(init (loose {one}))" for one in blocks)
    rules = f"""
    (role me) {init} (init (step 0)) {" ".join(f"(succ {n} {n + 1})" for n in range(12))}
    (<= (legal me (join ?x)) (true (loose ?x))) (<= (legal me (split ?x)) (true (joined ?x))) (legal me wait)
    (<= (next (joined ?x)) (does me (join ?x))) (<= (next (loose ?x)) (does me (split ?x)))
    (<= (next (joined ?x)) (true (joined ?x)) (not (does me (split ?x))))
    (<= (next (loose ?x)) (true (loose ?x)) (not (does me (join ?x))))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= tower {goal})
    (<= terminal tower) (<= terminal (true (step 12))) (<= (goal me 100) tower) (<= (goal me 0) (not tower))
    """
    game = load(rules)

    def score(name: str) -> int | None:
        return play_match(game, [named(name, nodes=200)], CLOCKS, Random(1)).goals[game.roles[0]]

    assert score("fluxplayer") == 100
    assert score("earlypayoff") == 0


@pytest.mark.full
def test_it_beats_early_payoff_in_a_race() -> None:
    """On both boards of the paper's example, with the same number of nodes and in both roles."""
    game = loaded("racetrackcorridor")
    points = []
    for seed in range(4):
        pair = [named("fluxplayer", seed, 400), named("earlypayoff", seed, 400)]
        place = seed % 2
        result = play_match(game, pair[::-1] if place else pair, CLOCKS, Random(seed))
        points.append(result.goals[game.roles[place]] or 0)
    assert sum(points) / len(points) > 50


LATENESS = {"the player was not ready when the start clock was over", "the player did not move in time"}


def start_message(game: Game, role: str, start: float, play: float) -> Start:
    return Start("m", role, game.rules.to_kif(), start, play)


@pytest.mark.parametrize(
    "sheet", [pytest.param("breakthrough", marks=FULL), pytest.param("chinesecheckers3", marks=FULL), "blocksworld"]
)
def test_a_start_clock_that_is_too_short_loses_no_move(sheet: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the protocol, in words of its own, and with nothing known about the game before.

    How long an answer takes is not looked at: that depends on what else the machine does.
    """
    for bounds in ("READING_SECONDS", "FOLLOWING_SECONDS"):
        monkeypatch.setattr(f"ludens.players.protocol_player.{bounds}", (600.0, 600.0))
    game = load(scramble(loaded(sheet).rules, Random(1)).rules)
    role, rng = game.roles[0], Random(2)
    inner = named("fluxplayer", nodes=None)
    player = ProtocolPlayer(inner)
    assert player.answer(start_message(game, role, 0.5, 2.0)) == "ready"
    state = game.initial_state()
    news: tuple[GroundTerm, ...] | None = None
    for _ in range(4):
        answer = player.answer(Play("m", news))
        assert answer in state.legal_moves(role)
        state, news = after(state, role, answer, rng)
        if state.is_terminal:
            break
    assert player.answer(Stop("m", news)) == "done"
    assert set(player.faults) <= LATENESS


def after(state: State, role: str, answer: str, rng: Random) -> tuple[State, tuple[GroundTerm, ...]]:
    game = state.game
    joint = {
        other: game.move_of(read_move(answer)) if other == role else rng.choice(state.legal_moves(other))
        for other in game.roles
    }
    return state.next(joint), tuple(move.term for move in joint.values())


MOVE_BY_MOVE = """
(role me) (init lost) (next lost) (legal me left) (legal me right) (<= (legal me up) (does me left))
(<= (next found) (does me right)) (<= terminal (true found))
(<= (goal me 100) (true found)) (<= (goal me 0) (not (true found)))
"""


def test_rules_that_cannot_be_compiled_are_played_by_early_payoff(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a move is legal depends on what is done, which only the reference engine can tell.

    That is known before anything is analysed.
    """
    monkeypatch.setattr("ludens.players.fluxplayer.analyse", lambda *_, **__: pytest.fail("analysed for nothing"))
    player = named("fluxplayer", nodes=10_000)
    player.start(load(MOVE_BY_MOVE), "me", CLOCKS, Deadline(60))
    answer = player.move(Deadline.never())
    assert answer.move == "right"
    assert isinstance(evaluator_of(player), EarlyPayoff)
    [note] = answer.diagnostics
    assert note.startswith("states are valued as if the game ended there: the rules cannot be compiled (")


def test_the_analysis_ends_with_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = Event(), Event()

    def endless(game: Game, deadline: Deadline, rng: Random, **_: object) -> None:
        begun.set()
        while not deadline.passed:
            time.sleep(0.01)
        ended.set()
        raise EngineError("the time is over")

    monkeypatch.setattr("ludens.players.fluxplayer.analyse", endless)
    monkeypatch.setattr("ludens.players.preparation.MIN_SECONDS", 600.0)
    player = named("fluxplayer", nodes=None)
    player.start(loaded("breakthrough"), "white", CLOCKS, Deadline(0.5))
    assert begun.wait(60)
    player.stop()
    assert ended.wait(60)


def test_it_is_told_when_goals_cannot_be_unrolled(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no time for it in the start clock, nor in what is granted after it."""
    monkeypatch.setattr("ludens.players.preparation.MIN_SECONDS", 0.0)
    player = named("fluxplayer", nodes=None)
    player.start(loaded("breakthrough"), "white", CLOCKS, Deadline(0.01))
    assert player._preparation is not None
    assert player._preparation.wait(Deadline(60))
    assert isinstance(evaluator_of(player), EarlyPayoff)
    answer = player.move(Deadline(0.3))
    assert answer.diagnostics
    assert answer.move in loaded("breakthrough").initial_state().legal_moves("white")


def test_goals_without_degrees_are_played_by_early_payoff() -> None:
    """Whether a chain joins two sides is only true or false."""
    player = named("fluxplayer", nodes=10)
    player.start(loaded("hex"), "red", CLOCKS, Deadline(60))
    assert isinstance(evaluator_of(player), EarlyPayoff)
    [note] = player.move(Deadline.never()).diagnostics
    assert "no degrees" in note
