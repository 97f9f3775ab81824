"""Workers as actors of a Ray cluster; the only module that knows Ray, which has to be installed for it.

A computer that joins a cluster trusts it: its computers run code for each other.
"""

from __future__ import annotations

import logging
import os
import re
import socket
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar, cast

import ray
from ray.exceptions import RayError

from ludens import __version__
from ludens.cluster.activity import Activity, ActivityObserver
from ludens.cluster.connect import LOOPBACK
from ludens.cluster.orders import Gone, Order, Report, Reporter
from ludens.cluster.service import WorkerService
from ludens.errors import ClusterError
from ludens.runtime.cores import available_cores
from ludens.runtime.deadline import Deadline
from ludens.runtime.threads import SerialExecutor, start_thread

NAMESPACE = "ludens"
WORKER_CPUS = 0.01
"""What a worker asks of a computer: next to nothing, so that no player keeps out another."""
POLL_SECONDS = 1.0
"""How long an actor waits for something to report."""
CONNECT_SECONDS = 60.0
"""The longest wait for a cluster."""
ANSWER_SECONDS = 10.0
"""The time that actors of the cluster have to answer; they may be busy."""
STDERR = 2
Found = TypeVar("Found")
MAX_REASON = 300
"""The most letters of an error of Ray that are shown."""


def within(seconds: float, task: Callable[[], Found]) -> Found:
    """Return the result of a task done by a thread, as Ray may wait for ever; TimeoutError after this time."""
    return SerialExecutor("ludens-ray-task").submit(task).result(seconds)


