"""Running the grounder in a process of its own.

clingo never frees its symbols, and only the end of the process stops a grounding.
"""

from __future__ import annotations

from importlib.util import find_spec
from math import ceil, isfinite
from pathlib import Path
from typing import BinaryIO

from ludens.errors import CompileError
from ludens.ground.limits import GroundingWatch
from ludens.runtime.deadline import Deadline
from ludens.runtime.processes import ChildProcess, ProcessLimits, script_command

PHASE = "ground"
CHILD = Path(__file__).with_name("clingo_child.py")
POLL_SECONDS = 0.05
"""Seconds between two looks at the watch."""
CHUNK_BYTES = 1 << 18
SPARE_SECONDS = 5
"""CPU seconds after the deadline, at which the system ends an unwatched process."""


def run_grounder(program: str, watch: GroundingWatch) -> bytes:
    """Return the output of clingo for a logic program; raise CompileError on any failure.

    No process is left behind, and no file.
    """
    return _run("ground", program, watch)


def run_refuter(program: str, watch: GroundingWatch) -> bytes:
    """Return the numbers of the claims in a logic program that clingo cannot prove, then `proved`.

    `clingo_child.Refuter` describes the program.
    """
    return _run("refute", program, watch)


class _Output:
    """The output of a process."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.lines = 0

    def read(self, pipe: BinaryIO) -> None:
        while chunk := pipe.read(CHUNK_BYTES):
            self.chunks.append(chunk)
            self.lines += chunk.count(b"\n")


def _run(task: str, program: str, watch: GroundingWatch) -> bytes:
    data, output = program.encode("ascii"), _Output()
    seconds = watch.deadline.remaining
    cpu_seconds = ceil(seconds) + SPARE_SECONDS if isfinite(seconds) else 0
    limits = ProcessLimits(address_bytes=watch.limits.memory_bytes, cpu_seconds=cpu_seconds)
    try:
        command = script_command(CHILD, task, limits=limits, import_from=_folders(), input_bytes=len(data))
        child = ChildProcess(command, output.read)
    except (OSError, RuntimeError) as error:
        raise CompileError(f"the grounder cannot be started ({error})") from None
    try:
        child.send(data)
        while not child.wait(Deadline(POLL_SECONDS)):
            watch.check(PHASE, output.lines)
    finally:
        child.close()
    watch.check(PHASE, output.lines)
    ending = child.ending
    if ending is None or ending.is_out_of_memory:
        raise CompileError("grounding needs more memory than allowed; allow more or make the rules smaller")
    if ending.code < 0:
        raise CompileError(f"the grounder was ended from outside (signal {-ending.code}); try again")
    if ending.errors:
        raise CompileError(f"the grounder failed: {ending.last_words or ending.code}")
    return b"".join(output.chunks)


def _folders() -> list[str]:
    """Return the folders that clingo is imported from; the start-up files of Python are not needed."""
    specs = [find_spec(module) for module in ("clingo", "_cffi_backend")]
    if None in specs:
        raise CompileError("the grounder clingo is missing; install ludens with its dependencies")
    files = [Path(str(spec.origin)) for spec in specs if spec]
    return list(dict.fromkeys(str(file.parent.parent if file.stem == "__init__" else file.parent) for file in files))
