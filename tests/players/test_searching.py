"""The players that search: sound, better than chance, and on time; they think on while others do."""

from __future__ import annotations

import threading
import time
from functools import cache
from random import Random

import pytest

from ludens import load
from ludens.arena.direct import play_match
from ludens.core import Clocks, Decision, Limit, Move, Player, Ponders, Role, Searcher
from ludens.game import Game, State
from ludens.players import RandomPlayer, make_player
from ludens.players.preparation import SearcherFactory
from ludens.players.searching import SearchingPlayer
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaSearcher
from ludens.search.mcts import MctsSearcher
from tests.tiers import FULL

CLOCKS = Clocks(1.0, 1.0)
SEARCHING = ["alphabeta", "montecarlo", "uct"]
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


def player_named(name: str, seed: int = 1, nodes: int | None = None) -> Player:
    return make_player(name, Random(seed), nodes)


def move_at(joints: list[dict[str, Move]], player: Player, role: str) -> Move:
    player.start(tictactoe(), role, CLOCKS, Deadline(60))
    for joint in joints:
        player.observe({known: joint[known] for known in tictactoe().roles})
    return player.move(Deadline.never()).move


@pytest.mark.parametrize("name", SEARCHING)
def test_it_never_misses_a_win_nor_a_block_that_a_search_sees(name: str) -> None:
    wins = blocks = 0
    for seed, (state, joints) in enumerate(random_positions(20, seed=7)):
        mover, other = ("x", "o") if len(state.legal_moves("x")) > 1 else ("o", "x")
        if len(state.legal_moves(mover)) == 1:
            continue
        winning, threats = completing(board_of(state), mover), completing(board_of(state), other)
        if winning:
            wins += 1
            assert move_at(joints, player_named(name, seed, 2000), mover) in winning
        elif len(threats) == 1 and name != "montecarlo":
            blocks += 1
            assert move_at(joints, player_named(name, seed, 2000), mover) in threats
    assert wins > 3
    assert blocks > 3 or name == "montecarlo"


@pytest.mark.parametrize("name", SEARCHING)
@pytest.mark.parametrize(("sheet", "place"), [("tictactoe", 1), pytest.param("connectfour", 0, marks=FULL)])
def test_it_beats_chance(name: str, sheet: str, place: int) -> None:
    game = load(sheet)
    points = 0
    for seed in range(4):
        pair = [RandomPlayer(Random(seed)), RandomPlayer(Random(seed))]
        players = [*pair[:place], player_named(name, seed, 2000), *pair[place + 1 :]]
        result = play_match(game, players, CLOCKS, Random(seed))
        assert result.faults == ()
        points += result.goals[game.roles[place]] or 0
    assert points >= 300


def test_another_seed_gives_another_match() -> None:
    game = load("threeway")
    matches = {
        play_match(game, [player_named("montecarlo", seed, 60) for _ in game.roles], CLOCKS, Random(1)).final
        for seed in range(5)
    }
    assert len(matches) > 1


ENDLESS = """
(role a) (role b) (init p) (next p) (legal a left) (legal a right) (legal b noop)
(<= terminal (true q)) (goal a 0) (goal b 0)
"""


@pytest.mark.parametrize("name", SEARCHING)
@pytest.mark.parametrize("sheet", ["breakthrough", ENDLESS])
def test_it_keeps_to_the_clock(name: str, sheet: str) -> None:
    game = load(sheet)
    player = player_named(name)
    player.start(game, game.roles[0], CLOCKS, Deadline(1))
    started = time.monotonic()
    move = player.move(Deadline(0.1)).move
    assert move in game.initial_state().legal_moves(game.roles[0])
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("name", SEARCHING)
def test_what_led_to_a_move_can_be_asked(name: str) -> None:
    game = load("connectfour")
    player = player_named(name, nodes=500)
    player.start(game, "red", CLOCKS, Deadline(60))
    answer = player.move(Deadline.never())
    move, decision = answer.move, answer.decision
    assert decision
    assert decision.move == move == decision.candidates[0].move
    assert decision.pv[0] == {"red": move, "yellow": "noop"}
    assert set(decision.values) == {"red", "yellow"}
    assert decision.nodes > 0
    assert decision.seconds > 0
    state = game.initial_state()
    for joint in decision.pv:
        state = state.next(joint)


@pytest.mark.parametrize("name", SEARCHING)
@pytest.mark.parametrize("end", ["stop", pytest.param("abort", marks=FULL)])
def test_a_match_can_end_in_mid_thought(name: str, end: str) -> None:
    game = load("breakthrough")
    player = player_named(name)
    player.start(game, "white", CLOCKS, Deadline(30))
    timer = threading.Timer(0.1, getattr(player, end))
    timer.start()
    started = time.monotonic()
    assert player.move(Deadline(60)).move in game.initial_state().legal_moves("white")
    timer.join()
    assert time.monotonic() - started < 20


