"""Workers elsewhere: they join, are killed and frozen, and whoever waits for a move does not notice."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from random import Random

import pytest

from ludens.cluster import remote_pool, worker_slot
from ludens.cluster.orders import MatchOrder, Suggestion
from ludens.cluster.remote_pool import LocalPool, RemotePool
from ludens.core import Limit
from ludens.gdl.rules import Rules
from ludens.runtime.deadline import Deadline
from tests.cluster.conftest import PATIENCE, ready
from tests.cluster.small import game, match, near_the_end, orders, searcher_of
from tests.tiers import FULL


def collected(pool: RemotePool, wanted: int) -> list[Suggestion]:
    """So many suggestions, or as many as there are."""
    found: list[Suggestion] = []
    until = Deadline(PATIENCE)
    while len(found) < wanted and not until.passed:
        found += pool.suggestions(1.0)
    return found


def wait_for_replacement(pool: RemotePool, pid: int) -> None:
    until = Deadline(PATIENCE)
    while pid in pool.pids and not until.passed:
        pool.suggestions(0.1)
        pool.wait(Deadline(0.1))


def test_workers_suggest_moves_of_which_one_is_chosen(pool: RemotePool) -> None:
    pool.search(orders(pool.size, seconds=PATIENCE))
    assert pool.busy == pool.size
    found = collected(pool, 6)
    assert {suggestion.task for suggestion in found} <= {order.task for order in orders(pool.size)}
    decision = searcher_of(pool).search(near_the_end(), Limit.of(seconds=PATIENCE), Random(1))
    assert decision.proven
    assert str(decision.move).startswith("(move 1 7 ")
    assert decision.candidates[0].move == decision.move
    assert set(decision.values.values()) == {0.0, 100.0}
    assert len(set(pool.pids)) == pool.size


def test_processes_are_gone_in_the_end() -> None:
    pool = LocalPool(2)
    pids = pool.pids
    pool.close()
    assert pool.pids == []
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_who_is_not_ready_gets_the_order_later(pool: RemotePool) -> None:
    pool.begin(match())
    pool.search(orders(pool.size, seconds=PATIENCE))
    assert pool.busy == 0
    assert collected(pool, 1)


def test_what_was_suggested_in_another_match_is_not_taken(local_pool: RemotePool) -> None:
    for state in (game().initial_state(), near_the_end(), game().initial_state()):
        ready(local_pool)
        local_pool.search(orders(2, state, seconds=PATIENCE))
        assert all(suggestion.move in state.legal_moves("white") for suggestion in collected(local_pool, 2))


@pytest.mark.parametrize("harm", [signal.SIGKILL, pytest.param(signal.SIGSTOP, marks=FULL)])
def test_a_worker_that_is_lost_is_replaced(
    pool: RemotePool, harm: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_slot, "SILENT_SECONDS", 2.0)
    pids = pool.pids
    pool.search(orders(pool.size, seconds=PATIENCE))
    assert collected(pool, 2)
    os.kill(pids[0], harm)
    wait_for_replacement(pool, pids[0])
    pool.stop()
    assert pool.wait(Deadline(PATIENCE))
    assert pids[0] not in pool.pids
    assert len(pool.pids) == pool.size
    assert pool.failures
    until = Deadline(PATIENCE)
    while is_there(pids[0]) and not until.passed:
        time.sleep(0.1)
    assert not is_there(pids[0])


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.full
def test_a_worker_that_freezes_before_it_is_ready_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(LocalPool(1)) as pool:
        (pid,) = pool.pids
        os.kill(pid, signal.SIGSTOP)
        with monkeypatch.context() as patch:
            patch.setattr(worker_slot, "FIRST_SIGN_SECONDS", 0.2)
            pool.begin(match())
            wait_for_replacement(pool, pid)
        assert pool.wait(Deadline(PATIENCE))
        assert pid not in pool.pids


@pytest.mark.full
def test_a_worker_frozen_in_a_turn_without_a_clock_does_not_hold_it_up(
    local_pool: RemotePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_slot, "SILENT_SECONDS", 1.0)
    os.kill(local_pool.pids[0], signal.SIGSTOP)
    decision = searcher_of(local_pool).search(game().initial_state(), Limit.of(nodes=200), Random(1))
    assert decision.move in game().initial_state().legal_moves("white")


def test_without_workers_the_standby_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_pool, "MODULE", "ludens.no_such_module")
    with closing(LocalPool(2)) as pool:
        pool.begin(match())
        searcher = searcher_of(pool)
        for _ in range(3):
            decision = searcher.search(near_the_end(), Limit.of(seconds=1.0), Random(1))
            assert str(decision.move).startswith("(move 1 7 ")
        wait_for_failure(pool)
        (failure,) = pool.failures
        assert failure.startswith("the process of a worker ended with exit code 1: ")
        assert "no_such_module" in failure


def test_all_workers_frozen_in_the_middle_of_a_turn(pool: RemotePool) -> None:
    searcher, pids = searcher_of(pool), pool.pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        decision = searcher.search(near_the_end(), Limit.of(seconds=0.5), Random(1))
        assert str(decision.move).startswith("(move 1 7 ")
    finally:
        for pid in pids:
            with suppress(ProcessLookupError):  # it was replaced
                os.kill(pid, signal.SIGCONT)


@pytest.mark.full
def test_workers_that_share_moves_out_may_be_lost() -> None:
    """Whoever is frozen or killed takes its share along, and nothing else: others look at all moves."""
    with closing(LocalPool(6)) as pool:
        pool.begin(match())
        assert pool.wait(Deadline(PATIENCE))
        searcher, state = searcher_of(pool, 0.5), game().initial_state()
        searcher.search(state, Limit.of(nodes=6 * 3000), Random(1))
        moves = len(state.legal_moves("white"))
        shared = [one for one in searcher.suggestions.values() if len(one.candidates) == moves]
        assert shared, "nobody has put the shares together"
        os.kill(pool.pids[-1], signal.SIGSTOP)
        os.kill(pool.pids[-2], signal.SIGKILL)
        begun = time.monotonic()
        decision = searcher.search(state, Limit.of(seconds=1.0), Random(1))
        assert time.monotonic() - begun < PATIENCE
        assert decision.move in state.legal_moves("white")
        assert decision.depth > 1


def unplayable() -> MatchOrder:
    return MatchOrder(Rules.parse("(role white)"), "white", match().kind, ())


def mistaken() -> MatchOrder:
    """With a heuristic that nobody can compute."""
    first = match().heuristics[0]
    broken = replace(first, feature=replace(first.feature, parts=((1.0,),)))
    return replace(match(), heuristics=(broken,))


def greedy() -> MatchOrder:
    """With a transposition table for which there is no memory."""
    return replace(match(), options=replace(match().options, table_bytes=2**40))


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        (unplayable, "goal"),
        pytest.param(mistaken, "ValueError", marks=FULL),
        pytest.param(greedy, "MemoryError", marks=FULL),
    ],
)
def test_what_a_worker_cannot_do_is_told(order: Callable[[], MatchOrder], reason: str) -> None:
    with closing(LocalPool(1)) as pool:
        pool.begin(order())
        wait_for_failure(pool)
        assert reason in pool.failures[0]
        assert not pool.ready


def test_who_could_not_do_an_earlier_match_is_of_use_for_the_next(local_pool: RemotePool) -> None:
    pids, failures = local_pool.pids, local_pool.failures
    local_pool.begin(unplayable())
    ready(local_pool)
    assert local_pool.pids == pids
    assert local_pool.failures == failures


def test_workers_that_never_get_ready_are_not_waited_for_without_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_pool, "MODULE", "ludens.no_such_module")
    monkeypatch.setattr(remote_pool, "ENDLESS_SECONDS", 0.1)
    with closing(LocalPool(1)) as pool:
        pool.begin(match())
        assert not pool.wait(Deadline.never())


def wait_for_failure(pool: RemotePool) -> None:
    until = Deadline(PATIENCE)
    while not pool.failures and not until.passed:
        pool.wait(Deadline(0.1))
