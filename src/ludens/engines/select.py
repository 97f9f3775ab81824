"""Which engine answers: the reference engine at once, a compiled one as soon as it is ready."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread, current_thread
from typing import TYPE_CHECKING

from ludens.engines.base import Engine
from ludens.engines.fallback import FallbackEngine
from ludens.engines.reference import ReferenceEngine
from ludens.errors import CompileError, EngineError, UnfinishedError
from ludens.gdl.rules import Rules
from ludens.ground import GroundingLimits
from ludens.runtime.deadline import Deadline
from ludens.runtime.lazy import load_object
from ludens.runtime.process_lock import ProcessLock
from ludens.runtime.threads import start_thread

if TYPE_CHECKING:
    from ludens.engines.native import NativeEngine
    from ludens.engines.relational import RelationalEngine

NATIVE_ENGINE = "ludens.engines.native:NativeEngine"
RELATIONAL_ENGINE = "ludens.engines.relational:RelationalEngine"
WARM_UP = "ludens.engines.sliced.warm_up:warm_up"
JOIN_AT_EXIT = "ludens.engines.backend.machine_code:join_at_exit"
"""What makes machine code takes longer to import than most games take to load."""
WARM_UP_SECONDS = 300.0
TURN_SECONDS, USUAL_TURN_SECONDS = 0.0005, 0.005
POLL_SECONDS = 0.1
"""Seconds between two looks at what is waited for, and so between two reports of progress."""
RELATIONAL_AFTER = 3.0
"""Seconds after which somebody who waits for a circuit gets the relational engine to go on with."""
RELATIONAL_SHARE, RELATIONAL_SOONEST = 0.25, 1.0
"""The same as a part of the time that is left, and the least: most circuits are made in a second."""
PHASES_AFTER_GROUNDING = {"read", "circuit"}
"""Phases that begin when the rules are ground. The circuit is then sure to come, and soon in most games."""
JOINS_SECONDS = 60.0
"""How long the relational engine may take to make, and how long it is waited for where there is no circuit."""


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


class EngineLoader:
    """The compiled engine of a game, made in a thread of its own.

    The rules become a circuit if they can: the native engine evaluates it, one state at a time or hundreds. Where the
    circuit is long in coming the relational engine is made beside it and answers meanwhile; where there is none it
    stays. A circuit is never given up for it: in a few games it plays single random games faster, but a caller with
    many states, or one that asks through `State`, does better with the circuit. Whatever goes wrong ends in `error`,
    and nobody else is disturbed.
    """

    def __init__(
        self, rules: Rules, limits: GroundingLimits | None = None, reference: ReferenceEngine | None = None
    ) -> None:
        """`reference`: the reference engine of these rules, if there is one already."""
        self.engine: Engine | None = None
        """The best engine that is ready."""
        self.error: EngineError | None = None
        """Why there will be no engine."""
        self.circuit_error: EngineError | None = None
        """Why there will be no circuit, and so neither the sliced nor the native engine."""
        self.phase = "waiting"
        """What is being done, in one word or two."""
        self.patience = RELATIONAL_AFTER
        """How many seconds the circuit may take before the relational engine is made too.

        They count anew when the rules are ground: the two share a core, and one would delay the other.
        """
        self._waiting_since = math.inf
        self._rules, self._limits, self._reference = rules, limits or GroundingLimits(), reference
        self._joins_error: EngineError | None = None
        self._has_begun = False
        self._lock = ProcessLock()
        self._process = os.getpid()
        self._make_events()

    def _make_events(self) -> None:
        self._cancelled, self._over = Deadline.never(), Event()
        self._decided = Event()
        """Set when there is a circuit, or will be none."""
        self._not_needed = Deadline.never()
        """Cancelled when there is no use for the relational engine any more."""

    def _notice_copy(self) -> None:
        """In a copy of the process there are no threads, and events that they held will never be free."""
        if self._process == os.getpid():
            return
        with self._lock:
            if self._process == os.getpid():  # another thread of the copy was here first
                return
            settled, cancelled, begun = self._over.is_set(), self._cancelled.cancelled, self._has_begun
            self._make_events()
            if cancelled:
                self._give_up()
            if begun and not settled:
                again = "the process was copied while it compiled the rules; load the game again"
                self.circuit_error = self.circuit_error or UnfinishedError(again)
            if begun or settled:
                self._settle()
            self._process = os.getpid()

    @property
    def over(self) -> bool:
        """Whether there is an engine that stays, or will be none."""
        self._notice_copy()
        return self._over.is_set()

    def start(self) -> None:
        """Begin, unless that was done before."""
        if self.over:
            return
        with self._lock:
            if not self._has_begun:
                self._has_begun = True
                try:
                    start_thread(self._run, "ludens-compile")
                except (RuntimeError, MemoryError) as error:
                    self.refuse(f"there is no thread to compile the rules in: {error}")

    def wait(
        self,
        deadline: Deadline | None = None,
        progress: Callable[[str], None] | None = None,
        *,
        first: bool = False,
    ) -> bool:
        """Begin if need be, and wait until it is over or the deadline has passed; whether there is an engine.

        With `first` the first engine is enough, even if a better one may come.
        """
        deadline = deadline or Deadline.never()
        self.patience = min(self.patience, max(RELATIONAL_SOONEST, RELATIONAL_SHARE * deadline.remaining))
        self.start()
        while not self._over.wait(min(POLL_SECONDS, deadline.remaining)) and not deadline.passed:
            if first and self.engine:
                break
            if progress:
                progress(self.phase)
        return self.engine is not None

    def refuse(self, reason: str) -> None:
        """Do not even begin."""
        self.error = self.circuit_error = CompileError(reason)
        self._over.set()

    def cancel(self) -> None:
        """Give up; a compilation that is ready stays so."""
        self._notice_copy()
        self._give_up()

    def _give_up(self) -> None:
        self._cancelled.cancel()
        self._not_needed.cancel()

    def _run(self) -> None:
        """By way of a circuit; meanwhile another thread makes the relational engine if there is reason to."""
        try:
            joins = self._begin_joins()
            self.circuit_error = self._failure_of(self._run_circuit)
            self._decided.set()
            if self.circuit_error and joins:
                joins.join(JOINS_SECONDS)
            elif self.circuit_error:
                self._run_joins()
        finally:
            self._settle()

    def _settle(self) -> None:
        """From now on nothing changes any more, whatever happened; and it is known why there is no engine."""
        with self._lock:
            self._not_needed.cancel()
            circuit, joins = str(self.circuit_error), str(self._joins_error or "it takes too long")
            if self.engine is None and self.error is None:
                both = f"{circuit}; nor do the rules become joins: {joins}"
                self.error = CompileError(circuit if self._cancelled.cancelled or joins == circuit else both)
        self._decided.set()
        self._over.set()

    def _begin_joins(self) -> Thread | None:
        """Nothing if there can be no more threads."""
        try:
            return start_thread(self._run_joins, "ludens-joins")
        except (RuntimeError, MemoryError):
            return None

    def _failure_of(self, make: Callable[[], None]) -> EngineError | None:
        try:
            make()
        except EngineError as error:
            return error
        except BaseException as error:  # nobody else would learn of it: this is the last in a thread
            return CompileError(f"compiling the rules failed: {error!r}")
        return None

    def _run_circuit(self) -> None:
        with short_turns():
            engine = self._by_circuit()
        with self._lock:
            self.engine = engine
            self._not_needed.cancel()

    def _run_joins(self) -> None:
        """Make the relational engine once the circuit has taken too long, or has failed."""
        self._waiting_since = time.monotonic()
        while not self._decided.wait(POLL_SECONDS) and not self._is_late:
            pass
        if not self._not_needed.cancelled:
            self._joins_error = self._failure_of(self._use_joins)

    @property
    def _is_late(self) -> bool:
        """Whether the circuit takes so long that it is time for joins."""
        return time.monotonic() - self._waiting_since >= self.patience

    def _report(self, phase: str, done: int) -> None:
        self.phase = f"{phase} ({done:,} rules)" if done else phase
        if phase in PHASES_AFTER_GROUNDING:
            self._waiting_since = time.monotonic()

    def _use_joins(self) -> None:
        engine = self._by_joins()
        with self._lock:
            if not self._not_needed.cancelled:
                self.engine = engine

    def _by_circuit(self) -> Engine:
        _load_packages()
        native_engine: type[NativeEngine] = load_object(NATIVE_ENGINE)
        self.phase = "preparing machine code, only this once"
        load_object(WARM_UP)(self._cancelled.share(at_most=WARM_UP_SECONDS))
        return native_engine.compile(
            self._rules, self._limits, deadline=self._cancelled, progress=self._report, reference=self._reference
        )

    def _by_joins(self) -> Engine:
        _load_packages()
        relational_engine: type[RelationalEngine] = load_object(RELATIONAL_ENGINE)
        load_object(JOIN_AT_EXIT)(self, current_thread(), self._not_needed)
        if self._decided.is_set():
            self.phase = "compiling rules to joins"
        # With a reference engine of its own: that of the game answers one thread at a time, and others want it now.
        joins = relational_engine.compile(self._rules, deadline=self._not_needed.share(at_most=JOINS_SECONDS))
        return FallbackEngine(joins, self._reference or ReferenceEngine(self._rules))


def _load_packages() -> None:
    """Load what makes machine code, which takes longer than most games take to load.

    Whole packages, each after those it needs: where two threads at once import a package and a module of it, one of
    them may get a module that is not complete.
    """
    for package in ("sliced", "native", "relational"):
        load_object(f"ludens.engines.{package}")
