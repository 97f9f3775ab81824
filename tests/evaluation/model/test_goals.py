"""What states pay: by the rules, as if the game were over, and at its ends only."""

from __future__ import annotations

import numpy as np

from ludens.evaluation.model.goals import goals_as_if_over, payoff_rules
from ludens.evaluation.random_play import PlayedStates, play_at_random
from ludens.runtime.deadline import Deadline
from tests.evaluation.features.modelled import RANKS, Modelled, of_game, of_sheet

COUNTED = """
(role red) (role black) (place 1) (place 2) (place 3) (after red black) (after black red)
(init (control red))
(<= (legal ?p (mark ?n)) (true (control ?p)) (place ?n) (not (marked ?n)))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (marked ?n) (true (cell ?n ?p)))
(<= (next (cell ?n ?p)) (does ?p (mark ?n))) (<= (next (cell ?n ?p)) (true (cell ?n ?p)))
(<= (next (control ?q)) (true (control ?p)) (after ?p ?q))
(<= over (marked 1) (marked 2) (marked 3))
(<= terminal over)
(<= (more ?p) (true (cell ?a ?p)) (true (cell ?b ?p)) (distinct ?a ?b))
(<= (goal ?p 100) over (more ?p)) (<= (goal ?p 0) (role ?p) (not over)) (<= (goal ?p 0) over (role ?p) (not (more ?p)))
"""
"""Who has two of three places wins, which pays nothing before the end."""


def states_of(one: Modelled) -> PlayedStates:
    states = play_at_random(one.engine, 20, np.random.default_rng(1), Deadline.never())
    assert states is not None
    return states


def test_states_can_be_taken_as_ends() -> None:
    one = of_sheet(COUNTED)
    as_if_over = goals_as_if_over(one.engine.circuit)
    assert as_if_over is not None
    ahead = frozenset([("control", "black"), ("cell", "1", "red"), ("cell", "3", "red")])
    even = frozenset([("control", "black"), ("cell", "1", "red"), ("cell", "3", "black")])
    rows = one.engine.encode([ahead, even])
    assert one.engine.goals(rows).tolist() == [[0, 0], [0, 0]]
    assert as_if_over(rows).tolist() == [[100, 0], [0, 0]]


def test_ends_pay_what_they_pay() -> None:
    one = of_sheet(COUNTED)
    states = states_of(one)
    ends = states.rows[states.terminal]
    for rules in payoff_rules(one.engine, [50, 50]):
        assert (rules.goals(ends) == one.engine.goals(ends)).all()


def test_before_the_end_nothing_is_known_at_ends_only() -> None:
    one = of_sheet(COUNTED)
    states = states_of(one)
    *_, last = payoff_rules(one.engine, [50, 50])
    assert last.only_ends
    assert (last.goals(states.rows[~states.terminal]) == -1).all()


def test_goals_that_do_not_ask_for_the_end_are_as_they_are() -> None:
    assert goals_as_if_over(of_game("racetrackcorridor").engine.circuit) is None


def test_what_is_not_decided_is_worth_the_middle() -> None:
    one = of_sheet(RANKS.replace("(<= (goal red 0) (not crowned))", ""))
    crowned = frozenset([("cell", "a", "rank8", "red_piece")])
    rows = np.concatenate([one.engine.initial(1), one.engine.encode([crowned])])
    plain, *_, middle, _ends = payoff_rules(one.engine, [50, 50])
    assert plain.goals(rows).tolist() == [[-1, 50], [100, 50]]
    assert middle.goals(rows).tolist() == [[50, 50], [100, 50]]
