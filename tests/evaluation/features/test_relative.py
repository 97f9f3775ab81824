"""Relative features: pairs that an exchange of two roles maps onto each other."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ludens.analysis.states import sample_states
from ludens.engines.rows import pack
from ludens.evaluation.features.exchange import MISSING, counterparts, exchange
from ludens.evaluation.features.feature_set import Feature, FeatureSet
from ludens.evaluation.features.patterns import Pattern
from ludens.evaluation.features.relative import images, orbits, relative_features, subsumed
from ludens.evaluation.model.sample import with_images
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import structure_of
from tests.evaluation.features.modelled import ENOUGH, Modelled, of_game


def pairs_of(one: Modelled) -> list[Feature]:
    permutation = exchange(one.facts, one.atoms, one.engine.decode(one.engine.initial(1))[0], (0, 1))
    assert permutation is not None
    return relative_features(one.measures, permutation)


def shown(features: list[Feature]) -> set[tuple[str, object, object]]:
    return {
        (feature.measure.interpretation, feature.measure.pattern.arguments, feature.minus.pattern.arguments)
        for feature in features
        if feature.minus
    }


def test_what_looks_alike_is_paired_where_rules_are_not_symmetric() -> None:
    one = of_game("cylindercheckers", symmetries=False)
    words = counterparts(one.facts, (0, 1))
    assert words["red_man"] == "black_man"
    assert words["black_king"] == "red_king"
    found = shown(pairs_of(one))
    assert ("cardinality", (0, 1, "red_man"), (0, 1, "black_man")) in found
    assert ("distance", (0, "8", "red_man"), (0, "1", "black_man")) in found or (
        "distance",
        (0, "1", "black_man"),
        (0, "8", "red_man"),
    ) in found


@pytest.mark.full
def test_chess_pieces_are_paired_by_the_facts_that_tell_whose_they_are() -> None:
    words = counterparts(structure_of("chess"), (0, 1))
    for kind in "kqrbnp":
        assert (words[f"w{kind}"], words[f"b{kind}"]) == (f"b{kind}", f"w{kind}")


@pytest.mark.parametrize("name", ["tictactoe", "racetrackcorridor", "breakthrough"])
def test_an_exchange_is_its_own_inverse(name: str) -> None:
    one = of_game(name)
    permutation = exchange(one.facts, one.atoms, one.engine.decode(one.engine.initial(1))[0], (0, 1))
    assert permutation is not None
    mapped = permutation != MISSING
    assert mapped.mean() > 0.9
    assert (permutation[permutation[mapped]] == np.flatnonzero(mapped)).all()


@pytest.mark.parametrize("name", ["racetrackcorridor", "cylindercheckers"])
def test_differences_are_those_of_their_parts_and_zero_at_the_start(name: str) -> None:
    one = of_game(name, symmetries=name != "cylindercheckers")
    features = pairs_of(one)
    rows = pack(sample_states(one.game, Random(1), Deadline(ENOUGH), 100).bits)
    values = FeatureSet(one.atoms, features).values(rows)
    plus = FeatureSet(one.atoms, [Feature(feature.measure) for feature in features]).values(rows)
    minus = FeatureSet(one.atoms, [Feature(feature.parts[1]) for feature in features]).values(rows)
    assert values == pytest.approx(plus - minus)
    counts = [n for n, feature in enumerate(features) if feature.measure.pattern.name in ("cell", "wall", "walls_left")]
    assert not values[0, counts].any()


def test_each_pair_is_there_once_and_subsumes_both() -> None:
    features = pairs_of(of_game("racetrackcorridor"))
    assert len(subsumed(features)) == 2 * len(features)


def test_more_than_a_swap_of_words_is_needed_for_six_players() -> None:
    one = of_game("chinesecheckers6", symmetries=False)
    assert exchange(one.facts, one.atoms, one.engine.decode(one.engine.initial(1))[0], (0, 1)) is None


def test_absolute_features_are_images_of_each_other_and_count_alike() -> None:
    one = of_game("twokeys")
    permutation = exchange(one.facts, one.atoms, one.engine.decode(one.engine.initial(1))[0], (0, 1))
    assert permutation is not None
    features = [Feature(measure) for measure in one.measures]
    red, blue, both = (
        Feature(one.find("cardinality", Pattern("function", "has_key", (who,)))) for who in ("red", "blue", 0)
    )
    found, alike = images(features, permutation), orbits(features, [permutation])
    assert (found[red], found[blue], found[both]) == (blue, red, both)
    assert alike[red] == alike[blue] != alike[both]
    assert images(features, None) == {}
    values = with_images(np.array([[1.0, 0.0, 1.0, 2.0]]), [red, blue, both, Feature(red.measure, blue.measure)], found)
    assert values.tolist() == [[1, 0, 1, 2], [0, 1, 1, -2]]
