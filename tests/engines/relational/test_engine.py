"""The relational engine beyond agreement: limits, errors, random games."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

import llvmlite.binding as llvm  # type: ignore[import-untyped]
import numpy as np
import pytest

from ludens import load
from ludens.engines import joins
from ludens.engines.backend import machine_code
from ludens.engines.reference import ReferenceEngine
from ludens.engines.relational import (
    RelationalEngine,
    compiler,
    flatten,
    keys,
    recursion,
    runtime,
    samples,
    statics,
    storage,
)
from ludens.errors import CompileError, EvaluationLimitError
from ludens.gdl.rules import Rules
from ludens.runtime.deadline import Deadline
from tests.engines.agreement import compare_walk
from tests.engines.random_sheets import random_recursion, random_sheet
from tests.engines.sheets import PLAY
from tests.tiers import FULL, every_game


@pytest.fixture(scope="module")
def tictactoe() -> RelationalEngine:
    return RelationalEngine.compile(load("tictactoe").engine_rules)


def test_random_games_are_as_often_won_as_those_of_the_reference_engine(tictactoe: RelationalEngine) -> None:
    played = tictactoe.playouts(tictactoe.initial(6000), Random(1))
    assert played.finished.all()
    assert played.lengths.min() == 5
    assert played.lengths.max() == 9
    share = (played.goals[:, 0] == 100).mean()
    assert share == pytest.approx(0.585, abs=0.03)  # of all games with equally likely moves x wins 58.5 %


def test_every_move_is_equally_likely() -> None:
    """Words and terms, alone and together with the moves of another role."""
    rules = Rules.parse(
        "(role me) (role you) (n 1) (n 2) (n 3) (n 4) (n 5) (n 6) (legal me stop) (<= (legal me (go ?n)) (n ?n)) "
        "(legal you left) (legal you right) (<= (next (did ?n)) (does me (go ?n))) (<= (next (did 7)) (does me stop)) "
        "(<= (next right) (does you right)) (<= terminal (true (did ?n))) "
        "(<= (goal me ?n) (true (did ?n))) (<= (goal you 1) (true right)) (<= (goal you 0) (not (true right)))"
    )
    engine, games = RelationalEngine.compile(rules), 14_000
    goals = engine.playouts(engine.initial(games), Random(2)).goals
    counts = np.bincount(2 * goals[:, 0] + goals[:, 1], minlength=16)[2:]
    assert (np.abs(counts - games / 14) < 5 * np.sqrt(games / 14)).all()


def test_questions_about_one_state_do_not_disturb_another(tictactoe: RelationalEngine) -> None:
    first = tictactoe.initial(1)
    (moves,) = tictactoe.legal(first)
    seconds = [tictactoe.step(first, [[move, moves[1][0]]]) for move in moves[0]]
    legal = [tictactoe.legal(state) for state in seconds]
    tictactoe.playouts(first, Random(1))
    assert [tictactoe.legal(state) for state in reversed(seconds)] == legal[::-1]
    assert len({frozenset(facts) for state in seconds for facts in tictactoe.decode(state)}) == 9


def test_nothing_that_depends_on_a_move_is_kept() -> None:
    rules = Rules.parse(
        "(role me) (init (at a)) (link a b) (link b c) (link c a) (<= (legal me (go ?x)) (link ?x ?y)) (goal me 0) "
        "(<= (far ?x) (does me (go ?x))) (<= (far ?y) (far ?x) (link ?x ?y) (not (does me (go ?y)))) "
        "(<= (next (at ?x)) (far ?x) (not (does me (go ?x)))) (<= terminal (true over))"
    )
    engine, reference = RelationalEngine.compile(rules), ReferenceEngine(rules)
    state, expected = engine.initial(1), reference.initial(1)
    for (move,), (other,) in zip(zip(engine.legal(state)[0][0]), zip(reference.legal(expected)[0][0]), strict=True):
        assert engine.decode(engine.step(state, [[move]])) == reference.decode(reference.step(expected, [[other]]))


def test_terms_without_end_are_an_error_that_leaves_no_trace() -> None:
    rules = Rules.parse(
        PLAY
        + "(init start) (<= (tower (s ?x)) (tower ?x)) (<= (tower zero) (true grow)) (<= (next grow) (true start)) "
        "(<= (next over) (tower (s (s zero)))) (<= (next (tall ?x)) (tower ?x))"
    )
    engine = RelationalEngine.compile(rules)
    start = engine.initial(1)
    grown = engine.step(start, engine.legal(start)[0])
    for _ in range(2):
        with pytest.raises(EvaluationLimitError, match="a state cannot be evaluated"):
            engine.step(grown, engine.legal(grown)[0])
        assert engine.decode(engine.step(start, engine.legal(start)[0])) == [frozenset(["grow"])]


def test_work_without_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = " ".join(f"(n {number})" for number in range(30))
    names = " ".join(f"?{name}" for name in "abcdefghijklmn")
    free = " ".join(f"(p {name})" for name in names.split())
    rules = Rules.parse(
        f"{PLAY} {numbers} (init over) (<= (next hard) (does me wait)) (<= (p ?x) (n ?x) (true hard)) "
        f"(<= (all {names}) {free}) (<= (next over) {free} (not (all {names})))"
    )
    monkeypatch.setattr(runtime, "MAX_WORK", 1_000_000)
    engine = RelationalEngine.compile(rules)
    hard = engine.encode([frozenset(["hard"])])
    with pytest.raises(EvaluationLimitError, match="takes too long"):
        engine.step(hard, engine.legal(hard)[0])


@pytest.mark.parametrize(
    "condition",
    ["(true (n ?z ?{}))", pytest.param("(true (m ?{}))", marks=FULL), pytest.param("(w ?{})", marks=FULL)],
)
def test_all_turns_of_loops_are_work(condition: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the innermost loop too, where most are: 60 times 60 times 60."""
    numbers = [str(number) for number in range(60)]
    words = " ".join(f"(w {number})" for number in numbers)
    conditions = " ".join(condition.format(name) for name in "abc")
    rules = Rules.parse(
        f"{PLAY} {words} (init (on x)) (<= (next (m ?x)) (w ?x)) (<= (next (n ?z ?x)) (w ?x) (true (on ?z))) "
        f"(<= (next (h ?a)) (true (on ?z)) {conditions} (distinct ?a ?b) (distinct ?b ?c) (distinct ?a ?c))"
    )
    facts = frozenset(
        [("on", "x"), *(("m", number) for number in numbers), *(("n", "x", number) for number in numbers)]
    )
    monkeypatch.setattr(samples, "SAMPLE_STEPS", 0)
    monkeypatch.setattr(runtime, "MAX_WORK", 1_000_000)
    engine = RelationalEngine.compile(rules)
    states = engine.encode([facts])
    assert len(engine.decode(engine.step(states, engine.legal(states)[0]))[0]) == 3 * 60
    monkeypatch.setattr(runtime, "MAX_WORK", 50_000)
    engine = RelationalEngine.compile(rules)
    states = engine.encode([facts])
    with pytest.raises(EvaluationLimitError, match="takes too long"):
        engine.step(states, engine.legal(states)[0])


