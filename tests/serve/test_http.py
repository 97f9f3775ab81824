"""Requests that are none: each gets a reply that says so, and costs a bounded amount."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.players import LegalPlayer
from ludens.protocol import MAX_MESSAGE_BYTES
from ludens.serve import PlayerServer, serving
from ludens.serve.http import BadRequestError, Balance, Request, decoded, read_request, reply_bytes
from tests.serve.strangers import exchange, say
from tests.tiers import examples


@pytest.fixture(scope="module")
def served() -> Iterator[PlayerServer]:
    with serving(LegalPlayer) as running:
        yield running


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"(INFO)\r\n\r\n", 400),
        (b"POST\r\n\r\n", 400),
        (b"POST / HTTP/1.0", 400),
        (b"POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(IN", 400),
        (b"POST / HTTP/1.0\r\nContent-Length: six\r\n\r\n(INFO)", 400),
        (b"POST / HTTP/1.0\r\nContent-Length: -6\r\n\r\n(INFO)", 400),
        (b"POST / HTTP/1.0\r\nContent-Length: 6\r\nContent-Length: 7\r\n\r\n(INFO)", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n(INFO)\r\n0\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        (b"\x16\x03\x01\x02\x00\x01\n\n", 400),
        (b"DELETE / HTTP/1.0\r\n\r\n", 405),
        (b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % (MAX_MESSAGE_BYTES + 1), 413),
        (b"POST / HTTP/1.0\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
        (b"POST / HTTP/1.0\r\n\r\n(" + b" " * MAX_MESSAGE_BYTES, 413),
        (b"POST / HTTP/1.0\r\nX: " + b"x" * 66_000 + b"\r\n\r\n", 431),
        (b"POST / HTTP/1.0\r\nX: " + b"x" * 300_000 + b"\r\n\r\n", 431),
        (b"x" * 300_000, 431),
    ],
)
def test_a_request_that_cannot_be_served_is_told_so(served: PlayerServer, request_bytes: bytes, status: int) -> None:
    reply = exchange(served, request_bytes, half_close=True)
    assert reply.startswith(b"HTTP/1.0 %d " % status), reply[:100]
    head, _, body = reply.partition(b"\r\n\r\n")
    assert b"Content-type: text/acl" in head
    assert body.startswith(b"error: ")
    assert say(served, "(PING)") == "ready"


def test_nothing_at_all_gets_nothing(served: PlayerServer) -> None:
    assert exchange(served, b"", half_close=True) == b""


def test_a_message_of_the_greatest_size_is_read(served: PlayerServer) -> None:
    body = b"(PREVIEW (" + b" " * (MAX_MESSAGE_BYTES - 15) + b") 10)"
    assert len(body) == MAX_MESSAGE_BYTES
    reply = exchange(served, b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    assert reply.endswith(b"\r\n\r\nready")


@pytest.mark.parametrize("length", [8, 6], ids=["in bytes", "in letters"])
def test_lengths_are_bytes_and_clients_that_count_letters_are_understood(served: PlayerServer, length: int) -> None:
    reply = exchange(served, f"POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n(grüß)".encode())
    body = reply.partition(b"\r\n\r\n")[2]
    assert body.decode().startswith("error: there is no command grüß;")
    assert b"Content-length: %d\r\n" % len(body) in reply


def test_texts_that_are_not_utf_8_are_latin_1() -> None:
    assert decoded("(grüß)".encode()) == decoded("(grüß)".encode("latin-1")) == "(grüß)"


class Pieces:
    """Input that comes in pieces."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self.pieces = [piece for piece in pieces if piece]

    async def read(self, size: int) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""


class Output:
    def write(self, data: bytes) -> None: ...


def read_pieces(pieces: Sequence[bytes]) -> Request | None:
    reader: Any = Pieces(pieces)
    writer: Any = Output()
    return asyncio.run(read_request(reader, writer))


def cut(data: bytes, places: Sequence[int]) -> list[bytes]:
    bounds = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[first:last] for first, last in pairwise(bounds)]


WHOLE = [
    b"POST / HTTP/1.0\r\nContent-Length: 17\r\n\r\n(PLAY m ((a) b))\n",
    b"POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n5\r\n(PLAY\r\nc\r\n m ((a) b))\n\r\n0\r\n\r\n",
    b"POST / HTTP/1.0\r\n\r\n(PLAY m ((a) b))\n",
    b"GET /(PLAY+m+((a)%20b))%0A HTTP/1.0\r\n\r\n",
]


@examples(100)
@given(st.sampled_from(WHOLE), st.lists(st.integers(0, 200), max_size=6))
def test_it_does_not_matter_how_a_request_is_cut(request_bytes: bytes, places: list[int]) -> None:
    request = read_pieces(cut(request_bytes, places))
    assert request is not None
    assert request.text is not None
    assert request.text.strip() == "(PLAY m ((a) b))"


@examples(300)
@given(
    st.sampled_from([b"", b"POST / HTTP/1.0\r\n", b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"GET /"]),
    st.lists(
        st.binary(max_size=40) | st.sampled_from([b"\r\n", b"\n\n", b"(", b")", b";", b": ", b"0\r\n\r\n"]), max_size=8
    ),
)
def test_noise_is_read_or_refused(begun: bytes, noise: list[bytes]) -> None:
    try:
        request = read_pieces([begun, *noise])
    except BadRequestError as error:
        reply = reply_bytes(error.reason, error.status)
        request = None
        if not reply.startswith(b"HTTP/1.0 4") and not reply.startswith(b"HTTP/1.0 5"):
            raise
    if request and request.text is not None:
        reply_bytes(request.text)


@given(st.text(alphabet="()a; \n", max_size=60), st.lists(st.integers(0, 60), max_size=4))
def test_parentheses_are_counted_in_any_pieces(text: str, places: list[int]) -> None:
    """Against counting in the whole text without its comments."""
    code = "\n".join(line.partition(";")[0] for line in text.split("\n"))
    balance = Balance()
    for piece in cut(text.encode(), places):
        balance.add(piece)
    assert balance.is_closed == ("(" in code and code.count("(") <= code.count(")"))
