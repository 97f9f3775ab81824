"""Running the grounder in a process of its own.

clingo keeps what it has seen for the life of a process, and only the end of the process stops a grounding.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from math import ceil, isfinite
from pathlib import Path
from threading import Thread

from ludens.errors import CompileError
from ludens.ground import child
from ludens.ground.limits import Watch

PHASE = "ground"
PATIENCE = 0.05
"""Seconds between two looks at the watch."""
CHUNK = 1 << 18
ERROR_BYTES = 2000
SPARE_SECONDS = 5
"""CPU seconds after which the system ends a process that nobody watches any more."""


def run_grounder(program: str, watch: Watch) -> bytes:
    """What clingo writes for a logic program; CompileError whatever goes wrong.

    No process is left behind, and no file.
    """
    return _run("ground", program, watch)


def run_refuter(program: str, watch: Watch) -> bytes:
    """The numbers of the claims in a logic program that clingo cannot prove, one after the other, then `proved`.

    What the program is made of is told in `child.Refuter`.
    """
    return _run("refute", program, watch)


def _run(task: str, program: str, watch: Watch) -> bytes:
    try:
        process = subprocess.Popen(
            _command(task, watch),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=sys.platform != "win32",
        )
    except OSError as error:
        raise CompileError(f"the grounder cannot be started ({error})") from None
    talk = _Talk(process, program.encode("ascii"))
    try:
        while talk.is_alive():
            talk.join(PATIENCE)
            watch.check(PHASE, talk.lines)
        process.wait()
    finally:
        process.kill()
        process.wait()
        talk.finish()
    watch.check(PHASE, talk.lines)
    return talk.result()


def _command(task: str, watch: Watch) -> list[str]:
    """Without the start-up files of Python, which it does not need."""
    if not sys.executable:
        raise CompileError("the grounder cannot be started: the Python program is not known")
    specs = [find_spec(module) for module in ("clingo", "_cffi_backend")]
    if None in specs:
        raise CompileError("the grounder clingo is missing; install ludens with its dependencies")
    files = [Path(str(spec.origin)) for spec in specs if spec]
    folders = dict.fromkeys(str(file.parent.parent if file.stem == "__init__" else file.parent) for file in files)
    seconds = watch.deadline.remaining
    cpu_seconds = ceil(seconds) + SPARE_SECONDS if isfinite(seconds) else 0
    numbers = [str(watch.limits.memory_bytes), str(cpu_seconds)]
    return [sys.executable, "-I", "-S", child.__file__, task, *numbers, *folders]


class _Talk:
    """Gives the process its program and gathers what it says, in threads, since each of these may block."""

    def __init__(self, process: subprocess.Popen[bytes], program: bytes) -> None:
        self.lines = 0
        self._process = process
        self._program = program
        self._chunks: list[bytes] = []
        self._complaint = b""
        self._threads = [Thread(target=task, daemon=True) for task in (self._write, self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def is_alive(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

    def join(self, seconds: float) -> None:
        self._threads[1].join(seconds)

    def finish(self) -> None:
        """Wait for the threads, which end with the process, and close all that is open."""
        for thread in self._threads:
            thread.join()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe:
                pipe.close()

    def result(self) -> bytes:
        code = self._process.returncode
        if code == child.MEMORY_EXIT or b"bad_alloc" in self._complaint or b"MemoryError" in self._complaint:
            raise CompileError("grounding needs more memory than allowed; allow more or make the rules smaller")
        if code < 0:
            raise CompileError(f"the grounder was ended from outside (signal {-code}); try again")
        if self._complaint:
            lines = self._complaint.decode("utf-8", "replace").strip().splitlines()
            raise CompileError(f"the grounder failed: {lines[-1] if lines else code}")
        return b"".join(self._chunks)

    def _write(self) -> None:
        pipe = self._process.stdin
        assert pipe
        data = memoryview(b"%d\n%b" % (len(self._program), self._program))
        try:
            while data:
                data = data[pipe.write(data) :]
        except OSError:
            return

    def _read(self) -> None:
        pipe = self._process.stdout
        assert pipe
        while chunk := pipe.read(CHUNK):
            self._chunks.append(chunk)
            self.lines += chunk.count(b"\n")

    def _read_errors(self) -> None:
        pipe = self._process.stderr
        assert pipe
        while chunk := pipe.read(CHUNK):
            self._complaint = (self._complaint + chunk)[-ERROR_BYTES:]
