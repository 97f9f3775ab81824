"""Alpha-beta on small random games of every kind, against exact values by definition."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ludens
from ludens.analysis.kind import GameKind
from ludens.core import Decision, Limit
from ludens.search.alphabeta import AlphaBetaOptions, AlphaBetaSearcher
from tests.search.alphabeta.decisions import check_decision
from tests.search.game_trees import GameTree, Joint, Node, game_trees
from tests.search.oracles import against_random, equilibrium, maxn, minimax, move_values, rivals, value
from tests.tiers import examples

FEW = examples(15)
MORE = examples(60)
PLAIN = AlphaBetaOptions(pruning=False, killers=False, history=False, aspiration=False, table_bytes=0, lookahead=0)
TINY_TABLE = 1000
VARIANTS = [
    AlphaBetaOptions(),
    PLAIN,
    AlphaBetaOptions(table_bytes=0),
    AlphaBetaOptions(table_bytes=TINY_TABLE),
    AlphaBetaOptions(reductions=True),
    AlphaBetaOptions(pruning=False),
    AlphaBetaOptions(killers=False, history=False, lookahead=0),
    AlphaBetaOptions(aspiration=False, lookahead=3),
]


def kind_of(tree: GameTree, teams: tuple[tuple[int, ...], ...] | None = None, total: int | None = None) -> GameKind:
    """The kind as it would be found by playing; nothing is assumed that is not said."""
    roles = len(tree.roles)
    turns = all(
        sum(tree.choices(at)[player] > 1 for player in tree.players) < 2
        for at in tree.positions()
        if not tree.is_end(at)
    )
    single = tuple((player,) for player in tree.players)
    return GameKind(total is not None, total, teams or single, turns, (100,) * roles, (0,) * roles)


def search(
    tree: GameTree,
    role: int,
    kind: GameKind,
    options: AlphaBetaOptions,
    compiled: bool = True,
    limit: Limit | None = None,
) -> Decision:
    game = ludens.load(tree.gdl)
    if compiled:
        assert game.compile()
    searcher = AlphaBetaSearcher(game, tree.roles[role], options=options, kind=kind)
    decision = searcher.search(game.initial_state(), limit or Limit.of(seconds=60), Random(1))
    check_decision(decision, game.initial_state(), tree.roles[role])
    return decision


def can_be_played(tree: GameTree) -> bool:
    """Whether its rules say when the game ends, and everybody can move at the start."""
    has_end = tree.last_step is not None or any(node.after is None for node in tree.nodes)
    return has_end and not tree.is_end(tree.start) and all(tree.choices(tree.start))


@FEW
@given(st.data(), st.sampled_from(VARIANTS), st.booleans())
def test_two_sides_that_share_a_sum_get_the_minimax_value(
    data: st.DataObject, options: AlphaBetaOptions, chance: bool
) -> None:
    tree = data.draw(game_trees(players=2, payoffs="constant", chance=chance))
    role = data.draw(st.sampled_from(tree.players))
    decision = search(tree, role, kind_of(tree, total=100), options)
    assert decision.proven
    assert decision.values[ludens.core.Role(tree.roles[role])] == pytest.approx(float(value(tree, [role])))
    assert sum(decision.values[name] for name in decision.values if name != "random") == pytest.approx(100)
    best = decision.candidates[0]
    assert best.move == decision.move
    assert best.value == pytest.approx(float(value(tree, [role])))
    assert all(candidate.value <= best.value + 1e-9 for candidate in decision.candidates)
    choice = int(str(decision.move.args[0])) if decision.move.args else 0
    assert float(move_values(tree, role, [role])[choice]) == pytest.approx(best.value)


def test_a_win_by_simultaneous_moves_is_played() -> None:
    """Bob's second move wins whatever Ann does, which the least window is enough to see."""
    lost, won = Node((100, 0)), Node((0, 100))
    edges: dict[Joint, int] = {(0, 0): 1, (0, 1): 2, (1, 0): 3, (1, 1): 4, (2, 0): 5, (2, 1): 6}
    nodes = [Node((0, 100), (3, 2), edges), *[won] * 11]
    nodes[1] = Node((0, 100), (1, 2), {(0, 0): 7, (0, 1): 8})
    nodes[3] = Node((0, 100), (1, 3), {(0, 0): 9, (0, 1): 10, (0, 2): 11})
    nodes[5] = lost
    tree = GameTree(("ann", "bob"), tuple(nodes))
    for options in VARIANTS:
        decision = search(tree, 1, kind_of(tree, total=100), options)
        assert decision.proven
        assert decision.values == {"ann": 0.0, "bob": 100.0}
        assert float(move_values(tree, 1, [1])[int(str(decision.move.args[0]))]) == 100.0


