"""Workers of a Ray cluster, reached through a process of their own that is part of it.

Ray ends every process that has lost its cluster: no player may be one.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from itertools import count
from threading import Event, Lock

from ludens.cluster.connect import THIS_COMPUTER, keep_token_private, ray_environment, require_answer, require_ray
from ludens.cluster.memory import affordable_workers
from ludens.cluster.orders import Alive, Gone, Order, Report, Reporter
from ludens.cluster.remote_pool import CLOSE_SECONDS, LocalPool, RemotePool
from ludens.cluster.supervise import own_folder
from ludens.cluster.worker_slot import SILENT_SECONDS
from ludens.errors import ClusterError
from ludens.runtime.deadline import Deadline
from ludens.runtime.processes import ChildProcess, Ending, python_command, read_objects

MODULE = "ludens.cluster.ray_bridge"
CONNECT_SECONDS = 60.0
"""A cluster that has not answered by then is given up."""
POLL_SECONDS = 0.1
"""Seconds between two looks at the deadline of who waits."""
MAX_LOST = 2
"""The workers that may be lost one after the other, while no other gives a sign of life."""


@dataclass(frozen=True, slots=True)
class StartWorker:
    """Have a worker started."""


@dataclass(frozen=True, slots=True)
class EndWorker:
    """Have a worker ended."""


@dataclass(frozen=True, slots=True)
class BridgeMessage:
    """To a worker of the cluster."""

    link: int
    what: Order | StartWorker | EndWorker


@dataclass(frozen=True, slots=True)
class Reply:
    """From a worker of the cluster."""

    link: int
    report: Report


@dataclass(frozen=True, slots=True)
class Joined:
    """The process is part of the cluster."""

    cores: int
    """That the cluster has."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The process cannot be part of the cluster, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """A sign of life."""


class Gateway:
    """The process that is part of the cluster, and the links through it."""

    def __init__(self, address: str | None) -> None:
        """The cluster at an address, or one of this computer that lives as long as the process."""
        self._reporters: dict[int, Reporter] = {}
        self._numbers = count()
        self._lock = Lock()
        self._cores: int | None = None
        self._reason: str | None = None
        self._answered = Event()
        self._heard_at = time.monotonic()
        self._lost_in_a_row = 0
        where = f"the Ray cluster at {address}" if address else "a Ray cluster on this computer"
        self._late = f"{where} does not answer; look whether it still runs"
        self._lost = f"the process that belongs to {where} ended"
        self._folder = own_folder()
        environment = {**os.environ, **ray_environment(address), "RAY_TMPDIR": self._folder.name}
        keep_token_private(environment, is_new=address is None)
        command = python_command(MODULE, address or "")
        self._process = ChildProcess(command, read_objects(self._heard), self._ended, environment=environment)

    @property
    def pid(self) -> int | None:
        return self._process.pid

    @property
    def is_usable(self) -> bool:
        """Whether it may lead to workers: it has not ended, is not silent, and does not lose all that it starts.

        It loses them, for one, where another cluster has begun at the same address.
        """
        patience = CONNECT_SECONDS if self._cores is None else SILENT_SECONDS
        is_silent = time.monotonic() - self._heard_at > patience
        return self._reason is None and not is_silent and self._lost_in_a_row < MAX_LOST

    def cores(self, deadline: Deadline) -> int:
        """Return the cores of the cluster; ClusterError if it cannot be used, or does not answer in time."""
        until = Deadline(CONNECT_SECONDS)
        while not (self._answered.wait(POLL_SECONDS) or deadline.passed or until.passed):
            pass
        if self._cores is None or self._reason is not None:
            raise ClusterError(self._reason or self._late)
        return self._cores

    def open(self, report: Reporter) -> int:
        """Start a worker; return its number."""
        with self._lock:
            if self._reason is not None:
                raise OSError(self._reason)
            number = next(self._numbers)
            self._reporters[number] = report
        self.tell(number, StartWorker())
        return number

    def tell(self, number: int, what: Order | StartWorker | EndWorker) -> None:
        self._process.send_object(BridgeMessage(number, what))

    def forget(self, number: int) -> None:
        with self._lock:
            self._reporters.pop(number, None)
        self.tell(number, EndWorker())

    def finish(self) -> None:
        """Leave the cluster, so far as it is still there."""
        self._process.close_input()
        self._process.wait(Deadline(CLOSE_SECONDS))
        self._process.close()

    def end(self) -> None:
        self._process.kill()

    def _heard(self, what: Reply | Joined | Refused | Heartbeat) -> None:
        self._heard_at = time.monotonic()
        if isinstance(what, Joined):
            self._cores = what.cores
            self._answered.set()
        elif isinstance(what, Refused):
            self._reason = what.reason
        elif isinstance(what, Reply):
            self._note(what)

    def _note(self, reply: Reply) -> None:
        if isinstance(reply.report, Alive):
            self._lost_in_a_row = 0
        elif isinstance(reply.report, Gone):
            self._lost_in_a_row += 1
        if report := self._reporters.get(reply.link):
            report(reply.report)

    def _ended(self, ending: Ending) -> None:
        with self._lock:
            self._reason = reason = self._reason or f"{self._lost} with code {ending.code}"
            reporters, self._reporters = self._reporters, {}
        self._answered.set()
        self._folder.cleanup()
        for report in reporters.values():
            report(Gone(reason))


class GatewayLink:
    """The way to one worker of the cluster."""

    is_over = True
    """There is nothing to wait for: the gateway does that."""

    def __init__(self, gateway: Gateway, report: Reporter) -> None:
        self.pid: int | None = None
        self._gateway = gateway
        self._number = gateway.open(lambda what: self._note(what, report))

    def send_object(self, order: Order) -> None:
        self._gateway.tell(self._number, order)

    def kill(self) -> None:
        self._gateway.forget(self._number)

    def wait(self, deadline: Deadline) -> bool:
        return True

    def _note(self, what: Report, report: Reporter) -> None:
        if isinstance(what, Alive):
            self.pid = what.pid
        report(what)


class RayPool(RemotePool):
    """Workers all over a Ray cluster, by default one for each of its cores."""

    def __init__(
        self, address: str | None = None, size: int | None = None, fewest: int = 1, deadline: Deadline | None = None
    ) -> None:
        """ClusterError where the cluster cannot be used, or does not answer, if that has to be known for the size."""
        self._address = address
        self.gateway = Gateway(address)
        try:
            wanted = size or max(fewest, self.gateway.cores(deadline or Deadline(CONNECT_SECONDS)))
        except ClusterError:
            self.gateway.end()
            raise
        super().__init__(wanted, self._open_link)

    def close(self) -> None:
        super().close()
        self.gateway.finish()

    def _open_link(self, report: Reporter) -> GatewayLink:
        if not self.gateway.is_usable:
            self.gateway.end()
            self.gateway = Gateway(self._address)
        return GatewayLink(self.gateway, report)


def open_pool(size: int, address: str | None, deadline: Deadline) -> RemotePool:
    """Return workers as processes of this computer, or in the Ray cluster at an address: there at least one per core.

    ClusterError if the cluster cannot be used, or does not answer in time.
    """
    if address is None:
        return LocalPool(affordable_workers(size))
    where = None if address == THIS_COMPUTER else address
    require_ray()
    if where:
        require_answer(where)
    return RayPool(where, fewest=size, deadline=deadline)
