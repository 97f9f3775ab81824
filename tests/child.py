"""Running a program in a process of its own, where kernels can run as plain Python or be stopped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run_child(program: str, *, jit: bool = True) -> str:
    """What the program writes, run from the root of the project; with warnings as errors."""
    environment = os.environ if jit else os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", program]
    child = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert (child.returncode, child.stderr) == (0, "")
    return child.stdout
