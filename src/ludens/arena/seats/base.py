"""The protocol of a seat: where a player is asked, and answers in time or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ludens.core import Answer
from ludens.gdl.terms import Spelling
from ludens.players.match_view import News as News
from ludens.protocol import Message, Start

MAX_ANSWER_BYTES = 64 * 1024
MISSED = "+"
"""In place of its number before a message to a process: it tells of a turn that was missed, and has no answer."""


class Seat(Protocol):
    """One player, wherever it is. It is asked one thing at a time."""

    name: str
    is_human: bool

    @property
    def answer(self) -> Answer | None:
        """The player's answer to the last question for a move, where more than the move is known."""
        ...

    async def ask(self, message: Message, seconds: float, spelling: Spelling | None = None) -> str:
        """Return the answer to a message; SeatTimeoutError after some seconds, SeatGoneError if there can be none.

        The spelling is that of the words in moves, for those who read text.
        """
        ...

    async def catch_up(
        self, start: Start, history: Sequence[News], seconds: float, spelling: Spelling | None = None
    ) -> None:
        """Bring a player that knows nothing of the match to where it stands, with some seconds for each question.

        The history is what it was told turn by turn, the latest news not among them: these come with the next PLAY.
        """
        ...

    def diagnostics(self) -> list[str]:
        """Return what went wrong inside the player since the last time, in words."""
        ...

    async def close(self) -> None:
        """Release everything; the seat is not used again."""
        ...
