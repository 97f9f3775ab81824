"""Having machine code made by a process of its own, so that nobody has to wait for it who has a clock to keep."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from threading import Event, Thread

from ludens.core import Deadline

PATIENCE = 0.05
WATCH_INPUT = "--until-input-ends"


def run_module(name: str, deadline: Deadline, cancelled: Event | None = None) -> None:
    """Run a module as a program until it ends, the deadline passes or somebody cancels; it may fail silently."""
    if not sys.executable:
        return
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-P", "-m", name, WATCH_INPUT]
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet)
    except OSError:
        return
    try:
        while process.poll() is None and not deadline.passed and not (cancelled and cancelled.is_set()):
            time.sleep(PATIENCE)
    finally:
        process.kill()
        process.communicate()


def end_with_caller() -> None:
    """In such a program: end as soon as whoever runs it is gone, which holds its standard input open."""
    if WATCH_INPUT in sys.argv[1:]:
        Thread(target=_end_with_input, daemon=True).start()


def _end_with_input() -> None:
    while sys.stdin.buffer.read(1):
        pass
    os._exit(1)
