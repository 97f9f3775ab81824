"""Players of this process."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from ludens.arena.seats.base import News
from ludens.core import Answer, Player
from ludens.errors import SeatTimeoutError
from ludens.gdl.terms import Spelling
from ludens.players.protocol_player import ProtocolPlayer
from ludens.protocol import Abort, Message, Start, Stop
from ludens.runtime.threads import SerialExecutor

Value = TypeVar("Value")

RESERVE = 0.01
"""Seconds before the clock at which the player answers; the way to the referee is short."""


class PlayerSeat:
    """A player that thinks in a thread of its own.

    One that hangs cannot be ended: it answers nothing until it returns, and then hears what it has missed. Nobody waits
    for it, not even the end of the process.
    """

    def __init__(self, player: Player, *, is_human: bool = False) -> None:
        self.name, self.is_human = player.name, is_human
        self._protocol_player = ProtocolPlayer(player, reserve=RESERVE, mend=False)
        self._executor = SerialExecutor(f"seat-{player.name}")

    @property
    def answer(self) -> Answer | None:
        return self._protocol_player.last_answer

    async def ask(self, message: Message, seconds: float, spelling: Spelling | None = None) -> str:
        # The last message must not wait behind a question that is never answered.
        executor = SerialExecutor(f"end-{self.name}") if isinstance(message, Stop | Abort) else self._executor
        return await self._done(executor, partial(self._protocol_player.answer, message, time.monotonic()), seconds)

    async def catch_up(
        self, start: Start, history: Sequence[News], seconds: float, spelling: Spelling | None = None
    ) -> None:
        def hear() -> None:
            self._protocol_player.answer(start)
            self._protocol_player.catch_up(history)

        await self._done(self._executor, hear, start.start_clock + seconds)

    def diagnostics(self) -> list[str]:
        found = list(self._protocol_player.faults)
        self._protocol_player.faults.clear()
        return found

    async def close(self) -> None:
        self._protocol_player.interrupt()

    async def _done(self, executor: SerialExecutor, action: Callable[[], Value], seconds: float) -> Value:
        loop, over = asyncio.get_running_loop(), asyncio.Event()

        def wake(_: object) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(over.set)

        future = executor.submit(action)
        future.add_done_callback(wake)
        try:
            async with asyncio.timeout(seconds if math.isfinite(seconds) else None):
                await over.wait()
        except TimeoutError:
            raise SeatTimeoutError(f"{self.name} did not answer within {seconds:g} s") from None
        return future.result()
