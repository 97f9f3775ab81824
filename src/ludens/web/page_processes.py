"""The processes that evaluate rules, as pages see them: asked for something, they answer in time or are ended."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ludens.errors import LudensError
from ludens.runtime.deadline import Deadline
from ludens.runtime.processes import EXIT_SECONDS, MEGABYTE, AsyncChildProcess, ProcessLimits, python_command

MODULE = "ludens.web.child"
MAX_LINE_BYTES = 32 << 20
MEMORY = 3072
"""Megabytes of address space for each process; machine code and its compiler take a good part of them."""
MAX_PROCESSES = 12
"""The number of pages that can have a process at once."""
IDLE_SECONDS = 1800.0
"""A process that was not asked for so long is ended; its page starts another where it is needed."""
ROOM_SECONDS, ROOM_PAUSE = 8.0, 0.1
"""How long a page waits for a process where all are at work."""
WATCH_SECONDS = 1.0
MEMORY_SHARE = 0.6
"""All processes together may take so much of the memory of the machine; then the largest is ended."""

REMEDY = "make the rules smaller"


class PageProcessError(LudensError):
    """A page's process gave no answer; says why, and what to do."""


class PageProcess:
    """One process for one page. It is started when it is needed, also after it was ended."""

    def __init__(self, processes: PageProcesses) -> None:
        self._processes = processes
        self._child: AsyncChildProcess | None = None
        self._number = 0
        self._lock = asyncio.Lock()
        self._is_closed = False
        self._reading: asyncio.Task[Mapping[str, Any]] | None = None
        self._why_ended = ""
        """Why the last process was ended while it was asked."""
        self.is_left = False
        """Whether the page is not connected now."""
        self.last_asked = 0.0

    @property
    def players(self) -> Sequence[str]:
        """Names of players that may be chosen besides those that are installed."""
        return self._processes.players

    async def ask(self, task: str, within: float, /, **arguments: Any) -> Any:
        """Return what a task comes to; PageProcessError if it takes too long or too much memory, or cannot be done."""
        async with self._lock:
            child = await self._started()
            self.last_asked = time.monotonic()
            self._number += 1
            request = {"number": self._number, "task": task, "with": arguments}
            try:
                async with asyncio.timeout(within):
                    await _send(child, request)
                    reading = self._reading = asyncio.create_task(self._answer(child))
                    await asyncio.wait([reading])
                if reading.cancelled():
                    raise PageProcessError(self._why_ended)
                answer = reading.result()
            except TimeoutError:
                await self._end()
                raise PageProcessError(f"this took longer than {within:g} s and was stopped; {REMEDY}") from None
            except (OSError, EOFError, ValueError):
                await self._end(EXIT_SECONDS)
                raise PageProcessError(
                    f"this broke off, probably for lack of memory; {REMEDY}, or raise --memory"
                ) from None
        if "error" in answer:
            raise PageProcessError(str(answer["error"]))
        return answer["result"]

    async def interrupt(self) -> None:
        """Have the player that thinks move now."""
        if self._child and self.is_running:
            with suppress(OSError):
                await _send(self._child, {"number": 0, "task": "interrupt", "with": {}})

    @property
    def is_running(self) -> bool:
        """Whether there is a process that knows what it was asked before."""
        return self._child is not None and self._child.is_running

    @property
    def is_busy(self) -> bool:
        return self._lock.locked()

    @property
    def resident_bytes(self) -> int:
        """How much memory the process takes; 0 where that cannot be told."""
        return _resident_bytes(self._child.pid) if self._child else 0

    def leave(self) -> None:
        """The page is not connected for now; others may need the process more."""
        self.is_left = True

    def come_back(self) -> None:
        self.is_left = False

    async def free(self, *, at_once: bool = False) -> None:
        """End the process; it is started again when it is needed. It keeps its game unless it ends at once."""
        self._why_ended = "stopped: the games here take too much memory together; try again"
        await self._end(finish=not at_once)

    async def close(self, *_: object) -> None:
        """End the process for good: the page is gone."""
        self._is_closed = True
        self._why_ended = "the page was closed"
        await self._end(finish=True)

    async def _end(self, patience: float = 0.0, *, finish: bool = False) -> None:
        """End the process, by itself if it can `finish`; requests under way fail."""
        child, self._child = self._child, None
        reading, self._reading = self._reading, None  # another process may be asked as soon as this one is waited for
        if child:
            self._processes.running.discard(self)
            if finish:
                await child.finish()
        if reading:
            reading.cancel()
            await asyncio.wait([reading])
        if child:
            await child.end(patience)

    async def _started(self) -> AsyncChildProcess:
        if self._child is not None and not self._child.is_running:
            await self._end()
        if self._child is None and not self._is_closed:
            self._child = await self._processes.new_child(self)
        if self._child is None or self._is_closed:
            await self._end()
            raise PageProcessError("the page was closed")
        return self._child

    async def _answer(self, child: AsyncChildProcess) -> Mapping[str, Any]:
        while True:
            answer = json.loads(await child.read_line())
            if answer.get("number") == self._number:
                return dict(answer)


