"""The experiment on strength: its statistics, what it keeps, and that it goes on where it was interrupted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from experiments.matches import START_CLOCK, PlayedMatch, Task, play
from experiments.scores import Scores, Series, Settings
from experiments.strength import FIGURES, main
from ludens.runtime.cores import available_cores
from tests.tiers import first

FEW = ("--sheets", "tictactoe", "--pairs", "random:legal", "legal:random", "--games", "4")


def match(number: int, first: float, second: float, **more: Any) -> PlayedMatch:
    return PlayedMatch("hex", ("uct", "random"), number, 7, ("white", "black"), (first, second), 9, (0.2, 0.1), **more)


def test_a_series_counts_for_the_first_player() -> None:
    series = Series.of([match(0, 100, 0), match(1, 50, 50, faults=("late",)), match(2, 0, 100), match(3, 100, 0)])
    assert (series.wins, series.draws, series.losses, series.games, series.mean) == (2, 1, 1, 4, 62.5)
    assert series.faults == 1
    assert series.stronger is None
    assert Series.of([match(number, 100, 0) for number in range(9)]).stronger == "uct"
    assert Series.of([match(number, 0, 100) for number in range(9)]).stronger == "random"


def test_a_match_follows_from_its_seed_and_roles_change() -> None:
    even, odd = (Task("tictactoe", ("random", "legal"), number, 4, 1.0) for number in (0, 1))
    played = play(even)
    assert played.scores == play(even).scores
    assert played.roles == ("x", "o")
    assert play(odd).roles == ("o", "x")
    assert sum(played.scores) == 100
    assert 5 <= played.moves <= 9
    assert not played.faults


def test_goals_belong_to_the_players_whatever_their_roles() -> None:
    """In a game that its first role always wins, the players win in turn."""
    rules = """
    (role a) (role b) (legal a go) (legal b go) (init start)
    (<= (next done) (does a go)) (<= terminal (true done)) (goal a 100) (goal b 0)
    """
    assert [play(Task(rules, ("legal", "random"), number, 1, 1.0)).scores for number in (0, 1)] == [(100, 0), (0, 100)]


def test_the_first_player_takes_each_role_in_turn_and_the_second_all_others() -> None:
    """The role b always wins, and the others get different points."""
    rules = """
    (role a) (role b) (role c) (legal a go) (legal b go) (legal c go) (init start)
    (<= (next done) (does a go)) (<= terminal (true done)) (goal a 0) (goal b 100) (goal c 40)
    """
    played = [play(Task(rules, ("legal", "random"), number, 1, 1.0)) for number in range(4)]
    assert [match.roles for match in played] == [("a", "b", "c"), ("b", "a", "c"), ("c", "a", "b"), ("a", "b", "c")]
    assert [match.scores for match in played] == [(0, 70), (100, 20), (40, 50), (0, 70)]
    assert [match.lead for match in played] == [-70, 80, -10, -70]


def test_a_puzzle_is_played_by_each_player_alone() -> None:
    rules = """
    (role me) (legal me good) (legal me bad) (init start) (<= (next done) (does me bad))
    (<= (next won) (does me good)) (<= terminal (true done)) (<= terminal (true won))
    (<= (goal me 100) (true won)) (<= (goal me 20) (not (true won)))
    """
    played = [play(Task(rules, ("alphabeta", "random"), number, number, 1.0, nodes=100)) for number in range(8)]
    assert {match.scores for match in played} == {(100, 100), (100, 20)}
    assert {(match.roles, match.moves) for match in played} == {(("me", "me"), 2)}
    series = Series.of(played)
    assert series.lead == 50 + (series.mean - series.other) / 2
    assert series.wins + series.draws == 8


def test_the_same_luck_for_both_at_a_puzzle_with_chance() -> None:
    rules = """
    (role me) (role random) (legal me go) (legal random (roll 1)) (legal random (roll 2)) (legal random (roll 3))
    (init start) (<= (next (shown ?n)) (does random (roll ?n))) (<= terminal (true (shown ?n)))
    (points 1 10) (points 2 50) (points 3 90) (<= (goal me ?v) (true (shown ?n)) (points ?n ?v))
    """
    scores = {play(Task(rules, ("legal", "random"), 0, seed, 1.0)).scores for seed in range(10)}
    assert len(scores) > 1
    assert all(first == second for first, second in scores)


def test_results_of_earlier_versions_can_be_read() -> None:
    """They have neither notes nor a start clock, and only games for two who share 100 points."""
    scores = Scores.read(FIGURES)
    assert scores.settings.start == START_CLOCK
    assert len(scores.matches) == 400
    written = json.loads(FIGURES.read_text())["series"]
    assert [(series.mean, series.low, series.high) for series in scores.series()] == [
        (entry["mean"], entry["low"], entry["high"]) for entry in written
    ]
    assert all(series.lead == pytest.approx(series.mean) for series in scores.series())


@pytest.mark.clock
def test_players_think_as_long_as_the_clock_allows() -> None:
    played = play(Task("tictactoe", ("montecarlo", "random"), 0, 1, 0.05))
    assert not played.faults
    assert 0.03 <= played.longest[0] <= 1.0


def test_a_whole_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*FEW, *files_in(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "random – legal" in out
    assert "legal – random" in out
    document = json.loads((tmp_path / "strength.json").read_text())
    assert [series["players"] for series in document["series"]] == [["random", "legal"], ["legal", "random"]]
    seeds = {entry["seed"] for entry in document["matches"]}
    assert len(seeds) == len(document["matches"]) == 8
    dots = [part for part in ElementTree.parse(tmp_path / "strength.svg").iter() if part.tag.endswith("circle")]
    assert len(dots) == 2
    drawn = (tmp_path / "strength.svg").read_text()
    (tmp_path / "strength.svg").unlink()
    assert main(["--redraw", *files_in(tmp_path)]) == 0
    assert (tmp_path / "strength.svg").read_text() == drawn


def test_an_interrupted_run_goes_on_with_the_same_matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert main([*FEW, *files_in(whole)]) == 0
    with monkeypatch.context() as patch:
        patch.setattr(Scores, "add", until(4, Scores.add))
        assert main([*FEW, *files_in(parts)]) == 130
    assert len(matches_in(parts)) == 4
    early = json.loads((parts / "strength.json").read_text())["matches"]
    assert main([*FEW, *files_in(parts)]) == 0
    assert matches_in(parts) == matches_in(whole)
    late = json.loads((parts / "strength.json").read_text())["matches"]
    assert all(entry in late for entry in early), "what was played is not played again"


@pytest.mark.full
def test_more_matches_are_added_to_those_there_are(tmp_path: Path) -> None:
    assert main([*FEW, *files_in(tmp_path)]) == 0
    before = matches_in(tmp_path)
    assert main([*FEW, "--games", "5", *files_in(tmp_path)]) == 0
    after = matches_in(tmp_path)
    assert len(after) == 12, "as many in each role"
    assert all(entry in after for entry in before)


@pytest.mark.full
def test_matches_in_parallel_are_the_same(tmp_path: Path) -> None:
    together, alone = tmp_path / "together", tmp_path / "alone"
    cores = str(min(2, len(available_cores())))
    assert main([*FEW, "--parallel", cores, *files_in(together)]) == 0
    assert main([*FEW, *files_in(alone)]) == 0
    assert matches_in(together) == matches_in(alone)


def test_other_settings_do_not_mix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*FEW, *files_in(tmp_path)]) == 0
    before = (tmp_path / "strength.json").read_text()
    told = refusal([*FEW, "--clock", "0.2", *files_in(tmp_path)], capsys)
    assert "other settings (--clock 0.1 --seed 1)" in told
    assert (tmp_path / "strength.json").read_text() == before
    assert main([*FEW, "--clock", "0.2", "--games", "1", "--fresh", *files_in(tmp_path)]) == 0
    assert len(matches_in(tmp_path)) == 4


@pytest.mark.full
def test_each_role_is_played_as_often_however_many_there_are(tmp_path: Path) -> None:
    """The first role always wins, so that two who do the same are equal only if each has it as often."""
    sheet = tmp_path / "three.kif"
    sheet.write_text("""
    (role a) (role b) (role c) (legal a go) (legal b go) (legal c go) (init start)
    (<= (next done) (does a go)) (<= terminal (true done)) (goal a 100) (goal b 0) (goal c 50)
    """)
    arguments = ("--sheets", str(sheet), "tictactoe", "blocksworld", "--pairs", "legal:legal", "--games", "4")
    assert main([*arguments, *files_in(tmp_path)]) == 0
    series = {entry.sheet: entry for entry in Scores.read(tmp_path / "strength.json").series()}
    assert [entry.games for entry in series.values()] == [6, 4, 4]
    assert series[str(sheet)].lead == 50


NO_MOVES = """
(role a) (role b) (init start) (legal a go) (<= (legal b go) (true start))
(<= (next on) (does a go)) (<= terminal (true never)) (goal a 0) (goal b 100)
"""


@pytest.mark.parametrize("parallel", first(1, range(1, 1 + min(2, len(available_cores())))))
def test_a_game_that_cannot_be_played_to_its_end_is_left_out(
    parallel: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "stuck.kif"
    sheet.write_text(NO_MOVES)
    few = ("--pairs", "random:legal", "--games", "2", "--parallel", str(parallel))
    assert main([*few, "--sheets", str(sheet), "tictactoe", *files_in(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert " ".join(out.split()).count("stuck.kif cannot be played:") == 1
    assert [entry["sheet"] for entry in matches_in(tmp_path)] == ["tictactoe"] * 2
    assert "there are no matches" in refusal([*few, "--sheets", str(sheet), *files_in(tmp_path / "new")], capsys)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--sheets", "chss"], "there is neither a bundled game nor a file called 'chss'"),
        (["--pairs", "uct"], "uct is not a pair of players"),
        (["--pairs", "uct:deepblue"], "uct:deepblue is not a pair of players"),
        (["--games", "0"], "not a whole number above 0"),
        (["--clock", "-1"], "-1 is not a number above 0"),
        (["--parallel", "1000"], "1000 matches at a time need as many cores"),
        (["--json", "/dev/null/strength.json"], "/dev/null/strength.json cannot be written"),
        (["--redraw", "--json", "/missing.json"], "measure first"),
    ],
)
def test_wrong_arguments(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert words in refusal([*files_in(tmp_path), *arguments], capsys)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"settings": {}, "cpu": "", "versions": {}, "matches": []}'])
@pytest.mark.parametrize("more", [["--redraw"], [*FEW]])
def test_files_of_others_are_refused(
    text: str, more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "strength.json").write_text(text)
    assert "does not hold figures" in refusal([*more, *files_in(tmp_path)], capsys)
    assert (tmp_path / "strength.json").read_text() == text


@pytest.mark.parametrize("change", [{"scores": [100, 101]}, {"scores": [100]}, {"players": ["uct"]}, {"extra": 1}])
def test_matches_that_cannot_be_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    scores = Scores(Settings(0.1, None, 1), "some processor", {})
    scores.add(match(0, 100, 0))
    path = tmp_path / "strength.json"
    scores.write(path)
    assert Scores.read(path).document() == scores.document()
    document = json.loads(path.read_text())
    document["matches"][0].update(change)
    path.write_text(json.dumps(document))
    with pytest.raises((ValueError, TypeError)):
        Scores.read(path)


def until(calls: int, method: Any) -> Any:
    """A method that is interrupted after so many calls."""
    done: list[None] = []

    def counted(*arguments: Any) -> None:
        if len(done) == calls:
            raise KeyboardInterrupt
        done.append(method(*arguments))

    return counted


def matches_in(folder: Path) -> list[dict[str, Any]]:
    """All that is written about the matches but how long the players thought."""
    listed: list[dict[str, Any]] = json.loads((folder / "strength.json").read_text())["matches"]
    listed.sort(key=lambda entry: (entry["players"], entry["number"]))
    return [{name: value for name, value in entry.items() if name != "longest"} for entry in listed]


def files_in(folder: Path) -> list[str]:
    return ["--json", str(folder / "strength.json"), "--chart", str(folder / "strength.svg")]


def refusal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What the program says about wrong use, which ends it."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    return " ".join(capsys.readouterr().err.split())
