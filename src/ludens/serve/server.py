"""A player behind the HTTP protocol of game servers."""

from __future__ import annotations

import asyncio
import errno
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from ludens.errors import ListenError
from ludens.printable import shown
from ludens.runtime.threads import SerialExecutor, start_thread
from ludens.serve.http import PIECE, BadRequestError, Request, read_request, reply_bytes
from ludens.serve.match_router import MatchRouter, PlayerMaker, log

HOST, PORT = "127.0.0.1", 9147
LINGER_SECONDS, LINGER_BYTES = 1.0, 16 * 1024 * 1024
"""How long, and for how much, a client may go on sending after the reply, so that the reply is not lost."""
BACKLOG = 1024
CONNECTIONS, CONNECTIONS_PER_MATCH, SPARE_CONNECTIONS = 256, 2, 64
"""Connections at once: the least number, those for each match, and those to spare for strangers."""
CLOSE_SECONDS = 3.0
"""How long answers that are being given may take when the server ends."""


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """What a server takes at most."""

    connections: int | None = None
    """Connections at once; a client that comes when all are taken is told so. By default enough for all matches."""
    receive_seconds: float = 30.0
    """The time in which a request has to come in."""


class PlayerServer:
    """Players that answer messages of game servers on a port, until it is closed.

    `make_player` is called once for each match that may be under way at the same time; anything with the methods of
    `ludens.core.Player` will do.
    """

    def __init__(
        self,
        make_player: PlayerMaker,
        *,
        host: str = HOST,
        port: int = PORT,
        matches: int = 1,
        name: str | None = None,
        limits: ServerLimits | None = None,
    ) -> None:
        self.router = MatchRouter(make_player, matches, name)
        self.host, self.port = host, port
        self._limits = limits or ServerLimits()
        enough = max(CONNECTIONS, CONNECTIONS_PER_MATCH * matches + SPARE_CONNECTIONS)
        self._most_connections = enough if self._limits.connections is None else self._limits.connections
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._receiving: set[asyncio.Task[None]] = set()
        """Those of which the request has not come in yet."""

    @property
    def address(self) -> str:
        """Where it listens."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    async def start(self) -> None:
        """Listen; port 0 becomes one that is free. ListenError if the port is taken."""
        try:
            self._server = await asyncio.start_server(self._connected, self.host, self.port, backlog=BACKLOG)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                why = "it is taken; end what listens there, or choose another port (0 for any)"
            else:
                why = f"{error.strerror or error}; choose another host or port"
            raise ListenError(f"cannot listen on {self.address}: {why}") from None
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Take no more connections, break off all matches, and give the last answers."""
        if self._server:
            self._server.close()
        for task in self._receiving:
            task.cancel()
        await asyncio.wrap_future(SerialExecutor("close").submit(self.router.close))
        if self._connections:
            await asyncio.wait(self._connections, timeout=CLOSE_SECONDS)
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._connections.add(task)
        try:
            self._receiving.add(task)
            try:
                request = await self._request(reader, writer)
            finally:
                self._receiving.discard(task)
            reply = request if isinstance(request, bytes) else reply_bytes(await self._answer(request))
            if reply:
                await _send(reply, reader, writer)
        except (OSError, asyncio.CancelledError):
            log.debug("a client has gone before it had its answer, or the server ends")
            writer.transport.abort()
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
            self._connections.discard(task)

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Request | bytes:
        """What is asked; or the reply to a client that asks for nothing that can be answered."""
        if len(self._connections) > self._most_connections:
            return reply_bytes("error: too many connections at once", 503)
        try:
            async with asyncio.timeout(self._limits.receive_seconds):
                return await read_request(reader, writer) or b""
        except TimeoutError:
            return reply_bytes(f"error: the request was not complete within {self._limits.receive_seconds:g} s", 408)
        except BadRequestError as error:
            log.warning("malformed request: %s", shown(error.reason))
            return reply_bytes(f"error: {error.reason}", error.status)

    async def _answer(self, request: Request) -> str:
        """The answer, made in a thread; it is made also when the client does not wait for it."""
        if request.text is None:
            return ""
        answering = SerialExecutor("message").submit(self.router.answer, request.text, request.received)
        try:
            return await asyncio.shield(asyncio.wrap_future(answering))
        except asyncio.CancelledError:
            raise
        except BaseException:
            log.exception("a message could not be answered")
            return "error: this message could not be answered"


async def _send(reply: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send a reply and the end of it; what the client still sends is thrown away, for a while."""
    writer.write(reply)
    writer.write_eof()
    thrown_away = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            while thrown_away < LINGER_BYTES and (piece := await reader.read(PIECE)):
                thrown_away += len(piece)


def serve_player(
    make_player: PlayerMaker,
    *,
    host: str = HOST,
    port: int = PORT,
    matches: int = 1,
    name: str | None = None,
    on_ready: Callable[[PlayerServer], None] | None = None,
) -> None:
    """Serve players until the process is told to end, by Ctrl-C or SIGTERM."""
    server = PlayerServer(make_player, host=host, port=port, matches=matches, name=name)
    asyncio.run(_serve(server, on_ready))


async def _serve(server: PlayerServer, on_ready: Callable[[PlayerServer], None] | None) -> None:
    over, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, RuntimeError, ValueError):  # not on every system, nor in every thread
            loop.add_signal_handler(number, over.set)
    await server.start()
    if on_ready:
        on_ready(server)
    try:
        await over.wait()
    finally:
        await server.close()


@contextmanager
def serving(
    make_player: PlayerMaker,
    *,
    host: str = HOST,
    port: int = 0,
    matches: int = 1,
    name: str | None = None,
    limits: ServerLimits | None = None,
) -> Iterator[PlayerServer]:
    """Serve players in the background for as long as a `with` block lasts; by default on any free port."""
    server = PlayerServer(make_player, host=host, port=port, matches=matches, name=name, limits=limits)
    loop = asyncio.new_event_loop()
    thread = start_thread(loop.run_forever, "ludens-serve")
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result()
        try:
            yield server
        finally:
            asyncio.run_coroutine_threadsafe(server.close(), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
