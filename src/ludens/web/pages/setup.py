"""Who plays which role, and how long everybody may think."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from ludens.players import player_names
from ludens.web.markup import player_words
from ludens.web.pages.controls import button, select

TIMES = {0.2: "0.2 s", 0.5: "0.5 s", 1.0: "1 s", 3.0: "3 s", 10.0: "10 s", 30.0: "30 s"}
MAX_ADDRESS = 200
CLOCKS = {0: "no clock", 10: "10 s a move", 30: "30 s a move", 60: "1 min a move", 180: "3 min a move"}


def named_seats(named: str, players: Sequence[str] = ()) -> tuple[list[str], str]:
    """Who plays, as an address names them, and a word of warning if somebody is unknown; then all sit as usual.

    >>> named_seats("person,uct")
    (['person', 'uct'], '')
    """
    seats, choices = [seat for seat in named[:MAX_ADDRESS].split(",") if seat], _choices(players)
    unknown = next((seat for seat in seats if seat not in choices), None)
    if unknown is None:
        return seats, ""
    return [], f"the address names a player {unknown!r}, which there is not; the game began with the usual players"


def _choices(players: Sequence[str]) -> list[str]:
    """Who may sit in a seat: besides those that are installed the players that the server was started with."""
    return ["person", *player_names(), *players]


class SetupPanel:
    """A part of the page of a game; what is chosen here counts from the next new game on."""

    def __init__(self, seats: Sequence[str], begin: Callable[[], Awaitable[None]], players: Sequence[str] = ()) -> None:
        self.seats = list(seats)
        """Who plays the roles, in their order; as usual where nobody is named."""
        self.seconds, self.clock = 1.0, 0
        self._begin, self._players = begin, players
        self._seated: list[str] = []
        """Who sat there when that was last told."""

    def build(self) -> None:
        with ui.element("details").classes("panel"):
            ui.html("Who plays, and how long", sanitize=False, tag="summary")
            self._place = ui.element("div").classes("setup")

    def follow(self, view: Mapping[str, Any]) -> None:
        """Show who sits where once that is known, and again when it changes; till then what was chosen here stays."""
        seated, before = [seat["seat"] for seat in view["seats"]], self._seated
        self._seated = seated
        if seated != before and (not before or seated != self.seats):
            self._fill(view["seats"])

    def _fill(self, seats: Sequence[Mapping[str, Any]]) -> None:
        self.seats = list(self._seated)
        choices = _choices(self._players)
        words = list(map(player_words, choices))
        self._place.clear()
        with self._place:
            for number, seat in enumerate(seats):
                select(seat["role"], choices, words, seat["seat"], partial(self.seats.__setitem__, number))
            select("players think", list(map(str, TIMES)), list(TIMES.values()), str(self.seconds), self._set_seconds)
            select("people have", list(map(str, CLOCKS)), list(CLOCKS.values()), str(self.clock), self._set_clock)
            button("New game", "", self._begin, kind="btn main")

    def _set_seconds(self, value: str) -> None:
        self.seconds = next((seconds for seconds in TIMES if str(seconds) == value), 1.0)

    def _set_clock(self, value: str) -> None:
        self.clock = next((seconds for seconds in CLOCKS if str(seconds) == value), 0)
