"""Going back and forth: moves back to states of the match, against an evaluator that likes a place too much."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ludens
from ludens.core import Decision, Limit
from ludens.game import Game, State
from ludens.search.alphabeta import AlphaBetaOptions, AlphaBetaSearcher, EarlyPayoff

LIKED = {1: 70.0, 2: 90.0, 3: 80.0, 4: 60.0}
"""What the evaluator says about the places of the walk; the goal is place 5."""
WALK = """
(role walker) (role watcher)
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(init (at 1)) {init}
(<= (legal walker (go ?to)) (true (at ?from)) (or (succ ?from ?to) (succ ?to ?from)))
(legal watcher look)
(<= (next (at ?to)) (does walker (go ?to)))
{steps}
(<= terminal (true (at 5)))
(<= (goal walker 100) (true (at 5)))
(<= (goal walker 10) (not (true (at 5))))
(<= (goal watcher 0) (true (at 5)))
(<= (goal watcher 90) (not (true (at 5))))
"""
STEPS = " ".join(f"(after {step} {step + 1})" for step in range(30)) + (
    "(<= (next (step ?n)) (true (step ?m)) (after ?m ?n)) (<= terminal (true (step 30)))"
)
PARANOID = AlphaBetaOptions(mode="paranoid")
COUNTED, UNCOUNTED = WALK.format(init="(init (step 0))", steps=STEPS), WALK.format(init="", steps="")


class Likes:
    """Values states by the place alone, so that a search of one step stays near the one that it likes best."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def evaluate(self, rows: Any, engine: Any = None) -> NDArray[np.float64]:
        liked = [LIKED[place(facts)] for facts in (engine or self._game.engine).decode(rows)]
        return np.array([[value, 100 - value] for value in liked])

    def ignores(self, fluents: Any) -> bool:
        return True

    def explain(self, state: Any) -> str:
        return "as one likes it"


def place(facts: Any) -> int:
    return next(int(str(fact[1])) for fact in facts if fact[0] == "at")


def loaded(rules: str, compiled: bool = True) -> Game:
    game = ludens.load(rules)
    assert not compiled or game.compile()
    return game


def searched(searcher: AlphaBetaSearcher, state: State, depth: int) -> Decision:
    return searcher.search(state, Limit.of(depth=depth), Random(1))


def walk(game: Game, told: bool, options: AlphaBetaOptions | None = None) -> list[str]:
    """The moves of a match of 12 steps, searching one step deep."""
    searcher, state = AlphaBetaSearcher(game, "walker", Likes(game), options), game.initial_state()
    moves: list[str] = []
    while not state.is_terminal and len(moves) < 12:
        move = searched(searcher, state, 1).move
        state = state.next({"walker": move, "watcher": "look"})
        moves.append(str(move))
        if told:
            searcher.advance(state)
    return moves


@pytest.mark.parametrize(
    "options", [PARANOID, AlphaBetaOptions(), replace(PARANOID, table_bytes=0), replace(PARANOID, pruning=False)]
)
def test_who_is_told_the_match_does_not_go_back_and_forth(options: AlphaBetaOptions) -> None:
    game = loaded(COUNTED)
    assert walk(game, told=False, options=options)[-4:] in (["(go 3)", "(go 2)"] * 2, ["(go 2)", "(go 3)"] * 2)
    assert walk(game, told=True, options=options)[-1] == "(go 5)"


def test_a_move_back_is_worth_what_the_game_pays_there() -> None:
    game = loaded(COUNTED)
    searcher, there = AlphaBetaSearcher(game, "walker", Likes(game)), game.initial_state().next(["(go 2)", "look"])
    before = searched(searcher, there, 1)
    assert (str(before.move), before.candidates[0].value) == ("(go 3)", 80.0)
    searcher.advance(there.next(["(go 3)", "look"]))
    decision = searched(searcher, there, 1)
    assert str(decision.move) == "(go 1)"
    found = {str(candidate.move): candidate.value for candidate in decision.candidates}
    assert found == {"(go 1)": 70.0, "(go 3)": 10.0}
    assert not decision.proven


def test_a_certain_win_may_lead_back() -> None:
    game = loaded(COUNTED)
    searcher, state = AlphaBetaSearcher(game, "walker", Likes(game)), game.initial_state()
    for move in ("(go 2)", "(go 3)", "(go 4)", "(go 3)"):
        state = state.next([move, "look"])
        searcher.advance(state)
    decision = searched(searcher, state, 4)
    assert str(decision.move) == "(go 4)"
    assert decision.values == {"walker": 100.0, "watcher": 0.0}
    assert decision.proven


