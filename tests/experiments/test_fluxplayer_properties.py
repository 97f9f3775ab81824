"""The experiment on properties: its means and intervals, and a whole run that is broken off and goes on."""

from __future__ import annotations

import re
from operator import mul
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any
from xml.etree import ElementTree

import pytest

from experiments.fluxplayer_properties import ALL_GAMES, EXPERIMENT, WORDS, Lead, property_scores
from experiments.report import PlayedMatch, Report, Settings
from tests.experiments.runs import document_in, files_in, refusal, write_plan

PLAYERS = 'earlypayoff = "earlypayoff"\nrandom = "random"\nlegal = "legal"'
PAIRS = 'pairs = [["earlypayoff", "random"], ["earlypayoff", "legal"]]\nnodes = 20'


def match(sheet: str, opponent: str, number: int, first: float, second: float) -> PlayedMatch:
    return PlayedMatch(sheet, ("fluxplayer", opponent), number, 7, ("a", "b"), (first, second), 9, (0.2, 0.1))


def some_scores() -> Report:
    report = Report(Settings(0.1, None, 1), "some processor", {})
    report.matches += [match("hex", "uct", number, points, 100 - points) for number, points in enumerate((100, 50))]
    report.matches += [match("hanoi", "uct", number, points, 10) for number, points in enumerate((0, 20, 40, 60))]
    report.matches.append(match("hex", "random", 0, 100, 0))
    nothing = dict.fromkeys(WORDS, False)
    report.sheets.update(
        hex={**nothing, "many_moves": True}, hanoi={**nothing, "distance": True, "concrete_goal": True}
    )
    return report


def test_each_game_counts_the_same() -> None:
    found = {score.words: score for score in property_scores(some_scores())}
    assert list(found) == [ALL_GAMES, *WORDS.values()]
    assert {words for words, score in found.items() if not score.sheets} == {
        "gradual goals",
        "quantity in the goal",
        "nondescript goal",
        "mobility",
    }
    assert found[ALL_GAMES].score == pytest.approx(((75 + 100) / 2 + 30) / 2), "each opponent counts the same, too"
    assert found[ALL_GAMES].above_own == 0
    assert found["distance in the goal"].above_own == pytest.approx(30 - found[ALL_GAMES].score)
    assert found[ALL_GAMES].leads["uct"].mean == pytest.approx((50 + 20) / 2)
    assert found[ALL_GAMES].leads["random"].mean == 100
    assert set(found["concrete goal"].leads) == {"uct"}


def test_games_without_properties_do_not_count() -> None:
    report = some_scores()
    del report.sheets["hex"]
    every, *_ = property_scores(report)
    assert (every.score, every.sheets) == (30, ("hanoi",))
    report.sheets["hanoi"] = {"states": 5}
    assert property_scores(report) == []


@pytest.mark.parametrize(
    "games",
    [
        [((1, 0, 1), 2), ((0, 1, 3), 4)],
        [((0, 0, 1), 4), ((1, 1, 1), 4), ((0, 1, 9), 4)],
        [((1, 0, 9), 6), ((9, 0, 1), 2), ((0, 1, 0), 2)],
        [((1, 0, 19), 2)] * 7,
    ],
)
def test_the_interval_holds_the_mean_of_games_as_often_as_it_says(games: list[tuple[tuple[int, ...], int]]) -> None:
    """For games of which each has its own odds, with few matches, and not as many of each."""
    points, rng, held = (-100, 0, 100), Random(5), 0
    true = fmean(sum(map(mul, points, odds)) / sum(odds) for odds, _ in games)
    for _ in range(1000):
        lead = Lead.of([rng.choices(points, odds, k=matches) for odds, matches in games])
        held += lead.low <= true <= lead.high
    assert held >= 950


def test_equal_matches_make_nothing_certain() -> None:
    few, more = Lead.of([[100, 100]] * 2), Lead.of([[100] * 9] * 2)
    assert few.mean == more.mean == few.high == 100
    assert few.low < 10 < more.low < 100
    assert Lead.of([[20], [10, 20]]).mean == 17.5


@pytest.mark.full
def test_a_whole_run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write_plan(tmp_path, '["tictactoe", "blocksworld", "rockpaperscissors"]', PAIRS, PLAYERS)
    assert EXPERIMENT.main(files_in(tmp_path)) == 0
    document = document_in(tmp_path)
    assert len(document["matches"]) == 10
    assert document["sheets"]["blocksworld"]["concrete_goal"]
    assert document["sheets"]["tictactoe"]["mobility"]
    out = capsys.readouterr().out
    assert "all games" in out
    assert "concrete goal" in out
    assert re.search("distance in the goal +none", out.split("nodes a move")[1])
    drawn = (tmp_path / "chart.svg").read_text()
    bars = [part for part in ElementTree.fromstring(drawn).iter() if part.get("class") in ("c2", "c3", "c0")]
    rows = [score for score in property_scores(Report.read(tmp_path / "report.json")) if score.sheets]
    assert len(bars) == 3 + 3 * len(rows), "a legend, and three bars a row"
    assert drawn.count(">no games<") == 8 - len(rows)
    monkeypatch.setattr("experiments.fluxplayer_properties.find_properties", lambda *_: pytest.fail("found again"))
    assert EXPERIMENT.main(files_in(tmp_path)) == 0
    assert EXPERIMENT.main(["--redraw", *files_in(tmp_path)]) == 0
    assert (tmp_path / "chart.svg").read_text() == drawn


UNCOMPILED = """
(role a) (role b) (init start) (legal a go) (legal b go) (<= (legal a on) (does a go))
(<= (next done) (does a go)) (<= terminal (true done)) (goal a 100) (goal b 0)
"""


@pytest.mark.full
def test_a_game_that_cannot_be_compiled_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "odd.kif").write_text(UNCOMPILED)
    write_plan(tmp_path, '["odd.kif"]', PAIRS, PLAYERS)
    assert EXPERIMENT.main(files_in(tmp_path)) == 0
    out = capsys.readouterr().out
    assert "odd is left out" in out
    assert "no game has known properties" in out


@pytest.mark.parametrize(
    ("sheets", "words"),
    [({}, "no game has known properties"), ({"hex": {}}, "no game has known properties")],
)
def test_a_file_with_nothing_to_draw(
    sheets: dict[str, Any], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = some_scores()
    report.sheets = sheets
    report.write(tmp_path / "report.json")
    assert EXPERIMENT.main(["--redraw", *files_in(tmp_path)]) == 0
    assert words in capsys.readouterr().out
    report.sheets = {"hex": 3}  # type: ignore[dict-item]
    report.write(tmp_path / "report.json")
    assert "does not hold figures" in refusal(EXPERIMENT, ["--redraw", *files_in(tmp_path)], capsys)


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ("", "pairs: name the same player first"),
        ('pairs = [["a", "b"], ["b", "c"]]', "pairs: name the same player first"),
        ('pairs = [["a", "b"], ["a", "c"], ["a", "d"], ["a", "e"]]', "4 opponents are too many for the chart"),
    ],
)
def test_plans_that_do_not_fit(pairs: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_plan(tmp_path, more=pairs, players="\n".join(f'{name} = "random"' for name in "abcde"))
    assert words in refusal(EXPERIMENT, files_in(tmp_path), capsys)
