"""The way to a cluster: addresses, the environment of a process, and the token that nobody else can read."""

from __future__ import annotations

import os
import stat
from contextlib import closing
from pathlib import Path

import pytest

from ludens.cluster.connect import is_loopback, keep_token_private, listens, ray_environment
from ludens.cluster.gateway import RayPool, open_pool
from ludens.errors import ClusterError
from ludens.runtime.deadline import Deadline
from tests.cluster.conftest import PATIENCE, Computers

BY_TOKEN = {"RAY_AUTH_MODE": "token"}


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


@pytest.fixture
def token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where it is kept, in a home that is empty."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / ".ray" / "auth_token"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_token_is_private_and_kept(token: Path) -> None:
    keep_token_private(BY_TOKEN, is_new=True)
    made = token.read_text()
    assert len(bytes.fromhex(made)) == 32
    assert (mode(token), mode(token.parent)) == (0o600, 0o700)
    keep_token_private(BY_TOKEN, is_new=True)
    assert token.read_text() == made


@pytest.mark.parametrize("is_new", [True, False])
def test_a_token_that_others_can_read_is_closed_to_them(token: Path, is_new: bool) -> None:
    token.parent.mkdir()
    token.write_text("ab" * 32)
    token.chmod(0o644)
    keep_token_private(BY_TOKEN, is_new=is_new)
    assert mode(token) == 0o600
    assert token.read_text() == "ab" * 32


@pytest.mark.parametrize(
    "environment",
    [{}, {"RAY_AUTH_MODE": "disabled"}, BY_TOKEN | {"RAY_AUTH_TOKEN": "ab"}, BY_TOKEN | {"RAY_AUTH_TOKEN_PATH": "x"}],
)
def test_nothing_is_made_that_is_not_wanted(token: Path, environment: dict[str, str]) -> None:
    keep_token_private(environment, is_new=True)
    assert not token.parent.exists()


def test_who_joins_brings_a_token(token: Path) -> None:
    keep_token_private(BY_TOKEN, is_new=False)
    assert not token.parent.exists()


def test_a_home_that_cannot_be_written_is_no_reason_to_fail(token: Path) -> None:
    token.parent.write_text("a file where the folder should be")
    keep_token_private(BY_TOKEN, is_new=True)
    assert token.parent.is_file()
