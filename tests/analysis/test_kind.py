"""The kind of a game: known ones of bundled games, and rules made so that each kind shows."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from ludens import load
from ludens.analysis.kind import GameKind, game_kind
from ludens.game import Game
from ludens.runtime.deadline import Deadline
from tests.tiers import every_game


def kind(game: str | Game, compiled: bool, **more: object) -> GameKind:
    game = load(game) if isinstance(game, str) else game
    if compiled:
        assert game.compile()
    return game_kind(game, Random(1), **more)  # type: ignore[arg-type]


def one_shot(*ends: tuple[int, ...], names: str = "abcd", turns: bool = False) -> str:
    """A game of one joint move: the first role, or all together, choose by whose goals it ends."""
    count = len(ends[0])
    lines = [f"(role {name})" for name in names[:count]]
    lines += ["(init open)", "(<= terminal (not (true open)))"]
    for number, goals in enumerate(ends):
        lines += [
            f"(legal {names[0]} (pick {number}))",
            f"(<= (next (picked {number})) (does {names[0]} (pick {number})))",
        ]
        lines += [
            f"(<= (goal {name} {goal}) (true (picked {number})))" for name, goal in zip(names, goals, strict=False)
        ]
    for name in names[1:count]:
        lines += [f"(legal {name} noop)"] + ([] if turns else [f"(legal {name} wait)"])
    return "\n".join(lines)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tictactoe", GameKind(True, 100, ((0,), (1,)), True, (100, 100), (0, 0))),
        ("rockpaperscissors", GameKind(True, 100, ((0,), (1,)), False, (100, 100), (0, 0))),
        ("prisonersdilemma", GameKind(False, None, ((0,), (1,)), False, (100, 100), (0, 0))),
        ("eightpuzzle", GameKind(False, None, ((0,),), True, (100,), (0,))),
    ],
)
def test_bundled_games(name: str, expected: GameKind, compiled: bool) -> None:
    found = kind(name, compiled)
    assert (found.constant_sum, found.total, found.teams, found.turns) == (
        expected.constant_sum,
        expected.total,
        expected.teams,
        expected.turns,
    )
    assert all(0 <= worst < best <= 100 for worst, best in zip(found.worst, found.best, strict=True))


@pytest.mark.parametrize("compiled", [False, True])
def test_chance_is_nobody(compiled: bool) -> None:
    game = load("dicerace")
    found = kind(game, compiled)
    chance = [role.lower() for role in game.roles].index("random")
    assert chance not in {role for team in found.teams for role in team}
    assert found.turns
    assert found.constant_sum


@pytest.mark.parametrize("compiled", [False, True])
def test_teams_are_who_gets_the_same(compiled: bool) -> None:
    doubles = kind(one_shot((100, 0, 100, 0), (0, 100, 0, 100), (50, 50, 50, 50)), compiled)
    assert doubles.teams == ((0, 2), (1, 3))
    assert (doubles.constant_sum, doubles.total) == (True, 100)

    one_against_two = kind(one_shot((90, 10, 10), (30, 70, 70)), compiled)
    assert one_against_two.teams == ((0,), (1, 2))
    assert one_against_two.total == 100
    assert (one_against_two.best, one_against_two.worst) == ((90, 70, 70), (30, 10, 10))

    together = kind(one_shot((0, 0), (100, 100)), compiled)
    assert together.teams == ((0, 1),)
    assert not together.constant_sum


@pytest.mark.parametrize("compiled", [False, True])
def test_sums(compiled: bool) -> None:
    assert kind(one_shot((100, 0), (100, 50)), compiled).total is None
    three = kind(one_shot((100, 0, 0), (0, 100, 0), (0, 40, 60)), compiled)
    assert (three.constant_sum, three.total, three.teams) == (True, 100, ((0,), (1,), (2,)))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("value", "constant"), [(33, False), (100, True)])
def test_a_value_that_fits_no_sum_tells_of_ends_that_were_not_seen(value: int, constant: bool, compiled: bool) -> None:
    """Three that share get 33 each: the rules say so, even if no random game ends like that."""
    rules = one_shot((100, 0, 0), (0, 100, 0), (0, 0, 100))
    rules += "".join(f"\n(<= (goal {role} {value}) (true shared))" for role in "abc")
    rules += "\n(<= (next shared) (true shared)) (<= (next shared) (does a (pick 0)) (does b noop) (does b wait))"
    assert kind(rules, compiled).constant_sum is constant


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("together", [False, True])
def test_a_choice_of_several_is_no_turn(compiled: bool, together: bool) -> None:
    assert kind(one_shot((100, 0), (0, 100), turns=not together), compiled).turns is not together


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("end", "constant"), [((50, 50), True), ((0, 0), False), ((100, 100), False)])
def test_games_that_always_end_alike_are_judged_by_their_rules(
    end: tuple[int, int], constant: bool, compiled: bool
) -> None:
    """Random play seldom mates a king, and seldom solves what takes two."""
    rules = one_shot(end) + "".join(
        f"\n(<= (goal {name} {value}) (true (wonder {value})))\n(<= (next (wonder {value})) (true (wonder {value})))"
        for name, value in product("ab", (0, 100))
    )
    rules += "".join(f"\n(<= (next (wonder {value})) (true never))" for value in (0, 100))
    rules += "\n(<= (next never) (does a (pick 0)) (does b noop) (does b wait))"
    found = kind(rules, compiled)
    assert found.teams == ((0,), (1,))
    assert found.constant_sum is constant


def test_values_that_are_variables_may_be_anything() -> None:
    rules = one_shot((50, 50)) + "\n(worth 30)\n(<= (goal ?r ?v) (true never) (role ?r) (worth ?v))\n"
    found = kind(rules + "(<= (next never) (true never))", compiled=False)
    assert (found.best, found.worst) == ((100, 100), (0, 0))


@pytest.mark.parametrize("compiled", [False, True])
def test_a_role_without_a_move_or_goal_is_no_obstacle(compiled: bool) -> None:
    stuck = "(role a) (role b) (init p) (legal b go) (<= (legal a go) (true q)) (<= terminal (true q))"
    goals = "(<= (goal a 100) (true q)) (<= (goal a 0) (not (true q))) (<= (goal b 5) (true p))"
    assert kind(f"{stuck} {goals}", compiled).teams == ((0,), (1,))


def test_no_time_is_enough_for_a_guess() -> None:
    found = kind("chess", compiled=False, deadline=Deadline(0))
    assert (found.constant_sum, found.total, found.teams) == (True, 100, ((0,), (1,)))


@pytest.mark.parametrize("compiled", [False, True])
def test_the_same_seed_gives_the_same_kind(compiled: bool) -> None:
    assert kind("threeway", compiled, games=20) == kind("threeway", compiled, games=20)


def test_names_do_not_matter() -> None:
    ends = (100, 0, 0), (0, 100, 0), (0, 0, 100)
    assert kind(one_shot(*ends), compiled=True) == kind(one_shot(*ends, names="xyzw"), compiled=True)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    "name", every_game(of=["connectfour", "dotsandboxes", "hanoi", "nim", "prisonersdilemma", "threeway", "tron"])
)
def test_values_hold_what_games_give(name: str, compiled: bool) -> None:
    found = kind(name, compiled, games=1)
    game = load(name)
    ends = game.playouts(game.initial_state(), 300, Random(3))
    goals = ends.goals[ends.finished]
    assert ((goals < 0) | ((goals >= found.worst) & (goals <= found.best))).all()
