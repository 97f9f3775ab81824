"""What Monte Carlo tree search proves in small random games is what exact enumeration says."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

import ludens
from ludens.core import Decision, Limit, Role
from ludens.search.mcts import MctsSearcher
from tests.search.game_trees import GameTree, game_trees
from tests.search.oracles import equilibrium, maxn, value
from tests.tiers import examples

FEW = examples(15)


def search(tree: GameTree, role: int, *, compiled: bool = True, nodes: int = 4000) -> Decision:
    game = ludens.load(tree.gdl)
    assert not compiled or game.compile()
    searcher = MctsSearcher(game, tree.roles[role], threads=1, expand_at=1, portion=1)
    return searcher.search(game.initial_state(), Limit.of(nodes=nodes), Random(1))


@FEW
@given(game_trees(order="turns", faults=True))
def test_moves_in_turn_are_solved_as_by_max_n(tree: GameTree) -> None:
    decision = search(tree, 0)
    assert decision.proven
    values = tuple(decision.values[Role(role)] for role in tree.roles)
    assert any(values == pytest.approx(tuple(map(float, goals)), abs=1e-6) for goals in maxn(tree))


@FEW
@given(game_trees(order="turns", chance=True))
def test_chance_is_expectation(tree: GameTree) -> None:
    decision = search(tree, tree.players[0], nodes=200_000)
    assert decision.proven
    expected = [[float(goals[role]) for role in tree.players] for goals in maxn(tree)]
    values = [decision.values[Role(tree.roles[role])] for role in tree.players]
    assert any(values == pytest.approx(goals, abs=1e-6) for goals in expected)


@FEW
@given(game_trees(players=2, payoffs="constant"))
def test_what_is_proven_with_simultaneous_moves_is_the_equilibrium(tree: GameTree) -> None:
    decision = search(tree, 0, nodes=1000)
    if decision.proven:
        exact = value(tree, [0], equilibrium)
        assert decision.values[Role(tree.roles[0])] == pytest.approx(float(exact), abs=1e-6)


@FEW
@given(game_trees(players=1, faults=True))
def test_the_other_engine_finds_the_same(tree: GameTree) -> None:
    decision = search(tree, 0, compiled=False, nodes=600)
    assert decision.proven
    assert decision.values[Role(tree.roles[0])] == pytest.approx(float(value(tree, [0])), abs=1e-6)
