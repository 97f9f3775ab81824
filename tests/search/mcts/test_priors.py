"""Priors from the statistics of moves: they lead to good moves sooner, and change nothing that is proven."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Literal

import numpy as np
import pytest

import ludens
from ludens.core import Decision, Limit
from ludens.game import Game, State
from ludens.search.mcts import MctsSearcher
from ludens.search.mcts.priors_kernel import record_path
from ludens.search.mcts.tree import NodeView, new_tree
from ludens.search.mcts.tree_kernel import MAST, RAVE, Tree, add_state, amaf_at, set_child
from tests.tiers import every_game

Priors = Literal["none", "mast", "rave"]
KINDS: tuple[Priors, Priors] = ("mast", "none")
PRIORS: tuple[Priors, ...] = ("mast", "rave")

STEPS, SWITCHES = 4, 40
ONE_GOOD_SWITCH = "\n".join(
    [
        "(role me) (role other) (init (step 0)) (legal other noop) (goal other 0)",
        *(f"(succ {step} {step + 1})" for step in range(STEPS)),
        *(f"(switch {number})" for number in range(SWITCHES)),
        "(<= (legal me (press ?s)) (switch ?s))",
        "(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))",
        "(<= (next (pressed ?n)) (true (step ?n)) (does me (press 7)))",
        "(<= (next (pressed ?n)) (true (pressed ?n)))",
        f"(<= terminal (true (step {STEPS})))",
        "(<= some (true (pressed ?n)))",
        "(<= always " + " ".join(f"(true (pressed {step}))" for step in range(STEPS)) + ")",
        "(<= (goal me 100) always) (<= (goal me 40) some (not always)) (<= (goal me 0) (not some))",
    ]
)
"""One switch out of many is to be pressed all the time; games tell about it wherever they have it.

