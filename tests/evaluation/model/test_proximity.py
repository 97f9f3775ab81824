"""Proximity in place of distance: for what can get lost, and only for that."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ludens.evaluation.features.feature_set import Feature, FeatureSet
from ludens.evaluation.features.interpretations import Sum, proximity_measure
from ludens.evaluation.features.patterns import Pattern
from ludens.evaluation.model.evaluator import ModelEvaluator
from ludens.evaluation.model.proximity import proximity, with_replaced
from ludens.evaluation.model.words import Wording
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import game_of
from tests.evaluation.features.modelled import of_game
from tests.evaluation.model.built import model_with
from tests.tiers import first


def test_proximity_is_what_all_are_nearer_than_the_farthest() -> None:
    game = of_game("breakthrough")
    way = game.find("distance", Pattern("function", "cell", (0, "8", "white")))
    near = proximity_measure(way)
    assert isinstance(way.reading, Sum)
    assert isinstance(near.reading, Sum)
    assert near.reading.columns == way.reading.columns
    assert {a + b for a, b in zip(near.reading.weights, way.reading.weights, strict=True)} == {7.0}
    initial = game.engine.initial(1)
    sums = FeatureSet(game.atoms, [Feature(way), Feature(near)]).values(initial)[0]
    assert list(sums) == [8 * 7 + 8 * 6, 8 * 0 + 8 * 1]


def test_words_for_proximity() -> None:
    game = of_game("breakthrough")
    ways = [
        game.find("distance", Pattern("function", "cell", (0, goal, colour)))
        for colour, goal in (("white", "8"), ("black", "1"))
    ]
    words = Wording(game.facts)
    assert words.feature(proximity(Feature(*ways))) == "(proximity of white to Y = 8 - proximity of black to Y = 1)"
    assert words.feature(proximity(Feature(ways[0]))) == "proximity of white to Y = 8"


@pytest.mark.parametrize("states", first(1, [1_600, 12_800]))
def test_a_piece_that_is_lost_is_no_gain(states: int) -> None:
    """A sum of distances would be less without it."""
    game = of_game("breakthrough")
    evaluator = ModelEvaluator.build(game.game, game.facts, Deadline.never(), Random(7), states)
    white = [
        place for place, fluent in enumerate(game.engine.circuit.fluents) if fluent[0] == "cell" and "white" in fluent
    ]
    rows = np.repeat(game.engine.initial(1), 17, axis=0)
    held = [place for place in white if rows[0, place >> 6] >> np.uint64(place & 63) & np.uint64(1)]
    assert len(held) == 16
    for row, place in enumerate(held, 1):
        rows[row, place >> 6] ^= np.uint64(1) << np.uint64(place & 63)
    worths = evaluator.evaluate(rows)[:, game.facts.roles.index("white")]
    assert (worths[1:] < worths[0]).all()


@pytest.mark.parametrize("name", first(1, ["racetrackcorridor", "chinesecheckers6"]))
def test_what_nothing_is_lost_of_keeps_its_distance(name: str) -> None:
    model = model_with(game_of(name), 1_600, seed=7)
    kinds = {
        part.interpretation for one in model.roles if one.payoff for this in one.payoff.features for part in this.parts
    }
    assert "distance" in kinds
    assert "proximity" not in kinds


def test_images_of_what_was_replaced() -> None:
    game = of_game("breakthrough")
    white, black = (
        Feature(game.find("distance", Pattern("function", "cell", (0, goal, colour))))
        for colour, goal in (("white", "8"), ("black", "1"))
    )
    images = {white: black, black: white}
    replaced = {white: proximity(white), black: proximity(black)}
    assert with_replaced(images, {}) == images
    assert with_replaced(images, replaced)[proximity(white)] == proximity(black)
