"""Games of taking and turning: checkers, othello, kalah, morris. Beside OpenSpiel, by counts, and case by case."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from itertools import islice
from typing import Any

import pyspiel
import pytest

from ludens.analysis.perft import divide, joint_moves, perft
from ludens.errors import IllegalMoveError
from ludens.game import State
from tests.analysis.analysed import game_of
from tests.games.captures_models import MAKERS, CylinderCheckers
from tests.games.lockstep import assert_agreement
from tests.tiers import first

PLAYS = {"checkers": 30, "kalah": 30, "ninemensmorris": 10, "cylindercheckers": 30, "nothello": 5, "othello": 8}


@pytest.mark.parametrize("name", PLAYS)
def test_play_agrees_with_another_program(name: str) -> None:
    assert_agreement(name, MAKERS[name], PLAYS[name])


def moves(state: State) -> set[str]:
    """What the player to move can do."""
    return {str(move) for role in state.game.roles for move in state.legal_moves(role)} - {"noop"}


def after(state: State, *choices: str) -> State:
    """The state after moves of whoever has the turn."""
    for choice in choices:
        (mover,) = [role for role in state.game.roles if "noop" not in state.legal_moves(role)]
        state = state.next({mover: choice})
    return state


def has(state: State, *facts: str) -> bool:
    return {str(fact) for fact in state.facts} >= set(facts)


# -- Checkers ----------------------------------------------------------------------------------


def whole_moves(layer: Counter[State]) -> Counter[State]:
    """The positions after one more move of each, where a series of jumps is one move."""
    following: Counter[State] = Counter()
    while layer:
        unfinished: Counter[State] = Counter()
        for state, ways in layer.items():
            for joint in joint_moves(state):
                reached = state.next(joint)
                goes_on = any(fact.name == "jumper" for fact in reached.facts)
                (unfinished if goes_on else following)[reached] += ways
        layer = unfinished
    return following


@pytest.mark.parametrize("depth", first(1, (5, 6)))
def test_checkers_counts(depth: int) -> None:
    layer, counts = Counter([game_of("checkers").initial_state()]), []
    for _ in range(depth):
        layer = whole_moves(layer)
        counts.append(layer.total())
    assert counts == [7, 49, 302, 1469, 7361, 36768][:depth]


def checkers(name: str, mover: str, **pieces: list[tuple[int, int]]) -> State:
    """A position: `red_man=[(column, row), ...]`."""
    cells = [f"(cell {x} {y} {piece})" for piece, places in pieces.items() for x, y in places]
    counter = "(quiet 0)" if name == "checkers" else "(step 0)"
    return game_of(name).state([*cells, f"(control {mover})", counter])


def test_jumps_are_forced_and_go_on_with_the_same_piece() -> None:
    state = checkers("checkers", "red", red_man=[(1, 1), (7, 1)], black_man=[(2, 2), (4, 4), (6, 6), (6, 2)])
    assert moves(state) == {"(jump 1 1 3 3)", "(jump 7 1 5 3)"}
    with pytest.raises(IllegalMoveError):
        after(state, "(move 7 1 8 2)")
    state = after(state, "(jump 1 1 3 3)")
    assert moves(state) == {"(jump 3 3 5 5)"}
    state = after(state, "(jump 3 3 5 5)", "(jump 5 5 7 7)")
    assert has(state, "(control black)", "(cell 7 7 red_man)", "(cell 6 2 black_man)", "(quiet 0)")
    assert len(state.facts) == 5


def test_a_man_that_is_crowned_ends_its_turn() -> None:
    state = after(checkers("checkers", "red", red_man=[(4, 6)], black_man=[(5, 7), (7, 7)]), "(jump 4 6 6 8)")
    assert has(state, "(control black)", "(cell 6 8 red_king)", "(cell 7 7 black_man)")
    assert moves(state) == {"(move 7 7 6 6)", "(move 7 7 8 6)"}
    state = after(state, "(move 7 7 8 6)")
    assert moves(state) == {"(move 6 8 5 7)", "(move 6 8 7 7)"}


def test_a_king_jumps_in_a_circle() -> None:
    around = [(4, 4), (4, 6), (6, 6), (6, 4)]
    state = checkers("checkers", "black", black_king=[(3, 5)], red_man=[*around, (8, 2)], black_man=[(2, 8)])
    state = after(state, "(jump 3 5 5 7)", "(jump 5 7 7 5)", "(jump 7 5 5 3)")
    assert moves(state) == {"(jump 5 3 3 5)"}
    state = after(state, "(jump 5 3 3 5)")
    assert has(state, "(cell 3 5 black_king)", "(cell 8 2 red_man)", "(cell 2 8 black_man)", "(control red)")
    assert len(state.facts) == 5


def test_who_cannot_move_loses_and_long_quiet_is_a_draw() -> None:
    blocked = checkers("checkers", "red", red_man=[(1, 5)], black_man=[(2, 6), (3, 7)])
    assert blocked.is_terminal
    assert blocked.goals == {"red": 0, "black": 100}
    state = game_of("checkers").state(["(cell 1 1 red_king)", "(cell 8 8 black_king)", "(control red)", "(quiet 39)"])
    state = after(state, "(move 1 1 2 2)")
    assert state.is_terminal
    assert state.goals == {"red": 50, "black": 50}


def test_the_cylinder_has_no_sides() -> None:
    state = checkers("cylindercheckers", "red", red_man=[(8, 2)], black_man=[(1, 3), (3, 5), (8, 8)])
    assert moves(state) == {"(jump 8 2 2 4)"}
    state = after(state, "(jump 8 2 2 4)", "(jump 2 4 4 6)")
    assert state.goals == {"red": 50, "black": 50}
    assert moves(state) == {"(move 8 8 1 7)", "(move 8 8 7 7)"}
    only_jump = checkers("cylindercheckers", "red", red_man=[(8, 2)], black_man=[(1, 3), (7, 3), (6, 4)])
    assert moves(only_jump) == {"(jump 8 2 2 4)"}
    edge = checkers("checkers", "red", red_man=[(8, 2)], black_man=[(1, 3)])
    assert moves(edge) == {"(move 8 2 7 3)"}


@pytest.mark.parametrize(
    ("red", "black", "points"),
    [(12, 12, 50), (5, 3, 70), (7, 11, 10), (1, 12, 0), (12, 6, 100), (3, 0, 100), (0, 7, 0)],
)
def test_pieces_count_on_the_cylinder(red: int, black: int, points: int) -> None:
    dark = [(x, y) for y in range(1, 9) for x in range(1, 9) if (x + y) % 2 == 0]
    state = checkers("cylindercheckers", "red", red_king=dark[:red], black_man=dark[len(dark) - black :])
    assert state.goals == {"red": points, "black": 100 - points}


def cylinder_count(model: CylinderCheckers, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for move in model.choices():
        following = deepcopy(model)
        following.play({model.mover: move})
        total += cylinder_count(following, depth - 1)
    return total


def test_cylinder_checkers_counts() -> None:
    counts = [level.nodes for level in islice(perft(game_of("cylindercheckers").initial_state()), 4)]
    assert counts == [cylinder_count(CylinderCheckers(), depth) for depth in (1, 2, 3, 4)]


# -- Othello -----------------------------------------------------------------------------------


def test_othello_counts() -> None:
    """The board looks the same from all four first moves, so one stands for all at the larger depths."""
    start = game_of("othello").initial_state()
    assert [level.nodes for level in islice(perft(start), 4)] == [4, 12, 56, 244]
    shares = divide(start, 4)
    assert set(shares.values()) == {244 // 4}
    layer, counts = Counter([start.next(next(iter(shares)))]), [1]
    for _ in range(5):
        layer = one_more_move(layer)
        counts.append(layer.total())
    counts.append(sum(ways * len(moves(state)) for state, ways in layer.items()))
    assert [4 * count for count in counts] == [4, 12, 56, 244, 1396, 8200, 55092]


def one_more_move(layer: Counter[State]) -> Counter[State]:
    following: Counter[State] = Counter()
    for state, ways in layer.items():
        for joint in joint_moves(state):
            following[state.next(joint)] += ways
    return following


def othello(name: str, mover: str, *rows: str) -> State:
    """A position, the lowest row last; rows above are empty."""
    owners = {"b": "black", "w": "white"}
    cells = [
        f"(cell {x} {y} {owners[letter]})"
        for y, row in enumerate(reversed(rows), 1)
        for x, letter in enumerate(row, 1)
        if letter in owners
    ]
    return game_of(name).state([*cells, f"(control {mover})"])


def test_discs_turn_in_all_directions_but_not_beyond_the_first_own_one() -> None:
    before = "b.....b", "...w.w.", "..www..", "bww.wbwb", "..www..", ".w.w.w.", "b..b..b"
    turned = "b.....b", "...w.b.", "..wwb..", "bbbbbbwb", "..bbb..", ".b.b.b.", "b..b..b"
    assert after(othello("othello", "black", *before), "(place 4 4)") == othello("othello", "white", *turned)


def test_who_cannot_place_passes() -> None:
    state = othello("othello", "white", "bw......")
    assert moves(state) == {"pass"}
    state = after(state, "pass")
    assert moves(state) == {"(place 3 1)"}
    with pytest.raises(IllegalMoveError):
        after(state, "pass")
    state = after(state, "(place 3 1)")
    assert state.is_terminal
    assert state.goals == {"black": 100, "white": 0}


def test_the_discs_decide_either_way() -> None:
    more, fewer, equal = "wwb.bb", "b.wwww", "bb..ww"
    assert othello("othello", "black", more).goals == {"black": 100, "white": 0}
    assert othello("nothello", "black", more).goals == {"black": 0, "white": 100}
    assert othello("othello", "black", fewer).goals == {"black": 0, "white": 100}
    assert othello("nothello", "black", fewer).goals == {"black": 100, "white": 0}
    for name in ("othello", "nothello"):
        assert othello(name, "black", equal).goals == {"black": 50, "white": 50}


# -- Kalah -------------------------------------------------------------------------------------


def spiel_count(state: Any, depth: int) -> int:
    if depth == 0 or state.is_terminal():
        return depth == 0
    return sum(spiel_count(state.child(action), depth - 1) for action in state.legal_actions())


def test_kalah_counts() -> None:
    counts = [level.nodes for level in islice(perft(game_of("kalah").initial_state()), 5)]
    start = pyspiel.load_game("mancala").new_initial_state()
    assert counts == [spiel_count(start, depth) for depth in range(1, 6)]


def kalah(mover: str, south: tuple[int, ...], north: tuple[int, ...], stores: tuple[int, int]) -> State:
    """A position as it is drawn: pits from the left to the right."""
    cells = [f"(cell {x} {y} {n})" for y, row in enumerate((south, north), 1) for x, n in enumerate(row, 1)]
    return game_of("kalah").state(
        [*cells, f"(store south {stores[0]})", f"(store north {stores[1]})", f"(control {mover})"]
    )


def test_thirteen_seeds_come_home_and_take_those_opposite() -> None:
    state = kalah("south", (1, 13, 0, 0, 0, 0), (0, 0, 0, 0, 0, 4), (10, 20))
    expected = kalah("north", (2, 0, 1, 1, 1, 1), (1, 0, 1, 1, 1, 5), (13, 20))
    assert after(state, "(sow 2)") == expected


def test_many_seeds_go_round_twice_without_the_other_store() -> None:
    state = kalah("north", (1, 0, 0, 0, 0, 0), (0, 0, 27, 0, 0, 0), (10, 10))
    expected = kalah("south", (3, 2, 2, 2, 2, 2), (2, 3, 2, 2, 2, 2), (10, 12))
    assert after(state, "(sow 3)") == expected


def test_nothing_is_taken_where_nothing_lies_opposite() -> None:
    state = kalah("south", (1, 0, 0, 0, 0, 1), (1, 0, 0, 0, 0, 0), (20, 25))
    assert after(state, "(sow 1)") == kalah("north", (0, 1, 0, 0, 0, 1), (1, 0, 0, 0, 0, 0), (20, 25))
    again = after(state, "(sow 6)")
    assert has(again, "(control south)", "(store south 21)")


@pytest.mark.parametrize(("stores", "south"), [((25, 17), 100), ((24, 18), 50), ((23, 19), 0)])
def test_seeds_left_belong_to_their_side(stores: tuple[int, int], south: int) -> None:
    state = kalah("north", (0, 0, 0, 0, 0, 0), (1, 2, 0, 3, 0, 0), stores)
    assert state.is_terminal
    assert state.goals == {"south": south, "north": 100 - south}


# -- Nine men's morris -------------------------------------------------------------------------


def morris(mover: str, *facts: str, white: list[tuple[int, int]], black: list[tuple[int, int]]) -> State:
    """A position in which all men are placed."""
    owner = {**dict.fromkeys(white, "white"), **dict.fromkeys(black, "black")}
    board = game_of("ninemensmorris")
    points = [fact.args[:2] for fact in board.initial_state().facts if fact.name == "cell"]
    cells = [f"(cell {x} {y} {owner.get((int(str(x)), int(str(y))), 'blank')})" for x, y in points]
    counts = [f"(men white {len(white)})", f"(men black {len(black)})", "(hand white 0)", "(hand black 0)"]
    return board.state([*cells, *counts, f"(control {mover})", *facts])


def test_a_mill_removes_a_man_but_not_out_of_a_mill() -> None:
    mill = [(1, 1), (1, 4), (1, 7)]
    state = morris("white", "(turn 50)", white=[(4, 1), (4, 2), (5, 3), (7, 7)], black=[*mill, (6, 6)])
    state = after(state, "(move 5 3 4 3)")
    assert has(state, "(control white)", "removing", "(turn 50)")
    assert moves(state) == {"(remove 6 6)"}
    state = after(state, "(remove 6 6)")
    assert has(state, "(control black)", "(men black 3)", "(turn 51)", "(cell 6 6 blank)")
    state = after(morris("white", "(turn 50)", white=[(4, 1), (4, 2), (5, 3)], black=mill), "(move 5 3 4 3)")
    assert moves(state) == {"(remove 1 1)", "(remove 1 4)", "(remove 1 7)"}
    state = after(state, "(remove 1 4)")
    assert state.is_terminal
    assert state.goals == {"white": 100, "black": 0}


def test_a_man_does_not_make_a_mill_with_the_point_it_left() -> None:
    white = [(2, 4), (3, 4), (7, 7), (7, 4)]
    state = after(morris("white", "(turn 50)", white=white, black=[(6, 6), (4, 5), (2, 2)]), "(move 2 4 1 4)")
    assert has(state, "(control black)", "(turn 51)")
    assert not has(state, "removing")


def test_only_three_men_fly() -> None:
    three, four = [(1, 1), (4, 1), (7, 7)], [(2, 2), (4, 2), (6, 2), (4, 3)]
    flights = moves(morris("white", "(turn 50)", white=three, black=four))
    assert len(flights) == 3 * (24 - 7)
    assert moves(morris("black", "(turn 50)", white=three, black=four)) == {
        "(move 2 2 2 4)",
        "(move 6 2 6 4)",
        "(move 4 3 3 3)",
        "(move 4 3 5 3)",
    }


def test_blocked_men_lose_and_200_turns_are_a_draw() -> None:
    white = [(1, 1), (1, 7), (7, 1), (7, 7)]
    blocked = morris("white", "(turn 50)", white=white, black=[(1, 4), (4, 1), (4, 7), (7, 4)])
    assert blocked.is_terminal
    assert blocked.goals == {"white": 0, "black": 100}
    state = after(morris("black", "(turn 199)", white=white, black=[(2, 2), (2, 4), (6, 6), (6, 4)]), "(move 2 2 4 2)")
    assert state.is_terminal
    assert state.goals == {"white": 50, "black": 50}
