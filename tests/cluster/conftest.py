"""Pools of both kinds, which take long to start and are shared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ludens.cluster.connect import CLUSTER_TIMES, LOOPBACK, ray_environment
from ludens.cluster.gateway import RayPool
from ludens.cluster.orders import AnyMatch
from ludens.cluster.remote_pool import LocalPool, RemotePool
from ludens.runtime.deadline import Deadline
from tests.cluster.small import match

REPOSITORY = Path(__file__).resolve().parents[2]
PATIENCE = 240.0
"""Seconds after which a test fails; on a busy machine a process takes its time."""


class Computers:
    """A Ray cluster of three computers, played by this one."""

    def __init__(self, token: str) -> None:
        environment = os.environ | ray_environment(f"{LOOPBACK}:0") | CLUSTER_TIMES | {"RAY_AUTH_TOKEN": token}
        command = [sys.executable, "-m", "tests.cluster.computers"]
        self._process = subprocess.Popen(
            command, cwd=REPOSITORY, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._hear()

    def add(self) -> None:
        self._ask("")

    def kill(self, process: int) -> None:
        self._ask(str(process))

    def close(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._process.stdout.close()

    def _ask(self, line: str) -> None:
        assert self._process.stdin
        print(line, file=self._process.stdin, flush=True)
        self._hear()

    def _hear(self) -> None:
        assert self._process.stdout
        answer = json.loads(self._process.stdout.readline())
        self.address: str = answer["address"]
        self.processes: list[int] = answer["processes"]
        """Of all computers but the first."""


@pytest.fixture(scope="session")
def three_nodes() -> Iterator[Computers]:
    """With a token of their own, which whoever uses the cluster needs."""
    with pytest.MonkeyPatch.context() as environment:
        token = uuid.uuid4().hex
        environment.setenv("RAY_AUTH_TOKEN", token)
        with closing(Computers(token)) as computers:
            yield computers


@pytest.fixture(scope="session")
def shared_locally() -> Iterator[RemotePool]:
    with closing(LocalPool(2)) as pool:
        yield pool


@pytest.fixture(scope="session")
def shared_on_ray(three_nodes: Computers) -> Iterator[RayPool]:
    with closing(RayPool(three_nodes.address)) as pool:
        assert pool.size == 3
        yield pool


@pytest.fixture
def local_pool(shared_locally: RemotePool) -> RemotePool:
    return ready(shared_locally)


@pytest.fixture
def ray_pool(shared_on_ray: RayPool) -> RayPool:
    ready(shared_on_ray)
    return shared_on_ray


@pytest.fixture(params=["locally", pytest.param("on_ray", marks=pytest.mark.cluster)])
def pool(request: pytest.FixtureRequest) -> RemotePool:
    """Workers that are ready; it is shared, and mends itself after each test."""
    found: RemotePool = request.getfixturevalue(f"shared_{request.param}")
    return ready(found)


def ready(pool: RemotePool, order: AnyMatch | None = None) -> RemotePool:
    """With all workers ready for a match."""
    pool.begin(order or match())
    assert pool.wait(Deadline(PATIENCE))
    return pool
