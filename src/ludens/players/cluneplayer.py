"""Cluneplayer: looks ahead by alpha-beta, and values states by a model of payoff, control and termination.

The model is made in the start clock, from better and better samples. Until there is one, and where no feature of the
game tells anything, states are valued as if the game ended there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

from ludens.analysis.facts import analyse
from ludens.core import Role, Searcher
from ludens.errors import LudensError, PlayError
from ludens.evaluation.model.build import ANALYSIS_SHARE, MAX_STATES, ModelBuilder
from ludens.evaluation.model.evaluator import ModelEvaluator
from ludens.game import Game
from ludens.players.fluxplayer import by_early_payoff
from ludens.players.searching import SearchingPlayer
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaSearcher

USEFUL_STATES = 400
"""The least number of states with which a model is better than none."""
REPEATABLE_STATES = 6_400
"""The number of states that is enough where there is no clock, and play can be repeated."""


def cluneplayer(rng: Random, nodes: int | None = None) -> SearchingPlayer:
    return SearchingPlayer("cluneplayer", by_early_payoff, rng, nodes, by_model)


def by_model(game: Game, role: Role, deadline: Deadline, rng: Random) -> Iterator[Searcher]:
    """Alpha-beta that values states by a model: by the first that is useful, then by the last that is ready in time."""
    try:
        if game.circuit_error:
            raise PlayError(f"the rules cannot be compiled to a circuit ({game.circuit_error})")
        facts = analyse(game, deadline.share(ANALYSIS_SHARE), rng, proofs=False)
        last, shown = None, None
        most = MAX_STATES if math.isfinite(deadline.remaining) else REPEATABLE_STATES
        for last in ModelBuilder(game, facts, deadline, rng).models(most):
            if shown is None and last.states >= USEFUL_STATES and last.tells(role):
                shown = last
                yield AlphaBetaSearcher(game, role, ModelEvaluator(game, facts, last), kind=facts.kind)
        if shown is None and not (last and last.tells(role)):
            raise PlayError("no stable feature tells what counts")
    except LudensError as error:
        raise PlayError(f"states are valued as if the game ended there: {error}") from error
    if last and last is not shown and last.tells(role):
        yield AlphaBetaSearcher(game, role, ModelEvaluator(game, facts, last), kind=facts.kind)
