"""What is too much for the relational engine is answered by the reference engine, and nobody notices."""

from __future__ import annotations

import threading
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import ludens
from ludens.analysis.kind import GameKind
from ludens.core import GroundTerm, Limit, Searcher
from ludens.engines.fallback import MAX_FAILURES, FallbackEngine
from ludens.engines.reference.engine import ReferenceInterpreter
from ludens.engines.relational.engine import RelationalInterpreter
from ludens.engines.rows import Rows
from ludens.errors import EvaluationLimitError
from ludens.game import MAX_REFERENCE_PLAYOUTS, Game
from ludens.search.alphabeta import AlphaBetaSearcher, EarlyPayoff
from ludens.search.flat import FlatSearcher
from ludens.search.mcts import MctsSearcher
from ludens.search.solve.solver import solve
from tests.engines.beyond import big_game, is_beyond, joined, joined_game
from tests.tiers import FULL

KIND = GameKind(constant_sum=False, total=None, teams=((0,),), turns=True, best=(100,), worst=(10,))
"""Of the game beyond the limits; to find it out would take longer than all else."""
SEARCHERS: tuple[Callable[[Game, str], Searcher], ...] = (
    FlatSearcher,
    MctsSearcher,
    lambda game, role: AlphaBetaSearcher(game, role, EarlyPayoff(game), kind=KIND if len(game.roles) == 1 else None),
)
NAMES = ["flat", "uct", "alphabeta"]
QUESTIONS = ["terminal", "legal", "goals", "goal_terms", "advance", "playouts"]


def failing_now_and_then(name: str, monkeypatch: pytest.MonkeyPatch, every: int = 7) -> None:
    """Let one question of the relational engine fail from time to time."""
    answer, asked = getattr(RelationalInterpreter, name), [0]

    def fail(*arguments: Any) -> Any:
        asked[0] += 1
        if asked[0] % every == 0:
            raise EvaluationLimitError("too much")
        return answer(*arguments)

    monkeypatch.setattr(RelationalInterpreter, name, fail)


def unused_engine(sheet: str) -> FallbackEngine:
    """One that was asked for nothing so far."""
    engine = joined_game(sheet).engine
    assert isinstance(engine, FallbackEngine)
    return FallbackEngine(engine.relational, engine.reference)


def after(engine: FallbackEngine, row: Rows, *terms: GroundTerm) -> Rows:
    engine.legal(row)
    return engine.step(row, [[engine.move_number(role, term) for role, term in enumerate(terms)]])


def test_the_sheet_is_beyond_the_limits_only_in_the_end() -> None:
    engine = big_game().engine
    assert isinstance(engine, FallbackEngine)
    relational = engine.relational
    state = relational.step(relational.initial(1), [[relational.legal(relational.initial(1))[0][0][0]]])
    other = next(move for move in relational.legal(state)[0][0] if relational.move_term(move) == "right")
    with pytest.raises(EvaluationLimitError):
        relational.step(state, [[other]])


@pytest.mark.parametrize("moves", ["left left", "left right", "right left", "right right"])
def test_all_states_are_those_of_the_reference_engine(moves: str) -> None:
    engine = big_game().engine
    assert isinstance(engine, FallbackEngine)
    reference = engine.reference
    state, positions = engine.initial(1), reference.initial(1)
    for move in (*moves.split(), None):
        assert engine.decode(state) == reference.decode(positions)
        assert engine.terminal(state).tolist() == reference.terminal(positions).tolist()
        assert engine.goals(state).tolist() == reference.goals(positions).tolist()
        assert engine.goal_terms(state) == reference.goal_terms(positions)
        legal = [[engine.move_term(number) for number in own] for own in engine.legal(state)[0]]
        assert legal == [[reference.move_term(number) for number in own] for own in reference.legal(positions)[0]]
        if move:
            state = after(engine, state, move)
            positions = reference.step(positions, [[reference.move_number(0, move)]])
    assert is_beyond(engine, state) == (len(set(moves.split())) == 2)


