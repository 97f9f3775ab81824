"""Two sides in turns where play can go round in circles, against sets that are filled by definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens import load
from ludens.core import Role
from ludens.search.solve import Solution, SolveLimits, solve
from ludens.search.solve.limits import SolveBudget
from ludens.search.solve.solver import solve_position
from ludens.search.view import GameView
from tests.search.game_trees import GameTree, Node
from tests.search.solve.variants import eight_puzzle, hanoi, replaced
from tests.tiers import examples

GOALS = (0, 20, 50, 100)


@st.composite
def cyclic_games(draw: st.DrawFn) -> GameTree:
    """Edges lead anywhere; the last node is an end."""
    count = draw(st.integers(2, 12))
    nodes = []
    for number in range(count):
        goal = draw(st.sampled_from(GOALS))
        if number == count - 1 or (number and draw(st.integers(0, 3)) == 0):
            nodes.append(Node((goal, 100 - goal)))
            continue
        mover, moves = draw(st.integers(0, 1)), draw(st.integers(1, 3))
        choices = (moves, 1) if mover == 0 else (1, moves)
        joints = [(move, 0) if mover == 0 else (0, move) for move in range(moves)]
        nodes.append(Node((goal, 100 - goal), choices, {joint: draw(st.integers(0, count - 1)) for joint in joints}))
    return GameTree(("ann", "bob"), tuple(nodes))


def forced(tree: GameTree, side: int, least: int) -> dict[int, int]:
    """The nodes from which a side can force an end with at least this goal, and within how many moves."""
    found = {number: 0 for number, node in enumerate(tree.nodes) if node.after is None and node.goals[side] >= least}  # type: ignore[operator]
    for moves in range(1, len(tree.nodes) + 1):
        more = {}
        for number, node in enumerate(tree.nodes):
            if number not in found and node.after is not None:
                own = node.choices[side] > 1 or sum(node.choices) == 2
                hits = [after in found for after in node.after.values()]
                if any(hits) if own else all(hits):
                    more[number] = moves
        found |= more
    return found


def solved(tree: GameTree) -> Solution:
    game = load(tree.gdl)
    view = GameView(game, game.reference_engine.fork())
    return solve_position(view, view.row(game.initial_state()), SolveBudget(SolveLimits()))


def is_cyclic(tree: GameTree) -> bool:
    left = {at.node for at in tree.positions()}
    while True:
        peeled = {n for n in left if all(after not in left for after in (tree.nodes[n].after or {}).values())}
        if not peeled:
            return bool(left)
        left -= peeled


@examples(150)
@given(cyclic_games())
def test_values_and_distances(tree: GameTree) -> None:
    solution = solved(tree)
    reached = [tree.nodes[at.node] for at in tree.positions()]
    sides = [any(node.choices and node.choices[side] > 1 for node in reached) for side in (0, 1)]
    one_team = all(node.after or node.goals == (50, 50) for node in reached)
    if one_team or not all(sides) or not is_cyclic(tree):
        return
    assert solution.method == "retrograde analysis"
    for side, role in enumerate(tree.roles):
        for goal in (100, 80):
            within = forced(tree, side, goal).get(0)
            if within is not None:
                assert solution.outcome == "solved"
                assert (solution.values[Role(role)] or 0) >= goal
                if solution.values[Role(role)] == goal == 100:
                    assert solution.distance == within
                return
    draws = 0 in forced(tree, 0, 50) and 0 in forced(tree, 1, 50)
    assert solution.outcome == ("solved" if draws else "endless")
    assert solution.values == ({Role("ann"): 50, Role("bob"): 50} if draws else {Role("ann"): None, Role("bob"): None})


@examples(60)
@given(cyclic_games())
def test_the_line_keeps_what_it_promises(tree: GameTree) -> None:
    solution = solved(tree)
    if solution.outcome == "solved":
        at = tree.start
        for joint in solution.pv:
            at = next(tree.after(at, choice) for choice in tree.joints(at) if tree.joint_move(at, choice) == joint)
        assert tree.is_end(at)
        assert solution.distance == len(solution.pv)
        assert [solution.values[Role(role)] for role in tree.roles] == list(tree.goals(at))


CIRCLE = """
(role a) (role b) (init (at 1)) (init (control a)) (other a b) (other b a)
(<= (legal ?who stay) (true (control ?who))) (<= (legal ?who quit) (true (control ?who)))
(<= (legal ?who noop) (true (control ?else)) (other ?else ?who))
(<= (next (control ?who)) (true (control ?else)) (other ?else ?who)) (<= (next (at 1)) (does ?who stay))
(<= (next (quitter ?who)) (does ?who quit)) (<= terminal (true (quitter ?who)))
(<= (goal ?who 0) (true (quitter ?who))) (<= (goal ?who {}) (other ?who ?else) (true (quitter ?else)))
"""


def test_who_quits_loses() -> None:
    solution = solve(load(CIRCLE.format(100)).initial_state())
    assert solution.outcome == "endless"
    assert (solution.pv, solution.distance) == ((), None)


def test_circles_of_sides_that_may_both_win_have_no_value() -> None:
    text = replaced(CIRCLE.format(60), "(<= (goal ?who 0) (true (quitter ?who)))", "")
    text += "(<= (goal a 0) (true (quitter a))) (<= (goal b 10) (true (quitter b)))"
    assert solve(load(text).initial_state()).outcome == "undefined"


def test_one_side_alone_takes_any_end() -> None:
    text = "(role a) (role b) (init on) (legal a stay) (legal a quit) (legal b noop) (<= (next on) (does a stay))"
    text += "(<= (next off) (does a quit)) (<= terminal (true off)) (goal a 10) (goal b 35)"
    solution = solve(load(text).initial_state())
    assert (solution.outcome, solution.values) == ("solved", {Role("a"): 10, Role("b"): 35})
    assert [str(joint[Role("a")]) for joint in solution.pv] == ["quit"]


@pytest.mark.parametrize("name", ["hanoi", "eightpuzzle"])
def test_a_second_role_that_only_watches(name: str) -> None:
    """A puzzle stays what it is, by another way to solve it."""
    text = hanoi(3, 9) if name == "hanoi" else eight_puzzle((1, 2, 3, 4, 5, 6, 0, 7, 8), 6)
    watched = text + "\n(role watcher) (legal watcher noop) (goal watcher 50)"
    alone, together = solve(load(text).initial_state()), solve(load(watched).initial_state())
    assert together.values[Role("solver")] == alone.values[Role("solver")]
    assert together.distance == alone.distance
