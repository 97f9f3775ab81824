"""`ludens show`."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from ludens.cli.engines import EngineSurvey
from ludens.engines.base import Engine
from ludens.errors import EngineError
from ludens.game import load
from tests.child import run_child
from tests.cli.command import run


def facts(text: str) -> dict[str, str]:
    """The labelled lines of the report."""
    lines = [line for line in text.splitlines() if line.startswith("  ") and line[2].isalpha()]
    return {line[2:12].strip(): line[12:].strip() for line in lines}


def test_turns() -> None:
    outcome = run("show", "tictactoe", "--samples", 40)
    assert (outcome.code, outcome.err) == (0, "")
    shown = facts(outcome.out)
    assert shown["roles"] == "x, o"
    assert shown["rules"] == "32 clauses, 15 relations"
    assert shown["kind"] == "2 roles, taking turns, without chance, zero-sum (goals add up to 100)"
    assert shown["sampled"].startswith("40 random games; ")
    assert shown["length"].endswith("to 9) joint moves")
    assert "3 │ · │ · │ · │" in outcome.out


def test_other_kinds() -> None:
    assert "moving at the same time" in facts(run("show", "rockpaperscissors", "--samples", 5).out)["kind"]
    assert "with chance" in facts(run("show", "dicerace", "--samples", 5).out)["kind"]
    assert "a puzzle for one role" in facts(run("show", "eightpuzzle", "--samples", 2).out)["kind"]


def test_goals_with_different_sums(tmp_path: Path) -> None:
    sheet = tmp_path / "peace.kif"
    sheet.write_text(
        "(role a) (role b) (init p) (legal a war) (legal a peace) (legal b wait) (<= (next (was ?m)) (does a ?m))"
        "(<= terminal (not (true p))) (<= (goal ?r 100) (role ?r) (true (was peace)))"
        "(<= (goal ?r 10) (role ?r) (true (was war)))"
    )
    assert "not zero-sum (goals add up to 20 to 200)" in facts(run("show", sheet).out)["kind"]


def test_json_is_repeatable() -> None:
    first, second = (json.loads(run("show", "nim", "--json", "--seed", 5, "--samples", 8).out) for _ in range(2))
    assert first == second
    assert first["roles"] == ["first", "second"]
    assert first["initial"] == ["(control first)", "(heap a 3)", "(heap b 4)", "(heap c 5)"]
    assert first["sample"]["plays"] == 8
    assert first["sample"]["branching"]["max"] == 12
    assert first["sample"]["constant_sum"] == 100


def test_little_time_is_told() -> None:
    assert " of 1000000, for lack of time" in run("show", "connectfour", "--samples", 1_000_000, "--seconds", 0.2).out
    outcome = run("show", "connectfour", "--samples", 0)
    assert outcome.code == 0
    assert "sampled" not in facts(outcome.out)


@pytest.mark.parametrize(
    ("name", "message"),
    [("conectfour", "did you mean connectfour"), ("nothing.kif", "neither a bundled game nor a file")],
)
def test_unknown_game(name: str, message: str) -> None:
    outcome = run("show", name)
    assert (outcome.code, outcome.out) == (1, "")
    assert message in outcome.err


def test_a_sheet_with_errors_is_explained(tmp_path: Path) -> None:
    sheet = tmp_path / "broken.kif"
    sheet.write_text("(role a) (legal a go")
    outcome = run("show", sheet)
    assert outcome.code == 1
    assert "never closed" in outcome.err


def test_circuit() -> None:
    outcome = run("show", "pentago", "--circuit")
    assert (outcome.code, outcome.err) == (0, "")
    assert facts(outcome.out)["moves"] == "45 of white, 45 of black"
    rows = [line.split() for line in outcome.out.splitlines()]
    sizes = {
        row[0]: int(row[1].replace(",", ""))
        for row in rows
        if len(row) == 7 and row[1][0].isdigit() and row[2][0].isdigit()
    }
    assert next(iter(sizes)) == "rules"
    assert {"simplify", "moves", "factor", "share"} < set(sizes)
    assert sizes["simplify"] < sizes["rules"]
    assert facts(outcome.out)["next"].endswith(" inputs")


def test_circuit_as_json() -> None:
    document = json.loads(run("show", "tictactoe", "--circuit", "--json").out)
    assert document["fluents"] == 29
    assert document["moves"] == {"x": 10, "o": 10}
    first, last = document["passes"][0], document["passes"][-1]
    assert last["inputs"] < first["inputs"]
    cones = document["cones"]
    assert cones["legal"]["gates"] < cones["state"]["gates"] < last["gates"]


@pytest.mark.full
def test_circuit_times_the_passes_alone() -> None:
    """In a fresh process all kernels of the passes are loaded before, not while they are timed."""
    program = """
