"""What a worker suggests, and when it ends."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from threading import Event, Thread

import pytest

from ludens import load
from ludens.analysis.kind import game_kind
from ludens.cluster.orders import MatchOrder
from ludens.cluster.pool import SerialPool
from ludens.cluster.searcher import PooledSearcher
from ludens.cluster.worker import SearchWorker, make_searcher
from ludens.core import Limit
from ludens.errors import GameOverError, PlayError
from ludens.players.kuhlmann import find_ideas
from ludens.runtime.deadline import Deadline
from tests.cluster.small import game, match, near_the_end, orders, searcher_of


def begun() -> SearchWorker:
    worker = SearchWorker(game())
    worker.begin(match())
    return worker


def test_suggestions_come_from_deeper_and_deeper_searches() -> None:
    order = orders(2, nodes=3000)[1]
    found = list(begun().search(order))
    assert [suggestion.depth for suggestion in found][:3] == [1, 2, 3]
    assert all(before.depth <= after.depth and before.nodes < after.nodes for before, after in pairwise(found))
    assert found[-1].depth == found[-2].depth  # the last one was broken off
    assert all(suggestion.move in game().initial_state().legal_moves("white") for suggestion in found)
    for suggestion in found:
        state = game().initial_state()
        for joint in suggestion.pv:
            state = state.next(joint)
        assert suggestion.pv[0]["white"] == suggestion.move  # type: ignore[index]


def test_the_same_order_gets_the_same_answer() -> None:
    order = orders(2, nodes=500)[1]
    assert list(begun().search(order)) == list(begun().search(order))


def test_what_is_certain_ends_the_search() -> None:
    for order in orders(3, near_the_end()):
        last = list(begun().search(order))[-1]
        assert last.proven
        assert last.value == 100
        assert str(last.move).startswith("(move 1 7 ")


def test_a_search_can_be_stopped() -> None:
    worker = begun()
    order = orders(2, seconds=1000.0)[1]
    suggestions = worker.search(order)
    next(suggestions)
    worker.stop()
    assert len(list(suggestions)) <= 1


def test_a_worker_without_a_match_says_so() -> None:
    with pytest.raises(PlayError, match="has no match"):
        next(SearchWorker().search(orders(1)[0]))


def test_a_decision_is_made_within_the_limits() -> None:
    pool = SerialPool(4, game())
    pool.begin(match())
    searcher = searcher_of(pool)
    by_depth = searcher.search(game().initial_state(), Limit.of(depth=2), Random(1))
    assert by_depth.depth == 2
    assert len(searcher.suggestions) == 4
    by_nodes = searcher.search(game().initial_state(), Limit.of(nodes=400), Random(1))
    assert by_nodes.nodes <= 2 * 400
    with pytest.raises(GameOverError):
        searcher.search(
            game().state(["(cell 1 8 white)", "(cell 2 2 black)", "(control black)"]), Limit.of(depth=2), Random(1)
        )


def test_a_search_of_one_worker_after_the_other_can_be_stopped() -> None:
    pool = SerialPool(4, game())
    pool.begin(match())
    searcher = searcher_of(pool)
    done = Event()

    def search() -> None:
        searcher.search(game().initial_state(), Limit.of(nodes=10**9), Random(1))
        done.set()

    Thread(target=search, daemon=True).start()
    while not done.wait(0.05):
        searcher.stop()


def test_suggestions_that_are_looked_at_do_not_change() -> None:
    pool = SerialPool(2, game())
    pool.begin(match())
    searcher = searcher_of(pool)
    searcher.search(game().initial_state(), Limit.of(nodes=50), Random(1))
    seen = searcher.suggestions
    before = dict(seen)
    searcher.search(near_the_end(), Limit.of(nodes=50), Random(1))
    assert seen == before


def test_only_what_is_asked_for_is_learnt() -> None:
    pool = SerialPool(2, game())
    pool.begin(match())
    searcher = searcher_of(pool, 0.1)
    searcher.search(near_the_end(), Limit.of(depth=3), Random(1))
    records = [searcher.records.of(heuristic) for heuristic in range(4)]
    assert records == [0.55] * 4


def test_the_team_expects_the_same_and_chance_nothing() -> None:
    keys = load("twokeys")
    keys.compile()
    ideas = find_ideas(keys, Deadline.never(), Random(1))
    order = MatchOrder(keys.rules, keys.roles[0], ideas.kind, ideas.heuristics)
    pool = SerialPool(2, keys)
    pool.begin(order)
    standby = make_searcher(keys, order, None)
    searcher = PooledSearcher(keys, order, pool, standby, (0.1,) * len(ideas.heuristics))
    values = searcher.search(keys.initial_state(), Limit.of(nodes=200), Random(1)).values
    assert len(set(values.values())) == 1
    pig = load("pig")
    kind = game_kind(pig, Random(1))
    order = MatchOrder(pig.rules, pig.player_roles[0], kind, ())
    pool = SerialPool(1, pig)
    pool.begin(order)
    found = PooledSearcher(pig, order, pool, make_searcher(pig, order, None), ())
    assert set(found.search(pig.initial_state(), Limit.of(nodes=20), Random(1)).values) == set(pig.player_roles)


def test_one_worker_after_the_other() -> None:
    pool = SerialPool(3, game())
    pool.begin(match())
    pool.search(orders(3, nodes=100))
    tasks = []
    while pool.busy:
        tasks += [suggestion.task for suggestion in pool.suggestions(0)]
    assert list(dict.fromkeys(tasks)) == [order.task for order in orders(3)]
    assert pool.suggestions(0) == []
