"""What is said about a state, in words."""

from __future__ import annotations

import re

import pytest

from ludens.evaluation.fuzzy.explain import MAX_LINES, explain
from ludens.evaluation.fuzzy.norms import Norm
from ludens.evaluation.fuzzy.selection import UnrollLimits
from ludens.game import Game, State
from ludens.gdl.rules import Rules
from tests.evaluation.fuzzy.sheets import RACE, SCORE
from tests.evaluation.fuzzy.unrolled import Unrolled, of_game, of_rules, unrolled
from tests.tiers import first

NORM = Norm(p=0.75, t=0.55, q=8)


def lines(one: Unrolled, state: State | None = None, **options: list[str]) -> list[str]:
    text = explain(one.formulas, NORM, state or one.game.initial_state(), **options)
    return [line.strip() for line in text.splitlines()]


def test_subgoals_that_are_met_and_missing() -> None:
    one = unrolled("blocksworld")
    state = one.game.state(["(on b c)", "(ontable a)", "(ontable c)", "(clear a)", "(clear b)", "(step 2)"])
    told = lines(one, state)
    assert told[0] == "degrees with q = 8: 0.55 and more is true, 0.45 and less is false"
    start = told.index("robot")
    assert told[start + 1 : start + 5] == [
        "- 100 points: built (0.250): all of 3 conditions, 2 met",
        "- (on a b) (0.250)",
        "+ (on b c) (0.750)",
        "+ (ontable c) (0.750)",
    ]
    assert told[start + 5].startswith("+ 0 points: not built (0.750): one of 3 ways, 1 met")


def test_how_near_a_piece_is() -> None:
    one = unrolled("racetrackcorridor")
    told = lines(one)
    leaf = next(line for line in told if line.startswith("- (cell white 1 1 runner)"))
    assert leaf == "- (cell white 1 1 runner) (0.270): (cell white 1 5 runner) is 60% near"


def test_how_near_several_pieces_are() -> None:
    told = lines(unrolled("breakthrough"))
    assert any(re.fullmatch(r"- \(cell \d 8 white\) .*is \d+% near, all 16 on average \d+%", line) for line in told)


def test_what_has_a_name_is_taken_apart_once() -> None:
    for name in ("breakthrough", "racetrackcorridor", "tictactoe"):
        told = lines(unrolled(name))
        opened = [
            re.sub(r"^- (\d+ points: |the end: )?|\(0.*", "", line)
            for line in told
            if line.startswith("- ") and line.endswith("met") and not re.match(r"- (\d+ points |the end )?\(0", line)
        ]
        assert opened
        assert len(opened) == len(set(opened)), opened
        assert any(line.endswith("see above") for line in told)


def test_what_has_no_name_is_told_by_its_parts() -> None:
    told = lines(unrolled("farmers"))
    nameless = [line for line in told if line.startswith("+ ") and line.endswith("one of 2 ways, 1 met")]
    assert any(line.startswith("+ not (has_money bob 11) or not (money alice 10) (0.5") for line in nameless), nameless
    assert not any(line.startswith("+ (0.") for line in told)


def test_the_nearest_way_comes_first() -> None:
    one = unrolled("tictactoe")
    state = one.game.state(["(cell 1 1 x)", "(cell 2 2 x)", "(cell 1 2 o)", "(cell 1 3 o)", "(control x)"])
    told = lines(one, state, roles=["x"])
    start = told.index("x")
    assert told[start + 2] == "- (0.250): all of 3 conditions, 2 met"
    assert told[start + 3 : start + 6] == ["- (cell 3 3 x) (0.250)", "+ (cell 1 1 x) (0.750)", "+ (cell 2 2 x) (0.750)"]


def test_a_way_that_is_met() -> None:
    one = unrolled("tictactoe")
    state = one.game.state(["(cell 1 1 x)", "(cell 2 2 x)", "(cell 3 3 x)", "(control o)"])
    told = lines(one, state, roles=["x"])
    assert any(line.startswith("+ 100 points: (line x)") and line.endswith("one of 8 ways, 1 met") for line in told)
    assert any(line.startswith("+ the end") for line in told)


def test_comparisons() -> None:
    one = of_rules(SCORE)
    told = lines(one, one.game.state(["(score 2)"]))
    assert any(line.startswith("- (less 3 2)") and line.endswith("misses by 17% of the range") for line in told)


def test_roles_and_worth() -> None:
    one = unrolled("racetrackcorridor")
    told = lines(one, roles=["Black"], worths=["12 of 100", "34 of 100"])
    assert "black: 34 of 100" in told
    assert not any(line.startswith("white") for line in told)
    assert "random" not in lines(unrolled("pig"))


def test_words_are_spelled_as_the_author_writes_them() -> None:
    sheet = "(ROLE Me) (init Off) (legal Me Press) (<= (next On) (does Me Press)) (<= terminal (true On)) "
    one = of_game(Game(Rules.parse(sheet.replace("ROLE", "role") + "(<= (goal Me 100) (true On)) (goal Me 7)")))
    told = lines(one)
    assert told[2:5] == ["Me", "- 100 points: On (0.250)", "+ 7 points (1.000): always"]


@pytest.mark.parametrize("name", first(1, ("treasurehunt", "othello", "chess")))
def test_the_text_is_bounded(name: str) -> None:
    one = unrolled(name)
    told = lines(one)
    goals = len([line for line in told if re.match(r"[+-] \d+ points", line)])
    assert goals <= 4 * len(one.formulas.roles)
    assert len(told) < 3 + len(one.formulas.left_out) + (goals + 1) * (MAX_LINES + 2) + 2 * len(one.formulas.roles)


def test_many_goal_values_are_summed_up() -> None:
    assert "and 17 more goal values" in lines(unrolled("treasurehunt"))


def test_what_is_left_out_is_told() -> None:
    told = lines(unrolled("hex"))
    assert told[-1] == "left out: linked: true or false only, since they depend on themselves"
    assert any("true or false only" in line and "(linked" in line for line in told[:-1])


def test_nothing_unrolled() -> None:
    one = unrolled("racetrackcorridor").with_limits(UnrollLimits(instances=1))
    assert "- 100 points (0.250): true or false only" in lines(one)


@pytest.mark.parametrize("name", first(3, ["nim", "farmers", "highcard", "kalah", "landlord", "lightsout"]))
def test_whatever_the_game(name: str) -> None:
    told = lines(unrolled(name))
    assert len(told) > len(unrolled(name).game.player_roles)
    assert all(line == "" or line[0] not in "+-" or re.search(r"\(\d\.\d{3}\)", line) for line in told)


def test_three_roles() -> None:
    told = lines(of_rules(RACE))
    assert [line for line in told if line in ("a", "b", "c")] == ["a", "b", "c"]