class PageProcesses:
    """All processes of the server. One is kept ready, so that nobody waits for its start."""

    def __init__(
        self,
        memory: int = MEMORY,
        most: int = MAX_PROCESSES,
        command: Sequence[str] = (),
        *,
        keep: bool = False,
        store: Path | None = None,
        players: Sequence[str] = (),
    ) -> None:
        """Each process may take some megabytes; `command` starts another that is asked like `ludens.web.child`.

        `keep`: keep games that are over or given up, in `store` or the usual store of matches. `players`: names of
        players that may be chosen besides those that are installed.
        """
        self.players = tuple(players)
        options = [*(["--keep"] if keep else []), *(["--store", str(store)] if store else [])]
        options += [word for name in self.players for word in ("--player", name)]
        self._command = command or python_command(MODULE, *options, limits=ProcessLimits(memory * MEGABYTE))
        self._most = most
        self._most_bytes = _memory_of_machine() * MEMORY_SHARE
        self.running: set[PageProcess] = set()
        self._spare: asyncio.Task[AsyncChildProcess] | None = None
        self._watching: asyncio.Task[None] | None = None

    def new(self) -> PageProcess:
        """Return a process for a page; it is started when it is needed."""
        return PageProcess(self)

    def prepare(self) -> None:
        """Start the process that the next page gets."""
        if self._spare is None:
            self._spare = asyncio.create_task(self._launch())

    async def new_child(self, process: PageProcess) -> AsyncChildProcess:
        await self._make_room()
        self.running.add(process)
        self.prepare()
        spare, self._spare = self._spare, None
        assert spare
        try:
            child = await spare
            if not child.is_running:
                child = await self._launch()
        except OSError as error:
            self.running.discard(process)
            raise PageProcessError(f"a process cannot be started: {error}") from None
        self.prepare()
        return child

    async def _make_room(self) -> None:
        """End the process that is missed least: of a page that was left, or not asked for longest."""
        patience = Deadline(ROOM_SECONDS)
        while len(self.running) >= self._most:
            idle = [process for process in self.running if process.is_left or not process.is_busy]
            if not idle and not patience.passed:
                await asyncio.sleep(ROOM_PAUSE)
                continue
            if not idle:
                raise PageProcessError(
                    f"{self._most} games are being played here already; close one of them and try again"
                )
            await min(idle, key=lambda process: (not process.is_left, process.last_asked)).free()

    def watch(self) -> None:
        """Look after the processes from now on."""
        self._watching = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            await self.tidy()

    async def tidy(self) -> None:
        """End processes that nobody asks any more, and the largest where all together take too much memory."""
        now = time.monotonic()
        for process in list(self.running):
            if not process.is_busy and now - process.last_asked > IDLE_SECONDS:
                await process.free()
        sizes = {process: process.resident_bytes for process in self.running}
        if sizes and sum(sizes.values()) > self._most_bytes:
            await max(sizes, key=lambda process: sizes[process]).free(at_once=True)

    async def close(self) -> None:
        if self._watching:
            self._watching.cancel()
        await asyncio.gather(*(process.close() for process in list(self.running)))
        spare, self._spare = self._spare, None
        if spare:
            await (await spare).end()

    async def _launch(self) -> AsyncChildProcess:
        return await AsyncChildProcess.start(self._command, MAX_LINE_BYTES)


def _memory_of_machine() -> float:
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return float("inf")


def _resident_bytes(process: int) -> int:
    try:
        with open(f"/proc/{process}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


async def _send(child: AsyncChildProcess, request: Mapping[str, Any]) -> None:
    await child.send_line(json.dumps(request).encode())
