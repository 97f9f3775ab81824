"""Table 2 of the paper on Cluneplayer: its games, and a whole small run."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.clune_table2 import BY_NODES, PAPER
from experiments.experiment import PLANS
from ludens.arena.tournament.plan import load_plan
from tests.experiments.runs import files_in, write_plan


@pytest.mark.full
def test_a_small_run_shows_our_scores_beside_those_of_the_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    players = 'cluneplayer = "cluneplayer"\nearlypayoff = "earlypayoff"'
    write_plan(tmp_path, '["racetrackcorridor", "tictactoe"]', 'nodes = 60\nseating = "halves"', players)
    assert BY_NODES.main(files_in(tmp_path)) == 0
    shown = capsys.readouterr().out
    row = next(line for line in shown.splitlines() if "racetrackcorridor" in line)
    assert row.split()[-2:] == ["100:10", "+90"]
    assert BY_NODES.main(["--redraw", *files_in(tmp_path)]) == 0
    assert row in capsys.readouterr().out
    assert (tmp_path / "chart.svg").read_text().startswith("<")


@pytest.mark.parametrize("name", ["clune_table2", "clune_table2_timed"])
def test_the_games_of_the_paper_are_played_with_half_of_the_roles(name: str) -> None:
    plan = load_plan(PLANS / f"{name}.toml")
    assert [game.name for game in plan.games] == list(PAPER)
    assert [game.seats for game in plan.games] == [2, 2, 2, 2, 6]
    assert plan.seating == "halves"
    assert plan.is_timed == name.endswith("timed")
