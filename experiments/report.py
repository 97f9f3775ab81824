"""What the matches of an experiment came to: who did how well against whom at each game, as JSON.

A report is read from the store of a tournament, or from the JSON of an earlier run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.machine import UNKNOWN
from ludens.arena.match import DIAGNOSTICS
from ludens.arena.records import Record
from ludens.arena.tournament.jobs import Job
from ludens.arena.tournament.plan import TournamentPlan
from ludens.arena.tournament.runner import Tournament
from ludens.arena.tournament.standings import CONFIDENCE, wilson_interval

EVEN = 50.0
"""The mean score of equals, and what a match counts that has no result."""
START_CLOCK = 300.0
"""Of reports that do not tell it."""
MADE_BY = "madeBy"
"""The note in a record that tells by which program and on which machine a match was played."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """How a match went; pairs are in the order of the players, whatever roles they had."""

    sheet: str
    players: tuple[str, str]
    number: int
    """Of the matches of these players at this game, from 0."""
    seed: int
    roles: tuple[str, ...]
    """Those of the first player, then those of the second; both have the only one of a puzzle."""
    scores: tuple[float, float]
    """The mean over all roles that a player had."""
    moves: int
    longest: tuple[float, float]
    """The real seconds that each player took for its longest move."""
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What players say about themselves, such as why they do not play by their name."""
    commit: str = UNKNOWN
    """The version of the program that played it."""

    @property
    def lead(self) -> float:
        """How much more the first player got."""
        return self.scores[0] - self.scores[1]

    @classmethod
    def of(
        cls, plan: TournamentPlan, pair: tuple[str, str], number: int, played: Sequence[tuple[Job, Record]]
    ) -> PlayedMatch:
        """From the record of a match between two, or from those of both players at a game for one."""
        job, record = played[0]
        roles = plan.game(job.game).roles
        seats: dict[str, list[tuple[str, float, float]]] = {player: [] for player in pair}
        for each, kept in played:
            goals = [EVEN if kept.goals[role] is None else float(kept.goals[role] or 0) for role in roles]
            longest = kept.notes.get("longestMoves", [0.0] * len(roles))
            for player, role, goal, seconds in zip(each.players, roles, goals, longest, strict=True):
                seats[player].append((role, goal, seconds))
        first, second = seats.values()
        return cls(
            sheet=job.game,
            players=pair,
            number=number,
            seed=job.seed,
            roles=tuple(role for side in (first, second) for role, _, _ in side),
            scores=(fmean(goal for _, goal, _ in first), fmean(goal for _, goal, _ in second)),
            moves=sum(kept.turns for _, kept in played),
            longest=(max(seconds for _, _, seconds in first), max(seconds for _, _, seconds in second)),
            faults=tuple(fault for _, kept in played for fault in _faults(kept)),
            notes=tuple(dict.fromkeys(words for _, kept in played for words in _diagnostics(kept))),
            commit=record.notes.get(MADE_BY, {}).get("commit", UNKNOWN),
        )


@dataclass(frozen=True, slots=True)
class Series:
    """All matches of two players at one game, as the first of them sees it."""

    sheet: str
    players: tuple[str, str]
    wins: int
    draws: int
    losses: int
    mean: float
    """Of the first player's scores."""
    other: float
    """Of the second player's scores."""
    lead: float
    """How the scores compare: even if they are equal, 100 if the first player always gets 100 and the second 0.

    For two roles that share 100 points it is the mean of the first player's.
    """
    low: float
    high: float
    """The interval of `lead`."""
    longest: tuple[float, float]
    faults: int

    @classmethod
    def of(cls, matches: Sequence[PlayedMatch], sheet: str | None = None) -> Series:
        """`sheet`: what matches at several games are to be called."""
        leads = [match.lead for match in matches]
        lead = EVEN + fmean(leads) / 2
        low, high = wilson_interval(lead, len(matches))
        return cls(
            sheet or matches[0].sheet,
            matches[0].players,
            wins=sum(lead > 0 for lead in leads),
            draws=sum(lead == 0 for lead in leads),
            losses=sum(lead < 0 for lead in leads),
            mean=fmean(match.scores[0] for match in matches),
            other=fmean(match.scores[1] for match in matches),
            lead=lead,
            low=low,
            high=high,
            longest=(max(match.longest[0] for match in matches), max(match.longest[1] for match in matches)),
            faults=sum(len(match.faults) for match in matches),
        )

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def stronger(self) -> str | None:
        """Who is stronger beyond chance; None while that is open."""
        if self.low > EVEN:
            return self.players[0]
        return self.players[1] if self.high < EVEN else None


@dataclass(frozen=True, slots=True)
class Settings:
    """How much the players could think, and where all chance came from."""

    clock: float
    nodes: int | None
    seed: int
    start: float = START_CLOCK

    @classmethod
    def of(cls, plan: TournamentPlan) -> Settings:
        nodes = None if plan.is_timed else max(entrant.nodes or 0 for entrant in plan.players.values())
        return cls(plan.clocks.play, nodes or None, plan.seed, plan.clocks.start)


