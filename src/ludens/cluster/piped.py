"""`PipedProcess`: a process of this computer that is told things and answers, both pickled one after the other."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, BinaryIO, cast


class PipedProcess:
    """Runs a module of ours; each direction has a thread, so that nobody waits for it."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        heard: Callable[[Any], None],
        ended: Callable[[int], None],
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """`heard` gets all that it says, then `ended` its exit code, both in the same thread.

        `environment`: by default that of this process.
        """
        self._heard, self._ended = heard, ended
        self._waiting: SimpleQueue[Any] = SimpleQueue()
        self._popen = subprocess.Popen(
            [sys.executable, "-P", "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=environment,
        )
        self._threads = [Thread(target=task, name=f"ludens{task.__name__}", daemon=True) for task in self._tasks()]
        for thread in self._threads:
            thread.start()

    def _tasks(self) -> tuple[Callable[[], None], ...]:
        return self._write, self._read

    @property
    def pid(self) -> int | None:
        return self._popen.pid

    def tell(self, what: object) -> None:
        self._waiting.put((what,))

    def finish(self) -> None:
        """Let it end by itself, once it has read all that it was told."""
        self._waiting.put(None)

    def end(self) -> None:
        """At once, whatever it does, and with all that it has started."""
        with suppress(ProcessLookupError, PermissionError):
            if not hasattr(os, "killpg"):
                self._popen.kill()
            elif self._popen.poll() is None:
                os.killpg(self._popen.pid, signal.SIGKILL)
        self.finish()

    def join(self, seconds: float) -> None:
        """Wait until nothing is left of it, so long at most."""
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    @property
    def is_over(self) -> bool:
        return not any(thread.is_alive() for thread in self._threads)

    def _write(self) -> None:
        with suppress(OSError), cast(BinaryIO, self._popen.stdin) as pipe:
            while (told := self._waiting.get()) is not None:
                pickle.dump(told[0], pipe)
                pipe.flush()

    def _read(self) -> None:
        with suppress(Exception), cast(BinaryIO, self._popen.stdout) as pipe:  # it may be cut off anywhere
            while True:
                self._heard(pickle.load(pipe))
        self.end()
        self._ended(self._popen.wait())