def test_facts_without_end_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = Rules.parse(
        PLAY
        + "(init (count zero)) (<= (next (count (s ?x))) (true (count ?x))) (<= (next (count ?x)) (true (count ?x)))"
    )
    monkeypatch.setattr(storage, "MAX_ROWS", 40)
    engine = RelationalEngine.compile(rules)
    assert (engine.playouts(engine.initial(1), Random(1), max_steps=30).lengths == 30).all()
    with pytest.raises(EvaluationLimitError, match="too many facts"):
        engine.playouts(engine.initial(1), Random(1), max_steps=50)


def test_recursion_through_not_is_refused() -> None:
    rules = Rules.parse(
        PLAY + "(link a b) (link b a) (init x) (<= (p ?x) (link ?x ?y) (not (p ?y)) (true x)) (<= (next over) (p a))"
    )
    with pytest.raises(CompileError, match="negation"):
        RelationalEngine.compile(rules, ReferenceEngine(rules))


def test_rules_without_end_are_refused() -> None:
    conditions = " ".join(f"(true (on {number}))" for number in range(300))
    rules = Rules.parse(f"{PLAY} (init over) (<= (next (on 1)) {conditions})")
    with pytest.raises(CompileError, match="too long"):
        RelationalEngine.compile(rules)


def test_moves_that_depend_on_moves_are_refused() -> None:
    rules = Rules.parse("(role me) (init a) (<= (legal me go) (not (does me go))) (goal me 0) (<= terminal (true a))")
    with pytest.raises(CompileError, match="`legal` depends on the moves made; let it depend on the state alone"):
        RelationalEngine.compile(rules)


