"""`ludens solve`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.cli.terminal import Terminal
from tests.search.solve.variants import connect_four, hanoi
from tests.tiers import FULL

CIRCLE = """
(role a) (role b) (init (control a)) (other a b) (other b a)
(<= (legal ?who stay) (true (control ?who))) (<= (legal ?who quit) (true (control ?who)))
(<= (legal ?who noop) (true (control ?else)) (other ?else ?who))
(<= (next (control ?who)) (true (control ?else)) (other ?else ?who))
(<= (next (quitter ?who)) (does ?who quit)) (<= terminal (true (quitter ?who)))
(<= (goal ?who 0) (true (quitter ?who))) (<= (goal ?who 100) (other ?who ?else) (true (quitter ?else)))
"""
COORDINATION = """
(role a) (role b) (legal a left) (legal a right) (legal b left) (legal b right) (init open)
(<= (next met) (does a ?x) (does b ?x)) (<= (next (closed)) (true open)) (<= terminal (true (closed)))
(<= (goal ?who 100) (role ?who) (true met)) (<= (goal a 0) (not (true met))) (<= (goal b 10) (not (true met)))
"""


def test_a_draw() -> None:
    outcome = run("solve", "tictactoe")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "tictactoe: a draw with best play (x 50, o 50) in 9 moves"
    assert lines[2].startswith("  1. x: mark")
    assert lines[10].startswith("  9. x: mark")
    assert lines[-1].startswith("5,478 states, none more than 9 joint moves from the start, in ")


def test_a_win_after_moves_with_all_of_them() -> None:
    outcome = run("solve", "tictactoe", "--after", "x: mark 1 1", "--after", "1 2", "--all")
    assert outcome.out.splitlines()[0] == "tictactoe: x wins in 5 moves (x 100, o 0)"
    table = {tuple(line.split()[1:4]): line.split()[4:] for line in outcome.out.splitlines() if line.startswith("x  ")}
    assert len(table) == 7
    assert table["mark", "2", "2"][:3] == ["100", "0", "5"]
    assert table["mark", "3", "3"][:3] == ["50", "50", "7"]


def test_a_puzzle(tmp_path: Path) -> None:
    sheet = tmp_path / "tower.kif"
    sheet.write_text(hanoi(3, 10))
    outcome = run("solve", sheet, "--all")
    lines = outcome.out.splitlines()
    assert lines[0] == "tower: solver 100 of 100 points in 7 moves"
    assert [line.split(". ")[0].strip() for line in lines[2:9]] == list("1234567")
    assert any(line.split() == ["solver", "move", "1", "3", "100", "7", "100.0%"] for line in lines)


def test_chance() -> None:
    first, *_ = run("solve", "pig").out.splitlines()
    assert first == "pig: on average with best play red 65.29, blue 34.71 in about 12.35 moves"


def test_moves_at_the_same_time() -> None:
    outcome = run("solve", "rockpaperscissors", "--after", "left: rock, right: paper", "--all")
    first, *rest = outcome.out.splitlines()
    assert first.startswith("rockpaperscissors: on average with best play left ")
    assert sum("33.3%" in line for line in rest) == 6


def test_circles(tmp_path: Path) -> None:
    sheet = tmp_path / "circle.kif"
    sheet.write_text(CIRCLE)
    outcome = run("solve", sheet)
    assert outcome.code == 0
    assert outcome.out.startswith("circle: nobody can force an end: play can go on for ever\n")


def test_no_value(tmp_path: Path) -> None:
    sheet = tmp_path / "meeting.kif"
    sheet.write_text(COORDINATION)
    outcome = run("solve", sheet)
    assert outcome.code == 0
    assert outcome.out.startswith("meeting: this game has no one value: ")


@pytest.mark.parametrize(
    ("game", "options", "verdict"),
    [
        ("pegsolitaire", ["--states", 5000], "not solved within 5,000 states; raise --states"),
        ("pegsolitaire", ["--memory", 1], "not solved within 1 megabytes; raise --memory"),
        ("connectfour", ["--states", 1000, "--seconds", "inf"], "not solved within 1,000 states; raise --states"),
        ("connectfour", ["--states", 9000, "--memory", 1], "not solved within 9,000 states; raise --states"),
        pytest.param("connectfour", ["--seconds", 2], "not solved within 2 seconds; raise --seconds", marks=FULL),
        ("chess", ["--seconds", 0.01], "not compiled within 0.01 seconds; raise --seconds"),
    ],
)
def test_too_big(game: str, options: list[object], verdict: str) -> None:
    outcome = run("solve", game, *options)
    assert outcome.code == 1
    assert outcome.out.splitlines()[0] == f"{game}: {verdict}"


def test_a_proof_by_alpha_beta(tmp_path: Path) -> None:
    sheet = tmp_path / "small.kif"
    sheet.write_text(connect_four(4, 4))
    outcome = run("solve", sheet, "--memory", 1, "--all")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "small: a draw with best play (red 50, yellow 50)"
    assert lines[-1].endswith("by alpha-beta")
    assert "alpha-beta does not tell what each first move is worth" in lines


def test_help_says_what_alpha_beta_is_for() -> None:
    text = " ".join(run("solve", "--help").out.replace("│", " ").split())
    assert "only for two sides where one wins what the other loses" in text


def test_json() -> None:
    outcome = run("solve", "nim", "--json", "--all")
    document = json.loads(outcome.out)
    assert document["game"] == "nim"
    assert document["outcome"] == "solved"
    assert document["values"] == {"first": 100.0, "second": 0.0}
    assert document["pv"][0] == {"first": "(take a 2)", "second": "noop"}
    assert len(document["pv"]) == document["distance"] == 11
    assert document["moves"][0] == {
        "role": "first",
        "move": "(take a 1)",
        "values": {"first": 0.0, "second": 100.0},
        "distance": 12.0,
        "probability": 0.0,
    }
    assert json.loads(run("solve", "nim", "--json").out)["moves"] == []


@pytest.mark.full
def test_interrupt() -> None:
    with Terminal("solve", "pegsolitaire") as terminal:
        terminal.expect("states/s")
        terminal.press_control_c()
        terminal.expect("stopped after")
        assert terminal.exit_code() == 130


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["tictaktoe"], 1, "did you mean tictactoe"),
        (["tictactoe", "--after", "mark 9 9"], 1, "mark 9 9 is not legal for x"),
        (["tictactoe", "--after", "mark 1"], 1, "mark 1 is not legal for x"),
        (["tictactoe", "--after", "z: mark 1 1"], 1, "z"),
        (["rockpaperscissors", "--after", "rock"], 1, "does not say whose move it is"),
        (["rockpaperscissors", "--after", "left: rock"], 1, "the move of right is missing"),
        (["rockpaperscissors", *["--after", "left: rock, right: rock"] * 5], 1, "the game is over"),
        (["rockpaperscissors", *["--after", "left: rock, right: rock"] * 6], 1, "over before move 6"),
        (["tictactoe", "--states", "0"], 2, "--states"),
        (["tictactoe", "--seconds", "soon"], 2, "--seconds"),
        (["tictactoe", "--memory", "0"], 2, "--memory"),
    ],
)
def test_bad_input(arguments: list[str], code: int, message: str) -> None:
    outcome = run("solve", *arguments)
    assert outcome.code == code
    assert outcome.out == ""
    assert message in outcome.err
    assert "Traceback" not in outcome.err
