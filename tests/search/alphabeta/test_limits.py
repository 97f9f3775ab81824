"""When a search ends, and that it gives a legal move however short the time is."""

from __future__ import annotations

import time
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ludens
from ludens.core import Limit
from ludens.errors import GameOverError, UnknownRoleError
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaOptions, AlphaBetaSearcher
from tests.search.alphabeta.boards import nim_sheet
from tests.search.alphabeta.decisions import check_decision
from tests.search.stopping import stopped
from tests.tiers import every_game

ROOM = 3.0
"""Seconds of delay that are forgiven on a busy machine."""
JUST_STEPS = (
    "(role a) (init (step 0)) (legal a up) (legal a down)"
    + " ".join(f"(succ {number} {number + 1})" for number in range(16))
    + """
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= terminal (true (step 16))) (<= (goal a 60) (true lit))
(<= (goal a 40) (not (true lit))) (<= (next lit) (does a up) (not (true lit))) (<= (next lit) (does a down) (true lit))
"""
)


@pytest.fixture(scope="module")
def game() -> ludens.Game:
    game = ludens.load("connectfour")
    assert game.compile()
    AlphaBetaSearcher(game, "red").search(game.initial_state(), Limit.of(depth=1), Random(1))
    return game


@pytest.mark.parametrize("nodes", [1, 50, 2000])
def test_nodes_are_limited_and_the_seed_decides(game: ludens.Game, nodes: int) -> None:
    first, second, other = (
        AlphaBetaSearcher(game, "red").search(game.initial_state(), Limit.of(nodes=nodes), Random(seed))
        for seed in (5, 5, 6)
    )
    assert first.nodes <= nodes + 1
    assert first.move in game.initial_state().legal_moves("red")
    same = (first.move, first.values, first.pv, first.candidates, first.depth, first.nodes)
    assert same == (second.move, second.values, second.pv, second.candidates, second.depth, second.nodes)
    assert other.move in game.initial_state().legal_moves("red")


def test_depth_is_limited(game: ludens.Game) -> None:
    decision = AlphaBetaSearcher(game, "red").search(game.initial_state(), Limit.of(depth=3), Random(1))
    assert decision.depth == 3
    assert not decision.proven


@pytest.mark.parametrize("name", every_game(of=("connectfour", "chess", "farmers")))
def test_the_deadline_is_kept(name: str) -> None:
    game = ludens.load(name)
    assert game.compile()
    searcher = AlphaBetaSearcher(game, game.roles[0])
    state = game.initial_state()
    searcher.search(state, Limit.of(nodes=1, seconds=0.1), Random(1))
    for seconds in (0.0, 0.05, 0.3):
        begun = time.monotonic()
        decision = searcher.search(state, Limit.of(seconds=seconds), Random(1))
        assert time.monotonic() - begun < seconds + ROOM
        assert decision.move in state.legal_moves(game.roles[0])


class Slow:
    """An evaluator that takes its time."""

    def evaluate(self, rows: Any, engine: Any = None) -> NDArray[np.float64]:
        time.sleep(0.004 * len(rows))
        return np.full((len(rows), 2), 60.0)

    def explain(self, state: Any) -> str:
        return "it takes long to explain"


def test_a_slow_evaluator_is_not_asked_too_much(game: ludens.Game) -> None:
    begun = time.monotonic()
    decision = AlphaBetaSearcher(game, "red", Slow()).search(game.initial_state(), Limit.of(seconds=0.3), Random(1))
    assert time.monotonic() - begun < 0.3 + ROOM
    assert decision.move in game.initial_state().legal_moves("red")


@pytest.mark.parametrize("seconds", [0.001, 0.02, 0.2])
def test_it_can_be_stopped_from_another_thread(game: ludens.Game, seconds: float) -> None:
    searcher = AlphaBetaSearcher(game, "red")
    with stopped(searcher, seconds):
        decision = searcher.search(game.initial_state(), Limit.of(seconds=60), Random(1))
    assert decision.seconds < 20
    assert decision.move in game.initial_state().legal_moves("red")


def test_a_game_that_is_not_compiled_keeps_the_deadline() -> None:
    game = ludens.load("chess")
    begun = time.monotonic()
    decision = AlphaBetaSearcher(game, "white").search(game.initial_state(), Limit.of(seconds=0.2), Random(1))
    assert time.monotonic() - begun < 0.2 + 2 * ROOM
    assert decision.move in game.initial_state().legal_moves("white")


