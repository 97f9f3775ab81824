"""Timetables: every kind of tournament to its end, the same whenever it is worked out."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from ludens.arena.tournament.jobs import Job, Outcome
from ludens.arena.tournament.plan import TournamentPlan
from ludens.arena.tournament.reports import verdict
from ludens.arena.tournament.schedule import schedule
from tests.arena.tournament.plans import Result, better_seed_wins, plan_of, played, reordered

KINDS = {
    "roundrobin": plan_of(4, '["tictactoe", "threeway", "hanoi"]', "repeats = 2"),
    "swiss": plan_of(7, '["tictactoe", "hanoi"]', 'kind = "swiss"\nrounds = 4'),
    "knockout": plan_of(6, '["tictactoe"]', 'kind = "knockout"\nthird_place = true'),
    "sprt": plan_of(2, '["tictactoe", "connectfour"]', 'kind = "sprt"\nmax_pairs = 30'),
}


def at_random(job: Job) -> tuple[int, ...]:
    rng = Random(job.seed)
    return tuple(rng.choice([0, 50, 100]) for _ in job.players)


@pytest.mark.parametrize("plan", KINDS.values(), ids=KINDS)
def test_a_timetable_follows_from_the_results_alone(plan: TournamentPlan) -> None:
    """However they came about: one by one, all at once, in any order, worked out by a new process or the old one."""
    outcomes = played(schedule(plan), at_random)
    whole = schedule(plan).timetable(reordered(outcomes))
    assert all(job.key in outcomes for job in whole.jobs)
    step_by_step = schedule(plan)
    known: dict[str, Outcome] = {}
    for job in whole.jobs:
        assert job in step_by_step.timetable(known).jobs
        known[job.key] = outcomes[job.key]
    assert step_by_step.timetable(known) == whole
    keys = [job.key for job in whole.jobs]
    assert len(set(keys)) == len(keys)
    assert len(keys) == whole.most if whole.is_exact else len(keys) <= whole.most


def test_seeds_follow_from_the_plan_and_the_match() -> None:
    plan = KINDS["roundrobin"]
    jobs, again = schedule(plan).timetable({}).jobs, schedule(plan).timetable({}).jobs
    assert jobs == again
    with_rivals = [job.seed for job in jobs if len(job.players) > 1]
    assert len(set(with_rivals)) == len(with_rivals)
    alone = {(job.contest, job.seed) for job in jobs if len(job.players) == 1}
    assert len(alone) == len({contest for contest, _ in alone}) == 2, "those who play alone have the same luck"
    other = schedule(plan_of(4, '["tictactoe", "threeway", "hanoi"]', "repeats = 2\nseed = 2")).timetable({}).jobs
    assert not {job.seed for job in jobs} & {job.seed for job in other}


def test_swiss_finds_the_order_of_the_players() -> None:
    plan = plan_of(8, '["tictactoe"]', 'kind = "swiss"\nrounds = 7')
    table = schedule(plan).timetable(played(schedule(plan), better_seed_wins))
    assert table.ranking == tuple(f"p{number}" for number in range(8))
    assert table.notes["p0"] == "7.00 points"
    met = Counter(frozenset(job.players) for job in table.jobs)
    assert met == Counter({frozenset(pair): 2 for pair in combinations(plan.players, 2)})


def test_swiss_with_an_odd_number_gives_byes_in_turn_and_a_point_for_each() -> None:
    plan = plan_of(5, '["tictactoe"]', 'kind = "swiss"\nrounds = 5')
    table = schedule(plan).timetable(played(schedule(plan), better_seed_wins))
    assert len(table.jobs) == 5 * 2 * 2
    assert all("bye" in note for note in table.notes.values())
    assert Counter(player for job in table.jobs for player in job.players) == Counter(dict.fromkeys(plan.players, 8))


def test_swiss_counts_the_points_of_the_opponents_between_equals() -> None:
    """p0 and p1 both win their first round and draw with each other, but the first opponent of p1 does better."""
    plan = plan_of(4, '["tictactoe"]', 'kind = "swiss"\nrounds = 2')
    goals = {"p0-p2": (60, 40), "p1-p3": (60, 40), "p0-p1": (50, 50), "p2-p3": (30, 60)}

    def result(job: Job) -> tuple[int, ...]:
        pair = job.contest.split(", ")[1]
        gained = dict(zip(pair.split("-"), goals[pair], strict=True))
        return tuple(gained[player] for player in job.players)

    table = schedule(plan).timetable(played(schedule(plan), result))
    assert table.ranking == ("p1", "p0", "p3", "p2")
    assert table.notes == {"p1": "1.10 points", "p0": "1.10 points", "p3": "1.00 points", "p2": "0.70 points"}


def test_knockout_without_surprises() -> None:
    plan = KINDS["knockout"]
    table = schedule(plan).timetable(played(schedule(plan), better_seed_wins))
    assert table.ranking == ("p0", "p1", "p2", "p3", "p4", "p5")
    assert table.notes == {
        "p0": "winner",
        "p1": "final",
        "p2": "third place",
        "p3": "semifinal",
        "p4": "quarterfinal",
        "p5": "quarterfinal",
    }
    assert [job.contest for job in table.jobs[::2]] == [
        "quarterfinal, p3-p4, tictactoe 1",
        "quarterfinal, p2-p5, tictactoe 1",
        "semifinal, p0-p3, tictactoe 1",
        "semifinal, p1-p2, tictactoe 1",
        "final, p0-p1, tictactoe 1",
        "third place, p2-p3, tictactoe 1",
    ]


def test_knockout_ties_are_broken_by_further_games_and_then_by_seed() -> None:
    plan = plan_of(2, '["tictactoe"]', 'kind = "knockout"\ntiebreaks = 2')
    drawn = played(schedule(plan), lambda job: (50, 50))
    assert len(drawn) == 6
    assert schedule(plan).timetable(drawn).ranking == ("p0", "p1")

    def late_win(job: Job) -> tuple[int, ...]:
        return tuple(100 if "tie-break 1" in job.key and player == "p1" else 0 for player in job.players)

    decided = played(schedule(plan), late_win)
    assert len(decided) == 4
    assert schedule(plan).timetable(decided).ranking == ("p1", "p0")


def test_knockout_third_place_can_be_won_by_the_lower_seed() -> None:
    plan = plan_of(4, '["tictactoe"]', 'kind = "knockout"\nthird_place = true')

    def result(job: Job) -> tuple[int, ...]:
        if "third" in job.key:
            return tuple(100 if player == "p3" else 0 for player in job.players)
        return better_seed_wins(job)

    table = schedule(plan).timetable(played(schedule(plan), result))
    assert table.ranking == ("p0", "p1", "p3", "p2")
    assert (table.notes["p3"], table.notes["p2"]) == ("third place", "semifinal")


def test_knockout_plays_for_the_third_place_at_the_same_time_as_the_final() -> None:
    plan = plan_of(4, '["tictactoe"]', 'kind = "knockout"\nthird_place = true')
    everything = played(schedule(plan), better_seed_wins)
    semifinals = {key: ended for key, ended in everything.items() if key.startswith("semifinal")}
    table = schedule(plan).timetable(semifinals)
    assert {job.contest.split(",")[0] for job in table.jobs if job.key not in semifinals} == {"final", "third place"}
    assert [table.notes[player] for player in table.ranking] == ["still in", "still in", "semifinal", "semifinal"]


def test_knockout_of_three_needs_no_match_for_the_third_place() -> None:
    plan = plan_of(3, '["tictactoe"]', 'kind = "knockout"\nthird_place = true')
    table = schedule(plan).timetable(played(schedule(plan), better_seed_wins))
    assert table.ranking == ("p0", "p1", "p2")
    assert len(table.jobs) == 4


def test_knockout_failed_matches_leave_the_better_seed_in() -> None:
    plan = plan_of(2, '["tictactoe"]', 'kind = "knockout"\ntiebreaks = 0')
    jobs = schedule(plan).timetable({}).jobs
    failed = {job.key: Outcome.failed(job, "the worker died") for job in jobs}
    table = schedule(plan).timetable(failed)
    assert table.ranking == ("p0", "p1")
    assert table.jobs == jobs


def test_a_sequential_test_ends_as_soon_as_it_is_decided() -> None:
    plan = plan_of(2, '["tictactoe"]', 'kind = "sprt"\n[sprt]\np0 = 0.5\np1 = 0.7')
    outcomes = played(schedule(plan), better_seed_wins)
    table = schedule(plan).timetable(outcomes)
    assert table.test
    assert table.test.answer == "higher"
    assert len(table.jobs) == 2 * table.test.pairs < 40
    assert len(outcomes) > len(table.jobs), "some were played ahead; they do not count"
    lost = played(schedule(plan), lambda job: tuple(100 - goal for goal in better_seed_wins(job)))
    test = schedule(plan).timetable(lost).test
    assert test
    assert test.answer == "lower"


def test_a_sequential_test_stays_open_after_the_last_pair() -> None:
    plan = plan_of(2, '["tictactoe"]', 'kind = "sprt"\nmax_pairs = 3')
    outcomes = played(schedule(plan), lambda job: (50, 50))
    table = schedule(plan).timetable(outcomes)
    assert len(table.jobs) == len(outcomes) == 6
    assert table.test
    assert table.test.answer == "open"


def test_a_sequential_test_counts_how_far_the_first_is_ahead() -> None:
    """Not its goals alone: where both get much, or a match is cut and both get nothing, it is even."""
    plan = plan_of(2, '["tictactoe"]', 'kind = "sprt"\nmax_pairs = 3')

    def mean(result: Result) -> float:
        test = schedule(plan).timetable(played(schedule(plan), result)).test
        assert test
        assert test.pairs == 3
        return test.mean

    assert mean(lambda job: (100, 100)) == 0.5
    assert mean(lambda job: (None, None)) == 0.5
    assert mean(lambda job: (80, 40) if job.players[0] == "p0" else (40, 80)) == pytest.approx(0.7)


def test_a_sequential_test_says_if_it_knows_nothing() -> None:
    plan = plan_of(2, '["tictactoe"]', 'kind = "sprt"\nmax_pairs = 2')
    failed = {job.key: Outcome.failed(job, "the worker died") for job in schedule(plan).timetable({}).jobs}
    test = schedule(plan).timetable(failed).test
    assert test
    assert verdict(test, "p0", "p1") == "nothing is known about p0 and p1: no pair of matches was played to its end"
