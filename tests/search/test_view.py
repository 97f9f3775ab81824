"""What searches see of a game is the same on every engine."""

from __future__ import annotations

from functools import lru_cache
from random import Random

import numpy as np
import pytest
from hypothesis import given

from ludens import load
from ludens.core import Move
from ludens.engines.base import UNKNOWN_GOAL, Expansion, Ints
from ludens.engines.rows import Rows
from ludens.game import Game
from ludens.runtime.deadline import Deadline
from ludens.search.view import GameView
from tests.search.game_trees import GameTree, game_trees
from tests.search.oracles import end_values, random_play
from tests.tiers import every_game, examples

SLOW = {
    "amazonswhole": 1,
    "farmers": 4,
    "minichess": 4,
    "othello": 4,
    "chess": 3,
    "amazons": 12,
    "nothello": 4,
    "chinesecheckers6": 6,
}
"""Games where the reference engine needs long, and how many steps are enough there."""
STEPS = 24
WALKS = 3


@lru_cache(maxsize=4)
def views(name: str) -> tuple[GameView, GameView]:
    compiled, plain = load(name), load(name)
    assert compiled.compile()
    sliced, interpreted = GameView.of(compiled.initial_state()), GameView.of(plain.initial_state())
    assert sliced.engine.circuit is not None
    assert interpreted.engine.circuit is None
    return sliced, interpreted


def start(view: GameView) -> Rows:
    return view.row(view.game.initial_state())


def named(view: GameView, seen: Expansion, state: int) -> list[list[Move]]:
    """The legal moves of all roles in a state; none at an end, where it does not matter what is said."""
    if seen.terminal[state]:
        return []
    return [[view.move(int(move)) for move in seen.legal(state, role)] for role in range(len(view.roles))]


def check(sliced: GameView, interpreted: GameView, one: Expansion, other: Expansion) -> None:
    """Two views of the same states."""
    np.testing.assert_array_equal(one.terminal, other.terminal)
    np.testing.assert_array_equal(one.goals, other.goals)
    assert sliced.engine.decode(one.rows) == interpreted.engine.decode(other.rows)
    for state in range(len(one.rows)):
        assert named(sliced, one, state) == named(interpreted, other, state)


def joints(seen: Expansion, other: Expansion, roles: int, rng: Random) -> tuple[Ints, Ints]:
    """The same random joint move of each state by the numbers of both views."""
    chosen = []
    for state in range(len(seen.rows)):
        places = [rng.randrange(len(seen.legal(state, role))) for role in range(roles)]
        chosen.append([[view.legal(state, role)[place] for role, place in enumerate(places)] for view in (seen, other)])
    both = np.array(chosen, np.int32).reshape(len(chosen), 2, roles)
    return both[:, 0], both[:, 1]


@pytest.mark.parametrize("name", every_game())
def test_both_views_agree_on_bundled_games(name: str) -> None:
    """Some games are played side by side; in each step all of their states are expanded in one batch."""
    sliced, interpreted = views(name)
    rng, roles = Random(name), len(sliced.roles)
    assert sliced.roles == interpreted.roles
    assert sliced.chance == interpreted.chance
    one, other = (view.engine.look(np.repeat(start(view), WALKS, axis=0)) for view in (sliced, interpreted))
    for _ in range(SLOW.get(name, STEPS)):
        check(sliced, interpreted, one, other)
        going = ~one.terminal
        one, other = (
            view.engine.look(rows) for view, rows in ((sliced, one.rows[going]), (interpreted, other.rows[going]))
        )
        if not len(one.rows):
            break
        first, second = joints(one, other, roles, rng)
        assert sliced.joint(first[0]) == interpreted.joint(second[0])
        one, other = sliced.engine.expand(one.rows, first), interpreted.engine.expand(other.rows, second)


@examples(25)
@given(game_trees(chance=True, faults=True, nodes=8))
def test_all_states_of_small_games(tree: GameTree) -> None:
    """All at once, in any order, with goals that are missing and roles that cannot move."""
    game = load(tree.gdl)
    for view in (compiled_view(game), GameView(game, game.reference_engine.fork())):
        places = tree.positions()
        rows = np.concatenate([view.row(game.state(tree.facts(at))) for at in places])
        assert len(np.unique(rows, axis=0)) == len(places)
        seen = view.engine.look(rows)
        edges = []
        for state, at in enumerate(places):
            assert seen.terminal[state] == tree.is_end(at)
            assert seen.goals[state].tolist() == [-1 if goal is None else goal for goal in tree.goals(at)]
            if not tree.is_end(at):
                moves = [
                    [tree.move(at, role, choice) for choice in range(n)] for role, n in enumerate(tree.choices(at))
                ]
                assert named(view, seen, state) == moves
                legal = [seen.legal(state, role) for role in range(len(tree.roles))]
                edges += [(state, [legal[r][c] for r, c in enumerate(j)], tree.after(at, j)) for j in tree.joints(at)]
        if edges:
            after = view.engine.expand(
                rows[[edge[0] for edge in edges]], np.array([edge[1] for edge in edges], np.int32)
            )
            np.testing.assert_array_equal(after.rows, rows[[places.index(edge[2]) for edge in edges]])


