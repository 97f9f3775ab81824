"""The way to a Ray cluster: its address, its environment, its token, and whether it answers."""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from ludens.errors import ClusterError

VARIABLE = "LUDENS_CLUSTER"
"""The environment variable with the address of a Ray cluster."""
THIS_COMPUTER = "local"
"""An address that stands for a cluster of this computer alone, which is begun for it."""
LOOPBACK = "127.0.0.1"
ACCESS_VARIABLE, BY_TOKEN = "RAY_AUTH_MODE", "token"
LAST_PORT = 65535
GONE_SECONDS = 10.0
"""A cluster whose first computer is silent for longer is gone; Ray would wait a minute, and end us then."""
LISTEN_SECONDS = 2.0
"""The longest wait for the port of a cluster."""

OTHER_TOKENS = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
"""Variables of those who have a token of another kind."""
TOKEN_BYTES = 32
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600

_NOWHERE = f"http://{LOOPBACK}:9"
_SILENCE = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_USAGE_STATS_REPORT_URL": _NOWHERE,
    "http_proxy": _NOWHERE,
    "https_proxy": _NOWHERE,
}
"""Ray tells its makers even that nothing is to be told, and asks in which cloud it is: both lead nowhere."""
CLUSTER_TIMES = {
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "3000",
    "RAY_health_check_failure_threshold": "3",
    "RAY_gcs_server_port_wait_time_s": "120",
}
"""How a new cluster notices that a computer is gone: in some seconds, not in a quarter of a minute as by default. Its
beginning, though, may take longer than by default: a busy computer is slow."""
_NETWORK_VARIABLE = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Without this Ray takes this computer for the only one, as it does by default on some systems: it listens to nobody
else then, whatever address it is given."""


def ray_environment(address: str | None) -> dict[str, str]:
    """Return the variables that a process needs before it imports Ray to use a cluster.

    Only who knows the token of the cluster, a secret, is let in; who wants it otherwise sets the variable. A cluster at
    the loopback address, or at none, listens to nobody else. Nothing is ever told to the makers of Ray.
    """
    wanted = {ACCESS_VARIABLE: BY_TOKEN}
    if address is None or is_loopback(address):
        wanted[_NETWORK_VARIABLE] = "0"
    return _SILENCE | {name: value for name, value in wanted.items() if name not in os.environ}


def is_loopback(address: str) -> bool:
    """Return whether an address stands for this computer alone."""
    return _split(address)[0] in (LOOPBACK, "localhost", "::1")


def require_ray() -> None:
    """Raise ClusterError if Ray is not installed."""
    if find_spec("ray") is None:
        raise ClusterError("a cluster needs Ray, which is not installed; install it by `pip install ludens[cluster]`")


def listens(address: str) -> bool:
    """Return whether something listens at an address."""
    try:
        with socket.create_connection(_split(address), timeout=LISTEN_SECONDS):
            return True
    except (OSError, ValueError):  # a host that cannot even be asked for
        return False


def require_answer(address: str) -> None:
    """Raise ClusterError if nothing listens at an address."""
    if not listens(address):
        remedy = "look at the address, or begin a cluster by `ludens workers start`"
        raise ClusterError(f"nothing answers at {address}; {remedy}")


class ClusterMonitor:
    """Watches whether a cluster is gone."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._heard_at = time.monotonic()

    def check(self) -> None:
        """Raise ClusterError if nothing has answered at the address for some time."""
        if listens(self._address):
            self._heard_at = time.monotonic()
        elif time.monotonic() - self._heard_at > GONE_SECONDS:
            raise ClusterError(f"the cluster at {self._address} is gone; begin one by `ludens workers start`")


def _split(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or int(port) > LAST_PORT:
        raise ClusterError(f"{address!r} is no address of a cluster; write it as host:port")
    return host, int(port)


def cluster_address() -> str | None:
    """Return the address of the cluster that players are to use, if there is one."""
    return os.environ.get(VARIABLE) or None


def keep_token_private(environment: Mapping[str, str], is_new: bool) -> None:
    """Make the file with the token of Ray readable by its owner alone; a new cluster gets one if there is none.

    Who has the token can run code in our name, and Ray itself would let everybody read it. Where this cannot be done,
    Ray says what is wrong.
    """
    if environment.get(ACCESS_VARIABLE) != BY_TOKEN or any(name in environment for name in OTHER_TOKENS):
        return
    path = Path.home() / ".ray" / "auth_token"
    with suppress(OSError):
        if is_new and not path.exists():
            path.parent.mkdir(PRIVATE_FOLDER, exist_ok=True)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE), "w") as file:
                file.write(secrets.token_hex(TOKEN_BYTES))
        path.chmod(PRIVATE_FILE)
