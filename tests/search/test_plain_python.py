"""Without compilation the kernels of all searches give the same answers, as plain Python."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np
import pytest

from ludens import load
from ludens.core import Limit
from ludens.game import Game
from ludens.search.alphabeta import AlphaBetaOptions, AlphaBetaSearcher
from ludens.search.base import BaseSearcher
from ludens.search.matrix_kernel import solve_matrix
from ludens.search.mcts import MctsSearcher
from ludens.search.solve import solve
from ludens.search.solve.solver import WAITING
from tests.child import run_child
from tests.search.alphabeta.boards import layered_tree, nim_sheet
from tests.search.alphabeta.test_evaluators import Whim
from tests.search.alphabeta.test_limits import JUST_STEPS
from tests.search.alphabeta.test_trees import kind_of
from tests.search.game_trees import GameTree
from tests.search.solve.test_solve_games import PENNIES
from tests.search.solve.variants import nim

CHILD = """
import json
import numba
from tests.search.test_plain_python import answers
print(json.dumps([bool(numba.config.DISABLE_JIT), answers()]))
"""


def answers() -> dict[str, list[str]]:
    return {"matrix": matrices(), "mcts": trees(), "alpha-beta": alpha_betas(), "solve": solutions()}


def matrices() -> list[str]:
    rng, found = np.random.default_rng(1), []
    for size in range(1, 9):
        for payoffs in (rng.random((size, 9 - size)), rng.integers(0, 2, (size, size)).astype(float)):
            value, rows, columns = solve_matrix(payoffs)
            found.append(repr((value.hex(), [x.hex() for x in rows.tolist()], [y.hex() for y in columns.tolist()])))
    return found


def compiled(sheet: str) -> Game:
    game = load(sheet)
    assert game.compile()
    return game


def decided(searcher: BaseSearcher, game: Game, limit: Limit) -> str:
    found = searcher.search(game.initial_state(), limit, Random(1))
    return repr((found.proven, found.nodes, found.depth, dict(found.values), found.pv, found.candidates))


def trees() -> list[str]:
    """In turns, at the same time, by chance, alone, with little memory, with either kind of priors."""
    plans: list[tuple[str, dict[str, Any]]] = [
        ("tictactoe", {}),
        ("rockpaperscissors", {}),
        ("rockpaperscissors", {"simultaneous": "regret"}),
        ("dicerace", {}),
        ("lightsout", {"memory": 1}),
        *(
            (name, {"priors": priors, "memory": 1})
            for name in ("tictactoe", "rockpaperscissors", "lightsout")
            for priors in ("mast", "rave")
        ),
    ]
    games = {name: compiled(name) for name, _ in plans}
    searchers = [MctsSearcher(games[name], games[name].roles[0], expand_at=1, **options) for name, options in plans]
    return [decided(searcher, searcher.game, Limit.of(nodes=100)) for searcher in searchers]


def alpha_betas() -> list[str]:
    """Nim, chance, three players, mixed strategies, an evaluator with reductions, a step counter."""
    two, three = ["ann", "bob"], ["ann", "bob", "cid"]
    layered: list[tuple[GameTree, AlphaBetaOptions | None]] = [
        (layered_tree([*two, "random"], (2, 1, 1), (1, 1, 2), (2, 2, 1)), None),
        (layered_tree(three, (2, 1, 1), (1, 2, 1), (1, 1, 3)), AlphaBetaOptions(mode="maxn")),
        (layered_tree(two, (2, 2), (2, 2)), AlphaBetaOptions(simultaneous="equilibrium")),
    ]
    found = [whole(compiled(nim_sheet(1, 2, 2)))]
    for tree, options in layered:
        game = compiled(tree.gdl)
        searcher = AlphaBetaSearcher(game, game.roles[0], None, options, kind_of(tree))
        found.append(decided(searcher, game, Limit.of(nodes=10_000)))
    reduced = layered_tree(two, (2, 1), (1, 2), (2, 1), (1, 2))
    game = compiled(reduced.gdl)
    evaluated = AlphaBetaSearcher(
        game, "ann", Whim(game), AlphaBetaOptions(mode="paranoid", reductions=True), kind_of(reduced)
    )
    return [*found, decided(evaluated, game, Limit.of(depth=3)), whole(compiled(JUST_STEPS), Limit.of(depth=5))]


def whole(game: Game, limit: Limit | None = None) -> str:
    return decided(AlphaBetaSearcher(game, game.roles[0]), game, limit or Limit.of(nodes=10_000))


def solutions() -> list[str]:
    pennies = [PENNIES.format(90, 10, 20, 80, 30, 70, 60, last) for last in (40, 41)]
    solved = [solve(load(text).initial_state()) for text in (nim(1, 2, 1), WAITING, *pennies)]
    return [repr((each.outcome, each.states, each.values, each.distance, each.pv, each.moves)) for each in solved]


@pytest.mark.full
def test_kernels_give_the_same_without_compilation() -> None:
    is_plain, found = json.loads(run_child(CHILD, jit=False))
    assert is_plain
    expected = answers()
    assert [len(found[search]) for search in expected] == [16, 11, 6, 4]
    for search, answer in expected.items():
        assert found[search] == answer, search
    assert [answer.startswith("(True") for answer in expected["alpha-beta"]] == [True] * 4 + [False] * 2