@FEW
@given(st.data(), st.sampled_from(VARIANTS), st.integers(1, 60), st.booleans())
def test_a_search_that_is_broken_off_is_of_one_mind(
    data: st.DataObject, options: AlphaBetaOptions, nodes: int, chance: bool
) -> None:
    tree = data.draw(game_trees(chance=chance))
    simultaneous = data.draw(st.sampled_from(["paranoid", "random", "equilibrium"]))
    role = data.draw(st.sampled_from(tree.players))
    options = replace(options, simultaneous=simultaneous)  # type: ignore[arg-type]
    search(tree, role, kind_of(tree), options, limit=Limit.of(nodes=nodes))


@FEW
@given(st.data(), st.sampled_from(VARIANTS), st.booleans())
def test_one_role_alone_gets_the_highest_value(data: st.DataObject, options: AlphaBetaOptions, chance: bool) -> None:
    tree = data.draw(game_trees(players=1, chance=chance))
    role = tree.players[0]
    decision = search(tree, role, kind_of(tree), options)
    assert decision.proven
    assert decision.values[ludens.core.Role(tree.roles[role])] == pytest.approx(float(value(tree, [role])))


@FEW
@given(st.data(), st.sampled_from(VARIANTS), st.booleans())
def test_paranoid_takes_all_others_for_one_enemy(data: st.DataObject, options: AlphaBetaOptions, chance: bool) -> None:
    tree = data.draw(game_trees(players=3, chance=chance, faults=True).filter(can_be_played))
    role = data.draw(st.sampled_from(tree.players))
    decision = search(tree, role, kind_of(tree), replace(options, mode="paranoid"))
    assert decision.proven
    assert decision.values[ludens.core.Role(tree.roles[role])] == pytest.approx(float(value(tree, [role])))


@MORE
@given(st.data(), st.sampled_from(VARIANTS), st.integers(2, 3), st.booleans())
def test_of_equally_good_ends_the_one_that_gives_others_less_is_played(
    data: st.DataObject, options: AlphaBetaOptions, players: int, compiled: bool
) -> None:
    tree = data.draw(game_trees(players=players, payoffs="free", faults=True).filter(can_be_played))
    role = data.draw(st.sampled_from(tree.players))
    decision = search(tree, role, kind_of(tree), replace(options, mode="paranoid"), compiled)
    own, others = rivals(tree, role)
    values = dict(decision.values)
    assert decision.proven
    assert values.pop(ludens.core.Role(tree.roles[role])) == own
    assert sum(values.values()) == others
    assert decision.candidates[0].value == own


def test_one_point_more_counts_before_all_that_others_get() -> None:
    nodes = (Node((0, 0), (3, 1), {(0, 0): 1, (1, 0): 2, (2, 0): 3}), Node((50, 0)), Node((51, 100)), Node((51, 99)))
    tree = GameTree(("ann", "bob"), nodes)
    for options in VARIANTS:
        decision = search(tree, 0, kind_of(tree), replace(options, mode="paranoid"))
        assert str(decision.move) == "(pick 2)"
        assert decision.values == {"ann": 51.0, "bob": 99.0}


@FEW
@given(st.data(), st.sampled_from(VARIANTS))
def test_teams_move_as_one(data: st.DataObject, options: AlphaBetaOptions) -> None:
    tree = data.draw(game_trees(players=3, payoffs="teams"))
    role = data.draw(st.sampled_from(tree.players))
    decision = search(tree, role, kind_of(tree, tree.teams, 100), options)
    side = next(team for team in tree.teams if role in team)
    assert decision.values[ludens.core.Role(tree.roles[role])] == pytest.approx(float(value(tree, side)))


