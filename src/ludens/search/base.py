"""`BaseSearcher`: what all searchers share, and `Watch`, the limit of a search under way."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from random import Random
from threading import Lock

from ludens.core import Decision, Limit
from ludens.engines.rows import Rows
from ludens.errors import GameOverError, NoLegalMoveError, PlayError
from ludens.game import Game, State
from ludens.runtime.deadline import Deadline
from ludens.search.view import GameView

DEFAULT_SAMPLES = 100_000


def check_open(state: State) -> None:
    """Raise GameOverError or NoLegalMoveError where there is nothing to search."""
    if state.is_terminal:
        raise GameOverError("the game is over; there are no more moves")
    for role in state.game.roles:
        if not state.legal_moves(role):
            raise NoLegalMoveError(role)


class Watch(Deadline):
    """The limit of one search: a share of its deadline, which is cancelled to stop the search, and its nodes."""

    __slots__ = ("_begun", "limit")

    def __init__(self, limit: Limit) -> None:
        super().__init__(limit.deadline.remaining, within=limit.deadline)
        self.limit = limit
        self._begun = time.monotonic()

    def over(self, nodes: int) -> bool:
        """Return whether a search that has visited a number of nodes has to end now."""
        return self.passed or nodes >= (self.limit.nodes or float("inf"))

    def spare(self, seconds: float) -> None:
        """Keep some time for the work after the search, at most half of what is left."""
        self.at -= min(seconds, self.remaining / 2)

    @property
    def samples(self) -> int | None:
        """The playouts of a search that has no end of its own; None for as many as there is time for.

        Where depth is the only limit, there has to be another.
        """
        only_depth = self.limit.depth is not None and math.isinf(self.limit.deadline.at)
        return DEFAULT_SAMPLES if only_depth and self.limit.nodes is None else self.limit.nodes

    @property
    def seconds(self) -> float:
        """The time of the search so far."""
        return time.monotonic() - self._begun


class BaseSearcher(ABC):
    """A `Searcher` without the search itself."""

    def __init__(self, name: str, game: Game, role: str) -> None:
        self.name = name
        self.game = game
        self.role = game.role_index(role)
        self._watch: Watch | None = None
        self._searching = Lock()
        self._view: GameView | None = None

    def search(self, state: State, limit: Limit, rng: Random) -> Decision:
        if not self._searching.acquire(blocking=False):
            raise PlayError("this searcher is searching already; make one for each thread")
        try:
            self._watch = watch = Watch(limit)
            if state.game != self.game:
                raise ValueError(f"the state belongs to {state.game.name}, not to {self.game.name}")
            check_open(state)
            view = self._view_of(state)
            return self._search(view, view.row(state), watch, rng)
        finally:
            self._watch = None
            self._searching.release()

    @abstractmethod
    def _search(self, view: GameView, row: Rows, watch: Watch, rng: Random) -> Decision:
        """Return a decision for the state of a row; at least a legal move, however short the time is."""

    def advance(self, state: State) -> None:  # noqa: B027
        """Do nothing: what is kept from one search to the next is found by the state itself."""

    def stop(self) -> None:
        if watch := self._watch:
            watch.cancel()

    def _view_of(self, state: State) -> GameView:
        """Return the same view as before, unless the game has moved to another engine or too many states are kept."""
        if self._view is None or not self._view.shows(state):
            self._view = GameView.of(state)
        return self._view
