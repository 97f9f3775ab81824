"""The list of moves beside the board: each can be clicked, and all can be searched, also those that are not listed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from nicegui import ui

from ludens.web.markup import MAX_MOVES, found_moves, move_buttons

CLICKED = "(e) => { const b = e.target.closest('[data-move]'); if (b) emit(Number(b.dataset.move)); }"
SEARCHED = "(e) => emit(e.target.value, e.target.closest('.finder').dataset.occasion)"
FINDER = '<input type="search" placeholder="Find a move …" aria-label="Find a move">'
SEARCH_PAUSE = 0.15
MAX_SEARCH = 100


class MoveList:
    """A part of the page of a game."""

    def __init__(self, make: Callable[[int], Awaitable[None]]) -> None:
        self._make = make
        self._labels: Sequence[str] = ()
        self._sought = ""
        self._occasion: tuple[object, ...] = ()
        self._occasions = 0
        """How many there were; what is sought on one of them is nobody's business on the next."""
        self._hinted: int | None = None
        self._box = ui.element("details").classes("panel choices").props("open")
        with self._box:
            ui.html("Moves", sanitize=False, tag="summary")
            self._finder = ui.html(FINDER, sanitize=False).classes("finder").props('data-finds="#moves button"')
            self._finder.on("input", self._searched, throttle=SEARCH_PAUSE, js_handler=SEARCHED)
            self._buttons = ui.html("", sanitize=False).classes("moves").props("id=moves")
            self.listen(self._buttons)

    def listen(self, place: ui.html) -> None:
        """Have the moves that are shown in a place made by clicking them there."""
        place.on("click", self._clicked, js_handler=CLICKED)

    def show(self, labels: Sequence[str], hinted: int | None, occasion: tuple[object, ...] = ()) -> None:
        """`occasion` says in which turn somebody chooses, and who."""
        self._labels, self._hinted = labels, hinted
        if occasion != self._occasion:
            self._occasion, self._sought = occasion, ""
            self._occasions += 1
            self._finder.props(f"data-occasion={self._occasions}")
        self._list()
        self._box.set_visibility(bool(labels))

    def _list(self) -> None:
        """Short lists are searched by the browser, which has all of them."""
        found = found_moves(self._labels, self._sought) if len(self._labels) > MAX_MOVES else None
        self._buttons.set_content(move_buttons(self._labels, found, self._hinted) if self._labels else "")

    async def _searched(self, event: Any) -> None:
        if not isinstance(event.args, list) or len(event.args) != 2:
            return
        sought, occasion = event.args
        if isinstance(sought, str) and occasion == str(self._occasions):
            self._sought = sought[:MAX_SEARCH]
            if len(self._labels) > MAX_MOVES:
                self._list()

    async def _clicked(self, event: Any) -> None:
        if isinstance(event.args, int | float):
            await self._make(int(event.args))
