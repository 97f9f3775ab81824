"""The benchmark itself: what it counts, how it compares, and that nobody who fails ends the run."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pyspiel
import pytest

from benchmarks import scaling
from benchmarks.__main__ import main
from benchmarks.catalogue import CATALOGUE, BenchGame
from benchmarks.contenders import BATCHED_CONTENDERS, CONTENDERS, CannotPlayError, Contender, Played
from benchmarks.contenders.open_spiel import SpielRunner
from benchmarks.contest import Contest
from benchmarks.contest_report import draw_chart
from benchmarks.results import Measurement, Results
from benchmarks.scaling import PowerLaw, Row, read_rows, write_rows
from benchmarks.seat import Seat
from ludens.engines.reference import ReferenceEngine
from ludens.gdl.rules import Rules

Program = Callable[[Sequence[str] | None], int]
SPIEL_GAMES = [game for game in CATALOGUE.values() if game.open_spiel]
TWISTS = 8
"""OpenSpiel's pentago places and twists in one move."""


@pytest.mark.parametrize("game", SPIEL_GAMES, ids=lambda game: game.name)
def test_both_sides_play_the_same_game(game: BenchGame) -> None:
    """The first mover has as many moves here as there, so that sizes and rules of the boards match."""
    engine = ReferenceEngine(Rules.from_source(game.source()))
    ours = max(len(moves) for moves in engine.legal(engine.initial(1))[0])
    theirs = len(pyspiel.load_game(game.open_spiel).new_initial_state().legal_actions())
    assert theirs == ours * (TWISTS if game.name == "pentago" else 1)


@pytest.mark.external
def test_openspiel_counts_moves_by_the_mean_length() -> None:
    played = SpielRunner("dots_and_boxes(num_rows=4,num_cols=4)").play(0.05)
    assert played.states == 40 * played.playouts


@pytest.mark.external
def test_mean_length_agrees_with_our_engine() -> None:
    engine = ReferenceEngine(Rules.from_source(CATALOGUE["tictactoe"].source()))
    lengths = engine.playouts(engine.initial(2000), Random(3)).lengths
    played = SpielRunner("tic_tac_toe").play(0.05)
    assert math.isclose(played.states / played.playouts, lengths.mean(), rel_tol=0.02)


def test_medians_and_ratios() -> None:
    results = Results(1, 3, "some processor", {})
    results.add(
        Measurement.of("pentago", "sliced", [Played(600, 10, 1.0), Played(1000, 10, 1.0), Played(800, 10, 1.0)])
    )
    results.add(Measurement.of("pentago", "openspiel", [Played(100, 10, 1.0)]))
    results.add(Measurement("tictactoe", "sliced", problem="broken"))
    ratio = results.ratio("pentago", ("sliced", "openspiel"))
    assert results.speed("pentago", "sliced") == 800
    assert ratio is not None
    assert ratio.ratio == 4.0, "two moves of the sheet are one of OpenSpiel"
    assert ratio.met
    assert results.ratio("tictactoe", ("sliced", "openspiel")) is None


def test_results_and_chart_survive_a_file(tmp_path: Path) -> None:
    results = Results(1, 1, "some processor", {"python": "3"})
    for game in ("hex", "corpus/hex"):
        for number, name in enumerate(BATCHED_CONTENDERS):
            results.add(Measurement.of(game, name, [Played(10**number + 1, 1, 1.0)]))
    results.write(tmp_path / "deep" / "bench.json")
    again = Results.read(tmp_path / "deep" / "bench.json")
    assert again.document() == results.document()
    draw_chart(again, tmp_path / "bench.svg")
    bars = [part for part in ElementTree.parse(tmp_path / "bench.svg").iter() if part.get("class") == "c0"]
    assert len(bars) == 3, "one in the legend, one for each game"


def test_a_run_goes_on_when_a_contender_fails(tmp_path: Path) -> None:
    results = Results(0.05, 2, "some processor", {})
    contenders = [Contender("missing", "missing", "no.module", False), CONTENDERS["reference"]]
    seen: list[str] = []
    Contest(contenders, results, 60, seen.append).measure(CATALOGUE["tictactoe"])
    assert results.measurements["tictactoe", "missing"].problem
    assert results.speed("tictactoe", "reference")
    assert any("reference" in words for words in seen)


