"""`ludens explain`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import run
from tests.cli.test_analyze import UNHURRIED


def test_the_first_state() -> None:
    outcome = run("explain", "blocksworld", *UNHURRIED)
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert any(line.startswith("robot: ") and line.endswith(" of 100") for line in lines)
    assert "    - (on a b) (0.250)" in lines
    assert any(line.startswith("- the end") for line in lines)


def test_a_state_after_moves_for_one_role() -> None:
    outcome = run("explain", "tictactoe", "--after", "mark 1 1", "--after", "o: mark 1 2", "--role", "O", *UNHURRIED)
    lines = outcome.out.splitlines()
    assert outcome.code == 0
    assert "      + (cell 1 2 o) (0.750)" in lines
    assert [line for line in lines if line.endswith(" of 100")] == [line for line in lines if line.startswith("o: ")]


def test_moves_at_the_same_time() -> None:
    outcome = run("explain", "rockpaperscissors", "--after", "left: rock, right: paper", *UNHURRIED)
    assert outcome.code == 0
    assert "(won right 1)" in outcome.out


def test_moves_of_chance() -> None:
    outcome = run("explain", "pig", "--after", "roll 3", "--after", "hold", "--after", "random: roll 2", *UNHURRIED)
    assert (outcome.code, outcome.err) == (0, "")


def test_the_end() -> None:
    moves = [part for square in ("1 1", "2 1", "1 2", "2 2", "1 3") for part in ("--after", square)]
    outcome = run("explain", "tictactoe", *moves, *UNHURRIED)
    assert "the game is over; x wins: x 100, o 0" in outcome.out
    assert "\n+ the end" in outcome.out


@pytest.mark.full
def test_by_the_model() -> None:
    moves = ("--after", "white: move forward, black: move right")
    outcome = run(
        "explain", "racetrackcorridor", "--by", "model", "--role", "White", "--states", 1600, "--seconds", 60, *moves
    )
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    ahead = "(distance of runner of black from Y = 1 - distance of runner of white from Y = 1) is 1, and was 0"
    worth = next(number for number, line in enumerate(lines) if line.startswith("white: "))
    assert lines[worth + 1].endswith(f"payoff: {ahead}")
    assert not any(line.startswith("black: ") for line in lines)


def test_the_end_by_the_model() -> None:
    moves = [part for square in ("1 1", "2 1", "1 2", "2 2", "1 3") for part in ("--after", square)]
    outcome = run("explain", "tictactoe", "--by", "model", "--states", 100, "--seconds", 60, *moves)
    assert "the game is over; x wins: x 100, o 0" in outcome.out
    assert outcome.out.endswith("x: 100 points\no: 0 points\n")


def test_what_is_left_out() -> None:
    assert "left out: linked: true or false only" in run("explain", "hex", *UNHURRIED).out


def test_words_that_look_like_markup_are_shown_as_they_are(tmp_path: Path) -> None:
    sheet = tmp_path / "odd.kif"
    sheet.write_text(
        "(role [red]) (init [off]) (legal [red] go) (<= (next [on]) (does [red] go))"
        "(<= terminal (true [on])) (<= (goal [red] 100) (true [on])) (<= (goal [red] 0) (not (true [on])))"
    )
    outcome = run("explain", sheet, *UNHURRIED)
    assert "- 100 points: [on] (0.250)" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["tictaktoe"], 1, "did you mean tictactoe"),
        (["tictactoe", "--after", "mark 9 9"], 1, "mark 9 9 is not legal for x"),
        (["tictactoe", "--role", "z"], 1, "there is no role 'z'; the roles are x, o"),
        (["pig", "--role", "random"], 1, "there is no role 'random'"),
        (["tictactoe", "--after", "x: mark 1 1, x: mark 2 2"], 1, "has two moves of x; repeat --after for one move"),
        (["tictactoe", "--after", ""], 1, "no move of x is given; write one such as `mark 1 1`"),
        (["tictactoe", "--after", "mark 1 1", "--after", "o:"], 1, "move 2: no move of o is given"),
        (["tictactoe", "--after", ": mark 1 1"], 1, "there is no role ''"),
        (["tictactoe", "--after", "mark 1 1", "--after", "mark 1 1"], 1, "move 2: mark 1 1 is not legal for o"),
        (["rockpaperscissors", "--after", "rock"], 1, "does not say whose move it is"),
        (
            ["chess", "--seconds", "0.01"],
            1,
            "cannot be compiled in time, so its goals cannot be unrolled; raise --seconds",
        ),
        (["chess", "--seconds", "0.01", "--by", "model"], 1, "so there is no model of it; raise --seconds"),
        (["tictactoe", "--by", "luck"], 2, "--by"),
        (["tictactoe", "--seconds", "soon"], 2, "--seconds"),
        (["tictactoe", "--seconds", "0"], 2, "--seconds"),
    ],
)
def test_bad_input(arguments: list[str], code: int, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDENS_CACHE", "off")  # with a cache even chess may be ready at once
    outcome = run("explain", *arguments)
    assert outcome.code == code
    assert outcome.out == ""
    assert message in outcome.err
    assert "Traceback" not in outcome.err
