"""Players that search: they get ready in the start clock, and think until shortly before their time is over."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from random import Random
from threading import Event, Thread
from typing import TypeAlias

from ludens.core import Clocks, Deadline, Limit, Move, Role, Searcher
from ludens.errors import LudensError
from ludens.game import Game, State
from ludens.gdl.rules import Rules
from ludens.players.base import FollowingPlayer
from ludens.search.flat import FlatSearcher
from ludens.search.warm_up import warm_up

SearcherFactory: TypeAlias = Callable[[Game, Role], Searcher]

READY_SHARE = 0.8
"""The part of the start clock that getting ready may take; after that it goes on in the background."""
WARM_UP_SECONDS = 600.0
RESERVE, RESERVE_SHARE = 0.1, 0.1
"""What is left of the play clock when the player moves: seconds, and at most this part of it."""
DEFAULT_NODES = 20_000
"""How much is searched when there is no clock."""
INTERPRETED_SHARE = 0.01
"""How much of that where the rules could not be compiled."""
PONDER_FACTOR, PONDER_SECONDS = 2.0, 10.0
"""The longest that others are waited for with pondering: this many times the play clock, and some seconds."""


class SearchingPlayer(FollowingPlayer):
    """Plays what a searcher finds, until shortly before the deadline or, for play that can be repeated, for some nodes.

    As long as it is not ready, random games have to do.
    """

    def __init__(self, name: str, factory: SearcherFactory, rng: Random, nodes: int | None = None) -> None:
        super().__init__(name)
        self._factory, self._rng, self._nodes = factory, rng, nodes
        self._searcher: Searcher | None = None
        self._running: Searcher | None = None
        self._ready, self._over = Event(), Event()
        self._waited = Event()
        """Set when `start` need not wait any longer."""
        self._play_clock = math.inf
        self._moved: Move | None = None

    def start(self, rules: Rules, role: str, clocks: Clocks, deadline: Deadline) -> None:
        super().start(rules, role, clocks, deadline)
        self.decision = self._moved = None
        self._play_clock = clocks.play
        self._searcher = searcher = self._factory(self.state.game, self._role)
        self._ready, self._over, self._waited = Event(), Event(), Event()
        preparation = (searcher, self.state, self._over, (self._ready, self._waited))
        Thread(target=_get_ready, args=preparation, daemon=True).start()
        timed = self._nodes is None and math.isfinite(deadline.remaining)
        self._waited.wait(READY_SHARE * deadline.remaining if timed else None)

    def move(self, deadline: Deadline) -> Move:
        self._moved = super().move(deadline)
        return self._moved

    def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
        self.decision = None
        legal = state.legal_moves(role)
        if len(legal) == 1:
            return legal[0]
        searcher = self._searcher if self._ready.is_set() else None
        self._running = searcher or FlatSearcher(state.game, role)
        self.decision = self._running.search(state, self._limit(state.game, deadline), self._rng)
        return self.decision.move

    def observe(self, joint: Mapping[Role, Move]) -> None:
        super().observe(joint)
        if self._searcher and self._ready.is_set():
            self._searcher.advance(joint)

    def ponder(self) -> None:
        """Think on while the others do, until interrupted; what is found stays with the searcher for the next move.

        Nothing is done where no clock runs, or where nothing would stay.
        """
        searcher = self._searcher if self._ready.is_set() else None
        timed = self._nodes is None and math.isfinite(self._play_clock)
        if searcher is None or isinstance(searcher, FlatSearcher) or not timed or not self.knowledge.is_certain:
            return
        state = self._coming_state()
        if not state.is_terminal:
            self._running = searcher
            limit = Limit.of(seconds=PONDER_FACTOR * self._play_clock + PONDER_SECONDS)
            searcher.search(state, limit, Random(self._rng.random()))

    def _coming_state(self) -> State:
        """The state after the own last move if nobody else has a choice; otherwise the present one."""
        if self._moved is None:
            return self.state
        try:
            return self.state.next({self._role: self._moved})
        except LudensError:
            return self.state

    def interrupt(self) -> None:
        """End the thought that is under way, from any thread; the match goes on."""
        self._waited.set()
        if running := self._running:
            running.stop()

    def stop(self) -> None:
        self._over.set()
        self.interrupt()
        self._searcher = self._running = None
        super().stop()

    def _limit(self, game: Game, deadline: Deadline) -> Limit:
        if self._nodes is None and math.isfinite(deadline.remaining):
            left = deadline.remaining
            return Limit.of(seconds=left - min(RESERVE, RESERVE_SHARE * left))
        nodes = self._nodes or DEFAULT_NODES
        return Limit.of(nodes=nodes if game.compile_error is None else math.ceil(INTERPRETED_SHARE * nodes))


def _get_ready(searcher: Searcher, state: State, over: Event, ready: Iterable[Event]) -> None:
    """Have everything made that a search needs; it goes on in the background if the start clock is too short."""
    try:
        state.game.compile()
        warm_up(Deadline(WARM_UP_SECONDS), over)
        if not over.is_set():
            with suppress(LudensError):
                searcher.search(state, Limit.of(nodes=1), Random(0))
    finally:
        for event in ready:
            event.set()
