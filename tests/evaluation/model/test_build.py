"""Models of real games: what counts in them, for both sides, in any words."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from ludens.analysis.facts import GameFacts
from ludens.analysis.states import sample_states
from ludens.engines.rows import pack
from ludens.errors import CompileError
from ludens.evaluation.features.exchange import exchange
from ludens.evaluation.features.feature_set import Feature
from ludens.evaluation.features.interpretations import Reading
from ludens.evaluation.features.relative import canonical, image_of
from ludens.evaluation.model import build
from ludens.evaluation.model.build import ModelBuilder, build_model
from ludens.evaluation.model.evaluator import ModelEvaluator
from ludens.evaluation.model.forms import FormSet, LinearForm
from ludens.evaluation.model.game_model import RoleModel
from ludens.evaluation.model.outcome_correction import OutcomeCorrection
from ludens.evaluation.model.report import report
from ludens.evaluation.model.words import Wording
from ludens.game import Game
from ludens.gdl.rules import Rules
from ludens.gdl.scramble import scramble
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import game_of
from tests.evaluation.features.modelled import ENOUGH
from tests.evaluation.model.built import FEW, STATES, evaluator_of, facts_of, model_of, model_with
from tests.tiers import first

SIEGE = """
(role attacker) (role defender) (init (level 3)) (init (tokens attacker 8)) (init (tokens defender 8)) (init (step 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
(succ 10 11) (succ 11 12) (succ 12 13) (succ 13 14) (succ 14 15) (succ 15 16)
(<= (legal ?p push) (true (tokens ?p ?n)) (succ ?m ?n)) (<= (legal ?p rest) (role ?p))
(<= (next (tokens ?p ?m)) (does ?p push) (true (tokens ?p ?n)) (succ ?m ?n))
(<= (next (tokens ?p ?n)) (does ?p rest) (true (tokens ?p ?n)))
(<= up (does attacker push) (does defender rest)) (<= down (does defender push) (does attacker rest))
(<= (next (level ?m)) up (true (level ?n)) (succ ?n ?m)) (<= (next (level ?m)) down (true (level ?n)) (succ ?m ?n))
(<= (next (level 0)) down (true (level 0))) (<= (next (level ?n)) (not up) (not down) (true (level ?n)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= stormed (true (level 6))) (<= terminal stormed) (<= terminal (true (step 16)))
(<= (goal attacker 100) stormed) (<= (goal attacker 0) (not stormed))
(<= (goal defender 0) stormed) (<= (goal defender 100) (not stormed))
"""
"""Both have as many tokens, but only one wants to be up: their roles cannot be exchanged."""


def weights(form: LinearForm | None, facts: GameFacts) -> dict[str, float]:
    """The weights by what their features are called; differences turned so that they are positive."""
    assert form is not None
    wording = Wording(facts)
    found = {}
    for weight, feature in zip(form.weights, form.features, strict=True):
        turned = feature.is_relative and weight < 0
        found[wording.feature(feature, turned)] = abs(weight) if feature.is_relative else weight
    return found


def test_cylinder_checkers_pays_for_pieces() -> None:
    model, facts = model_of("cylindercheckers"), facts_of(game_of("cylindercheckers"))
    red = model.roles[0]
    assert list(weights(red.payoff, facts)) == ["(# holds red - # holds black)"]
    assert red.payoff is not None
    assert red.payoff.constant == pytest.approx(50)


@pytest.mark.parametrize("seed", first(1, (1, 5, 6)))
def test_kings_of_cylinder_checkers_control_more_than_men(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "FIRST_STATES", 1_600)
    monkeypatch.setattr(build, "MIN_CORRECTED_STATES", 10_000)
    game = game_of("cylindercheckers")
    model = model_of(game.name) if seed == 1 else model_with(game, 1_600, seed)
    control = weights(model.roles[0].control, facts_of(game))
    assert control["(# red_king - # black_king)"] > control["(# red_man - # black_man)"] > 0


def test_racetrack_pays_for_the_difference_of_distances() -> None:
    model, facts = model_of("racetrackcorridor"), facts_of(game_of("racetrackcorridor"))
    payoff = weights(model.roles[0].payoff, facts)
    assert payoff == {
        "(distance of runner of black from Y = 1 - distance of runner of white from Y = 1)": pytest.approx(12.5)
    }


@pytest.mark.full
def test_othello_values_corners_and_edges_and_not_the_plain_count() -> None:
    model, facts = model_of("othello"), facts_of(game_of("othello"))
    payoff = weights(model.roles[0].payoff, facts)
    corners = [weight for name, weight in payoff.items() if name.count("X =") and name.count("Y =")]
    edges = [weight for name, weight in payoff.items() if weight not in corners]
    assert len(corners) >= 3
    assert len(edges) >= 3
    assert np.mean(corners) > np.mean(edges) > 0
    assert all("where" in name for name in payoff)


def test_chinese_checkers_value_distance_and_arrival() -> None:
    model, facts = model_of("chinesecheckers6"), facts_of(game_of("chinesecheckers6"))
    for one in model.roles:
        payoff = weights(one.payoff, facts)
        assert any(
            name.startswith("distance") and one.role in name and weight < 0 for name, weight in payoff.items()
        ), one.role


@pytest.mark.parametrize(
    ("name", "expected"),
    first(
        2,
        [
            ("breakthrough", {("proximity", "black"), ("proximity", "white")}),
            ("connectfour", {("partial", "red"), ("partial", "yellow")}),
            ("dotsandboxes", {("distance", "blue"), ("distance", "red")}),
            ("pig", {("distance", "blue"), ("distance", "red")}),
        ],
    ),
)
def test_other_games_pay_for_what_people_would_say(name: str, expected: set[tuple[str, str]]) -> None:
    """How far pieces and points are, or lines are complete: one difference, and nothing beside it."""
    payoff = model_of(name).roles[0].payoff
    assert payoff is not None
    (feature,) = payoff.features
    found = {(part.interpretation, word) for part in feature.parts for word in part.pattern.arguments}
    assert expected <= found


@pytest.mark.full
def test_what_never_changes_is_not_mistaken_for_its_place() -> None:
    model = model_of("amazons")
    assert all(one.control is None or max(map(abs, one.control.weights)) > 0.005 for one in model.roles)


@pytest.mark.parametrize("name", ["racetrackcorridor", "tictactoe", "breakthrough", "cylindercheckers", "twokeys"])
def test_both_roles_of_a_symmetric_game_have_the_same_model(name: str) -> None:
    model, engine = model_of(name), game_of(name).engine
    permutation = exchange(facts_of(game_of(name)), model.atoms, engine.decode(engine.initial(1))[0], (0, 1))
    assert permutation is not None
    one, other = model.roles
    for ours, theirs in ((one.payoff, other.payoff), (one.control, other.control)):
        assert (ours is None) == (theirs is None)
        if ours and theirs:
            expected = {
                tuple(image_of(part.reading, permutation) for part in feature.parts): weight
                for feature, weight in zip(ours.features, ours.weights, strict=True)
            }
            assert by_readings(theirs) == pytest.approx(expected)
            assert ours.constant == pytest.approx(theirs.constant)


def by_readings(form: LinearForm) -> dict[tuple[Reading, ...], float]:
    """The weights by how features are read; differences the other way round."""
    return {
        tuple(canonical(part.reading) for part in feature.parts[::-1]): -weight if feature.is_relative else weight
        for feature, weight in zip(form.features, form.weights, strict=True)
    }


@pytest.mark.full
def test_chess_pays_for_nothing_that_a_few_mates_have_in_common() -> None:
    assert [one.payoff for one in model_of("chess").roles] == [None, None]


@pytest.mark.full
def test_chess_orders_the_pieces() -> None:
    control = weights(model_of("chess").roles[0].control, facts_of(game_of("chess")))
    queen, rook, bishop, knight = (control[f"(# w{piece} - # b{piece})"] for piece in "qrbn")
    pawn = control.get("(# wp - # bp)", 0.0)
    assert queen > rook > max(bishop, knight)
    assert min(bishop, knight) > pawn


@pytest.mark.parametrize("seed", first(1, range(3)))
def test_places_of_a_symmetric_board_stand_or_fall_together(seed: int) -> None:
    game = game_of("tictactoe")
    payoff = weights(model_with(game, FEW, seed).roles[0].payoff, facts_of(game))
    corners = [name for name in payoff if "and Y" in name and all(f"{axis} = 2" not in name for axis in "XY")]
    assert len(corners) == 4
    assert len({payoff[name] for name in corners}) == 1
    assert "(# x - # o)" not in payoff, "it only tells whose turn it is"


def test_what_only_one_side_has_counts_beside_what_both_have() -> None:
    """Each of the two keys pays both, so that their difference pays nobody."""
    payoff = weights(model_of("twokeys").roles[0].payoff, facts_of(game_of("twokeys")))
    assert payoff["# has_key red"] > 0
    assert payoff["# has_key blue"] > 0


def test_a_game_with_unequal_roles() -> None:
    game = Game(Rules.parse(SIEGE))
    attacker, defender = model_with(game, FEW).roles
    facts = facts_of(game)
    assert list(weights(attacker.payoff, facts)) == list(weights(defender.payoff, facts)) == ["distance from level 6"]
    assert weights(attacker.payoff, facts)["distance from level 6"] < 0
    assert weights(defender.payoff, facts)["distance from level 6"] > 0


@pytest.mark.parametrize("name", first(1, ["racetrackcorridor", "breakthrough"]))
def test_scrambled_words_give_the_same_model(name: str) -> None:
    """Payoff, control and termination are the same for the same states, but for the chance of other random games."""
    scrambling = scramble(game_of(name).rules, Random(5))
    game = Game(scrambling.rules)
    game.compile()
    known, model = model_of(name), model_with(game, STATES.get(name, FEW))
    rows = pack(sample_states(game_of(name), Random(2), Deadline(ENOUGH), 200).bits)
    facts = [frozenset(map(scrambling.scramble_term, one)) for one in game_of(name).engine.decode(rows)]
    renamed = game.engine.encode(facts)  # type: ignore[arg-type]
    for plain, other in zip(known.roles, model.roles, strict=True):
        assert plain.control_share == pytest.approx(other.control_share, abs=0.1)
        limits = ((plain.payoff, other.payoff, 5.0), (plain.control, other.control, 0.05))
        for one, same, most in (*limits, (known.termination, model.termination, 0.05)):
            assert one is not None
            assert same is not None
            before, after = FormSet(known.atoms, [one]).values(rows), FormSet(model.atoms, [same]).values(renamed)
            assert np.abs(after - before).max() < most


def test_the_same_seed_gives_the_same_model() -> None:
    game = game_of("racetrackcorridor")
    one, other = (build_model(game, facts_of(game), Deadline(ENOUGH), Random(9), 400) for _ in range(2))
    assert one.roles == other.roles
    assert one.termination == other.termination
    assert one.states == other.states


def test_samples_double_until_there_are_enough() -> None:
    game = game_of("tictactoe")
    sizes = [model.states for model in ModelBuilder(game, facts_of(game), Deadline(ENOUGH), Random(1)).models(800)]
    assert sizes[0] >= 25
    assert sizes[-1] >= 800
    assert all(after > before for before, after in itertools.pairwise(sizes))


def test_samples_double_where_there_is_a_correction_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made once, for the last model, however many games it takes."""
    made = []

    class Counted(OutcomeCorrection):
        def form(
            self, model: RoleModel, stable: Sequence[Feature], signs: Sequence[Feature], deadline: Deadline
        ) -> LinearForm | None:
            made.append(signs)
            return super().form(model, stable, signs, deadline)

    monkeypatch.setattr(build, "OutcomeCorrection", Counted)
    game = game_of("breakthrough")
    models = list(ModelBuilder(game, facts_of(game), Deadline(ENOUGH), Random(1)).models(800))
    assert models[-1].states >= 800
    assert len(models) > 4
    assert len(made) == 1


def test_derived_relations_are_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """At first there is no time for them, as on a busy computer."""
    monkeypatch.setattr(build, "GROUNDING_SHARE", 0.0)
    game = game_of("tictactoe")
    first, *_, last = ModelBuilder(game, facts_of(game), Deadline(ENOUGH), Random(1)).models(200)
    assert first.atoms.circuit is None
    assert "derived relations" in first.left_out[0]
    assert last.atoms.circuit is not None
    assert last.left_out == ()
    assert last.states > first.states


def test_the_first_model_may_be_a_little_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "FIRST_MODEL_GRACE", ENOUGH)
    game = game_of("tictactoe")
    assert build_model(game, facts_of(game), Deadline(0), Random(1)).states >= 25


def test_no_time_at_all_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "FIRST_MODEL_GRACE", 0.0)
    game = game_of("nim")
    with pytest.raises(CompileError, match="not enough time for a model; allow more seconds"):
        build_model(game, facts_of(game), Deadline(0), Random(1))


def test_one_player_and_chance_are_no_obstacle() -> None:
    for name in ("eightpuzzle", "pig"):
        game = game_of(name)
        evaluator = ModelEvaluator.build(game, facts_of(game), Deadline(ENOUGH), Random(1), 400)
        values = evaluator.evaluate(game.engine.initial(2))
        assert values.shape == (2, len(game.roles))
        assert np.isfinite(values).all()


@pytest.mark.parametrize(("name", "share"), [("eightpuzzle", "misplaced"), ("lightsout", "light")])
def test_how_far_conditions_are_met_has_to_do_where_nothing_stable_tells(name: str, share: str) -> None:
    payoff = weights(model_with(game_of(name), 200).roles[0].payoff, facts_of(game_of(name)))
    assert payoff.keys() == {f"share of {share} that is met"}
    assert max(payoff.values()) < 0


def test_what_cannot_be_compiled_has_no_model() -> None:
    game = Game(
        Rules.parse("(role a) (legal a go) (<= (goal a 50) (f ?x)) (<= (f (s ?x)) (f ?x)) (f 0) (<= terminal (f 0))")
    )
    facts = facts_of(game_of("tictactoe"))
    game.stop_compiling()
    with pytest.raises(CompileError, match="as a circuit: "):
        build_model(game, facts, Deadline(0.5), Random(1))


@pytest.mark.parametrize("name", ["racetrackcorridor", "cylindercheckers", "chinesecheckers6"])
def test_values_are_inside_the_range_of_goals(name: str) -> None:
    rows = pack(sample_states(game_of(name), Random(2), Deadline(ENOUGH), 300).bits)
    kind, values = facts_of(game_of(name)).kind, evaluator_of(name).evaluate(rows)
    for role in range(len(game_of(name).roles)):
        assert (values[:, role] > kind.worst[role]).all()
        assert (values[:, role] < kind.best[role]).all()


@pytest.mark.parametrize("name", first(1, ["cylindercheckers", "othello"]))
def test_what_one_side_gains_the_other_loses(name: str) -> None:
    rows = pack(sample_states(game_of(name), Random(2), Deadline(ENOUGH), 100).bits)
    assert evaluator_of(name).evaluate(rows).sum(axis=1) == pytest.approx(np.full(len(rows), 100.0))


def test_states_of_the_reference_engine_are_worth_the_same() -> None:
    game, evaluator = game_of("racetrackcorridor"), evaluator_of("racetrackcorridor")
    reference = game.reference_engine
    assert evaluator.evaluate(reference.initial(1), reference) == pytest.approx(
        evaluator.evaluate(game.engine.initial(1))
    )


def test_a_step_towards_the_goal_is_worth_more() -> None:
    game, evaluator = game_of("racetrackcorridor"), evaluator_of("racetrackcorridor")
    state = game.initial_state()
    ahead = state.next({"white": "(move forward)", "black": "(move right)"})
    text = evaluator.explain(ahead)
    assert "white: " in text
    assert "is 1" in text
    rows = [game.engine.encode([frozenset(fact.term for fact in one.facts)]) for one in (state, ahead)]
    start, after = (evaluator.evaluate(row)[0] for row in rows)
    assert after[0] > start[0]
    assert after[1] < start[1]


def test_a_symmetric_start_is_worth_the_same_to_both() -> None:
    """They need not share a constant sum for that."""
    assert evaluator_of("racetrackcorridor").values(game_of("racetrackcorridor").engine.initial(1))[0] == pytest.approx(
        [50, 50]
    )


def test_a_report_names_features_with_their_weights() -> None:
    facts = facts_of(game_of("racetrackcorridor"))
    text = report(model_of("racetrackcorridor"), facts, "white")
    assert "for white:" in text
    assert "for black:" not in text
    assert "+12.500 (distance of runner of black from Y = 1 - distance of runner of white from Y = 1)" in text
    assert "█" in text
    assert "Payoff stability = 0." in text
