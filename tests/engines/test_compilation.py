"""A compilation comes to an end whatever goes wrong, and says what did."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import ludens
from ludens.engines import select
from ludens.engines.fallback import FallbackEngine
from ludens.engines.native import NativeEngine
from ludens.engines.reference import ReferenceEngine
from ludens.engines.relational import RelationalEngine
from ludens.engines.select import EngineLoader
from ludens.engines.sliced import SlicedEngine
from ludens.errors import CompileError
from ludens.game import COMPILE_AFTER, find_rules
from ludens.ground import GroundingLimits, ground
from ludens.runtime.deadline import Deadline
from ludens.runtime.sealed_cache import SealedCache
from tests.tiers import FULL

NOTHING_FITS = GroundingLimits(rules=1)


def compilation(limits: GroundingLimits | None = None) -> EngineLoader:
    return EngineLoader(find_rules("tictactoe")[0], limits)


def raising(error: BaseException) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    return fail


def without_thread(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the system had no more threads when this one is wanted."""
    start = threading.Thread.start

    def begin(thread: threading.Thread) -> None:
        if thread.name == name:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", begin)


@pytest.mark.parametrize(("limits", "kind"), [(None, NativeEngine), (NOTHING_FITS, FallbackEngine)])
def test_the_thread_for_joins_is_not_needed(
    limits: GroundingLimits | None, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_thread("ludens-joins", monkeypatch)
    made = compilation(limits)
    assert made.wait(Deadline(60))
    assert made.over
    assert isinstance(made.engine, kind)


def test_a_game_goes_on_without_any_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    without_thread("ludens-compile", monkeypatch)
    game = ludens.load("tictactoe")
    state = game.initial_state()
    for _ in range(COMPILE_AFTER + 1):
        state.next({"x": "(mark 1 1)"})
    assert game.engine_is_final
    assert not game.compile()
    assert "no thread" in str(game.compile_error)
    assert game.playouts(state, 20, Random(1)).finished.all()


FAILURES = [
    SystemExit(3),
    *(pytest.param(error, marks=FULL) for error in (ValueError("odd"), MemoryError("full"), RecursionError("deep"))),
]


@pytest.mark.parametrize("error", FAILURES)
def test_a_circuit_that_fails_somehow_leaves_the_joins(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NativeEngine, "compile", raising(error))
    made = compilation()
    assert made.wait(Deadline(60))
    assert isinstance(made.engine, FallbackEngine)
    assert made.error is None
    assert repr(error) in str(made.circuit_error)


@pytest.mark.parametrize("error", FAILURES)
def test_joins_that_fail_somehow_are_not_silent(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RelationalEngine, "compile", raising(error))
    made = compilation(NOTHING_FITS)
    assert not made.wait(Deadline(60))
    assert made.over
    assert str(made.error).startswith(str(made.circuit_error))
    assert repr(error) in str(made.error)
    assert "instances" in str(made.circuit_error)


def test_the_same_reason_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for engine in (NativeEngine, RelationalEngine):
        monkeypatch.setattr(engine, "compile", raising(CompileError("the rules are odd")))
    made = compilation()
    assert not made.wait(Deadline(60))
    assert str(made.error) == "the rules are odd"


def test_joins_that_never_come_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    late = threading.Event()
    make = RelationalEngine.compile

    def never(*arguments: Any, **_: Any) -> RelationalEngine:
        assert late.wait(60)
        return make(*arguments)

    monkeypatch.setattr(RelationalEngine, "compile", never)
    monkeypatch.setattr(select, "JOINS_SECONDS", 0.3)
    made = compilation(NOTHING_FITS)
    assert not made.wait(Deadline(60))
    assert made.over
    assert "takes too long" in str(made.error)
    (thread,) = (thread for thread in threading.enumerate() if thread.name == "ludens-joins")
    late.set()
    thread.join()
    assert made.engine is None, "what is said to be settled stays"


def test_joins_know_their_deadline_and_when_nobody_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[float] = []

    def note(*_: Any, deadline: Deadline) -> None:
        told.append(deadline.remaining)
        until = Deadline(60)
        while not deadline.cancelled:
            assert not until.passed
            time.sleep(0.005)
        raise CompileError("it is not wanted")

    monkeypatch.setattr(RelationalEngine, "compile", note)
    made = compilation()
    made.patience = 0
    assert made.wait(Deadline(60))
    assert isinstance(made.engine, NativeEngine)
    assert all(0 < seconds <= select.JOINS_SECONDS for seconds in told)


def test_joins_are_not_begun_when_the_circuit_is_about_to_come() -> None:
    made = compilation()
    made.patience = 3600.0
    for phase in ("load", "ground"):
        made._waiting_since = -1e9
        made._report(phase, 5)
        assert made._is_late
    for phase in ("read", "circuit"):
        made._waiting_since = -1e9
        made._report(phase, 5)
        assert not made._is_late, "it has as much time again"


def test_those_phases_are_reported() -> None:
    phases: list[str] = []
    rules = find_rules("tictactoe")[0]
    SlicedEngine.compile(rules, progress=lambda phase, _: phases.append(phase))
    ground(rules, cache=SealedCache(None), progress=lambda phase, _: phases.append(phase))
    assert set(phases) >= select.PHASES_AFTER_GROUNDING


def test_threads_of_a_copy_notice_it_once() -> None:
    """Whoever comes second finds all in order, not on the way there."""
    made = compilation()
    made.refuse("no")
    made._process = -1
    seen: list[bool] = []
    settle = made._settle

    def look_meanwhile() -> None:
        other = threading.Thread(target=lambda: seen.append(made.over), daemon=True)
        other.start()
        other.join(0.2)
        assert not seen, "nobody is told anything before it is true"
        settle()
        others.append(other)

    others: list[threading.Thread] = []
    made._settle = look_meanwhile  # type: ignore[method-assign]
    assert made.over
    [other] = others
    other.join(60)
    assert seen == [True]


def test_the_first_engine_is_enough_for_who_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    reached = threading.Event()
    make = NativeEngine.compile

    def slow(*arguments: Any, **options: Any) -> NativeEngine:
        assert reached.wait(60)
        return make(*arguments, **options)

    monkeypatch.setattr(NativeEngine, "compile", slow)
    game = ludens.load("tictactoe")
    game._compilation.patience = 0
    assert game.compile(first=True)
    assert isinstance(game.engine, FallbackEngine)
    assert not game.engine_is_final
    reached.set()
    assert game.compile()
    assert isinstance(game.engine, NativeEngine)
    assert game.compile(Deadline(0), first=True)


def test_the_game_answers_while_joins_look_at_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """What they ask of a reference engine, they ask of their own."""
    asked: list[object] = []
    make = RelationalEngine.compile

    def note(rules: Any, reference: Any = None, **options: Any) -> RelationalEngine:
        asked.append(reference)
        return make(rules, reference, **options)

    monkeypatch.setattr(RelationalEngine, "compile", note)
    game = ludens.load("tictactoe")
    game._compilation = EngineLoader(game.rules, NOTHING_FITS, game.reference_engine)
    assert game.compile()
    assert asked
    assert game.reference_engine not in asked
    assert isinstance(game.engine, FallbackEngine)
    assert game.engine.reference is game.reference_engine


AFTER_FORK = """
import os, signal, threading, time, ludens
from random import Random
from ludens.runtime.deadline import Deadline
from ludens.engines.select import EngineLoader
from ludens.engines.native import NativeEngine
from ludens.ground import GroundingLimits
game = ludens.load("tictactoe")
{prepare}
child = os.fork()
if child == 0:
    signal.alarm(30)
    {check}
    game.playouts(game.initial_state(), 20, Random(1), max_steps=3)
    game.initial_state().next(dict(x="(mark 1 1)")).facts
    os._exit(0)
print(os.waitpid(child, 0)[1])
os._exit(0)
"""


def held(lock: str) -> str:
    """Has another thread take a lock, and keep it."""
    return f"holder = threading.Thread(target={lock}.acquire); holder.start(); holder.join()"


ENDLESS = "NativeEngine.compile = lambda *_, **__: time.sleep(60)"
"""The circuit is never ready."""
BROKEN_OFF = """state = game.initial_state(); engine, row = state.encoded(); (position,) = engine._states(row)
position.tables.clear(); game.reference_engine.interpreter._asked = position"""
"""A thread was just asking about a state, so that its tables are in disorder."""
FORKS = {
    "before it began": ("pass", "assert game.compile() and game.compile_error is None"),
    "while it makes the circuit": (
        f"{ENDLESS}; game._compilation.patience = 60; game.start_compiling()",
        "assert not game.compile() and 'copied' in str(game.compile_error) and game.engine_is_final",
    ),
    "with joins": (
        f"{ENDLESS}; game._compilation.patience = 0; game.compile(first=True)",
        "assert game.compile() and game.compile_error is None and 'copied' in str(game.circuit_error)",
    ),
    "when all is over": ("game.compile()", "assert game.compile() and game.circuit_error is None"),
    "when there is none": (
        "game._compilation.refuse('no'); game.compile()",
        "assert not game.compile() and str(game.compile_error) == 'no'",
    ),
    "while it is locked": (
        "game._compilation._lock.acquire(); game._compilation._over._cond.acquire()",
        "assert game.compile()",
    ),
    "while a thread plays on the reference engine": (
        f"{BROKEN_OFF}; {held('game.reference_engine.interpreter._lock')}",
        "assert len(state.legal_moves('x')) == 9 and game.compile()",
    ),
    **{
        f"while machine code is made for {package}": (
            f"from ludens.{package} import warm_up; {held('warm_up.MACHINE_CODE.lock')}",
            "import ludens.runtime.warm_up as runtime; runtime.versions_on_disk = lambda _: 0; "
            "runtime.run_command = lambda *_: None; warm_up.warm_up(Deadline(600))",
        )
        for package in ("engines.sliced", "search", "evaluation.fuzzy")
    },
    "after it was given up": ("game.stop_compiling()", "assert not game.compile() and game.compile_error"),
}
USUAL_FORKS = {"while it makes the circuit", "with joins", "while a thread plays on the reference engine"}


@pytest.mark.parametrize("when", [pytest.param(when, marks=() if when in USUAL_FORKS else FULL) for when in FORKS])
def test_a_copy_of_the_process_does_not_hang(when: str) -> None:
    prepare, check = FORKS[when]
    program = AFTER_FORK.format(prepare=prepare, check=check)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_workers_that_are_copies_get_games_and_states() -> None:
    game = ludens.load("tictactoe")
    assert game.compile()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        moves = pool.map_async(_first_moves, [game.initial_state()] * 4).get(60)
    assert moves == [_first_moves(game.initial_state())] * 4
    assert isinstance(ludens.load("tictactoe").engine, ReferenceEngine)


def _first_moves(state: ludens.State) -> list[str]:
    return [str(move) for move in state.legal_moves("x")]
