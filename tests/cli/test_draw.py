"""`ludens draw`."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from ludens import games
from tests.cli.command import run


def test_the_first_state_in_the_terminal() -> None:
    outcome = run("draw", "tictactoe")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines()[1] == "3 │ · │ · │ · │"
    assert outcome.out.splitlines()[-1] == "x to move"


def test_a_state_after_moves_as_a_file(tmp_path: Path) -> None:
    target = tmp_path / "board.svg"
    outcome = run("draw", "tictactoe", "--after", "mark 2 2", "--after", "mark 1 1", "-o", target)
    assert (outcome.code, outcome.out) == (0, f"{target} is written\n")
    root = ElementTree.fromstring(target.read_text(encoding="utf-8"))
    assert "x on 2 2" in (root.findtext("{http://www.w3.org/2000/svg}desc") or "")


@pytest.mark.parametrize("move", ["mark(1,1)", "(mark 1 1)", "x: mark(1,1), o: noop", "x: mark 1 1 , o:noop"])
def test_moves_written_in_other_ways(move: str) -> None:
    drawn = run("draw", "tictactoe", "--after", move)
    assert (drawn.code, drawn.out) == (0, run("draw", "tictactoe", "--after", "mark 1 1").out)
    assert drawn.out.splitlines()[-1] == "o to move"


@pytest.mark.parametrize(("ending", "start"), [("html", "<figure"), ("txt", "heap  a")])
def test_other_files(tmp_path: Path, ending: str, start: str) -> None:
    target = tmp_path / f"board.{ending}"
    assert run("draw", "nim", "-o", target).code == 0
    assert target.read_text(encoding="utf-8").startswith(start)


def test_towers_stand_beside_each_other() -> None:
    assert run("draw", "blocksworld").out.splitlines()[:3] == [" c", " a  b", "──────"]


def test_a_sheet_that_nobody_has_drawn_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is played to learn whose turn it is, and that is kept."""
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path / "kept"))
    sheet = games.find("tictactoe")
    assert sheet is not None
    mine = tmp_path / "mine.kif"
    mine.write_text(f"{sheet.read_text(encoding='utf-8')} (mine 1)", encoding="utf-8")
    drawn = run("draw", mine).out
    assert drawn.splitlines()[-1] == "x to move"
    assert len(list((tmp_path / "kept").glob("*.board"))) == 1
    assert run("draw", mine).out == drawn


def test_hints_of_ones_own(tmp_path: Path) -> None:
    hints = tmp_path / "mine.toml"
    hints.write_text("[things.x]\nglyph = 'X'\n", encoding="utf-8")
    assert "│ X │" in run("draw", "tictactoe", "--after", "mark 2 2", "--hints", hints).out


def test_wrong_hints(tmp_path: Path) -> None:
    hints = tmp_path / "mine.toml"
    hints.write_text("[things.queen]\nglyph = 'Q'\n", encoding="utf-8")
    outcome = run("draw", "tictactoe", "--hints", hints)
    assert outcome.code == 1
    assert outcome.err == f"error: {hints}: things.queen: the rules have no word queen; check its spelling\n"
    hints.write_bytes(b"\xff")
    assert "is no text in UTF-8" in run("draw", "tictactoe", "--hints", hints).err
    assert run("draw", "tictactoe", "--hints", tmp_path / "none.toml").code == 1


def test_a_file_of_another_kind() -> None:
    outcome = run("draw", "tictactoe", "-o", "board.png")
    assert outcome.code == 2
    assert ".svg, .html or" in outcome.err


def test_a_move_that_cannot_be_made() -> None:
    outcome = run("draw", "tictactoe", "--after", "mark 9 9")
    assert outcome.code == 1
    assert outcome.err.startswith("error: move 1: mark 9 9 is not legal for x")
