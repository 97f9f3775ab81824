"""Fluxplayer: looks ahead by the kind of game, and values states by the degree to which they fulfil the goals.

What it knows of a game it finds out in the start clock: the structure of the game, and from that an evaluator. Until
then, and where goals are only true or false, it values states as if the game ended there, which says the same faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from ludens.analysis.facts import analyse
from ludens.core import Role, Searcher
from ludens.errors import LudensError, PlayError
from ludens.evaluation.fuzzy.evaluator import FuzzyEvaluator
from ludens.game import Game
from ludens.players.searching import SearchingPlayer
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaSearcher
from ludens.search.alphabeta.evaluators import EarlyPayoff

ANALYSIS_SHARE = 0.5
"""The part of the time for getting ready in which the structure of the game is found out."""


def fluxplayer(rng: Random, nodes: int | None = None) -> SearchingPlayer:
    return SearchingPlayer("fluxplayer", by_early_payoff, rng, nodes, by_degrees)


def earlypayoff(rng: Random, nodes: int | None = None) -> SearchingPlayer:
    return SearchingPlayer("earlypayoff", by_early_payoff, rng, nodes)


def by_early_payoff(game: Game, role: Role) -> Searcher:
    """Alpha-beta that values states as if the game ended there."""
    return AlphaBetaSearcher(game, role, EarlyPayoff(game))


def by_degrees(game: Game, role: Role, deadline: Deadline, rng: Random) -> Iterator[Searcher]:
    """Alpha-beta that values states by the degrees of truth of the goals."""
    try:
        if game.compile_error:
            raise PlayError(f"the rules cannot be compiled ({game.compile_error})")
        if game.circuit_error:
            raise PlayError(f"the rules do not become a circuit ({game.circuit_error})")
        facts = analyse(game, deadline.share(ANALYSIS_SHARE), rng, proofs=False, symmetries=False)
        evaluator = FuzzyEvaluator.build(game, facts, deadline, rng)
        if not evaluator.formulas.goals_have_degrees:
            raise PlayError("; ".join(("the goals have no degrees", *evaluator.formulas.left_out)))
    except LudensError as error:
        raise PlayError(f"states are valued as if the game ended there: {error}") from error
    yield AlphaBetaSearcher(game, role, evaluator, kind=facts.kind)
