"""The Monte Carlo player: sound at two plies, better than chance, on time, and repeatable."""

from __future__ import annotations

import time
from functools import cache
from random import Random

import pytest

from ludens import Rules, load
from ludens.arena.match import play_match
from ludens.core import Clocks, Deadline, Move
from ludens.game import Game, State
from ludens.players import MonteCarloPlayer, RandomPlayer

CLOCKS = Clocks(1.0, 1.0)
LINES = [
    *[[(x, y) for x in (1, 2, 3)] for y in (1, 2, 3)],
    *[[(x, y) for y in (1, 2, 3)] for x in (1, 2, 3)],
    [(1, 1), (2, 2), (3, 3)],
    [(1, 3), (2, 2), (3, 1)],
]


@cache
def tictactoe() -> Game:
    return load("tictactoe")


def completing(board: dict[tuple[int, int], str], mark: str) -> set[str]:
    """The moves that make a line of one's own."""
    found = set()
    for line in LINES:
        marks = [board.get(place) for place in line]
        if marks.count(mark) == 2 and marks.count(None) == 1:
            x, y = line[marks.index(None)]
            found.add(f"(mark {x} {y})")
    return found


def board_of(state: State) -> dict[tuple[int, int], str]:
    cells = [fact.args for fact in state.facts if fact.name == "cell"]
    return {(int(str(x)), int(str(y))): str(mark) for x, y, mark in cells if mark != "blank"}


def random_positions(count: int, seed: int) -> list[tuple[State, list[dict[str, Move]]]]:
    """Positions that are not over, each with the moves that lead there."""
    rng = Random(seed)
    found: list[tuple[State, list[dict[str, Move]]]] = []
    while len(found) < count:
        state, joints = tictactoe().initial_state(), []
        for _ in range(rng.randint(3, 7)):
            joint = {str(role): rng.choice(state.legal_moves(role)) for role in tictactoe().roles}
            state = state.next(joint)
            joints.append(joint)
            if state.is_terminal:
                break
        else:
            found.append((state, joints))
    return found


def move_at(joints: list[dict[str, Move]], role: str, seed: int) -> Move:
    player = MonteCarloPlayer(Random(seed), playouts=8)
    player.start(tictactoe().rules, role, CLOCKS, Deadline(1))
    for joint in joints:
        player.observe({known: joint[known] for known in tictactoe().roles})
    return player.move(Deadline.never())


def test_it_never_misses_a_win_or_a_block() -> None:
    wins = blocks = 0
    for seed, (state, joints) in enumerate(random_positions(150, seed=7)):
        mover, other = ("x", "o") if len(state.legal_moves("x")) > 1 else ("o", "x")
        if len(state.legal_moves(mover)) == 1:
            continue
        winning, threats = completing(board_of(state), mover), completing(board_of(state), other)
        if winning:
            wins += 1
            assert move_at(joints, mover, seed) in winning
        elif len(threats) == 1:
            blocks += 1
            assert move_at(joints, mover, seed) in threats
    assert wins > 20
    assert blocks > 20


@pytest.mark.parametrize(("name", "place"), [("tictactoe", 1), ("connectfour", 0)])
def test_it_beats_chance(name: str, place: int) -> None:
    game = load(name)
    points = 0
    for seed in range(6):
        pair = [RandomPlayer(Random(seed)), RandomPlayer(Random(seed))]
        players = [*pair[:place], MonteCarloPlayer(Random(seed), 60), *pair[place + 1 :]]
        result = play_match(game, players, CLOCKS, Random(seed))
        assert result.faults == ()
        points += result.goals[game.roles[place]] or 0
    assert points >= 500


def test_the_same_seed_gives_the_same_match() -> None:
    game = load("threeway")

    def moves(seed: int) -> list[Move]:
        players = [MonteCarloPlayer(Random(seed), 12) for _ in game.roles]
        return [move for joint in play_match(game, players, CLOCKS, Random(seed)).moves for move in joint.values()]

    assert moves(3) == moves(3)
    assert moves(3) != moves(4)


def test_simultaneous_moves_are_averaged() -> None:
    """In this game `safe` always gives 60; `bold` gives 100 or 0, whatever a random other does."""
    sheet = """
    (role a) (role b) (init open)
    (legal a safe) (legal a bold) (legal b yes) (legal b no) (legal b perhaps)
    (<= (next (was ?x ?y)) (does a ?x) (does b ?y))
    (<= terminal (not (true open)))
    (<= (goal a 60) (true (was safe ?y))) (<= (goal a 100) (true (was bold yes)))
    (<= (goal a 0) (true (was bold no))) (<= (goal a 0) (true (was bold perhaps))) (goal b 0)
    """
    player = MonteCarloPlayer(Random(1), playouts=200)
    player.start(Rules.parse(sheet), "a", CLOCKS, Deadline(1))
    assert player.move(Deadline.never()) == "safe"


ENDLESS = """
(role a) (role b) (init p) (next p) (legal a left) (legal a right) (legal b noop)
(<= terminal (true q)) (goal a 0) (goal b 0)
"""


@pytest.mark.parametrize("sheet", ["breakthrough", ENDLESS])
def test_it_keeps_to_the_clock(sheet: str) -> None:
    game = load(sheet)
    player = MonteCarloPlayer(Random(1))
    player.start(game.rules, game.roles[0], CLOCKS, Deadline(1))
    started = time.monotonic()
    move = player.move(Deadline(0.3))
    assert move in game.initial_state().legal_moves(game.roles[0])
    assert time.monotonic() - started < 3


def test_it_moves_even_when_there_is_no_time_left() -> None:
    game = load("connectfour")
    player = MonteCarloPlayer(Random(1))
    player.start(game.rules, "red", CLOCKS, Deadline(1))
    assert player.move(Deadline(0)) in game.initial_state().legal_moves("red")
