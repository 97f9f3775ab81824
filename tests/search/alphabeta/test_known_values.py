"""Alpha-beta on games whose values are known, or worked out by other programs."""

from __future__ import annotations

from random import Random

import pytest

import ludens
from ludens.core import Decision, Limit
from ludens.game import Game
from ludens.search.alphabeta import AlphaBetaOptions, AlphaBetaSearcher
from tests.search.alphabeta.boards import connect_four_sheet, connect_four_value, nim_is_won, nim_sheet
from tests.tiers import FULL


def solve(game: Game, role: str, options: AlphaBetaOptions | None = None, seed: int = 1) -> Decision:
    assert game.compile()
    return AlphaBetaSearcher(game, role, options=options).search(
        game.initial_state(), Limit.of(seconds=60), Random(seed)
    )


@pytest.mark.parametrize("role", ["x", "o"])
def test_tic_tac_toe_is_a_draw(role: str) -> None:
    decision = solve(ludens.load("tictactoe"), role)
    assert decision.proven
    assert set(decision.values.values()) == {50.0}
    assert len(decision.pv) == 9
    assert decision.depth == 9


def test_the_line_can_be_played() -> None:
    game = ludens.load(nim_sheet(2, 3, 1))
    decision = solve(game, "first")
    state = game.initial_state()
    assert decision.pv[0]["first"] == decision.move  # type: ignore[index]
    for joint in decision.pv:
        state = state.next({str(role): str(move) for role, move in joint.items()})
    assert state.is_terminal
    assert state.goals == decision.values


@pytest.mark.parametrize(("columns", "rows"), [(4, 4), pytest.param(5, 4, marks=FULL)])
def test_small_connect_four(columns: int, rows: int) -> None:
    decision = solve(ludens.load(connect_four_sheet(columns, rows)), "red")
    assert decision.proven
    assert decision.values == {"red": 50.0 + 50.0 * connect_four_value(columns, rows), "yellow": 50.0}


@pytest.mark.parametrize("heaps", [(3, 4, 5), (1, 2, 3), (2, 2, 0), (5, 7, 2), (0, 0, 6), (7, 1, 6)])
def test_nim_by_the_xor_rule(heaps: tuple[int, int, int]) -> None:
    game = ludens.load(nim_sheet(*heaps))
    decision = solve(game, "first")
    assert decision.proven
    assert decision.values["first"] == 100.0 * nim_is_won(*heaps)  # type: ignore[index]
    if nim_is_won(*heaps):
        after = game.initial_state().next({"first": decision.move})
        left = {fact.args[0]: int(str(fact.args[1])) for fact in after.facts if fact.name == "heap"}
        assert not nim_is_won(*left.values())


def test_rock_paper_scissors_is_mixed() -> None:
    game = ludens.load("rockpaperscissors")
    decisions = [solve(game, "left", AlphaBetaOptions(simultaneous="equilibrium"), seed) for seed in range(12)]
    assert all(decision.values["left"] == pytest.approx(50.0) for decision in decisions)  # type: ignore[index]
    assert {str(decision.move) for decision in decisions} == {"(show rock)", "(show paper)", "(show scissors)"}


def test_rock_paper_scissors_against_someone_who_knows_our_move_is_lost() -> None:
    assert solve(ludens.load("rockpaperscissors"), "left").values["left"] == 0.0  # type: ignore[index]


def test_the_towers_of_hanoi_are_moved() -> None:
    decision = solve(ludens.load("hanoi"), "solver")
    assert decision.proven
    assert decision.values == {"solver": 100.0}
    assert len(decision.pv) == 31


def test_a_role_alone_follows_the_line_that_it_has_found() -> None:
    game = ludens.load("stepcounter")
    assert game.compile()
    searcher = AlphaBetaSearcher(game, "player", options=AlphaBetaOptions(table_bytes=0))
    state = game.initial_state()
    decision = searcher.search(state, Limit.of(seconds=20), Random(1))
    while not state.is_terminal:
        state = state.next({"player": decision.move})
        if not state.is_terminal:
            decision = searcher.search(state, Limit.of(nodes=1), Random(1))
            assert decision.values == {"player": 100.0}
    assert state.goals == {"player": 100}


def test_a_win_at_once_is_found_at_once() -> None:
    game = ludens.load("tictactoe")
    assert game.compile()
    state = game.initial_state()
    for turn, place in enumerate(["1 1", "2 1", "1 2", "2 2"]):
        state = state.next({"xo"[turn % 2]: f"(mark {place})"})
    decision = AlphaBetaSearcher(game, "x").search(state, Limit.of(seconds=10), Random(1))
    assert (decision.move, decision.proven, decision.depth) == ("(mark 1 3)", True, 1)