def test_a_move_has_one_number_whichever_engine_met_it() -> None:
    engine = big_game().engine
    assert isinstance(engine, FallbackEngine)
    beyond = after(engine, after(engine, engine.initial(1), "left"), "right")
    assert is_beyond(engine, beyond)
    assert engine.legal(np.concatenate([beyond, engine.initial(1)]))[0] == engine.legal(engine.initial(1))[0]
    with pytest.raises(KeyError):
        engine.move_number(0, "up")
    with pytest.raises(KeyError):
        engine.step(engine.initial(1), [[99]])


def test_states_come_back_to_the_relational_engine() -> None:
    """The facts that were too many are forgotten with the next step."""
    sheet = """(role me) (legal me on) (init (small a)) (<= (next (small a)) (does me on)) (<= terminal (true never))
    (goal me 0)"""
    game = ludens.load(sheet)
    engine = joined(game)
    strange = engine.encode([frozenset([("small", "a"), ("big", "b")])])
    assert is_beyond(engine, strange)
    assert engine.decode(strange) == [frozenset([("small", "a"), ("big", "b")])]
    back = engine.step(strange, [[engine.legal(strange)[0][0][0]]])
    assert not is_beyond(engine, back)
    assert engine.decode(back) == engine.decode(engine.initial(1))


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("sheet", ["rockpaperscissors", pytest.param("connectfour", marks=FULL)])
def test_any_question_may_fail_at_any_time(name: str, sheet: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game, other = joined_game(sheet), ludens.load(sheet)
    failing_now_and_then(name, monkeypatch, every=3)
    state, expected, rng = game.initial_state(), other.initial_state(), Random(1)
    for _ in range(12):
        assert state.facts == expected.facts
        assert state.goals == expected.goals
        assert [state.goal_values(role) for role in game.roles] == [expected.goal_values(role) for role in game.roles]
        assert state.is_terminal == expected.is_terminal
        if state.is_terminal:
            break
        joint = {role: rng.choice(expected.legal_moves(role)) for role in game.roles}
        assert all(state.legal_moves(role) == expected.legal_moves(role) for role in game.roles)
        state, expected = state.next(joint), expected.next(joint)
    assert game.playouts(game.initial_state(), MAX_REFERENCE_PLAYOUTS + 1, Random(1)).finished.all()


@pytest.mark.parametrize("name", QUESTIONS[:-1])
def test_what_always_fails_is_asked_no_more(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, asked = unused_engine("connectfour"), [0]

    def fail(*_: object) -> None:
        asked[0] += 1
        raise EvaluationLimitError("too much")

    (facts,) = engine.decode(engine.initial(1))
    states = engine.encode([frozenset([fact]) for fact in facts])
    assert len(states) > MAX_FAILURES
    joint = engine.legal(engine.initial(1))[0]
    engine.reference.legal(engine.reference.initial(1))  # it has to know the moves
    engine.interpreter._answered.clear()
    monkeypatch.setattr(RelationalInterpreter, name, fail)
    for row in range(len(states)):
        state = states[row : row + 1]
        if name == "advance":
            engine.step(state, [[moves[0] for moves in joint]])
        else:
            getattr(engine, name)(state)
    assert asked[0] == MAX_FAILURES


@pytest.mark.parametrize("make", SEARCHERS, ids=NAMES)
def test_every_searcher_sees_what_only_the_reference_engine_can_tell(make: Callable[[Game, str], Searcher]) -> None:
    game = big_game()
    state = game.initial_state().next(["left"])
    decision = make(game, "me").search(state, Limit.of(nodes=12), Random(1))
    assert decision.move == "right"
    assert decision.values[game.roles[0]] == pytest.approx(100)


@pytest.mark.parametrize("make", SEARCHERS, ids=NAMES)
def test_no_searcher_fails_where_random_games_do(make: Callable[[Game, str], Searcher]) -> None:
    """From the start half of them become too much for the relational engine."""
    game = big_game()
    decision = make(game, "me").search(game.initial_state(), Limit.of(nodes=8), Random(1))
    assert decision.move in ("left", "right")
    assert 10 <= decision.values[game.roles[0]] <= 100


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("make", SEARCHERS, ids=NAMES)
def test_no_searcher_fails_with_the_engine(
    name: str, make: Callable[[Game, str], Searcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = joined_game("tictactoe")
    state = game.initial_state().next(["(mark 1 1)", "noop"]).next(["noop", "(mark 2 1)"])
    state = state.next(["(mark 1 2)", "noop"]).next(["noop", "(mark 2 2)"])
    failing_now_and_then(name, monkeypatch)
    decision = make(game, "x").search(state, Limit.of(nodes=400), Random(1))
    assert decision.move == "(mark 1 3)"


def test_games_are_solved_beyond_the_limits() -> None:
    solution = solve(big_game().initial_state())
    assert solution.values == {"me": 100}


def test_random_games_are_all_of_one_engine() -> None:
    """Half of them win; those alone that the relational engine can play to the end would all lose."""
    played = big_game().playouts(big_game().initial_state(), 20, Random(1))
    assert played.finished.all()
    assert played.lengths.tolist() == [2] * 20
    assert 2 < np.count_nonzero(played.goals[:, 0] == 100) < 18


def test_games_that_failed_are_not_all_left_to_the_reference_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """State by state the relational engine can answer, if not always."""
    engine = unused_engine("connectfour")
    failing_now_and_then("playouts", monkeypatch, every=1)
    monkeypatch.setattr(ReferenceInterpreter, "_ask", lambda *_: pytest.fail("asked for nothing"))
    played = engine.playouts(engine.initial(3), Random(1))
    assert played.finished.all()
    assert (played.lengths >= 7).all()
    assert played.goals.sum(axis=1).tolist() == [100] * 3
    cut = engine.playouts(engine.initial(2), Random(1), 3)
    assert cut.lengths.tolist() == [3, 3]
    assert not cut.finished.any()
    assert (cut.goals == -1).all()


def together(work: Callable[[], None], threads: int = 4) -> list[BaseException]:
    """What goes wrong when several threads do the same at the same time."""
    gate, failures = threading.Barrier(threads), list[BaseException]()

    def run() -> None:
        try:
            gate.wait()
            work()
        except BaseException as error:
            failures.append(error)

    crowd = [threading.Thread(target=run) for _ in range(threads)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    return failures


@pytest.mark.parametrize("name", QUESTIONS)
def test_threads_share_states_that_are_too_much(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game, reference = joined_game("connectfour"), ludens.load("connectfour").initial_state()
    failing_now_and_then(name, monkeypatch, every=2)
    legal = reference.legal_moves("red")
    facts = reference.next({"red": "(drop 1)"}).facts
    for _ in range(30):
        state = game.initial_state()

        def work(state: ludens.State = state) -> None:
            assert state.legal_moves("red") == legal
            assert not state.is_terminal
            assert state.goals == reference.goals
            assert state.facts == reference.facts
            assert state.next({"red": "(drop 1)"}).facts == facts

        assert together(work) == []


def test_threads_share_a_state_beyond_the_limits() -> None:
    state = big_game().initial_state().next(["left"])

    def work() -> None:
        won = state.next(["right"])
        assert won.is_terminal
        assert won.goals == {"me": 100}

    assert together(work) == []


def test_moves_of_deeply_nested_terms() -> None:
    sheet = """(role me) (init (at 0)) (<= (legal me (go ?x)) (true (at ?x))) (<= (next (at (s ?x))) (true (at ?x)))
    (<= terminal (true (at never))) (goal me 0)"""
    game, plain = ludens.load(sheet), ludens.load(sheet)
    joined(game)
    engine, reference = game.engine, plain.reference_engine
    states, positions = engine.initial(1), reference.initial(1)
    for _ in range(300):
        states = engine.step(states, engine.legal(states)[0])
        positions = reference.step(positions, reference.legal(positions)[0])
    (move,), (expected,) = engine.legal(states)[0][0], reference.legal(positions)[0][0]
    assert engine.move_term(move) == reference.move_term(expected)
