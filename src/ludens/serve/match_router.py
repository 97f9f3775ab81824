"""Who answers which message: players, each in one match, as many as may be under way at once."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from threading import Lock
from typing import TypeAlias

from ludens.core import Player
from ludens.errors import LudensError, MessageError
from ludens.players.protocol_player import ProtocolPlayer, evaluate_within
from ludens.printable import shown
from ludens.protocol import (
    BUSY,
    READY,
    Abort,
    Info,
    Ping,
    Play,
    Preview,
    Start,
    Stop,
    info_text,
    ping_text,
    read_message,
)
from ludens.runtime.deadline import Deadline

PlayerMaker: TypeAlias = Callable[[], Player]

log = logging.getLogger("ludens.serve")

IDLE_SECONDS, IDLE_CLOCKS, MAX_IDLE_SECONDS = 60.0, 3.0, 3600.0
"""A match is given up when nothing is heard of it for some seconds and a multiple of its clocks, at most an hour."""
LARGE = 32 * 1024
"""Messages of more characters are read one at a time, so that matches under way keep their clocks."""
RESULT_SECONDS = 1.0
"""How long the log waits for the result of a match."""


@dataclass
class _Place:
    """A player, and the match that it has or had last."""

    player: ProtocolPlayer
    match: str | None = None
    patience: float = 0.0
    heard: float = 0.0
    answering: int = 0
    """How many messages it has not answered yet."""

    @property
    def is_free(self) -> bool:
        return self.player.match is None and not self.answering

    @property
    def is_forgotten(self) -> bool:
        """Whether its match has not been heard of for so long that nobody can be waiting for it."""
        return time.monotonic() - self.heard > self.patience


class MatchRouter:
    """Answers messages, from any number of threads; says in the log what happens."""

    def __init__(
        self,
        make_player: PlayerMaker,
        matches: int = 1,
        name: str | None = None,
        *,
        patience: float = IDLE_SECONDS,
        max_patience: float = MAX_IDLE_SECONDS,
    ) -> None:
        if matches < 1:
            raise ValueError(f"there cannot be {matches} matches at once; give at least 1")
        players = [make_player() for _ in range(matches)]
        self.name = name or str(players[0].name)
        self._places = [_Place(ProtocolPlayer(player, ponder=True)) for player in players]
        self._patience, self._max_patience = patience, max_patience
        self._lock, self._reading = Lock(), Lock()

    def answer(self, text: str, received: float | None = None) -> str:
        """The answer to a message that came at a time of `time.monotonic()`; also to what is none."""
        received = time.monotonic() if received is None else received
        try:
            with self._reading if len(text) > LARGE else nullcontext():
                message = read_message(text)
        except MessageError as error:
            log.warning("malformed message: %s", shown(str(error)))
            return f"error: {error}"
        match message:
            case Info():
                return info_text(self.name, self._is_available())
            case Ping():
                return ping_text(self._is_available())
            case Preview():
                return READY
            case _:
                return self._of_match(message, received)

    def close(self) -> None:
        """Break off all matches; thoughts that are under way end."""
        for place in self._places:
            if (match := place.player.match) is not None:
                log.info("match %s: broken off", shown(match))
                place.player.answer(Abort(match))

    def _is_available(self) -> bool:
        return any(place.is_free or place.is_forgotten for place in self._places)

    def _of_match(self, message: Start | Play | Stop | Abort, received: float) -> str:
        with self._lock:
            place = self._place(message)
            if place is None:
                log.info("match %s: %s refused, busy", shown(message.match), type(message).__name__.upper())
                return BUSY
            place.answering += 1
            place.heard = time.monotonic()
        try:
            if isinstance(message, Start):
                self._give_up_other(place)
            answer = place.player.answer(message, received)
        finally:
            with self._lock:
                place.answering -= 1
                place.heard = time.monotonic()
        self._tell(place, message, answer, time.monotonic() - received)
        return answer

    def _place(self, message: Start | Play | Stop | Abort) -> _Place | None:
        """Where a message belongs; None if nobody has its match, and nobody is free to begin it."""
        for place in self._places:
            if place.match == message.match:
                break
        else:
            if not isinstance(message, Start):
                return None
            free = [place for place in self._places if place.is_free]
            forgotten = [place for place in self._places if place.is_forgotten]
            if not free and not forgotten:
                return None
            place = (free or forgotten)[0]
        if isinstance(message, Start):
            place.match = message.match
            patience = self._patience + IDLE_CLOCKS * (message.start_clock + message.play_clock)
            place.patience = min(self._max_patience, patience)
        return place

    def _give_up_other(self, place: _Place) -> None:
        """End the match that had the place before."""
        match = place.player.match
        if match not in (None, place.match):
            log.warning("match %s: given up, since nothing was heard of it", shown(match))
            place.player.answer(Abort(match))

    def _tell(self, place: _Place, message: Start | Play | Stop | Abort, answer: str, seconds: float) -> None:
        """Write down what was asked and answered, and what went wrong with it."""
        player, match = place.player, shown(message.match)
        faults, player.faults[:] = list(player.faults), []
        for fault in faults:
            log.warning("match %s: %s", match, shown(fault))
        answer_given = player.last_answer if isinstance(message, Play) else None
        for text in answer_given.diagnostics if answer_given else ():
            log.info("match %s: %s", match, shown(text))
        match message:
            case _ if answer == BUSY:
                log.info("match %s: %s refused", match, type(message).__name__.upper())
            case Start(start_clock=start, play_clock=play):
                log.info("match %s: begins as %s, clocks %g and %g s", match, shown(message.role), start, play)
            case Play():
                log.info("match %s: move %d is %s, after %.2f s", match, player.turns, shown(answer), seconds)
            case Stop():
                log.info("match %s: over%s", match, _result(player))
            case Abort():
                log.info("match %s: aborted", match)


def _result(player: ProtocolPlayer) -> str:
    """What everybody got, if the match was played to its end and that is known."""
    state = player.state
    with suppress(LudensError, TimeoutError):
        if state is not None and state.is_terminal:
            goals = evaluate_within(Deadline(RESULT_SECONDS), lambda: state.goals)
            return ": " + ", ".join(f"{shown(role)} gets {goals[role]}" for role in state.game.player_roles)
    return ""
