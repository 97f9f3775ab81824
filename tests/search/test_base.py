"""What all searchers share: bad states are refused, stops and limits are noticed, and the engine may change."""

from __future__ import annotations

import math
from random import Random
from threading import Thread

import pytest

from ludens import load
from ludens.core import Decision, Limit
from ludens.engines.rows import Rows
from ludens.errors import GameOverError, NoLegalMoveError, PlayError, UnknownRoleError
from ludens.game import Game
from ludens.search.base import BaseSearcher, Watch
from ludens.search.view import GameView
from tests.search.stopping import stopped


class Patient(BaseSearcher):
    """Counts nodes until it has to end, and takes its first move."""

    def __init__(self, game: Game, role: str) -> None:
        super().__init__("patient", game, role)
        self.seen: list[GameView] = []

    def _search(self, view: GameView, row: Rows, watch: Watch, rng: Random) -> Decision:
        self.seen.append(view)
        nodes = 0
        while not watch.over(nodes):
            nodes += 1
        (move, *_) = view.engine.look(row).legal(0, self.role)
        return Decision(view.move(int(move)), {}, (), nodes=nodes, seconds=watch.seconds)


def test_a_state_of_another_game() -> None:
    searcher = Patient(load("tictactoe"), "x")
    with pytest.raises(ValueError, match="belongs to connectfour, not to tictactoe"):
        searcher.search(load("connectfour").initial_state(), Limit.of(nodes=1), Random(1))
    assert searcher.search(load("tictactoe").initial_state(), Limit.of(nodes=1), Random(1)).move == "(mark 1 1)"


def test_an_unknown_role() -> None:
    with pytest.raises(UnknownRoleError):
        Patient(load("tictactoe"), "nobody")


def test_nothing_to_search() -> None:
    over = load("(role a) (init p) (legal a go) (<= terminal (true p)) (goal a 1)")
    with pytest.raises(GameOverError):
        Patient(over, "a").search(over.initial_state(), Limit.of(nodes=1), Random(1))
    stuck = load("(role a) (role b) (init p) (legal a go) (<= (legal b go) (true q)) (<= terminal (true q)) (goal a 1)")
    with pytest.raises(NoLegalMoveError, match="b has no legal move"):
        Patient(stuck, "a").search(stuck.initial_state(), Limit.of(nodes=1), Random(1))


@pytest.mark.parametrize("nodes", [1, 1000])
def test_nodes_are_counted(nodes: int) -> None:
    game = load("tictactoe")
    assert Patient(game, "x").search(game.initial_state(), Limit.of(nodes=nodes), Random(1)).nodes == nodes


def test_time_and_stops_end_a_search() -> None:
    game = load("tictactoe")
    searcher, state = Patient(game, "o"), game.initial_state()
    timed = searcher.search(state, Limit.of(seconds=0.05), Random(1))
    assert timed.move == "noop"
    assert timed.nodes > 0
    assert 0 < timed.seconds < 5
    assert searcher.search(state, Limit.of(seconds=0), Random(1)).nodes == 0
    for _ in range(2):
        with stopped(searcher, 0.05):
            assert searcher.search(state, Limit.of(), Random(1)).move == "noop"


def test_a_stopped_search_leaves_its_limit_alone_and_ends_with_it() -> None:
    limit = Limit.of()
    watch, other = Watch(limit), Watch(limit)
    assert (watch.passed, watch.over(10**9), math.isinf(watch.remaining)) == (False, False, True)
    watch.cancel()
    assert (watch.passed, watch.over(0), watch.remaining) == (True, True, 0.0)
    assert not limit.deadline.passed
    assert not other.passed
    limit.deadline.cancel()
    assert other.passed


def test_a_game_that_gets_compiled_is_seen_anew() -> None:
    game = load("tictactoe")
    searcher, state = Patient(game, "x"), game.initial_state()
    for _ in range(2):
        searcher.search(state, Limit.of(nodes=1), Random(1))
    assert game.compile()
    for _ in range(2):
        searcher.search(state, Limit.of(nodes=1), Random(1))
    first, second, third, fourth = searcher.seen
    assert first is second
    assert third is fourth
    assert first.engine.circuit is None
    assert third.engine.circuit is not None


def test_a_searcher_does_one_search_at_a_time() -> None:
    game = load("tictactoe")
    searcher = Patient(game, "x")
    first = Thread(target=searcher.search, args=(game.initial_state(), Limit.of(seconds=30), Random(1)))
    first.start()
    while not searcher.seen:
        pass
    with pytest.raises(PlayError, match="make one for each thread"):
        searcher.search(game.initial_state(), Limit.of(nodes=1), Random(1))
    searcher.stop()
    first.join()
    assert searcher.search(game.initial_state(), Limit.of(nodes=1), Random(1)).nodes == 1


def test_time_is_a_number() -> None:
    with pytest.raises(ValueError, match="give a number"):
        Limit.of(seconds=math.nan)
