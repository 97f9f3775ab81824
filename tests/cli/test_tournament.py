"""`ludens tournament`: plans, tables, files, and going on."""

from __future__ import annotations

import csv
import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from ludens.arena.store import Store
from ludens.arena.tournament.schedule import schedule
from ludens.arena.tournament.standings import Standings
from ludens.cli.standings import fitting_table
from tests.arena.tournament.plans import better_seed_wins, plan_of, played
from tests.cli.command import Outcome, run

PLAN = """
name = "spring"
games = ["tictactoe", "hanoi"]
max_steps = 20
{more}
[players]
any = "random"
alone = "legal"
"""
"""Names like any other: the table of a puzzle has a column for results that were played alone."""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN.format(more=""))
    return path


def play(plan: Path, *options: object) -> Outcome:
    return run("tournament", plan, "--store", plan.with_name("store.sqlite"), "--parallel", 1, *options)


def plain(text: str) -> str:
    return " ".join(text.split())


def test_a_tournament_from_beginning_to_end_and_again(plan: Path, tmp_path: Path) -> None:
    outcome = play(plan, "--csv", tmp_path / "out" / "matches.csv", "--chart", tmp_path / "chart.svg")
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("spring: round robin of 2 players at 2 games, 4 matches played\n")
    assert re.search(
        r"^1 +\w+ +3 +\d +\d +\d +[\d.]+ +[\d.]+ to [\d.]+ +[\d.]+ ± [\d.]+ +0$", outcome.out, re.MULTILINE
    )
    assert "tictactoe: mean scores" in outcome.out
    assert re.search(r"^player +– \w+ +– \w+$", outcome.out, re.MULTILINE), "at tictactoe"
    assert re.search(r"^player +alone$", outcome.out, re.MULTILINE), "at hanoi"
    assert re.search(r"\w+ is first\n|share the first place\n", outcome.out)
    assert "2 were cut after 20 moves; in these nobody gets points" in plain(outcome.out)
    rows = list(csv.DictReader((tmp_path / "out" / "matches.csv").read_text().splitlines()))
    assert [row["player"] for row in rows] == ["any", "alone", "alone", "any", "any", "alone"]
    table = list(csv.DictReader((tmp_path / "out" / "matches-standings.csv").read_text().splitlines()))
    assert {row["player"]: row["matches"] for row in table} == {"any": "3", "alone": "3"}
    chart = (tmp_path / "chart.svg").read_text()
    assert chart.startswith("<svg")
    assert all(name in chart for name in ("spring", "any", "alone", "mean score", "rating"))
    marks = [int(mark) for mark in re.findall(r'text-anchor="middle"[^>]*>(-?\d+)<', chart)]
    assert marks[:6] == [0, 20, 40, 60, 80, 100]
    assert len(marks) > 8
    assert all(mark % 5 == 0 for mark in marks), "round numbers"
    again = play(plan)
    assert again.out == outcome.out[: outcome.out.index("written:")], "nothing is played twice"
    listed = run("matches", "--store", tmp_path / "store.sqlite")
    assert listed.out.count("tictactoe") == 2


def test_a_changed_plan_is_refused_until_the_old_matches_are_forgotten(plan: Path) -> None:
    text = PLAN.replace(', "hanoi"', "")
    plan.write_text(text.format(more=""))
    assert play(plan).code == 0
    plan.write_text(text.format(more="seed = 2\nrepeats = 2"))
    refused = play(plan)
    assert refused.code == 1
    assert "has matches of spring by another plan (seed changed); give the plan another name" in refused.err
    fresh = play(plan, "--fresh")
    assert fresh.code == 0
    assert "4 matches played" in fresh.out
    plan.write_text(text.format(more="seed = 2\nrepeats = 2\nparallel = 2\nmemory = 4000"))
    assert play(plan).out == fresh.out, "what changes no result may be changed"


def test_a_round_robin_may_grow(plan: Path, tmp_path: Path) -> None:
    """What was played counts, and nothing of it is played again."""
    text = PLAN.replace(', "hanoi"', "")
    plan.write_text(text.format(more=""))
    assert play(plan).code == 0
    with Store(tmp_path / "store.sqlite") as store:
        before = {match.match_id: store.record(match.match_id).to_json() for match in store.matches()}
    plan.write_text(PLAN.format(more="repeats = 2") + 'third = "legal"\n')
    grown = play(plan)
    assert grown.code == 0
    assert "3 players at 2 games, 18 matches played" in grown.out
    with Store(tmp_path / "store.sqlite") as store:
        after = {match.match_id: store.record(match.match_id).to_json() for match in store.matches()}
    assert before.items() <= after.items()
    plan.write_text(text.format(more="").replace('alone = "legal"', 'alone = "random"'))
    assert "another plan (players changed)" in play(plan).err
    plan.write_text(text.format(more='kind = "swiss"'))
    assert "another plan (kind" in play(plan).err


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (
            "",
            [
                "tictactoe 1: any as x, alone as o",
                "hanoi 1: any as solver",
                "4 matches, 3 at a time\nthese players move at once",
            ],
        ),
        ('kind = "knockout"', ["final, any-alone, tictactoe 1: any as x, alone as o", "at most 12 matches"]),
        ("nodes = 9", ["4 matches", "these players move at once"]),
    ],
)
def test_a_dry_run_plays_nothing(more: str, expected: list[str], plan: Path) -> None:
    plan.write_text(PLAN.format(more=more))
    outcome = run("tournament", plan, "--dry-run", "--parallel", 3, "--store", plan.with_name("none.sqlite"))
    assert outcome.code == 0
    for words in expected:
        assert words in outcome.out
    assert not plan.with_name("none.sqlite").exists()


