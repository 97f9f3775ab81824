"""Which engine answers: the reference engine at once, the compiled one as soon as it is ready."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import Any

from ludens.core import Deadline, Engine
from ludens.errors import CompileError, EngineError
from ludens.gdl.rules import Rules
from ludens.ground import GroundingLimits

WARM_UP_SECONDS = 300.0
TURN_SECONDS, USUAL_TURN_SECONDS = 0.0005, 0.005
PATIENCE = 0.1
"""Seconds between two reports of progress."""


@contextmanager
def short_turns() -> Iterator[None]:
    """Let threads take turns more often than usual.

    A compilation gives up its turn at every call of a kernel or of the system, and while somebody else is busy with
    Python it would wait for a long turn to end each time.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, TURN_SECONDS))
    try:
        yield
    finally:
        # Another compilation may have shortened the turns before this one did.
        sys.setswitchinterval(USUAL_TURN_SECONDS if before == TURN_SECONDS else before)


class Compilation:
    """The compiled engine of a game, made in a thread of its own.

    Whatever goes wrong there ends in `error`, and nobody else is disturbed.
    """

    def __init__(self, rules: Rules, limits: GroundingLimits | None = None) -> None:
        self.engine: Engine[Any] | None = None
        """The engine once it is ready."""
        self.error: EngineError | None = None
        """Why there will be no engine."""
        self.phase = "waiting"
        """What is being done, in one word or two."""
        self._rules, self._limits = rules, limits or GroundingLimits()
        self._cancelled, self._over = Event(), Event()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._process = os.getpid()

    @property
    def over(self) -> bool:
        """Whether there is an engine, or will be none."""
        return self._over.is_set()

    def start(self) -> None:
        """Begin, unless that was done before."""
        if self._process != os.getpid() and self._thread and not self.over:
            # Threads do not come along into a copy of the process.
            self.error = CompileError("the process was copied while it compiled the rules; load the game again")
            self._over.set()
            return
        with self._lock:
            if self._thread is None and not self.over:
                self._thread = Thread(target=self._run, name="ludens-compile", daemon=True)
                self._thread.start()

    def wait(self, deadline: Deadline | None = None, progress: Callable[[str], None] | None = None) -> bool:
        """Begin if need be, and wait until it is over or the deadline has passed; whether there is an engine."""
        deadline = deadline or Deadline.never()
        self.start()
        while not self._over.wait(min(PATIENCE, deadline.remaining)) and not deadline.passed:
            if progress:
                progress(self.phase)
        return self.engine is not None

    def refuse(self, reason: str) -> None:
        """Do not even begin."""
        self.error = CompileError(reason)
        self._over.set()

    def cancel(self) -> None:
        """Give up; a compilation that is ready stays so."""
        self._cancelled.set()

    def _run(self) -> None:
        try:
            with short_turns():
                self.engine = self._compiled()
        except EngineError as error:
            self.error = error
        except Exception as error:
            self.error = CompileError(f"compiling the rules failed: {error!r}")
        finally:
            self._over.set()

    def _compiled(self) -> Engine[Any]:
        def report(phase: str, done: int) -> None:
            self.phase = f"{phase} ({done:,} rules)" if done else phase

        # Importing what makes machine code takes longer than most games take to load.
        from ludens.engines.sliced import SlicedEngine
        from ludens.engines.sliced.warm_up import warm_up

        self.phase = "preparing machine code, only this once"
        warm_up(Deadline(WARM_UP_SECONDS), self._cancelled)
        return SlicedEngine.compile(self._rules, self._limits, cancelled=self._cancelled, progress=report)
