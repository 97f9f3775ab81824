"""Moves that are shared out among workers: what they find together, and what they do without one of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens import load
from ludens.cluster.choice import MAX_SHARE, MIN_SHARING, Certainty, Records, assign, latest
from ludens.cluster.orders import MatchOrder, Share, Suggestion, Task, TurnOrder
from ludens.cluster.pool import SerialPool
from ludens.cluster.root_split import RootSplit, splittable_moves
from ludens.cluster.worker import SearchWorker, make_searcher
from ludens.core import Candidate, Limit, Move
from ludens.game import Game, State
from ludens.gdl.rules import Rules
from tests.cluster.small import game, match, near_the_end, searcher_of

BEST = 100.0
DEAD_END = """
(role white) (role black) (init (at start))
(<= (legal white left) (true (at start))) (<= (legal white right) (true (at start)))
(<= (legal white noop) (true (at good))) (<= (legal black noop) (not (true (at end))))
(<= (next (at bad)) (does white left)) (<= (next (at good)) (does white right))
(<= (next (at end)) (true (at good)))
(<= terminal (true (at end)))
(<= (goal white 100) (true (at end))) (<= (goal white 0) (not (true (at end))))
(<= (goal black 0) (true (at end))) (<= (goal black 100) (not (true (at end))))
"""


def shared(
    state: State, count: int, heuristic: int | None = 0, nodes: int | None = None, depth: int | None = None
) -> list[list[Suggestion]]:
    """What each of so many workers suggests."""
    found = []
    for place in range(count):
        worker = SearchWorker(game())
        worker.begin(match())
        task = Task(heuristic, 5, Share(place, count))
        found.append(list(worker.search(TurnOrder(state.facts, task, math.inf, nodes, depth))))
    return found


def depth_alone(state: State, nodes: int) -> int:
    """How deep one worker looks at all moves."""
    worker = SearchWorker(game())
    worker.begin(match())
    return list(worker.search(TurnOrder(state.facts, Task(0, 5), math.inf, nodes)))[-1].depth


def said(place: int, depth: int, values: dict[str, float], proven: Sequence[str] = (), count: int = 2) -> Suggestion:
    candidates = sorted((Candidate(Move(m, m), v, 1, m in proven) for m, v in values.items()), key=lambda c: -c.value)
    known = len(proven) == len(values)
    task, best = Task(0, place, Share(place, count)), candidates[0]
    return Suggestion(1, task, best.move, best.value, depth, known, 10, ({}, {}), tuple(candidates))


def test_shares_are_all_moves_and_none_twice() -> None:
    moves = game().initial_state().legal_moves("white")
    for count in (1, 2, 5, len(moves)):
        parts = [Share(place, count).of(moves) for place in range(count)]
        assert Counter(move for part in parts for move in part) == Counter(moves)


@pytest.mark.parametrize("count", [2, 5])
def test_together_they_value_moves_as_one_who_looks_as_deep(count: int) -> None:
    """Alpha-beta tells what the best move is worth, so the whole search is asked once for each state after a move."""
    state, depth = game().initial_state(), 4
    together = RootSplit(BEST).take(one for part in shared(state, count, depth=depth) for one in part)[-1]
    whole = make_searcher(game(), match(), 0).search(state, Limit.of(depth=depth), Random(1))
    assert together.task == Task(0, 5)
    assert together.depth == depth
    assert together.value == pytest.approx(whole.values[game().roles[0]])
    assert {candidate.move for candidate in together.candidates} == set(state.legal_moves("white"))
    assert together.move == together.pv[0][game().roles[0]]
    for joint in together.pv:
        state = state.next(joint)


def test_each_looks_deeper_at_its_share_than_at_all() -> None:
    state, nodes = game().initial_state(), 600
    parts = shared(state, splittable_moves(state, "white"), nodes=nodes)
    together = RootSplit(BEST).take(one for part in parts for one in part)[-1]
    assert together.depth > depth_alone(state, nodes)
    assert all(one.nodes <= nodes for part in parts for one in part)


def test_a_win_in_one_share_is_certain_whatever_the_others_say() -> None:
    state = near_the_end()
    winning = [part for part in shared(state, 4, heuristic=None, depth=2) if part and part[-1].value == BEST]
    assert 0 < len(winning) < 4
    for part in winning:
        (found,) = RootSplit(BEST).take(part)
        assert found.proven
        assert str(found.move).startswith("(move 1 7 ")


def test_nothing_is_said_of_a_depth_until_all_have_come_so_far() -> None:
    searches = RootSplit(BEST)
    assert searches.take([said(0, 2, {"a": 40.0, "b": 30.0}), said(0, 3, {"a": 10.0, "b": 60.0})]) == []
    (second,) = searches.take([said(1, 2, {"c": 35.0})])
    assert (str(second.move), second.value, second.depth, second.nodes) == ("a", 40.0, 2, 20)
    (third,) = searches.take([said(1, 3, {"c": 70.0})])
    assert (str(third.move), third.value, third.depth) == ("c", 70.0, 3)
    assert [str(one.move) for one in third.candidates] == ["c", "b", "a"]


def test_who_knows_all_of_its_share_need_not_look_deeper() -> None:
    searches = RootSplit(BEST)
    searches.take([said(0, 2, {"a": 0.0}, ["a"])])
    (found,) = searches.take([said(1, 5, {"b": 20.0, "c": 10.0})])
    assert (str(found.move), found.depth, found.proven) == ("b", 5, False)
    (lost,) = searches.take([said(1, 6, {"b": 0.0, "c": 0.0}, ["b", "c"])])
    assert (lost.value, lost.proven) == (0.0, True)


@given(st.permutations(range(6)))
def test_what_they_come_to_does_not_depend_on_who_speaks_first(order: list[int]) -> None:
    first = [said(0, 2, {"a": 40.0}), said(0, 3, {"a": 60.0}), said(0, 4, {"a": 0.0}, ["a"])]
    second = [said(1, 2, {"b": 20.0}), said(1, 3, {"b": 30.0}), said(1, 4, {"b": 25.0})]
    spoken = [[*first, *second][number] for number in order]
    kept = latest({}, RootSplit(BEST).take(spoken), Certainty(match().kind, 0))
    (whole,) = kept.values()
    assert (str(whole.move), whole.value, whole.depth, whole.proven) == ("b", 25.0, 4, False)


def test_who_knows_all_at_last_tells_of_a_loss_that_was_not_seen_before() -> None:
    searches = RootSplit(BEST)
    searches.take([said(0, 2, {"a": 40.0}), said(0, 3, {"a": 60.0}), said(0, 7, {"a": 0.0}, ["a"])])
    last = searches.take([said(1, 2, {"b": 20.0}), said(1, 3, {"b": 20.0}, ["b"])])[-1]
    assert (str(last.move), last.value, last.proven) == ("b", 20.0, True)


def test_a_worker_in_the_place_of_a_lost_one_takes_nothing_back() -> None:
    searches = RootSplit(BEST)
    said_before = [said(place, depth, {str(place): depth + place}) for depth in (2, 3) for place in (0, 1)]
    assert searches.take(said_before)[-1].depth == 3
    assert searches.take([said(0, 2, {"0": 2.0})]) == []
    alone = Suggestion(1, Task(0, 1), Move("a", "a"), 50.0, 5, False, 10)
    anew = replace(alone, depth=1)
    assert latest({alone.task: alone}, [anew], Certainty(match().kind, 0)) == {alone.task: alone}


def test_a_dead_end_leaves_a_share_without_a_word() -> None:
    """Rules by which somebody has no move in a state that is not the end are faulty, but no reason to fail."""
    broken = Game(Rules.parse(DEAD_END))
    order = MatchOrder(broken.rules, "white", match().kind, ())
    worker = SearchWorker(broken)
    worker.begin(order)
    facts = broken.initial_state().facts
    parts = [list(worker.search(TurnOrder(facts, Task(None, 1, Share(n, 2)), math.inf, 100))) for n in (0, 1)]
    assert sorted(len(part) > 0 for part in parts) == [False, True]
    whole = list(worker.search(TurnOrder(facts, Task(None, 1), math.inf, 100)))
    assert str(whole[-1].move) == "right"


def test_other_suggestions_pass_as_they_are() -> None:
    other = Suggestion(1, Task(0, 1), Move("a", "a"), 50.0, 3, False, 10)
    assert RootSplit(BEST).take([other]) == [other]


def test_only_moves_of_one_who_alone_has_a_choice_are_shared() -> None:
    assert splittable_moves(game().initial_state(), "white") == 22
    assert splittable_moves(game().initial_state(), "black") == 0
    both = load("racetrackcorridor").initial_state()
    assert splittable_moves(both, "white") == 0
    rolling = load("pig").initial_state()
    assert splittable_moves(rolling, "red") == 0


@given(st.integers(1, 250), st.lists(st.floats(-1, 1), max_size=30), st.integers(0, 60), st.integers(0, 100))
def test_whatever_is_shared_is_shared_completely(workers: int, priors: list[float], moves: int, turn: int) -> None:
    tasks = assign(workers, Records(priors), turn, Random(turn), moves)
    assert len(tasks) == workers
    assert len(set(tasks)) == workers
    whole = {task.heuristic for task in tasks if task.share is None}
    for idea in {task.heuristic for task in tasks if task.share}:
        shares = [task.share for task in tasks if task.heuristic == idea and task.share]
        assert {share.count for share in shares} == {len(shares)}
        assert sorted(share.place for share in shares) == list(range(len(shares)))
        assert 1 < len(shares) <= moves <= MAX_SHARE * workers
        assert idea in whole, "who is lost must not take all with him"
    if moves < 2 or workers <= MIN_SHARING:
        assert not any(task.share for task in tasks)


@pytest.mark.parametrize("workers", [4, 5])
def test_who_are_too_few_to_share_try_as_many_heuristics_as_they_can(workers: int) -> None:
    tasks = assign(workers, Records((0.5, 0.5, 0.5, 0.5, 0.5)), 0, Random(0), 20)
    assert len({task.heuristic for task in tasks}) == workers
    assert not any(task.share for task in tasks)


def test_a_pool_that_shares_moves_looks_deeper() -> None:
    pool = SerialPool(40, game())
    pool.begin(match())
    searcher, state = searcher_of(pool, 0.5), game().initial_state()
    decision = searcher.search(state, Limit.of(nodes=40 * 600), Random(1))
    assert max(suggestion.depth for suggestion in searcher.suggestions.values()) > depth_alone(state, 600)
    assert decision.pv[0][game().roles[0]] == decision.move
    certain = searcher.search(near_the_end(), Limit.of(nodes=40 * 300), Random(1))
    assert certain.proven
    assert str(certain.move).startswith("(move 1 7 ")
