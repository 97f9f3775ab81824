"""Child processes: the only place where they are started, limited and ended.

A child holds the other end of our pipe as its standard input and ends with it, that is with this process at the
latest. It has a session of its own, so that it is ended together with all that it has started itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import signal
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from io import BufferedReader, RawIOBase
from pathlib import Path
from threading import Lock, Thread
from typing import IO, Any, BinaryIO, TypeAlias, cast

from ludens.runtime import launcher
from ludens.runtime.deadline import Deadline
from ludens.runtime.launcher import MEMORY_EXIT
from ludens.runtime.threads import POLL_SECONDS, Interrupted, SerialExecutor, start_thread

MEGABYTE = 1 << 20
CHUNK_BYTES = 1 << 16
MAX_ERROR_BYTES = 2000
"""How much is remembered of what a child writes to its standard error."""
ERRORS_THREAD = "ludens-errors"
END_SECONDS = 2.0
"""How long the end of a killed child is waited for; it may have left its pipes to others."""
EXIT_SECONDS = 0.3
"""How long the exit code of a child is waited for whose output has ended."""

OnOutput: TypeAlias = Callable[[BinaryIO], None]


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What a child may take; 0 for any amount. Kept only by systems that can."""

    address_bytes: int = 0
    """Of address space."""
    data_bytes: int = 0
    """Of memory that it writes; leaves out what libraries merely reserve."""
    cpu_seconds: int = 0
    cores: tuple[int, ...] = ()
    """The processor cores that it runs on; all if none are named."""


NO_LIMITS = ProcessLimits()


