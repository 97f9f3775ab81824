"""A computer as a part of a Ray cluster, for as long as somebody wants it to be; others can ask it to leave."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

import ray
from ray.exceptions import GetTimeoutError, RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from ludens.cluster.connect import (
    CLUSTER_TIMES,
    LOOPBACK,
    Lookout,
    is_loopback,
    listens,
    ray_environment,
    require_answer,
)
from ludens.cluster.on_ray import ANSWER_SECONDS, NAMESPACE, POLL_SECONDS, connect, named_actors
from ludens.cluster.secret import keep_secret
from ludens.cluster.supervise import END_SECONDS
from ludens.errors import ClusterError
from ludens.runtime.deadline import Deadline
from ludens.runtime.processes import ChildProcess, python_command
from ludens.runtime.threads import start_thread

KEEPERS = f"{NAMESPACE}-computers"
"""The namespace of those who know which computers take part."""
RAY = (sys.executable, "-P", "-m", "ray.scripts.scripts")
SUPERVISE = "ludens.cluster.supervise"
START_SECONDS = 120.0
GLANCE = 0.1
LOOK = "look whether there is enough memory, and start again"


@dataclass(frozen=True, slots=True)
class Computer:
    """One that takes part in a cluster."""

    host: str
    places: int
    """How many workers it is good for."""


class Keeper:
    """Knows what a computer offers, and whether it is to leave."""

    def __init__(self, computer: Computer) -> None:
        self._computer = computer
        self._is_over = False

    def computer(self) -> Computer:
        return self._computer

    def leave(self) -> None:
        self._is_over = True

    def is_over(self) -> bool:
        return self._is_over


class Node:
    """The processes of Ray on this computer: a cluster of its own, or a part of one that there is."""

    def __init__(self, places: int, address: str | None, host: str | None, port: int) -> None:
        """Without an address a cluster begins here, and listens at the host and the port; by default to nobody else."""
        self.address = address or f"{host or LOOPBACK}:{port}"
        if address:
            _require_network(address)
        elif listens(self.address):
            raise ClusterError(f"something listens at {self.address} already; take another --port")
        self._lookout = Lookout(self.address)
        self._keeper: Any = None
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 it is closed with the process
        environment = {**CLUSTER_TIMES, **os.environ, **ray_environment(self.address)}
        keep_secret(environment, is_new=address is None)
        where = [f"--address={address}"] if address else ["--head", f"--port={port}", "--include-dashboard=false"]
        known_as = host if address else host or LOOPBACK
        options = [*where, *([f"--node-ip-address={known_as}"] if known_as else []), f"--num-cpus={places}"]
        ray_start = [*RAY, "start", *options, "--include-log-monitor=false", "--disable-usage-stats", "--block"]
        self._child = ChildProcess(python_command(SUPERVISE, *ray_start), environment=environment, log=self._log)
        try:
            self._join(places)
        except BaseException:
            self.close()
            raise

    def _join(self, places: int) -> None:
        """Wait until Ray listens, and say that we are there."""
        until = Deadline(START_SECONDS)
        while not listens(self.address):
            self._check()
            if until.passed:
                raise ClusterError(f"nothing answers at {self.address}; look at the address of the cluster")
            time.sleep(GLANCE)
        while True:
            self._check()
            try:
                connect(self.address, until.remaining)
                break
            except ClusterError:
                if until.passed:
                    raise
                time.sleep(GLANCE)
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        name = f"{socket.gethostname()}-{os.getpid()}"
        keeper = cast(Any, ray.remote)(num_cpus=0, max_restarts=0)(Keeper)
        keeper = keeper.options(name=name, namespace=KEEPERS, scheduling_strategy=here)
        self._keeper = keeper.remote(Computer(socket.gethostname(), places))
        try:
            ray.get(self._keeper.computer.remote(), timeout=until.remaining)
        except RayError as error:
            raise ClusterError(f"the cluster at {self.address} starts nothing here; {LOOK}") from error

    def _check(self) -> None:
        if self._child.ending:
            self._log.seek(0)
            told = [line for line in self._log.read().decode(errors="replace").splitlines() if line.strip()]
            reason = told[-1].strip() if told else "it said nothing"
            raise ClusterError(f"Ray does not start for {self.address}: {reason}; try another --port or --address")

    @property
    def is_over(self) -> bool:
        """Whether somebody has asked this computer to leave; ClusterError if the cluster is gone, or Ray is here."""
        self._lookout.check()
        if self._child.ending:
            raise ClusterError(f"Ray has ended on this computer; {LOOK}")
        try:
            return bool(ray.get(self._keeper.is_over.remote(), timeout=POLL_SECONDS))
        except GetTimeoutError:
            return False
        except (RayError, RuntimeError) as error:
            raise ClusterError(f"this computer is no longer known to the cluster at {self.address}; {LOOK}") from error

    def close(self) -> None:
        """Leave the cluster, with all workers that are here."""
        start_thread(ray.shutdown).join(END_SECONDS)
        self._child.close_input()
        self._child.wait(Deadline(2 * END_SECONDS))
        self._child.close()
        self._log.close()


def _require_network(address: str) -> None:
    """ClusterError if a cluster cannot have a second computer."""
    if is_loopback(address):
        raise ClusterError(
            f"a cluster at {address} is of one computer alone; begin it with --host and the name that others know it by"
        )
    require_answer(address)


def computers() -> tuple[list[Computer], list[str]]:
    """Those that take part in the cluster that this process has joined, and who of them does not answer."""
    return _asked("computer")


def send_away() -> tuple[int, list[str]]:
    """Ask all computers to leave the cluster that this process has joined; how many heard it, and who did not."""
    heard, silent = _asked("leave")
    return len(heard), silent


def _asked(question: str) -> tuple[list[Any], list[str]]:
    """What all keepers answer, and the names of those who do not."""
    asked = {getattr(keeper, question).remote(): name for name, keeper in named_actors(KEEPERS).items()}
    answered, silent = ray.wait([*asked], num_returns=len(asked), timeout=ANSWER_SECONDS) if asked else ([], [])
    found = []
    for answer in answered:
        with suppress(RayError):  # it has just left
            found.append(ray.get(answer))
    return found, sorted(asked[one] for one in silent)
