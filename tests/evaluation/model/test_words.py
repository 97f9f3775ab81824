"""Features in words, spelled as the author spells them."""

from __future__ import annotations

import pytest

from ludens.evaluation.features.feature_set import Feature
from ludens.evaluation.features.interpretations import Interpretation, Measure, Sum
from ludens.evaluation.features.patterns import Pattern
from ludens.evaluation.model.words import Wording
from tests.evaluation.features.modelled import of_game, of_sheet

NOTHING = Sum((), ())
SPELLED = """
(role Ann) (init (Pile 3)) (Less 2 3) (Less 1 2) (Less 0 1) (legal Ann Take)
(<= (next (Pile ?m)) (does Ann Take) (true (Pile ?n)) (Less ?m ?n))
(<= terminal (true (Pile 0))) (<= (goal Ann 100) (true (Pile 0))) (<= (goal Ann 0) (not (true (Pile 0))))
"""


def measure(interpretation: Interpretation, pattern: Pattern) -> Measure:
    return Measure(interpretation, pattern, NOTHING)


@pytest.mark.parametrize(
    ("game", "interpretation", "pattern", "words"),
    [
        ("cylindercheckers", "cardinality", Pattern("function", "cell", (0, 1, "red_king")), "# red_king"),
        ("cylindercheckers", "cardinality", Pattern("relation", "holds", ("red", 1, 2)), "# holds red"),
        ("cylindercheckers", "cardinality", Pattern("relation", "holds", (0, 1, "8")), "# holds ... ... 8"),
        ("cylindercheckers", "cardinality", Pattern("relation", "holds", ("red", 1, 1)), "# (holds red ?2 ?2)"),
        ("cylindercheckers", "cardinality", Pattern("function", "cell", (0, 0, "red_king")), "# (cell ?1 ?1 red_king)"),
        (
            "cylindercheckers",
            "partial",
            Pattern("relation", "goal", ("red", "0")),
            "share of goal red 0 that is met",
        ),
        ("cylindercheckers", "distance", Pattern("function", "step", ("50",)), "steps left until step 50"),
        ("cylindercheckers", "distance", Pattern("function", "step", ("0",)), "steps made"),
        (
            "cylindercheckers",
            "distance",
            Pattern("function", "cell", (0, "8", "red_man")),
            "distance of red_man from Y = 8",
        ),
        (
            "racetrackcorridor",
            "distance",
            Pattern("function", "cell", ("black", 1, "1", "runner")),
            "distance of runner of black from Y = 1",
        ),
        (
            "racetrackcorridor",
            "cardinality",
            Pattern("function", "wall", ("white", "right", 2)),
            "# wall right of white",
        ),
        ("othello", "cardinality", Pattern("function", "cell", ("1", "8", "white")), "# white where X = 1 and Y = 8"),
        ("othello", "cardinality", Pattern("function", "cell", ("1", 1, 2)), "# cell where X = 1"),
    ],
)
def test_a_measure_in_words(game: str, interpretation: Interpretation, pattern: Pattern, words: str) -> None:
    assert Wording(of_game(game).facts).measure(measure(interpretation, pattern)) == words


def test_a_difference_either_way_round() -> None:
    one, other = (measure("cardinality", Pattern("function", "cell", (0, 1, piece))) for piece in ("red_man", "blank"))
    wording = Wording(of_game("cylindercheckers").facts)
    assert wording.feature(Feature(one, other)) == "(# red_man - # blank)"
    assert wording.feature(Feature(one, other), turned=True) == "(# blank - # red_man)"


def test_names_are_spelled_as_the_author_does() -> None:
    facts = of_sheet(SPELLED).facts
    wording, pile = Wording(facts), measure("distance", Pattern("function", "pile", ("0",)))
    assert wording.measure(pile).endswith("Pile 0")
    assert wording.expression(pile) == "(Pile 0)"


def test_an_expression_as_the_rules_have_it() -> None:
    wording = Wording(of_game("cylindercheckers").facts)
    held = measure("cardinality", Pattern("relation", "holds", ("red", 1, 2)))
    assert wording.expression(held) == "(holds red ?2 ?3)"
