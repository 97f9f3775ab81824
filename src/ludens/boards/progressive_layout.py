"""A layout that is ready at once, and improves when the analysis in the background has ended."""

from __future__ import annotations

import logging
from threading import TIMEOUT_MAX, Thread

from ludens.boards.facts_cache import compute_facts, stored_facts
from ludens.boards.first_look import first_look
from ludens.boards.hints import Hints
from ludens.boards.layout import BoardLayout, make_layout
from ludens.game import Game
from ludens.runtime.deadline import Deadline
from ludens.runtime.threads import start_thread

_log = logging.getLogger(__name__)

BACKGROUND_SECONDS = 120.0
"""The time limit of an analysis in the background."""


class ProgressiveLayout:
    """The layout of a game: of stored facts, or a first look until `refresh` takes the result of an analysis."""

    def __init__(self, game: Game, hints: Hints | None = None, seconds: float = BACKGROUND_SECONDS) -> None:
        self._game, self._hints = game, hints
        self._better: BoardLayout | None = None
        self._thread: Thread | None = None
        self._deadline = Deadline(seconds)
        known = stored_facts(game)
        self.layout = make_layout(game, known or first_look(game), hints)
        """Changed only by `refresh`, so that what is shown together fits together."""
        if known is None:
            self._thread = start_thread(self._find, "ludens-layout")

    @property
    def is_final(self) -> bool:
        """Whether the layout will not change any more."""
        return self._thread is None

    def refresh(self) -> bool:
        """Take the result of the analysis, if it has ended; return whether the layout changed."""
        if self._thread is None or self._thread.is_alive():
            return False
        self._thread = None
        self.layout = self._better or self.layout
        return self._better is not None

    def best(self, deadline: Deadline) -> BoardLayout:
        """Return the best layout available until the deadline; `refresh` takes it."""
        if self._thread:
            self._thread.join(min(deadline.remaining, TIMEOUT_MAX))
        return self._better or self.layout

    def close(self) -> None:
        """Cancel an analysis that is still running."""
        self._deadline.cancel()

    def _find(self) -> None:
        try:
            facts = compute_facts(self._game, self._deadline)
            self._better = make_layout(self._game, facts, self._hints) if facts else None
        except Exception:
            _log.debug("analysis for the layout of %s failed; the first look stays", self._game.name, exc_info=True)
