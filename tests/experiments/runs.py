"""Small plans of experiments, and running them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from experiments.experiment import RESULTS, Experiment

MATCH_RESULTS = [path for path in sorted(RESULTS.glob("*.json")) if path.stem != "gdlcc_tables"]
"""The reports that come with the project."""
PLAN = """
name = "{name}"
games = {games}
{more}
[players]
{players}
"""


def write_plan(
    folder: Path,
    games: str = '["tictactoe"]',
    more: str = "",
    players: str = 'random = "random"\nlegal = "legal"',
    name: str = "small",
) -> Path:
    path = folder / "plan.toml"
    path.write_text(PLAN.format(name=name, games=games, more=more, players=players))
    return path


def files_in(folder: Path) -> list[str]:
    """Options by which a run leaves everything in a folder."""
    paths = {"plan": "plan.toml", "store": "matches.sqlite", "json": "report.json", "chart": "chart.svg"}
    return [word for option, file in paths.items() for word in (f"--{option}", str(folder / file))]


def document_in(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return document


def refusal(experiment: Experiment, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What the program says about wrong use, which ends it."""
    with pytest.raises(SystemExit) as ended:
        experiment.main(arguments)
    assert ended.value.code == 2
    return " ".join(capsys.readouterr().err.split())
