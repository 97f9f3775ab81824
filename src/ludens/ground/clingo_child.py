"""The grounder's own process: a script that runs clingo and imports nothing of ludens.

Its argument is the task, `ground` or `refute`; its input is the logic program. `runtime/launcher.py` runs it within
limits, and ends it with its parent process.
"""

from __future__ import annotations

import signal
import sys
from time import monotonic, process_time
from typing import Any

from clingo import Control, Function
from clingo.application import Application, clingo_main

SOLVER_OPTIONS = ("--configuration=jumpy", "--eq=0", "--sign-def=pos")
"""The options that prove most in the same time."""
MAX_CONFLICTS = 30_000
"""The limit on conflicts for a question, so that results depend on time only if it is short."""
MIN_SECONDS = 0.2
"""The seconds that every claim gets, even after the end of the time."""
BUSY_FACTOR = 3.0
"""The factor by which these seconds may be longer on a busy machine."""


class Grounder(Application):
    """clingo as a program that only grounds."""

    def __init__(self, program: str) -> None:
        self._program = program

    def main(self, control: Control, files: Any) -> None:
        # clingo's own handlers can wait for ever for a lock that the interrupted code holds.
        for kind in (signal.SIGTERM, signal.SIGINT):
            signal.signal(kind, signal.SIG_DFL)
        control.add("base", [], self._program)
        control.ground([("base", [])])
        control.solve()


def ground(program: str) -> int:
    """Write the ground program."""
    return clingo_main(Grounder(program), ["--mode=gringo", "--output=intermediate", "-Wnone"])


def refute(program: str) -> int:
    """Write the numbers of the claims that cannot be proved, and `proved` at the end; see `Refuter`."""
    control = Control(["-Wnone", *SOLVER_OPTIONS, f"--solve-limit={MAX_CONFLICTS}"])
    control.add("base", [], program)
    control.ground([("base", [])])
    Refuter(control).run()
    print("proved")
    return 0


class Refuter:
    """Drops claims until no model has anything wrong with those that are left.

    The program has `claim(i)` for each claim, an external `on(i)`, and `wrong(i,x)` for each way it can fail,
    which are tried one by one. `budget(m)` gives the time in milliseconds; what cannot be decided in a
    fair part of these is dropped, too, and after the end all that takes more than `MIN_SECONDS`.
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
        self.control.assign_external(Function("on", [claim]), on)

    def refuted(self, claim: Any) -> set[Any]:
        """Return the claims broken by a model that breaks this one; this one if that cannot be decided in time."""
        begun = _Clock()
        fair = self.budget / 2 if len(self.wrong[claim]) > 1 else self.budget / 10
        until = min(self.end, monotonic() + fair)
        for wrong in self.wrong[claim]:
            with self.control.solve(assumptions=[(wrong, True)], async_=True, yield_=True) as search:
                while not search.wait(max(MIN_SECONDS / 10, until - monotonic())):
                    if begun.is_over:
                        search.cancel()
                        return {claim}
                model = search.model()
                if model:
                    return {atom.arguments[0] for atom in model.symbols(atoms=True) if atom.match("wrong", 2)}
                if not search.get().unsatisfiable:
                    return {claim}
        if begun.used > MIN_SECONDS / 2:
            self.hard.add(claim)
        return set()


class _Clock:
    """The minimum time of a claim: CPU time, unless other processes keep the CPU busy."""

    def __init__(self) -> None:
        self._used, self._wall = process_time(), monotonic()

    @property
    def used(self) -> float:
        return process_time() - self._used

    @property
    def is_over(self) -> bool:
        return self.used > MIN_SECONDS or monotonic() - self._wall > BUSY_FACTOR * MIN_SECONDS


if __name__ == "__main__":
    sys.exit({"ground": ground, "refute": refute}[sys.argv[1]](sys.stdin.read()))
