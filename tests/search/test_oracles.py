"""The oracles and the games they are for: the rules say what the plain data say, and known games have known values."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from ludens import load
from tests.search.game_trees import GameTree, Joint, Node, Position, game_trees
from tests.search.oracles import (
    against_random,
    end_values,
    equilibrium,
    equilibrium_value,
    maxn,
    minimax,
    move_values,
    random_play,
    shortest_way,
    value,
)
from tests.tiers import examples


@examples(60)
@given(st.booleans().flatmap(lambda chance: game_trees(chance=chance, faults=True)))
def test_rules_say_what_the_data_say(tree: GameTree) -> None:
    game = load(tree.gdl)
    assert game.roles == tree.roles
    states = {tree.start: game.initial_state()}
    for at in list(tree.positions()):
        state = states.setdefault(at, game.state(tree.facts(at)))
        assert state.facts == tree.facts(at)
        assert state.is_terminal == tree.is_end(at)
        assert tuple(state.goals.values()) == tree.goals(at)
        if tree.is_end(at):
            continue
        for role, name in enumerate(tree.roles):
            moves = [tree.move(at, role, choice) for choice in range(tree.choices(at)[role])]
            assert list(state.legal_moves(name)) == moves
        for joint in tree.joints(at):
            assert state.next(tree.joint_move(at, joint)).facts == tree.facts(tree.after(at, joint))


@examples(50)
@given(game_trees(faults=True, chance=True))
def test_no_rule_is_an_error(tree: GameTree) -> None:
    codes = {finding.code for finding in load(tree.gdl).rules.validate() if finding.severity == "error"}
    assert not codes


@examples(50)
@given(game_trees(order="turns", payoffs="teams", transpositions=False, counter=False, players=3))
def test_shapes_are_kept(tree: GameTree) -> None:
    assert len(tree.players) == 3
    assert tree.last_step is None
    targets = [after for node in tree.nodes for after in (node.after or {}).values()]
    assert len(targets) == len(set(targets))
    (one, two) = sorted(tree.teams, key=len)
    for node in tree.nodes:
        assert sum(count > 1 for count in node.choices) <= 1
        assert node.goals[two[0]] == node.goals[two[1]]
        assert (node.goals[one[0]] or 0) + (node.goals[two[0]] or 0) == 100


@examples(50)
@given(game_trees(payoffs="constant", players=3, chance=True, transpositions=True))
def test_constant_sums(tree: GameTree) -> None:
    assert tree.teams == tuple((player,) for player in tree.players)
    assert all(sum(goal or 0 for goal in node.goals) == 100 for node in tree.nodes)
    assert all(node.goals[tree.chance] is None for node in tree.nodes)


def exactly(*values: int) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, values))


def end(*goals: int | None) -> Node:
    return Node(goals)


def turn(mover: int, after: Sequence[int], roles: int = 2) -> Node:
    """A node where one role has the choice between other nodes."""
    choices = tuple(len(after) if role == mover else 1 for role in range(roles))
    return Node((0,) * roles, choices, dict(zip(product(*map(range, choices)), after, strict=True)))


def together(*rows: Sequence[int]) -> Node:
    """A node where the first two roles choose a row and a column."""
    edges: dict[Joint, int] = {
        (row, column): after for row, line in enumerate(rows) for column, after in enumerate(line)
    }
    return Node((0, 0), (len(rows), len(rows[0])), edges)


def test_two_sides() -> None:
    leaves = [end(goal, 100 - goal) for goal in (30, 60, 10, 90, 20, 40)]
    nodes = [turn(0, [1, 2, 3]), turn(1, [4, 5]), turn(1, [6, 7]), turn(1, [8, 9]), *leaves]
    tree = GameTree(("a", "b"), tuple(nodes))
    assert value(tree, [0]) == 30
    assert value(tree, [1]) == 70
    assert move_values(tree, 0, [0]) == [30, 10, 20]
    assert maxn(tree) == {exactly(30, 70)}
    assert value(tree, [0], at=Position(3, 0)) == 20
    assert random_play(tree) == (Fraction(250, 6), Fraction(350, 6))


def test_three_roles_for_themselves_and_against_one() -> None:
    """The second role prefers 70 to 60 for itself; a paranoid first role fears the 60."""
    nodes = (turn(0, [1, 2], 3), turn(1, [3, 4], 3), end(20, 0, 80), end(0, 60, 40), end(30, 70, 0))
    tree = GameTree(("a", "b", "c"), nodes)
    assert maxn(tree) == {exactly(30, 70, 0)}
    assert value(tree, [0]) == 20
    assert value(tree, [1]) == 0
    assert value(tree, [0, 1]) == 30


def test_who_does_not_care_may_do_either() -> None:
    nodes = (turn(0, [1, 2], 3), turn(1, [3, 4], 3), end(20, 0, 80), end(0, 60, 40), end(30, 60, 10))
    tree = GameTree(("a", "b", "c"), nodes)
    assert maxn(tree) == {exactly(20, 0, 80), exactly(30, 60, 10)}


def test_chance_is_expectation() -> None:
    nodes = (turn(0, [1, 2]), turn(1, [3, 3, 4]), end(60, None), end(100, None), end(0, None))
    tree = GameTree(("a", "random"), nodes)
    assert value(tree, [0]) == Fraction(200, 3)
    assert maxn(tree) == {(Fraction(200, 3), Fraction(50))}
    assert random_play(tree)[0] == Fraction(190, 3)


def test_moves_at_the_same_time() -> None:
    """Matching pennies, after a choice between it and a sure 45."""
    pennies = together([2, 3], [3, 2])
    tree = GameTree(("a", "b"), (turn(0, [1, 4]), pennies, end(100, 0), end(0, 100), end(45, 55)))
    assert value(tree, [0], minimax) == 45
    assert value(tree, [0], equilibrium) == 50
    assert value(tree, [0], against_random) == 50
    assert value(tree, [1], minimax) == 0
    assert move_values(tree, 0, [0], equilibrium) == [50, 45]


def test_random_opponents_are_those_who_move_at_the_same_time() -> None:
    tree = GameTree(("a", "b"), (turn(0, [1, 2]), turn(1, [3, 4]), end(30, 70), end(100, 0), end(0, 100)))
    assert value(tree, [0], against_random) == 30


def test_counted_steps_end_the_game() -> None:
    """The way back and forth leads nowhere once the steps are over."""
    around = Node((10,), (2,), {(0,): 1, (1,): 0})
    tree = GameTree(("a",), (around, Node((20,), (2,), {(0,): 0, (1,): 2}), end(100)), last_step=1)
    assert value(tree, [0]) == 20
    longer = GameTree(tree.roles, tree.nodes, last_step=2)
    assert value(longer, [0]) == 100
    assert (shortest_way(tree), shortest_way(longer), shortest_way(tree, 20)) == (None, 2, 1)


def test_shortest_way() -> None:
    nodes = (turn(0, [1, 2], 1), turn(0, [3, 4], 1), turn(0, [1, 3], 1), end(99), end(100))
    assert shortest_way(GameTree(("a",), nodes)) == 2
    assert shortest_way(GameTree(("a",), (*nodes[:4], end(0)))) is None
    assert shortest_way(GameTree(("a",), (end(100),))) == 0


def test_what_is_unknown_counts_half() -> None:
    stuck = Node((0, 100), (2, 0), {})
    tree = GameTree(("a", "b"), (turn(0, [1, 2]), stuck, end(None, 7)))
    assert end_values(tree, Position(1, 0)) == exactly(50, 50)
    assert end_values(tree, Position(2, 0)) == exactly(50, 7)
    assert end_values(tree, tree.start) is None
    assert value(tree, [0]) == 50


@examples(100)
@given(game_trees(players=2, payoffs="constant", nodes=8))
def test_values_are_in_order(tree: GameTree) -> None:
    """To move first is no better than to mix, and that is no better than to know the other's move."""
    mixed = value(tree, [0], equilibrium)
    assert value(tree, [0]) <= mixed <= 100 - value(tree, [1])
    assert mixed == 100 - value(tree, [1], equilibrium)
    assert max(move_values(tree, 0, [0])) == value(tree, [0])


@examples(100)
@given(game_trees(players=2, order="turns", payoffs="constant"))
def test_two_sides_agree_on_the_value(tree: GameTree) -> None:
    """What is best for oneself is then what is worst for the other."""
    assert maxn(tree) == {(value(tree, [0]), value(tree, [1]))}


def test_known_matrices() -> None:
    assert equilibrium_value([[2, -3], [-3, 4]]) == Fraction(-1, 12)
    assert equilibrium_value([[0, -2, 1], [2, 0, -3], [-1, 3, 0]]) == 0
    assert equilibrium_value([[3, 1], [3, 1]]) == 1