def connect(address: str | None, seconds: float = CONNECT_SECONDS) -> None:
    """Join the Ray cluster at an address, or start one on this computer; ClusterError if that cannot be done.

    It waits for an address at most this time; a process that has waited in vain cannot try it again.
    """
    options: dict[str, Any] = {"namespace": NAMESPACE, "log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        options |= {"num_cpus": len(available_cores()), "include_dashboard": False, "_node_ip_address": LOOPBACK}
    try:
        with _quiet():
            if address:
                within(seconds, lambda: ray.init(address=address, **options))
            else:
                ray.init(address="local", **options)  # what Ray starts ends with the thread that starts it
    except TimeoutError as error:
        raise ClusterError(
            f"what listens at {address} does not answer like a Ray cluster; look at the address"
        ) from error
    except Exception as error:  # whatever Ray thinks of
        where = f"the Ray cluster at {address}" if address else "a Ray cluster on this computer"
        reason = _shortened(str(error))
        raise ClusterError(
            f"{where} cannot be used: {reason}; look at the address, and whether the token is the same there"
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence what is written past Python to where errors go, as Ray does again and again."""
    kept, nowhere = os.dup(STDERR), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, STDERR)
    try:
        yield
    finally:
        os.dup2(kept, STDERR)
        os.close(kept)
        os.close(nowhere)


def disconnect() -> None:
    """Leave the cluster; one that was started by `connect` ends."""
    ray.shutdown()


def cores() -> int:
    """Return the cores of the cluster that are meant for workers."""
    resources: dict[str, float] = cast(Any, ray).cluster_resources()
    return int(resources.get("CPU", 0))


def _shortened(text: str) -> str:
    return " ".join(text.split())[:MAX_REASON]


class SearchActor:
    """A worker in a process of the cluster; when it is lost, its owner starts another."""

    def __init__(self, version: str) -> None:
        """`version`: that of its owner, who has to understand its reports."""
        if version != __version__:
            raise ClusterError(f"{socket.gethostname()} has ludens {__version__}, not {version}; install the same")
        self._reports: SimpleQueue[Report] = SimpleQueue()
        self._observer = ActivityObserver()
        self._service = WorkerService(self._report)

    @ray.method(concurrency_group="orders")
    def tell(self, order: Order) -> None:
        self._observer.told(order)
        self._service.tell(order)

    @ray.method(concurrency_group="reports")
    def reports(self, seconds: float) -> list[Report]:
        """Return the reports so far, waiting for the first at most this long."""
        found: list[Report] = []
        try:
            found.append(self._reports.get(timeout=seconds))
            while True:
                found.append(self._reports.get_nowait())
        except Empty:
            return found

    def activity(self) -> Activity:
        return self._observer.activity

    def _report(self, report: Report) -> None:
        self._observer.answered(report)
        self._reports.put(report)


def _started() -> Any:
    groups = {"orders": 1, "reports": 1}
    actor = cast(Any, ray.remote)(num_cpus=WORKER_CPUS, max_restarts=0, concurrency_groups=groups)(SearchActor)
    name = f"{NAMESPACE}-{uuid.uuid4().hex[:12]}"
    return actor.options(name=name, namespace=NAMESPACE, scheduling_strategy="SPREAD").remote(__version__)


class RayLink:
    """A worker in the cluster; threads do all that may have to wait for the cluster."""

    def __init__(self, report: Reporter) -> None:
        self._report = report
        self._orders: SimpleQueue[Order | None] = SimpleQueue()
        self._work = Deadline.never()
        self._thread = start_thread(self._write, "ludens-ray-orders")

    def tell(self, order: Order) -> None:
        self._orders.put(order)

    def end(self) -> None:
        self._work.cancel()
        self._orders.put(None)

    def join(self, seconds: float) -> None:
        """Wait until the worker is told to end; a cluster that is gone may never hear it."""
        self._thread.join(seconds)

    def _write(self) -> None:
        """Start the actor, and hand on orders until the end."""
        try:
            actor = _started()
            start_thread(lambda: self._read(actor), "ludens-ray-reports")
            while (order := self._orders.get()) is not None:
                actor.tell.remote(order)
            ray.kill(actor)
        except Exception as error:  # whatever Ray thinks of: the worker is lost
            self._report(Gone(_in_words(error)))

    def _read(self, actor: Any) -> None:
        try:
            while not self._work.cancelled:
                asked = actor.reports.remote(POLL_SECONDS)
                while not self._work.cancelled and not ray.wait([asked], timeout=POLL_SECONDS)[0]:
                    pass
                for report in ray.get(asked) if not self._work.cancelled else ():
                    self._report(report)
        except Exception as error:  # whatever Ray thinks of: the worker is lost
            self._report(Gone(_in_words(error)))
        self.end()


def _in_words(error: Exception) -> str:
    """Return what happened to a worker; the reason why it could not start is at the end of a long text."""
    reasons = re.findall(r"^\s*[\w.]*Error: .*", str(error), re.MULTILINE)
    reason = _shortened(reasons[-1]).removeprefix("ludens.errors.ClusterError: ") if reasons else type(error).__name__
    return f"a worker of the Ray cluster is lost: {reason}"


def named_actors(namespace: str) -> dict[str, Any]:
    """Return the named actors of the cluster; ClusterError if it does not answer."""

    def ask() -> dict[str, Any]:
        found = {}
        for known in ray.util.list_named_actors(all_namespaces=True):
            if known["namespace"] == namespace:
                with suppress(RayError, ValueError):  # it has just ended
                    found[known["name"]] = ray.get_actor(known["name"], namespace)
        return found

    try:
        return within(ANSWER_SECONDS, ask)
    except (RayError, TimeoutError) as error:
        raise ClusterError("the cluster does not answer; look whether it still runs") from error


def activities(seconds: float = ANSWER_SECONDS) -> list[Activity]:
    """Return the activities of all workers of the cluster that answer, no matter who started them."""
    asked = [actor.activity.remote() for actor in named_actors(NAMESPACE).values()]
    answered = ray.wait(asked, num_returns=len(asked), timeout=seconds)[0] if asked else []
    return sorted((one for ref in answered if (one := _got(ref))), key=lambda one: (one.host, one.pid))


def _got(ref: Any) -> Activity | None:
    try:
        found: Activity = ray.get(ref)
    except RayError:
        return None
    return found
