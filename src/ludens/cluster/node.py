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
    ClusterMonitor,
    is_loopback,
    keep_token_private,
    listens,
    ray_environment,
    require_answer,
)
from ludens.cluster.on_ray import ANSWER_SECONDS, NAMESPACE, POLL_SECONDS, connect, named_actors
from ludens.cluster.supervise import END_SECONDS
from ludens.errors import ClusterError
from ludens.runtime.deadline import Deadline
from ludens.runtime.processes import ChildProcess, python_command
from ludens.runtime.threads import start_thread

NODE_NAMESPACE = f"{NAMESPACE}-computers"
"""The namespace of the actors of computers."""
RAY = (sys.executable, "-P", "-m", "ray.scripts.scripts")
SUPERVISE = "ludens.cluster.supervise"
START_SECONDS = 120.0
RETRY_SECONDS = 0.1
LOOK = "look whether there is enough memory, and start again"


@dataclass(frozen=True, slots=True)
class Computer:
    """One that takes part in a cluster."""

    host: str
    places: int
    """The number of workers it is good for."""


class NodeActor:
    """An actor on each computer: what it offers, and whether it is to leave."""

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
        self._monitor = ClusterMonitor(self.address)
        self._actor: Any = None
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 it is closed with the process
        environment = {**CLUSTER_TIMES, **os.environ, **ray_environment(self.address)}
        keep_token_private(environment, is_new=address is None)
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
            time.sleep(RETRY_SECONDS)
        while True:
            self._check()
            try:
                connect(self.address, until.remaining)
                break
            except ClusterError:
                if until.passed:
                    raise
                time.sleep(RETRY_SECONDS)
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        name = f"{socket.gethostname()}-{os.getpid()}"
        actor = cast(Any, ray.remote)(num_cpus=0, max_restarts=0)(NodeActor)
        actor = actor.options(name=name, namespace=NODE_NAMESPACE, scheduling_strategy=here)
        self._actor = actor.remote(Computer(socket.gethostname(), places))
        try:
            ray.get(self._actor.computer.remote(), timeout=until.remaining)
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
        self._monitor.check()
        if self._child.ending:
            raise ClusterError(f"Ray has ended on this computer; {LOOK}")
        try:
            return bool(ray.get(self._actor.is_over.remote(), timeout=POLL_SECONDS))
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
    """Raise ClusterError if a cluster cannot have a second computer."""
    if is_loopback(address):
        raise ClusterError(
            f"a cluster at {address} is of one computer alone; begin it with --host and the name that others know it by"
        )
    require_answer(address)


def computers() -> tuple[list[Computer], list[str]]:
    """Return the computers of the cluster that this process has joined, and the names of those that are silent."""
    return _asked("computer")


def send_away() -> tuple[int, list[str]]:
    """Ask all computers to leave the cluster that this process has joined; return how many heard it, and who not."""
    heard, silent = _asked("leave")
    return len(heard), silent


def _asked(question: str) -> tuple[list[Any], list[str]]:
    """Return the answers of all actors, and the names of those that are silent."""
    asked = {getattr(actor, question).remote(): name for name, actor in named_actors(NODE_NAMESPACE).items()}
    answered, silent = ray.wait([*asked], num_returns=len(asked), timeout=ANSWER_SECONDS) if asked else ([], [])
    found = []
    for answer in answered:
        with suppress(RayError):  # it has just left
            found.append(ray.get(answer))
    return found, sorted(asked[one] for one in silent)
