"""`ludens simulate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ludens.cli.simulate import COMPILED_BATCH
from ludens.core import Playouts
from ludens.game import Game
from tests.cli.command import run


def test_report() -> None:
    outcome = run("simulate", "tictactoe", "-n", 60, "--seed", 3)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("tictactoe: 60 random games in ")
    lines = outcome.out.splitlines()
    assert lines[1].startswith("length: 7.")
    x, o = (line.split() for line in lines[-2:])
    assert (x[0], o[0]) == ("x", "o")
    assert float(x[1]) + float(o[1]) == pytest.approx(100, abs=0.02)
    assert float(x[2]) < float(x[1]) < float(x[4])


def test_json_and_seed() -> None:
    first, second = (json.loads(run("simulate", "nim", "-n", 25, "--seed", 7, "--json").out) for _ in range(2))
    del first["seconds"], second["seconds"]
    assert first == second
    assert (first["game"], first["seed"], first["games"], first["finished"]) == ("nim", 7, 25, 25)
    assert sum(first["roles"]["first"]["goals"].values()) == 25
    assert first["roles"]["first"]["wins"] + first["roles"]["second"]["wins"] == 25
    assert 3 <= first["length"]["min"] <= first["length"]["mean"] <= first["length"]["max"] <= 12


def test_games_that_are_cut() -> None:
    outcome = run("simulate", "breakthrough", "-n", 5, "--max-steps", 3)
    assert outcome.code == 0
    assert "5 were cut after 3 joint moves" in outcome.out
    document = json.loads(run("simulate", "breakthrough", "-n", 5, "--max-steps", 3, "--json").out)
    assert (document["games"], document["finished"], document["length"]) == (5, 0, None)
    assert document["roles"]["white"]["mean"] is None


def test_goals_that_are_missing(tmp_path: Path) -> None:
    sheet = tmp_path / "odd.kif"
    sheet.write_text("(role a) (role b) (init p) (legal a x) (legal b x) (<= terminal (not (true p))) (goal a 10)")
    outcome = run("simulate", sheet, "-n", 3)
    assert outcome.code == 0
    assert "no value: 100.0%" in outcome.out


def test_a_role_without_a_move_is_told(tmp_path: Path) -> None:
    sheet = tmp_path / "stuck.kif"
    sheet.write_text("(role a) (init p) (<= (legal a go) (true q)) (<= terminal (true q)) (goal a 0)")
    outcome = run("simulate", sheet)
    assert outcome.code == 1
    assert "a has no legal move" in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("options", [("-n", "0"), ("--max-steps", "0"), ("--seed", "x")])
def test_bad_options(options: tuple[str, str]) -> None:
    outcome = run("simulate", "nim", *options)
    assert (outcome.code, outcome.out) == (2, "")


def test_control_c_prints_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    playouts = Game.playouts
    calls = 0

    def interrupted(*arguments: Any) -> Playouts:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise KeyboardInterrupt
        return playouts(*arguments)

    monkeypatch.setattr(Game, "playouts", interrupted)
    outcome = run("simulate", "nim", "-n", 10_000_000, "--json")
    assert (outcome.code, outcome.err) == (130, "")
    assert json.loads(outcome.out)["games"] == 3 * COMPILED_BATCH


def test_no_limit_is_too_large() -> None:
    outcome = run("simulate", "tictactoe", "-n", 20, "--max-steps", 10**20, "--json")
    assert json.loads(outcome.out)["finished"] == 20


@pytest.fixture
def uncompilable(tmp_path: Path) -> Path:
    sheet = tmp_path / "odd.kif"
    sheet.write_text(
        "(role a) (init p) (legal a go) (<= (legal a stay) (does a go)) (<= (next q) (true p)) "
        "(<= terminal (true q)) (goal a 100)"
    )
    return sheet


def test_the_slow_engine_is_told(uncompilable: Path) -> None:
    outcome = run("simulate", uncompilable, "-n", 20)
    assert "playing on the slow engine" in outcome.err
    assert "20 random games" in outcome.out


def test_few_games_are_not_worth_compiling(uncompilable: Path) -> None:
    outcome = run("simulate", uncompilable, "-n", 3)
    assert outcome.err == ""
    assert "3 random games" in outcome.out