def test_a_dry_run_tells_how_long_it_takes_at_most(plan: Path) -> None:
    plan.write_text(PLAN.format(more="clocks = { start = 10, play = 2 }").replace('"random"', '"uct"'))
    outcome = run("tournament", plan, "--dry-run", "--parallel", 2)
    assert "at most 4 min: each player has 10 s before the start, 2 s a move, at most 20 moves" in outcome.out


def test_swiss_and_knockout_show_their_places(plan: Path) -> None:
    plan.write_text(PLAN.format(more='kind = "swiss"\nrounds = 1'))
    swiss = play(plan)
    assert re.search(r"points *$", swiss.out, re.MULTILINE)
    plan.write_text(PLAN.format(more='kind = "knockout"\ntiebreaks = 0'))
    knockout = play(plan, "--fresh")
    assert re.search(r"^1 .* winner *$", knockout.out, re.MULTILINE)
    assert re.search(r"^2 .* final *$", knockout.out, re.MULTILINE)


def test_a_sequential_test_tells_its_answer(plan: Path) -> None:
    text = 'kind = "sprt"\nmax_pairs = 3\n'
    plan.write_text(PLAN.format(more=text).replace(', "hanoi"', ""))
    outcome = play(plan)
    assert outcome.code == 0
    assert "it is open whether any scores 50.0 (+0 Elo) or less against alone, or 52.9 (+20 Elo) or more" in outcome.out
    assert "in 3 pairs of matches, where 50 is even" in outcome.out


def test_matches_that_cannot_be_played_are_counted_apart_and_nobody_wins_them(plan: Path) -> None:
    text = PLAN.replace(', "hanoi"', "")
    plan.write_text(text.format(more="memory = 60"))
    outcome = play(plan)
    assert outcome.code == 1
    assert outcome.out.startswith("spring: round robin of 2 players at tictactoe, 0 matches played, 2 could not be\n")
    assert outcome.out.count("not played: ") == 2
    assert "first place" not in outcome.out
    assert "is first" not in outcome.out
    assert "score" not in outcome.out, "a table of nothing says nothing"
    plan.write_text(text.format(more="memory = 4000"))
    again = play(plan)
    assert again.code == 0
    assert "2 matches played\n" in again.out


def test_a_cross_table_says_what_it_leaves_out(plan: Path) -> None:
    more = "".join(f'p{number} = "legal"\n' for number in range(10))
    plan.write_text(
        'games = ["rockpaperscissors"]\nkind = "swiss"\nrounds = 1\n' + PLAN[PLAN.index("[players]") :] + more
    )
    outcome = play(plan)
    assert "and 2 more opponents; --csv writes all matches" in outcome.out


@pytest.mark.parametrize("width", [60, 100])
def test_a_narrow_screen_gets_fewer_columns_and_whole_numbers(width: int) -> None:
    plan = plan_of(3)
    outcomes = played(schedule(plan), better_seed_wins)
    standings = Standings.of(plan.players, schedule(plan).timetable(outcomes), outcomes)
    screen = Console(width=width, file=StringIO(), record=True)
    screen.print(fitting_table(standings, screen))
    lines = screen.export_text().splitlines()
    assert lines[1].split()[:3] == ["1", "p0", "4"]
    assert "100.0" in lines[1]
    assert "…" not in "".join(lines)
    assert ("rating" in lines[0]) == (width == 100)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("games = [", "this is not TOML"),
        ('games = ["tictactoe"]\n[players]\na = "uct"', "players: a tournament has at least two"),
        ('games = ["tictactoe"]\n[players]\na = "uct"\nb = "ut"', "players.b: there is no player 'ut'"),
    ],
)
def test_bad_plans(text: str, message: str, plan: Path) -> None:
    plan.write_text(text)
    outcome = play(plan)
    assert outcome.code == 1
    assert f"error: {plan}: " in outcome.err
    assert message in outcome.err
    assert "Traceback" not in outcome.err
    assert outcome.err.count("\n") == 1


def test_bad_files(plan: Path, tmp_path: Path) -> None:
    missing = run("tournament", tmp_path / "missing.toml")
    assert missing.code == 1
    assert "missing.toml: No such file or directory" in missing.err
    kept = play(plan)
    assert "4 matches played" in kept.out
    table = tmp_path / "matches-standings.csv"
    table.mkdir()
    for option in (("--chart", tmp_path), ("--csv", tmp_path / "matches.csv")):
        refused = play(plan, "--fresh", *option)
        assert refused.code == 1
        assert "Is a directory" in refused.err
    assert not (tmp_path / "matches.csv").exists(), "nothing is left of the attempt"
    assert play(plan).out == kept.out, "nothing is forgotten before all is checked"
    folder = play(plan, "--chart", tmp_path)
    assert folder.code == 1
    assert "Is a directory" in folder.err
    assert "matches played" not in folder.out, "it complains before the first match"
    plan.with_name("store.sqlite").unlink()
    plan.with_name("store.sqlite").write_text("this is no database, and it is long enough to be seen as something else")
    broken = play(plan)
    assert broken.code == 1
    assert "is no store of matches" in broken.err
