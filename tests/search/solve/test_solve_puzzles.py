"""Puzzles: shortest solutions."""

from __future__ import annotations

from itertools import combinations

import pytest

from ludens import load
from ludens.core import Role
from ludens.search.solve import Solution, SolveLimits, solve
from ludens.search.solve.limits import SolveBudget
from ludens.search.solve.solver import solve_position
from ludens.search.view import GameView
from tests.search.solve.variants import Tiles, eight_puzzle, hanoi, lights_out

GOAL: Tiles = (1, 2, 3, 4, 5, 6, 7, 8, 0)


def assert_solved(text: str, value: float, steps: int) -> Solution:
    game = load(text)
    solution = solve(game.initial_state())
    assert (solution.outcome, list(solution.values.values()), solution.distance) == ("solved", [value], steps)
    assert len(solution.pv) == steps
    state = game.initial_state()
    for joint in solution.pv:
        state = state.next(joint)
    assert state.is_terminal
    assert list(state.goals.values()) == [value]
    return solution


@pytest.mark.parametrize("discs", range(1, 7))
def test_towers_of_hanoi(discs: int) -> None:
    solution = assert_solved(hanoi(discs, 70), 100, 2**discs - 1)
    assert solution.states <= 3**discs


@pytest.mark.parametrize("tiles", [(8, 6, 7, 2, 5, 4, 3, 0, 1), (6, 4, 7, 8, 5, 0, 3, 2, 1)])
def test_the_hardest_positions_of_the_eight_puzzle(tiles: Tiles) -> None:
    solution = assert_solved(eight_puzzle(tiles, 40), 100, 31)
    assert solution.states == 181_440


def distances_of_the_eight_puzzle(most: int) -> dict[Tiles, int]:
    """How far positions are from the goal, breadth first from there."""
    found = {GOAL: 0}
    level = [GOAL]
    for distance in range(1, most + 1):
        following = []
        for tiles in level:
            gap = tiles.index(0)
            for other in (gap - 3, gap + 3, *([gap - 1] if gap % 3 else []), *([gap + 1] if gap % 3 < 2 else [])):
                if 0 <= other < 9:
                    moved = list(tiles)
                    moved[gap], moved[other] = moved[other], 0
                    if found.setdefault(tuple(moved), distance) == distance:
                        following.append(tuple(moved))
        level = following
    return found


@pytest.mark.parametrize("distance", [1, 5, 10, 14])
def test_positions_of_the_eight_puzzle(distance: int) -> None:
    found = distances_of_the_eight_puzzle(distance)
    tiles = max(tiles for tiles, steps in found.items() if steps == distance)
    assert_solved(eight_puzzle(tiles, 20), 100, distance)


@pytest.mark.parametrize("size", [2, 3])
def test_lights_out(size: int) -> None:
    """Each light is pressed at most once, in any order: the fewest presses that put all lights out."""
    places = [(x, y) for x in range(size) for y in range(size)]

    def reach(x: int, y: int) -> set[tuple[int, int]]:
        return {(x, y), (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & set(places)

    def puts_out(presses: tuple[tuple[int, int], ...]) -> bool:
        return all(sum(place in reach(*press) for press in presses) % 2 for place in places)

    fewest = next(n for n in range(len(places) + 1) for presses in combinations(places, n) if puts_out(presses))
    assert_solved(lights_out(size), 100, fewest)


WALK = """
(role me) (init (at 0)) (init (step 0)) (legal me left) (legal me right) (legal me stop)
(<= (next (at ?y)) (does me right) (true (at ?x)) (succ ?x ?y))
(<= (next (at 5)) (does me right) (true (at 5)))
(<= (next (at ?x)) (does me left) (true (at ?y)) (succ ?x ?y))
(<= (next (at 0)) (does me left) (true (at 0)))
(<= (next over) (does me stop)) (<= (next (at ?x)) (does me stop) (true (at ?x)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= terminal (true over)) (<= terminal (true (step {}))) (place 0) (place 1) (place 2) (place 3) (place 4) (place 5)
(<= (goal me ?v) (true (at ?x)) (worth ?x ?v))
"""
WORTHS = "(worth 0 {}) (worth 1 {}) (worth 2 {}) (worth 3 {}) (worth 4 {}) (worth 5 {})"


@pytest.mark.parametrize(
    ("limit", "worths", "value", "steps"),
    [
        (6, (0, 0, 0, 100, 0, 0), 100, 4),
        (3, (0, 0, 0, 100, 0, 0), 100, 3),
        (2, (10, 20, 30, 100, 0, 0), 30, 2),
        (6, (70, 0, 0, 0, 0, 0), 70, 1),
        (4, (0, 0, 0, 0, 0, 90), 0, 1),
    ],
)
def test_ends_by_the_limit_of_steps_count(limit: int, worths: tuple[int, ...], value: int, steps: int) -> None:
    text = WALK.format(limit) + WORTHS.format(*worths)
    assert_solved(text, value, steps)


def test_an_end_by_the_limit_at_a_place_met_before_is_found() -> None:
    """Nobody can stop, and the best place is the first one: it takes a way back there of just as many steps."""
    text = (WALK.format(4) + WORTHS.format(100, 0, 10, 0, 0, 0)).replace("(legal me stop)", "")
    assert_solved(text, 100, 4)


def test_the_same_without_compiling() -> None:
    game = load(hanoi(3, 10))
    view = GameView(game, game.reference_engine.fork())
    solution = solve_position(view, view.row(game.initial_state()), SolveBudget(SolveLimits()))
    assert solution.distance == 7


def test_every_first_move() -> None:
    solution = solve(load(hanoi(3, 10)).initial_state(), all_moves=True)
    moves = {str(move.move): (move.values[Role("solver")], move.distance, move.probability) for move in solution.moves}
    assert moves == {"(move 1 3)": (100, 7, 1), "(move 1 2)": (100, 8, 0)}


def test_the_best_goal_that_can_be_reached() -> None:
    assert assert_solved(hanoi(3, 6), 0, 6).values


def test_a_puzzle_without_an_end() -> None:
    solution = solve(
        load(
            "(role me) (init on) (next on) (legal me go) (legal me stay) (<= terminal (true off)) (goal me 9)"
        ).initial_state()
    )
    assert solution.outcome == "endless"
    assert solution.values == {Role("me"): None}
