"""Experiments as such: their plans, whole small runs, going on, and drawing again."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from benchmarks import machine
from benchmarks.machine import commit
from experiments import experiment
from experiments.__main__ import EXPERIMENTS
from experiments.experiment import PLANS, RESULTS, Experiment
from experiments.report import Report
from experiments.strength import STRENGTH
from ludens.arena.store import Store
from ludens.arena.tournament.plan import load_plan
from ludens.arena.tournament.schedule import schedule
from ludens.runtime.lazy import load_object
from tests.child import ROOT
from tests.experiments.runs import MATCH_RESULTS, document_in, files_in, refusal, write_plan
from tests.tiers import first

PAIRS = 'pairs = [["random", "legal"], ["legal", "again"]]\nrepeats = {repeats}'
THREE = 'random = "random"\nlegal = "legal"\nagain = "random"'


def planned() -> list[Experiment]:
    """All experiments that play matches."""
    programs = [load_object(program.removesuffix(".main")) for program, _ in EXPERIMENTS.values()]
    return [program for program in programs if isinstance(program, Experiment)]


def test_every_plan_is_that_of_an_experiment_and_fits_it() -> None:
    assert {each.name for each in planned()} == {path.stem for path in PLANS.glob("*.toml")}
    for each in planned():
        plan = load_plan(PLANS / f"{each.name}.toml")
        assert plan.name == each.name
        assert each.complaint(plan) is None
        assert EXPERIMENTS[each.name][0].endswith(".main")


@pytest.mark.parametrize("path", MATCH_RESULTS, ids=lambda path: path.stem)
def test_results_have_as_many_matches_as_their_plans(path: Path) -> None:
    plan = load_plan(PLANS / f"{path.stem}.toml")
    alone = {game.name for game in plan.games if game.seats == 1}
    planned = Counter(job.game for job in schedule(plan).timetable({}).jobs)
    pairs = len(plan.pairs) or 1
    expected = {name: pairs * plan.game(name).repeats if name in alone else number for name, number in planned.items()}
    assert Counter(match.sheet for match in Report.read(path).matches) == expected


@pytest.mark.parametrize("each", first(2, planned()), ids=lambda each: each.name)
def test_charts_of_the_guides_are_those_of_the_results(each: Experiment, tmp_path: Path) -> None:
    figures, chart = RESULTS / f"{each.name}.json", ROOT / "docs" / f"{each.name.replace('_', '-')}.svg"
    if figures.exists():
        assert each.main(["--redraw", "--chart", str(tmp_path / "drawn.svg")]) == 0
        assert (tmp_path / "drawn.svg").read_text() == chart.read_text()


def test_a_whole_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_plan(tmp_path, more=PAIRS.format(repeats=2), players=THREE)
    assert STRENGTH.main(files_in(tmp_path)) == 0
    out = capsys.readouterr().out
    assert "random – legal" in out
    assert "legal – again" in out
    document = document_in(tmp_path)
    assert [series["players"] for series in document["series"]] == [["random", "legal"], ["legal", "again"]]
    assert len({entry["seed"] for entry in document["matches"]}) == len(document["matches"]) == 8
    assert document["commits"] == [commit()]
    assert document["plan"]["pairs"] == [["random", "legal"], ["legal", "again"]]
    dots = [part for part in ElementTree.parse(tmp_path / "chart.svg").iter() if part.tag.endswith("circle")]
    assert len(dots) == 2
    drawn = (tmp_path / "chart.svg").read_text()
    (tmp_path / "chart.svg").unlink()
    assert STRENGTH.main(["--redraw", *files_in(tmp_path)]) == 0
    assert (tmp_path / "chart.svg").read_text() == drawn
    written = (tmp_path / "report.json").read_text()
    assert STRENGTH.main(files_in(tmp_path)) == 0
    assert (tmp_path / "report.json").read_text() == written, "nothing is played twice"


def matches_in(folder: Path) -> list[dict[str, Any]]:
    """All that is written about the matches but how long the players thought."""
    return [{key: entry[key] for key in entry if key != "longest"} for entry in document_in(folder)["matches"]]


def start_times(folder: Path) -> set[int]:
    """When the matches of a run began."""
    with Store(folder / "matches.sqlite") as store:
        return {match.start_time for match in store.matches()}


def test_the_same_seed_plays_the_same_matches_and_more_are_added(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, repeats in ((one, 1), (one, 2), (other, 2)):
        folder.mkdir(exist_ok=True)
        write_plan(folder, more=f"repeats = {repeats}")
        assert STRENGTH.main([*files_in(folder), "--parallel", "2" if folder is other else "1"]) == 0
        if repeats == 1:
            early = document_in(folder)["matches"]
    assert matches_in(one) == matches_in(other)
    assert len(early) == 2
    assert all(entry in document_in(one)["matches"] for entry in early), "what was played is not played again"
    before, began = matches_in(one), start_times(one)
    assert STRENGTH.main(["--fresh", *files_in(one)]) == 0
    assert matches_in(one) == before
    assert start_times(one).isdisjoint(began), "played again"


def test_an_interrupted_run_reports_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_plan(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(experiment, "play_until_interrupted", lambda *_: False)
        assert STRENGTH.main(files_in(tmp_path)) == 130
    assert "the same command goes on from here" in capsys.readouterr().out
    assert not (tmp_path / "report.json").exists()
    assert STRENGTH.main(files_in(tmp_path)) == 0


def test_what_was_found_about_games_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interruption while more is measured loses only what was not saved yet."""
    write_plan(tmp_path, '["tictactoe", "nim"]')
    asked: list[str] = []

    def measure(_: object, report: Report, save: Any) -> None:
        for game in ("tictactoe", "nim"):
            if game not in report.sheets:
                asked.append(game)
                if asked == ["tictactoe", "nim"]:
                    raise KeyboardInterrupt
                report.sheets[game] = {"found": True}
                save()

    curious = Experiment("strength", STRENGTH.show, STRENGTH.draw, measure=measure)
    assert curious.main(files_in(tmp_path)) == 130
    assert document_in(tmp_path)["sheets"] == {"tictactoe": {"found": True}}
    assert curious.main(files_in(tmp_path)) == 0
    assert asked == ["tictactoe", "nim", "nim"]
    assert set(document_in(tmp_path)["sheets"]) == {"tictactoe", "nim"}


