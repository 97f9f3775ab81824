"""Puzzles and small games: their rule sheets against models, published counts, theory and solvers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import islice, product
from random import Random
from typing import Any

import pyspiel
import pytest

from ludens import games
from ludens.analysis.perft import joint_moves, perft
from ludens.core import Fact
from ludens.engines.reference import ReferenceEngine
from ludens.errors import IllegalMoveError
from ludens.game import State
from tests.analysis.analysed import game_of
from tests.games.lockstep import assert_agreement
from tests.games.models import EightPuzzle, Place
from tests.games.puzzles_models import MODELS, LightsOut, PegSolitaire, Sudoku, Wire, WirePuller
from tests.games.puzzles_solvers import hanoi_moves, knight_path, peg_solution, press_sets
from tests.tiers import first


def relation(name: str, relation_name: str) -> frozenset[Any]:
    """What the rule sheet itself says of a relation that is the same in all states."""
    return ReferenceEngine(game_of(name).rules).ask(relation_name)


def places(state: State, content: str) -> frozenset[Place]:
    """Where a content is on the board."""
    cells = [fact.args for fact in state.facts if fact.name == "cell"]
    return frozenset((int(str(x)), int(str(y))) for x, y, found in cells if found == content)


def solve(name: str, moves: list[str]) -> State:
    """The state after the moves of a puzzle, of which only the last ends it."""
    state = game_of(name).initial_state()
    for move in moves:
        assert not state.is_terminal
        state = state.next([move])
    return state


@pytest.mark.parametrize("name", MODELS)
def test_play_agrees_with_a_model(name: str) -> None:
    assert_agreement(name, MODELS[name])


# Peg solitaire


def turned(pegs: frozenset[Place]) -> tuple[Place, ...]:
    """The same for all positions that are turned or mirrored images of each other."""
    images: list[frozenset[Place]] = [pegs]
    for _ in range(3):
        images.append(frozenset((y, 8 - x) for x, y in images[-1]))
    images += [frozenset((8 - x, y) for x, y in image) for image in images]
    return min(tuple(sorted(image)) for image in images)


@pytest.mark.parametrize("jumps", first(1, (4, 6)))
def test_peg_solitaire_has_as_many_positions_as_published(jumps: int) -> None:
    """Up to symmetry, after 1, 2, ... jumps (OEIS A112737); the shortest games end after six."""
    layer = {game_of("pegsolitaire").initial_state()}
    counts = []
    for _ in range(jumps):
        assert not any(state.is_terminal for state in layer)
        layer = {state.next(joint) for state in layer for joint in joint_moves(state)}
        counts.append(len({turned(places(state, "peg")) for state in layer}))
    assert counts == [1, 2, 8, 39, 171, 719][:jumps]
    assert any(state.is_terminal for state in layer) == (jumps == 6)


def test_peg_solitaire_is_solved_by_31_jumps() -> None:
    """No fewer can do it: each jump takes one of 32 pegs off."""
    solution = peg_solution()
    assert len(solution) == games.info("pegsolitaire").facts.shortest == 31
    end = solve("pegsolitaire", solution)
    assert end.is_terminal
    assert end.goals == {"solver": 100}


def test_a_last_peg_outside_the_centre_is_worth_less() -> None:
    game = game_of("pegsolitaire")
    holes = [f"(cell {x} {y} hole)" for x, y in PegSolitaire.board]
    for x, y in PegSolitaire.board:
        facts = {*holes, "(pegs 1)", f"(cell {x} {y} peg)"} - {f"(cell {x} {y} hole)"}
        state = game.state(facts)
        assert state.is_terminal
        assert state.goals == {"solver": 100 if (x, y) == (4, 4) else 90}


# Knight's tour


@cache
def knight_moves() -> dict[int, list[int]]:
    """From which squares to which the knight moves in the rule sheet, by numbers."""
    moves: dict[int, list[int]] = {}
    for x, y, u, v in relation("knightstour", "knight_move"):
        moves.setdefault(square_number((int(x), int(y))), []).append(square_number((int(u), int(v))))
    return moves


def square_number(place: Place) -> int:
    return 5 * (place[1] - 1) + place[0] - 1


def tours(path: Sequence[Place]) -> int:
    """In how many ways a tour that begins like this can be completed; free squares are bits."""
    moves = knight_moves()

    @cache
    def ways(at: int, free: int) -> int:
        return sum([ways(to, free ^ 1 << to) for to in moves[at] if free >> to & 1]) if free else 1

    taken = [square_number(place) for place in path]
    return ways(taken[-1], sum(1 << number for number in range(25) if number not in taken))


@pytest.mark.full
def test_there_are_as_many_tours_as_published() -> None:
    """From the six squares that others mirror (OEIS A165134): 1,728 together, none from the rarer colour."""
    counts = {(x, y): tours([(x, y)]) for y in (1, 2, 3) for x in range(y, 4)}
    assert counts == {(1, 1): 304, (2, 1): 0, (3, 1): 56, (2, 2): 56, (3, 2): 0, (3, 3): 64}
    mirrored = [tuple(sorted((min(x, 6 - x), min(y, 6 - y)))) for x, y in product(range(1, 6), repeat=2)]
    assert sum(counts[b, a] for a, b in mirrored) == 1728


def test_a_whole_tour_of_the_knight_is_worth_100() -> None:
    path = knight_path()
    end = solve("knightstour", [f"(visit {x} {y})" for x, y in path])
    assert len(path) == games.info("knightstour").facts.shortest == 25
    assert end.is_terminal
    assert end.goals == {"solver": 100}


@pytest.mark.parametrize("begun", first(1, [12, 9, 6]))
def test_the_rules_find_all_ways_to_complete_a_tour(begun: int) -> None:
    path = knight_path()[:begun]
    levels = list(perft(solve("knightstour", [f"(visit {x} {y})" for x, y in path])))
    assert len(levels) == 25 - begun
    assert levels[-1].nodes == tours(path)


# Sudoku


def test_the_sudoku_has_one_solution() -> None:
    assert sum(row.count(".") for row in Sudoku.puzzle) == 50
    (solution,) = Sudoku.solutions("".join(Sudoku.puzzle))
    for index in range(81):
        assert {solution[peer] for peer in Sudoku.peers[index]} == set("123456789")


def test_the_solution_of_the_sudoku_is_worth_100_in_any_order() -> None:
    (solution,) = Sudoku.solutions("".join(Sudoku.puzzle))
    free = [index for index, digit in enumerate("".join(Sudoku.puzzle)) if digit == "."]
    assert len(free) == games.info("sudoku").facts.shortest
    for seed in range(3):
        Random(seed).shuffle(free)
        end = solve("sudoku", [Sudoku.write(index, solution[index]) for index in free])
        assert end.is_terminal
        assert end.goals == {"solver": 100}


def test_the_sudoku_in_the_comment_is_the_one_in_the_rules() -> None:
    sheet = games.find("sudoku")
    assert sheet is not None
    comment = [line.strip("; ") for line in sheet.read_text().splitlines() if line.startswith(";   ")]
    drawn = [row.replace(" ", "").replace("|", "") for row in comment if "+" not in row]
    assert drawn == list(Sudoku.puzzle)
    state = game_of("sudoku").initial_state()
    for digit in "123456789":
        expected = {(x + 1, 9 - y) for y, row in enumerate(drawn) for x, found in enumerate(row) if found == digit}
        assert places(state, digit) == expected


@pytest.mark.parametrize("move", ["(write 2 9 7)", "(write 1 9 7)", "(write 1 9 2)", "(write 1 9 4)", "(write 1 9 10)"])
def test_the_sudoku_refuses_a_digit_that_is_there(move: str) -> None:
    """On the square itself, in its row, in its column, in its box; and what is no digit."""
    with pytest.raises(IllegalMoveError):
        game_of("sudoku").initial_state().next([move])


# Lights out


def test_lights_out_is_solved_by_15_presses_and_no_fewer() -> None:
    """Only how often each light is pressed matters, and twice is as good as never."""
    masks = [LightsOut.mask(place) for place in LightsOut.places]
    switched = Counter((int(x), int(y)) for x, y, _, _ in relation("lightsout", "switches"))
    assert switched == {place: mask.bit_count() for place, mask in zip(LightsOut.places, masks, strict=True)}
    solutions = press_sets(masks, 2**25 - 1)
    assert len(solutions) == 4
    best = min(solutions, key=int.bit_count)
    assert best.bit_count() == games.info("lightsout").facts.shortest == 15
    presses = [f"(press {x} {y})" for bit, (x, y) in enumerate(LightsOut.places) if best >> bit & 1]
    Random(1).shuffle(presses)
    end = solve("lightsout", presses)
    assert end.is_terminal
    assert end.goals == {"solver": 100}


# Towers of Hanoi


def test_hanoi_is_solved_by_31_moves_in_one_way() -> None:
    solution = hanoi_moves(5, 1, 3)
    assert len(solution) == games.info("hanoi").facts.shortest == 2**5 - 1
    assert solve("hanoi", solution).goals == {"solver": 100}
    levels = list(islice(perft(game_of("hanoi").initial_state()), 31))
    assert [level.ended for level in levels] == [0] * 30 + [1]


def test_hanoi_reaches_all_243_arrangements_of_the_discs() -> None:
    layer = {game_of("hanoi").initial_state()}
    seen: set[frozenset[Fact]] = set()
    for _ in range(32):
        fresh = {frozenset(fact for fact in state.facts if fact.name != "step"): state for state in layer}
        fresh = {cells: state for cells, state in fresh.items() if cells not in seen}
        seen.update(fresh)
        layer = {state.next(joint) for state in fresh.values() for joint in joint_moves(state)}
    assert len(seen) == 3**5


def test_hanoi_refuses_a_larger_disc_on_a_smaller_one() -> None:
    state = solve("hanoi", ["(move 1 3)"])
    with pytest.raises(IllegalMoveError):
        state.next(["(move 1 3)"])
    with pytest.raises(IllegalMoveError):
        state.next(["(move 2 1)"])


# Toe tac tic


def test_toe_tac_tic_plays_as_in_open_spiel() -> None:
    game, other_game = game_of("toetactic"), pyspiel.load_game("misere(game=tic_tac_toe())")
    rng = Random(1)
    for _ in range(100):
        state, other = game.initial_state(), other_game.new_initial_state()
        while not state.is_terminal:
            mover = game.roles[other.current_player()]
            actions = {f"(mark {action % 3 + 1} {3 - action // 3})": action for action in other.legal_actions()}
            assert set(state.legal_moves(mover)) == set(actions)
            move = rng.choice(sorted(actions))
            state = state.next({mover: move})
            other.apply_action(actions[move])
        assert other.is_terminal()
        assert list(state.goals.values()) == [50 + 50 * result for result in other.returns()]


@pytest.mark.full
def test_toe_tac_tic_is_drawn_if_the_first_mark_is_in_the_centre_and_else_lost() -> None:
    """It has the positions and complete games of tic-tac-toe: 5,478 and 255,168."""
    results: dict[State, tuple[int, int]] = {}

    def explore(state: State) -> tuple[int, int]:
        """What x gets with best play on both sides, and how many games there are from here."""
        if state not in results:
            following = [explore(state.next(joint)) for joint in joint_moves(state)]
            best = max if "(control x)" in state.facts else min
            value = best(value for value, _ in following) if following else state.goals[game.roles[0]]
            assert value is not None
            results[state] = value, sum(count for _, count in following) or 1
        return results[state]

    game = game_of("toetactic")
    start = game.initial_state()
    assert explore(start) == (50, 255_168)
    assert len(results) == 5_478
    openings = {str(move): explore(start.next({"x": move}))[0] for move in start.legal_moves("x")}
    assert openings == {f"(mark {x} {y})": 50 if (x, y) == (2, 2) else 0 for x, y in product((1, 2, 3), repeat=2)}


# Treasure hunt


def test_no_treasure_is_lost() -> None:
    game = game_of("treasurehunt")
    rng = Random(3)
    results = set()
    for _ in range(20):
        state = game.initial_state()
        while not state.is_terminal:
            state = state.next({role: rng.choice(state.legal_moves(role)) for role in game.roles})
            left = sum(value * len(places(state, str(value))) for value in (5, 10, 15, 20))
            assert left + sum(value or 0 for value in state.goals.values()) == 100
        results |= set(state.goals.values())
    assert len(results) > 8


def test_the_treasure_hunt_ends_when_all_is_found() -> None:
    game = game_of("treasurehunt")
    blank = [f"(cell {x} {y} blank)" for x, y in product(range(1, 6), repeat=2)]
    pieces = {"(cell 1 1 red)", "(cell 3 3 blue)", "(cell 2 1 15)"}
    covered = {"(cell 1 1 blank)", "(cell 3 3 blank)", "(cell 2 1 blank)"}
    state = game.state({*blank} - covered | pieces | {"(score red 45)", "(score blue 40)", "(control red)", "(step 6)"})
    assert not state.is_terminal
    assert not state.next({"red": "(move 1 2)"}).is_terminal
    end = state.next({"red": "(move 2 1)"})
    assert end.is_terminal
    assert end.goals == {"red": 60, "blue": 40}


# Wire puller


def test_nobody_wins_the_wire_puller_in_less_than_seven_moves() -> None:
    """It takes four pulled wires to part battery and lamp, four fixed ones to join them."""
    state = game_of("wirepuller").initial_state()
    for row in range(1, 5):
        assert not state.is_terminal
        state = state.next({"puller": f"(pull across 2 {row})"})
        if row < 4:
            state = state.next({"fitter": f"(fix across 1 {row})"})
    assert state.is_terminal
    assert state.goals == {"puller": 100, "fitter": 0}


FIRST_PULL: Wire = ("across", 1, 1)


def gross_pairs() -> list[tuple[Wire, Wire]]:
    """Oliver Gross's strategy for this board (known as Bridg-it) pairs all wires but the first that is pulled."""
    across = [(x, y) for x, y in product(range(1, 5), repeat=2)]
    above = [(("across", x, y), ("up", x + 1, y - 1)) for x, y in across if y > x + 1]
    below = [(("across", x, y), ("up", x, y)) for x, y in across if y < x]
    between = [(("across", y - 1, y), ("across", y, y)) for y in (2, 3, 4)]
    return [*above, *below, *between]


