"""A player as a process: messages come in, one on a line, and answers go out.

Before a message stand its number, which is repeated before the answer, and how many seconds of the clock are spent
already. `+` in place of the number tells of a turn that was missed, and has no answer. The process ends with its input,
that is with its parent, also in the middle of a thought.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from random import Random

from ludens.arena.seats.base import MISSED
from ludens.players import make_player
from ludens.players.protocol_player import ProtocolPlayer
from ludens.protocol import Abort, Message, Play, Stop, read_message
from ludens.runtime.parent_channel import ParentChannel
from ludens.runtime.threads import SerialExecutor

RESERVE = 0.05
"""Seconds before the clock at which the player answers."""


class PlayerChild:
    """Answers the lines of one player."""

    def __init__(self, protocol_player: ProtocolPlayer, send: Callable[[bytes], None]) -> None:
        self._protocol_player, self._send = protocol_player, send
        self._executor = SerialExecutor("questions")

    def take(self, line: str) -> None:
        """Answer a line as soon as those before it are answered; the end of a match need not wait for them."""
        number, spent, text = line.split(" ", 2)
        received, message = time.monotonic() - float(spent), read_message(text)
        executor = SerialExecutor("end") if isinstance(message, Stop | Abort) else self._executor
        if number == MISSED and isinstance(message, Play):
            executor.submit(self._protocol_player.catch_up, [message.news])
        else:
            executor.submit(self._answer, number, message, received)

    def _answer(self, number: str, message: Message, received: float) -> None:
        answer = self._protocol_player.answer(message, received)
        self._send(" ".join([number, *answer.split()]).encode() + b"\n")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m ludens.arena.seats.child", description=__doc__)
    parser.add_argument("--player", required=True)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--nodes", type=int)
    chosen = parser.parse_args()
    channel = ParentChannel()
    player = make_player(chosen.player, Random(chosen.seed), chosen.nodes)
    child = PlayerChild(ProtocolPlayer(player, reserve=RESERVE, mend=False), channel.send)
    try:
        for line in channel.lines():
            child.take(line.decode())
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
