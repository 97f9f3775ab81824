"""The benchmark of the evaluation: what it measures, writes and reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.comparing import Rate
from benchmarks.evaluating import BATCHES, ONE_BY_ONE, SMALL_BATCHES, EvaluatingResults, contenders_at, main


def test_a_short_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "evaluating.json"
    arguments = ["--games", "nim", "nothing", "--rounds", "1", "--seconds", "0.01", "--json", str(figures)]
    assert main(arguments) == 0
    document = json.loads(figures.read_text())
    rates = {(rate["game"], rate["contender"]): rate for rate in document["rates"]}
    assert set(rates) == {("nim", BATCHES), ("nim", SMALL_BATCHES), ("nim", ONE_BY_ONE), ("nothing", BATCHES)}
    assert all(rate["per_second"] > 0 and rate["problem"] is None for (game, _), rate in rates.items() if game == "nim")
    assert "there is neither a bundled game nor a file called 'nothing'" in rates["nothing", BATCHES]["problem"]
    (ratio,) = document["ratios"]
    assert ratio["ratio"] == rates["nim", BATCHES]["per_second"] / rates["nim", ONE_BY_ONE]["per_second"]
    shown = capsys.readouterr().out
    assert f"{ratio['ratio']:,.0f}x" in shown
    assert main(["--redraw", "--json", str(figures)]) == 0
    assert capsys.readouterr().out == shown


def test_contenders_count_states() -> None:
    for make in contenders_at("hex").values():
        worked = make()(0.005)
        assert worked.iterations > 0
        assert worked.cpu_seconds > 0


def test_no_ratio_without_both() -> None:
    results = EvaluatingResults(1.0, 1, "", {})
    results.add(Rate("nim", BATCHES, 100.0, 0.0))
    assert results.ratios() == []
    results.add(Rate("nim", ONE_BY_ONE, 10.0, 0.0))
    assert [ratio.ratio for ratio in results.ratios()] == [10.0]
