"""A real server of the browser interface and a real browser, for those who measure, test and photograph it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

END_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class WebServer:
    """A server that runs."""

    address: str
    process: int

    def children(self) -> set[int]:
        """The processes that it has started."""
        found: set[int] = set()
        for task in Path(f"/proc/{self.process}/task").iterdir():
            found |= {int(number) for number in (task / "children").read_text(encoding="ascii").split()}
        return found


@contextmanager
def web_server(*options: str) -> Iterator[WebServer]:
    """A server on a free port of this machine, as long as it is needed; it answers already."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "ludens", "web", "--port", str(port), "--no-show", *options]
    # NiceGUI serves nothing where it takes itself for a part of a test.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout
        if not process.stdout.readline():
            raise RuntimeError("the server ended before it answered")
        yield WebServer(f"http://127.0.0.1:{port}", process.pid)
    finally:
        process.terminate()
        process.communicate(timeout=END_SECONDS)


def chromium_path() -> str | None:
    """Where Chromium is: as LUDENS_CHROMIUM says, or wherever programs are."""
    return os.environ.get("LUDENS_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
