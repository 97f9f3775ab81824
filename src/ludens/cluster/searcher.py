"""`PooledSearcher`: a searcher whose work is done by a pool."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from ludens.cluster.activity import proposal_words
from ludens.cluster.choice import Certainty, Records, assign, choose, latest
from ludens.cluster.orders import MatchOrder, Suggestion, Task, TurnOrder
from ludens.cluster.pool import WorkerPool, searching_seconds
from ludens.cluster.root_split import RootSplit, splittable_moves
from ludens.core import Candidate, Decision, Limit, Move, Role, Searcher
from ludens.game import Game, State
from ludens.gdl.keywords import CHANCE
from ludens.runtime.deadline import Deadline
from ludens.search.base import check_open

POLL_SECONDS = 0.05
"""Seconds between two looks at whether the search was stopped."""
TRANSIT_SECONDS = 0.02
"""Seconds that a suggestion may take on its way."""
RESCUE_SECONDS, RESCUE_SHARE = 0.2, 0.2
"""The time kept for the standby where no worker has suggested anything: seconds, and at most this share."""
SECOND_LOOK_DEPTH, SECOND_LOOK_NODES, SECOND_LOOK_SHARE = 3, 2_000, 0.5
"""The limits of the second search where all seems lost, and its share of the time left."""


class PooledSearcher:
    """Gives each worker of a pool a heuristic, collects what they suggest, and chooses.

    A search never waits for workers longer than its limit says. Where none is ready, or all are lost, the standby
    searches instead.
    """

    name = "pool"

    def __init__(
        self,
        game: Game,
        match: MatchOrder,
        pool: WorkerPool,
        standby: Searcher,
        priors: Sequence[float],
        second_look: Searcher | None = None,
    ) -> None:
        """`priors`: for each heuristic its correlation with playouts, from -1 to 1.

        `second_look` searches where all seems lost because others are taken to know our move.
        """
        self.suggestions: Mapping[Task, Suggestion] = {}
        """The last one of each task in the turn; never changed, but replaced by another mapping."""
        self.records = Records(priors)
        self._match, self._role = match, game.role_index(match.role)
        self._certainty = Certainty(match.kind, self._role)
        self._pool, self._standby, self._second_look = pool, standby, second_look
        self._shared = RootSplit(match.kind.best[self._role])
        self._turn = 0
        self._deadline = Deadline(0)
        self._chosen: Suggestion | None = None

    def search(self, state: State, limit: Limit, rng: Random) -> Decision:
        check_open(state)
        self._deadline = limit.deadline.share()
        limit = replace(limit, deadline=self._deadline)
        begun = time.monotonic()
        self.suggestions, self._chosen = {}, None
        self._shared = RootSplit(self._match.kind.best[self._role])
        self._turn += 1
        self._pool.search(self._orders(state, limit, rng))
        try:
            by_standby = self._collect(state, limit, rng)
        finally:
            self._pool.stop()
        chosen = self._chosen = choose(self.suggestions, self.records, self._certainty)
        if by_standby and (chosen is None or (by_standby.proven and not chosen.proven)):
            return by_standby
        assert chosen
        decision = self._decision(state, chosen, time.monotonic() - begun)
        return self._looked_again(state, limit, rng, decision) if self._seems_lost(chosen) else decision

    def _collect(self, state: State, limit: Limit, rng: Random) -> Decision | None:
        """Collect suggestions until the turn is over; return what the standby found if there were none."""
        rescue = min(RESCUE_SECONDS, RESCUE_SHARE * limit.deadline.remaining)
        while not self._is_over(limit.deadline, rescue):
            self._take(self._pool.suggestions(min(POLL_SECONDS, limit.deadline.remaining)))
        if self.suggestions:
            return None
        found = self._standby.search(state, Limit.of(nodes=1) if self._deadline.cancelled else limit, rng)
        self._take(self._pool.suggestions(0))
        return found

    def advance(self, state: State) -> None:
        """Do nothing: workers are told the state when it is to be searched."""

    def stop(self) -> None:
        self._deadline.cancel()
        self._pool.stop()

    def learn(self) -> None:
        """Let the last search count for the records of the heuristics, if it came to something that is certain."""
        chosen = self._chosen
        if chosen and self._certainty.is_certain(chosen) and not self._certainty.is_hopeless(chosen):
            self.records.learn(self.suggestions.values(), chosen)

    @property
    def proposals(self) -> list[str]:
        """The suggestions of this turn in words, the deepest first."""
        ranked = sorted(self.suggestions.values(), key=lambda one: (not one.proven, -one.depth))
        return list(dict.fromkeys(proposal_words(self._match, suggestion) for suggestion in ranked))

    def _orders(self, state: State, limit: Limit, rng: Random) -> list[TurnOrder]:
        seconds = searching_seconds(limit.deadline, TRANSIT_SECONDS)
        nodes = None if limit.nodes is None else max(1, limit.nodes // self._pool.size)
        moves = splittable_moves(state, state.game.roles[self._role])
        tasks = assign(self._pool.size, self.records, self._turn, rng, moves)
        return [TurnOrder(state.facts, task, seconds, nodes, limit.depth) for task in tasks]

    def _is_over(self, deadline: Deadline, rescue: float) -> bool:
        if deadline.passed or not self._pool.busy:
            return True
        if self.suggestions:
            return any(self._certainty.is_certain(suggestion) for suggestion in self.suggestions.values())
        return deadline.remaining < rescue

    def _take(self, suggestions: Sequence[Suggestion]) -> None:
        self.suggestions = latest(self.suggestions, self._shared.take(suggestions), self._certainty)

    def _seems_lost(self, chosen: Suggestion) -> bool:
        return self._certainty.is_hopeless(chosen) and not self._certainty.is_certain(chosen)

    def _looked_again(self, state: State, limit: Limit, rng: Random, decision: Decision) -> Decision:
        """Return what promises most where the others do not know our move; all moves are as bad where they do."""
        if not self._second_look or limit.deadline.passed:
            return decision
        deadline = limit.deadline.share(SECOND_LOOK_SHARE)
        nodes = min(limit.nodes or SECOND_LOOK_NODES, SECOND_LOOK_NODES)
        again = self._second_look.search(state, Limit(deadline, nodes, SECOND_LOOK_DEPTH), rng)
        return replace(
            again, proven=False, nodes=decision.nodes + again.nodes, seconds=decision.seconds + again.seconds
        )

    def _decision(self, state: State, chosen: Suggestion, seconds: float) -> Decision:
        found = self.suggestions.values()
        best: dict[Move, Suggestion] = {}
        for suggestion in sorted(found, key=lambda one: (one is not chosen, -one.depth, -one.value)):
            best.setdefault(suggestion.move, suggestion)
        return Decision(
            move=chosen.move,
            values=self._values(state, chosen.value),
            pv=chosen.pv,
            candidates=tuple(Candidate(one.move, one.value, one.nodes, one.proven) for one in best.values()),
            proven=self._certainty.is_certain(chosen),
            nodes=sum(suggestion.nodes for suggestion in found),
            depth=chosen.depth,
            seconds=seconds,
        )

    def _values(self, state: State, own: float) -> dict[Role, float]:
        """Return the value of each role: the team has the same, the others what is left of it."""
        kind = self._match.kind
        team = next((team for team in kind.teams if self._role in team), (self._role,))
        rest = kind.worst[self._role] + kind.best[self._role] - own
        roles = [(place, role) for place, role in enumerate(state.game.roles) if role.lower() != CHANCE]
        return {role: own if place in team else rest for place, role in roles}
