"""Making the machine code of all kernels once, so that it lies on disk when a game needs it.

    python -m ludens.engines.sliced.warm_up

Where it is missing, a game has it made by this module in a process of its own: that takes a good part of a minute,
and nobody else has to wait for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from random import Random
from threading import Event, Lock, Thread

from ludens.core import Deadline
from ludens.engines.sliced.engine import NARROW, WIDE, SlicedEngine
from ludens.engines.sliced.playout_kernel import play
from ludens.gdl.rules import Rules
from ludens.jit import has_disk, versions_on_disk

ONE_AT_A_TIME = Lock()
PATIENCE = 0.05
WATCH_INPUT = "--until-input-ends"
SMALLEST_GAME = """
(role a) (role b) (init off) (legal a wait) (legal a push) (legal b wait)
(<= (next on) (does a push)) (<= (next off) (true off) (does a wait))
(<= (reached ?x) (true ?x)) (<= (reached ?x) (reached ?x)) (<= terminal (reached on))
(<= (goal a 100) (true on)) (<= (goal a 0) (not (true on))) (goal b 50)
"""


def is_warm() -> bool:
    """Whether the machine code of the kernels is on disk."""
    return versions_on_disk(play) >= len({NARROW, WIDE})


def warm_up(deadline: Deadline, cancelled: Event | None = None) -> None:
    """Have the machine code made by another process, unless it is there; without it, it is made when it is needed."""
    with ONE_AT_A_TIME:
        if is_warm() or not has_disk(play) or not sys.executable:
            return
        command = [sys.executable, "-P", "-m", __spec__.name, WATCH_INPUT]
        quiet = subprocess.DEVNULL
        try:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet)
        except OSError:
            return
        try:
            while process.poll() is None and not deadline.passed and not (cancelled and cancelled.is_set()):
                time.sleep(PATIENCE)
        finally:
            process.kill()
            process.communicate()


def end_with_input() -> None:
    """Whoever wanted this process holds its standard input open."""
    while sys.stdin.buffer.read(1):
        pass
    os._exit(1)


def main(arguments: Sequence[str] = ()) -> None:
    if WATCH_INPUT in arguments:
        Thread(target=end_with_input, daemon=True).start()
    engine = SlicedEngine.compile(Rules.parse(SMALLEST_GAME))
    start = engine.initial(1)
    engine.advance(start, [[moves[0] for moves in engine.legal(start)[0]]])
    for games in (1, 64 * NARROW + 1):
        engine.tally(start, games, Random(1))


if __name__ == "__main__":
    main(sys.argv[1:])
