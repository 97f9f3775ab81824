"""Plans and results for tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ludens.arena.tournament.jobs import Job, Outcome
from ludens.arena.tournament.plan import TournamentPlan, read_plan
from ludens.arena.tournament.schedule import Schedule

Result = Callable[[Job], tuple[int | None, ...]]


def plan_of(players: int, games: str = '["tictactoe"]', more: str = "") -> TournamentPlan:
    """A plan with the players p0, p1 and so on."""
    lines = "".join(f'p{number} = "random"\n' for number in range(players))
    return read_plan(f"games = {games}\n{more}\n[players]\n{lines}", "test")


def outcome(*goals: int | None) -> Outcome:
    return Outcome(goals, (0,) * len(goals), 5, None not in goals)


def better_seed_wins(job: Job) -> tuple[int, ...]:
    """The lower the number of a player, the better it is."""
    ranks = [int(player[1:]) for player in job.players]
    return tuple(100 if rank == min(ranks) else 0 for rank in ranks)


def played(schedule: Schedule, result: Result) -> dict[str, Outcome]:
    """All outcomes of a tournament where each match ends as the function says."""
    outcomes: dict[str, Outcome] = {}
    while missing := [job for job in schedule.timetable(outcomes).jobs if job.key not in outcomes]:
        for job in missing:
            outcomes[job.key] = outcome(*result(job))
    return outcomes


def reordered(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    return dict(reversed(list(outcomes.items())))