def test_rules_that_cannot_be_compiled_are_searched_all_the_same() -> None:
    """Whether the move is legal depends on what is done, which only the reference engine can tell."""
    sheet = """
    (role a) (role b) (init (heap 3)) (init (turn a)) (less 3 2 1) (less 3 1 2) (less 2 1 1) (less 2 0 2) (less 1 0 1)
    (other a b) (other b a)
    (<= (legal ?p (take ?n)) (true (turn ?p)) (true (heap ?h)) (less ?h ?rest ?n))
    (<= (legal ?p noop) (other ?p ?q) (true (turn ?q)))
    (<= (legal a bluff) (does a (take 1)))
    (<= (next (heap ?rest)) (does ?p (take ?n)) (true (heap ?h)) (less ?h ?rest ?n))
    (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
    (<= terminal (true (heap 0)))
    (<= (goal ?p 0) (true (turn ?p))) (<= (goal ?p 100) (other ?p ?q) (true (turn ?q)))
    """
    for name in ("alphabeta", "uct"):
        player = player_named(name, nodes=40_000)
        game = load(sheet)
        player.start(game, "a", CLOCKS, Deadline(60))
        decision = player.move(Deadline.never()).decision
        assert decision
        assert game.compile_error is not None
        assert decision.values[game.roles[0]] == 0, "three stones are lost for who has to take one or two"


class Spy:
    """A searcher that notes what it is asked, and thinks until its deadline is cancelled."""

    name = "spy"

    def __init__(self) -> None:
        self.searched: list[State] = []
        self.told: list[State] = []

    def search(self, state: State, limit: Limit, rng: Random) -> Decision:
        self.searched.append(state)
        while limit.nodes is None and limit.deadline.remaining > 2:
            time.sleep(0.01)
        role = next(role for role in state.game.roles if len(state.legal_moves(role)) > 1)
        return Decision(state.legal_moves(role)[0], {}, ())

    def advance(self, state: State) -> None:
        self.told.append(state)

    def stop(self) -> None: ...


def spied(nodes: int | None = None) -> tuple[SearchingPlayer, Spy]:
    spy = Spy()
    player = SearchingPlayer("spy", lambda game, role: spy, Random(1), nodes)
    player.start(tictactoe(), "x", CLOCKS, Deadline(20))
    spy.searched.clear()
    return player, spy


def test_it_thinks_on_about_the_state_that_is_to_come() -> None:
    player, spy = spied()
    move = player.move(Deadline(1)).move
    thought = Deadline.never()
    timer = threading.Timer(0.2, thought.cancel)
    timer.start()
    began = time.monotonic()
    player.ponder(thought)
    assert time.monotonic() - began < 5
    assert spy.searched == [tictactoe().initial_state(), tictactoe().initial_state().next({"x": move})]
    player.observe({Role("x"): move, Role("o"): Move("noop", "noop")})
    timer.join()
    assert spy.told == [tictactoe().initial_state()]
    assert player.move(Deadline(1)).move == "noop"
    player.ponder(thought)
    assert spy.searched[2:] == [tictactoe().initial_state().next({"x": move})], "the other one has a choice"


def test_it_does_not_think_on_where_play_has_to_be_repeatable_or_nothing_stays() -> None:
    player, spy = spied(nodes=100)
    player.move(Deadline(1))
    player.ponder(Deadline(60))
    assert spy.searched == [tictactoe().initial_state()]
    montecarlo = player_named("montecarlo")
    montecarlo.start(tictactoe(), "x", Clocks(1, 60), Deadline(20))
    began = time.monotonic()
    assert isinstance(montecarlo, Ponders)
    montecarlo.ponder(Deadline(60))
    assert time.monotonic() - began < 5


class ByNodes:
    """A searcher that is told how many nodes to search, each time, so that the clock decides nothing."""

    name = "by nodes"

    def __init__(self, searcher: Searcher, nodes: list[int]) -> None:
        self._searcher, self._nodes = searcher, iter(nodes)

    def search(self, state: State, limit: Limit, rng: Random) -> Decision:
        return self._searcher.search(state, Limit.of(nodes=next(self._nodes)), rng)

    def advance(self, state: State) -> None:
        self._searcher.advance(state)

    def stop(self) -> None: ...


@pytest.mark.parametrize("make", [MctsSearcher, AlphaBetaSearcher])
def test_what_was_found_while_others_thought_is_there_for_the_next_move(make: SearcherFactory) -> None:
    """The search goes deeper with the same nodes at the next move."""
    game = load("connectfour")
    trial, meanwhile, at_the_move = 1, 30_000, 1000

    def depth(ponders: bool) -> int:
        nodes = [trial, meanwhile, at_the_move] if ponders else [trial, at_the_move]
        player = SearchingPlayer("by nodes", lambda game, role: ByNodes(make(game, role), nodes), Random(1))
        player.start(game, "yellow", CLOCKS, Deadline.never())
        player.move(Deadline.never())
        if ponders:
            player.ponder(Deadline.never())
        player.observe({Role("red"): Move("(drop 4)", ("drop", "4")), Role("yellow"): Move("noop", "noop")})
        decision = player.move(Deadline.never()).decision
        assert decision
        return decision.depth

    assert depth(ponders=True) > depth(ponders=False)
