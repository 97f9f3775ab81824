"""Games of chance: exact values against other programs for the same game."""

from __future__ import annotations

from functools import cache

import pytest

from ludens import load
from ludens.core import Role
from ludens.search.solve import solve
from tests.search.solve.variants import replaced, text_of

PIG_GOAL, PIG_TURNS = 15, 10
TRACK_END = 12


@cache
def pig_keeping(own: int, other: int, turn: int) -> float:
    """The chance of the player whose turn begins, a draw counting half, in the game of `pig.kif`."""
    if other >= PIG_GOAL:
        return 0.0
    if turn == PIG_TURNS:
        return (1 + (own > other) - (own < other)) / 2
    return pig_rolling(own, other, turn, 0)


def pig_rolling(own: int, other: int, turn: int, collected: int) -> float:
    lost = 1 - pig_keeping(other, own, turn + 1)
    return (lost + sum(pig_choosing(own, other, turn, min(collected + die, PIG_GOAL)) for die in range(2, 7))) / 6


@cache
def pig_choosing(own: int, other: int, turn: int, collected: int) -> float:
    hold = 1 - pig_keeping(other, min(own + collected, PIG_GOAL), turn + 1)
    return hold if collected == PIG_GOAL else max(hold, pig_rolling(own, other, turn, collected))


def test_pig() -> None:
    solution = solve(load("pig").initial_state())
    red = 100 * pig_keeping(0, 0, 0)
    assert solution.outcome == "solved"
    assert solution.values == {
        Role("red"): pytest.approx(red, abs=1e-6),
        Role("blue"): pytest.approx(100 - red, abs=1e-6),
    }
    lost, *others = solution.moves
    assert lost.values[Role("red")] == pytest.approx(100 * (1 - pig_keeping(0, 0, 1)), abs=1e-6)
    assert [move.values[Role("red")] for move in others] == [
        pytest.approx(100 * pig_choosing(0, 0, 0, die), abs=1e-6) for die in range(2, 7)
    ]
    assert all(move.probability == pytest.approx(1 / 6) for move in solution.moves)


def test_pig_that_may_go_on_for_ever() -> None:
    """Who may roll again with all points collected plays in circles, but not well."""
    text = replaced(text_of("pig"), "\n    (not (true (collected 15)))", "")
    solution = solve(load(text).initial_state())
    assert (solution.outcome, solution.method) == ("solved", "value iteration")
    assert solution.values[Role("red")] == pytest.approx(100 * pig_keeping(0, 0, 0), abs=1e-6)


Runners = tuple[int, int]


@cache
def race(own: Runners, other: Runners) -> float:
    """The chance of the player to roll in the game of `dicerace.kif`."""
    total = 0.0
    for die in range(1, 7):
        chances = []
        for runner, other_runner in (own, own[::-1]):
            if runner < TRACK_END:
                to = min(runner + die, TRACK_END)
                to = {3: 6, 7: 10}.get(to, to)
                after: Runners = (min(to, other_runner), max(to, other_runner))
                chances.append(1.0 if after == (TRACK_END, TRACK_END) else 1 - race(other, after))
        total += max(chances)
    return total / 6


def test_dice_race() -> None:
    solution = solve(load("dicerace").initial_state())
    red = 100 * race((0, 0), (0, 0))
    assert solution.values == {
        Role("red"): pytest.approx(red, abs=1e-6),
        Role("blue"): pytest.approx(100 - red, abs=1e-6),
    }
    assert solution.pv == ()


RUIN = """
(role me) (role random) (init (coins {start})) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(legal random heads) (legal random tails) (legal me bet)
(<= (next (coins ?more)) (does random heads) (true (coins ?n)) (succ ?n ?more))
(<= (next (coins ?less)) (does random tails) (true (coins ?n)) (succ ?less ?n))
(<= terminal (true (coins 0))) (<= terminal (true (coins 5)))
(<= (goal me 100) (true (coins 5))) (<= (goal me 0) (true (coins 0)))
"""


@pytest.mark.parametrize("start", [1, 2, 3, 4])
def test_the_ruin_of_gamblers(start: int) -> None:
    solution = solve(load(RUIN.format(start=start)).initial_state())
    assert solution.values == {Role("me"): pytest.approx(20 * start, abs=1e-6)}
    assert solution.distance is None


REPEATED = """
(role a) (role b) (role random) (init choosing)
(<= (legal a ?x) (true choosing) (side ?x)) (<= (legal b ?x) (true choosing) (side ?x)) (side heads) (side tails)
(<= (legal ?who noop) (true tossing) (player ?who)) (player a) (player b)
(<= (legal random noop) (true choosing)) (<= (legal random ?x) (true tossing) (side ?x))
(<= (next (ended 80)) (does a heads) (does b heads)) (<= (next (ended 10)) (does a heads) (does b tails))
(<= (next tossing) (does a tails) (does b heads)) (<= (next (ended 70)) (does a tails) (does b tails))
(<= (next choosing) (does random heads)) (<= (next (ended 40)) (does random tails))
(<= terminal (true (ended ?n))) (<= (goal a ?n) (true (ended ?n)))
(<= (goal b ?m) (true (ended ?n)) (rest ?n ?m)) (rest 80 20) (rest 10 90) (rest 70 30) (rest 40 60)
"""


def test_moves_at_the_same_time_in_circles() -> None:
    """The matrix is 80 10 / w 70, where w is the mean of 40 and the value itself."""
    value = 40.0
    for _ in range(200):
        again = (40 + value) / 2
        value = (80 * 70 - 10 * again) / (80 + 70 - 10 - again)
    solution = solve(load(REPEATED).initial_state())
    assert (solution.outcome, solution.method) == ("solved", "value iteration")
    assert solution.values == {
        Role("a"): pytest.approx(value, abs=1e-6),
        Role("b"): pytest.approx(100 - value, abs=1e-6),
    }


def test_moves_at_the_same_time_that_nobody_has_to_end() -> None:
    """With 80 10 / 70 and circles on heads and heads, the other side holds on to the circle if that is good for it."""
    text = replaced(
        REPEATED,
        "(<= (next (ended 80)) (does a heads) (does b heads))",
        "(<= (next choosing) (does a heads) (does b heads))",
    )
    text = replaced(
        text,
        "(<= (next (ended 10)) (does a heads) (does b tails))",
        "(<= (next (ended 80)) (does a heads) (does b tails))",
    )
    text = replaced(
        text,
        "(<= (next tossing) (does a tails) (does b heads))",
        "(<= (next (ended 10)) (does a tails) (does b heads))",
    )
    solution = solve(load(text).initial_state())
    assert solution.outcome == "endless"
    assert set(solution.values.values()) == {None}
