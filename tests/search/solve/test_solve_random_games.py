"""The solver against plain definitions, on small random games of every kind."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given

from ludens import load
from ludens.core import Role
from ludens.game import State
from ludens.search.solve import Solution, SolveLimits, solve
from ludens.search.solve.limits import SolveBudget
from ludens.search.solve.solver import solve_position
from ludens.search.view import GameView
from tests.search import oracles
from tests.search.game_trees import GameTree, game_trees
from tests.tiers import examples


def solved(tree: GameTree, all_moves: bool = False) -> Solution:
    """On the slow engine, for which nothing is compiled."""
    game = load(tree.gdl)
    view = GameView(game, game.reference_engine.fork())
    row = view.row(game.initial_state())
    return solve_position(view, row, SolveBudget(SolveLimits(), None), all_moves=all_moves)


def expected(value: Fraction) -> object:
    return pytest.approx(float(value), abs=1e-6)


def end_of(tree: GameTree, solution: Solution) -> State:
    state = load(tree.gdl).initial_state()
    for joint in solution.pv:
        state = state.next(joint)
    return state


def assert_line_gives_the_value(tree: GameTree, solution: Solution) -> None:
    """A line of sure play ends as the solution says, after as many moves."""
    at = tree.start
    for joint in solution.pv:
        at = next(tree.after(at, choice) for choice in tree.joints(at) if tree.joint_move(at, choice) == joint)
    goals = oracles.end_values(tree, at)
    assert goals is not None
    assert [solution.values[Role(role)] for role in tree.roles] == list(map(float, goals))
    assert solution.distance == len(solution.pv)


@examples(60)
@given(game_trees(players=2, order="turns", payoffs="constant", faults=True, chance=False))
def test_two_sides_in_turns(tree: GameTree) -> None:
    solution = solved(tree)
    assert solution.outcome == "solved"
    assert solution.states == len(tree.positions())
    if oracles.maxn(tree) and all(None not in node.goals for node in tree.nodes):
        assert solution.values[Role("ann")] == expected(oracles.value(tree, [0]))
        assert solution.values[Role("bob")] == expected(oracles.value(tree, [1]))
        assert_line_gives_the_value(tree, solution)


@examples(60)
@given(game_trees(players=2, payoffs="constant", chance=True))
def test_two_sides_with_chance_and_moves_at_the_same_time(tree: GameTree) -> None:
    solution = solved(tree)
    assert solution.outcome == "solved"
    for role in tree.players:
        value = oracles.value(tree, [role], oracles.equilibrium)
        assert solution.values[Role(tree.roles[role])] == expected(value)


@examples(60)
@given(game_trees(players=3, payoffs="teams"))
def test_one_against_two(tree: GameTree) -> None:
    solution = solved(tree)
    assert solution.outcome == "solved"
    for team in tree.teams:
        for role in team:
            value = oracles.value(tree, team, oracles.equilibrium)
            assert solution.values[Role(tree.roles[role])] == expected(value)


@examples(60)
@given(game_trees(players=3, order="turns", payoffs="free"))
def test_more_sides_in_turns(tree: GameTree) -> None:
    solution = solved(tree)
    assert solution.outcome == "solved"
    possible = oracles.maxn(tree)
    found = tuple(Fraction(solution.values[Role(role)] or 0).limit_denominator() for role in tree.roles)
    assert found in possible
    if len(possible) > 1:
        assert solution.several
    if not solution.several:
        assert possible == {found}
    assert_line_gives_the_value(tree, solution)


@examples(60)
@given(game_trees(players=1))
def test_puzzles(tree: GameTree) -> None:
    solution = solved(tree, all_moves=True)
    assert solution.outcome == "solved"
    best = oracles.value(tree, [0])
    assert solution.values == {Role("ann"): float(best)}
    assert solution.distance == oracles.shortest_way(tree, int(best))
    assert_line_gives_the_value(tree, solution)
    if tree.choices(tree.start)[0] > 1:
        assert [move.values[Role("ann")] for move in solution.moves] == oracles.move_values(tree, 0, [0])


@examples(40)
@given(game_trees(players=1, chance=True, order="turns"))
def test_one_role_and_chance(tree: GameTree) -> None:
    solution = solved(tree)
    assert solution.values == {Role("ann"): expected(oracles.value(tree, tree.players))}


@examples(40)
@given(game_trees(players=2, order="turns", payoffs="constant"))
def test_values_of_first_moves(tree: GameTree) -> None:
    solution = solved(tree)
    for role in tree.players:
        own = [move for move in solution.moves if move.role == tree.roles[role]]
        if own:
            values = [move.values[Role(tree.roles[role])] for move in own]
            wanted = oracles.move_values(tree, role, [role])
            assert values == [expected(value) for value in wanted]
            (chosen,) = (place for place, move in enumerate(own) if move.probability == 1)
            assert wanted[chosen] == max(wanted)


@examples(10)
@given(game_trees(players=2, payoffs="constant", chance=True))
def test_compiled_games_are_solved_alike(tree: GameTree) -> None:
    slow = solved(tree)
    fast = solve(load(tree.gdl).initial_state())
    assert fast.values == {role: pytest.approx(value, abs=1e-9) for role, value in slow.values.items()}
    assert (fast.states, fast.depth, len(fast.moves)) == (slow.states, slow.depth, len(slow.moves))


@examples(10)
@given(game_trees(players=1, counter=True))
def test_puzzles_that_count_steps_are_solved_alike(tree: GameTree) -> None:
    slow, fast = solved(tree), solve(load(tree.gdl).initial_state())
    assert fast.values == slow.values
    assert fast.distance == slow.distance
    assert fast.states <= slow.states
    assert_line_gives_the_value(tree, fast)
