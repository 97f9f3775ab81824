"""Tables, intervals and ratings, against counts by hand."""

from __future__ import annotations

import csv
import io
import math
from random import Random
from statistics import NormalDist

import pytest

from ludens.arena.tournament.jobs import Job, Outcome
from ludens.arena.tournament.reports import matches_csv, standings_csv
from ludens.arena.tournament.schedule import schedule
from ludens.arena.tournament.standings import Standings, rate, wilson_interval
from tests.arena.tournament.plans import better_seed_wins, outcome, plan_of, played, reordered


def test_scores_are_mean_goals_and_matches_with_rivals_are_won_drawn_or_lost() -> None:
    plan = plan_of(2, '["tictactoe", "hanoi"]')
    timetable = schedule(plan).timetable({})
    goals = [(100, 0), (50, 50), (80,), (20,)]
    outcomes = {job.key: outcome(*row) for job, row in zip(timetable.jobs, goals, strict=True)}
    standings = Standings.of(plan.players, timetable, outcomes)
    first, second = standings.lines
    assert (first.player, first.tally.matches) == ("p0", 3)
    assert first.tally.mean == pytest.approx(230 / 3)
    assert (first.tally.wins, first.tally.draws, first.tally.losses) == (1, 1, 0)
    assert (second.tally.wins, second.tally.draws, second.tally.losses) == (0, 1, 1)
    assert first.tally.interval == wilson_interval(230 / 3, 3)
    assert standings.against["tictactoe"]["p0", "p1"].mean == 75
    assert standings.against["hanoi"]["p1", None].mean == 20
    assert standings.leaders == ["p0"]


def test_against_several_the_best_of_them_counts() -> None:
    plan = plan_of(3, '["threeway"]')
    timetable = schedule(plan).timetable({})
    outcomes = {timetable.jobs[0].key: outcome(50, 50, 0)}
    lines = {line.player: line.tally for line in Standings.of(plan.players, timetable, outcomes).lines}
    assert [(lines[player].wins, lines[player].draws, lines[player].losses) for player in ("p0", "p1", "p2")] == [
        (0, 1, 0),
        (0, 1, 0),
        (0, 0, 1),
    ]


def test_a_player_with_two_seats_has_the_mean_of_both_and_is_no_rival_of_itself() -> None:
    plan = plan_of(2, '["threeway"]')
    timetable = schedule(plan).timetable({})
    assert timetable.jobs[0].players == ("p0", "p1", "p0")
    standings = Standings.of(plan.players, timetable, {timetable.jobs[0].key: outcome(100, 60, 0)})
    assert [(line.player, line.tally.mean) for line in standings.lines] == [("p1", 60), ("p0", 50)]


def test_failed_and_cut_matches() -> None:
    plan = plan_of(2)
    timetable = schedule(plan).timetable({})
    first, second = timetable.jobs
    outcomes = {first.key: Outcome.failed(first, "the worker died"), second.key: outcome(None, None)}
    standings = Standings.of(plan.players, timetable, outcomes)
    assert standings.failures == {first.key: "the worker died"}
    assert (standings.played, standings.cut) == (1, 1)
    assert [(line.tally.matches, line.tally.mean) for line in standings.lines] == [(1, 0), (1, 0)]
    assert standings.leaders == ["p0", "p1"]


def test_nobody_is_first_where_no_match_could_be_played() -> None:
    plan = plan_of(2)
    timetable = schedule(plan).timetable({})
    standings = Standings.of(
        plan.players, timetable, {job.key: Outcome.failed(job, "no memory") for job in timetable.jobs}
    )
    assert (standings.played, len(standings.failures), standings.leaders) == (0, 2, [])


def test_faults_are_added_up_by_player() -> None:
    plan = plan_of(2)
    timetable = schedule(plan).timetable({})
    outcomes = {job.key: Outcome((50, 50), (3, 1), 9, True) for job in timetable.jobs}
    assert [line.faults for line in Standings.of(plan.players, timetable, outcomes).lines] == [4, 4]
    outcomes = {timetable.jobs[0].key: Outcome((50, 50), (3, 1), 9, True)}
    assert [line.faults for line in Standings.of(plan.players, timetable, outcomes).lines] == [3, 1]


def test_nothing_is_played_yet() -> None:
    plan = plan_of(2)
    lines = Standings.of(plan.players, schedule(plan).timetable({}), {}).lines
    assert [(line.tally.mean, line.tally.interval) for line in lines] == [(None, (0, 100))] * 2


