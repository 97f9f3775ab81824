"""A player as a process: messages come in, one on a line, and answers go out.

Before a message stand its number, which is repeated before the answer, and how many seconds of the clock are spent
already. `+` in place of the number tells of a turn that was missed, and has no answer. The process ends with its input,
that is with whoever runs it, also in the middle of a thought.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from functools import partial
from random import Random
from threading import Lock
from typing import TextIO

from ludens.arena.seats.base import MISSED
from ludens.players import PLAYERS
from ludens.players.correspondent import Correspondent
from ludens.players.worker import Worker
from ludens.protocol import Abort, Message, Play, Stop, read_message

RESERVE = 0.05
"""Seconds before the clock at which the player answers."""


class Child:
    """Answers the lines of one player."""

    def __init__(self, correspondent: Correspondent, output: TextIO) -> None:
        self._correspondent, self._output = correspondent, output
        self._lock = Lock()
        self._worker = Worker("questions")

    def take(self, line: str) -> None:
        """Answer a line as soon as those before it are answered; the end of a match need not wait for them."""
        number, spent, text = line.split(" ", 2)
        received, message = time.monotonic() - float(spent), read_message(text)
        worker = Worker("end") if isinstance(message, Stop | Abort) else self._worker
        if number == MISSED and isinstance(message, Play):
            worker.do(partial(self._correspondent.catch_up, [message.news]))
        else:
            worker.do(partial(self._answer, number, message, received))

    def _answer(self, number: str, message: Message, received: float) -> None:
        answer = self._correspondent.answer(message, received)
        with self._lock:
            print(number, *answer.split(), file=self._output, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m ludens.arena.seats.child", description=__doc__)
    parser.add_argument("--player", required=True, choices=sorted(PLAYERS))
    parser.add_argument("--seed", type=int)
    parser.add_argument("--nodes", type=int)
    chosen = parser.parse_args()
    # What the player prints must not get between the answers.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    player = PLAYERS[chosen.player](Random(chosen.seed), chosen.nodes)
    child = Child(Correspondent(player, reserve=RESERVE, mend=False), output)
    try:
        for line in sys.stdin.buffer:
            child.take(line.decode())
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
