"""The processes that play the matches, as seen by their parent.

A process that dies, hangs or needs too much memory costs its match and nothing else.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ludens.errors import WorkerError
from ludens.runtime.processes import EXIT_SECONDS, MEGABYTE, AsyncChildProcess, ProcessLimits, python_command

MAX_LINE_BYTES = 256 << 20
ATTEMPTS = 2
MODULE = "ludens.arena.tournament.child"


def worker_command(cores: Sequence[int], memory: int) -> Sequence[str]:
    """The command that starts a worker on some cores, within some megabytes; 0 for any number.

    It finds the players that its parent finds.
    """
    limits = ProcessLimits(memory * MEGABYTE, cores=tuple(cores))
    return python_command(MODULE, limits=limits, import_from=[folder for folder in sys.path if folder])


class MatchWorker:
    """One process after the other: a new one is started when it is needed."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)
        self._child: AsyncChildProcess | None = None

    async def play(self, task: Mapping[str, Any], loading: float, patience: float) -> dict[str, Any]:
        """The record of a match as JSON, tried twice; WorkerError if there is none.

        Seconds that the worker may give no sign of life: `loading` until the rules are read, then `patience`.
        """
        problem = WorkerError("it was never tried")
        for _ in range(ATTEMPTS):
            try:
                return await self._attempt(task, loading, patience)
            except WorkerError as error:
                problem = error
                await self.end()
        raise problem

    async def end(self, patience: float = 0.0) -> str:
        """End the process; what it died of, if that happens by itself within some seconds."""
        child, self._child = self._child, None
        return await child.end(patience) if child else ""

    async def _attempt(self, task: Mapping[str, Any], loading: float, patience: float) -> dict[str, Any]:
        child = await self._started()
        with suppress(OSError):
            await child.send_line(json.dumps(task).encode())
        answer = await self._answer(child, loading)
        while "record" not in answer:
            if "failure" in answer:
                raise WorkerError(str(answer["failure"]))
            answer = await self._answer(child, patience)
        return dict(answer["record"])

    async def _answer(self, child: AsyncChildProcess, patience: float) -> dict[str, Any]:
        try:
            async with asyncio.timeout(patience):
                line = await child.read_line()
        except TimeoutError:
            raise WorkerError(f"the match gave no sign of life for {patience:.0f} s") from None
        except EOFError:
            raise WorkerError(f"the worker {await self.end(EXIT_SECONDS) or 'broke off'}") from None
        except ValueError:
            raise WorkerError(f"the record is longer than {MAX_LINE_BYTES >> 20} MB") from None
        try:
            answer = json.loads(line)
        except ValueError:
            raise WorkerError("the worker answered with no JSON") from None
        return answer if isinstance(answer, dict) else {}

    async def _started(self) -> AsyncChildProcess:
        """The process; a new one where there is none, or the last one is dead."""
        if self._child and not self._child.is_running:
            await self.end()
        if self._child is None:
            try:
                self._child = await AsyncChildProcess.start(self._command, MAX_LINE_BYTES)
            except OSError as error:
                raise WorkerError(f"a worker cannot be started ({error})") from None
        return self._child
