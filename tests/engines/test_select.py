"""A game begins on the reference engine and moves to the compiled one, and nobody notices."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import ludens
from ludens import State
from ludens.core import Clocks, Limit, Searcher
from ludens.engines.fallback import FallbackEngine
from ludens.engines.native import NativeEngine
from ludens.engines.reference import ReferenceEngine
from ludens.engines.select import EngineLoader
from ludens.engines.sliced import SlicedEngine
from ludens.errors import CompileError, NoLegalMoveError
from ludens.game import COMPILE_AFTER, MAX_REFERENCE_PLAYOUTS, find_rules
from ludens.gdl.rules import Rules
from ludens.ground import GroundingLimits
from ludens.players.game_pool import GamePool
from ludens.players.searching import SearchingPlayer
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaSearcher
from ludens.search.flat import FlatSearcher
from ludens.search.mcts import MctsSearcher
from tests.engines.beyond import joined_game
from tests.tiers import ARCHETYPES, FULL

ENDLESS = """(role me) (init (at 0)) (legal me go) (<= (next (at (s ?x))) (true (at ?x)))
(<= terminal (true (at never))) (goal me 0)"""


def same(left: State, right: State) -> None:
    assert left == right
    assert hash(left) == hash(right)
    assert left.facts == right.facts
    assert left.is_terminal == right.is_terminal
    assert left.goals == right.goals
    for role in left.game.roles:
        assert left.legal_moves(role) == right.legal_moves(role)


def wait_until_compiled(game: ludens.Game, seconds: float = 120) -> None:
    deadline = Deadline(seconds)
    while isinstance(game.engine, ReferenceEngine):
        assert not deadline.passed
        assert game.compile_error is None
        time.sleep(0.01)


@pytest.mark.parametrize("name", ARCHETYPES)
def test_states_of_both_engines_are_the_same(name: str) -> None:
    compiled, reference = ludens.load(name), ludens.load(name)
    state = reference.initial_state()
    before = compiled.initial_state()
    assert compiled.compile()
    assert isinstance(compiled.engine, SlicedEngine)
    assert isinstance(reference.engine, ReferenceEngine)
    same(before, state)
    moved, rng = before, Random(3)
    while not state.is_terminal:
        same(moved, state)
        joint = {role: rng.choice(state.legal_moves(role)) for role in reference.roles}
        state, moved = state.next(joint), moved.next(joint)
    same(moved, state)
    assert moved.encoded()[0].source is compiled.engine
    assert isinstance(compiled.engine, NativeEngine)


def test_a_game_that_is_played_on_is_compiled_in_the_background() -> None:
    game = ludens.load("tictactoe")
    state = game.initial_state()
    for _ in range(COMPILE_AFTER):
        assert state.next({"x": "(mark 1 1)"}).facts
    wait_until_compiled(game)
    same(state, game.initial_state())


def test_a_game_that_is_only_looked_at_is_not_compiled() -> None:
    game = ludens.load("tictactoe")
    game.initial_state().next({"x": "(mark 1 1)"})
    game.playouts(game.initial_state(), MAX_REFERENCE_PLAYOUTS, Random(1))
    assert not game._compilation._has_begun


@pytest.mark.parametrize("games", [MAX_REFERENCE_PLAYOUTS, MAX_REFERENCE_PLAYOUTS + 1, 3000])
def test_playouts_with_a_seed_do_not_depend_on_the_time_they_are_asked(games: int) -> None:
    early, late = ludens.load("connectfour"), ludens.load("connectfour")
    late.compile()
    first, second = (game.playouts(game.initial_state(), games, Random(5)) for game in (early, late))
    assert first.goals.tolist() == second.goals.tolist()
    assert first.lengths.tolist() == second.lengths.tolist()


def test_who_cannot_wait_gets_games_at_once() -> None:
    game = ludens.load("chess")
    result = game.playouts(game.initial_state(), MAX_REFERENCE_PLAYOUTS + 1, Random(1), 3, wait=False)
    assert isinstance(game.engine, ReferenceEngine)
    assert result.lengths.tolist() == [3] * (MAX_REFERENCE_PLAYOUTS + 1)


def test_facts_that_play_never_reaches_stay_with_the_reference_engine() -> None:
    game = ludens.load("tictactoe")
    assert game.compile()
    strange = game.state(["(cell 1 1 blank)", "(cell 7 7 blank)", "(control x)"])
    assert [str(move) for move in strange.legal_moves("x")] == ["(mark 1 1)", "(mark 7 7)"]
    after = strange.next({"x": "(mark 7 7)"})
    assert "(cell 7 7 x)" in after.facts
    assert game.playouts(strange, 20, Random(1)).finished.all()


def test_a_game_too_big_for_a_circuit_says_how_far_it_is_and_goes_on() -> None:
    game = ludens.load(ENDLESS)
    game._compilation = EngineLoader(game.rules, GroundingLimits(seconds=0.5))
    told: list[str] = []
    game._compilation.wait(Deadline(120), told.append)
    assert any(words.startswith("ground") for words in told)
    assert game.compile() == isinstance(game.engine, FallbackEngine)
    assert isinstance(game.circuit_error, CompileError)
    assert "seconds" in str(game.circuit_error)
    assert game.playouts(game.initial_state(), 20, Random(1), max_steps=4).lengths.tolist() == [4] * 20


@pytest.mark.parametrize(
    "name", ["dicerace", *(pytest.param(name, marks=FULL) for name in ("connectfour", "threeway", "hex", "pig"))]
)
def test_games_that_do_not_ground_are_played_by_joins(name: str) -> None:
    game, reference = ludens.load(name), ludens.load(name)
    before = game.initial_state()
    game._compilation = EngineLoader(game.engine_rules, GroundingLimits(rules=1))
    assert game.compile()
    assert isinstance(game.engine, FallbackEngine)
    assert game.compile_error is None
    assert "instances" in str(game.circuit_error)
    state, moved, rng = reference.initial_state(), before, Random(3)
    while not state.is_terminal:
        same(moved, state)
        joint = {role: rng.choice(state.legal_moves(role)) for role in reference.roles}
        state, moved = state.next(joint), moved.next(joint)
    same(moved, state)
    assert moved.encoded()[0].source is game.engine
    first, second = (game.playouts(game.initial_state(), 50, Random(1), 200).goals.tolist() for _ in range(2))
    assert first == second


@pytest.mark.parametrize("name", ["chess", "merrills"])
def test_sheets_of_the_corpus_that_do_not_ground_are_compiled(corpus: Path, name: str) -> None:
    game = ludens.load(corpus / "games" / f"{name}.kif")
    game._compilation = EngineLoader(game.rules, GroundingLimits(rules=10_000))
    assert game.compile()
    assert isinstance(game.engine, FallbackEngine)
    state, reference = game.initial_state(), ludens.load(game.rules).initial_state()
    same(state, reference)
    joint = {role: state.legal_moves(role)[-1] for role in game.roles}
    assert state.next(joint).facts == reference.next(joint).facts
    assert game.playouts(state, MAX_REFERENCE_PLAYOUTS + 1, Random(1), 20).lengths.max() <= 20


def test_the_relational_engine_answers_while_the_circuit_is_long_in_coming(monkeypatch: pytest.MonkeyPatch) -> None:
    reached = threading.Event()
    make = NativeEngine.compile

    def slow(*arguments: Any, **options: Any) -> NativeEngine:
        assert reached.wait(60)
        return make(*arguments, **options)

    monkeypatch.setattr(NativeEngine, "compile", slow)
    game = ludens.load("connectfour")
    state = game.initial_state()
    assert not game.compile(Deadline(0))
    deadline = Deadline(60)
    while not isinstance(game.engine, FallbackEngine):
        assert not deadline.passed
        time.sleep(0.01)
    assert not game.engine_is_final
    by_joins = state.next({"red": "(drop 1)"})
    assert isinstance(by_joins._engine, FallbackEngine)
    reached.set()
    assert game.compile()
    assert isinstance(game.engine, NativeEngine)
    same(by_joins, state.next({"red": "(drop 1)"}))
    assert isinstance(by_joins.next({"yellow": "(drop 1)"})._engine, NativeEngine)


@pytest.mark.parametrize("searcher", [FlatSearcher, MctsSearcher, AlphaBetaSearcher])
def test_searches_on_the_relational_engine(searcher: Callable[[ludens.Game, str], Searcher]) -> None:
    game = joined_game("tictactoe")
    state = game.state(
        ["(cell 1 1 x)", "(cell 1 2 x)", "(cell 2 1 o)", "(cell 2 2 o)", "(control x)"]
        + [f"(cell {place} blank)" for place in ("1 3", "2 3", "3 1", "3 2", "3 3")]
    )
    decision = searcher(game, "x").search(state, Limit.of(nodes=300), Random(1))
    assert decision.move == "(mark 1 3)"
    again = searcher(game, "x").search(state, Limit.of(nodes=300), Random(1))
    assert (again.move, again.values) == (decision.move, decision.values)


def test_the_deadline_of_a_wait_is_kept() -> None:
    game = ludens.load(ENDLESS)
    begun = time.monotonic()
    game.compile(Deadline(0.3))
    assert time.monotonic() - begun < 20
    assert not game.engine_is_final
    assert game.circuit_error is None
    game._compilation.cancel()
    game.compile(Deadline(60))
    assert "cancelled" in str(game.circuit_error)


def test_threads_take_turns_as_before_when_all_is_over() -> None:
    before = sys.getswitchinterval()
    compilations = [EngineLoader(find_rules(name)[0]) for name in ("nim", "tictactoe", "connectfour")]
    for compilation in compilations:
        compilation.start()
    assert all(compilation.wait(Deadline(120)) for compilation in compilations)
    deadline = Deadline(10)
    while sys.getswitchinterval() != before and not deadline.passed:
        time.sleep(0.01)
    assert sys.getswitchinterval() == pytest.approx(before)


def test_a_copy_of_the_process_does_not_wait_for_a_thread_that_it_has_not() -> None:
    program = """
