"""A terminal for tests: starts `python -m ludens` at a pseudo-terminal and types into it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from types import TracebackType

from tests.child import start

SECONDS = 60.0
"""For all that a command does here."""
SECONDS_TO_LEAVE = 20.0
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A running command and everything it has shown so far."""

    def __init__(self, *arguments: str) -> None:
        self._ends_at = time.monotonic() + SECONDS
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "PYTHONUNBUFFERED": "1"}
        self._process = start(
            [sys.executable, "-m", "ludens", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)
        self._raw = b""
        self._seen = 0

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._master)

    @property
    def text(self) -> str:
        return _ANSI.sub("", self._raw.decode(errors="replace")).replace("\r", "")

    def expect(self, words: str) -> str:
        """Wait until these words are shown, after those that were expected before; returns what led up to them."""
        while (place := self.text.find(words, self._seen)) < 0:
            if not self._read():
                raise AssertionError(f"the command ended without showing {words!r}; it showed:\n{self.text}")
        shown = self.text[self._seen : place + len(words)]
        self._seen = place + len(words)
        return shown

    def type(self, text: str) -> None:
        os.write(self._master, text.encode() + b"\n")

    def press_control_d(self) -> None:
        os.write(self._master, b"\x04")

    def press_control_c(self) -> None:
        self._process.send_signal(signal.SIGINT)
        self._ends_at = min(self._ends_at, time.monotonic() + SECONDS_TO_LEAVE)

    def exit_code(self) -> int:
        """Wait for the end of the command."""
        while self._read():
            pass
        return self._process.wait(timeout=10)

    def _read(self) -> bool:
        """Take in some output; false at the end of the command."""
        left = self._ends_at - time.monotonic()
        if left <= 0 or not select.select([self._master], [], [], left)[0]:
            raise AssertionError(f"nothing more came in time; the command showed:\n{self.text}")
        try:
            data = os.read(self._master, 65536)
        except OSError:
            return False
        self._raw += data
        return bool(data)
