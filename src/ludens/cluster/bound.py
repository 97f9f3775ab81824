"""Runs a command of Ray for as long as its own input is open: nothing is left of it when whoever wanted it is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from tempfile import TemporaryDirectory
from threading import Thread

END_SECONDS = 10.0
"""So long the command may take to end; then all that it has started is ended with it."""


def own_folder() -> TemporaryDirectory[str]:
    """Where Ray writes, which removes nothing; its path is short, as names of sockets have to be."""
    return TemporaryDirectory(prefix="ludens-", dir="/tmp" if os.name == "posix" else None, ignore_cleanup_errors=True)


def main() -> None:
    with own_folder() as folder:
        process = subprocess.Popen([*sys.argv[1:], f"--temp-dir={folder}"], stdin=subprocess.DEVNULL)
        Thread(target=_end_with_input, args=(process,), daemon=True).start()
        code = process.wait()
    os._exit(code)  # a thread still reads the input


def _end_with_input(process: subprocess.Popen[bytes]) -> None:
    sys.stdin.buffer.read()
    process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