def test_ratings_find_the_order_of_strength() -> None:
    """Players of different strength with luck: the more matches, the surer."""
    plan = plan_of(5, '["tictactoe"]', "repeats = 12")
    timetable = schedule(plan).timetable({})

    def lucky(job: Job) -> tuple[int, ...]:
        strength = [8 - int(player[1:]) + Random(f"{job.seed}/{player}").gauss(0, 1.5) for player in job.players]
        return tuple(100 if own == max(strength) else 0 for own in strength)

    standings = Standings.of(plan.players, timetable, played(schedule(plan), lucky))
    assert [line.player for line in standings.lines] == list(plan.players)
    ratings = [line.rating for line in standings.lines]
    assert ratings == sorted(ratings, reverse=True)
    assert all(line.uncertainty < 25 / 3 / 2 for line in standings.lines)


def test_ratings_of_those_who_play_alone_compare_their_scores() -> None:
    plan = plan_of(3, '["hanoi"]', "repeats = 8")
    timetable = schedule(plan).timetable({})
    goals = {"p0": 30, "p1": 80, "p2": 50}
    outcomes = {job.key: outcome(goals[job.players[0]]) for job in timetable.jobs}
    standings = Standings.of(plan.players, timetable, outcomes)
    assert [line.player for line in standings.lines] == ["p1", "p2", "p0"]
    ratings = [line.rating for line in standings.lines]
    assert ratings[0] > 25 + 3 > ratings[1] + 1 > ratings[2] + 3


def test_equals_keep_equal_ratings() -> None:
    plan = plan_of(2)
    timetable = schedule(plan).timetable({})
    ratings = rate(plan.players, [(job, outcome(50, 50)) for job in timetable.jobs])
    assert ratings["p0"] == ratings["p1"]
    assert ratings["p0"][0] == pytest.approx(25)
    assert rate(plan.players, []) == dict.fromkeys(plan.players, (25.0, 25 / 3))


def test_the_order_in_which_matches_ended_does_not_matter() -> None:
    plan = plan_of(4, '["tictactoe", "threeway", "hanoi"]')
    outcomes = played(schedule(plan), better_seed_wins)
    timetable = schedule(plan).timetable(outcomes)
    assert Standings.of(plan.players, timetable, outcomes) == Standings.of(plan.players, timetable, reordered(outcomes))


def test_csv() -> None:
    plan = plan_of(2, '["tictactoe"]', 'kind = "knockout"')
    outcomes = played(schedule(plan), better_seed_wins)
    timetable = schedule(plan).timetable(outcomes)
    matches = list(csv.DictReader(io.StringIO(matches_csv(plan, timetable, outcomes))))
    assert [(row["game"], row["role"], row["player"], row["goal"]) for row in matches] == [
        ("tictactoe", "x", "p0", "100"),
        ("tictactoe", "o", "p1", "0"),
        ("tictactoe", "x", "p1", "0"),
        ("tictactoe", "o", "p0", "100"),
    ]
    lines = list(csv.DictReader(io.StringIO(standings_csv(Standings.of(plan.players, timetable, outcomes)))))
    assert [(row["place"], row["player"], row["score"], row["note"]) for row in lines] == [
        ("1", "p0", "100.000", "winner"),
        ("2", "p1", "0.000", "final"),
    ]


@pytest.mark.parametrize(
    ("mean", "games", "low", "high"),
    [
        (0, 10, 0, 27.753),
        (100, 10, 72.247, 100),
        (50, 100, 40.383, 59.617),
        (10, 20, 2.787, 30.104),
        (99, 100, 94.552, 99.823),
    ],
)
def test_interval_agrees_with_published_values(mean: float, games: int, low: float, high: float) -> None:
    assert wilson_interval(mean, games) == pytest.approx((low, high), abs=0.002)


def test_interval_ends_where_the_mean_is_just_believable() -> None:
    """By definition: at either end the observed mean lies as many standard deviations away as the level says."""
    z = NormalDist().inv_cdf(0.975)
    for mean, games in ((37.0, 12), (50.0, 100), (97.5, 400)):
        for bound in wilson_interval(mean, games):
            share = bound / 100
            assert abs(mean / 100 - share) / math.sqrt(share * (1 - share) / games) == pytest.approx(z)


def test_interval_holds_the_mean_of_scores_with_draws() -> None:
    """At least as often as it says, as draws make scores vary less."""
    rng, held = Random(5), 0
    for _ in range(1000):
        mean = sum(rng.choices((0, 50, 100), (1, 2, 7), k=60)) / 60
        low, high = wilson_interval(mean, 60)
        held += low <= 80 <= high
    assert held >= 950
