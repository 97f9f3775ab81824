"""Models as people and programs read them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from ludens.core import Role
from ludens.evaluation.features.feature_set import Feature
from ludens.evaluation.features.patterns import Pattern
from ludens.evaluation.model.forms import LinearForm
from ludens.evaluation.model.game_model import GameModel, RoleModel
from ludens.evaluation.model.report import chart, document, report
from tests.analysis.analysed import game_of
from tests.evaluation.features.modelled import Modelled, of_game
from tests.evaluation.model.built import facts_of, model_of


def kings_and_men(game: Modelled) -> GameModel:
    """A model with weights that are easy to follow."""

    def count(piece: str) -> Feature:
        return Feature(game.find("cardinality", Pattern("function", "cell", (0, 1, piece))))

    kings, men = (Feature(count(f"red_{kind}").measure, count(f"black_{kind}").measure) for kind in ("king", "man"))
    control = LinearForm((men, kings), (0.042, 0.087), 0.0)
    opposite = LinearForm((men, kings), (-0.042, -0.087), 0.0)
    payoff = LinearForm((count("red_man"), count("black_man")), (4.0, -2.0), 40.0)
    roles = (RoleModel(Role("red"), payoff, control, 1.0, 3.0), RoleModel(Role("black"), None, opposite, 0.0, 2.0))
    ending, left_out = LinearForm((), (), 0.02), ("discs: it can hold for too much",)
    return GameModel(roles, ending, (0, 0), (100, 100), game.atoms, 1600, 40, 12, 1.5, left_out)


def test_a_report_as_in_the_paper() -> None:
    game = of_game("cylindercheckers")
    assert report(kings_and_men(game), game.facts, "RED").splitlines() == [
        "from 1,600 states of random games; of 40 features 12 are stable",
        "",
        "for red:",
        "Payoff (from 0 to 100) =",
        "     +4.000 # red_man    ████████████████████",
        "     -2.000 # black_man  ░░░░░░░░░░",
        "    +40.000",
        "Control (from -1 to 1) =",
        "     +0.087 (# red_king - # black_king)  ████████████████████",
        "     +0.042 (# red_man - # black_man)    ██████████",
        "Payoff stability = 0.250, control stability = 0.750",
        "",
        "Termination (from 0 to 1) =",
        "     +0.020",
        "left out: discs: it can hold for too much",
    ]


def test_differences_are_turned_so_that_weights_are_positive() -> None:
    game = of_game("cylindercheckers")
    lines = report(kings_and_men(game), game.facts, "black").splitlines()
    assert "Payoff: no stable feature tells it" in lines
    assert "     +0.087 (# black_king - # red_king)  ████████████████████" in lines
    assert not any("stability =" in line for line in lines)


def test_an_outcome_correction_stands_below_the_payoff() -> None:
    game = of_game("cylindercheckers")
    model = kings_and_men(game)
    red, black = model.roles
    assert red.control is not None
    told = report(
        replace(model, roles=(replace(red, outcome_correction=red.control), black)), game.facts, "red"
    ).splitlines()
    place = told.index("Outcome correction (added to the worth) =")
    assert told.index("Payoff (from 0 to 100) =") < place < told.index("Control (from -1 to 1) =")
    assert told[place + 1].startswith("     +0.087 (# red_king - # black_king)")


def test_all_roles() -> None:
    game = of_game("cylindercheckers")
    text = report(kings_and_men(game), game.facts)
    assert text.index("for red:") < text.index("for black:") < text.index("Termination")


def test_a_document_for_programs() -> None:
    game = of_game("cylindercheckers")
    found = json.loads(json.dumps(document(kings_and_men(game), game.facts, "red")))
    assert [one["role"] for one in found["roles"]] == ["red"]
    red = found["roles"][0]
    assert (red["payoff_share"], red["control_share"]) == (0.25, 0.75)
    assert red["control"]["terms"][0] == {
        "weight": 0.087,
        "feature": "(# red_king - # black_king)",
        "expressions": ["(cell ?1 ?2 red_king)", "(cell ?1 ?2 black_king)"],
    }
    assert (found["states"], found["features"], found["stable_features"]) == (1600, 40, 12)
    assert document(kings_and_men(game), game.facts, "black")["roles"][0]["payoff"] is None


def test_a_chart_has_a_bar_for_each_weight(tmp_path: Path) -> None:
    game = of_game("cylindercheckers")
    chart(kings_and_men(game), game.facts, "What counts <here>", "red").write(tmp_path / "model.svg")
    root = ElementTree.parse(tmp_path / "model.svg").getroot()
    bars = [float(one.get("width", 0)) for one in root.iter() if one.get("class") in ("c0", "c3")]
    longest = max(bars)
    assert [round(bar / longest, 2) for bar in bars] == [1.0, 0.5, 1.0, 0.48]
    words = [one.text for one in root.iter() if one.tag.endswith("text")]
    assert {"What counts <here>", "# red_man", "-2.000", "the same everywhere"} <= set(words)
    assert "no stable feature tells it" not in words


def test_a_real_model_can_be_told() -> None:
    facts = facts_of(game_of("racetrackcorridor"))
    for role in ("white", "black"):
        assert f"for {role}:" in report(model_of("racetrackcorridor"), facts, role)
