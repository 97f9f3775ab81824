"""The benchmark of single games: what it counts, and how it compares."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.catalogue import CATALOGUE, NARROW_GAMES
from benchmarks.contenders import CONTENDERS, LIBRARY, NATIVE, PROLOG, RELATIONAL, CannotPlayError, Played, library
from benchmarks.native import main
from benchmarks.results import NARROW_COMPARISONS, Measurement, Results
from tests.tiers import first

LENGTHS = {"tictactoe": (5, 9), "connectfour": (7, 42)}


@pytest.mark.parametrize("name", [NATIVE, RELATIONAL, pytest.param(LIBRARY, marks=pytest.mark.external)])
@pytest.mark.parametrize("game", first(1, LENGTHS))
def test_contenders_play_whole_games(name: str, game: str) -> None:
    runner = CONTENDERS[name].load()(CATALOGUE[game])
    runner.settle()
    played = runner.play(0.05)
    least, most = LENGTHS[game]
    assert least <= played.states / played.playouts <= most
    assert played.cpu_seconds >= 0.05


def test_ratios_have_their_own_targets() -> None:
    results = Results(1, 1, "some processor", {}, NARROW_COMPARISONS)
    for game in ("checkers", "corpus/chess"):
        results.add(Measurement.of(game, PROLOG, [Played(100, 10, 1.0)]))
    results.add(Measurement.of("checkers", NATIVE, [Played(9_900, 10, 1.0)]))
    results.add(Measurement.of("corpus/chess", RELATIONAL, [Played(1_000, 10, 1.0)]))
    native = results.ratio("checkers", (NATIVE, PROLOG))
    relational = results.ratio("corpus/chess", (RELATIONAL, PROLOG))
    assert native
    assert (native.ratio, native.target, native.met) == (99, 100, False)
    assert relational
    assert (relational.ratio, relational.target, relational.met) == (10, 10, True)
    assert [ratio["contender"] for ratio in results.document()["ratios"]] == [NATIVE, RELATIONAL] * 2


@pytest.mark.full
def test_a_whole_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "native.json"
    few = ["--games", "tictactoe", "--engines", NATIVE, RELATIONAL, "--seconds", "0.05", "--rounds", "1"]
    assert main([*few, "--json", str(figures)]) == 0
    document = json.loads(figures.read_text())
    assert [entry["contender"] for entry in document["measurements"]] == [NATIVE, RELATIONAL]
    for entry in document["measurements"]:
        assert entry["problem"] is None
        assert entry["first_playout_seconds"] > 0
    shown = capsys.readouterr().out
    assert "one game after the other" in shown
    assert main(["--redraw", "--json", str(figures)]) == 0
    assert capsys.readouterr().out.strip() == shown.strip()


@pytest.mark.parametrize(("compiler", "complaint"), [("no-such-compiler", "cannot be run"), ("false", "failed: 1")])
def test_the_compiler_of_the_user_makes_the_library(
    compiler: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", compiler)
    with pytest.raises(CannotPlayError, match=complaint):
        library.prepare(CATALOGUE["tictactoe"])


def one(game: str, contender: str = NATIVE, **noted: Any) -> Measurement:
    return replace(Measurement.of(game, contender, [Played(100, 10, 1.0)]), **noted)


def test_busy_games_are_told_apart() -> None:
    results = Results(1, 1, "some processor", {}, NARROW_COMPARISONS)
    results.add(one("tictactoe", core_share=0.97))
    results.add(one("connectfour"))
    results.add(Measurement("nim", NATIVE, problem="it cannot play"))
    results.add(one("checkers", load=1.1, core_share=0.97))
    results.add(one("hex", load=3.0, core_share=0.99))
    results.add(one("chess", load=0.0, core_share=0.5))
    assert results.busy_games() == ["connectfour", "hex", "chess"], "what nobody noted may have been busy"
    assert Measurement.of("hex", NATIVE, [Played(1, 1, 1.0, 4.0), Played(1, 1, 2.0, 4.0)]).core_share == 3 / 8


def test_games_are_added_to_those_of_an_earlier_run() -> None:
    earlier, later = (Results(1, 1, "some processor", {"numpy": "2"}, NARROW_COMPARISONS) for _ in range(2))
    earlier.add(one("tictactoe", measured="yesterday"))
    earlier.add(one("hex", measured="yesterday"))
    later.add(one("checkers", measured="today"))
    later.take_over(earlier)
    assert later.games == ["tictactoe", "checkers", "hex"]
    later.forget("hex")
    assert later.games == ["tictactoe", "checkers"]
    for other in (
        Results(2, 1, "some processor", {"numpy": "2"}),
        Results(1, 2, "some processor", {"numpy": "2"}),
        Results(1, 1, "another processor", {"numpy": "2"}),
        Results(1, 1, "some processor", {"numpy": "3"}),
    ):
        with pytest.raises(ValueError, match="other"):
            other.take_over(earlier)


@pytest.mark.full
def test_runs_of_separate_games_come_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the machine is busy is not ours to say here: first it never is, then always."""
    figures = tmp_path / "native.json"
    common = ["--engines", NATIVE, "--seconds", "0.01", "--rounds", "1", "--json", str(figures)]
    monkeypatch.setattr("benchmarks.contest.Contest.warm_up", lambda self: None)
    monkeypatch.setattr("benchmarks.results.MAX_LOAD", math.inf)
    monkeypatch.setattr("benchmarks.results.MIN_SHARE", 0.0)
    assert main(["--games", "tictactoe", "--quiet", *common]) == 0
    assert main(["--games", "connectfour", "--add", "--quiet", *common]) == 0
    before = json.loads(figures.read_text())
    assert [entry["game"] for entry in before["measurements"]] == ["tictactoe", "connectfour"]
    for entry in before["measurements"]:
        assert entry["measured"].endswith("+00:00")
        assert 0 < entry["core_share"] < 2
    monkeypatch.setattr("benchmarks.results.MIN_SHARE", math.inf)
    monkeypatch.setattr("benchmarks.program.PAUSE_SECONDS", 0.0)
    assert main(["--games", "tictactoe", "--add", "--quiet", *common]) == 1
    assert json.loads(figures.read_text()) == before
    monkeypatch.setattr("benchmarks.results.MIN_SHARE", 0.0)
    busy = {**before, "measurements": [{**entry, "load": math.inf} for entry in before["measurements"]]}
    figures.write_text(json.dumps(busy))
    monkeypatch.setattr("benchmarks.results.MAX_LOAD", 1e9)
    assert main(["--games", "tictactoe", "--add", "--quiet", *common]) == 0
    assert [entry["game"] for entry in json.loads(figures.read_text())["measurements"]] == ["tictactoe"]
    figures.write_text(json.dumps(before))
    with pytest.raises(SystemExit):
        main(["--games", "tictactoe", "--add", "--seconds", "0.02", *common[:2], *common[4:]])
    assert json.loads(figures.read_text()) == before


def test_all_games_of_the_list_are_known() -> None:
    assert set(NARROW_GAMES) <= CATALOGUE.keys()
    assert sum(CATALOGUE[name].native_target is not None for name in NARROW_GAMES) == 3
    assert sum(CATALOGUE[name].relational_target is not None for name in NARROW_GAMES) == 2
