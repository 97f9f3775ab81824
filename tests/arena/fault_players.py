"""Players that get something wrong, behind real sockets; and a short game for them to get it wrong in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import TypeAlias

from ludens.arena.seats.base import MAX_ANSWER_BYTES
from ludens.core import Role
from ludens.players import LegalPlayer
from ludens.players.protocol_player import ProtocolPlayer
from ludens.protocol import Play, Start, read_message

VOTES = """
(role left) (role right)
(init (step 1))
(<= (legal ?r yes) (role ?r)) (<= (legal ?r no) (role ?r)) (<= (legal ?r (Perhaps ?r)) (role ?r))
(succ 1 2) (succ 2 3) (succ 3 4)
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (said ?r ?m)) (does ?r ?m))
(<= terminal (true (step 4)))
(<= (goal ?r 100) (true (said ?r no)))
(<= (goal ?r 0) (role ?r) (not (true (said ?r no))))
"""
"""Both roles vote three times; the last vote counts."""

LEFT, RIGHT = Role("left"), Role("right")
MEGABYTE = bytes(1_000_000)
Behaviour: TypeAlias = Callable[["HttpPlayer", asyncio.StreamWriter, str], Awaitable[None]]
"""Sends what it likes in place of an answer."""


class HttpPlayer:
    """A player that makes the first legal move, apart from what a behaviour does in place of the answer."""

    def __init__(self, on_play: Behaviour | None = None, on_start: Behaviour | None = None, turns: int = 99) -> None:
        self.on_play, self.on_start, self.turns = on_play, on_start, turns
        self.correspondent = ProtocolPlayer(LegalPlayer(), reserve=0)
        self.heard: list[str] = []
        self.aborted = asyncio.Event()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> HttpPlayer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.die()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def die(self) -> None:
        """Serve nobody any more."""
        if self._server:
            self._server.close()
        for task in self._tasks - {asyncio.current_task()}:
            task.cancel()

    def forget(self) -> None:
        """Be as one that was started again."""
        self.correspondent = ProtocolPlayer(LegalPlayer(), reserve=0)

    @property
    def commands(self) -> list[str]:
        return [text[1:].split(" ")[0].rstrip(")") for text in self.heard]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = int(head.lower().partition("content-length:")[2].split()[0])
            text = (await reader.readexactly(length)).decode()
            self.heard.append(text)
            await self._react(writer, text)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _react(self, writer: asyncio.StreamWriter, text: str) -> None:
        message = read_message(text)
        answer = self.correspondent.answer(message)
        if text.startswith("(ABORT"):
            self.aborted.set()
        if isinstance(message, Play) and self.on_play and self.turns > 0:
            self.turns -= 1
            await self.on_play(self, writer, answer)
        elif isinstance(message, Start) and self.on_start:
            await self.on_start(self, writer, answer)
        else:
            await reply(writer, answer)


async def reply(writer: asyncio.StreamWriter, answer: str) -> None:
    await send(writer, f"HTTP/1.0 200 OK\r\nContent-Length: {len(answer.encode())}\r\n\r\n{answer}".encode())


async def send(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


async def never(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    await asyncio.sleep(60)


async def late(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    await asyncio.sleep(0.9)
    await reply(writer, answer)


async def noise(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    await send(writer, b"\xff\x00)(" * 50)


async def garbage(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    await reply(writer, "((((")


async def long_list(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    """A list that is well-formed, and as long as an answer may be."""
    await reply(writer, f"(a {'b ' * (MAX_ANSWER_BYTES // 2 - 4)})")


async def too_long(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    await reply(writer, answer + " " * MAX_ANSWER_BYTES)


async def redirect(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    head = f"HTTP/1.0 302 Found\r\nLocation: /\r\nContent-Length: {len(answer)}\r\n\r\n"
    await send(writer, head.encode() + answer.encode())


async def half_a_word(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    """Broken off in the middle of an answer; what came would be a legal move."""
    await send(writer, f"HTTP/1.0 200 OK\r\nContent-Length: 100\r\n\r\n{answer}".encode())


async def stalled_word(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    writer.write(f"HTTP/1.0 200 OK\r\nContent-Length: 100\r\n\r\n{answer}".encode())
    await asyncio.sleep(60)


async def silence(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    await reply(writer, "")


async def hang_up(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    writer.close()


async def flood(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    await send_much(writer, b"HTTP/1.0 200 OK\r\n\r\n")


async def flood_of_headers(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    await send_much(writer, b"HTTP/1.0 200 OK\r\nX: ")


async def send_much(writer: asyncio.StreamWriter, beginning: bytes) -> None:
    writer.write(beginning)
    for _ in range(100):
        writer.write(MEGABYTE)
        await writer.drain()


async def illegal(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    await reply(writer, "( Mark 9 9 )")


async def server_error(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    await send(writer, b"HTTP/1.1 500 Oh\r\nConnection: close\r\n\r\nyes")


async def die(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    player.die()


async def restart(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
    """What was asked is answered by one that has just been started, and knows nothing."""
    player.forget()
    await reply(writer, player.correspondent.answer(Play("unknown", None)))