NO_MOVES = """
(role a) (role b) (init start) (legal a go) (<= (legal b go) (true start))
(<= (next on) (does a go)) (<= terminal (true never)) (goal a 0) (goal b 100)
"""


def test_a_game_that_cannot_be_played_to_its_end_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "stuck.kif").write_text(NO_MOVES)
    write_plan(tmp_path, '["stuck.kif", "tictactoe"]')
    assert STRENGTH.main(files_in(tmp_path)) == 0
    assert "not played:" in capsys.readouterr().out
    assert {entry["sheet"] for entry in matches_in(tmp_path)} == {"tictactoe"}
    write_plan(tmp_path, '["stuck.kif"]', name="stuck")
    assert "there are no matches" in refusal(STRENGTH, files_in(tmp_path), capsys)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--plan", "/missing.toml"], "/missing.toml"),
        (["--parallel", "0"], "not a whole number above 0"),
        (["--json", "/dev/null/report.json"], "/dev/null/report.json cannot be written"),
        (["--store", "/dev/null/matches.sqlite"], "/dev/null"),
        (["--redraw", "--json", "/missing.json"], "measure first"),
    ],
)
def test_wrong_arguments(more: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    write_plan(tmp_path)
    assert words in refusal(STRENGTH, [*files_in(tmp_path), *more], capsys)


def test_mistakes_of_plans_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_plan(tmp_path, '["chss"]')
    assert "plan.toml: games: chss cannot be played" in refusal(STRENGTH, files_in(tmp_path), capsys)
    write_plan(tmp_path)
    assert STRENGTH.main(files_in(tmp_path)) == 0
    write_plan(tmp_path, more="seed = 2")
    assert "another plan (seed changed)" in refusal(STRENGTH, files_in(tmp_path), capsys)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"settings": {}, "cpu": "", "versions": {}, "matches": []}'])
def test_files_of_others_are_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "report.json").write_text(text)
    assert "does not hold figures" in refusal(STRENGTH, ["--redraw", *files_in(tmp_path)], capsys)


def test_the_commit_is_known_here_and_unknown_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if (ROOT / ".git").exists():
        assert re.fullmatch(r"[0-9a-f]{40}( with changes)?", commit())
    monkeypatch.setattr(machine, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert commit() == "unknown"
