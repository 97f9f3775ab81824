"""The corpus runner itself, on a corpus of one tiny game: it must notice whatever is not as recorded."""

from __future__ import annotations

import hashlib
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ludens.ground import GroundingLimits
from tests import corpus_runner
from tests.corpus_replay import Replay, replay_game
from tests.corpus_runner import ENGINES, Failure, Job, Task, describe, main
from tests.engines.agreement import EngineName
from tests.tiers import FULL

SHEET = """
(role Me)
(init (light off))
(<= (legal me Press) (true (light off)))
(<= (next (light on)) (does me press))
(<= terminal (true (light on)))
(<= (goal me 100) (true (light on)))
"""
Trace = dict[str, Any]
MOSTLY_REFERENCE = [pytest.param(engine, marks=() if engine == "reference" else FULL) for engine in ENGINES]


def sha(*texts: str) -> str:
    return hashlib.sha1("\n".join(sorted(texts)).encode()).hexdigest()[:16]


def recording() -> Trace:
    """What an independent reader of the sheet writes down."""
    first = {
        "facts": 1,
        "state": sha("(light off)"),
        "terminal": False,
        "legal": [[1, sha("press")]],
        "moves": ["press"],
    }
    last = {"facts": 1, "state": sha("(light on)"), "terminal": True}
    return {
        "roles": ["me"],
        "init": ["(light off)"],
        "playouts": [{"steps": [first, last], "finished": True, "goals": [100]}],
    }


def write_corpus(folder: Path, trace: Trace) -> Path:
    for name in ("games", "traces"):
        (folder / name).mkdir()
    (folder / "games" / "light.kif").write_text(SHEET)
    (folder / "traces" / "light.json").write_text(json.dumps(trace))
    return folder


def first_step(trace: Trace) -> dict[str, Any]:
    step: dict[str, Any] = trace["playouts"][0]["steps"][0]
    return step


DAMAGE: dict[str, tuple[Callable[[Trace], object], str]] = {
    "roles": (lambda trace: trace.update(roles=["you"]), "roles"),
    "init": (lambda trace: trace.update(init=["(light on)"]), "initial state"),
    "facts": (lambda trace: first_step(trace).update(facts=2), "1 facts, recorded 2"),
    "state": (lambda trace: first_step(trace).update(state="0" * 16), "but others"),
    "terminal": (lambda trace: first_step(trace).update(terminal=True), "terminal is False"),
    "legal count": (lambda trace: first_step(trace).update(legal=[[2, sha("press")]]), "1 legal moves"),
    "legal digest": (lambda trace: first_step(trace).update(legal=[[1, "0" * 16]]), "but others"),
    "moves": (lambda trace: first_step(trace).update(moves=["kick"]), "kick"),
    "goals": (lambda trace: trace["playouts"][0].update(goals=[0]), "the goal of Me is 100, recorded 0"),
    "no goal": (lambda trace: trace["playouts"][0].update(goals=[None]), "recorded None"),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_agreement_is_agreement(engine: EngineName, tmp_path: Path) -> None:
    replay = replay_game(write_corpus(tmp_path, recording()), "light", engine=engine)
    assert replay.engine == engine
    assert replay.disagreements == ()
    assert replay.states == replay.recorded == 2
    assert describe(replay) == []


@pytest.mark.parametrize("engine", MOSTLY_REFERENCE)
@pytest.mark.parametrize("damage", DAMAGE)
def test_each_kind_of_difference_is_noticed(damage: str, engine: EngineName, tmp_path: Path) -> None:
    change, message = DAMAGE[damage]
    trace = recording()
    change(trace)
    replay = replay_game(write_corpus(tmp_path, trace), "light", engine=engine)
    assert message in "\n".join(map(str, replay.disagreements))
    assert describe(replay)


def test_whole_run_agrees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--corpus", str(write_corpus(tmp_path, recording())), "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    for engine in ENGINES:
        assert f"{engine}: 1 games, 2 of 2 recorded states" in said


@pytest.mark.parametrize("engine", MOSTLY_REFERENCE)
def test_whole_run_reports_a_difference(engine: EngineName, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = recording()
    trace["playouts"][0]["goals"] = [0]
    assert main(["light", "--engine", engine, "--corpus", str(write_corpus(tmp_path, trace))]) == 1
    said = capsys.readouterr().out
    assert f"differs   {engine}: light, playout 1, step 1: the goal of Me is 100, recorded 0" in said


def test_sheet_that_cannot_be_read_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_corpus(tmp_path, recording())
    (folder / "games" / "light.kif").write_text("(role me")
    assert main(["--corpus", str(folder), "--engine", "reference"]) == 1
    assert "1 failed" in capsys.readouterr().out


@pytest.mark.full
def test_game_that_cannot_be_compiled_is_reported_but_no_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The count goes on for ever, as far as the rules without their end say."""
    folder = write_corpus(tmp_path, recording())
    endless = "(init (count 0)) (<= (next (count (s ?n))) (true (count ?n)))"
    (folder / "games" / "light.kif").write_text(SHEET + endless)
    arguments = ["--corpus", str(folder), "--engine", "sliced", "--grounding-seconds", "2"]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    assert "too big   sliced: light: " in said
    assert "0 failed, 0 cut by the time limit, 1 too big to compile" in said


def test_time_limit_cuts_and_says_so(tmp_path: Path) -> None:
    replay = replay_game(write_corpus(tmp_path, recording()), "light", seconds=0)
    assert (replay.states, replay.is_complete) == (1, False)
    assert describe(replay)[0].startswith("cut")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonesuch"],
        ["--jobs", "0"],
        ["--max-seconds-per-game", "0"],
        ["--grounding-seconds", "-1"],
        ["--grounding-gigabytes", "0"],
        ["--engine", "steam"],
    ],
)
def test_wrong_use_is_refused(arguments: list[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as refusal:
        main([*arguments, "--corpus", str(write_corpus(tmp_path, recording()))])
    assert refusal.value.code == 2


def _die(task: Task, result: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _sleep(task: Task, result: Any) -> None:
    signal.pause()


def job(target: Callable[[Task, Any], None], seconds: float) -> Job:
    return corpus_runner.start_job(Task(Path(), "light", "reference", seconds, GroundingLimits()), target)


def test_dead_worker_is_a_failure() -> None:
    outcome = job(_die, 60).outcome()
    assert outcome == Failure("light", "reference", "died, killed by signal 9")


def test_hanging_worker_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_runner, "GRACE", 0.0)
    hanging = job(_sleep, 0.0)
    hanging.stop_when_late()
    outcome = hanging.outcome()
    assert isinstance(outcome, Failure)
    assert "in time" in outcome.why
    assert not isinstance(outcome, Replay)
