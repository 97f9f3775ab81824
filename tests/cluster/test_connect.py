"""Where workers are: addresses, and what a player with a cluster does to its own process."""

from __future__ import annotations

import os
from contextlib import closing

import pytest

from ludens.cluster.connect import is_loopback, listens, ray_environment
from ludens.cluster.gateway import RayPool, open_pool
from ludens.errors import ClusterError
from ludens.runtime.deadline import Deadline
from tests.cluster.conftest import PATIENCE, Computers


def test_a_player_with_a_cluster_leaves_its_environment_as_it_was(three_nodes: Computers) -> None:
    before = dict(os.environ)
    assert before.get("http_proxy") != ray_environment(three_nodes.address)["http_proxy"]
    with closing(open_pool(1, three_nodes.address, Deadline(PATIENCE))) as pool:
        assert isinstance(pool, RayPool)
        assert dict(os.environ) == before


@pytest.mark.parametrize("address", ["127.0.0.1:6379", "localhost:1", "[::1]:6379", "::1:6379"])
def test_addresses_of_this_computer_alone(address: str) -> None:
    assert is_loopback(address)
    assert not is_loopback("10.0.0.1:6379")


@pytest.mark.parametrize("address", ["nowhere", ":6379", "[]:6379", "host:", "host:-1", "host:65536", "host:six"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(ClusterError, match="is no address of a cluster; write it as host:port"):
        listens(address)


@pytest.mark.parametrize("host", ["a..b", "a" * 64, "\udcff"])
def test_nothing_answers_where_there_can_be_nobody(host: str) -> None:
    with pytest.raises(ClusterError, match="nothing answers at"):
        open_pool(1, f"{host}:1", Deadline(1.0))
