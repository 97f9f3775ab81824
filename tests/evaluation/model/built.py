"""Models of bundled games that several tests look at, each built once in a process."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Final

from ludens import games
from ludens.analysis.facts import GameFacts
from ludens.evaluation.model.build import build_model
from ludens.evaluation.model.evaluator import ModelEvaluator
from ludens.evaluation.model.game_model import GameModel
from ludens.game import Game
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import facts_of_game, game_of, structure_of, unproved_facts_of

LARGE: Final = {"chinesecheckers6": 100, "amazons": 100, "chess": 100}
"""How many states are enough for games that take long; they do without the symmetries of their rules, too."""
STATES: Final = LARGE | {"cylindercheckers": 1_600, "racetrackcorridor": 1_600, "othello": 400}
FEW: Final = 800


@cache
def facts_of(game: Game) -> GameFacts:
    """Analyse any game without proofs, and bundled ones as other tests do."""
    if game.name not in games.names():
        return facts_of_game(game, proofs=False)
    return structure_of(game.name) if game.name in LARGE else unproved_facts_of(game.name)


@cache
def model_of(name: str) -> GameModel:
    return model_with(game_of(name), STATES.get(name, FEW))


def model_with(game: Game, states: int, seed: int = 1) -> GameModel:
    return build_model(game, facts_of(game), Deadline.never(), Random(seed), states)


@cache
def evaluator_of(name: str) -> ModelEvaluator:
    return ModelEvaluator(game_of(name), facts_of(game_of(name)), model_of(name))
