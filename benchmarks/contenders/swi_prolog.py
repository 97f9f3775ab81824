"""SWI-Prolog with a plain translation of the rules, in a process of its own that answers on a pipe."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from benchmarks.catalogue import MAX_STEPS, BenchGame
from benchmarks.contenders import CannotPlayError, Played
from benchmarks.prolog.translate import has_recursion, prolog_program, prolog_term
from ludens.core import GroundTerm
from ludens.gdl.rules import Rules

COMMAND = "swipl"
REMEDY = "install the Debian package swi-prolog-nox, or run scripts/install_tool.sh prolog"
STACK = "--stack-limit=1g"
SETTLING_CPU_SECONDS = 0.3
TRIAL_CPU_SECONDS = 0.5
TRIAL_SECONDS = 10.0


class PrologRunner:
    """A running SWI-Prolog with the program of a game."""

    def __init__(self, rules: Rules, tabled: bool, seconds_to_answer: float = 600.0) -> None:
        if shutil.which(COMMAND) is None:
            raise CannotPlayError(f"SWI-Prolog is not installed; {REMEDY}")
        self._seconds_to_answer = seconds_to_answer
        self._folder = tempfile.TemporaryDirectory(prefix="ludens-prolog-")
        program = Path(self._folder.name) / "game.pl"
        program.write_text(prolog_program(rules, tabled), encoding="utf-8")
        self._complaints = Path(self._folder.name) / "complaints.txt"
        with self._complaints.open("w") as complaints:
            self._process = subprocess.Popen(
                [COMMAND, "-O", STACK, str(program)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                encoding="utf-8",
            )

    def __enter__(self) -> PrologRunner:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def settle(self) -> None:
        """Prolog builds its indexes as it plays."""
        self.play(SETTLING_CPU_SECONDS)

    def play(self, seconds: float) -> Played:
        (line,) = self._ask(f"play({seconds},{MAX_STEPS})", 1)
        states, playouts, cpu_seconds = line.split()
        return Played(int(states), int(playouts), float(cpu_seconds))

    def replay(self, joints: Sequence[Sequence[GroundTerm]], roles: int) -> list[list[list[str]]]:
        """Play given joint moves; for each state its facts, `terminal` or `open`, and legal moves or goals by role."""
        listed = ",".join(f"[{','.join(map(prolog_term, joint))}]" for joint in joints)
        lines = self._ask(f"replay([{listed}])", (len(joints) + 1) * (roles + 2))
        terms = [line.rstrip("\n").split("\t") if line.strip() else [] for line in lines]
        return [terms[start : start + roles + 2] for start in range(0, len(terms), roles + 2)]

    def close(self) -> None:
        self._process.kill()
        with contextlib.suppress(BrokenPipeError):
            self._process.communicate()
        self._folder.cleanup()

    def _ask(self, command: str, lines: int) -> list[str]:
        """Send a command and read its answer; a process that is late or fails is ended."""
        assert self._process.stdin
        assert self._process.stdout
        watch = threading.Timer(self._seconds_to_answer, self._process.kill)
        watch.start()
        try:
            self._process.stdin.write(command + ".\n")
            self._process.stdin.flush()
            answer = [self._process.stdout.readline() for _ in range(lines)]
        except BrokenPipeError:
            answer = [""]
        finally:
            late = not watch.is_alive()
            watch.cancel()
        if "" in answer:
            raise CannotPlayError("SWI-Prolog took too long" if late else f"SWI-Prolog failed: {self._complaint()}")
        return answer

    def _complaint(self) -> str:
        text = self._complaints.read_text(encoding="utf-8", errors="replace")
        return next((line for line in text.splitlines() if line.strip()), "it ended without a word")


def prepare(game: BenchGame) -> PrologRunner:
    """The faster of the two programs, without and with tables, by a short trial."""
    rules = Rules.from_source(game.source())
    if not has_recursion(rules):
        return PrologRunner(rules, tabled=False)
    rates: dict[bool, float] = {}
    complaints: list[str] = []
    for tabled in (False, True):
        with PrologRunner(rules, tabled, TRIAL_SECONDS) as runner:
            try:
                played = runner.play(TRIAL_CPU_SECONDS)
            except CannotPlayError as error:
                complaints.append(str(error))
            else:
                rates[tabled] = played.states / played.cpu_seconds
    if not rates:
        raise CannotPlayError("; ".join(dict.fromkeys(complaints)))
    return PrologRunner(rules, tabled=max(rates, key=lambda tabled: rates[tabled]))
