"""What searches see of a game on the relational engine: the same as on the reference engine, and on time."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from ludens import load
from ludens.core import Limit
from ludens.engines.base import UNKNOWN_GOAL
from ludens.engines.relational.engine import RelationalInterpreter
from ludens.game import Game
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaSearcher
from ludens.search.base import BaseSearcher
from ludens.search.flat import FlatSearcher
from ludens.search.mcts import MctsSearcher
from ludens.search.view import GameView
from tests.engines.beyond import big_game, joined, joined_game
from tests.tiers import every_game

SEARCHERS = (FlatSearcher, MctsSearcher, AlphaBetaSearcher)
FEW_QUESTIONS, SOME_QUESTIONS = 8, 40
"""Those about one state; and those about the states of a line, which a fast engine may still be asked for."""


@cache
def view_on(name: str) -> GameView:
    return GameView.of(joined_game(name).initial_state())


@pytest.mark.parametrize("name", every_game(of=("tictactoe", "rockpaperscissors", "pig", "threeway")))
def test_both_views_agree(name: str) -> None:
    joins, game = view_on(name), load(name)
    plain = GameView(game, game.reference_engine.fork())
    rng, roles = Random(1), len(game.roles)
    one, other = (view.engine.look(view.row(view.game.initial_state())) for view in (joins, plain))
    for _ in range(20):
        assert one.terminal.tolist() == other.terminal.tolist()
        assert one.goals.tolist() == other.goals.tolist()
        legal = [[joins.move(move) for move in one.legal(0, role)] for role in range(roles)]
        assert legal == [[plain.move(move) for move in other.legal(0, role)] for role in range(roles)]
        if one.terminal[0]:
            break
        places = [rng.randrange(len(moves)) for moves in legal]
        first = [int(one.legal(0, role)[place]) for role, place in enumerate(places)]
        second = [int(other.legal(0, role)[place]) for role, place in enumerate(places)]
        one, other = (
            joins.engine.expand(one.rows, np.array([first], np.int32)),
            plain.engine.expand(other.rows, np.array([second], np.int32)),
        )


def test_random_games_come_to_what_they_do_on_the_reference_engine() -> None:
    joins, game = view_on("tictactoe"), load("tictactoe")
    plain = GameView(game, game.reference_engine.fork())
    mean, expected = (
        view.engine.goal_sums(view.row(view.game.initial_state()), count, Random(1), Deadline.never())[0] / count
        for view, count in ((joins, 3000), (plain, 300))
    )
    assert np.abs(mean - expected).max() < 6 * 50 / np.sqrt(300)
    again = joins.engine.goal_sums(joins.row(joins.game.initial_state()), 3000, Random(1), Deadline.never())[0] / 3000
    assert again.tolist() == mean.tolist()


def test_games_that_become_too_much_are_of_unknown_worth() -> None:
    """Half of them do; the others lose."""
    game = big_game()
    view = GameView.of(game.initial_state())
    mean = view.engine.goal_sums(view.row(game.initial_state()), 60, Random(1), Deadline.never())[0, 0] / 60
    assert mean == pytest.approx((UNKNOWN_GOAL + 10) / 2, abs=12)
    beyond = view.row(game.initial_state().next(["left"]).next(["right"]))
    assert view.engine.goal_sums(beyond, 3, Random(1), Deadline.never()).tolist() == [[300]]


def test_games_where_a_role_is_stuck_are_of_unknown_worth() -> None:
    game = load(
        """(role a) (init open) (<= (legal a good) (true open)) (<= (legal a bad) (true open))
    (<= (next won) (does a good)) (<= (next lost) (does a bad))
    (<= terminal (true won)) (<= (goal a 100) (true won))"""
    )
    joined(game)
    view = GameView.of(game.initial_state())
    mean = view.engine.goal_sums(view.row(game.initial_state()), 1000, Random(1), Deadline.never())[0, 0] / 1000
    assert mean == pytest.approx((100 + UNKNOWN_GOAL) / 2, abs=5)


def test_nothing_is_played_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    view = view_on("tictactoe")
    row = view.row(view.game.initial_state())
    for name in ("playouts", "legal", "terminal"):
        monkeypatch.setattr(RelationalInterpreter, name, lambda *_: pytest.fail("it is too late"))
    ends = view.engine.goal_sums(np.repeat(row, 500, axis=0), 16, Random(1), Deadline(0))
    assert (ends == 16 * UNKNOWN_GOAL).all()


@pytest.mark.parametrize("compiled", [False, True])
def test_states_are_expanded_as_long_as_there_is_time(compiled: bool) -> None:
    game = joined_game("tictactoe") if compiled else load("tictactoe")
    view = GameView.of(game.initial_state())
    row = view.row(game.initial_state())
    seen = view.engine.look(row)
    noop = int(seen.legal(0, 1)[0])
    joints = np.array([[move, noop] for move in seen.legal(0, 0)], np.int32)
    rows = np.repeat(row, len(joints), axis=0)
    every, one = view.engine.expand(rows, joints), view.engine.expand(rows, joints, Deadline(0))
    assert len(every.rows) == 9
    assert one.rows.tolist() == every.rows[:1].tolist()
    assert one.moves.tolist() == every.moves[: every.starts[2]].tolist()
    assert view.engine.expand(rows, joints, Deadline.never()).rows.tolist() == every.rows.tolist()


def late_questions(searcher: BaseSearcher, game: Game, monkeypatch: pytest.MonkeyPatch, pause: float = 0.0) -> int:
    """How often a search asks the engine after its time is over, if the engine pauses before each answer."""
    role = game.roles[searcher.role]
    searcher.search(game.initial_state(), Limit.of(nodes=1), Random(0))
    times: list[float] = []
    for name in ("advance", "legal", "terminal", "goals", "playouts"):
        answer = getattr(RelationalInterpreter, name)

        def ask(*arguments: Any, answer: Any = answer) -> Any:
            times.append(time.monotonic())
            time.sleep(pause)
            return answer(*arguments)

        monkeypatch.setattr(RelationalInterpreter, name, ask)
    limit = Limit.of(seconds=0.3)
    decision = searcher.search(game.initial_state(), limit, Random(1))
    late = sum(at > limit.deadline.at for at in times)
    assert times
    assert decision.move in game.initial_state().legal_moves(role)
    return late


@pytest.mark.full
@pytest.mark.parametrize("make", SEARCHERS)
def test_deadlines_are_kept_where_every_state_takes_long(
    make: type[BaseSearcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All the moves of the first state alone would take many times as long as there is."""
    game = view_on("breakthrough").game
    searcher = make(game, "white")  # type: ignore[call-arg]
    assert late_questions(searcher, game, monkeypatch, 0.1) <= FEW_QUESTIONS