import gc
from numba.core.dispatcher import Dispatcher
from ludens.circuit import optimise, translate
from ludens.cli.circuit import load_kernels
from ludens.game import load
from ludens.ground import ground

def versions():
    return {kernel: len(kernel.signatures) for kernel in gc.get_objects() if isinstance(kernel, Dispatcher)}

program = ground(load("tictactoe").rules)
load_kernels()
before = versions()
optimise(translate(program))
print(sum(before.values()) > 0, versions() == before)
"""
    assert run_child(program) == "True True\n"


def test_commands_do_not_wait_for_the_compiler_of_kernels() -> None:
    program = "import sys, ludens.cli.app; sys.exit('numba' in sys.modules)"
    assert run_child(program) == ""


@pytest.fixture
def short_measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.cli.engines.MEASURED_SECONDS", 0.01)


@pytest.mark.usefixtures("short_measurements")
def test_engines_and_their_speed() -> None:
    outcome = run("show", "nim", "--engines")
    assert (outcome.code, outcome.err) == (0, "")
    rows = {line.split()[0]: line for line in outcome.out.splitlines() if line.strip() and line[0] != " "}
    shown = facts(outcome.out)
    assert "facts that play never reaches" in shown["reference"]
    assert "one state at a time" in shown["native"]
    for name in ("reference", "sliced", "native", "relational"):
        seconds, unit, *speeds = rows[name].split()[1:5]
        assert float(seconds) >= 0
        assert unit == "s"
        assert all(int(speed.replace(",", "")) > 0 for speed in speeds)


@pytest.mark.usefixtures("short_measurements")
def test_engines_as_json() -> None:
    document = json.loads(run("show", "tictactoe", "--engines", "--json").out)
    engines = {row["name"]: row for row in document["engines"]}
    assert list(engines) == ["reference", "sliced", "native", "relational"]
    for row in engines.values():
        assert row["ready"] > 0
        assert row["speed"]["single"] > 0
        assert row["speed"]["games"] > 0
    assert "one state at a time" in engines["native"]["used_for"]
    assert all(row["problem"] is None for row in engines.values())


@pytest.mark.parametrize(
    ("error", "words"),
    [(EngineError("too deep"), "too deep"), (MemoryError(), "not enough memory"), (MemoryError("no room"), "no room")],
)
def test_an_engine_that_cannot_be_made_has_a_reason(error: Exception, words: str) -> None:
    def fail() -> Engine:
        raise error

    survey = EngineSurvey(load("nim"), lambda words: None)
    survey._add("relational", fail)
    assert words in (survey.rows["relational"].problem or "")


def test_both_engines_with_a_circuit_count_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = EngineSurvey(load("nim"), lambda words: None)
    moments = iter([0.0, 10.0, 10.0, 10.0, 20.0, 23.0])
    monkeypatch.setattr("ludens.cli.engines.time", SimpleNamespace(perf_counter=lambda: next(moments)))
    monkeypatch.setattr("ludens.cli.engines.measure", lambda *_: None)
    survey._add_circuit()
    assert survey.rows["sliced"].ready == 10.0
    assert survey.rows["native"].ready == 13.0


def test_circuit_and_engines_are_two_things() -> None:
    outcome = run("show", "nim", "--circuit", "--engines")
    assert outcome.code == 2
    assert "--circuit goes without --engines" in outcome.err


@pytest.mark.usefixtures("short_measurements")
def test_engines_that_a_game_does_not_have(tmp_path: Path) -> None:
    sheet = tmp_path / "odd.kif"
    sheet.write_text(
        "(role a) (init p) (legal a go) (<= (next p) (does a go)) (<= (goal a 50) (does a go)) (<= terminal (true q)) "
        "(<= (next q) (true p)) (goal a 0)"
    )
    outcome = run("show", sheet, "--engines")
    assert outcome.code == 0
    shown = facts(outcome.out)
    for name in ("sliced", "native"):
        assert shown[name].startswith("not available: ")
        assert "depends on `does`" in shown[name]
    assert "too big" not in outcome.out