def test_equations_that_double_a_term_again_and_again_are_refused() -> None:
    names = [f"?x{number}" for number in range(40)]
    doubled = " ".join(f"(not (distinct {one} (f {other} {other})))" for other, one in pairwise(names))
    with pytest.raises(CompileError, match="terms in terms"):
        flatten.flatten(Rules.parse(f"{PLAY} (init a) (<= (next ?x39) (true ?x0) {doubled})").rules)


def test_nothing_is_tried_out_before_the_time_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """One step of a game may take longer than all else."""

    def forbidden(*_: object) -> None:
        raise AssertionError

    rules = load("tictactoe").engine_rules
    monkeypatch.setattr(ReferenceEngine, "__init__", forbidden)
    with pytest.raises(CompileError, match="in time"):
        RelationalEngine.compile(rules, deadline=Deadline(0.0))


def test_compiling_can_be_broken_off() -> None:
    rules = load("connectfour").engine_rules
    cancelled = Deadline.never()
    cancelled.cancel()
    with pytest.raises(CompileError, match="in time"):
        RelationalEngine.compile(rules, deadline=cancelled)
    with pytest.raises(CompileError, match="in time"):
        RelationalEngine.compile(rules, deadline=Deadline(0.0))


def test_stamps_begin_anew(tictactoe: RelationalEngine) -> None:
    state = tictactoe.initial(1)
    expected = tictactoe.legal(state)
    tictactoe.interpreter.memory["control"][runtime.EPOCH] = np.uint32(2**31 + 5)
    fork = tictactoe.fork()
    assert fork.legal(fork.encode(tictactoe.decode(state))) == expected
    assert tictactoe.interpreter.memory["control"][runtime.EPOCH] < 100
    after = tictactoe.step(state, [[moves[0] for moves in expected[0]]])
    assert len(tictactoe.legal(after)[0][1]) == 8


def test_chess_does_not_need_to_be_grounded(corpus: Path) -> None:
    engine = RelationalEngine.compile(Rules.read(corpus / "games" / "chess.kif"))
    played = engine.playouts(engine.initial(3), Random(3))
    assert played.finished.all()
    assert (played.lengths > 20).all()


@pytest.mark.parametrize("name", every_game(of=("hex", "landlord", "kalah")))
def test_assembly_is_sound(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []

    def keep(assembly: str, level: int, passes: int) -> machine_code.LoadedCode:
        written.append(assembly)
        return machine_code.LoadedCode(assembly, level, 0)

    monkeypatch.setattr(compiler, "LoadedCode", keep)
    RelationalEngine.compile(load(name).engine_rules)
    machine_code.target_lines()  # starts LLVM
    llvm.parse_assembly(written[0]).verify()


@pytest.mark.parametrize("name", ["connectfour", pytest.param("landlord", marks=FULL)])
def test_random_games_do_not_depend_on_the_plan(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans depend on how much was seen of the game in the time there was; the games do not."""
    rules = load(name).engine_rules
    monkeypatch.setattr(compiler, "SHORT_CODE", 0)
    played = []
    for steps, cost in ((0, 1.0), (30, 40.0)):
        monkeypatch.setattr(samples, "SAMPLE_STEPS", steps)
        monkeypatch.setattr(joins, "COST_OF_THE_REST", cost)
        engine = RelationalEngine.compile(rules)
        played.append(engine.playouts(engine.initial(20), Random(4)))
    assert (played[0].lengths == played[1].lengths).all()
    assert (played[0].goals == played[1].goals).all()


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=FULL) for seed in range(2, 8))])
def test_it_does_not_matter_how_rules_are_compiled(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done only for big games is done for small ones."""
    rng = Random(seed)
    for module, name, values in (
        (recursion, "WORTHWHILE_TEST", [0.0, 900.0]),
        (recursion, "WORTHWHILE_LIST", [0.0, 300.0]),
        (recursion, "MAX_PATHS", [0, 4096]),
        (keys, "MAX_CODES", [0, 3]),
        (statics, "MAX_FACTS", [3, 30]),
        (compiler, "MAX_RULES_TOGETHER", [0]),
        (compiler, "SHORT_CODE", [0]),
        (joins, "COST_OF_THE_REST", [-5.0, 0.0]),
        (flatten, "MAX_SHAPES", [0, 1, 100]),
    ):
        monkeypatch.setattr(module, name, rng.choice(values))
    rules = random_recursion(Random(seed)) if seed % 2 else Rules.parse(random_sheet(seed, twisted=True))
    compare_walk(rules, 8, seed)