@FEW
@given(st.data(), st.sampled_from(VARIANTS), st.booleans())
def test_others_at_random_when_moves_are_simultaneous(
    data: st.DataObject, options: AlphaBetaOptions, chance: bool
) -> None:
    tree = data.draw(game_trees(players=2, payoffs="constant", chance=chance))
    role = data.draw(st.sampled_from(tree.players))
    decision = search(tree, role, kind_of(tree, total=100), replace(options, simultaneous="random"))
    expected = value(tree, [role], against_random)
    assert decision.values[ludens.core.Role(tree.roles[role])] == pytest.approx(float(expected))


@FEW
@given(st.data(), st.sampled_from(VARIANTS), st.booleans())
def test_mixed_strategies_have_the_value_of_the_equilibrium(
    data: st.DataObject, options: AlphaBetaOptions, chance: bool
) -> None:
    tree = data.draw(game_trees(players=2, chance=chance))
    role = data.draw(st.sampled_from(tree.players))
    decision = search(tree, role, kind_of(tree), replace(options, simultaneous="equilibrium"))
    expected = value(tree, [role], equilibrium)
    assert decision.values[ludens.core.Role(tree.roles[role])] == pytest.approx(float(expected))


@FEW
@given(st.data(), st.sampled_from(VARIANTS), st.booleans(), st.booleans())
def test_maxn_finds_one_of_the_possible_outcomes(
    data: st.DataObject, options: AlphaBetaOptions, chance: bool, constant: bool
) -> None:
    payoffs = "constant" if constant else "free"
    tree = data.draw(game_trees(players=3, order="turns", payoffs=payoffs, chance=chance))
    role = data.draw(st.sampled_from(tree.players))
    kind = kind_of(tree, total=100 if constant else None)
    decision = search(tree, role, kind, replace(options, mode="maxn"))
    assert decision.proven
    found = [decision.values[ludens.core.Role(tree.roles[player])] for player in tree.players]
    outcomes = [[float(goals[player]) for player in tree.players] for goals in maxn(tree)]
    assert any(found == pytest.approx(outcome) for outcome in outcomes)
    if not options.reductions:
        plain = search(tree, role, kind, replace(PLAIN, mode="maxn"))
        assert plain.values == pytest.approx(decision.values)


@FEW
@given(st.data())
def test_goals_that_contradict_the_kind_are_noticed(data: st.DataObject) -> None:
    """A game is said to have a constant sum, or teams, but has not."""
    tree = data.draw(game_trees(players=2, order="turns", payoffs="free"))
    role = data.draw(st.sampled_from(tree.players))
    kind = kind_of(tree)
    wrong = replace(kind, constant_sum=True, total=100)
    right = search(tree, role, kind, AlphaBetaOptions())
    decision = search(tree, role, wrong, AlphaBetaOptions())
    ends = {tuple(tree.goals(at)) for at in tree.positions() if tree.is_end(at)}
    if all(sum(goals) == 100 for goals in ends):  # type: ignore[arg-type]
        assert decision.values == right.values
    else:
        values = [decision.values[ludens.core.Role(name)] for name in tree.roles]
        minimax_value = float(value(tree, [role], minimax))
        assert values == [right.values[ludens.core.Role(name)] for name in tree.roles] or values[role] == minimax_value


@examples(10)
@given(st.data(), st.booleans())
def test_a_game_that_is_not_compiled_has_the_same_values(data: st.DataObject, chance: bool) -> None:
    tree = data.draw(game_trees(players=2, payoffs="constant", chance=chance))
    role = data.draw(st.sampled_from(tree.players))
    decision = search(tree, role, kind_of(tree, total=100), AlphaBetaOptions(), compiled=False)
    assert decision.proven
    assert decision.values[ludens.core.Role(tree.roles[role])] == pytest.approx(float(value(tree, [role])))
