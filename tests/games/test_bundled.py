"""The bundled rule sheets: sound, tidy, and the games they claim to be."""

from __future__ import annotations

from collections import Counter
from itertools import islice, product

import pytest

from ludens import games
from ludens.analysis.perft import joint_moves, perft
from ludens.core import GroundTerm
from ludens.game import State
from ludens.gdl.rules import Rules
from tests.analysis.analysed import game_of
from tests.games import spiel
from tests.games.lockstep import assert_agreement
from tests.games.models import MODELS, EightPuzzle
from tests.tiers import first

NAMES = games.names()


GAMES = """
tictactoe connectfour checkers cylindercheckers chess minichess othello nothello racetrackcorridor hallway farmers
chinesecheckers3 chinesecheckers6 blocksworld prisonersdilemma stepcounter
breakthrough hex atarigo amazons amazonswhole dotsandboxes ninemensmorris pentago gomoku nim kalah
pegsolitaire eightpuzzle knightstour sudoku lightsout hanoi rockpaperscissors biddingtictactoe
simultaneousconnectfour fourcorners twokeys tron wirepuller treasurehunt toetactic threeway dicerace pig
backgammon diagnosis highcard landlord
"""
"""Those of the papers, classics, puzzles and games of other shapes, and those with random variables."""


def test_names_are_sorted_and_complete() -> None:
    assert list(NAMES) == sorted(GAMES.split())


def test_find() -> None:
    sheet = games.find("Nim")
    assert sheet is not None
    assert sheet.read_text().startswith("; Nim")
    assert games.find("no such game") is None
    assert games.find("../games/nim") is None
    assert games.find("") is None


@pytest.mark.parametrize("name", NAMES)
def test_sheet_is_sound_and_starts_with_what_it_is(name: str) -> None:
    sheet = games.find(name)
    assert sheet is not None
    text = sheet.read_text()
    assert text.startswith("; ")
    assert max(map(len, text.splitlines())) <= 120
    assert Rules.parse(text).validate() == []


@pytest.mark.parametrize("name", MODELS)
def test_play_agrees_with_a_model_in_python(name: str) -> None:
    assert_agreement(name, MODELS[name])


@pytest.mark.parametrize("name", spiel.MODELS)
def test_play_agrees_with_openspiel(name: str) -> None:
    assert_agreement(name, spiel.MODELS[name])


def test_tictactoe_counts() -> None:
    levels = list(perft(game_of("tictactoe").initial_state()))
    assert [level.nodes for level in levels] == [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    assert sum(level.ended for level in levels) == 255_168
    assert 1 + sum(level.positions for level in levels) == 5_478


@pytest.mark.parametrize("moves", first(1, (5, 7)))
def test_connect_four_counts(moves: int) -> None:
    """Counted on the engine itself, which is quicker than by states; equal positions are looked at once."""
    engine = game_of("connectfour").engine
    layer = Counter({engine.decode(engine.initial(1))[0]: 1})
    nodes, positions = [], []
    for depth in range(moves):
        following: Counter[frozenset[GroundTerm]] = Counter()
        nodes.append(0)
        for facts, ways in layer.items():
            state = engine.encode([facts])
            if engine.terminal(state)[0]:
                continue
            joints = list(product(*engine.legal(state)[0]))
            nodes[-1] += ways * len(joints)
            for joint in joints if depth < moves - 1 else ():
                following[engine.decode(engine.step(state, [joint]))[0]] += ways
        positions.append(len(layer))
        layer = following
    assert nodes == [7, 49, 343, 2401, 16807, 117_649, 823_536][:moves]
    assert positions == [1, 7, 49, 238, 1120, 4263, 16_422][:moves]


def breakthrough_perft(moves: tuple[str, ...], depth: int) -> int:
    """The count of the Python model, which is played anew for every line."""
    game = MODELS["breakthrough"]()
    for turn, move in enumerate(moves):
        game.play({game.roles[turn % 2]: move})
    if game.over() or depth == 0:
        return depth == 0
    legal = game.legal(game.roles[len(moves) % 2])
    return len(legal) if depth == 1 else sum(breakthrough_perft((*moves, move), depth - 1) for move in legal)


@pytest.mark.parametrize("moves", first(1, (2, 3)))
def test_breakthrough_counts(moves: int) -> None:
    levels = islice(perft(game_of("breakthrough").initial_state()), moves)
    assert [level.nodes for level in levels] == [breakthrough_perft((), depth) for depth in range(1, moves + 1)]


def test_nim_is_won_as_theory_says() -> None:
    """Whoever is to move loses exactly where the sizes of the heaps cancel out (exclusive or is 0)."""
    winning: dict[State, bool] = {}

    def mover_wins(state: State) -> bool:
        if state not in winning:
            replies = [mover_wins(state.next(joint)) for joint in joint_moves(state)]
            winning[state] = not all(replies)
        return winning[state]

    mover_wins(game_of("nim").initial_state())
    heaps = {
        state: tuple(int(str(fact.args[1])) for fact in sorted(state.facts) if fact.name == "heap") for state in winning
    }
    assert len(set(heaps.values())) == 4 * 5 * 6
    for state, (a, b, c) in heaps.items():
        assert winning[state] == (a ^ b ^ c != 0)


def test_eight_puzzle_reaches_the_right_number_of_positions() -> None:
    seen = {EightPuzzle().tiles}
    layer, sizes = set(seen), []
    for _ in range(9):
        layer = {after for tiles in layer for after in EightPuzzle.neighbours(tiles).values()}
        sizes.append(len(layer))
    assert [level.positions for level in islice(perft(game_of("eightpuzzle").initial_state()), 9)] == sizes


def test_eight_puzzle_can_be_solved_in_22_moves() -> None:
    start = EightPuzzle().tiles
    ways: dict[str, list[str]] = {start: []}
    layer = [start]
    while EightPuzzle.solved not in ways:
        reached = []
        for tiles in layer:
            for (x, y), after in EightPuzzle.neighbours(tiles).items():
                if after not in ways:
                    ways[after] = [*ways[tiles], f"(slide {x} {y})"]
                    reached.append(after)
        layer = reached
    solution = ways[EightPuzzle.solved]
    assert len(solution) == 22
    state = game_of("eightpuzzle").initial_state()
    for move in solution:
        assert not state.is_terminal
        state = state.next([move])
    assert state.is_terminal
    assert state.goals == {"solver": 100}


def test_rock_paper_scissors_is_fair() -> None:
    """Each of the 9 pairs of hands is a win for one side or a tie, three times each.

    So a draw is 5 rounds with 0, 1 or 2 wins on each side: 1, 20 or 30 orders, each in 3 ** 5 ways.
    """
    game = game_of("rockpaperscissors")
    layer = Counter({game.initial_state(): 1})
    for _ in range(5):
        following: Counter[State] = Counter()
        for state, ways in layer.items():
            for joint in joint_moves(state):
                following[state.next(joint)] += ways
        layer = following
    outcomes = Counter[int | None]()
    for state, ways in layer.items():
        outcomes[state.goals[game.roles[0]]] += ways
    draws = 3**5 * (1 + 20 + 30)
    assert outcomes == {50: draws, 100: (9**5 - draws) // 2, 0: (9**5 - draws) // 2}
