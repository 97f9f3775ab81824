"""`ludens analyze`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import run


def test_report() -> None:
    outcome = run("analyze", "tictactoe")
    assert (outcome.code, outcome.err) == (0, "")
    for line in (
        "  turns      (control ?1) tells whose turn it is; proved",
        "             the order is x, o, x and so on; proved",
        "  board      (cell X Y CONTENT), 3 by 3, 9 places; proved",
        "             markers: x (of x), o (of o)",
        "             exchange of x and o; but not of the initial state",
    ):
        assert line in outcome.out.splitlines()
    assert "(cell ?1 ?2 ?3)  1 and 2" in outcome.out


def test_boards_pieces_quantities_and_steps() -> None:
    lines = run("analyze", "racetrackcorridor").out.splitlines()
    assert "             a board for each of white and black" in lines
    assert "             pieces: runner (only one, proved)" in lines
    assert "  quantity   (walls_left ?1 N), N from 0 1 2 3 4; proved" in lines
    assert "  steps      (step ?1) counts the joint moves; proved; the game ends after 20 steps" in lines


def test_json() -> None:
    outcome = run("analyze", "nim", "--json")
    document = json.loads(outcome.out)
    assert document["game"] == "nim"
    assert [quantity["name"] for quantity in document["quantities"]] == ["heap"]
    assert document["control"]["order"] == document["roles"]


def test_what_is_left_out_is_named() -> None:
    outcome = run("analyze", "tictactoe", "--seconds", 0)
    assert outcome.code == 0
    assert "left out" in outcome.out


def test_words_that_look_like_markup_are_shown_as_they_are(tmp_path: Path) -> None:
    sheet = tmp_path / "odd.kif"
    sheet.write_text(
        "(role [red]) (succ [a] [b]) (succ [b] [c]) (init (at [a])) (legal [red] go)"
        "(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at [c]))) (goal [red] 1)"
    )
    outcome = run("analyze", sheet)
    assert outcome.code == 0
    assert "[a] [b] [c]" in outcome.out


def test_unknown_game() -> None:
    outcome = run("analyze", "tictactoo")
    assert outcome.code == 1
    assert "did you mean tictactoe" in outcome.err
