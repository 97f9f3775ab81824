"""What the results of a tournament come to: scores with their intervals, who beat whom, and ratings."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import NormalDist
from typing import TypeAlias

from openskill.models import PlackettLuce

from ludens.arena.tournament.jobs import BEST, Job, Outcome, Outcomes, points
from ludens.arena.tournament.schedule import Timetable

CONFIDENCE = 0.95

Against: TypeAlias = Mapping[tuple[str, str | None], "ScoreTally"]
"""By player and opponent; there is no opponent in games for one."""


def wilson_interval(mean: float, games: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's score interval around a mean of scores from 0 to 100.

    It is made for wins and losses alone, where it is right also close to 0 and 100. Scores between them, such as
    draws, vary less around the same mean, so with them it is wider than need be, never too narrow.

    >>> [round(bound, 1) for bound in wilson_interval(80, 10)]
    [49.0, 94.3]
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = mean / BEST
    centre = share + z * z / (2 * games)
    reach = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    scale = BEST / (1 + z * z / games)
    return max(0.0, (centre - reach) * scale), min(float(BEST), (centre + reach) * scale)


@dataclass(slots=True)
class ScoreTally:
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
class StandingsLine:
    """One line of the table."""

    player: str
    tally: ScoreTally
    faults: int
    rating: float
    uncertainty: float
    """The standard deviation of the rating."""
    note: str


@dataclass(frozen=True, slots=True)
class Standings:
    """The table, the best first, and who did how well against whom at each game."""

    lines: tuple[StandingsLine, ...]
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
        tallies = {player: ScoreTally() for player in players}
        faults = dict.fromkeys(tallies, 0)
        against: dict[str, dict[tuple[str, str | None], ScoreTally]] = defaultdict(lambda: defaultdict(ScoreTally))
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
            StandingsLine(player, tallies[player], faults[player], *ratings[player], timetable.notes.get(player, ""))
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