def test_with_another_engine_the_match_is_remembered() -> None:
    """Told while the rules were not compiled; and an engine without rows plays as if it were not told."""
    slow = loaded(COUNTED, compiled=False)
    searcher, there = AlphaBetaSearcher(slow, "walker", Likes(slow)), slow.initial_state().next(["(go 2)", "look"])
    searcher.advance(there.next(["(go 3)", "look"]))
    assert str(searched(searcher, there, 1).move) == "(go 3)"
    assert slow.compile()
    fast = slow.initial_state().next(["(go 2)", "look"])
    assert str(searched(searcher, fast, 1).move) == "(go 1)"


@pytest.mark.parametrize(
    "effect", ["", "(<= (goal walker 30) (true (step 9)))", "(<= (legal walker (go 1)) (true (step 9)))"]
)
def test_where_steps_do_not_only_end_the_game_a_state_met_before_is_another_one(effect: str) -> None:
    """Or where nobody counts them."""
    game = loaded(COUNTED + effect if effect else UNCOUNTED)
    assert walk(game, told=True) == walk(game, told=False)


def test_where_all_moves_lead_back_the_best_is_made() -> None:
    game = loaded(COUNTED)
    searcher, state = AlphaBetaSearcher(game, "walker", Likes(game)), game.initial_state()
    for move in ("(go 2)", "(go 3)", "(go 2)", "(go 1)", "(go 2)"):
        searcher.advance(state)
        state = state.next([move, "look"])
    searcher.advance(state)
    decision = searched(searcher, state, 1)
    assert (str(decision.move), decision.candidates[0].value) == ("(go 3)", 80.0)


SURE = """
(role walker) (role watcher) (init (at b)) (init (step 0))
(succ a b) (succ b c) (succ c d) (succ d e) (succ e f) (succ f g) (succ g h) (succ h i) (succ i j)
(<= (legal walker (go ?to)) (true (at ?from)) (or (succ ?from ?to) (succ ?to ?from)))
(<= (legal walker cash) (true (at a)))
(legal watcher look)
(<= (next (at ?to)) (does walker (go ?to)))
(<= (next cashed) (does walker cash))
(<= terminal (true cashed))
(<= (goal walker 70) (true cashed))
(<= (goal walker 10) (not (true cashed)) (not (true (at j))))
(<= (goal walker 100) (true (at j)) (not (true cashed)))
(<= (goal watcher 10) (true (at b)))
(<= (goal watcher 0) (not (true (at b))))
"""


@pytest.mark.parametrize("depth", [2, 4, 6])
@pytest.mark.parametrize(
    "options", [AlphaBetaOptions(), PARANOID, replace(PARANOID, aspiration=False), replace(PARANOID, table_bytes=0)]
)
def test_what_is_certain_may_lead_back(depth: int, options: AlphaBetaOptions) -> None:
    """At a 70 points are certain; the 100 at j are too far away to be seen."""
    game = loaded(SURE + STEPS)
    searcher = AlphaBetaSearcher(game, "walker", EarlyPayoff(game), options)
    state = game.initial_state()
    for move in ("(go a)", "(go b)"):
        searcher.advance(state)
        state = state.next([move, "look"])
    decision = searched(searcher, state, depth)
    assert str(decision.move) == "(go a)"
    assert decision.candidates[0].value == 70.0


def test_in_maxn_nothing_is_capped() -> None:
    game = loaded(COUNTED)
    assert walk(game, told=True, options=AlphaBetaOptions(mode="maxn")) == walk(
        game, told=False, options=AlphaBetaOptions(mode="maxn")
    )


def test_a_capped_move_has_the_goals_of_all_sides() -> None:
    """What both get is put together by the search, and taken apart for its answer."""
    game = loaded(COUNTED.replace("(goal watcher 90)", "(goal watcher 40)"))
    searcher, there = AlphaBetaSearcher(game, "walker", Likes(game), PARANOID), game.initial_state()
    there = there.next(["(go 2)", "look"])
    searcher.advance(there.next(["(go 3)", "look"]))
    found = {str(candidate.move): candidate.value for candidate in searched(searcher, there, 1).candidates}
    assert found == {"(go 1)": 70.0, "(go 3)": 10.0}