def python_command(
    module: str,
    *arguments: str,
    limits: ProcessLimits = NO_LIMITS,
    watch: bool = False,
    import_from: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return the command that runs a module of ours within limits; OSError if the Python program is not known.

    `watch`: the child reads no input and ends with it, in the midst of what it does. `import_from`: folders with
    packages that it may need beside those that are installed.
    """
    return (*_python("-P"), _options(limits, watch=watch, path=list(import_from)), module, *arguments)


def script_command(
    path: Path, *arguments: str, limits: ProcessLimits, import_from: Sequence[str], input_bytes: int
) -> tuple[str, ...]:
    """Return the command that runs a script without packages other than those of some folders.

    It reads `input_bytes` of input, and ends when its input is closed.
    """
    options = _options(limits, watch=True, script=True, path=list(import_from), input_bytes=input_bytes)
    return (*_python("-I", "-S"), options, str(path), *arguments)


def _python(*flags: str) -> tuple[str, ...]:
    if not sys.executable:
        raise OSError("the Python program is not known")
    return (sys.executable, *flags, launcher.__file__)


def _options(limits: ProcessLimits, **others: object) -> str:
    return json.dumps({key: value for key, value in {**asdict(limits), **others}.items() if value not in (0, (), [])})


@dataclass(frozen=True, slots=True)
class Ending:
    """How a child ended.

    >>> print(Ending(3, "Traceback\\nValueError: no number"))
    ended with exit code 3: ValueError: no number
    """

    code: int
    errors: str
    """The end of what it wrote to its standard error."""

    @property
    def is_out_of_memory(self) -> bool:
        return self.code == MEMORY_EXIT or "MemoryError" in self.errors or "bad_alloc" in self.errors

    @property
    def last_words(self) -> str:
        return self.errors.strip().rpartition("\n")[2]

    def __str__(self) -> str:
        kind = f" ({signal.strsignal(-self.code)})" if self.code < 0 else ""
        return f"ended with exit code {self.code}{kind}{f': {self.last_words}' if self.last_words else ''}"


class ErrorTail:
    """The last of what a child writes to its standard error."""

    def __init__(self) -> None:
        self._bytes = b""

    def add(self, data: bytes) -> None:
        self._bytes = (self._bytes + data)[-MAX_ERROR_BYTES:]

    def ending(self, code: int) -> Ending:
        return Ending(code, self._bytes.decode(errors="replace"))


def _kill(process: subprocess.Popen[bytes] | Process, has_session: bool = True) -> None:
    """End a child that was not waited for, and with it all that it has started, where the system has sessions."""
    with suppress(ProcessLookupError, PermissionError):
        if has_session and hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


class ChildProcess:
    """A child whose output is read by a thread. Only `wait` and `close` ever wait."""

    def __init__(
        self,
        command: Sequence[str],
        on_output: OnOutput | None = None,
        on_end: Callable[[Ending], None] | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        log: IO[bytes] | None = None,
        own_session: bool = True,
    ) -> None:
        """Start a command; OSError or RuntimeError if it cannot be started.

        `on_output` reads what it writes, in a thread of its own, to the end; `on_end` is called after that in the same
        thread. Without these the output is thrown away, or written to the file `log` together with errors.
        """
        self._on_output, self._on_end = on_output, on_end
        self._has_session = own_session
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if on_output else log or subprocess.DEVNULL,
            stderr=log or subprocess.PIPE,
            bufsize=0,
            start_new_session=own_session,
            env=environment,
            cwd=folder,
        )
        self._lock = Lock()
        self._is_killed = False
        self._errors = ErrorTail()
        self._writer = SerialExecutor("ludens-write")
        self._threads: list[Thread] = []
        try:
            if log is None:
                self._threads.append(start_thread(self._read_errors, ERRORS_THREAD))
            if on_output:
                self._threads.append(start_thread(self._read, "ludens-output"))
        except BaseException:
            self._kill()
            self._process.wait()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def ending(self) -> Ending | None:
        """How it ended; None while it runs."""
        code = self._process.poll()
        return None if code is None else self._errors.ending(code)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left of it: it has ended, and all of its output is read."""
        return self._process.poll() is not None and not any(thread.is_alive() for thread in self._threads)

    def send(self, data: bytes) -> None:
        """Write to its input, after all that was sent before; nobody waits for that."""
        self._writer.submit(self._write, lambda: data)

    def send_object(self, value: object) -> None:
        """Write a pickled object, for `ParentChannel.objects`."""
        self._writer.submit(self._write, lambda: pickle.dumps(value))

    def close_input(self) -> None:
        """Let it end by itself, once it has read all that was sent."""
        self._writer.submit(self._close_input)

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.terminate()

    def kill(self) -> None:
        """End it at once, with all that it has started."""
        self._kill()
        self.close_input()

    def wait(self, deadline: Deadline) -> bool:
        """Wait until nothing is left of it; return whether that is so before the deadline passes."""
        while not self.is_over:
            if deadline.passed:
                return False
            seconds = min(POLL_SECONDS, deadline.remaining)
            if reading := next((thread for thread in self._threads if thread.is_alive()), None):
                reading.join(seconds)
            else:
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(seconds)
        return True

    def close(self) -> None:
        """Kill it, and wait until nothing is left of it."""
        self.kill()
        self.wait(Deadline(END_SECONDS))
        self._writer.wait(Deadline(END_SECONDS))

    def _kill(self) -> None:
        with self._lock:
            if not self._is_killed:
                self._is_killed = True
                _kill(self._process, self._has_session)

    def _write(self, make: Callable[[], bytes]) -> None:
        pipe = cast(BinaryIO, self._process.stdin)
        with suppress(OSError, ValueError):  # nobody reads any more, or it was closed
            data = memoryview(make())
            while data:
                data = data[pipe.write(data) :]

    def _close_input(self) -> None:
        with suppress(OSError):
            cast(BinaryIO, self._process.stdin).close()

    def _read(self) -> None:
        assert self._on_output
        try:
            with cast(BinaryIO, self._process.stdout) as pipe:
                self._on_output(pipe)
        finally:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(EXIT_SECONDS)
            self.kill()
            code = self._process.wait()
            if self._on_end:
                for thread in self._threads:
                    if thread.name == ERRORS_THREAD:
                        thread.join(END_SECONDS)  # what it wrote to its standard error belongs to its end
                self._on_end(self._errors.ending(code))

    def _read_errors(self) -> None:
        with cast(BinaryIO, self._process.stderr) as pipe:
            while data := pipe.read(CHUNK_BYTES):
                self._errors.add(data)


def run_command(command: Sequence[str], deadline: Deadline, *, folder: Path | None = None) -> Ending:
    """Run a command to its end; OSError if it cannot be started, TimeoutError or Interrupted if it is ended before.

    >>> run_command([sys.executable, "-c", "exit(3)"], Deadline(60)).code
    3
    """
    child = ChildProcess(command, folder=folder)
    try:
        if not child.wait(deadline):
            raise Interrupted if deadline.cancelled else TimeoutError
        assert child.ending
        return child.ending
    finally:
        child.close()


def read_objects(take: Callable[[Any], None]) -> OnOutput:
    """Return a reader of the objects that a child sends by `ParentChannel.send_object`."""

    def read(pipe: BinaryIO) -> None:
        with BufferedReader(cast(RawIOBase, pipe)) as buffered:
            while True:
                try:
                    value = pickle.load(buffered)
                except Exception:  # it may be cut off anywhere
                    return
                take(value)

    return read


class AsyncChildProcess:
    """A child that is spoken to by lines, in an event loop."""

    def __init__(self, process: Process) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self._process, self.input, self._output = process, process.stdin, process.stdout
        self._errors = ErrorTail()
        self._reading = asyncio.create_task(self._read_errors(process.stderr))

    @classmethod
    async def start(cls, command: Sequence[str], max_line_bytes: int) -> AsyncChildProcess:
        """Start a command; OSError if it cannot be started."""
        pipe = subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=pipe, limit=max_line_bytes, start_new_session=True
        )
        return cls(process)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.returncode is None

    async def send_line(self, line: bytes) -> None:
        """Write a line to its input; OSError if nobody reads it."""
        self.input.write(line + b"\n")
        await self.input.drain()

    async def read_line(self) -> bytes:
        """Return its next line without the line end; EOFError at the end, ValueError if the line is too long."""
        line = await self._output.readline()
        if not line.endswith(b"\n"):
            raise EOFError("broke off")
        return line[:-1]

    async def finish(self) -> None:
        """Close its input, and let it end by itself in some seconds."""
        self.input.close()
        await self._wait(END_SECONDS)

    async def end(self, patience: float = 0.0) -> str:
        """Kill it with all that it has started; return how it ended if that happens by itself within some seconds."""
        await self._wait(patience)
        code = self._process.returncode
        _kill(self._process)
        self.input.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                while await self._output.read(CHUNK_BYTES):
                    pass
                await asyncio.gather(self._reading, self._process.wait())
        self._reading.cancel()
        return "" if code is None else str(self._errors.ending(code))

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._process.wait()

    async def _read_errors(self, pipe: asyncio.StreamReader) -> None:
        while data := await pipe.read(MAX_ERROR_BYTES):
            self._errors.add(data)
