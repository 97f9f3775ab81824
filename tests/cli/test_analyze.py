"""`ludens analyze`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import run

UNHURRIED = ("--seconds", 60)
"""So that a busy machine finds the same; nothing here needs nearly as long."""


def test_report() -> None:
    outcome = run("analyze", "tictactoe", *UNHURRIED)
    assert (outcome.code, outcome.err) == (0, "")
    for line in (
        "  turns      (control ?1) tells whose turn it is (proved)",
        "             x, o, x and so on (proved)",
        "  board      (cell X Y CONTENT), 3 by 3, 9 places; one content each (proved)",
        "             X is one of 1 2 3, without order",
        "             empty: blank",
        "             markers: x (of x), o (of o)",
        "             exchange of x and o; but not of the initial state",
    ):
        assert line in outcome.out.splitlines()
    assert "(cell ?1 ?2 ?3)  ?1 ?2 -> ?3 " in outcome.out


def test_boards_pieces_quantities_and_steps() -> None:
    lines = run("analyze", "racetrackcorridor", *UNHURRIED).out.splitlines()
    assert "             a board for each of black and white" in lines
    assert "             pieces: runner (only one, proved)" in lines
    assert "  quantity   (walls_left ?1 N), N is 0 1 2 3 4, one for each ?1 (proved)" in lines
    assert "  steps      (step ?1) counts the moves made (proved); the game ends after 20" in lines


def test_who_plays() -> None:
    assert "  roles      solver" in run("analyze", "eightpuzzle", "--seconds", 2).out.splitlines()
    assert "  roles      red and blue, and chance; they take turns" in run("analyze", "dicerace", "--seconds", 2).out


def test_tables_of_numbers_are_no_relations_worth_telling() -> None:
    out = run("analyze", "sudoku", "--seconds", 5).out
    assert "(successor ?x ?y)" in out
    assert "worth" not in out
    assert "given" not in out


def test_json() -> None:
    outcome = run("analyze", "nim", "--json", *UNHURRIED)
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
    outcome = run("analyze", sheet, *UNHURRIED)
    assert outcome.code == 0
    assert "[a] [b] [c]" in outcome.out


def test_symmetries_name_words_as_the_author_spells_them(tmp_path: Path) -> None:
    sheet = tmp_path / "spelled.kif"
    sheet.write_text(
        "(role Me) (Mark A) (Mark B) (Row P) (Row Q) (Col S) (Col T) (<= (init (Cell ?x ?y Empty)) (Row ?x) (Col ?y))"
        "(<= (legal Me (Fill ?x ?y ?m)) (true (Cell ?x ?y Empty)) (Mark ?m))"
        "(<= (next (Cell ?x ?y ?m)) (does Me (Fill ?x ?y ?m)))"
        "(<= (next (Cell ?x ?y ?c)) (true (Cell ?x ?y ?c)) (does Me (Fill ?u ?v ?m)) (distinct ?x ?u))"
        "(<= (next (Cell ?x ?y ?c)) (true (Cell ?x ?y ?c)) (does Me (Fill ?u ?v ?m)) (distinct ?y ?v))"
        "(<= open (true (Cell ?x ?y Empty))) (<= terminal (not open)) (goal Me 50)"
    )
    out = run("analyze", sheet, *UNHURRIED).out
    assert "Cell: reflection of argument 1" in out
    assert "A becomes B, B becomes A" in out


def test_unknown_game() -> None:
    outcome = run("analyze", "tictactoo")
    assert outcome.code == 1
    assert "did you mean tictactoe" in outcome.err


def test_comparison_with_templates() -> None:
    outcome = run("analyze", "minichess", "--compare", *UNHURRIED)
    assert (outcome.code, outcome.err) == (0, "")
    assert "minichess: 8 of 8 structures are seen alike" in outcome.out
    assert "pieces     (cell ?1 ?2 ?3)  bk wk wr " in outcome.out


@pytest.mark.full
def test_differences_from_templates() -> None:
    document = json.loads(run("analyze", "farmers", "--compare", "--json", *UNHURRIED).out)
    assert [one["subject"] for one in document["structures"] if not one["agree"]] == ["higher", "lower"]


def test_templates_know_nothing_of_roles() -> None:
    outcome = run("analyze", "minichess", "--compare", "--role", "white")
    assert outcome.code == 2
    assert "ask for one of them" in outcome.err