@dataclass(slots=True)
class Report:
    """All matches of an experiment, and what else was found about its games."""

    settings: Settings
    cpu: str
    versions: Mapping[str, str]
    plan: Mapping[str, Any] | None = None
    """The settings of the tournament; None for those that were played before there were plans."""
    matches: list[PlayedMatch] = field(default_factory=list)
    sheets: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What else is known of each game, as plain values by their names."""

    @classmethod
    def of(cls, tournament: Tournament, cpu: str, versions: Mapping[str, str]) -> Report:
        """All matches that were played; machine and versions are those of the last one that tells them."""
        plan, played = tournament.plan, list(tournament.records())
        made_by = [record.notes[MADE_BY] for _, record in played if MADE_BY in record.notes]
        if made_by:
            cpu, versions = made_by[-1]["cpu"], made_by[-1]["versions"]
        report = cls(Settings.of(plan), cpu, versions, plan.settings())
        for game in plan.games:
            there = [(job, record) for job, record in played if job.game == game.name]
            for pair in plan.pairs or combinations(plan.players, 2):
                groups = _of_pair(there, pair)
                report.matches += [PlayedMatch.of(plan, pair, number, group) for number, group in enumerate(groups)]
        return report

    @property
    def commits(self) -> list[str]:
        return list(dict.fromkeys(match.commit for match in self.matches))

    def series(self) -> list[Series]:
        """Game by game in the order in which they were begun."""
        listed: dict[str, dict[tuple[str, str], list[PlayedMatch]]] = {}
        for match in self.matches:
            listed.setdefault(match.sheet, {}).setdefault(match.players, []).append(match)
        return [Series.of(matches) for pairs in listed.values() for matches in pairs.values()]

    def remarks(self) -> list[str]:
        """What went wrong in matches, and why players did not play by their names."""
        faults = [
            f"{match.sheet}, {' – '.join(match.players)}, match {match.number + 1}: {words}"
            for match in self.matches
            for words in match.faults
        ]
        return faults + list(dict.fromkeys(f"{match.sheet}: {note}" for match in self.matches for note in match.notes))

    def document(self) -> dict[str, Any]:
        return {
            "cpu": self.cpu,
            "versions": dict(self.versions),
            "commits": self.commits,
            "settings": asdict(self.settings),
            **({"plan": self.plan} if self.plan else {}),
            "interval": f"Wilson, {CONFIDENCE:.0%}",
            **({"sheets": self.sheets} if self.sheets else {}),
            "series": [{**asdict(series), "stronger": series.stronger} for series in self.series()],
            "matches": [asdict(match) for match in self.matches],
        }

    def write(self, path: Path) -> None:
        """Replace the file in one step, so that an interruption leaves the old one or the new one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.new")
        beside.write_text(json.dumps(self.document(), indent=1) + "\n", encoding="utf-8")
        os.replace(beside, path)

    @classmethod
    def read(cls, path: Path) -> Report:
        """The report of an earlier run; ValueError, LookupError or TypeError for other files."""
        document = json.loads(path.read_text(encoding="utf-8"))
        settings = Settings(**document["settings"])
        report = cls(settings, document["cpu"], document["versions"], document.get("plan"))
        report.sheets.update(document.get("sheets", {}))
        if not all(isinstance(known, dict) for known in report.sheets.values()):
            raise ValueError(f"{path} has a game of which nothing is said")
        for entry in document["matches"]:
            match = _match_of(entry)
            if not all(0 <= score <= 100 for score in match.scores):
                raise ValueError(f"{path} has a score that is not from 0 to 100")
            report.matches.append(match)
        if not report.matches and not report.sheets:
            raise ValueError(f"{path} has no matches")
        return report


def _of_pair(played: Sequence[tuple[Job, Record]], pair: tuple[str, str]) -> list[list[tuple[Job, Record]]]:
    """The matches of two players at one game; at a game for one those of both with the same luck make one."""
    contests: dict[str, list[tuple[Job, Record]]] = {}
    for job, record in played:
        if set(job.players) <= set(pair):
            contests.setdefault(job.contest if len(job.players) == 1 else job.key, []).append((job, record))
    return [group for group in contests.values() if {player for job, _ in group for player in job.players} == set(pair)]


def _faults(record: Record) -> list[str]:
    """Late, missing and illegal moves, by their codes."""
    return [
        f"move {move}, {role}: {code}"
        for move, row in enumerate(record.errors)
        for role, code in zip(record.roles, row, strict=True)
        if code
    ]


def _diagnostics(record: Record) -> list[str]:
    """The diagnostics of players, without the move and the role."""
    return [str(words).partition(": ")[2] for words in record.notes.get(DIAGNOSTICS, ())]


def _match_of(entry: Mapping[str, Any]) -> PlayedMatch:
    """A match as it was written, where tuples are lists."""
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    match = PlayedMatch(**values)
    if any(len(pair) != 2 for pair in (match.players, match.scores, match.longest)):
        raise ValueError("a match is between two")
    return match
