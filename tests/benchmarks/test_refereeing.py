"""The benchmark of the referee: what it measures, writes and reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.refereeing import RefereeResults, main
from benchmarks.refereeing_work import CALLED, HTTP, THREADS, Crowd, Overhead


@pytest.mark.full
def test_a_short_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "refereeing.json"
    arguments = ["--games", "nim", "--crowd-games", "nim", "--rounds", "1", "--matches", "4", "--json", str(figures)]
    assert main(arguments) == 0
    document = json.loads(figures.read_text())
    assert [each["way"] for each in document["overheads"]] == [CALLED, THREADS, HTTP]
    for each in document["overheads"]:
        assert each["problem"] is None
        assert each["total"] > each["own"] > 0
        assert each["moves"] > 0
        assert each["met"] == (each["added"] < each["target"])
    (crowd,) = document["crowds"]
    assert (crowd["finished"], crowd["faults"], crowd["met"]) == (4, 0, True)
    shown = capsys.readouterr().out
    assert "4 matches of nim at once over HTTP: 4 finished" in shown
    assert main(["--redraw", "--json", str(figures)]) == 0
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize(
    ("added", "way", "met"),
    [(0.0049, CALLED, True), (0.0051, THREADS, False), (0.0199, HTTP, True), (0.021, HTTP, False)],
)
def test_targets(added: float, way: str, met: bool) -> None:
    assert Overhead(way, "nim", 10, 0.1 + added, 0.1).met == met


def test_a_crowd_with_a_fault_misses_its_target() -> None:
    assert Crowd("nim", 50, 50, 400, 0, 3.0).met
    assert not Crowd("nim", 50, 50, 400, 1, 3.0).met
    assert not Crowd("nim", 50, 49, 400, 0, 3.0).met


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"rounds": 1, "cpu": "", "versions": {}, "overheads": [], "crowds": []}']
)
def test_files_that_hold_no_figures(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises((ValueError, LookupError, TypeError)):
        RefereeResults.read(path)
    with pytest.raises(SystemExit):
        main(["--redraw", "--json", str(path)])