import os, ludens
from random import Random
game = ludens.load("chess")
game.start_compiling()
child = os.fork()
if child == 0:
    game.playouts(game.initial_state(), 20, Random(1), max_steps=2)
    os._exit(0 if game.compile_error else 1)
print(os.waitpid(child, 0)[1])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "0\n", done.stderr


def test_states_of_an_equal_game_are_played_by_the_game_that_is_asked() -> None:
    asked, other = ludens.load("connectfour"), ludens.load("connectfour")
    own = asked.playouts(asked.initial_state(), 100, Random(1))
    foreign = asked.playouts(other.initial_state(), 100, Random(1))
    assert own.lengths.tolist() == foreign.lengths.tolist()
    assert isinstance(other.engine, ReferenceEngine)


@pytest.mark.parametrize("end", ["stop", "abort"])
def test_the_end_of_a_match_ends_the_compilation(end: str) -> None:
    player, pool = SearchingPlayer("montecarlo", FlatSearcher, Random(1)), GamePool()
    game = pool.acquire(Rules.parse(ENDLESS))
    player.start(game, "me", Clocks(1, 1), Deadline(0.2))
    getattr(player, end)()
    pool.release(game)
    game.compile(Deadline(60))
    assert "cancelled" in str(game.circuit_error)


def test_a_player_uses_its_start_clock() -> None:
    player = SearchingPlayer("montecarlo", FlatSearcher, Random(1))
    player.start(ludens.load("connectfour"), "red", Clocks(120, 1), Deadline(120))
    assert isinstance(player.state.game.engine, SlicedEngine)


