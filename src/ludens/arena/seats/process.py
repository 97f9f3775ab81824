"""A player in a process of its own: it can be ended when it hangs, and what it does to itself is its own affair."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

from ludens.arena.seats.base import MAX_ANSWER_BYTES, MISSED, News
from ludens.core import Answer
from ludens.errors import SeatGoneError, SeatTimeoutError
from ludens.gdl.terms import Spelling
from ludens.protocol import Abort, Info, Message, Play, Start, Stop, write_message
from ludens.runtime.processes import EXIT_SECONDS, AsyncChildProcess, python_command

START_UP_SECONDS = 60.0
"""How long a process may take until it answers at all, and beyond the clock until it is ready for the match."""
RESTART_SHARE = 0.3
"""The part of the play clock that a new process has as its start clock in a match under way."""


class ProcessSeat:
    """A player that is run by a command, and spoken to by lines as in `child`.

    A process that hangs or dies is replaced at once. The new one gets ready while the match goes on, over several turns
    if that takes so long, and hears what happened so far.
    """

    is_human = False
    answer: Answer | None = None

    def __init__(self, command: Sequence[str], name: str) -> None:
        self.name = name
        self._command = tuple(command)
        self._child: AsyncChildProcess | None = None
        self._coming: asyncio.Task[str] | None = None
        """Makes a process ready, for questions or for a match; comes to its answer to START."""
        self._number = 0
        self._start: Start | None = None
        self._history: list[News] = []
        self._told = 0
        """How much of the history this process has heard."""

    @classmethod
    def of_player(cls, name: str, seed: int | None = None, nodes: int | None = None) -> ProcessSeat:
        """A player of this package."""
        options = [("--seed", seed), ("--nodes", nodes)]
        given = [word for option, value in options if value is not None for word in (option, str(value))]
        folders = [folder for folder in sys.path if folder]  # it finds the players that its parent finds
        return cls(python_command("ludens.arena.seats.child", "--player", name, *given, import_from=folders), name)

    async def ask(self, message: Message, seconds: float, spelling: Spelling | None = None) -> str:
        begun = time.monotonic()
        self._remember(message)
        if isinstance(message, Stop | Abort) and not self._is_ready:
            await self._end()
            return ""
        coming = self._coming
        if isinstance(message, Start) or coming is None:
            coming = self._make_ready(self._start, spelling)
        try:
            async with asyncio.timeout(seconds):
                answer = await asyncio.shield(coming)
                if isinstance(message, Start):
                    return answer
                if isinstance(message, Play):
                    await self._tell_missed(message.match, spelling)
                return await self._exchange(message, time.monotonic() - begun, spelling)
        except TimeoutError:
            if not self._is_ready:
                raise SeatTimeoutError(f"{self.name} was not ready within {seconds:g} s") from None
            await self._replace(spelling)
            raise SeatTimeoutError(f"{self.name} did not answer within {seconds:g} s and was ended") from None
        except (OSError, EOFError) as error:
            raise SeatGoneError(f"{self.name} {await self._replace(spelling, EXIT_SECONDS) or error}") from None

    async def catch_up(
        self, start: Start, history: Sequence[News], seconds: float, spelling: Spelling | None = None
    ) -> None:
        try:
            await self.ask(start, start.start_clock + seconds, spelling)
        finally:
            self._history = list(history)

    def diagnostics(self) -> list[str]:
        return []

    async def close(self) -> None:
        """End the process: by itself if it can, since its input ends."""
        if self._child and self._is_ready:
            await self._child.finish()
        await self._end()

    # -- messages ----------------------------------------------------------------------------

    def _remember(self, message: Message) -> None:
        """What a process has to hear that comes in place of this one."""
        if isinstance(message, Play):
            self._history.append(message.news)
        elif isinstance(message, Start | Stop | Abort):
            self._start = message if isinstance(message, Start) else None
            self._history = []

    async def _tell_missed(self, match: str, spelling: Spelling | None) -> None:
        """Tell the process of the turns that it knows nothing of, all but the last."""
        missed, self._told = self._history[self._told : -1], len(self._history)
        for news in missed:
            await self._send(MISSED, 0.0, Play(match, news), spelling)

    async def _exchange(self, message: Message, spent: float, spelling: Spelling | None) -> str:
        self._number += 1
        number = str(self._number)
        child = await self._send(number, spent, message, spelling)
        while True:
            try:
                line = (await child.read_line()).decode(errors="replace")
            except ValueError:
                raise EOFError(f"sent more than {MAX_ANSWER_BYTES:,} bytes without the end of a line") from None
            answered, _, answer = line.strip().partition(" ")
            if answered == number:
                return answer

    async def _send(self, number: str, spent: float, message: Message, spelling: Spelling | None) -> AsyncChildProcess:
        child = self._child
        if child is None:
            raise EOFError("is not running")
        await child.send_line(f"{number} {spent:.3f} {write_message(message, spelling)}".encode())
        return child

    # -- the process -------------------------------------------------------------------------

    @property
    def _is_ready(self) -> bool:
        return self._coming is not None and self._coming.done() and self._coming.exception() is None

    def _make_ready(self, start: Start | None, spelling: Spelling | None) -> asyncio.Task[str]:
        self._told = 0
        self._coming = asyncio.create_task(self._readied(self._coming, start, spelling))
        return self._coming

    async def _readied(self, before: asyncio.Task[str] | None, start: Start | None, spelling: Spelling | None) -> str:
        """Begin a process if there is none, and the match if there is one, after what was under way before."""
        begun, clock = time.monotonic(), start.start_clock if start else 0.0
        try:
            async with asyncio.timeout(clock + START_UP_SECONDS):
                if before:
                    await before
                if self._child is None:
                    self._child = await AsyncChildProcess.start(self._command, MAX_ANSWER_BYTES)
                    await self._exchange(Info(), 0.0, spelling)
                return await self._exchange(start, time.monotonic() - begun, spelling) if start else ""
        except TimeoutError:
            raise EOFError(f"was not ready within {clock + START_UP_SECONDS:g} s and was ended") from None

    async def _replace(self, spelling: Spelling | None, patience: float = 0.0) -> str:
        """End the process, and have another one get ready for the match; what the old one died of, if it did."""
        reason = await self._end(patience)
        if self._start:
            clock = min(self._start.start_clock, RESTART_SHARE * self._start.play_clock)
            self._make_ready(replace(self._start, start_clock=clock), spelling)
        return reason

    async def _end(self, patience: float = 0.0) -> str:
        """End the process; what it died of, if that happens by itself within some time."""
        coming, self._coming = self._coming, None
        if coming:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)
        child, self._child = self._child, None
        return await child.end(patience) if child else ""