@pytest.mark.parametrize("make", SEARCHERS)
@pytest.mark.parametrize("name", ["merrills", "amazons_8x8"])
def test_deadlines_are_kept_on_big_sheets(
    corpus: Path, name: str, make: type[BaseSearcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = big_sheet(corpus / "games" / f"{name}.kif")
    searcher = make(game, game.roles[0])  # type: ignore[call-arg]
    assert late_questions(searcher, game, monkeypatch) <= SOME_QUESTIONS


@cache
def big_sheet(path: Path) -> Game:
    game = load(path)
    joined(game)
    return game


@pytest.mark.parametrize("make", SEARCHERS)
@pytest.mark.parametrize("engine", ["reference", "relational"])
def test_a_search_does_not_keep_more_and_more_states(
    make: type[BaseSearcher], engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    most, batch = 50, 9
    monkeypatch.setattr("ludens.engines.interning.MAX_STATES", most)
    game = joined_game("tictactoe") if engine == "relational" else load("tictactoe")
    if engine == "reference":
        game._compilation.refuse("this is about the reference engine")
    searcher = make(game, "x")  # type: ignore[call-arg]
    for _ in range(2):
        decision = searcher.search(game.initial_state(), Limit.of(nodes=400), Random(1))
        assert decision.move in game.initial_state().legal_moves("x")
        assert decision.nodes > 0, "what was too much is forgotten"
        assert searcher._view is not None
        assert len(searcher._view.engine._table.states) <= most + batch  # type: ignore[attr-defined]


def test_states_with_many_facts_crowd_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("tictactoe")
    view = GameView.of(game.initial_state())
    monkeypatch.setattr("ludens.engines.interning.MAX_FACTS", 15)
    first = view.row(game.initial_state())
    assert not view.engine.is_crowded
    view.row(game.initial_state())
    assert not view.engine.is_crowded, "it is the same state"
    after = view.row(game.initial_state().next(["(mark 1 1)", "noop"]))
    assert view.engine.is_crowded
    assert first.tolist() != after.tolist()
