"""The UT Austin player: many simple heuristics, each tried by a search of its own at the same time.

In the start clock it looks for structures in the rules and in random games, and makes two heuristics of each number
that they suggest. In each turn every worker searches by one of them, or for the end alone, and suggests moves; what is
certainly best is played, or else what was looked at deepest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from ludens.analysis.kind import GameKind, game_kind
from ludens.analysis.templates.structures import SIMULATION_SHARE, find_templates, simulated
from ludens.cluster.orders import PARANOID, MatchOrder
from ludens.cluster.pool import SerialPool, WorkerPool
from ludens.cluster.searcher import PooledSearcher
from ludens.cluster.worker import make_searcher
from ludens.core import Decision, Limit, Role, Searcher
from ludens.errors import LudensError, PlayError
from ludens.evaluation.simple.evaluator import correlations
from ludens.evaluation.simple.heuristics import Heuristic, features_of, heuristics_of
from ludens.game import Game, State
from ludens.players.pooled import MIN_WORKERS, PooledPlayer, PoolFactory
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaSearcher


@dataclass(frozen=True)
class Ideas:
    """What a game gives to play by."""

    kind: GameKind
    heuristics: tuple[Heuristic, ...]


def find_ideas(game: Game, deadline: Deadline, rng: Random) -> Ideas:
    """The heuristics that the structures of a game suggest, and what kind of game it is.

    The first part of the time is for random games; both follow from the same ones.
    """
    part = deadline.share(SIMULATION_SHARE)
    states = simulated(game, part, rng, deadline)
    kind = game_kind(game, rng, deadline=part, seen=states)
    return Ideas(kind, heuristics_of(features_of(find_templates(game, part, rng, states))))


def by_end(game: Game, role: Role) -> Searcher:
    """Exhaustive search: nothing counts but how the game ends."""
    return AlphaBetaSearcher(game, role, options=PARANOID)


def by_chance(game: Game, match: MatchOrder) -> Searcher:
    """Roles that move at the same time do so at random: for states that are lost if our move is known."""
    options = replace(match.options, simultaneous="random")
    return AlphaBetaSearcher(game, match.role, options=options, kind=match.kind)


def by_heuristic(game: Game, role: Role, kind: GameKind, heuristic: Heuristic) -> Searcher:
    """A search that values states by one heuristic."""
    return make_searcher(game, MatchOrder(game.rules, role, kind, (heuristic,)), 0)


class KuhlmannPlayer(PooledPlayer):
    """Searches with a pool of workers; for play that can be repeated it does their work itself, one after the other."""

    def __init__(self, rng: Random, nodes: int | None = None, pool: PoolFactory | None = None) -> None:
        super().__init__("kuhlmann", by_end, rng, nodes, self._by_pool, pool or (_serial_pool if nodes else None))

    def _by_pool(self, game: Game, role: Role, deadline: Deadline, rng: Random) -> Iterator[Searcher]:
        """A search by all heuristics at once, as soon as they are found."""
        pool = self._opened(game, deadline)
        try:
            match, tried = _thought_out(game, role, deadline, rng)
        except LudensError:
            self._let_go(pool)
            raise
        best = max(range(len(tried)), key=tried.__getitem__)
        pool.begin(match)
        yield PooledSearcher(game, match, pool, make_searcher(game, match, best), tried, by_chance(game, match))
        pool.wait(deadline)

    def _search(self, searcher: Searcher, state: State, limit: Limit) -> Decision:
        """The decision of the pool tells which heuristic has proposed what."""
        decision = super()._search(searcher, state, limit)
        if not isinstance(searcher, PooledSearcher):
            return decision
        searcher.learn()
        return replace(decision, explanation=tuple(searcher.proposals))


def _thought_out(game: Game, role: Role, deadline: Deadline, rng: Random) -> tuple[MatchOrder, Sequence[float]]:
    """What workers are told of a match, and how each heuristic does in random games."""
    ideas = find_ideas(game, deadline, rng)
    if not ideas.heuristics:
        raise PlayError("it looks ahead without heuristics: there is no board, piece or amount in the game")
    tried = correlations(game, role, ideas.kind, ideas.heuristics, deadline, rng)
    return MatchOrder(game.rules, role, ideas.kind, ideas.heuristics), tried


def _serial_pool(game: Game) -> WorkerPool:
    return SerialPool(MIN_WORKERS, game)
