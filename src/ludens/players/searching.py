"""Players that search: they get ready in the start clock, and think until shortly before their time is over."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
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

    def start(self, rules: Rules, role: str, clocks: Clocks, deadline: Deadline) -> None:
        super().start(rules, role, clocks, deadline)
        self.decision = None
        self._searcher = searcher = self._factory(self.state.game, self._role)
        self._ready, self._over = Event(), Event()
        Thread(target=_get_ready, args=(searcher, self.state, self._ready, self._over), daemon=True).start()
        timed = self._nodes is None and math.isfinite(deadline.remaining)
        self._ready.wait(READY_SHARE * deadline.remaining if timed else None)

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

    def stop(self) -> None:
        self._over.set()
        if self._running:
            self._running.stop()
        self._searcher = self._running = None
        super().stop()

    def _limit(self, game: Game, deadline: Deadline) -> Limit:
        if self._nodes is None and math.isfinite(deadline.remaining):
            left = deadline.remaining
            return Limit.of(seconds=left - min(RESERVE, RESERVE_SHARE * left))
        nodes = self._nodes or DEFAULT_NODES
        return Limit.of(nodes=nodes if game.compile_error is None else math.ceil(INTERPRETED_SHARE * nodes))


def _get_ready(searcher: Searcher, state: State, ready: Event, over: Event) -> None:
    """Have everything made that a search needs; it goes on in the background if the start clock is too short."""
    try:
        state.game.compile()
        warm_up(Deadline(WARM_UP_SECONDS), over)
        if not over.is_set():
            with suppress(LudensError):
                searcher.search(state, Limit.of(nodes=1), Random(0))
    finally:
        ready.set()
