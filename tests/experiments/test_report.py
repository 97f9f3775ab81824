"""Reports: who got what, from the records of tournaments and from the files of earlier runs."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from experiments.report import START_CLOCK, PlayedMatch, Report, Series, Settings
from ludens.arena.store import Store
from ludens.arena.tournament.plan import load_plan
from ludens.arena.tournament.runner import Tournament
from tests.experiments.runs import MATCH_RESULTS, write_plan

ENDS = "(init start) (<= (next done) (does a go)) (<= terminal (true done))"
TWO = f"(role a) (role b) (legal a go) (legal b go) {ENDS} (goal a 100) (goal b 0)"
THREE = f"""
(role a) (role b) (role c) (legal a go) (legal b go) (legal c go) {ENDS} (goal a 0) (goal b 100) (goal c 40)
"""
FOUR = f"""
(role a) (role b) (role c) (role d) (legal a go) (legal b go) (legal c go) (legal d go) {ENDS}
(goal a 0) (goal b 100) (goal c 40) (goal d 20)
"""
PUZZLE = """
(role me) (legal me good) (legal me bad) (init start) (<= (next done) (does me bad))
(<= (next won) (does me good)) (<= terminal (true done)) (<= terminal (true won))
(<= (goal me 100) (true won)) (<= (goal me 20) (not (true won)))
"""
DICE = """
(role me) (role random) (legal me go) (legal random (roll 1)) (legal random (roll 2)) (legal random (roll 3))
(init start) (<= (next (shown ?n)) (does random (roll ?n))) (<= terminal (true (shown ?n)))
(points 1 10) (points 2 50) (points 3 90) (<= (goal me ?v) (true (shown ?n)) (points ?n ?v))
"""
ENDLESS = (
    "(role a) (role b) (legal a go) (legal b go) (init on) (next on) (<= terminal (true off)) (goal a 0) (goal b 100)"
)


def played(folder: Path, rules: str, more: str = "", players: str = 'first = "legal"\nsecond = "random"') -> Report:
    (folder / "sheet.kif").write_text(rules)
    plan = load_plan(write_plan(folder, '["sheet.kif"]', more, players))
    with Store(folder / "matches.sqlite") as store:
        tournament = Tournament(plan, store)
        asyncio.run(tournament.play(1))
        return Report.of(tournament, "some processor", {"python": "3"})


def test_goals_belong_to_the_players_whatever_their_roles(tmp_path: Path) -> None:
    """In a game that its first role always wins, the players win in turn."""
    report = played(tmp_path, TWO, "repeats = 2")
    assert [match.scores for match in report.matches] == [(100, 0), (0, 100), (0, 100), (100, 0)]
    assert [match.number for match in report.matches] == [0, 1, 2, 3]
    assert {match.players for match in report.matches} == {("first", "second")}
    assert (report.cpu, report.commits) == ("some processor", ["unknown"])
    assert all(0 < seconds < 60 for match in report.matches for seconds in match.longest)


def test_one_role_alone_and_the_mean_of_all_others(tmp_path: Path) -> None:
    matches = played(tmp_path, THREE, 'seating = "alone"').matches
    assert [match.roles for match in matches] == [("a", "b", "c"), ("b", "a", "c"), ("c", "a", "b")]
    assert [match.scores for match in matches] == [(0, 70), (100, 20), (40, 50)]
    assert [match.lead for match in matches] == [-70, 80, -10]


def test_scores_of_halves_are_means(tmp_path: Path) -> None:
    matches = played(tmp_path, FOUR, 'seating = "halves"').matches
    assert [match.roles for match in matches[:3]] == [("a", "b", "c", "d"), ("c", "d", "a", "b"), ("a", "c", "b", "d")]
    assert [match.scores for match in matches[:3]] == [(50, 30), (30, 50), (20, 60)]
    assert len(matches) == 6


def test_a_puzzle_is_played_by_each_player_alone(tmp_path: Path) -> None:
    players = 'second = "random"\nfirst = "alphabeta"\nthird = "random"'
    more = 'repeats = 4\nnodes = 100\npairs = [["first", "second"], ["first", "third"]]'
    report = played(tmp_path, PUZZLE, more, players)
    assert {match.scores for match in report.matches} == {(100, 100), (100, 20)}
    assert {(match.roles, match.moves) for match in report.matches} == {(("me", "me"), 2)}
    assert [series.games for series in report.series()] == [4, 4]
    for series in report.series():
        assert series.lead == 50 + (series.mean - series.other) / 2
        assert series.wins + series.draws == 4


def test_the_same_luck_for_both_at_a_puzzle_with_chance(tmp_path: Path) -> None:
    scores = {match.scores for match in played(tmp_path, DICE, "repeats = 10").matches}
    assert len(scores) > 1
    assert all(first == second for first, second in scores)


def test_a_match_that_is_cut_is_even(tmp_path: Path) -> None:
    report = played(tmp_path, ENDLESS, "max_steps = 3")
    assert [(match.scores, match.moves) for match in report.matches] == [((50, 50), 3)] * 2


def match(number: int, first: float, second: float, **more: Any) -> PlayedMatch:
    return PlayedMatch("hex", ("uct", "random"), number, 7, ("white", "black"), (first, second), 9, (0.2, 0.1), **more)


def test_a_series_counts_for_the_first_player() -> None:
    series = Series.of([match(0, 100, 0), match(1, 50, 50, faults=("late",)), match(2, 0, 100), match(3, 100, 0)])
    assert (series.wins, series.draws, series.losses, series.games, series.mean) == (2, 1, 1, 4, 62.5)
    assert series.faults == 1
    assert series.stronger is None
    assert Series.of([match(number, 100, 0) for number in range(9)]).stronger == "uct"
    assert Series.of([match(number, 0, 100) for number in range(9)]).stronger == "random"


def test_what_went_wrong_is_told_once() -> None:
    report = Report(Settings(0.1, None, 1), "", {})
    report.matches = [match(0, 0, 0, faults=("late", "later"), notes=("slow",)), match(1, 0, 0, notes=("slow",))]
    assert report.remarks() == ["hex, uct – random, match 1: late", "hex, uct – random, match 1: later", "hex: slow"]


@pytest.mark.parametrize("path", MATCH_RESULTS, ids=lambda path: path.stem)
def test_results_of_earlier_versions_can_be_read(path: Path) -> None:
    """Some have neither notes nor a start clock; none of these tells its commit."""
    report, document = Report.read(path), json.loads(path.read_text())
    assert len(report.matches) == len(document["matches"])
    written = {(entry["sheet"], *entry["players"]): entry for entry in document["series"]}
    for series in report.series():
        entry = written.pop((series.sheet, *series.players))
        assert all(
            getattr(series, key) == (tuple(entry[key]) if key == "longest" else entry[key])
            for key in entry
            if key not in ("sheet", "players")
        )
    assert not written
    assert report.settings.start == document["settings"].get("start", START_CLOCK)


@pytest.mark.parametrize("change", [{"scores": [100, 101]}, {"scores": [100]}, {"players": ["uct"]}, {"extra": 1}])
def test_matches_that_cannot_be_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    report = Report(Settings(0.1, None, 1), "some processor", {})
    report.matches.append(match(0, 100, 0))
    path = tmp_path / "report.json"
    report.write(path)
    assert Report.read(path).document() == report.document()
    document = json.loads(path.read_text())
    document["matches"][0].update(change)
    path.write_text(json.dumps(document))
    with pytest.raises((ValueError, TypeError)):
        Report.read(path)
