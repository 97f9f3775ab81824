"""The tables of the paper about gdlcc: what is measured, and how it is averaged."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from experiments.gdlcc_players import NATIVE, PLAYER, PLAYERS, RELATIONAL, SLICED, TABLE, Turn
from experiments.gdlcc_tables import PAPER, PAPER_CLOCK, Row, Tables, main
from ludens.errors import CompileError
from ludens.game import load
from tests.engines.native.building import compilers, write_library
from tests.tiers import first

IN_C = [pytest.param(player, marks=pytest.mark.external) for player in (NATIVE, TABLE)]


@pytest.mark.parametrize("player", [RELATIONAL, SLICED, *IN_C])
@pytest.mark.parametrize(("game", "least", "most"), first(1, [("tictactoe", 5, 9), ("nim", 3, 12)]))
def test_every_player_plays_a_whole_match(player: str, game: str, least: int, most: int) -> None:
    with PLAYERS[player](load(game).engine_rules) as play:
        turns = play(1, 0.002)
    assert least <= len(turns) <= most
    for place, turn in enumerate(turns):
        assert turn.simulations > 0
        assert turn.simulations - 1 <= turn.states <= (most - place) * (turn.simulations + 1), "both are rounded"


def test_the_compiler_of_the_user_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler -O0")
    with pytest.raises(CompileError, match="no-such-compiler cannot be run"), PLAYERS[NATIVE](load("nim").engine_rules):
        pytest.fail("there is no such compiler")


@pytest.mark.external
@pytest.mark.parametrize("game", ["tictactoe", "biddingtictactoe", "pig"])
def test_the_player_in_c_does_nothing_wrong(game: str, tmp_path: Path) -> None:
    """No warning, and nothing for the sanitizers to find; a full table too."""
    write_library(load(game).engine_rules, tmp_path)
    options = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-fsanitize=address,undefined"]
    command = [compilers()[0], *options, "-DGAME=game", "-include", "game.h", "game.c", str(PLAYER), "-o", "player"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    for table in (0, 50, 10_000):
        run = ["./player", "1", "0.002", str(table), "20"]
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout


def test_states_are_averaged_by_thirds() -> None:
    match = [Turn(10 * place, 100 * place) for place in range(1, 7)]
    row = Row.of("tictactoe", NATIVE, [match, match[:3]], PAPER_CLOCK / 2)
    assert row.simulations == (2 * (10 + 20 + 10) / 3, 2 * (30 + 40 + 20) / 3, 2 * (50 + 60 + 30) / 3)
    assert row.states == pytest.approx([10 * value for value in row.simulations])
    assert row.turns == 9


def test_the_figures_of_the_paper_agree_with_its_text() -> None:
    """States in tic-tac-toe: 16.5 to 18.6 times those of Prolog, 23.5 to 27.1 with the table; in chess 1.6 and more."""
    yap, gdlcc, table = (PAPER["tictactoe"][name][0] for name in ("YAP", "gdlcc", "gdlcc tt"))
    ratios = [own / other for own, other in zip(gdlcc, yap, strict=True)]
    assert (round(min(ratios), 1), round(max(ratios), 1)) == (16.5, 18.6)
    ratios = [own / other for own, other in zip(table, yap, strict=True)]
    assert (round(min(ratios), 1), round(max(ratios), 1)) == (23.5, 27.1)
    ratios = [own / other for own, other in zip(PAPER["chess"]["gdlcc"][0], PAPER["chess"]["YAP"][0], strict=True)]
    assert round(min(ratios), 1) == 1.6


@pytest.mark.external
def test_a_whole_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "tables.json"
    few = ["--games", "tictactoe", "--players", NATIVE, RELATIONAL, "--clock", "0.002", "--matches", "1"]
    assert main([*few, "--json", str(figures)]) == 0
    document = json.loads(figures.read_text())
    assert [row["player"] for row in document["rows"]] == [NATIVE, RELATIONAL]
    shown = capsys.readouterr().out
    for words in ("states examined in 5 seconds", "simulations in 5 seconds", "839,772", "134,932", "C library"):
        assert words in shown
    assert main(["--redraw", "--json", str(figures)]) == 0
    assert capsys.readouterr().out.strip() == shown.strip()


@pytest.mark.parametrize(
    ("compiler", "complaint"),
    first(
        1,
        [
            ("echo 'no room' >&2; exit 1", "the C compiler cc failed: no room"),
            ("exit 3", "the C compiler cc failed: it ended with code 3"),
            ("printf '#!/bin/sh\\nexit 4' > player; chmod +x player", "the player in C failed: it ended with code 4"),
            (":", "the player in C cannot be run"),
        ],
    ),
)
def test_a_compiler_that_fails_costs_only_its_rows(
    compiler: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "cc"
    program.write_text(f"#!/bin/sh\n{compiler}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    figures = tmp_path / "tables.json"
    few = ["--games", "tictactoe", "--players", NATIVE, RELATIONAL, "--clock", "0.002", "--matches", "1"]
    assert main([*few, "--json", str(figures)]) == 0
    failed, played = json.loads(figures.read_text())["rows"]
    assert failed["problem"].startswith(complaint)
    assert played["problem"] is None
    assert f"Tic-Tac-Toe, C library: {complaint}" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"rows": []}', '{"rows": [{"game": "go"}]}'])
def test_files_that_hold_no_figures(text: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises((ValueError, LookupError, TypeError)):
        Tables.read(path)
    with pytest.raises(SystemExit):
        main(["--redraw", "--json", str(path)])
