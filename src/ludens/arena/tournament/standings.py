"""What the results of a tournament come to: scores with their intervals, who beat whom, and ratings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from openskill.models import PlackettLuce

from ludens.arena.tournament.intervals import BEST, wilson_interval
from ludens.arena.tournament.jobs import Job, Outcome, Outcomes, points
from ludens.arena.tournament.schedule import Timetable

Against: TypeAlias = Mapping[tuple[str, str | None], "Tally"]
"""By player and opponent; there is no opponent in games for one."""


@dataclass(slots=True)
class Tally:
    """Scores that are added up."""

    matches: int = 0
    sum: Fraction = Fraction()
    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add(self, share: Fraction, rivals: Sequence[Fraction]) -> None:
        """Count a match; against several rivals only the best of them counts."""
        self.matches += 1
        self.sum += share
        if rivals:
            best = max(rivals)
            self.wins += share > best
            self.draws += share == best
            self.losses += share < best

    @property
    def mean(self) -> float | None:
        """From 0 to 100; None before the first match."""
        return float(BEST * self.sum / self.matches) if self.matches else None

    @property
    def interval(self) -> tuple[float, float]:
        return (0.0, float(BEST)) if self.mean is None else wilson_interval(self.mean, self.matches)


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the table."""

    player: str
    tally: Tally
    faults: int
    rating: float
    uncertainty: float
    """The standard deviation of the rating."""
    note: str


@dataclass(frozen=True, slots=True)
class Standings:
    """The table, the best first, and who did how well against whom at each game."""

    lines: tuple[Standing, ...]
    against: Mapping[str, Against]
    """By game."""
    played: int
    """How many matches count."""
    cut: int
    """How many of them were cut because they were too long; in these nobody gets points."""
    failures: Mapping[str, str] = field(default_factory=dict)
    """Matches that could not be played, by key, and why."""

    @classmethod
    def of(cls, players: Iterable[str], timetable: Timetable, outcomes: Outcomes) -> Standings:
        """Matches are counted in the order of the timetable, so that it does not matter which ended first."""
        played = [(job, outcomes[job.key]) for job in timetable.jobs if job.key in outcomes]
        tallies = {player: Tally() for player in players}
        faults = dict.fromkeys(tallies, 0)
        against: dict[str, dict[tuple[str, str | None], Tally]] = defaultdict(lambda: defaultdict(Tally))
        for job, outcome in played:
            shares = points(job, outcome)
            for player, share in shares.items():
                rivals = {other: rival for other, rival in shares.items() if other != player}
                tallies[player].add(share, list(rivals.values()))
                for other, rival in rivals.items():
                    against[job.game][player, other].add(share, [rival])
                if not rivals:
                    against[job.game][player, None].add(share, [])
            for player, number in zip(job.players, outcome.faults, strict=True):
                faults[player] += number
        ratings = rate(tallies, played)
        lines = [
            Standing(player, tallies[player], faults[player], *ratings[player], timetable.notes.get(player, ""))
            for player in timetable.ranking or sorted(tallies, key=lambda player: -(tallies[player].mean or 0))
        ]
        failures = {job.key: outcome.failure for job, outcome in played if outcome.failure}
        cut = sum(not outcome.finished and not outcome.failure for _, outcome in played)
        counted = len(played) - len(failures)
        return cls(tuple(lines), {game: dict(pairs) for game, pairs in against.items()}, counted, cut, failures)

    @property
    def leaders(self) -> list[str]:
        """Who is first; several where there is nothing to choose between them, nobody where no match counts."""
        if not self.played:
            return []
        best = self.lines[0]
        return [
            line.player for line in self.lines if line is best or (not line.note and line.tally.mean == best.tally.mean)
        ]


def rate(players: Iterable[str], played: Sequence[tuple[Job, Outcome]]) -> dict[str, tuple[float, float]]:
    """Ratings with their standard deviations, by the model of Plackett and Luce: each match is a ranking by goals.

    A player with several seats has one place in it, by its mean. In games for one, all attempts at the same game
    with the same luck are compared as if they were one match.
    """
    model = PlackettLuce()
    ratings = {player: model.rating(name=player) for player in players}
    for shares in _rankings(played):
        names = list(shares)
        teams = model.rate([[ratings[name]] for name in names], scores=[float(shares[name]) for name in names])
        ratings.update({name: team[0] for name, team in zip(names, teams, strict=True)})
    return {player: (rating.mu, rating.sigma) for player, rating in ratings.items()}


def _rankings(played: Sequence[tuple[Job, Outcome]]) -> list[dict[str, Fraction]]:
    """What there is to compare, in order; attempts of a single player are no comparison."""
    contests: dict[str, dict[str, Fraction]] = {}
    for job, outcome in played:
        key = job.contest if len(job.players) == 1 else job.key
        contests.setdefault(key, {}).update(points(job, outcome))
    return [shares for shares in contests.values() if len(shares) > 1]
