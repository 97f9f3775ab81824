"""The grounder's own process: a script that runs clingo within limits and imports nothing else of ludens.

Arguments: the task (`ground` or `refute`), the limits in bytes and in CPU seconds (0 for none), then the folders to
import clingo from. The
standard input has the length of the program in bytes, a line end, and the program; it stays open after that, and
when it ends, since whoever started this process is gone, the process ends too.
"""

from __future__ import annotations

import os
import signal
import sys
from _thread import start_new_thread
from time import monotonic, process_time
from typing import Any

MEMORY_EXIT = 33
"""The exit code of clingo when memory is used up."""
SOLVER_OPTIONS = ("--configuration=jumpy", "--eq=0", "--sign-def=pos")
"""What proves most in the same time."""
MOST_CONFLICTS = 30_000
"""A question that takes more is left undecided, however much time there is: so what is proved depends on time only if
there is little."""
MOMENT = 0.2
"""So many seconds every claim gets, even when time is over."""
PATIENCE = 3.0
"""On a busy machine these are at most so many times as long."""


def limit_resources(memory_bytes: int, cpu_seconds: int) -> None:
    """Let the system refuse what is too much, where it can."""
    try:
        import resource
    except ImportError:
        return
    for kind, amount in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_CPU, cpu_seconds)):
        _, hard = resource.getrlimit(kind)
        if amount and (hard == resource.RLIM_INFINITY or amount < hard):
            try:
                resource.setrlimit(kind, (amount, hard))
            except (OSError, ValueError):
                continue


def end_with_input() -> None:
    """Wait until the standard input is closed."""
    while os.read(0, 4096):
        pass
    os._exit(1)


def ground(program: str) -> int:
    """Write the ground program."""
    from clingo.application import Application, clingo_main

    class Grounder(Application):
        def main(self, control, files):  # type: ignore[no-untyped-def]
            # clingo's own handlers can wait for ever for a lock that the interrupted code holds.
            for kind in (signal.SIGTERM, signal.SIGINT):
                signal.signal(kind, signal.SIG_DFL)
            control.add("base", [], program)
            control.ground([("base", [])])
            control.solve()

    return clingo_main(Grounder(), ["--mode=gringo", "--output=intermediate", "-Wnone"])


def refute(program: str) -> int:
    """Write the numbers of the claims that cannot be proved, and `proved` at the end; see `Refuter`."""
    from clingo import Control

    control = Control(["-Wnone", *SOLVER_OPTIONS, f"--solve-limit={MOST_CONFLICTS}"])
    control.add("base", [], program)
    control.ground([("base", [])])
    Refuter(control).run()
    print("proved")
    return 0


class Refuter:
    """Drops claims until no model has anything wrong with those that are left.

    The program has `claim(i)` for each claim, an external `on(i)`, and `wrong(i,x)` for whatever can be wrong with it,
    which is looked for piece by piece. `budget(m)` says how many milliseconds there are; what cannot be decided in a
    fair part of these is dropped, too, and when they are over, all that is not decided in a moment.
    """

    def __init__(self, control: Any) -> None:
        self.control = control
        atoms = control.symbolic_atoms
        self.budget = max(atom.symbol.arguments[0].number for atom in atoms.by_signature("budget", 1)) / 1000
        self.end = monotonic() + self.budget
        self.wrong: dict[Any, list[Any]] = {atom.symbol.arguments[0]: [] for atom in atoms.by_signature("claim", 1)}
        for atom in atoms.by_signature("wrong", 2):
            self.wrong[atom.symbol.arguments[0]].append(atom.symbol)
        self.hard: set[Any] = set()
        """Claims that took more than a moment to prove."""

    def run(self) -> None:
        for claim in self.wrong:
            self.switch(claim, True)
        left = sorted(self.wrong, key=lambda claim: len(self.wrong[claim]))
        waiting = list(left)
        late = False
        while waiting:
            if not late and monotonic() > self.end:
                late, broken = True, set(left) & self.hard
            else:
                broken = self.refuted(waiting.pop(0))
            for claim in broken:
                print(claim.number)
                self.switch(claim, False)
            left = [claim for claim in left if claim not in broken]
            if broken:
                waiting = list(left)

    def switch(self, claim: Any, on: bool) -> None:
        from clingo import Function

        self.control.assign_external(Function("on", [claim]), on)

    def refuted(self, claim: Any) -> set[Any]:
        """The claims that a model breaks which breaks this one; this one if that cannot be decided in time."""
        begun = _Clock()
        fair = self.budget / 2 if len(self.wrong[claim]) > 1 else self.budget / 10
        until = min(self.end, monotonic() + fair)
        for wrong in self.wrong[claim]:
            with self.control.solve(assumptions=[(wrong, True)], async_=True, yield_=True) as search:
                while not search.wait(max(MOMENT / 10, until - monotonic())):
                    if begun.is_over:
                        search.cancel()
                        return {claim}
                model = search.model()
                if model:
                    return {atom.arguments[0] for atom in model.symbols(atoms=True) if atom.match("wrong", 2)}
                if not search.get().unsatisfiable:
                    return {claim}
        if begun.used > MOMENT / 2:
            self.hard.add(claim)
        return set()


class _Clock:
    """The moment that a claim gets anyway: of the processor's time, unless others keep that busy."""

    def __init__(self) -> None:
        self._used, self._wall = process_time(), monotonic()

    @property
    def used(self) -> float:
        return process_time() - self._used

    @property
    def is_over(self) -> bool:
        return self.used > MOMENT or monotonic() - self._wall > PATIENCE * MOMENT


def main(arguments: list[str]) -> int:
    task, memory_bytes, cpu_seconds, *folders = arguments
    limit_resources(int(memory_bytes), int(cpu_seconds))
    sys.path[:0] = folders
    try:
        size = int(sys.stdin.buffer.readline())
        program = sys.stdin.buffer.read(size).decode("ascii")
        if len(program) < size:
            return 1
        start_new_thread(end_with_input, ())
        return {"ground": ground, "refute": refute}[task](program)
    except MemoryError:
        return MEMORY_EXIT


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
