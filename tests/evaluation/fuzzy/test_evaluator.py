"""What states are worth: inside the range of each role, fair to both sides, and a help for searches."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

import ludens
from ludens.analysis.states import sample_states
from ludens.core import Limit, Role
from ludens.engines.rows import Rows, pack
from ludens.errors import CompileError
from ludens.evaluation.fuzzy.evaluator import MARGIN, UNKNOWN, FuzzyEvaluator
from ludens.evaluation.fuzzy.norms import Norm
from ludens.game import State
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaSearcher
from tests.evaluation.fuzzy.unrolled import ENOUGH, of_rules, unrolled
from tests.tiers import first

SEVERAL_SHEET = """
(role a) (role b) (role random) (init (at 1)) (next1 1 2) (next1 2 3) (next1 3 4)
(<= (legal ?r stay) (role ?r)) (legal a go) (legal random 1) (legal random 2)
(<= (next (at ?y)) (does a go) (true (at ?x)) (next1 ?x ?y)) (<= (next (at ?x)) (does a stay) (true (at ?x)))
(<= terminal (true (at 4)))
(<= (goal a 70) (true (at 4))) (<= (goal a 20) (not (true (at 4)))) (goal b 30)
"""
"""One role from 20 to 70, one that always has 30, and chance, which has nothing."""

WITHOUT_LOSS = """
(role me) (init (at 1)) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(legal me go) (legal me stay) (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
(<= (next (at ?y)) (does me go) (true (at ?x)) (succ ?x ?y)) (<= (next (at ?x)) (does me stay) (true (at ?x)))
(<= terminal (true (step 6))) (<= (goal me 100) (true (at 5)))
"""
"""The rules give 100 or nothing."""

TEAMS = """
(role a1) (role b1) (role a2) (role b2) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (gt ?x ?y) (succ ?y ?x)) (<= (gt ?x ?z) (succ ?y ?x) (gt ?y ?z))
(<= (legal ?r go) (role ?r)) (<= (legal ?r stay) (role ?r)) (<= (init (at ?r 0)) (role ?r))
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= terminal (true (step 5)))
(<= (next (at ?r ?y)) (does ?r go) (true (at ?r ?x)) (succ ?x ?y))
(<= (next (at ?r ?x)) (does ?r stay) (true (at ?r ?x)))
(<= ahead (true (at a1 ?x)) (true (at b1 ?y)) (gt ?x ?y))
(<= (goal a1 100) ahead) (<= (goal a1 0) (not ahead))
(<= (goal a2 100) (true (at a1 ?x)) (true (at b1 ?y)) (gt ?x ?y)) (<= (goal a2 0) (not ahead))
(<= (goal b1 0) ahead) (<= (goal b1 100) (not ahead))
(<= (goal b2 0) ahead) (<= (goal b2 100) (not ahead) (true (step ?s)))
"""
"""Two against two, with goals that are written in different ways."""

UNLIKE = """
(role r) (role o) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(legal r a) (legal r b) (legal o c) (legal o d)
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= (next (hit ?m)) (does ?p ?m)) (<= terminal (true (step 4)))
(<= won (true (hit a)) (true (hit c)))
(<= (goal r 100) won) (<= (goal r 50) (not won)) (<= (goal r 0) (true (step 0)) (true (hit a)))
(<= (goal o 50) (not won)) (<= (goal o 0) won)
"""
"""They share 100 points, though the rules speak of 0 for one of them, and not of 100 for the other."""


@cache
def evaluator(name: str, one_sided: bool = False) -> FuzzyEvaluator:
    one = unrolled(name)
    return FuzzyEvaluator.build(one.game, one.facts, Deadline(ENOUGH), Random(1), one_sided=one_sided)


def rows_of(name: str, states: int = 300) -> Rows:
    return pack(sample_states(unrolled(name).game, Random(2), Deadline(ENOUGH), states).bits)


def worth(name: str, state: State) -> NDArray[np.float64]:
    return evaluator(name).evaluate(state.encoded()[1]).ravel()


@pytest.mark.parametrize(
    "name", first(3, ["tictactoe", "chinesecheckers3", "pig", "breakthrough", "blocksworld", "landlord"])
)
@pytest.mark.parametrize("one_sided", [False, True])
def test_only_ends_can_be_worth_as_much_as_a_win_or_a_loss(name: str, one_sided: bool) -> None:
    kind, found = unrolled(name).facts.kind, evaluator(name, one_sided).evaluate(rows_of(name))
    assert np.isfinite(found).all()
    for role in (role for team in kind.teams for role in team):
        worst, best = kind.worst[role], kind.best[role]
        slack = MARGIN * (best - worst) - 1e-9
        assert (found[:, role] >= worst + slack).all()
        assert (found[:, role] <= best - slack).all()
        assert len(np.unique(found[:, role])) > 1


@pytest.mark.parametrize("name", ["tictactoe", "breakthrough", "checkers"])
def test_both_sides_share_a_constant_sum(name: str) -> None:
    one, rows, norm = unrolled(name), rows_of(name), evaluator(name).norm
    total = one.facts.kind.total
    assert total == 100
    both = evaluator(name).evaluate(rows)
    alone = FuzzyEvaluator(one.game, one.formulas, one.facts.kind, norm, one_sided=True).evaluate(rows)
    np.testing.assert_allclose(both.sum(axis=1), total)
    np.testing.assert_allclose(both[:, 0], (alone[:, 0] + total - alone[:, 1]) / 2)
    assert not np.allclose(alone.sum(axis=1), total)


def test_more_roles_have_their_own_goals_only() -> None:
    rows = rows_of("chinesecheckers3")
    assert (evaluator("chinesecheckers3").evaluate(rows) == evaluator("chinesecheckers3", True).evaluate(rows)).all()


def test_ranges_of_all_kinds() -> None:
    one = of_rules(SEVERAL_SHEET)
    found = FuzzyEvaluator.build(one.game, one.facts, Deadline(ENOUGH), Random(1))
    rows = one.engine.encode([frozenset({("at", "1")}), frozenset({("at", "3")}), frozenset()])
    a, b, chance = found.evaluate(rows).T
    assert 20 < a[2] < a[0] < a[1] < 70, "nearer is better, and nowhere is worst"
    assert (b == 30).all()
    assert (chance == UNKNOWN).all()


def test_a_goal_that_is_reached_or_not_has_a_slope() -> None:
    one = of_rules(WITHOUT_LOSS)
    found = FuzzyEvaluator.build(one.game, one.facts, Deadline(ENOUGH), Random(1))
    rows = one.engine.encode([frozenset({("at", str(place)), ("step", "3")}) for place in range(1, 6)])
    worths = found.evaluate(rows)[:, 0]
    assert all(less < more for less, more in pairwise(worths))
    assert UNKNOWN < worths.min() < worths.max() < 100


def test_teams_share_what_a_state_is_worth() -> None:
    one = of_rules(TEAMS)
    assert one.facts.kind.teams == ((0, 2), (1, 3))
    found = FuzzyEvaluator.build(one.game, one.facts, Deadline(ENOUGH), Random(1))
    worths = found.evaluate(pack(sample_states(one.game, Random(2), Deadline(ENOUGH), 200).bits))
    np.testing.assert_allclose(worths[:, 0], worths[:, 2])
    np.testing.assert_allclose(worths[:, 1], worths[:, 3])
    np.testing.assert_allclose(worths[:, 0] + worths[:, 1], 100)


def test_the_range_of_a_side_is_what_the_other_leaves() -> None:
    one = of_rules(UNLIKE)
    assert (one.facts.kind.worst, one.facts.kind.best) == ((0, 0), (100, 50))
    facts = replace(one.facts, kind=replace(one.facts.kind, constant_sum=True, total=100))
    found = FuzzyEvaluator.build(one.game, facts, Deadline(ENOUGH), Random(1))
    hits = [(), ("b", "d"), ("a", "d"), ("a", "c"), ("a", "b", "c", "d")]
    worths = found.evaluate(one.engine.encode([frozenset({("step", "1"), *(("hit", hit) for hit in h)}) for h in hits]))
    assert ((worths[:, 0] > 50) & (worths[:, 0] < 100)).all(), worths
    assert ((worths[:, 1] > 0) & (worths[:, 1] < 50)).all(), worths


def test_a_better_position_is_worth_more() -> None:
    game = unrolled("blocksworld").game
    start = game.initial_state()
    met = [start, game.state(["(on b c)", "(ontable c)", "(ontable a)", "(step 0)"])]
    met.insert(1, game.state(["(ontable a)", "(ontable b)", "(ontable c)", "(step 0)"]))
    values = [worth("blocksworld", state)[0] for state in met]
    assert values == sorted(set(values)), "0, 1 and 2 of 3 subgoals are met"


def test_two_sides_see_the_same_position_from_their_sides() -> None:
    """Breakthrough is the same for both, seen from the other side of the board."""
    game = unrolled("breakthrough").game
    ahead = game.state(["(cell 4 5 white)", "(cell 7 7 black)", "(control white)"])
    mirrored = game.state(["(cell 4 4 black)", "(cell 7 2 white)", "(control black)"])
    np.testing.assert_allclose(worth("breakthrough", ahead), worth("breakthrough", mirrored)[::-1], atol=1e-4)
    assert worth("breakthrough", ahead)[0] > 50
    assert worth("breakthrough", game.initial_state()) == pytest.approx([50, 50], abs=1e-4)


def test_batches_of_the_reference_engine() -> None:
    one, found = unrolled("breakthrough"), evaluator("breakthrough")
    rows = rows_of("breakthrough", 40)
    states = one.engine.decode(rows)
    reference = one.game.reference_engine.fork()
    assert (found.evaluate(reference.encode(states), reference) == found.evaluate(rows)).all()
    strange = [state | {("never", "heard", "of")} for state in states]
    assert (found.evaluate(reference.encode(strange), reference) == found.evaluate(rows)).all()


def test_a_game_that_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    game = ludens.load("tictactoe")
    monkeypatch.setattr("ludens.evaluation.fuzzy.evaluator.warm_up", None)
    with pytest.raises(CompileError, match="tictactoe is not compiled"):
        FuzzyEvaluator.build(game, unrolled("tictactoe").facts, Deadline(ENOUGH), Random(1))


def test_the_explanation_has_the_worth() -> None:
    state = unrolled("blocksworld").game.initial_state()
    told = evaluator("blocksworld").explain(state)
    assert f"{worth('blocksworld', state)[0]:.1f} of 100" in told
    assert "(on a b)" in told


def test_the_explanation_of_an_end_has_the_goals() -> None:
    game = unrolled("tictactoe").game
    over = game.state(["(cell 1 1 x)", "(cell 2 2 x)", "(cell 3 3 x)", "(control o)"])
    told = evaluator("tictactoe").explain(over).splitlines()
    assert {"x: 100 points", "o: 0 points"} <= set(told)
    assert "o: 0 points" not in evaluator("tictactoe").explain(over, roles=["X"]).splitlines()


def test_the_explanation_tells_a_range_that_is_another() -> None:
    one = of_rules(SEVERAL_SHEET)
    found = FuzzyEvaluator.build(one.game, one.facts, Deadline(ENOUGH), Random(1))
    told = found.explain(one.game.initial_state())
    assert re.search(r"^a: \d\d\.\d, between 20 and 70$", told, re.MULTILINE)


@pytest.mark.parametrize("rows", [np.zeros((3, 2), np.uint64), np.zeros(3, np.uint64)])
def test_rows_of_the_wrong_layout_are_refused(rows: NDArray[np.uint64]) -> None:
    with pytest.raises(ValueError, match="rows of 1 words"):
        evaluator("tictactoe").evaluate(rows)


def test_a_norm_that_is_given_is_taken() -> None:
    one, norm = unrolled("tictactoe"), Norm(0.9, 0.8, 16)
    found = FuzzyEvaluator.build(one.game, one.facts, Deadline(ENOUGH), Random(1), norm=norm)
    rows = rows_of("tictactoe", 100)
    assert found.norm == norm
    assert not np.allclose(found.evaluate(rows), evaluator("tictactoe").evaluate(rows))


def test_the_same_seed_gives_the_same_worths() -> None:
    one, rows = unrolled("checkers"), rows_of("checkers", 100)
    again = FuzzyEvaluator.build(one.game, one.facts, Deadline(ENOUGH), Random(1))
    assert again.norm == evaluator("checkers").norm
    assert (again.evaluate(rows) == evaluator("checkers").evaluate(rows)).all()


# -- searches --------------------------------------------------------------------------------


def test_a_win_in_one_move_is_taken() -> None:
    game = unrolled("breakthrough").game
    state = game.state(
        ["(cell 2 7 white)", "(cell 5 3 white)", "(cell 1 8 black)", "(cell 8 2 black)", "(control white)"]
    )
    searcher = AlphaBetaSearcher(game, "white", evaluator("breakthrough"), kind=unrolled("breakthrough").facts.kind)
    decision = searcher.search(state, Limit.of(depth=1), Random(1))
    assert decision.move in ("(move 2 7 2 8)", "(move 2 7 1 8)", "(move 2 7 3 8)")
    assert decision.values[Role("white")] == 100
    assert decision.proven


def test_a_search_of_one_move_goes_where_more_is_met() -> None:
    game = unrolled("blocksworld").game
    searcher = AlphaBetaSearcher(game, "robot", evaluator("blocksworld"), kind=unrolled("blocksworld").facts.kind)
    decision = searcher.search(game.initial_state(), Limit.of(depth=1), Random(1))
    assert decision.move == "(unstack c a)"


def test_a_runner_runs() -> None:
    """The end of the corridor is far beyond what one move shows; the degree of the goal knows the way."""
    game = unrolled("racetrackcorridor").game
    searcher = AlphaBetaSearcher(
        game, "white", evaluator("racetrackcorridor"), kind=unrolled("racetrackcorridor").facts.kind
    )
    decision = searcher.search(game.initial_state(), Limit.of(depth=1), Random(1))
    assert decision.move.startswith("(move"), decision.candidates
