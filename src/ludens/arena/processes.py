"""Processes that work for us and are spoken to by lines; each is ended with all that it has started."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress

KEPT_BYTES = 2000
"""How much is kept of what a process complains about."""
CHUNK_BYTES = 1 << 16
END_SECONDS = 2.0
"""How long the end of a process is waited for; it may have left its pipes to others."""
DEATH_SECONDS = 0.3
"""How long it takes until it is known that a process has died."""


class Child:
    """A process with its pipes. What it last complained about is kept for its obituary."""

    def __init__(self, process: Process) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self.process, self.input, self.output = process, process.stdin, process.stdout
        self._last_words = b""
        self._listening = asyncio.create_task(self._listen(process.stderr))

    @classmethod
    async def of(cls, command: Sequence[str], max_line_bytes: int) -> Child:
        return cls(
            await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=max_line_bytes, start_new_session=True
            )
        )

    async def end(self, patience: float = 0.0) -> str:
        """End the process; what it died of, if that happens by itself within some seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self.process.wait()
        was_dead = self.process.returncode is not None
        self._kill()
        self.input.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                while await self.output.read(CHUNK_BYTES):
                    pass
                await asyncio.gather(self._listening, self.process.wait())
        self._listening.cancel()
        return self._obituary() if was_dead else ""

    async def _listen(self, errors: asyncio.StreamReader) -> None:
        while words := await errors.read(KEPT_BYTES):
            self._last_words = (self._last_words + words)[-KEPT_BYTES:]

    def _kill(self) -> None:
        """End it and, where the system has groups of processes, those that it has started."""
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    def _obituary(self) -> str:
        said = self._last_words.decode(errors="replace").strip().rpartition("\n")[2]
        code = self.process.returncode or 0
        kind = f" ({signal.strsignal(-code)})" if code < 0 else ""
        return f"ended with exit code {code}{kind}{f': {said}' if said else ''}"
