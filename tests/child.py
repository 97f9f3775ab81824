"""Other programs that tests run, in processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PATIENCE = 300
"""Seconds; the machine may be busy."""
OF_MAKE = ("MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS", "MAKELEVEL", "ALL", "ARGS", "GAME", "NAME", "SCREENSHOTS")
"""Variables by which a make that runs the tests would change what tests ask of make."""


def run_child(program: str, *, jit: bool = True) -> str:
    """Run a program from the root of the project, with warnings as errors; return what it writes.

    Without `jit` kernels run as plain Python.
    """
    environment = os.environ if jit else os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", program]
    child = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert (child.returncode, child.stderr) == (0, "")
    return child.stdout


def start(command: Sequence[str], **options: Any) -> subprocess.Popen[str]:
    """Start a command that can be interrupted, even where the tests ignore Ctrl-C (as under nohup, or in CI)."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, text=True, **options)
    finally:
        signal.signal(signal.SIGINT, before)


def run_make(folder: Path, *arguments: str, **variables: str) -> str:
    """Run make with these variables of the environment, and none of a make around the tests; return what it prints."""
    environment = {name: value for name, value in os.environ.items() if name not in OF_MAKE} | variables
    command = ["make", "--no-print-directory", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout
