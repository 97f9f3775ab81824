"""The experiment on properties: its means and intervals, and a whole run that is broken off and goes on."""

from __future__ import annotations

import json
import re
from operator import mul
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any
from xml.etree import ElementTree

import pytest

from experiments.fluxplayer_properties import main
from experiments.matches import PlayedMatch
from experiments.property_scores import ALL_GAMES, WORDS, Lead, property_scores
from experiments.scores import Scores, Settings
from experiments.strength import main as strength

FEW = ("--player", "earlypayoff", "--opponents", "random", "legal", "--games", "2", "--nodes", "20")
SOME = ("hex", "hanoi")
SHEETS = ("--sheets", "tictactoe", "blocksworld", "rockpaperscissors")


def match(sheet: str, opponent: str, number: int, first: float, second: float) -> PlayedMatch:
    return PlayedMatch(sheet, ("fluxplayer", opponent), number, 7, ("a", "b"), (first, second), 9, (0.2, 0.1))


def some_scores() -> Scores:
    scores = Scores(Settings(0.1, None, 1), "some processor", {})
    for number, points in enumerate((100, 50)):
        scores.add(match("hex", "uct", number, points, 100 - points))
    for number, points in enumerate((0, 20, 40, 60)):
        scores.add(match("hanoi", "uct", number, points, 10))
    scores.add(match("hex", "random", 0, 100, 0))
    nothing = dict.fromkeys(WORDS, False)
    scores.sheets.update(
        hex={**nothing, "many_moves": True}, hanoi={**nothing, "distance": True, "concrete_goal": True}
    )
    return scores


def test_each_game_counts_the_same() -> None:
    found = {score.words: score for score in property_scores(some_scores(), "fluxplayer", ("uct", "random"), SOME)}
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


def test_only_what_is_asked_for_counts() -> None:
    """Matches of earlier runs against others, or at other games, change nothing."""
    for opponents, sheets, score in (
        ({"uct"}, SOME, 52.5),
        ({"uct", "random"}, ["hanoi"], 30),
        ({"random"}, SOME, 100),
    ):
        every, *_ = property_scores(some_scores(), "fluxplayer", opponents, sheets)
        assert every.score == score
        assert set(every.leads) <= opponents
    assert property_scores(some_scores(), "fluxplayer", ["random"], ["hanoi"]) == []
    assert property_scores(some_scores(), "uct", ["fluxplayer"], SOME) == []


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
def test_a_whole_run_that_is_broken_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = files_in(tmp_path)
    added: list[None] = []
    add = Scores.add

    def adding(scores: Scores, played: PlayedMatch) -> None:
        if len(added) == 5:
            raise KeyboardInterrupt
        added.append(add(scores, played))

    with monkeypatch.context() as patch:
        patch.setattr(Scores, "add", adding)
        assert main([*FEW, *SHEETS, *files]) == 130
    early = json.loads((tmp_path / "p.json").read_text())
    assert len(early["matches"]) == 5
    assert early["sheets"]["blocksworld"]["concrete_goal"]
    assert main([*FEW, *SHEETS, *files]) == 0
    late = json.loads((tmp_path / "p.json").read_text())
    assert len(late["matches"]) == 12
    assert all(entry in late["matches"] for entry in early["matches"])
    out = capsys.readouterr().out
    assert "all games" in out
    assert "concrete goal" in out
    assert re.search("distance in the goal +none", out.split("nodes a move")[1])
    drawn = (tmp_path / "p.svg").read_text()
    bars = [part for part in ElementTree.fromstring(drawn).iter() if part.get("class") in ("c2", "c3", "c0")]
    scores = property_scores(Scores.read(tmp_path / "p.json"), "earlypayoff", ("random", "legal"), SHEETS[1:])
    rows = [score for score in scores if score.sheets]
    assert len(bars) == 3 + 3 * len(rows), "a legend, and three bars a row"
    assert drawn.count(">no games<") == 8 - len(rows)
    assert main([*FEW, "--redraw", *files]) == 0
    assert (tmp_path / "p.svg").read_text() == drawn


def files_in(folder: Path) -> tuple[str, ...]:
    return "--json", str(folder / "p.json"), "--chart", str(folder / "p.svg")


def test_what_was_found_is_kept_before_anything_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken_off(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("experiments.fluxplayer_properties.play_missing", broken_off)
        assert main([*FEW, "--sheets", "tictactoe", *files_in(tmp_path)]) == 130
    assert Scores.read(tmp_path / "p.json").sheets["tictactoe"]["mobility"]
    monkeypatch.setattr("experiments.fluxplayer_properties.find_properties", lambda *_: pytest.fail("found again"))
    assert main([*FEW, "--sheets", "tictactoe", *files_in(tmp_path)]) == 0


@pytest.mark.full
def test_matches_of_the_experiment_on_strength_are_not_played_again(tmp_path: Path) -> None:
    pairs = ("--pairs", "earlypayoff:random", "earlypayoff:legal", "--games", "2", "--nodes", "20")
    assert strength(["--sheets", "tictactoe", *pairs, *files_in(tmp_path)]) == 0
    before = json.loads((tmp_path / "p.json").read_text())["matches"]
    assert main([*FEW, "--sheets", "tictactoe", *files_in(tmp_path)]) == 0
    assert json.loads((tmp_path / "p.json").read_text())["matches"] == before


UNCOMPILED = """
(role a) (role b) (init start) (legal a go) (legal b go) (<= (legal a on) (does a go))
(<= (next done) (does a go)) (<= terminal (true done)) (goal a 100) (goal b 0)
"""


@pytest.mark.full
def test_a_game_without_properties_is_not_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "odd.kif"
    sheet.write_text(UNCOMPILED)
    assert "has no matches of earlypayoff" in refusal([*FEW, "--sheets", str(sheet), *files_in(tmp_path)], capsys)
    assert not (tmp_path / "p.json").exists()
    assert main([*FEW, "--sheets", str(sheet), "tictactoe", *files_in(tmp_path)]) == 0
    assert {match.sheet for match in Scores.read(tmp_path / "p.json").matches.values()} == {"tictactoe"}


@pytest.mark.parametrize(
    ("sheets", "more", "words"),
    [
        ({}, [], "has no matches of fluxplayer against uct, earlypayoff at games whose properties are known"),
        ({"hex": {}}, [], "has no matches of fluxplayer"),
        ({"hex": 3}, [], "does not hold figures"),
        (dict.fromkeys(SOME, dict.fromkeys(WORDS, True)), ["--player", "random"], "has no matches of random"),
        (dict.fromkeys(SOME, dict.fromkeys(WORDS, True)), ["--sheets", "chess"], "has no matches of fluxplayer"),
    ],
)
def test_a_file_with_nothing_to_draw(
    sheets: dict[str, Any], more: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = some_scores()
    scores.sheets = sheets
    scores.write(tmp_path / "p.json")
    assert words in refusal(["--redraw", *more, *files_in(tmp_path)], capsys)


def refusal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What the program says about wrong use, which ends it."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--player", "deepblue"], "deepblue is no player"),
        (["--sheets", "chss"], "neither a bundled game nor a file"),
        (["--opponents", "uct", "legal", "random", "alphabeta"], "4 opponents are too many for the chart"),
    ],
)
def test_wrong_arguments(arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert words in refusal([*arguments, *files_in(tmp_path)], capsys)
