"""The way from a child process to its parent: messages come in by the standard input, answers go out."""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import suppress
from threading import Lock
from typing import Any


class ParentChannel:
    """Takes the standard output for answers; what is printed from now on goes to the standard error instead."""

    def __init__(self) -> None:
        self._output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        self._lock = Lock()

    def lines(self) -> Iterator[bytes]:
        """Return the lines that come in, without line ends, to the end of the input."""
        for line in sys.stdin.buffer:
            yield line.rstrip(b"\n")

    def objects(self) -> Iterator[Any]:
        """Return the objects that come in by `ChildProcess.send_object`, to the end of the input."""
        with suppress(EOFError, OSError, pickle.UnpicklingError):
            while True:
                yield pickle.load(sys.stdin.buffer)

    def send(self, data: bytes) -> None:
        """Write an answer whole, from any thread; end the process if its parent is gone."""
        try:
            with self._lock:
                self._output.write(data)
                self._output.flush()
        except OSError:
            os._exit(0)

    def send_json(self, value: object) -> None:
        """Write a value as a line of JSON."""
        self.send(json.dumps(value).encode() + b"\n")

    def send_object(self, value: object) -> None:
        """Write a pickled object, for `processes.read_objects`."""
        self.send(pickle.dumps(value))