def test_gross_strategy_leaves_no_way_through() -> None:
    pairs = gross_pairs()
    assert {wire for pair in pairs for wire in pair} == WirePuller.wires - {FIRST_PULL}
    assert len(pairs) == 12
    assert not any(WirePuller.connected(fixed) for fixed in product(*pairs))


def test_gross_strategy_wins_for_the_puller() -> None:
    partner = {wire: other for pair in gross_pairs() for wire, other in (pair, pair[::-1])}
    rng = Random(5)
    for _ in range(40):
        state = game_of("wirepuller").initial_state()
        pull = FIRST_PULL
        while not state.is_terminal:
            state = state.next({"puller": "(pull {} {} {})".format(*pull)})
            if not state.is_terminal:
                fix = rng.choice(state.legal_moves("fitter"))
                direction, x, y = map(str, fix.args)
                state = state.next({"fitter": fix})
                pull = partner[direction, int(x), int(y)]
        assert state.goals == {"puller": 100, "fitter": 0}


# Eight puzzle


def slides(board: str) -> dict[str, str]:
    """Where tiles can slide, and what comes of it; the board is a text, by the squares of `numbered_squares`."""
    gap = board.index("_")
    return {
        move: board.translate({ord("_"): board[other], ord(board[other]): "_"})
        for move, other in eight_puzzle_neighbours()[gap].items()
    }