def test_a_whole_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = files_in(tmp_path)
    assert main(["--games", "tictactoe", "--engines", "reference", "--seconds", "0.05", "--rounds", "2", *files]) == 0
    (measured,) = json.loads((tmp_path / "bench.json").read_text())["measurements"]
    assert measured["states_per_second"] > 100
    assert 5 <= measured["mean_length"] <= 9
    assert 0 < measured["first_playout_seconds"] < measured["with_interpreter_seconds"]
    assert "tictactoe" in capsys.readouterr().out
    assert main(["--redraw", *files]) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--games", "chss"], "there is no game called chss"),
        (["--engines", "java"], "there is no engine called java"),
        (["--rounds", "0"], "not a whole number above 0"),
        (["--seconds", "nan"], "nan is not a number above 0"),
        (["--seconds", "abc"], "abc is not a number above 0"),
        (["--json", "/dev/null/bench.json"], "/dev/null/bench.json cannot be written"),
        (["--chart", "/"], "/ cannot be written"),
        (["--redraw", "--json", "/missing.json"], "measure first"),
    ],
)
def test_wrong_arguments(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert words in refusal(main, [*files_in(tmp_path), *arguments], capsys)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--games", "chss"], "there is no game called chss"),
        (["--games", *[next(iter(scaling.sheets()))] * 2], "at least two games"),
        (["--seconds", "-1"], "-1 is not a number above 0"),
        (["--chart", "/dev/null/scaling.svg"], "/dev/null/scaling.svg cannot be written"),
        (["--redraw", "--json", "/missing.json"], "measure first"),
    ],
)
def test_wrong_arguments_of_scaling(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert words in refusal(scaling.main, [*files_in(tmp_path), *arguments], capsys)


FOREIGN = [
    "",
    "[]",
    "{}",
    "3",
    '[{"name": "hex", "gates": "many", "ns_per_state": 1}]',
    '{"seconds": 1, "rounds": 1, "cpu": "", "versions": {}, "measurements": [{"game": "x", "contender": "y"}]}',
    '{"seconds": 1, "rounds": 1, "cpu": "", "versions": {}, "measurements": '
    '[{"game": "hex", "contender": "sliced", "states_per_second": 0}]}',
]


@pytest.mark.parametrize("text", FOREIGN)
@pytest.mark.parametrize("program", [main, scaling.main])
def test_figures_of_others_are_refused(
    program: Program, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = tmp_path / "bench.json"
    figures.write_text(text)
    told = refusal(program, ["--redraw", *files_in(tmp_path)], capsys)
    assert "does not hold figures" in told or "at least two sizes" in told
    assert figures.read_text() == text
    assert list(tmp_path.iterdir()) == [figures]


def files_in(folder: Path) -> list[str]:
    return ["--json", str(folder / "bench.json"), "--chart", str(folder / "bench.svg")]


def refusal(program: Program, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What a program says about wrong use, which ends it."""
    with pytest.raises(SystemExit) as ended:
        program(arguments)
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_games_measured_before_an_interruption_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measure = Contest.measure

    def until_hex(contest: Contest, game: BenchGame) -> None:
        if game.name == "hex":
            raise KeyboardInterrupt
        measure(contest, game)

    monkeypatch.setattr(Contest, "measure", until_hex)
    files = files_in(tmp_path)
    few = ["--games", "tictactoe", "hex", "--engines", "reference", "--seconds", "0.05", "--rounds", "1"]
    assert main([*few, *files]) == 130
    assert Results.read(tmp_path / "bench.json").games == ["tictactoe"]


@pytest.mark.full
def test_a_whole_run_of_scaling(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [name for name in scaling.sheets() if name.lower() in ("tictactoe", "connectfour")]
    assert scaling.main(["--games", *names, "--seconds", "0.02", *files_in(tmp_path)]) == 0
    assert [row.name for row in read_rows(tmp_path / "bench.json")] == names
    assert "2 games" in capsys.readouterr().out


def test_a_seat_tells_why_it_cannot_play(tmp_path: Path) -> None:
    with pytest.raises(CannotPlayError, match="not a game that OpenSpiel has"):
        Seat(CONTENDERS["openspiel"], CATALOGUE["corpus/hex"], tmp_path, 60)
    with pytest.raises(CannotPlayError, match="no answer"):
        Seat(CONTENDERS["reference"], CATALOGUE["chess"], tmp_path, 0.01)


def test_power_law_and_its_chart(tmp_path: Path) -> None:
    rows = [Row(f"game {gates}", gates, 0.5 * gates**1.5) for gates in (10, 100, 5000)]
    law = PowerLaw.of(rows)
    assert math.isclose(law.power, 1.5)
    assert math.isclose(law.factor, 0.5)
    write_rows(rows, tmp_path / "rows.json")
    assert read_rows(tmp_path / "rows.json") == rows
    arguments = ["--redraw", "--json", str(tmp_path / "rows.json"), "--chart", str(tmp_path / "rows.svg")]
    assert scaling.main(arguments) == 0
    dots = [part for part in ElementTree.parse(tmp_path / "rows.svg").iter() if part.tag.endswith("circle")]
    assert len(dots) == len(rows)


@pytest.mark.parametrize(("gates", "cost"), [(0, 1.0), (3, 0.0), (3, math.inf)])
def test_rows_that_cannot_be_drawn(gates: int, cost: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        Row("x", gates, cost)
