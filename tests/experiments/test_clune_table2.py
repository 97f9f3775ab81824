"""Table 2 of the paper on Cluneplayer: a whole small run."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from experiments.clune_table2 import PAPER, main
from experiments.matches import Task, play, seatings
from ludens import games
from ludens.players import cluneplayer

FOUR = """
(role a) (role b) (role c) (role d) (init start) (<= (next done) (does a go)) (<= terminal (true done))
(legal a go) (legal b go) (legal c go) (legal d go) (goal a 0) (goal b 100) (goal c 40) (goal d 20)
"""


@pytest.mark.full
def test_a_small_run_shows_our_scores_beside_those_of_the_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluneplayer, "REPEATABLE_STATES", 1600)
    files = ("--json", str(tmp_path / "t.json"), "--chart", str(tmp_path / "t.svg"))
    options = ("--sheets", "racetrackcorridor", "tictactoe", "--games", "2", "--nodes", "60", *files)
    assert main(options) == 0
    shown = capsys.readouterr().out
    row = next(line for line in shown.splitlines() if "racetrackcorridor" in line)
    assert row.split()[-2:] == ["100:10", "+90"]
    assert main(("--redraw", *files)) == 0
    assert row in capsys.readouterr().out
    assert (tmp_path / "t.svg").read_text().startswith("<")


@pytest.mark.full
def test_clocks_are_scaled_and_runs_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ("--json", str(tmp_path / "t.json"), "--chart", str(tmp_path / "t.svg"))
    options = ("--sheets", "rockpaperscissors", "--nodes", "5", "--scale", "0.5", "--start", "40", *files)
    assert main((*options, "--games", "2")) == 0
    first = json.loads((tmp_path / "t.json").read_text())
    assert (first["settings"]["start"], first["settings"]["clock"]) == (20, 0.5)
    assert main((*options, "--games", "4")) == 0
    second = json.loads((tmp_path / "t.json").read_text())
    assert second["matches"][:2] == first["matches"]
    assert len(second["matches"]) == 4
    with pytest.raises(SystemExit):
        main(("--sheets", "rockpaperscissors", "--nodes", "6", *files))
    assert "other settings" in capsys.readouterr().err


def test_the_games_of_the_paper_are_played_by_default() -> None:
    assert list(PAPER) == ["cylindercheckers", "racetrackcorridor", "othello", "chess", "chinesecheckers6"]
    assert [games.info(sheet).roles for sheet in PAPER] == [2, 2, 2, 2, 6]


def test_six_roles_are_halved_in_all_ways_and_change_hands_in_the_next_match() -> None:
    listed = seatings(6, halves=True)
    assert len(set(listed)) == len(listed) == 20
    assert all(len(half) == 3 for half in listed)
    assert all({*one, *other} == set(range(6)) for one, other in list(pairwise(listed))[::2])
    assert set(Counter(role for half in listed for role in half).values()) == {10}


def test_scores_of_halves_are_means() -> None:
    played = [play(Task(FOUR, ("legal", "random"), number, 1, 1.0, halves=True)) for number in (0, 1, 2)]
    assert [match.roles for match in played] == [("a", "b", "c", "d"), ("c", "d", "a", "b"), ("a", "c", "b", "d")]
    assert [match.scores for match in played] == [(50, 30), (30, 50), (20, 60)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--sheets", "nosuchgame"), "nosuchgame"),
        (("--scale", "0"), "0 is not a number above 0"),
        (("--redraw",), "measure first"),
    ],
)
def test_bad_input(options: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main((*options, "--json", str(tmp_path / "t.json"), "--chart", str(tmp_path / "t.svg")))
    assert message in capsys.readouterr().err