@cache
def numbered_squares() -> dict[Place, int]:
    """The squares of the eight puzzle in reading order, by column and row."""
    return {(x, y): 3 * (3 - y) + x - 1 for x, y in product((1, 2, 3), repeat=2)}


@cache
def eight_puzzle_neighbours() -> dict[int, dict[str, int]]:
    """For each square the moves of the tiles beside it, as the rule sheet has them."""
    number = numbered_squares()
    beside: dict[int, dict[str, int]] = {}
    for pair in relation("eightpuzzle", "neighbours"):
        x, y, u, v = map(int, pair)
        beside.setdefault(number[x, y], {})[f"(slide {u} {v})"] = number[u, v]
    return beside


def eight_puzzle_board(state: State) -> str:
    content = {place: tile for tile in "12345678" for place in places(state, tile)}
    in_order = sorted(numbered_squares().items(), key=lambda item: item[1])
    return "".join(content.get(place, "_") for place, _ in in_order)


def distances(start: str) -> dict[str, int]:
    """Every board that can be reached, with the least number of moves to it."""
    found = {start: 0}
    layer = [start]
    for distance in range(1, 40):
        reached = []
        for board in layer:
            for after in slides(board).values():
                if after not in found:
                    found[after] = distance
                    reached.append(after)
        layer = reached
    return found


