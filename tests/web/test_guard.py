"""Requests that do not come from the server's own pages get nothing done."""

from __future__ import annotations

import http.client
import time
from urllib.parse import urlsplit

import pytest

from benchmarks.web_server import WebServer
from ludens.web.guard import MAX_BODY_BYTES, refused

HOST = {"host": "127.0.0.1:8090"}
EVIL = "http://evil.example"
HANDSHAKE = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"


def status(server: WebServer, method: str, path: str, **headers: str) -> int:
    connection = http.client.HTTPConnection(urlsplit(server.address).netloc, timeout=30)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers=named)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


@pytest.mark.parametrize(
    ("method", "headers", "expected"),
    [
        ("GET", {}, None),
        ("GET", {"origin": "http://127.0.0.1:8090"}, None),
        ("GET", {"origin": EVIL}, 403),
        ("GET", {"origin": "null"}, 403),
        ("GET", {"origin": "http://127.0.0.1:3000"}, 403),
        ("GET", {"sec-fetch-site": "same-origin", "sec-fetch-mode": "no-cors"}, None),
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}, 403),
        ("GET", {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}, 403),
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}, 403),
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}, None),
        ("POST", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "content-length": "1"}, 403),
        ("POST", {"content-length": "100"}, None),
        ("POST", {"content-length": str(MAX_BODY_BYTES + 1)}, 413),
        ("POST", {"transfer-encoding": "chunked"}, 411),
        ("POST", {"content-length": "-1"}, 411),
    ],
)
def test_what_is_refused(method: str, headers: dict[str, str], expected: int | None) -> None:
    answer = refused(method, HOST | headers)
    assert (answer and answer[0]) == expected


@pytest.mark.parametrize("host", ["evil.example", "", "[::1", "127.0.0.1.evil.example:8090"])
def test_other_names_are_refused(host: str) -> None:
    answer = refused("GET", {"host": host}, {"localhost", "127.0.0.1", "::1"})
    assert answer
    assert answer[0] == 400


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:8090", "[::1]:8090"])
def test_the_names_of_this_machine_pass(host: str) -> None:
    assert refused("GET", {"host": host}, {"localhost", "127.0.0.1", "::1"}) is None


def test_other_pages_are_not_answered(server: WebServer) -> None:
    assert status(server, "GET", "/play/tictactoe") == 200
    assert status(server, "GET", "/play/tictactoe", Origin=EVIL) == 403
    assert status(server, "GET", HANDSHAKE) == 200
    assert status(server, "GET", HANDSHAKE, Origin=EVIL) == 403
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13"}
    socket = {"Sec_WebSocket_Key": "AAAAAAAAAAAAAAAAAAAAAA==", **upgrade}
    assert status(server, "GET", HANDSHAKE.replace("polling", "websocket"), Origin=EVIL, **socket) == 403


def test_what_is_too_large_is_not_read(server: WebServer) -> None:
    assert status(server, "POST", "/_nicegui/client/x/upload/1", Content_Length="40000000") == 413


def test_who_only_asks_for_the_text_of_a_page_starts_no_process(server: WebServer) -> None:
    before = len(server.children())
    for path in ("/play/tictactoe", "/write", "/watch/match/x", "/watch/file"):
        for _ in range(3):
            assert status(server, "GET", path) == 200
    time.sleep(0.5)
    assert len(server.children()) <= max(before, 1)
