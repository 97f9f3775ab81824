"""Making machine code ahead, so that it lies on disk when a game or a player needs it.

    python -m ludens.runtime.warm_up [MODULE [PART ...]]

makes what is missing, on all cores; or parts of what one module declares, in this process. A module `warm_up` beside
the kernels declares them as a `MachineCode`; it is found by its name, as this package imports nothing above it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from threading import TIMEOUT_MAX, Event
from typing import Any

from ludens.runtime.cores import available_cores
from ludens.runtime.deadline import Deadline
from ludens.runtime.jit import has_disk, versions_on_disk
from ludens.runtime.process_lock import ProcessLock
from ludens.runtime.processes import python_command, run_command
from ludens.runtime.threads import Interrupted, map_in_threads

MODULES = ("ludens.engines.sliced.warm_up", "ludens.search.warm_up", "ludens.evaluation.fuzzy.warm_up")
"""Where machine code is declared, each in a constant `MACHINE_CODE`."""


@dataclass(frozen=True, slots=True)
class WarmUpPart:
    """A part of the machine code that is made by one process."""

    name: str
    make: Callable[[], object]
    """Calls kernels with arguments of all kinds that they are compiled for."""
    after: str | None = None
    """The part that has to be there before: either it makes code for this one, or both make versions of the same
    kernel, whose index only one process at a time may write."""


@dataclass(frozen=True, slots=True)
class MachineCode:
    """The machine code of some packages; without it on disk, it is made when it is needed."""

    module: str
    """The name of the module that declares it."""
    kernels: Sequence[tuple[Callable[..., Any], int]]
    """Kernels that take a while to compile, and in how many versions; the others are a part of these, or small."""
    parts: Sequence[WarmUpPart]
    """In an order that makes nothing twice."""
    needs: Sequence[MachineCode] = ()
    lock: ProcessLock = field(default_factory=ProcessLock)

    @property
    def is_warm(self) -> bool:
        """Whether all of it is on disk."""
        own = all(versions_on_disk(kernel) >= versions for kernel, versions in self.kernels)
        return own and all(one.is_warm for one in self.needs)

    def warm_up(self, deadline: Deadline) -> None:
        """Have it made by another process, unless it is there, until the deadline passes; it may fail silently."""
        if self.is_warm or not has_disk(self.kernels[0][0]):
            return
        if self.lock.acquire(timeout=min(deadline.remaining, TIMEOUT_MAX)):
            try:
                if not self.is_warm:
                    self._run(deadline)
            finally:
                self.lock.release()

    def make(self, *names: str) -> None:
        """Make all parts in this process, or those named; each loads what others have made before."""
        for one in self.needs if not names else ():
            one.make()
        for part in self.parts:
            if not names or part.name in names:
                part.make()

    def _run(self, deadline: Deadline) -> None:
        try:
            run_command(python_command(__spec__.name, self.module, watch=True), deadline)
        except (OSError, RuntimeError, Interrupted):
            return


def declared(module: str) -> MachineCode:
    """Return what a module declares."""
    found = import_module(module).MACHINE_CODE
    assert isinstance(found.parts, Sequence)
    return found  # type: ignore[no-any-return] # as a program this module is imported twice


def warm_up_all(modules: Sequence[str] = MODULES) -> int:
    """Make all machine code that is not on disk, on all cores, with a line for each part; return an exit code."""
    codes = [declared(module) for module in modules]
    if all(code.is_warm for code in codes):
        return 0
    print("preparing machine code (about a minute on two cores from scratch) ...", flush=True)
    jobs = [(code.module, part) for code in codes for part in code.parts]
    began, done, failures = time.monotonic(), {part.name: Event() for _, part in jobs}, list[str]()
    finished, deadline = list[str](), Deadline.never()

    def make(job: tuple[str, WarmUpPart]) -> None:
        module, part = job
        try:
            if part.after:
                done[part.after].wait()
            if not failures:
                _make_part(module, part.name, deadline, failures)
                finished.append(part.name)
                seconds = time.monotonic() - began
                print(f"  {part.name} ({len(finished)} of {len(jobs)}, {seconds:.0f} s)", flush=True)
        finally:
            done[part.name].set()

    map_in_threads(make, _in_order(jobs), len(available_cores()), on_failure=deadline.cancel)
    return int(bool(failures))


def _in_order(jobs: Sequence[tuple[str, WarmUpPart]]) -> list[tuple[str, WarmUpPart]]:
    """Put each part after the one that it needs, so that no thread waits for what cannot begin."""
    ordered, names = list[tuple[str, WarmUpPart]](), set[str | None]([None])
    while len(ordered) < len(jobs):
        ready = [job for job in jobs if job not in ordered and job[1].after in names]
        assert ready, "parts wait for each other"
        ordered += ready
        names |= {job[1].name for job in ready}
    return ordered


def _make_part(module: str, part: str, deadline: Deadline, failures: list[str]) -> None:
    try:
        ending = run_command(python_command(__spec__.name, module, part, watch=True), deadline)
    except BaseException as error:
        failures.append(str(error))
        raise
    if ending.code:
        failures.append(str(ending))
        print(ending.errors, file=sys.stderr, flush=True)


def main(arguments: Sequence[str]) -> int:
    if not arguments:
        return warm_up_all()
    declared(arguments[0]).make(*arguments[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