The other role is there so that no line is kept, which would be followed instead.
"""


def compiled(source: str) -> Game:
    game = ludens.load(source)
    assert game.compile()
    return game


def decide(state: State, limit: Limit, priors: Priors, seed: int = 1, **options: object) -> Decision:
    searcher = MctsSearcher(state.game, state.game.roles[0], priors=priors, **options)  # type: ignore[arg-type]
    return searcher.search(state, limit, Random(seed))


def without_time(decision: Decision) -> Decision:
    return replace(decision, seconds=0, hashfull=0)


@pytest.mark.parametrize("priors", PRIORS)
def test_tic_tac_toe_is_still_proven_to_be_a_draw(priors: Priors) -> None:
    decision = decide(compiled("tictactoe").initial_state(), Limit.of(nodes=2_000_000), priors)
    assert decision.proven
    assert set(decision.values.values()) == {50.0}


@pytest.mark.parametrize("priors", PRIORS)
def test_a_short_way_is_still_proven_on_the_interpreter(priors: Priors) -> None:
    interpreted = ludens.load(
        "(role a) (init (left 3)) (succ 0 1) (succ 1 2) (succ 2 3) (legal a go) (legal a stop)"
        "(<= (next (left ?m)) (does a go) (true (left ?n)) (succ ?m ?n)) (<= (next out) (does a stop))"
        "(<= terminal (true (left 0))) (<= terminal (true out))"
        "(<= (goal a 100) (true (left 0))) (<= (goal a 0) (not (true (left 0))))"
    )
    decision = decide(interpreted.initial_state(), Limit.of(nodes=500), priors, expand_at=1)
    assert (decision.move, decision.proven, decision.values) == ("go", True, {"a": 100.0})


def test_mast_finds_a_move_that_is_good_everywhere_sooner() -> None:
    game = compiled(ONE_GOOD_SWITCH)

    def nodes_needed(kind: Priors, seed: int) -> int:
        """How many are needed until half of them go to the right move, or the game is proven."""
        nodes, visits, proven = 50, 0, False
        while 2 * visits < nodes and not proven:
            nodes = nodes * 5 // 4
            decision = decide(game.initial_state(), Limit.of(nodes=nodes), kind, seed, expand_at=1, portion=1)
            visits = next(candidate.visits for candidate in decision.candidates if candidate.move == "(press 7)")
            proven = decision.proven
        return nodes

    with_priors, without = (sum(nodes_needed(kind, seed) for seed in range(4)) for kind in KINDS)
    assert with_priors < without


@pytest.mark.parametrize("priors", PRIORS)
@pytest.mark.parametrize("compile_it", [True, False])
def test_the_seed_decides(priors: Priors, compile_it: bool) -> None:
    game = ludens.load("connectfour")
    assert not compile_it or game.compile()
    state, limit = game.initial_state(), Limit.of(nodes=5000 if compile_it else 60)
    one, two = (decide(state, limit, priors, 7, threads=threads) for threads in (1, 2))
    assert without_time(one) == without_time(two)
    assert without_time(one) != without_time(decide(state, limit, "none", 7, threads=1))
    assert without_time(one) != without_time(decide(state, limit, priors, 8, threads=1))


@pytest.mark.parametrize(
    "name", every_game(of=("rockpaperscissors", "tron", "dicerace", "lightsout", "threeway", "pegsolitaire"))
)
@pytest.mark.parametrize("priors", PRIORS)
@pytest.mark.parametrize("compile_it", [True, False])
def test_every_kind_of_game_is_played(name: str, priors: Priors, compile_it: bool) -> None:
    game = ludens.load(name)
    assert not compile_it or game.compile()
    state = game.initial_state()
    for simultaneous in ("decoupled", "regret"):
        decision = decide(state, Limit.of(nodes=2000 if compile_it else 30), priors, simultaneous=simultaneous)
        assert decision.move in state.legal_moves(game.roles[0])
        assert {candidate.move for candidate in decision.candidates} == set(state.legal_moves(game.roles[0]))


@pytest.mark.parametrize("priors", PRIORS)
def test_little_memory_is_used_again(priors: Priors) -> None:
    game = compiled("connectfour")
    searcher = MctsSearcher(game, "red", memory=2**20, threads=1, expand_at=1, portion=1, priors=priors)
    decision = searcher.search(game.initial_state(), Limit.of(nodes=100_000), Random(1))
    assert 0.3 < decision.hashfull <= 1
    assert sum(candidate.visits for candidate in decision.candidates) == decision.nodes == 100_000
    assert 50 < decision.values[game.roles[0]] < 90


def two_levels(priors: int) -> tuple[Tree, int, int]:
    """A tree of two nodes for one role: moves 0, 1, 2 at the root, and 1, 2, 3 after the move of its first edge."""
    tree = new_tree(1, 1, 4, -1, np.ones(1), Random(1), priors)
    root, child = (
        add_state(tree, np.array([row], np.uint64), np.array(moves, np.int32), np.array([0, 3], np.int32))
        for row, moves in ((1, [0, 1, 2]), (2, [1, 2, 3]))
    )
    set_child(tree, root, 0, child)
    return tree, root, child


def note(tree: Tree, nodes: list[int], places: list[int], value: float, count: int) -> None:
    path = np.array(nodes, np.int32), np.array(places, np.int32)
    record_path(tree, *path, len(nodes), np.array([value]), count)


def test_mast_counts_each_move_wherever_it_was_made() -> None:
    tree, root, child = two_levels(MAST)
    note(tree, [root, child], [0, 1], 1.0, 2)
    note(tree, [root], [2], 0.5, 1)
    first, last = (NodeView(tree, root).edges(0)[edge].move for edge in (0, 2))
    second = NodeView(tree, child).edges(0)[1].move
    expected = np.zeros((2, 4))
    for move, value, count in ((first, 1.0, 2), (second, 1.0, 2), (last, 0.5, 1)):
        expected[:, move] += count * value, count
    assert np.array_equal([tree.move_sums, tree.move_playouts], expected)


def test_rave_counts_moves_that_were_made_there_or_later() -> None:
    tree, root, child = two_levels(RAVE)
    for edge in range(3):
        note(tree, [root, child], [0, edge], 0.5, 2)
    note(tree, [root], [1], 1.0, 1)
    moves = [edge.move for edge in NodeView(tree, root).edges(0)]
    below = {edge.move for edge in NodeView(tree, child).edges(0)}
    at_root = tree.floats[amaf_at(tree, root) :][:6].reshape(2, 3)
    for place, move in enumerate(moves):
        playouts = 6 if place == 0 else 2 * (move in below)
        assert at_root[:, place].tolist() == [0.5 * playouts + (place == 1), playouts + (place == 1)]
    assert tree.floats[amaf_at(tree, child) :][:6].tolist() == [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]


def test_other_priors_are_refused() -> None:
    with pytest.raises(ValueError, match="priors are 'none', 'mast' or 'rave', not 'amaf'"):
        MctsSearcher(ludens.load("tictactoe"), "x", priors="amaf")  # type: ignore[arg-type]
