"""The grounder's process: limits, cancelling, violence; nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread, Timer, active_count

import pytest

from ludens.errors import CompileError
from ludens.gdl.rules import Rules
from ludens.ground import GroundingLimits, ground
from ludens.ground.limits import GroundingWatch
from ludens.ground.process import run_grounder
from ludens.runtime.deadline import Deadline
from tests.ground.samples import ENDLESS, HUGE, NO_CACHE, SMALL
from tests.tiers import FULL

PATIENCE = 30.0


def children(parent: int) -> list[int]:
    """The processes that a process has started and not yet buried."""
    found: list[int] = []
    for task in Path(f"/proc/{parent}/task").iterdir():
        found += map(int, _text(task / "children").split())
    return found


def grounders(parent: int) -> list[int]:
    """Those that run the grounder by now; one that is stopped before would stop its parent too."""
    return [process for process in children(parent) if "child.py" in _text(Path(f"/proc/{process}/cmdline"))]


def _text(path: Path) -> str:
    """Nothing for a process or thread that has just ended."""
    try:
        return path.read_text()
    except OSError:
        return ""


def is_alive(process: int) -> bool:
    return _text(Path(f"/proc/{process}/stat")).rpartition(")")[2].split()[:1] not in ([], ["Z"])


def eventually(condition: Callable[[], object]) -> bool:
    deadline = Deadline(PATIENCE)
    while not condition():
        if deadline.passed:
            return False
        time.sleep(0.01)
    return True


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    processes, files, threads = set(children(os.getpid())), len(os.listdir("/proc/self/fd")), active_count()
    yield
    assert set(children(os.getpid())) <= processes
    assert len(os.listdir("/proc/self/fd")) <= files
    assert eventually(lambda: active_count() <= threads)


def test_a_time_limit_is_kept() -> None:
    start = time.monotonic()
    with pytest.raises(CompileError, match="longer than allowed"):
        ground(HUGE, GroundingLimits(seconds=0.4), cache=NO_CACHE)
    assert time.monotonic() - start < PATIENCE


def test_a_deadline_is_kept_when_it_is_earlier() -> None:
    with pytest.raises(CompileError, match="longer than allowed"):
        ground(HUGE, deadline=Deadline(0.3), cache=NO_CACHE)
    with pytest.raises(CompileError, match="longer than allowed"):
        ground(SMALL, deadline=Deadline(0), cache=NO_CACHE)


def test_terms_without_end_are_given_up() -> None:
    with pytest.raises(CompileError, match=r"longer than allowed|more memory|instances"):
        ground(ENDLESS, GroundingLimits(seconds=0.5, memory_bytes=256 * 2**20), cache=NO_CACHE)


@pytest.mark.parametrize("megabytes", [64, pytest.param(200, marks=FULL)])
def test_a_memory_limit_is_kept(megabytes: int) -> None:
    with pytest.raises(CompileError, match="more memory than allowed"):
        ground(HUGE, GroundingLimits(memory_bytes=megabytes * 2**20), cache=NO_CACHE)


def test_a_limit_on_rules_is_kept() -> None:
    with pytest.raises(CompileError, match="more than 1,000 instances"):
        ground(HUGE, GroundingLimits(rules=1000), cache=NO_CACHE)


def test_another_thread_can_cancel() -> None:
    deadline = Deadline.never()
    timer = Timer(0.3, deadline.cancel)
    timer.start()
    with pytest.raises(CompileError, match="cancelled"):
        ground(HUGE, deadline=deadline, cache=NO_CACHE)
    timer.join()


def test_progress_is_told() -> None:
    told: list[tuple[str, int]] = []
    ground(SMALL, progress=lambda phase, done: told.append((phase, done)), cache=NO_CACHE)
    phases = list(dict.fromkeys(phase for phase, _ in told))
    assert phases == ["load", "translate", "split", "ground", "read", "simplify"]
    assert [done for phase, done in told if phase == "ground"][-1] > 10


def test_an_error_of_the_caller_ends_the_grounding() -> None:
    def stop(phase: str, done: int) -> None:
        if phase == "ground":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ground(HUGE, progress=stop, cache=NO_CACHE)


@pytest.mark.parametrize(
    "kind", [signal.SIGKILL, *(pytest.param(kind, marks=FULL) for kind in (signal.SIGTERM, signal.SIGSEGV))]
)
def test_a_killed_grounder_is_an_error_and_the_next_one_works(kind: signal.Signals) -> None:
    def kill() -> None:
        if eventually(lambda: grounders(os.getpid())):
            time.sleep(0.2)
            for child in grounders(os.getpid()):
                os.kill(child, kind)

    killer = Thread(target=kill)
    killer.start()
    with pytest.raises(CompileError, match=r"ended from outside|failed|cannot be read"):
        ground(HUGE, cache=NO_CACHE)
    killer.join()
    assert ground(SMALL, cache=NO_CACHE).rule_count > 0


def test_a_stopped_grounder_does_not_hold_up_its_caller() -> None:
    long_text = "a(1..2).\n" * 100_000

    def stop() -> None:
        if eventually(lambda: grounders(os.getpid())):
            for child in grounders(os.getpid()):
                os.kill(child, signal.SIGSTOP)

    stopper = Thread(target=stop)
    stopper.start()
    with pytest.raises(CompileError, match="longer than allowed"):
        run_grounder(long_text, GroundingWatch.start(GroundingLimits(seconds=1)))
    stopper.join()


def test_the_grounder_ends_when_its_caller_is_killed() -> None:
    script = "from tests.ground.samples import *; from ludens.ground import ground; ground(HUGE, cache=NO_CACHE)"
    caller = subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parents[2])
    found = eventually(lambda: grounders(caller.pid))
    started = grounders(caller.pid)
    time.sleep(0.2)
    caller.kill()
    caller.wait()
    assert found
    assert started
    assert eventually(lambda: not any(map(is_alive, started)))


def test_errors_of_the_grounder_are_told() -> None:
    with pytest.raises(CompileError, match="the grounder failed"):
        run_grounder("this is (no program", GroundingWatch.start(GroundingLimits()))


def test_a_program_that_cannot_be_started_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(CompileError, match="cannot be started"):
        ground(SMALL, cache=NO_CACHE)


def test_many_threads_ground_at_once() -> None:
    counts: list[int] = []
    threads = [Thread(target=lambda: counts.append(ground(SMALL, cache=NO_CACHE).rule_count)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(counts) == 6
    assert len(set(counts)) == 1


def test_words_of_any_kind() -> None:
    odd = ['"', "\\", "%", "#show", "not", "é", "猫", "-1", "00", "1.5", "x/2", "v1", "p0", "a'b", ":-"]
    facts = " ".join(f"(init (word {word} {number}))" for number, word in enumerate(odd))
    rules = Rules.parse(f"(role me) (legal me go) (<= (next ?f) (true ?f)) (<= terminal (true (word not 3))) {facts}")
    program = ground(rules, cache=NO_CACHE)
    assert {fluent[1] for fluent in program.fluents} == set(odd)
