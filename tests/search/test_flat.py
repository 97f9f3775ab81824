"""Flat Monte Carlo: its averages are right, and it ends when it should."""

from __future__ import annotations

import time
from random import Random

import pytest

from ludens import load
from ludens.core import Decision, Limit, Role
from ludens.errors import GameOverError, NoLegalMoveError, UnknownRoleError
from ludens.search.flat import MAX_CHILDREN, FlatSearcher
from tests.search.stopping import stopped

ONE_ROUND = """
(role a) (role b) (role c) (init open)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
(number 0) (<= (number ?n) (succ ?m ?n))
(<= (legal ?role ?n) (role ?role) (number ?n))
(<= (next (chose ?role ?n)) (does ?role ?n))
(<= terminal (not (true open)))
(<= met (true (chose a ?n)) (true (chose b ?n)))
(<= (goal a 100) met)
(<= (goal a 20) (not met) (true (chose a 7)))
(<= (goal a 0) (not met) (not (true (chose a 7))))
(goal b 30) (<= (goal c 50) (true open))
"""
"""Choosing the same number as b, one of ten, gives 100; choosing 7 gives 20 if it fails. There are 1000 joint moves."""


def search(sheet: str, role: str, limit: Limit, seed: int = 1, compiled: bool = False) -> Decision:
    game = load(sheet)
    if compiled:
        assert game.compile()
    return FlatSearcher(game, role).search(game.initial_state(), limit, Random(seed))


@pytest.mark.parametrize("compiled", [False, True])
def test_averages_over_all_replies_are_exact_when_the_game_ends_at_once(compiled: bool) -> None:
    sheet = """
    (role a) (role b) (init open)
    (legal a safe) (legal a bold) (legal b yes) (legal b no) (legal b perhaps)
    (<= (next (was ?x ?y)) (does a ?x) (does b ?y))
    (<= terminal (not (true open)))
    (<= (goal a 60) (true (was safe ?y))) (<= (goal a 100) (true (was bold yes)))
    (<= (goal a 0) (true (was bold no))) (<= (goal a 0) (true (was bold perhaps))) (goal b 10)
    """
    decision = search(sheet, "a", Limit.of(nodes=100), compiled=compiled)
    assert decision.move == "safe"
    assert decision.values == {"a": 60.0, "b": 10.0}
    assert [(candidate.move, round(candidate.value, 3)) for candidate in decision.candidates] == [
        ("safe", 60.0),
        ("bold", 33.333),
    ]


def test_the_line_has_what_the_others_like_best() -> None:
    sheet = """
    (role a) (role b) (init open) (legal a x) (legal b left) (legal b right) (<= (next (chose ?y)) (does b ?y))
    (<= terminal (not (true open))) (goal a 50)
    (<= (goal b 70) (true (chose right))) (<= (goal b 20) (true (chose left)))
    """
    assert search(sheet, "a", Limit.of(nodes=10)).pv == ({"a": "x", "b": "right"},)


def test_a_limit_on_depth_alone_ends_the_search() -> None:
    assert 90_000 <= search("nim", "first", Limit.of(depth=3), compiled=True).playouts <= 110_000


@pytest.mark.parametrize("compiled", [False, True])
def test_of_too_many_joint_moves_some_are_drawn(compiled: bool) -> None:
    decision = search(ONE_ROUND, "a", Limit.of(nodes=8 * MAX_CHILDREN), compiled=compiled)
    assert decision.move == "7"
    assert decision.values[Role("a")] == pytest.approx(28, abs=8)
    assert decision.values[Role("b")] == 30
    assert decision.values[Role("c")] == 50, "no goal counts as half"
    counts = [candidate.visits for candidate in decision.candidates]
    assert len(counts) == 10
    assert max(counts) - min(counts) <= 8, "all moves are tried equally often"


def test_random_tictactoe_has_its_known_chances() -> None:
    """Of all random games that begin in the middle x wins 69.3 % and o 19.3 % (all orders, counted apart)."""
    decision = search("tictactoe", "x", Limit.of(nodes=60_000), compiled=True)
    assert decision.move == "(mark 2 2)"
    assert decision.values[Role("x")] == pytest.approx(75, abs=2)


@pytest.mark.parametrize("compiled", [False, True])
def test_the_same_seed_gives_the_same_decision(compiled: bool) -> None:
    decisions = [search("connectfour", "red", Limit.of(nodes=30), seed, compiled).candidates for seed in (5, 5, 6)]
    assert decisions[0] == decisions[1]
    assert decisions[0] != decisions[2]


@pytest.mark.parametrize("compiled", [False, True])
def test_limits_are_kept(compiled: bool) -> None:
    decision = search("connectfour", "red", Limit.of(nodes=70), compiled=compiled)
    assert decision.playouts == 70
    assert decision.nodes == 70
    assert decision.depth == 1


def test_the_deadline_is_kept_where_a_single_random_game_takes_longer() -> None:
    game = load("chess")
    begun = time.monotonic()
    decision = FlatSearcher(game, "white").search(game.initial_state(), Limit.of(seconds=0.2), Random(1))
    assert 0.2 <= time.monotonic() - begun < 5
    assert decision.seconds >= 0.2


def test_it_can_be_stopped_from_another_thread() -> None:
    game = load("chess")
    searcher = FlatSearcher(game, "white")
    with stopped(searcher, 0.2):
        decision = searcher.search(game.initial_state(), Limit.of(seconds=60), Random(1))
    assert decision.seconds < 20
    assert decision.move in game.initial_state().legal_moves("white")


def test_there_is_a_move_even_without_any_time() -> None:
    decision = search("connectfour", "red", Limit.of(seconds=0))
    assert decision.move == "(drop 1)"
    assert decision.playouts == 0


def test_nothing_to_search() -> None:
    game = load("tictactoe")
    over = game.state(["(cell 1 1 x)", "(cell 1 2 x)", "(cell 1 3 x)", "(control o)"])
    with pytest.raises(GameOverError, match="the game is over"):
        FlatSearcher(game, "x").search(over, Limit.of(nodes=1), Random(1))
    with pytest.raises(UnknownRoleError, match="red"):
        FlatSearcher(game, "red")
    with pytest.raises(ValueError, match="belongs to"):
        FlatSearcher(game, "x").search(load("nim").initial_state(), Limit.of(nodes=1), Random(1))
    stuck = """(role a) (role b) (init p) (legal a go) (<= (legal b go) (true q)) (<= terminal (true q))
    (goal a 0) (goal b 0)"""
    with pytest.raises(NoLegalMoveError, match="b has no legal move"):
        search(stuck, "a", Limit.of(nodes=1))


def test_all_of_many_moves_are_tried() -> None:
    """Of 3000 moves one wins at once; each round has room for some of them."""
    numbers = " ".join(f"(number {number})" for number in range(3000))
    sheet = f"""
    (role a) (init open) {numbers} (<= (legal a (p ?n)) (number ?n))
    (<= (next won) (does a (p 1777))) (<= terminal (not (true open)))
    (<= (goal a 100) (true won)) (<= (goal a 10) (not (true won)))
    """
    decision = search(sheet, "a", Limit.of(nodes=3100), compiled=True)
    assert decision.move == "(p 1777)"
    assert min(candidate.visits for candidate in decision.candidates) >= 1
    hasty = search(sheet, "a", Limit.of(nodes=1), compiled=True)
    assert hasty.candidates[0].visits > 0, "a move that was not tried is not better than one that was"