def compiled_view(game: Game) -> GameView:
    assert game.compile()
    view = GameView.of(game.initial_state())
    assert view.engine.circuit is not None
    return view


@pytest.mark.parametrize("number", [0, 1])
def test_equal_states_have_equal_rows(number: int) -> None:
    """The same marks in another order."""
    view = views("tictactoe")[number]
    game = view.game
    moves = ["(mark 1 1)", "(mark 2 2)", "(mark 3 3)"]
    rows = []
    for first, last in ((0, 2), (2, 0)):
        state = game.initial_state().next([moves[first], "noop"]).next(["noop", moves[1]]).next([moves[last], "noop"])
        rows.append(view.row(state))
    np.testing.assert_array_equal(rows[0], rows[1])
    assert (rows[0] != start(view)).any()


@pytest.mark.parametrize("number", [0, 1])
def test_no_states_at_all(number: int) -> None:
    view = views("tictactoe")[number]
    none = start(view)[:0]
    assert len(view.engine.look(none).rows) == 0
    assert len(view.engine.expand(none, np.zeros((0, 2), np.int32)).terminal) == 0
    assert view.engine.goal_sums(none, 3, Random(1), Deadline.never()).shape == (0, 2)


@pytest.mark.parametrize(("name", "chance"), [("tictactoe", -1), ("dicerace", 2)])
def test_chance_has_a_place(name: str, chance: int) -> None:
    game = load(name)
    assert GameView.of(game.initial_state()).chance == (chance if chance < 0 else game.role_index("random"))


@examples(15)
@given(game_trees(chance=True, faults=True, nodes=8))
def test_playouts_come_to_what_random_play_does(tree: GameTree) -> None:
    """Within six standard errors, for each state of the game, those where a role is stuck among them."""
    game = load(tree.gdl)
    places = tree.positions()
    for view, count in ((compiled_view(game), 2000), (GameView(game, game.reference_engine.fork()), 60)):
        rows = np.concatenate([view.row(game.state(tree.facts(at))) for at in places])
        sums = view.engine.goal_sums(rows, count, Random(1), Deadline.never())
        expected = np.array([[float(value) for value in random_play(tree, at)] for at in places])
        assert sums.shape == expected.shape
        assert np.abs(sums / count - expected).max() < 6 * 50 / np.sqrt(count)
        over = [place for place, at in enumerate(places) if end_values(tree, at) is not None]
        np.testing.assert_allclose(sums[over] / count, expected[over])


MISSING = """(role a) (init open) (legal a good) (legal a bad)
(<= (next won) (does a good)) (<= (next lost) (does a bad))
(<= terminal (true won)) (<= terminal (true lost)) (<= (goal a 100) (true won))"""
"""Half of the random games have no goal at the end."""
STUCK = """(role a) (init open) (<= (legal a good) (true open)) (<= (legal a bad) (true open))
(<= (next won) (does a good)) (<= (next lost) (does a bad))
(<= terminal (true won)) (<= (goal a 100) (true won))"""
"""Half of them cannot go on."""


@pytest.mark.parametrize("rules", [MISSING, STUCK])
@pytest.mark.parametrize("compiled", [False, True])
def test_games_without_a_goal_count_half(rules: str, compiled: bool) -> None:
    game = load(rules)
    view = compiled_view(game) if compiled else GameView.of(game.initial_state())
    mean = view.engine.goal_sums(start(view), 1000, Random(1), Deadline.never())[0, 0] / 1000
    assert mean == pytest.approx((100 + UNKNOWN_GOAL) / 2, abs=5)


@pytest.mark.parametrize("number", [0, 1])
def test_the_same_seed_gives_the_same_playouts(number: int) -> None:
    view = views("connectfour")[number]
    rows = start(view)
    first, second = (view.engine.goal_sums(rows, 5, Random(3), Deadline.never()) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("number", [0, 1])
def test_playouts_keep_time(number: int) -> None:
    view = views("chess")[number]
    deadline = Deadline(0.2)
    sums = view.engine.goal_sums(np.repeat(start(view), 20, axis=0), 2, Random(1), deadline)
    assert deadline.at + 5.0 > Deadline(0).at
    assert ((sums >= 0) & (sums <= 200)).all()


def test_a_state_is_known_after_the_game_has_changed_its_engine() -> None:
    """The game may be compiled in the background at any moment, between two looks at the same state, too."""
    game = load("tictactoe")
    state = game.initial_state()
    before = GameView.of(state)
    row = before.row(state)
    assert game.compile()
    assert game.engine.circuit is not None
    np.testing.assert_array_equal(before.row(state), row)
    np.testing.assert_array_equal(before.row(game.initial_state()), row)
    assert GameView.of(state).engine.circuit is not None
