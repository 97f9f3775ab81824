"""Unrolling goals and ends: the same truth as the reference engine, in a shape that shows degrees."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from ludens import load
from ludens.analysis.facts import analyse
from ludens.analysis.relations import examine
from ludens.errors import CompileError
from ludens.evaluation.fuzzy.grading import MAX_WORDS, Proximity
from ludens.evaluation.fuzzy.instances import goal_rules
from ludens.evaluation.fuzzy.norms import Norm
from ludens.evaluation.fuzzy.selection import UnrollLimits
from ludens.evaluation.fuzzy.unroll import unroll
from ludens.game import Game
from ludens.gdl.rules import Rules
from ludens.gdl.scramble import scramble
from ludens.runtime.deadline import Deadline
from tests.evaluation.fuzzy.sheets import CIRCLE, ODD, PAIRS, RACE, SCORE, THREE, TWICE, WORDS
from tests.evaluation.fuzzy.unrolled import ENOUGH, Unrolled, disagreements, of_game, of_rules, random_states, unrolled
from tests.tiers import every_game, first

NORMS = (Norm(), Norm(p=0.9, t=0.6, q=1), Norm(p=0.8, t=0.8, q=2))
SLOW = ("amazons", "chess", "othello")
"""Plain evaluation or the reference engine takes its time for these."""
TWINS = ("amazonswhole", "chinesecheckers6", "nothello")
"""Games much like another one, only larger or the other way round."""
SMALL = UnrollLimits(inputs=3)


def assert_truth(one: Unrolled, count: int = 12) -> None:
    for seed, norm in enumerate(NORMS):
        assert not disagreements(one, random_states(one.game, count // len(NORMS), seed), norm)


@pytest.mark.parametrize("name", every_game(but=TWINS))
def test_degrees_tell_the_truth(name: str) -> None:
    assert_truth(unrolled(name), 3 if name in SLOW else 12)


@pytest.mark.parametrize("sheet", [SCORE, RACE, ODD, PAIRS, THREE, CIRCLE, WORDS, TWICE])
def test_degrees_tell_the_truth_of_all_ways_to_write_rules(sheet: str) -> None:
    one = of_rules(sheet)
    for same in (one, one.with_limits(SMALL), one.with_limits(UnrollLimits(instances=1))):
        assert_truth(same, 30)


@pytest.mark.parametrize(
    "name", every_game(of=["checkers", "tictactoe", "highcard", "othello", "kalah", "chinesecheckers3"])
)
def test_small_limits_make_opaque_leaves_that_tell_the_truth(name: str) -> None:
    one = unrolled(name).with_limits(SMALL)
    assert len(one.formulas.opaque) > 0
    assert len(one.formulas.inputs) <= SMALL.inputs
    assert any("too large" in text for text in one.formulas.left_out)
    assert_truth(one)


def test_no_room_for_instances_leaves_goals_and_end_whole() -> None:
    one = unrolled("checkers").with_limits(UnrollLimits(instances=10))
    assert len(one.formulas.opaque) == 1 + sum(map(len, one.formulas.goals))
    assert one.formulas.left_out[0].startswith("goals and end count as true or false only: the rules have more than")
    assert_truth(one)


def test_no_time_leaves_goals_and_end_whole() -> None:
    one = unrolled("racetrackcorridor").with_limits(UnrollLimits(), seconds=0)
    assert "longer than allowed" in one.formulas.left_out[0]
    assert_truth(one)


def test_no_room_for_what_is_near_makes_fluents_crisp() -> None:
    one = unrolled("racetrackcorridor").with_limits(UnrollLimits(near=50))
    assert 0 < len(one.formulas.near_fluents) <= 50, "the steps"
    assert one.formulas.left_out == ("how near facts of cell are: they are too many",)
    assert_truth(one)


def test_what_is_near_is_not_listed_where_there_is_no_room_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    one = unrolled("racetrackcorridor")
    monkeypatch.setattr(Proximity, "of", None)
    assert len(one.with_limits(UnrollLimits(near=0)).formulas.near_fluents) == 0


def test_orders_with_too_many_words_are_told() -> None:
    one = of_rules(SCORE)
    less = examine("less", combinations(map(str, range(MAX_WORDS + 1)), 2))
    formulas = unroll(one.game, replace(one.facts, relations=(less,)), Deadline(ENOUGH))
    assert len(formulas.comparison_holds) == 0
    assert formulas.left_out == ("comparisons of less: true or false only, since they have too many words",)


def test_what_the_analysis_left_out_is_told() -> None:
    game = Game(Rules.parse(SCORE))
    assert game.compile()
    facts = analyse(game, Deadline(0), Random(1))
    missing = [text for text in facts.left_out if "static relations" in text]
    assert missing, facts.left_out
    assert [*unroll(game, facts, Deadline(ENOUGH)).left_out] == missing


def test_goals_that_depend_on_more_than_the_state_are_tried_once() -> None:
    rules = Rules.parse(SCORE.replace("(<= (goal me 100) rich)", "(<= (goal me 100) (next (score 3)))"))
    with pytest.raises(CompileError, match="depend on more than the state"):
        goal_rules(rules)


def test_a_goal_value_written_in_two_ways_is_one() -> None:
    one = of_rules(TWICE)
    for way in (one, one.with_limits(UnrollLimits(instances=1))):
        assert [goal.value for goal in way.formulas.goals[0]] == [0, 50, 100]
        for step, holds in (("0", False), ("1", True), ("2", True)):
            degree = way.goals(frozenset({"on", ("step", step)}), Norm())[0][50]
            assert degree >= Norm().t if holds else degree <= 1 - Norm().t


def test_a_game_that_is_not_compiled_is_refused() -> None:
    game = load("tictactoe")
    facts = unrolled("tictactoe").facts
    with pytest.raises(CompileError, match="tictactoe is not compiled, so its goals cannot be unrolled; call compile"):
        unroll(game, facts, Deadline(1))


def test_structure_of_tic_tac_toe() -> None:
    formulas = unrolled("tictactoe").formulas
    assert len(formulas.fluents) == 27
    assert (len(formulas.near_fluents), len(formulas.opaque), formulas.circuit) == (0, 0, None)
    names = {literal: name for literal, name in formulas.names.items() if literal >> 1 >= formulas.first_gate}
    assert set(names.values()) == {("line", "x"), ("line", "o"), "decided", "open"}
    line = next(literal for literal, name in names.items() if name == ("line", "x"))
    gate = (line >> 1) - formulas.first_gate
    assert line & 1, "a disjunction"
    assert formulas.starts[gate + 1] - formulas.starts[gate] == 8
    (goals_x, goals_o) = formulas.goals
    assert [goal.value for goal in goals_x] == [0, 50, 100]
    assert goals_x[2].literal == goals_o[0].literal == line
    assert not formulas.left_out


def test_structure_of_blocks_world() -> None:
    formulas = unrolled("blocksworld").formulas
    (goals,) = formulas.goals
    built = goals[1].literal
    assert goals[0].literal == built ^ 1
    gate = (built >> 1) - formulas.first_gate
    parts = formulas.inputs[formulas.starts[gate] : formulas.starts[gate + 1]].tolist()
    assert {formulas.names[part] for part in parts} == {("on", "a", "b"), ("on", "b", "c"), ("ontable", "c")}


@pytest.mark.parametrize("name", every_game(of=("checkers", "othello", "chess")))
def test_gates_read_only_what_comes_before_them(name: str) -> None:
    formulas = unrolled(name).formulas
    for gate, (start, end) in enumerate(zip(formulas.starts[:-1], formulas.starts[1:], strict=True)):
        nodes = formulas.inputs[start:end] >> 1
        assert end - start > 1
        assert nodes.min() > 0
        assert nodes.max() < formulas.first_gate + gate


def test_chance_has_no_goals() -> None:
    formulas = unrolled("pig").formulas
    assert formulas.roles[-1] == "random"
    assert formulas.goals[-1] == ()


def test_goals_that_are_no_numbers_are_left_aside() -> None:
    assert [goal.value for goal in of_rules(ODD).formulas.goals[0]] == [30, 70]


def test_parts_that_have_nothing_in_common_are_asked_for_one_by_one() -> None:
    formulas = of_rules(PAIRS).formulas
    assert len(formulas.inputs) == 2 + 3 + 3, "left or not, right or not; not nine pairs"


def test_rules_for_any_words_are_grounded_for_those_asked_for() -> None:
    formulas = of_rules(THREE).formulas
    assert sorted(map(str, formulas.names.values())) == sorted(
        map(str, [("at", "2"), ("at", "3"), ("at", "4"), ("all", "2", "3", "4")])
    )


def test_what_depends_on_itself_is_opaque() -> None:
    one = of_rules(CIRCLE)
    assert len(one.formulas.opaque) > 0
    assert one.formulas.left_out == ("lit: true or false only, since they depend on themselves",)


def test_what_is_counted_step_by_step_is_opaque() -> None:
    formulas = unrolled("othello").formulas
    assert [text for text in formulas.left_out if text.startswith("discs: true or false only")]
    opaque = [formulas.names[2 * node] for node in range(formulas.first_opaque, formulas.first_gate)]
    assert len(opaque) == 2 * 65, "how many discs each of the two has on the whole board"


@pytest.mark.parametrize(
    "name", first(3, ["racetrackcorridor", "checkers", "highcard", "blocksworld", "nim", "pentago"])
)
def test_scrambled_rules_give_the_same_degrees(name: str) -> None:
    one = unrolled(name)
    scrambling = scramble(one.game.rules, Random(5))
    other = of_rules(scrambling.rules)
    norm = Norm()
    for state in random_states(one.game, 8, 3):
        same = frozenset(scrambling.scramble_term(fact) for fact in state)
        assert one.terminal(state, norm) == pytest.approx(other.terminal(same, norm), abs=1e-6)  # type: ignore[arg-type]
        for goals, others in zip(one.goals(state, norm), other.goals(same, norm), strict=True):  # type: ignore[arg-type]
            assert goals == pytest.approx(others, abs=1e-6)


@pytest.mark.parametrize(
    "name",
    [
        "2pffa_zerosum",
        "ad_game_2x2",
        "asteroidsSerial",
        "chineseCheckers2",
        "golden_rectangle",
        "kalaha5x2x3",
        "max_knights",
        "nonogram_10x10_1",
        "racetrackcorridor",
        "shmup",
        "ttcc4_2player",
    ],
)
def test_sheets_as_people_write_them(name: str, corpus: Path) -> None:
    game = Game(Rules.read(corpus / "games" / f"{name}.kif"), name)
    one = of_game(game)
    assert not disagreements(one, random_states(game, 6, 1), Norm())
    assert len(one.formulas.inputs) < 10_000


def test_analysis_without_time_still_gives_formulas() -> None:
    game = load("racetrackcorridor")
    game.compile()
    facts = analyse(game, Deadline(0), Random(0))
    one = Unrolled(game, facts, unroll(game, facts, Deadline(60)))
    assert_truth(one)