@pytest.mark.parametrize("relation", ["legal a stay", "terminal", "goal a 50"])
def test_questions_about_a_state_that_depend_on_moves_have_no_circuit(relation: str) -> None:
    head = f"({relation})" if " " in relation else relation
    rules = Rules.parse(
        f"(role a) (init p) (legal a go) (<= (next p) (does a go)) (<= {head} (does a go)) (<= terminal (true q)) "
        "(<= (next q) (true p)) (goal a 0)"
    )
    compilation = EngineLoader(rules)
    compilation.wait(Deadline(60))
    assert "depends on `does`" in str(compilation.circuit_error)


def test_unsafe_rules_stay_with_the_reference_engine() -> None:
    rules = Rules.parse("(role a) (init p) (legal a go) (<= terminal (true p)) (<= (goal a ?x) (not (true ?x)))")
    compilation = EngineLoader(rules)
    compilation.wait(Deadline(60))
    assert "?x" in str(compilation.circuit_error)


def test_many_threads_use_one_game_while_it_is_compiled() -> None:
    game = ludens.load("breakthrough")
    expected = ludens.load("breakthrough")
    failures: list[BaseException] = []

    def walk(seed: int) -> None:
        try:
            rng = Random(seed)
            state, other = game.initial_state(), expected.initial_state()
            while not state.is_terminal:
                joint = {role: rng.choice(state.legal_moves(role)) for role in game.roles}
                state, other = state.next(joint), other.next(joint)
                assert state.facts == other.facts
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=walk, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    assert game.compile()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_role_without_a_move_is_named_by_both_engines() -> None:
    sheet = """(role a) (role b) (init p) (legal a go) (<= (legal b go) (true q)) (<= (next p) (true p))
    (<= (next q) (true never)) (<= terminal (true never)) (goal a 0) (goal b 0)"""
    for games in (1, MAX_REFERENCE_PLAYOUTS + 1):
        game = ludens.load(sheet)
        with pytest.raises(NoLegalMoveError, match="b has no legal move"):
            game.playouts(game.initial_state(), games, Random(1))


@pytest.mark.parametrize("pause", [0.2, pytest.param(0, marks=FULL), pytest.param(1, marks=FULL)])
def test_the_program_can_end_while_a_game_is_compiled(pause: float) -> None:
    program = f"import ludens, time; g = ludens.load('chess'); g.start_compiling(); time.sleep({pause}); print('bye')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "bye\n", "")


def test_both_ways_of_compiling_may_begin_at_once_in_a_new_process() -> None:
    begin = "import ludens; g = ludens.load('connectfour'); g._compilation.patience = 0"
    program = f"{begin}; print(g.compile(), g.circuit_error, g.compile_error, type(g.engine).__name__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("True None None NativeEngine\n", "")


@pytest.mark.parametrize("pause", [0.3, *(pytest.param(pause, marks=FULL) for pause in (0, 0.6, 1))])
def test_the_program_can_end_while_rules_are_compiled_to_joins(pause: float) -> None:
    begin = "import ludens, time; g = ludens.load('chess'); g._compilation.patience = 0; g.start_compiling()"
    program = f"{begin}; time.sleep({pause}); print('bye')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "bye\n", "")
