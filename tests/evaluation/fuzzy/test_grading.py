"""Degrees of atoms, by hand and by the formulas of the paper."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.analysis.relations import examine
from ludens.core import GroundTerm
from ludens.evaluation.fuzzy.grading import GradedOrder, Proximity, graded_orders
from ludens.evaluation.fuzzy.norms import Norm
from ludens.gdl.formulas import Atom
from ludens.gdl.terms import Variable
from tests.evaluation.fuzzy.sheets import RACE, SCORE
from tests.evaluation.fuzzy.unrolled import Facts, Unrolled, of_rules, random_states, unrolled

NORM = Norm(p=0.75, t=0.6, q=8)
X = Variable("x")


def order(words: str, *, loops: bool = False) -> GradedOrder:
    """A total order of letters."""
    pairs = [(a, b) for a, b in product(words, words) if a < b or (loops and a == b)]
    return GradedOrder(examine("before", pairs))


def near(one: Unrolled, *fluent: str) -> dict[tuple[str, ...], float]:
    """What can stand in for a fluent, and how near it is."""
    proximity = Proximity(one.engine.circuit.fluents, one.facts)
    numbers, degrees = proximity.of(one.engine.circuit.fluents.index(fluent))
    found = (tuple(map(str, one.engine.circuit.fluents[number])) for number in numbers)
    return dict(zip(found, degrees.tolist(), strict=True))


# -- comparisons -----------------------------------------------------------------------------


def test_a_comparison_that_holds_clearly_has_a_higher_degree() -> None:
    before = order("abcde")
    assert before.degree("a", "b") == pytest.approx(1 / 5)
    assert before.degree("a", "e") == pytest.approx(4 / 5)
    assert [before.holds("a", "b"), before.holds("b", "a"), before.holds("a", "a")] == [True, False, False]


def test_a_narrow_miss_has_a_higher_degree_than_a_clear_one() -> None:
    before = order("abcde")
    assert before.degree("b", "b") == 1
    assert before.degree("c", "b") == pytest.approx(1 - 1 / 5)
    assert before.degree("e", "a") == pytest.approx(1 - 4 / 5)


def test_equal_words_where_the_order_allows_them() -> None:
    before = order("abcde", loops=True)
    assert before.holds("c", "c")
    assert before.degree("c", "c") == 0


def test_a_word_that_is_compared_with_itself_only() -> None:
    at_most = GradedOrder(examine("le", [("a", "b"), ("b", "c"), ("a", "c"), ("a", "a"), ("z", "z")]))
    assert at_most.words == ("a", "b", "c", "z")
    assert (at_most.holds("z", "z"), at_most.holds("b", "b"), at_most.holds("a", "z")) == (True, False, False)
    assert (at_most.degree("z", "z"), at_most.degree("b", "b"), at_most.degree("a", "z")) == (0, 1, 0)


def test_words_of_a_partial_order_that_cannot_be_compared() -> None:
    tree = GradedOrder(examine("above", [("a", "b"), ("b", "c"), ("a", "c"), ("a", "d")]))
    assert (tree.degree("c", "d"), tree.holds("c", "d")) == (0, False)
    assert tree.degree("a", "c") == pytest.approx(2 / 4)


@given(st.integers(3, 12), st.data())
def test_comparisons_stay_on_their_side(size: int, data: st.DataObject) -> None:
    words = "abcdefghijkl"[:size]
    one, other = data.draw(st.sampled_from(words)), data.draw(st.sampled_from(words))
    before = order(words, loops=data.draw(st.booleans()))
    degree = before.degree(one, other)
    assert 0 <= degree <= 1
    value = NORM.comparison(before.holds(one, other), degree)
    assert value >= NORM.t if before.holds(one, other) else value <= 1 - NORM.t


def test_sides_of_a_relation_with_a_fixed_word() -> None:
    relation = examine("beside", [("a", "b"), ("b", "c"), ("a", "c")], arity=3, sides=(0, 2), fixed=("up",))
    graded = GradedOrder(relation)
    assert graded.sides(Atom("beside", ("a", "up", X))) == ("a", X)
    assert graded.sides(Atom("beside", ("a", "down", X))) is None
    assert graded.sides(Atom("above", ("a", "up", X))) is None
    assert graded.atom("a", "c") == ("beside", "a", "up", "c")


def test_only_orders_are_graded() -> None:
    graded, larger = graded_orders(of_rules(SCORE).facts)
    assert [order.relation.name for order in graded] == ["less"]
    assert not larger
    assert graded_orders(unrolled("tictactoe").facts) == ([], [])


def test_a_score_just_missed_is_better_than_one_missed_clearly() -> None:
    """`(less 3 n)` over the words 0 to 5, by hand."""
    one = of_rules(SCORE)
    states: list[Facts] = [frozenset({("score", str(score))}) for score in range(6)]
    comparisons = [one.leaf(("less", "3", str(n)), states[0], NORM) for n in range(6)]
    false, true = 1 - NORM.t, NORM.t
    by_hand = [*(false * (1 - steps / 6) for steps in (3, 2, 1, 0)), true + false * 1 / 6, true + false * 2 / 6]
    assert comparisons == pytest.approx(by_hand)
    rich = [one.goals(state, NORM)[0][100] for state in states]
    assert all(less < more for less, more in pairwise(rich))
    assert rich[3] <= 1 - NORM.t
    assert rich[4] >= NORM.t


def test_who_is_further_behind_is_more_beaten() -> None:
    one = of_rules(RACE)
    norm = Norm(p=0.9, t=0.6, q=16)

    def degree(a: int, b: int) -> float:
        state = frozenset({("score", "a", str(a)), ("score", "b", str(b)), ("score", "c", "0"), ("step", "3")})
        return one.goals(state, norm)[0][0]

    assert degree(0, 3) > degree(0, 2) > degree(0, 1) >= norm.t
    assert 1 - norm.t >= degree(1, 1) > degree(3, 1)


# -- boards and quantities -------------------------------------------------------------------


def test_distances_on_the_racetrack_are_those_of_the_paper() -> None:
    """Each player has a board of its own, 3 by 5; a goal is on the first row of it."""
    one = unrolled("racetrackcorridor")
    degrees = near(one, "cell", "white", "2", "1", "runner")
    assert len(degrees) == 14
    assert {(fact[1], fact[4]) for fact in degrees} == {("white", "runner")}
    for (_, _, x, y, _), degree in degrees.items():
        distance = (abs(int(x) - 2) / 3 + abs(int(y) - 1) / 5) / 2
        assert degree == pytest.approx(1 - distance)
    state = frozenset({("cell", "white", "3", "4", "runner")})
    leaf = one.leaf(("cell", "white", "2", "1", "runner"), state, NORM)
    assert leaf == pytest.approx((1 - NORM.t) * (1 - (1 / 3 + 3 / 5) / 2))


def test_nearer_to_the_finish_is_better() -> None:
    one = unrolled("racetrackcorridor")
    states = [frozenset({("cell", "white", "2", row, "runner"), ("step", "3")}) for row in "54321"]
    degrees = [one.goals(state, NORM)[0][100] for state in states]
    assert all(less < more for less, more in pairwise(degrees))
    assert degrees[-1] >= NORM.t


def test_the_mean_counts_where_pieces_are_alike() -> None:
    one = unrolled("breakthrough")
    state = frozenset({("cell", "1", "7", "white"), ("cell", "4", "2", "white")})
    distances = [(0 / 8 + 1 / 8) / 2, (3 / 8 + 6 / 8) / 2]
    leaf = one.leaf(("cell", "1", "8", "white"), state, NORM)
    assert leaf == pytest.approx((1 - NORM.t) * (1 - sum(distances) / 2))
    assert one.leaf(("cell", "1", "8", "white"), frozenset(), NORM) == 0


def test_the_shorter_way_round_counts() -> None:
    degrees = near(unrolled("cylindercheckers"), "cell", "1", "3", "red_king")
    row = {str(x): degree for (_, x, y, _), degree in degrees.items() if y == "5"}
    assert row["7"] == row["3"] == pytest.approx(1 - (2 / 8 + 2 / 8) / 2)


def test_markers_and_blanks_are_crisp() -> None:
    assert near(unrolled("tictactoe"), "cell", "1", "1", "x") == {}
    assert near(unrolled("racetrackcorridor"), "cell", "white", "2", "1", "blank") == {}


def test_amounts_of_the_same_heap() -> None:
    one = unrolled("nim")
    words = one.facts.quantities[0].order.words
    for (name, heap, amount), degree in near(one, "heap", "a", "0").items():
        assert (name, heap) == ("heap", "a")
        assert degree == pytest.approx(1 - int(amount) / len(words))


def test_steps_are_near_each_other() -> None:
    one = unrolled("stepcounter")
    assert near(one, "step", "3") == pytest.approx({("step", "0"): 0.25, ("step", "1"): 0.5, ("step", "2"): 0.75})


def test_how_many_are_near_is_known_before_they_are_listed() -> None:
    for name in ("racetrackcorridor", "cylindercheckers", "nim", "stepcounter", "tictactoe"):
        one = unrolled(name)
        proximity = Proximity(one.engine.circuit.fluents, one.facts)
        for fluent in range(0, len(one.engine.circuit.fluents), 5):
            assert proximity.count(fluent) == len(proximity.of(fluent)[0])


def test_a_long_count_takes_no_room_for_each_pair_of_words() -> None:
    facts, steps = unrolled("stepcounter").facts, tuple(("step", str(step)) for step in range(3000))
    assert facts.counter
    tracemalloc.start()
    proximity = Proximity(steps, replace(facts, counter=replace(facts.counter, facts=steps)))
    numbers, degrees = proximity.of(2999)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(numbers), degrees.max()) == (2999, pytest.approx(1 - 1 / 3000))
    assert peak < len(steps) ** 2


def test_more_subgoals_met_score_higher() -> None:
    """The paper's blocks world: a on b, b on c, c on the table."""
    one = unrolled("blocksworld")
    subgoals: list[GroundTerm] = [("ontable", "c"), ("on", "b", "c"), ("on", "a", "b")]
    for norm in (NORM, Norm(), Norm(p=0.6, t=0.55, q=4)):
        degrees = [one.goals(frozenset(subgoals[:met]), norm)[0][100] for met in range(4)]
        assert all(less < more for less, more in pairwise(degrees))


def test_each_subgoal_of_a_random_state_counts() -> None:
    one = unrolled("blocksworld")
    for state in random_states(one.game, 30, 2):
        missing = {("on", "a", "b"), ("on", "b", "c"), ("ontable", "c")} - state
        for fact in missing:
            assert one.goals(state | {fact}, NORM)[0][100] > one.goals(state, NORM)[0][100]
