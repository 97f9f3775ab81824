"""Monte Carlo tree search on bundled games, against what is known about them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

import ludens
from ludens.core import Decision, Limit
from ludens.game import Game, State
from ludens.search.mcts import MctsSearcher
from tests.search.stopping import stopped
from tests.tiers import every_game

MATCHING = """
(role odd) (role even) (init begin)
(<= (legal ?r heads) (role ?r)) (<= (legal ?r tails) (role ?r))
(<= (next (shown ?a ?b)) (does odd ?a) (does even ?b))
(<= over (true (shown ?a ?b))) (<= terminal over)
(<= (goal odd {payoff}) (true (shown heads heads))) (<= (goal odd 0) (true (shown heads tails)))
(<= (goal odd 0) (true (shown tails heads))) (<= (goal odd 100) (true (shown tails tails)))
(<= (goal even {rest}) (true (shown heads heads))) (<= (goal even 100) (true (shown heads tails)))
(<= (goal even 100) (true (shown tails heads))) (<= (goal even 0) (true (shown tails tails)))
"""


def compiled(name: str) -> Game:
    game = ludens.load(name)
    assert game.compile()
    return game


def decide(state: State, role: str, limit: Limit, seed: int = 1, **options: object) -> Decision:
    return MctsSearcher(state.game, role, **options).search(state, limit, Random(seed))  # type: ignore[arg-type]


def test_tic_tac_toe_is_proven_to_be_a_draw() -> None:
    decision = decide(compiled("tictactoe").initial_state(), "x", Limit.of(nodes=2_000_000))
    assert decision.proven
    assert decision.values == {"x": 50.0, "o": 50.0}
    assert decision.nodes < 2_000_000


def test_a_win_in_one_is_proven_and_taken() -> None:
    game = compiled("tictactoe")
    state = game.initial_state()
    for move in ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)"):
        role = next(role for role in game.roles if len(state.legal_moves(role)) > 1)
        state = state.next({role: move})
    decision = decide(state, "x", Limit.of(nodes=5000))
    assert (decision.move, decision.proven, decision.values[game.roles[0]]) == ("(mark 1 3)", True, 100.0)
    assert decision.candidates[0].proven
    assert len(decision.pv) == 1


def test_nim_follows_the_xor_rule() -> None:
    game = compiled("nim")
    state = game.initial_state()
    rng = Random(5)
    while not state.is_terminal:
        heaps = [int(str(fact.args[1])) for fact in state.facts if fact.name == "heap"]
        xor = 0
        for heap in heaps:
            xor ^= heap
        mover = next(role for role in game.roles if state.legal_moves(role) != ("noop",))
        decision = decide(state, mover, Limit.of(nodes=1_000_000))
        assert decision.proven
        assert decision.values[mover] == (100.0 if xor else 0.0)
        state = state.next({role: rng.choice(state.legal_moves(role)) for role in game.roles})


@pytest.mark.parametrize("name", ["pegsolitaire", "lightsout", "hanoi"])
def test_a_single_role_is_told_a_line_that_keeps_its_promise(name: str) -> None:
    game = compiled(name)
    role = game.roles[0]
    searcher = MctsSearcher(game, role)
    state, best = game.initial_state(), -1.0
    for _ in range(3):
        decision = searcher.search(state, Limit.of(nodes=3000), Random(3))
        assert decision.move == decision.pv[0][role]
        end = state
        for joint in decision.pv:
            end = end.next(joint)
        if end.is_terminal:
            assert end.goals[role] == pytest.approx(decision.values[role])
        if name == "pegsolitaire":
            assert end.is_terminal
            assert decision.values[role] >= best
            best = decision.values[role]
        state = state.next({role: decision.move})
        searcher.advance(state)


@pytest.mark.parametrize("payoff", [100, 50])
def test_regret_matching_finds_the_mixed_equilibrium(payoff: int) -> None:
    game = compiled(MATCHING.format(payoff=payoff, rest=100 - payoff))
    decision = decide(game.initial_state(), "odd", Limit.of(nodes=200_000), simultaneous="regret", threads=1)
    visits = {str(candidate.move): candidate.visits for candidate in decision.candidates}
    total = sum(visits.values())
    # With a for both heads, b for both tails, 0 otherwise: heads with b / (a + b).
    exact = 100 / (payoff + 100)
    explored = 0.1 / 2 + 0.9 * exact
    assert visits["heads"] / total == pytest.approx(explored, abs=0.04)
    assert decision.values[game.roles[0]] == pytest.approx(100 * payoff / (payoff + 100), abs=5)


def test_moves_of_a_mixed_strategy_are_drawn() -> None:
    game = compiled(MATCHING.format(payoff=100, rest=0))
    moves = {
        decide(game.initial_state(), "odd", Limit.of(nodes=3000), seed, simultaneous="regret").move
        for seed in range(12)
    }
    assert moves == {"heads", "tails"}


def test_nodes_and_seed_decide_whatever_the_number_of_threads() -> None:
    state = compiled("connectfour").initial_state()
    one, two, again = (decide(state, "red", Limit.of(nodes=20_000), 7, threads=threads) for threads in (1, 2, 2))
    assert replace(one, seconds=0, hashfull=0) == replace(two, seconds=0, hashfull=0)
    assert replace(two, seconds=0) == replace(again, seconds=0)
    assert replace(one, seconds=0) != replace(decide(state, "red", Limit.of(nodes=20_000), 8, threads=1), seconds=0)


@pytest.mark.parametrize("nodes", [1, 2, 63, 500])
def test_limits_on_nodes_are_kept_exactly(nodes: int) -> None:
    state = compiled("connectfour").initial_state()
    decision = decide(state, "red", Limit.of(nodes=nodes))
    assert decision.nodes == decision.playouts == sum(candidate.visits for candidate in decision.candidates) == nodes
    assert decision.move in state.legal_moves("red")


def test_depth_is_limited() -> None:
    decision = decide(compiled("connectfour").initial_state(), "red", Limit.of(nodes=20_000, depth=3))
    assert decision.depth == 3
    assert len(decision.pv) <= 4


def test_little_memory_is_used_again() -> None:
    game = compiled("connectfour")
    searcher = MctsSearcher(game, "red", memory=2**20, threads=1, expand_at=1, portion=1)
    state = game.initial_state()
    for _ in range(3):
        decision = searcher.search(state, Limit.of(nodes=100_000), Random(1))
        assert 0.3 < decision.hashfull <= 1
        if decision.proven:
            break
        assert decision.nodes == 100_000
        assert sum(candidate.visits for candidate in decision.candidates) >= 100_000
        state = state.next({"red": decision.move})
        state = state.next({"yellow": state.legal_moves("yellow")[0]})


@pytest.mark.parametrize("compile_it", [True, False])
def test_what_was_found_is_kept_for_the_next_move(compile_it: bool) -> None:
    game = ludens.load("tictactoe")
    assert not compile_it or game.compile()
    searcher = MctsSearcher(game, "x", threads=1, expand_at=1)
    state = game.initial_state()
    decision = searcher.search(state, Limit.of(nodes=1000), Random(1))
    expected = decision.candidates[0].visits
    for joint in decision.pv[:1]:
        state = state.next(joint)
        searcher.advance(state)
    after = searcher.search(state, Limit.of(nodes=1), Random(1))
    assert 0 < after.candidates[0].visits <= expected
    assert after.candidates[0].visits > expected / 2


def test_search_is_stopped_from_another_thread() -> None:
    game = compiled("breakthrough")
    state = game.initial_state()
    for delay in (0.02, 0.1):
        searcher = MctsSearcher(game, "white")
        searcher.search(state, Limit.of(nodes=10), Random(1))
        with stopped(searcher, delay):
            decision = searcher.search(state, Limit.of(seconds=60), Random(1))
        assert decision.seconds < 20
        assert decision.move in state.legal_moves("white")


def test_the_deadline_is_kept() -> None:
    state = compiled("othello").initial_state()
    searcher = MctsSearcher(state.game, "black")
    searcher.search(state, Limit.of(nodes=10), Random(1))
    decision = searcher.search(state, Limit.of(seconds=0.2), Random(1))
    assert decision.seconds < 5
    assert decision.playouts > 0


@pytest.mark.parametrize(
    "name",
    every_game(of=("tictactoe", "rockpaperscissors", "dicerace", "threeway", "lightsout", "prisonersdilemma", "tron")),
)
@pytest.mark.parametrize("compile_it", [True, False])
def test_every_kind_of_game_is_played_on_both_engines(name: str, compile_it: bool) -> None:
    game = ludens.load(name)
    assert not compile_it or game.compile()
    state = game.initial_state()
    for _ in range(3):
        joint = {}
        for role in game.roles:
            decision = decide(state, role, Limit.of(nodes=40))
            assert decision.move in state.legal_moves(role)
            assert decision.pv[0][role] == decision.move
            assert set(decision.values) == set(game.roles)
            assert {candidate.move for candidate in decision.candidates} == set(state.legal_moves(role))
            after = state
            for expected in decision.pv:
                after = after.next(expected)
            joint[role] = decision.move
        state = state.next(joint)
        if state.is_terminal:
            break


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"simultaneous": "turns"}, "simultaneous moves are chosen 'decoupled' or by 'regret', not 'turns'"),
        ({"threads": 0}, "threads is 0; give at least 1"),
        ({"memory": -1}, "memory is -1; give at least 1"),
        ({"expand_at": 0}, "expand_at is 0; give at least 1"),
        ({"exploration": -0.5}, "exploration is -0.5; give 0 or more"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MctsSearcher(ludens.load("tictactoe"), "x", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(3))
def test_each_role_goes_for_what_it_gets_itself(seed: int) -> None:
    """Means decide where nothing is proven: connect four begins in the middle."""
    game = compiled("connectfour")
    red, yellow = game.roles
    state = game.initial_state()
    first = decide(state, red, Limit.of(nodes=20_000), seed)
    assert (first.move, first.proven) == ("(drop 4)", False)
    assert first.values[red] > 50 > first.values[yellow]
    second = decide(state.next({red: "(drop 1)", yellow: "noop"}), yellow, Limit.of(nodes=20_000), seed)
    assert (second.move, second.proven) == ("(drop 4)", False)
