"""A player behind the game protocol: one HTTP request for each message, in the form that players everywhere know."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from urllib.parse import urlsplit

import h11

from ludens.arena.seats.base import MAX_ANSWER_BYTES, News
from ludens.core import Answer
from ludens.errors import PlayError, SeatError, SeatGoneError, SeatTimeoutError
from ludens.gdl.terms import Spelling
from ludens.protocol import Message, Play, Start, write_message

CONNECT_SECONDS = 5.0
MAX_HEADER_BYTES = 64 * 1024
PIECE = 64 * 1024
DEFAULT_PORT = 9147
STATUS_OF_SUCCESS = range(200, 300)


class HttpSeat:
    """A player at an address; each message has a connection of its own."""

    is_human = False
    answer: Answer | None = None

    def __init__(self, address: str, name: str | None = None) -> None:
        self.host, self.port = read_address(address)
        self.name = name or f"{self.host}:{self.port}"

    async def ask(self, message: Message, seconds: float, spelling: Spelling | None = None) -> str:
        request = request_bytes(write_message(message, spelling).encode(), self.name)
        body = bytearray()
        problem: SeatError | None = None
        try:
            async with asyncio.timeout(seconds):
                await self._exchange(request, body)
        except TimeoutError:
            problem = SeatTimeoutError(f"{self.name} did not answer within {seconds:g} s")
        except OSError as error:
            problem = SeatGoneError(f"{self.name} broke off: {_reason(error)}")
        except h11.RemoteProtocolError as error:
            problem = SeatGoneError(f"{self.name} sent what is no HTTP reply: {error}")
        answer = _decoded(body)
        if problem and not _is_list(answer):
            raise problem
        return answer

    async def catch_up(
        self, start: Start, history: Sequence[News], seconds: float, spelling: Spelling | None = None
    ) -> None:
        """Start the match, and have it play all turns again; what it answers does not count."""
        await self.ask(start, start.start_clock + seconds, spelling)
        for news in history:
            await self.ask(Play(start.match, news), seconds, spelling)

    def diagnostics(self) -> list[str]:
        return []

    async def close(self) -> None:
        pass

    async def _exchange(self, request: bytes, body: bytearray) -> None:
        """Send a request, and take in the body of the reply as far as it comes."""
        reader, writer = await self._connect()
        try:
            writer.write(request)
            await self._take_reply(reader, body)
        finally:
            writer.transport.abort()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                return await asyncio.open_connection(self.host, self.port)
        except TimeoutError:
            raise SeatGoneError(f"{self.name} could not be reached within {CONNECT_SECONDS:g} s") from None
        except OSError as error:
            raise SeatGoneError(f"{self.name} could not be reached: {_reason(error)}") from None

    async def _take_reply(self, reader: asyncio.StreamReader, body: bytearray) -> None:
        connection = _waiting_for_reply()
        if not (first := await reader.read(PIECE)):
            raise SeatGoneError(f"{self.name} closed the connection without an answer")
        connection.receive_data(first)
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                connection.receive_data(await reader.read(PIECE))
            elif isinstance(event, h11.Response) and event.status_code not in STATUS_OF_SUCCESS:
                raise SeatGoneError(f"{self.name} answered with HTTP status {event.status_code}")
            elif isinstance(event, h11.Data):
                body += event.data
                if len(body) > MAX_ANSWER_BYTES:
                    raise SeatGoneError(f"{self.name} sent more than {MAX_ANSWER_BYTES:,} bytes")
            elif isinstance(event, h11.EndOfMessage | h11.ConnectionClosed):
                return


def read_address(address: str) -> tuple[str, int]:
    """Host and port of `http://host:port`, `host:port` or `http://host`.

    >>> read_address("127.0.0.1:9148")
    ('127.0.0.1', 9148)
    """
    form = f"{address!r} is no address of a player; write it like http://127.0.0.1:{DEFAULT_PORT}"
    try:
        parts = urlsplit(address if "//" in address else f"//{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        raise PlayError(form) from None
    more = "@" in parts.netloc or parts.path not in ("", "/") or parts.query or parts.fragment
    if not host or parts.scheme not in ("", "http") or more or port == 0:
        raise PlayError(form)
    return host, port or DEFAULT_PORT


def request_bytes(body: bytes, receiver: str) -> bytes:
    """A message as game servers send it; h11 itself would speak a newer HTTP than some players do."""
    lines = (
        "POST / HTTP/1.0",
        "Accept: text/delim",
        "Sender: GAMESERVER",
        f"Receiver: {_header_word(receiver)}",
        "Content-Type: text/acl",
        f"Content-Length: {len(body)}",
    )
    return "".join(f"{line}\r\n" for line in lines).encode("ascii") + b"\r\n" + body


def _header_word(name: str) -> str:
    """A name that can stand in a header."""
    return "".join(letter if letter.isascii() and letter.isprintable() else "_" for letter in name) or "_"


def _waiting_for_reply() -> h11.Connection:
    """A connection that has sent its request; ours is written by `request_bytes`."""
    connection = h11.Connection(h11.CLIENT, MAX_HEADER_BYTES)
    connection.send(h11.Request(method="POST", target="/", headers=[("Host", "player"), ("Content-Length", "0")]))
    connection.send(h11.EndOfMessage())
    return connection


def _reason(error: OSError) -> str:
    """What the system says; asyncio puts words of its own in place of that."""
    number = error.errno or 0
    return (os.strerror(number) if number > 0 else error.strerror or str(error)).lower()


def _decoded(body: bytearray) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("latin-1")


def _is_list(answer: str) -> bool:
    """Whether an answer whose end is missing is whole all the same; of a word nobody knows."""
    text = answer.strip()
    return text.startswith("(") and text.endswith(")") and text.count("(") == text.count(")")
