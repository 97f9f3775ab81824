"""Running the command line inside the test process, with all that `main` does about errors."""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from unittest.mock import patch

from ludens.cli.app import main
from tests.child import PATIENCE


@dataclass(frozen=True)
class Outcome:
    """What a run of the command left behind."""

    code: int
    out: str
    err: str


def run(*arguments: object, stdin: bytes = b"") -> Outcome:
    """Run `ludens ARGUMENTS`; an exception that `main` lets through fails the test."""
    streams = {name: io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for name in ("stdout", "stderr")}
    with ExitStack() as stack:
        for name, stream in streams.items():
            stack.enter_context(patch.object(sys, name, stream))
        stack.enter_context(patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8")))
        stack.enter_context(patch.object(sys, "argv", ["ludens", *map(str, arguments)]))
        code = _exit_code()
    texts = {}
    for name, stream in streams.items():
        stream.flush()
        texts[name] = stream.buffer.getvalue().decode()
    return Outcome(code, texts["stdout"], texts["stderr"])


def _exit_code() -> int:
    try:
        main()
    except SystemExit as left:
        return int(left.code or 0)
    return 0


def run_process(*arguments: object, stdin: bytes = b"") -> Outcome:
    """Run it in a process of its own, as people do; only for what `run` cannot show, since it takes long to start."""
    command = [sys.executable, "-m", "ludens", *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=PATIENCE, check=False)
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
