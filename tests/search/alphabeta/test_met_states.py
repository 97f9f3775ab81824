"""Going back and forth: moves back to states of the match, against an evaluator that likes a place too much."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ludens
from ludens.core import Decision, Limit
from ludens.game import Game, State
from ludens.search.alphabeta import AlphaBetaSearcher, Options

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
COUNTED, UNCOUNTED = WALK.format(init="(init (step 0))", steps=STEPS), WALK.format(init="", steps="")


class Likes:
    """Values states by the place alone, so that a search of one step stays near the one that it likes best."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def evaluate(self, states: Any) -> NDArray[np.float64]:
        liked = [LIKED[place(facts)] for facts in self._game.engine.decode(states)]
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


def walk(game: Game, told: bool, options: Options | None = None) -> list[str]:
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


@pytest.mark.parametrize("rules", [COUNTED, UNCOUNTED])
@pytest.mark.parametrize("options", [Options(), Options(mode="maxn"), Options(mode="paranoid"), Options(table_bytes=0)])
def test_who_is_told_the_match_does_not_go_back_and_forth(rules: str, options: Options) -> None:
    game = loaded(rules)
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
