"""What searches and random play find, against expectation by the paper's probabilities."""

from __future__ import annotations

from random import Random

import pytest

from ludens import load
from ludens.core import Limit, Role
from ludens.game import Game
from ludens.search.alphabeta import AlphaBetaSearcher
from ludens.search.flat import FlatSearcher
from ludens.search.mcts import MctsSearcher
from ludens.search.solve import solve
from tests.chance.paper import paper_game
from tests.chance.sheets import SHEETS
from tests.tiers import FULL

VALUED = ["inference", "loaded", "cards", "added", "urn"]


def game_of(name: str, compiled: bool) -> Game:
    game = load(SHEETS[name])
    assert not compiled or game.compile()
    return game


def test_the_papers_own_figure() -> None:
    """Two independent rules of 10 % and 75 %."""
    paper = paper_game(SHEETS["inference"])
    assert paper.value(paper.start) == 100 * 0.775
    assert solve(load(SHEETS["inference"]).initial_state()).values == {Role("expert"): pytest.approx(77.5)}


@pytest.mark.parametrize("name", VALUED)
@pytest.mark.parametrize("compiled", [False, True])
def test_exact_values(name: str, compiled: bool) -> None:
    game, paper = game_of(name, compiled), paper_game(SHEETS[name])
    state = game.initial_state()
    solution = solve(state)
    for index, role in enumerate(game.player_roles):
        expected = pytest.approx(float(paper.value(paper.start, index)), abs=1e-6)
        assert solution.values[role] == expected
        decision = AlphaBetaSearcher(game, role).search(state, Limit.of(nodes=100_000), Random(1))
        assert decision.values[role] == expected
        assert decision.proven


@pytest.mark.parametrize("name", VALUED)
@pytest.mark.parametrize("compiled", [pytest.param(False, marks=FULL), True])
def test_tree_search_comes_close(name: str, compiled: bool) -> None:
    game, paper = game_of(name, compiled), paper_game(SHEETS[name])
    role = game.player_roles[0]
    limit = Limit.of(nodes=200_000 if compiled else 2_000)
    decision = MctsSearcher(game, role).search(game.initial_state(), limit, Random(1))
    expected = float(paper.value(paper.start))
    assert decision.values[role] == pytest.approx(expected, abs=1.5 if compiled else 20)


@pytest.mark.parametrize("name", VALUED)
@pytest.mark.parametrize("compiled", [pytest.param(False, marks=FULL), True])
def test_random_games_give_the_mean(name: str, compiled: bool) -> None:
    """The mean of so many games is off by more than 4 of its standard deviations, 50 / sqrt(games) at most, never."""
    game, paper = game_of(name, compiled), paper_game(SHEETS[name])
    games = 10_000 if compiled else 1_000
    engine = game.engine
    mean = engine.playouts(engine.initial(games), Random(2)).goals[:, 0].mean()
    assert mean == pytest.approx(float(paper.random_value(paper.start)), abs=4 * 50 / games**0.5)


@pytest.mark.parametrize("name", VALUED)
def test_flat_search_gives_the_mean_of_each_move(name: str) -> None:
    game, paper = game_of(name, compiled=True), paper_game(SHEETS[name])
    role = game.player_roles[0]
    decision = FlatSearcher(game, role).search(game.initial_state(), Limit.of(nodes=20_000), Random(3))
    for candidate in decision.candidates:
        joints = [joint for joint in paper.joints(paper.start) if joint[0] == candidate.move.term]
        (after,) = (paper.after(paper.start, joint) for joint in joints)
        expected = sum(chance * paper.random_value(state) for state, chance in after.items())
        assert candidate.value == pytest.approx(float(expected), abs=4 * 50 / candidate.visits**0.5)
