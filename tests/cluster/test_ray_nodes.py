"""A cluster of several computers, played by three Ray nodes on this one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from random import Random

import pytest

from ludens.cluster import gateway, worker_slot
from ludens.cluster.gateway import RayPool
from ludens.core import Limit
from ludens.runtime.deadline import Deadline
from tests.cluster.conftest import PATIENCE, Computers
from tests.cluster.small import game, orders, searcher_of


def wait_for_others(pool: RayPool, before: list[int]) -> None:
    """Until some workers are others than before, and all are ready."""
    until = Deadline(PATIENCE)
    while (not pool.pids or set(pool.pids) <= set(before)) and not until.passed:
        pool.wait(Deadline(0.1))
    assert pool.wait(Deadline(PATIENCE))


def test_what_workers_do_is_seen_from_elsewhere(ray_pool: RayPool, three_nodes: Computers) -> None:
    ray_pool.search(orders(3, seconds=PATIENCE))
    assert ray_pool.suggestions(PATIENCE)
    command = [sys.executable, "-m", "ludens", "workers", "list", "--json", "--address", three_nodes.address]
    told = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE)
    seen = json.loads(told.stdout)["workers"]
    assert {one["pid"] for one in seen} <= set(ray_pool.pids)
    assert "search for the end" in {one["idea"] for one in seen if one["searching"] and one["role"] == "white"}


def node_with_worker(cluster: Computers, pids: list[int]) -> int:
    """The process of a node other than the first one that runs some of these processes."""
    told = subprocess.run(["ps", "-o", "ppid=", "-p", ",".join(map(str, pids))], capture_output=True, check=True)
    parents = {int(word) for word in told.stdout.split()}
    return next(process for process in cluster.processes if process in parents)


def test_a_node_that_is_removed_in_mid_turn_costs_no_turn_and_its_workers_return(
    ray_pool: RayPool, three_nodes: Computers
) -> None:
    before = ray_pool.pids
    ray_pool.search(orders(3, seconds=PATIENCE))
    assert ray_pool.suggestions(PATIENCE)
    three_nodes.kill(node_with_worker(three_nodes, before))
    try:
        decision = searcher_of(ray_pool).search(game().initial_state(), Limit.of(seconds=2.0), Random(1))
        assert decision.move in game().initial_state().legal_moves("white")
        wait_for_others(ray_pool, before)
        assert len(ray_pool.pids) == 3
    finally:
        three_nodes.add()


@pytest.mark.parametrize("harm", [signal.SIGKILL, signal.SIGSTOP])
def test_a_player_that_loses_its_cluster_lives_on_and_finds_it_again(
    ray_pool: RayPool, harm: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (gateway, worker_slot):
        monkeypatch.setattr(module, "SILENT_SECONDS", 2.0)
    lost, before = ray_pool.gateway.pid, ray_pool.pids
    assert lost
    os.kill(lost, harm)
    decision = searcher_of(ray_pool).search(game().initial_state(), Limit.of(seconds=1.0), Random(1))
    assert decision.move in game().initial_state().legal_moves("white")
    wait_for_others(ray_pool, before)
    assert ray_pool.gateway.pid != lost
    assert not set(before) & set(ray_pool.pids)
