"""Monte Carlo trees of several workers, added up."""

from __future__ import annotations

from random import Random

import pytest

from ludens.cluster.orders import Suggestion, Task, TreeOrder
from ludens.cluster.remote_pool import LocalPool, RemotePool
from ludens.cluster.trees import PooledTrees, merge_trees
from ludens.cluster.worker import SearchWorker
from ludens.core import Candidate, Clocks, Decision, Limit, Move, Role
from ludens.players.pooled import ClusterUct
from ludens.runtime.deadline import Deadline
from ludens.search.mcts import MctsSearcher
from tests.cluster.conftest import ready
from tests.cluster.small import game, near_the_end, orders

WHITE = Role("white")
A, B = Move("a", "a"), Move("b", "b")


def tree_order() -> TreeOrder:
    return TreeOrder(game().rules, "white")


def told(*candidates: Candidate, proven: bool = False) -> Suggestion:
    return Suggestion(1, Task(None, len(candidates)), candidates[0].move, 50.0, 3, proven, 10, (), candidates)


def decided(*candidates: Candidate, proven: bool = False) -> Decision:
    return Decision(candidates[0].move, {WHITE: candidates[0].value}, (), candidates, proven, nodes=5, depth=2)


def test_visits_are_added_and_values_weighted() -> None:
    own = decided(Candidate(A, 60.0, 30), Candidate(B, 50.0, 10))
    found = merge_trees(own, WHITE, [told(Candidate(B, 80.0, 30), Candidate(A, 20.0, 5))])
    assert found.candidates == (Candidate(B, 72.5, 40), Candidate(A, (60 * 30 + 20 * 5) / 35, 35))
    assert (found.move, found.values[WHITE], found.nodes, found.depth) == (B, 72.5, 15, 3)


def test_what_is_certain_counts_more() -> None:
    own = decided(Candidate(A, 60.0, 30), Candidate(B, 50.0, 10))
    assert merge_trees(own, WHITE, [told(Candidate(B, 100.0, 1, True))]).move == B
    assert merge_trees(own, WHITE, [told(Candidate(B, 70.0, 1), Candidate(A, 0.0, 99, True))]).move == B
    assert merge_trees(own, WHITE, [told(Candidate(B, 1.0, 1), proven=True)]).proven
    sure = decided(Candidate(A, 100.0, 3, True), proven=True)
    assert merge_trees(sure, WHITE, [told(Candidate(B, 99.0, 1000))]).move == A
    assert merge_trees(own, WHITE, []) == own


def test_a_worker_grows_a_tree_slice_by_slice() -> None:
    worker = SearchWorker(game())
    worker.begin(tree_order())
    (order,) = orders(1, seconds=0.5)
    visits = [sum(one.visits for one in suggestion.candidates) for suggestion in worker.search(order)]
    assert len(visits) > 1
    assert visits == sorted(visits)
    (order,) = orders(1, nodes=300)
    (suggestion,) = worker.search(order)
    assert {one.move for one in suggestion.candidates} == set(game().initial_state().legal_moves("white"))


def test_workers_and_the_own_tree_find_the_winning_move(pool: RemotePool) -> None:
    ready(pool, tree_order())
    own = MctsSearcher(game(), "white")
    searcher = PooledTrees(game(), "white", pool, own)
    alone = own.search(game().initial_state(), Limit.of(seconds=0.4), Random(1))
    together = searcher.search(game().initial_state(), Limit.of(seconds=0.4), Random(1))
    assert together.nodes > 0
    assert {one.move for one in together.candidates} == {one.move for one in alone.candidates}
    found = searcher.search(near_the_end(), Limit.of(seconds=0.4), Random(1))
    assert str(found.move).startswith("(move 1 7 ")


@pytest.mark.full
def test_a_player_with_a_pool_of_trees() -> None:
    player = ClusterUct(Random(1), lambda loaded: LocalPool(1))
    player.start(game(), "white", Clocks(60.0, 0.5), Deadline(60.0))
    assert isinstance(player._searcher, PooledTrees)
    assert player.move(Deadline(0.5)).move in game().initial_state().legal_moves("white")
    player.stop()
