"""Players that search: they get ready in the start clock, and think until shortly before their time is over."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from random import Random

from ludens.core import Answer, Clocks, Decision, Limit, Move, Role, Searcher
from ludens.errors import LudensError
from ludens.game import Game, State
from ludens.players.base import BasePlayer
from ludens.players.preparation import Improvement, Preparation, SearcherFactory
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaSearcher
from ludens.search.flat import FlatSearcher

READY_SHARE = 0.8
"""The part of the start clock that getting ready may take; after that it goes on in the background."""
RESERVE, RESERVE_SHARE = 0.1, 0.1
"""What is left of the play clock when the player moves: seconds, and at most this part of it."""
DEFAULT_NODES = 20_000
"""How much is searched when there is no clock."""
INTERPRETED_SHARE = 0.01
"""How much of that where the rules are no circuit, so that states are evaluated one by one."""
PONDER_FACTOR, PONDER_SECONDS = 2.0, 10.0
"""The longest that others are waited for with pondering: this many times the play clock, and some seconds."""


class SearchingPlayer(BasePlayer):
    """Plays what a searcher finds, until shortly before the deadline or, for play that can be repeated, for some nodes.

    As long as it is not ready, random games have to do. Then it has the searcher of the factory, and better ones as
    soon as they are made.
    """

    def __init__(
        self,
        name: str,
        factory: SearcherFactory,
        rng: Random,
        nodes: int | None = None,
        improve: Improvement | None = None,
    ) -> None:
        super().__init__(name, rng)
        self._factory, self._improve, self._nodes = factory, improve, nodes
        self._preparation: Preparation | None = None
        self._thought = Deadline.never()
        """The time for the thought under way, or the last one."""
        self._play_clock = math.inf
        self._moved: Move | None = None
        self._match: list[State] = []
        """All states so far."""
        self._informed: tuple[Searcher | None, int] = None, 0
        """The searcher that knows how many of them."""

    def start(self, game: Game, role: str, clocks: Clocks, deadline: Deadline) -> None:
        self._give_up()
        super().start(game, role, clocks, deadline)
        self._moved, self._play_clock = None, clocks.play
        self._match, self._informed = [self.state], (None, 0)
        self._thought = deadline.share(READY_SHARE) if self._is_timed(deadline) else deadline.untimed()
        make = partial(self._factory, game, self._role)
        preparation = self._preparation = Preparation(make, self.state, self._diagnostics)
        better = partial(self._improve, game, self._role) if self._improve else None
        preparation.begin(better, self._thought, self._rng)
        if not preparation.wait(self._thought):
            self._report_lateness(preparation)

    def _report_lateness(self, preparation: Preparation) -> None:
        late = f"{self.name} was not ready when the start clock was over"
        if not preparation.ready.is_set():
            self.report(f"{late}; until it is, random games choose its moves")
        elif self._improve and not preparation.improved:
            self.report(f"{late}; until it is, it looks ahead without what it wanted to find out")

    @property
    def _searcher(self) -> Searcher | None:
        """The best one that is ready."""
        preparation = self._preparation
        return preparation.searcher if preparation and preparation.ready.is_set() else None

    def move(self, deadline: Deadline) -> Answer:
        answer = super().move(deadline)
        self._moved = answer.move
        return answer

    def choose(self, state: State, role: Role, deadline: Deadline) -> Move | Decision:
        legal = state.legal_moves(role)
        if len(legal) == 1:
            return legal[0]
        searcher = self._searcher or FlatSearcher(state.game, role)
        self._inform(searcher)
        return self._search(searcher, state, self._limit(state.game, deadline))

    def _search(self, searcher: Searcher, state: State, limit: Limit) -> Decision:
        """What a searcher decides for a move that is to be made."""
        self._thought = limit.deadline
        return searcher.search(state, limit, self._rng)

    def _inform(self, searcher: Searcher) -> None:
        """Tell it what the match has come to; one that is new is told all of it."""
        informed, known = self._informed
        for state in self._match[known if searcher is informed else 0 :]:
            searcher.advance(state)
        self._informed = searcher, len(self._match)

    def observe(self, joint: Mapping[Role, Move]) -> None:
        super().observe(joint)
        self._match.append(self.state)

    def ponder(self, deadline: Deadline) -> None:
        """Think while the others do; what is found stays with the searcher for the next move.

        Nothing is done where no clock runs, or where nothing would stay.
        """
        searcher = self._searcher
        timed = self._nodes is None and math.isfinite(self._play_clock)
        if searcher is None or isinstance(searcher, FlatSearcher) or not timed or not self.belief.is_certain:
            return
        state = self._coming_state()
        if not state.is_terminal:
            self._thought = deadline.share(at_most=PONDER_FACTOR * self._play_clock + PONDER_SECONDS)
            searcher.search(state, Limit(self._thought), Random(self._rng.random()))

    def _coming_state(self) -> State:
        """The state after the own last move if nobody else has a choice; otherwise the present one."""
        if self._moved is None:
            return self.state
        try:
            return self.state.next({self._role: self._moved}, compiles=False)
        except LudensError:
            return self.state

    def stop(self) -> None:
        self._give_up()
        super().stop()

    def _give_up(self) -> None:
        """End all that goes on for the match, and forget it."""
        if self._preparation:
            self._preparation.give_up()
        self._thought.cancel()
        self._preparation = None
        self._match, self._informed = [], (None, 0)

    def _is_timed(self, deadline: Deadline) -> bool:
        return self._nodes is None and math.isfinite(deadline.remaining)

    def _limit(self, game: Game, deadline: Deadline) -> Limit:
        if self._is_timed(deadline):
            left = deadline.remaining
            return Limit(deadline.share(at_most=left - min(RESERVE, RESERVE_SHARE * left)))
        nodes = self._nodes or DEFAULT_NODES
        interpreted = game.circuit_error is not None
        return Limit(deadline.untimed(), math.ceil(INTERPRETED_SHARE * nodes) if interpreted else nodes)


def alphabeta(rng: Random, nodes: int | None = None) -> SearchingPlayer:
    return SearchingPlayer("alphabeta", AlphaBetaSearcher, rng, nodes)


def montecarlo(rng: Random, nodes: int | None = None) -> SearchingPlayer:
    return SearchingPlayer("montecarlo", FlatSearcher, rng, nodes)
