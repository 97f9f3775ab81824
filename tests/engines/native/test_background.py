"""What is made in the background: once, in every copy of the process, and never to anybody's harm."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable
from random import Random
from threading import Event, Thread
from typing import Any

import llvmlite.binding as llvm  # type: ignore[import-untyped]
import pytest
from numba.core.compiler_lock import global_compiler_lock

from ludens.engines.native import NativeEngine
from ludens.engines.native.background import Background
from ludens.engines.native.engine import MAX_SEQUENTIAL_GAMES, WORTHWHILE
from ludens.engines.native.lanes import GrowingCode
from ludens.errors import CompileError
from ludens.game import Game, load
from ludens.runtime.process_lock import ProcessLock
from tests.child import run_child

LONG = 60.0


class Counted(Background):
    """Counts how often it is done, and waits until it may end."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__()
        self.begun, self.may_end = Event(), Event()
        self.times = 0
        self._raised = error

    def work(self) -> None:
        self.times += 1
        self.begun.set()
        self.may_end.wait(LONG)
        if self._raised:
            raise self._raised


def in_copy(check: Callable[[], bool]) -> bool:
    """Whether something is true in a copy of this process; one that hangs there is ended."""
    child = copy()
    if child == 0:
        Thread(target=_end_later, daemon=True).start()
        os._exit(0 if check() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def copy() -> int:
    """Newer versions of Python warn that threads do not come along, which is what this is about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _end_later() -> None:
    Event().wait(LONG)
    os._exit(2)


def test_work_is_done_once() -> None:
    work = Counted()
    starters = [Thread(target=work.start) for _ in range(8)]
    for thread in starters:
        thread.start()
    for thread in starters:
        thread.join()
    assert not work.wait(0)
    work.may_end.set()
    assert work.wait(LONG)
    assert work.times == 1


def test_errors_are_kept() -> None:
    work = Counted(OSError("no room"))
    work.may_end.set()
    assert work.wait(LONG)
    assert isinstance(work.error, OSError)


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), MemoryError("full")])
def test_where_there_can_be_no_more_threads(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: Thread) -> None:
        raise error

    monkeypatch.setattr(Thread, "start", start)
    work = Counted()
    assert work.wait(LONG)
    assert work.error is error
    assert work.times == 0


def test_copies_of_the_process() -> None:
    """In processes of their own, since this one may have threads that a copy should not be made of."""
    program = (
        "from tests.engines.native.test_background import check_copies, check_locks; check_copies(); check_locks()"
    )
    assert run_child(program) == "copied\nfree\n"


def check_copies() -> None:
    work = Counted()
    work.start()
    assert work.begun.wait(LONG)

    def works_again() -> bool:
        is_open = not work.wait(0)
        work.may_end.set()
        return is_open and work.wait(LONG) and work.times == 2

    assert in_copy(works_again)
    work.may_end.set()
    assert work.wait(LONG)
    lock = ProcessLock()
    held, free = Event(), Event()

    def hold() -> None:
        with lock:
            held.set()
            free.wait(LONG)

    def is_free() -> bool:
        with lock:
            return True

    holder = Thread(target=hold, daemon=True)
    holder.start()
    assert held.wait(LONG)
    assert in_copy(is_free)
    free.set()
    holder.join()
    print("copied")


@pytest.mark.full
def test_engines_in_copies_of_the_process() -> None:
    program = "from tests.engines.native.test_background import check_engines; check_engines()"
    assert run_child(program) == "native\ncode\nplaying\nleft\n"


def check_engines() -> None:
    """While another thread is in the middle of something."""
    engine = NativeEngine.compile(load("nim").engine_rules)
    state = engine.initial(1)
    for _ in range(WORTHWHILE):
        engine.terminal(state)
    assert in_copy(lambda: bool(engine.playouts(engine.initial(4), Random(1)).finished.all() and engine.single))
    assert engine.single
    print("native")
    code = GrowingCode(engine.circuit.gates, engine.circuit.gates.legal)
    code.start()
    assert in_copy(lambda: code.wait(LONG) and code.level == 2)
    assert code.wait(LONG)
    assert code.level == 2
    print("code")
    over = Event()
    player = Thread(target=_play, args=(engine, over), daemon=True)
    player.start()
    for _ in range(5):
        assert in_copy(lambda: len(engine.legal(engine.initial(2))) == 2)
    over.set()
    player.join()
    print("playing", flush=True)
    again = GrowingCode(engine.circuit.gates, engine.circuit.gates.next)
    again.start()
    child = copy()
    if child == 0:
        sys.exit()  # at the end nothing is waited for that is not there
    assert os.waitpid(child, 0)[1] == 0
    print("left")
    again.cancel()


def _play(engine: NativeEngine, over: Event) -> None:
    states = engine.initial(500)
    while not over.is_set():
        engine.legal_bits(states)


def check_locks() -> None:
    """A process is not copied while another thread is in numba or in LLVM, nor are their locks held in the copy."""
    for lock in (llvm.ffi.lib._lock, global_compiler_lock):
        held = Event()

        def hold(lock: Any = lock, held: Event = held) -> None:
            with lock:
                held.set()
                time.sleep(0.2)  # as long as a call may take

        holder = Thread(target=hold, daemon=True)
        holder.start()
        assert held.wait(LONG)

        def is_free(lock: Any = lock) -> bool:
            with lock:
                return True

        assert in_copy(is_free)
        holder.join()
        assert is_free()
    print("free")


# -- what cannot be made ---------------------------------------------------------------------


def failing(*_: object) -> object:
    raise MemoryError("no room")


def test_tables_answer_where_nothing_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.engines.native.engine.BIG_CIRCUIT", 0)
    monkeypatch.setattr("ludens.engines.native.engine.plan_of", failing)
    monkeypatch.setattr("ludens.engines.native.lanes.straight_code", failing)
    engine = NativeEngine.compile(load("nim").engine_rules)
    expected = engine.legal(engine.initial(1))
    for count in (1, 2):
        for _ in range(WORTHWHILE + 1):
            assert engine.legal(engine.initial(count)) == expected * count
    with pytest.raises(CompileError, match="no room"):
        engine.single  # noqa: B018
    assert engine.prepare()._coming.ready is None
    engine.make_code()
    assert isinstance(engine._legal.code.error, MemoryError)
    assert engine.legal(engine.initial(1)) == expected
    assert engine.playouts(engine.initial(MAX_SEQUENTIAL_GAMES), Random(1)).finished.all()


def test_nobody_waits_who_has_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = Event()

    def slow(*_: object) -> object:
        may_end.wait(LONG)
        raise MemoryError

    monkeypatch.setattr("ludens.engines.native.engine.plan_of", slow)
    game: Game = load("nim")
    assert game.compile()
    engine = game.engine
    assert isinstance(engine, NativeEngine)
    assert game.playouts(game.initial_state(), 4, Random(1), wait=False).finished.all()
    assert not may_end.is_set()
    assert not engine._coming.wait(0)
    may_end.set()
    assert engine._coming.wait(LONG)


@pytest.mark.parametrize("games", [1, MAX_SEQUENTIAL_GAMES, MAX_SEQUENTIAL_GAMES + 1])
def test_no_steps_are_no_steps(games: int) -> None:
    engine = NativeEngine.compile(load("tictactoe").engine_rules)
    for _ in range(2):
        played = engine.playouts(engine.initial(games), Random(1), -1)
        assert played.lengths.tolist() == [0] * games
        engine.prepare()
        with pytest.raises(TypeError):
            engine.playouts(engine.initial(games), Random(1), 1.5)  # type: ignore[arg-type]


def test_wrong_moves_are_refused_in_the_same_words() -> None:
    engine = NativeEngine.compile(load("tictactoe").engine_rules)
    state = engine.initial(1)
    refusals = []
    for _ in range(2):
        for moves in ([[999, 0]], [], [[0, 0], [0, 0]], [[0]]):
            with pytest.raises((KeyError, ValueError)) as refusal:
                engine.step(state, moves)
            refusals.append(str(refusal.value))
        engine.prepare()
    assert refusals[:4] == refusals[4:]
