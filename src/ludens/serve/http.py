"""Requests of game servers, and of any other client; and replies as players send them.

One message comes by each connection. Clients are sloppy: all that can be understood is taken, and anything else gets a
reply that says what is wrong. Size and time are bounded.
"""

from __future__ import annotations

import asyncio
import time
from asyncio import StreamReader, StreamWriter
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import unquote_to_bytes

import h11

from ludens.protocol import MAX_MESSAGE_BYTES

MAX_HEAD_BYTES = 64 * 1024
HEAD_TOO_LARGE = f"the head of a request has at most {MAX_HEAD_BYTES:,} bytes"
PIECE = 64 * 1024
PROMPT_SECONDS = 1.0
"""Where it is not sure whether there is more to come, so long is waited for it."""
HEAD_ENDS = (b"\n\r\n", b"\n\n")
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
FOR_BROWSERS = (
    "Access-Control-Allow-Origin: *\r\n"
    "Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
    "Access-Control-Allow-Headers: Accept, Content-Type, Receiver, Sender\r\n"
    "Access-Control-Max-Age: 86400\r\n"
)


@dataclass(frozen=True, slots=True)
class Request:
    """A message that somebody sent; None where only permission to send one is asked for."""

    text: str | None
    received: float
    """When it began to come in, by `time.monotonic()`."""


class BadRequestError(Exception):
    """What came in is no request that can be served."""

    def __init__(self, status: int, reason: str) -> None:
        self.status, self.reason = status, reason
        super().__init__(reason)


def reply_bytes(text: str, status: int = HTTPStatus.OK) -> bytes:
    """A reply, whole; the connection is closed after it.

    >>> reply_bytes("ready").splitlines()[0]
    b'HTTP/1.0 200 OK'
    """
    body = text.encode(errors="replace")
    head = (
        f"HTTP/1.0 {status} {HTTPStatus(status).phrase}\r\n"
        "Content-type: text/acl\r\n"
        f"Content-length: {len(body)}\r\n"
        f"{FOR_BROWSERS}\r\n"
    )
    return head.encode() + body


async def read_request(reader: StreamReader, writer: StreamWriter) -> Request | None:
    """The request that comes in; None if there is none at all. BadRequestError for one that cannot be served."""
    data = await reader.read(PIECE)
    if not data:
        return None
    received = time.monotonic()
    while (end := _head_end(data)) is None:
        if len(data) > MAX_HEAD_BYTES:
            raise BadRequestError(431, HEAD_TOO_LARGE)
        piece = await reader.read(PIECE)
        if not piece:
            raise BadRequestError(400, "incomplete request head; send `POST / HTTP/1.0` and a blank line")
        data += piece
    if end > MAX_HEAD_BYTES:
        raise BadRequestError(431, HEAD_TOO_LARGE)
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=2 * MAX_HEAD_BYTES)
    try:
        connection.receive_data(_mended(data[:end]))
        head = connection.next_event()
        if not isinstance(head, h11.Request):
            raise BadRequestError(400, "missing request head")
        return Request(await _message(connection, head, data[end:], reader, writer), received)
    except h11.RemoteProtocolError as error:
        raise BadRequestError(error.error_status_hint, f"malformed HTTP: {error}") from None


async def _message(
    connection: h11.Connection, head: h11.Request, begun: bytes, reader: StreamReader, writer: StreamWriter
) -> str | None:
    match head.method.upper():
        case b"OPTIONS":
            return None
        case b"GET":
            return decoded(unquote_to_bytes(head.target.removeprefix(b"/").replace(b"+", b" ")))
        case b"POST":
            names = {bytes(name) for name, _ in head.headers}
            if not names & {b"content-length", b"transfer-encoding"}:
                return decoded(await _bare_body(begun, reader))
            body = await _framed_body(connection, head, begun, reader, writer)
            return decoded(body if body.isascii() else await _whole_body(body, connection.trailing_data[0], reader))
        case method:
            raise BadRequestError(405, f"{method.decode()} is not understood; POST a message, or GET it as the address")


async def _framed_body(
    connection: h11.Connection, head: h11.Request, begun: bytes, reader: StreamReader, writer: StreamWriter
) -> bytes:
    """A body of a length that is told, or in pieces."""
    for name, value in head.headers:
        if name == b"content-length":
            _check_size(int(value))
    body = bytearray()
    if begun:
        connection.receive_data(begun)
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            if connection.they_are_waiting_for_100_continue:
                writer.write(CONTINUE)
                connection.send(h11.InformationalResponse(status_code=100, headers=[]))
            connection.receive_data(await reader.read(PIECE))
        elif isinstance(event, h11.Data):
            body += event.data
            _check_size(len(body))
        else:
            return bytes(body)


async def _bare_body(begun: bytes, reader: StreamReader) -> bytes:
    """A body of unknown length: it ends with the input, or when all its parentheses are closed; or there is none."""
    begun = begun or await _promptly(reader)
    body, balance = bytearray(begun), Balance()
    balance.add(begun)
    while begun and not balance.is_closed:
        piece = await reader.read(PIECE)
        if not piece:
            break
        body += piece
        balance.add(piece)
        _check_size(len(body))
    return bytes(body)


async def _whole_body(body: bytes, more: bytes, reader: StreamReader) -> bytes:
    """The body with what comes after it, if it breaks off: some clients count letters where bytes are to be counted."""
    balance = Balance()
    balance.add(body)
    while not balance.is_closed:
        more = more or await _promptly(reader)
        if not more:
            break
        body += more
        balance.add(more)
        _check_size(len(body))
        more = b""
    return body


async def _promptly(reader: StreamReader) -> bytes:
    """What comes next, if that is soon."""
    with suppress(TimeoutError):
        async with asyncio.timeout(PROMPT_SECONDS):
            return await reader.read(PIECE)
    return b""


class Balance:
    """Counts parentheses in text that comes in pieces; comments do not count."""

    def __init__(self) -> None:
        self._depth, self._opened, self._in_comment = 0, False, False

    def add(self, piece: bytes) -> None:
        for number, line in enumerate(piece.split(b"\n")):
            if number:
                self._in_comment = False
            code, semicolon, _ = (b"", b"", b"") if self._in_comment else line.partition(b";")
            self._opened |= b"(" in code
            self._depth += code.count(b"(") - code.count(b")")
            self._in_comment |= bool(semicolon)

    @property
    def is_closed(self) -> bool:
        return self._opened and self._depth <= 0


def decoded(data: bytes) -> str:
    """Bytes as text: UTF-8, or else Latin-1, in which everything is some text."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _check_size(size: int) -> None:
    if size > MAX_MESSAGE_BYTES:
        raise BadRequestError(413, f"a message has at most {MAX_MESSAGE_BYTES:,} bytes")


def _head_end(data: bytes) -> int | None:
    """Where the head of a request ends, if it does."""
    ends = [place + len(end) for end in HEAD_ENDS if (place := data.find(end)) >= 0]
    return min(ends, default=None)


def _mended(head: bytes) -> bytes:
    """The head with what old clients leave out: the name of the host, and the code of blanks in the address."""
    line, *rest = head.lstrip(b"\r\n").split(b"\n")
    words = line.strip().split(b" ")
    if len(words) > 3:
        line = b" ".join([words[0], b"%20".join(words[1:-1]), words[-1]]) + b"\r"
    if not any(other[:5].lower() == b"host:" for other in rest):
        rest.insert(0, b"Host: \r")
    return b"\n".join([line, *rest])