EIGHT_PUZZLE_LAYERS = (
    *(1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878),
    *(16993, 17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2),
)
"""OEIS A089473: how many boards need 0, 1, 2, ... moves from one with the gap in a corner."""


@pytest.mark.full
def test_eight_puzzle_reaches_181440_boards_as_published() -> None:
    start = eight_puzzle_board(game_of("eightpuzzle").initial_state())
    assert start == EightPuzzle().tiles
    found = distances(start)
    assert len(found) == 181_440
    assert tuple(count for _, count in sorted(Counter(found.values()).items())) == EIGHT_PUZZLE_LAYERS
    assert found[EightPuzzle.solved] == games.info("eightpuzzle").facts.shortest == 22


def test_eight_puzzle_slides_as_its_geometry_says_from_any_board() -> None:
    game = game_of("eightpuzzle")
    rng = Random(8)
    for _ in range(200):
        board = "".join(rng.sample("12345678_", 9))
        facts = [f"(cell {x} {y} {board[index].replace('_', 'gap')})" for (x, y), index in numbered_squares().items()]
        state = game.state([*facts, "(step 3)"])
        if state.is_terminal:
            continue
        reached = {str(move): eight_puzzle_board(state.next([move])) for move in state.legal_moves("solver")}
        assert reached == slides(board)
