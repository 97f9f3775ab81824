"""`ludens analyze --role`: what counts for a role."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import run

SMALL = ("--states", 1600, "--seconds", 60)
"""A model that is soon ready, and the same on a busy computer."""
NIMBLE = """
(role me) (init (pile 3)) (less 2 3) (less 1 2) (less 0 1) (legal me [take])
(<= (next (pile ?m)) (does me [take]) (true (pile ?n)) (less ?m ?n))
(<= terminal (true (pile 0))) (<= (goal me 100) (true (pile 0))) (<= (goal me 0) (not (true (pile 0))))
"""
ODD = """
(role me) (init start) (legal me go) (<= (next done) (does me go)) (<= terminal (true done))
(<= (goal me 100) (does me go)) (goal me 0)
"""
"""Its goals depend on moves, which a circuit does not allow."""


@pytest.mark.full
def test_the_model_of_a_role_in_words() -> None:
    outcome = run("analyze", "racetrackcorridor", "--role", "WHITE", *SMALL)
    assert (outcome.code, outcome.err) == (0, "")
    assert "for white:" in outcome.out
    assert "for black:" not in outcome.out
    assert "(distance of runner of black from Y = 1 - distance of runner of white from Y = 1)  ███" in outcome.out
    assert "Termination (from 0 to 1) =" in outcome.out


def test_the_model_as_a_document_and_as_a_picture(tmp_path: Path) -> None:
    sheet, chart = tmp_path / "nimble.kif", tmp_path / "pictures" / "model.svg"
    sheet.write_text(NIMBLE)
    outcome = run("analyze", sheet, "--role", "me", "--json", "--chart", chart, *SMALL)
    assert (outcome.code, outcome.err) == (0, "")
    found = json.loads(outcome.out)
    assert [one["role"] for one in found["roles"]] == ["me"]
    assert {"payoff", "control", "payoff_share", "control_share"} < found["roles"][0].keys()
    assert found["states"] >= 25
    assert chart.read_text().startswith("<svg")
    assert f"written: {chart}" in run("analyze", sheet, "--role", "me", "--chart", chart, *SMALL).out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["racetrackcorridor", "--role", "purple"], 1, "there is no role 'purple'; the roles are white, black"),
        (["pig", "--role", "random"], 1, "there is no role 'random'; the roles are red, blue"),
        (["tictactoe", "--role", "x", "--seconds", "0"], 1, "tictactoe cannot be compiled in time"),
        (["tictactoe", "--chart", "x.svg"], 2, "name one with --role"),
        (["tictactoe", "--role", "x", "--chart", "/dev/null/x.svg"], 1, "/dev/null"),
    ],
)
def test_bad_input(arguments: list[str], code: int, message: str) -> None:
    outcome = run("analyze", *arguments)
    assert (outcome.code, outcome.out) == (code, "")
    assert message in outcome.err


def test_a_failed_run_leaves_no_chart_and_keeps_an_old_one(tmp_path: Path) -> None:
    for chart, before in ((tmp_path / "new.svg", None), (tmp_path / "old.svg", "<svg/>")):
        if before:
            chart.write_text(before)
        assert run("analyze", "tictactoe", "--role", "x", "--seconds", 0, "--chart", chart).code == 1
        assert (chart.read_text() if chart.exists() else None) == before


@pytest.mark.parametrize("command", [["analyze", "--role", "me"], ["explain"], ["explain", "--by", "model"]])
def test_a_game_without_a_circuit(command: list[str], tmp_path: Path) -> None:
    sheet = tmp_path / "odd.kif"
    sheet.write_text(ODD)
    outcome = run(command[0], sheet, *command[1:], *SMALL)
    assert (outcome.code, outcome.out) == (1, "")
    assert "odd cannot be compiled to a circuit, so" in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_model_that_tells_nothing_explains_nothing() -> None:
    outcome = run("explain", "rockpaperscissors", "--by", "model", *SMALL)
    assert (outcome.code, outcome.err) == (0, "")
    assert "left: no stable feature tells what counts" in outcome.out
    assert "differs from the beginning" not in outcome.out
