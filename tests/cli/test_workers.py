"""`ludens workers`: a cluster of this computer begins, is listed, and ends."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import uuid

import pytest
from typer.testing import CliRunner

from ludens.cli.app import app
from ludens.errors import ClusterError
from tests.cli.command import run

PATIENCE = 120


def ludens(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ludens", "workers", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret of this test alone, so that nothing is written to the user's files."""
    monkeypatch.setenv("RAY_AUTH_TOKEN", uuid.uuid4().hex)


@pytest.mark.cluster
def test_a_cluster_begins_is_listed_and_ends(token: None) -> None:
    port = str(free_port())
    address = f"127.0.0.1:{port}"
    command = [sys.executable, "-m", "ludens", "workers", "start", "--count", "2", "--port", port]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert started.stdout
        assert started.stdout.readline() == f"2 workers at {address}\n"
        assert started.stdout.readline() == f"players use them with LUDENS_CLUSTER={address}\n"
        listed = json.loads(ludens("list", "--address", address, "--json").stdout)
        assert listed == {"computers": [{"host": socket.gethostname(), "workers": 2}], "workers": []}
        assert f"something listens at {address} already" in ludens("start", "--port", port).stderr
        assert ludens("stop", "--address", address).stdout == "asked 1 computer to leave\n"
        assert started.wait(PATIENCE) == 0
    finally:
        started.kill()
        started.communicate()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", int(port)))


@pytest.mark.cluster
def test_nobody_else_can_join_a_cluster_at_the_loopback_address(token: None) -> None:
    result = ludens("start", "--address", "127.0.0.1:6379")
    assert result.returncode == 1
    assert "is of one computer alone; begin it with --host" in result.stderr


def test_where_there_is_no_cluster(token: None) -> None:
    result = run("workers", "list", "--address", f"127.0.0.1:{free_port()}")
    assert result.code == 1
    assert result.err.startswith("error: nothing answers at 127.0.0.1:")


IMPATIENT = """
import sys
from ludens.cli import app, workers
workers.JOIN_SECONDS = 1.0
sys.argv[1:1] = ["workers"]
app.main()
"""


@pytest.mark.cluster
@pytest.mark.parametrize("command", ["list", "stop"])
def test_what_listens_but_is_no_cluster(command: str, token: None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        line = [sys.executable, "-c", IMPATIENT, command, "--address", address]
        result = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert result.returncode == 1
    assert (
        result.stderr == f"error: what listens at {address} does not answer like a Ray cluster; look at the address\n"
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["start", "--address", "10.0.0.1:6379", "--port", "6380"], "--port is for a new cluster"),
        (["list", "--watch"], "--watch needs a terminal"),
        (["list", "--watch", "--json"], "--watch needs a terminal"),
    ],
)
def test_options_that_do_not_go_together(arguments: list[str], reason: str) -> None:
    before = dict(os.environ)
    result = CliRunner().invoke(app, ["workers", *arguments])
    assert result.exit_code == 2
    assert reason in result.output
    assert dict(os.environ) == before


@pytest.mark.parametrize("command", ["start", "list", "stop"])
def test_without_ray_there_is_one_clear_sentence(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    result = CliRunner().invoke(app, ["workers", command])
    assert isinstance(result.exception, ClusterError)
    assert "install it by `pip install ludens[cluster]`" in str(result.exception)


def test_an_address_that_is_none() -> None:
    result = run("workers", "start", "--address", "nowhere")
    assert result.code == 1
    assert "'nowhere' is no address of a cluster; write it as host:port" in result.err
