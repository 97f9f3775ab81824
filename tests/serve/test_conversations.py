"""Conversations byte by byte: what the servers of the world send, and what they get."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable, Iterator

import pytest

from ludens.players import LegalPlayer
from ludens.serve import PlayerServer, serving
from tests.serve.strangers import base_request, exchange, read_all, say, tud_request

RULES = """
(ROLE WHITE) (ROLE BLACK) (INIT (HEAP 2)) (INIT (CONTROL WHITE)) (SUCC 1 2) (SUCC 0 1)
(<= (LEGAL ?P (TAKE 1)) (TRUE (CONTROL ?P))) (<= (LEGAL WHITE NOOP) (TRUE (CONTROL BLACK)))
(<= (LEGAL BLACK NOOP) (TRUE (CONTROL WHITE)))
(<= (NEXT (HEAP ?M)) (TRUE (HEAP ?N)) (SUCC ?M ?N)) (<= (NEXT (CONTROL BLACK)) (TRUE (CONTROL WHITE)))
(<= (NEXT (CONTROL WHITE)) (TRUE (CONTROL BLACK))) (<= TERMINAL (TRUE (HEAP 0))) (GOAL WHITE 0) (GOAL BLACK 100)
"""
BROWSERS = (
    b"Access-Control-Allow-Origin: *\r\n"
    b"Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
    b"Access-Control-Allow-Headers: Accept, Content-Type, Receiver, Sender\r\n"
    b"Access-Control-Max-Age: 86400\r\n\r\n"
)
INFO, BUSY_INFO = b"((name ludens) (status available))", b"((name ludens) (status busy))"


def reply(body: bytes) -> bytes:
    return b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: %d\r\n" % len(body) + BROWSERS + body


@pytest.fixture
def served() -> Iterator[PlayerServer]:
    with serving(LegalPlayer, name="ludens") as running:
        yield running


BASE = [
    ("( INFO )", INFO),
    (f"( PREVIEW ( {RULES.lower()} ) 10 )", b"ready"),
    (f"( START Kiosk.White-1 white ( {RULES.lower()} ) 10 5 )", b"ready"),
    ("( INFO )", BUSY_INFO),
    ("( PING )", b"busy"),
    (f"( START other white ( {RULES.lower()} ) 10 5 )", b"busy"),
    ("( PLAY Kiosk.White-1 NIL )", b"(take 1)"),
    ("( PLAY Kiosk.White-1 NIL )", b"(take 1)"),
    ("( PLAY kiosk.white-1 NIL )", b"busy"),
    ("( PLAY Kiosk.White-1 ( ( take 1 ) noop ) )", b"noop"),
    ("( STOP Kiosk.White-1 ( noop ( take 1 ) ) )", b"done"),
    ("( STOP Kiosk.White-1 ( noop ( take 1 ) ) )", b"done"),
    ("( PLAY Kiosk.White-1 NIL )", b"busy"),
    ("( PING )", b"ready"),
]
TUD = [
    ("(INFO)", INFO),
    (f"(START match.7 BLACK ({RULES}) 30 10)", b"ready"),
    ("(PLAY match.7 NIL)", b"NOOP"),
    ("(PLAY match.7 ((TAKE 1) NOOP))", b"(TAKE 1)"),
    ("(ABORT match.7)", b"aborted"),
    ("(ABORT match.7)", b"aborted"),
    ("(ABORT match.8)", b"busy"),
    ("(STOP match.8 (NOOP NOOP))", b"busy"),
    ("(INFO)", INFO),
]


@pytest.mark.parametrize(("style", "conversation"), [(base_request, BASE), (tud_request, TUD)], ids=["base", "tud"])
def test_conversation(
    served: PlayerServer, style: Callable[[str], bytes], conversation: list[tuple[str, bytes]]
) -> None:
    for message, answer in conversation:
        assert exchange(served, style(message)) == reply(answer), message


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 6\r\n\r\n(INFO)",
        b"POST / HTTP/1.1\r\ncontent-LENGTH: 6\r\n\r\n(INFO)",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n(IN\r\n3\r\nFO)\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 6\r\nConnection: keep-alive\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\n\n; (\n(info)",
        b"POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n",
        b"POST / HTTP/1.0\r\n\r\n",
        b"\r\nPOST http://127.0.0.1/ HTTP/1.0\r\nContent-Length: 9\r\n\r\n\xef\xbb\xbf(INFO)",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET /(INFO) HTTP/1.0\r\n\r\n",
        b"GET /%28%20InFo%20%29 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /( INFO ) HTTP/1.0\r\n\r\n",
        b"GET /(+info+) HTTP/1.0\n\n",
    ],
)
def test_sloppy_requests_are_understood(served: PlayerServer, request_bytes: bytes) -> None:
    assert exchange(served, request_bytes) == reply(INFO)


def test_the_body_may_end_with_the_input(served: PlayerServer) -> None:
    assert exchange(served, b"POST / HTTP/1.0\r\n\r\ninfo", half_close=True) == reply(INFO)


def test_browsers_ask_before_they_post(served: PlayerServer) -> None:
    asked = b"OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://page\r\nAccess-Control-Request-Method: POST\r\n\r\n"
    assert exchange(served, asked) == reply(b"")


def test_a_client_that_waits_for_leave_to_send_gets_it(served: PlayerServer) -> None:
    with socket.create_connection((served.host, served.port), 10) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nExpect: 100-continue\r\n\r\n")
        assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"(PING)")
        assert read_all(connection) == reply(b"ready")


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("(HELLO)", "error: there is no command HELLO; there are INFO, PING, PREVIEW, START, PLAY, STOP, ABORT"),
        ("(PLAY m", "error: a parenthesis is never closed: (PLAY m"),
        (")", "error: a parenthesis that was never opened is closed after "),
        ("(PLAY)", "error: PLAY lacks an argument; the form is (PLAY MATCH (MOVES)) or ..."),
        ("(START m white (role white) ten 5)", "error: a clock is a number of seconds, not ten"),
        ("grüße 東京", "error: there is no command grüße; ..."),
    ],
)
def test_what_is_no_message_is_told_so(served: PlayerServer, message: str, answer: str) -> None:
    given = say(served, message)
    assert given.startswith(answer.removesuffix("...")), given
    assert say(served, "(PING)") == "ready"


@pytest.mark.parametrize(
    ("rules", "role"),
    [
        ("(role white", "white"),
        ("(role white) (legal white go)", "white"),
        ("", "white"),
        (RULES, "green"),
        (RULES, "?x"),
        ("(role white) (<= terminal (not terminal)) (legal white go) (goal white 0)", "white"),
    ],
)
def test_a_match_that_cannot_be_played_is_refused(served: PlayerServer, rules: str, role: str) -> None:
    answer = say(served, f"(START m {role} ({rules}) 10 10)")
    assert answer == "busy" or answer.startswith("error: ")
    assert say(served, "(PLAY m NIL)") == "busy"
    assert say(served, f"(START m white ({RULES}) 10 10)") == "ready"
    assert say(served, "(PLAY m NIL)") == "(TAKE 1)"


def curl(served: PlayerServer, *arguments: str, sent: str = "") -> str:
    command = ["curl", "--silent", "--show-error", "--max-time", "20", *arguments]
    return subprocess.run(command, input=sent, capture_output=True, text=True, check=True).stdout


@pytest.mark.external
@pytest.mark.external
def test_curl_as_a_stranger(served: PlayerServer) -> None:
    assert curl(served, "--data", "(INFO)", served.address) == INFO.decode()
    assert curl(served, f"{served.address}/(PING)") == "ready"
    assert curl(served, "--data-binary", f"(START m white ({RULES}) 10 10)", served.address) == "ready"
    assert (
        curl(served, "--header", "Transfer-Encoding: chunked", "--data", "(PLAY m NIL)", served.address) == "(TAKE 1)"
    )
    assert curl(served, "--header", "Expect: 100-continue", "--data", "(ABORT m)", served.address) == "aborted"
    padded = f"(PREVIEW ({RULES} {' ' * 2_000_000}) 10)"
    assert curl(served, "--data-binary", "@-", served.address, sent=padded) == "ready"