def test_bad_arguments(game: ludens.Game) -> None:
    with pytest.raises(ValueError, match="mode"):
        AlphaBetaOptions(mode="brave")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="simultaneous"):
        AlphaBetaOptions(simultaneous="sometimes")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="table"):
        AlphaBetaOptions(table_bytes=-1)
    with pytest.raises(UnknownRoleError):
        AlphaBetaSearcher(game, "green")
    tictactoe = ludens.load("tictactoe")
    with pytest.raises(ValueError, match="belongs to"):
        AlphaBetaSearcher(game, "red").search(tictactoe.initial_state(), Limit.of(depth=1), Random(1))
    ended = tictactoe.initial_state()
    for turn, place in enumerate(["1 1", "2 1", "1 2", "2 2", "1 3"]):
        ended = ended.next({"xo"[turn % 2]: f"(mark {place})"})
    with pytest.raises(GameOverError):
        AlphaBetaSearcher(tictactoe, "x").search(ended, Limit.of(depth=1), Random(1))


def test_the_table_stays_as_large_as_it_is(game: ludens.Game) -> None:
    small = AlphaBetaOptions(table_bytes=10_000)
    decision = AlphaBetaSearcher(game, "red", options=small).search(game.initial_state(), Limit.of(depth=7), Random(1))
    assert decision.hashfull == pytest.approx(1, abs=0.01)
    searcher = AlphaBetaSearcher(game, "red", options=small)
    searcher.search(game.initial_state(), Limit.of(depth=2), Random(1))
    table = searcher._table
    assert table is not None
    assert table.keys.nbytes + table.notes.nbytes + table.values.nbytes <= 10_000
    none = AlphaBetaSearcher(game, "red", options=AlphaBetaOptions(table_bytes=0))
    assert none.search(game.initial_state(), Limit.of(depth=4), Random(1)).hashfull == 0


def test_step_counters_are_left_out_where_they_cannot_matter() -> None:
    """Two states and a count: with the count in the key they are met anew at each step."""
    game = ludens.load(JUST_STEPS)
    assert game.compile()
    without, with_count = (
        AlphaBetaSearcher(game, "a", options=AlphaBetaOptions(counters=counters)).search(
            game.initial_state(), Limit.of(depth=7), Random(1)
        )
        for counters in (True, False)
    )
    assert without.values == with_count.values == {"a": 50.0}
    assert without.nodes < with_count.nodes
    decision = AlphaBetaSearcher(game, "a").search(game.initial_state(), Limit.of(seconds=20), Random(1))
    assert (decision.values, decision.proven, len(decision.pv)) == ({"a": 60.0}, True, 16)


def test_the_next_search_knows_what_the_last_one_found(game: ludens.Game) -> None:
    tictactoe = ludens.load("tictactoe")
    assert tictactoe.compile()
    searcher = AlphaBetaSearcher(tictactoe, "x")
    first = searcher.search(tictactoe.initial_state(), Limit.of(seconds=20), Random(1))
    state = tictactoe.initial_state().next({"x": first.move})
    searcher.advance(state)
    second = searcher.search(state, Limit.of(seconds=20), Random(1))
    assert second.proven
    assert second.nodes < first.nodes / 10


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("name", ["tictactoe", "rockpaperscissors", "threeway", "hanoi"])
def test_without_any_time_there_is_a_joint_move(name: str, compiled: bool) -> None:
    game = ludens.load(name)
    assert not compiled or game.compile()
    for role in game.roles:
        decision = AlphaBetaSearcher(game, role).search(game.initial_state(), Limit.of(seconds=0), Random(1))
        check_decision(decision, game.initial_state(), role)
        assert len(decision.pv) == len(decision.candidates) == 1


def test_without_any_time_what_was_found_before_is_played() -> None:
    game = ludens.load(nim_sheet(3, 4, 5))
    assert game.compile()
    searcher, state = AlphaBetaSearcher(game, "first"), game.initial_state()
    best = searcher.search(state, Limit.of(seconds=20), Random(1))
    assert best.move != state.legal_moves("first")[0]
    assert searcher.search(state, Limit.of(seconds=0), Random(1)).move == best.move


@pytest.mark.parametrize("table_bytes", [0, 2**20])
def test_what_a_search_says_fits_together_whenever_it_ends(game: ludens.Game, table_bytes: int) -> None:
    state, options = game.initial_state(), AlphaBetaOptions(table_bytes=table_bytes)
    for nodes in range(1, 3000, 251):
        decision = AlphaBetaSearcher(game, "red", options=options).search(state, Limit.of(nodes=nodes), Random(nodes))
        check_decision(decision, state, "red")


def test_deadlines_in_the_past_are_no_trouble(game: ludens.Game) -> None:
    limit = Limit(Deadline(-1))
    assert AlphaBetaSearcher(game, "red").search(game.initial_state(), limit, Random(1)).nodes == 0
