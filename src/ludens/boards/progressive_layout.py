"""A layout that is there at once, and gets better when the game has been analysed meanwhile."""

from __future__ import annotations

import logging
from threading import TIMEOUT_MAX, Thread

from ludens.boards.facts_cache import found_facts, known_facts
from ludens.boards.first_look import first_look
from ludens.boards.hints import Hints
from ludens.boards.layout import BoardLayout, make_layout
from ludens.game import Game
from ludens.runtime.deadline import Deadline
from ludens.runtime.threads import start_thread

_log = logging.getLogger(__name__)

PATIENCE = 120.0
"""Seconds after which an analysis in the background is given up."""


class ProgressiveLayout:
    """Of a game that nothing is known about yet the first look, until somebody asks for what was found since."""

    def __init__(self, game: Game, hints: Hints | None = None, seconds: float = PATIENCE) -> None:
        self._game, self._hints = game, hints
        self._better: BoardLayout | None = None
        self._thread: Thread | None = None
        self._deadline = Deadline(seconds)
        known = known_facts(game)
        self.layout = make_layout(game, known or first_look(game), hints)
        """It changes only in `refresh`, so that all that is shown together fits together."""
        if known is None:
            self._thread = start_thread(self._find, "ludens-layout")

    @property
    def is_final(self) -> bool:
        """Whether it stays as it is."""
        return self._thread is None

    def refresh(self) -> bool:
        """Take what was found meanwhile; whether the layout is another one now."""
        if self._thread is None or self._thread.is_alive():
            return False
        self._thread = None
        self.layout = self._better or self.layout
        return self._better is not None

    def best(self, deadline: Deadline) -> BoardLayout:
        """The best that is to be had until the deadline; `refresh` takes it."""
        if self._thread:
            self._thread.join(min(deadline.remaining, TIMEOUT_MAX))
        return self._better or self.layout

    def close(self) -> None:
        """Give up an analysis that goes on: nobody looks at the game any more."""
        self._deadline.cancel()

    def _find(self) -> None:
        try:
            facts = found_facts(self._game, self._deadline)
            self._better = make_layout(self._game, facts, self._hints) if facts else None
        except Exception:
            _log.debug("the first look at %s has to do", self._game.name, exc_info=True)
