"""A player that is nothing but a socket: it keeps every byte that it gets, and sends bytes that were prepared."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from threading import Thread
from types import TracebackType


class WirePlayer:
    """Takes one connection after the other, reads one request from each, and replies with the next of its replies."""

    def __init__(self, replies: Sequence[bytes]) -> None:
        self.requests: list[bytes] = []
        self._replies = list(replies)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(20)
        self._thread = Thread(target=self._serve)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def bodies(self) -> list[str]:
        return [request.partition(b"\r\n\r\n")[2].decode() for request in self.requests]

    def __enter__(self) -> WirePlayer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close() if kind else None
        self._thread.join(20)
        self._listener.close()

    def _serve(self) -> None:
        for reply in self._replies:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self.requests.append(_request(connection))
                connection.sendall(reply)


def _request(connection: socket.socket) -> bytes:
    """All of a request, as its length says."""
    with connection.makefile("rb") as file:
        head = b""
        while not head.endswith(b"\r\n\r\n") and (line := file.readline()):
            head += line
        length = head.lower().partition(b"content-length:")[2].split()
        return head + (file.read(int(length[0])) if length else b"")


def ok(body: str) -> bytes:
    return f"HTTP/1.0 200 OK\r\nContent-Length: {len(body.encode())}\r\n\r\n{body}".encode()
