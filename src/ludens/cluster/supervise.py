"""Runs a command of Ray for as long as its own input is open, so that nothing is left of it without its owner."""

from __future__ import annotations

import os
import signal
import sys
from tempfile import TemporaryDirectory

from ludens.runtime.deadline import Deadline
from ludens.runtime.processes import ChildProcess
from ludens.runtime.threads import start_thread

END_SECONDS = 10.0
"""The time that the command has to end; then all that it has started is killed with it."""


def own_folder() -> TemporaryDirectory[str]:
    """Return a folder for Ray, which removes nothing itself; its path is short, as names of sockets have to be."""
    return TemporaryDirectory(prefix="ludens-", dir="/tmp" if os.name == "posix" else None, ignore_cleanup_errors=True)


def main() -> None:
    with own_folder() as folder:
        child = ChildProcess([*sys.argv[1:], f"--temp-dir={folder}"], log=sys.stdout.buffer, own_session=False)
        start_thread(lambda: _end_with_input(child))
        child.wait(Deadline.never())
    os._exit(child.ending.code if child.ending else 1)  # a thread still reads the input


def _end_with_input(child: ChildProcess) -> None:
    sys.stdin.buffer.read()
    child.terminate()
    if not child.wait(Deadline(END_SECONDS)):
        os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
