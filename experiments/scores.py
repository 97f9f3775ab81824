"""What many matches came to: mean scores with their intervals, kept in a file match by match."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from experiments.matches import START_CLOCK, PlayedMatch
from ludens.arena.tournament.standings import CONFIDENCE, wilson_interval

EVEN = 50.0
"""The mean score of equals."""


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
    """What matches must have in common to be counted together."""

    clock: float
    nodes: int | None
    seed: int
    start: float = START_CLOCK


@dataclass(slots=True)
class Scores:
    """All matches so far."""

    settings: Settings
    cpu: str
    versions: Mapping[str, str]
    matches: dict[tuple[str, tuple[str, str], int], PlayedMatch] = field(default_factory=dict)
    sheets: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What else is known of each game, as plain values by their names."""

    def add(self, match: PlayedMatch) -> None:
        self.matches[match.sheet, match.players, match.number] = match

    def series(self) -> list[Series]:
        """Sheet by sheet in the order in which they were begun."""
        listed: dict[tuple[str, tuple[str, str]], list[PlayedMatch]] = {}
        for (sheet, players, _), match in self.matches.items():
            listed.setdefault((sheet, players), []).append(match)
        sheets = list(dict.fromkeys(sheet for sheet, _ in listed))
        return [Series.of(matches) for sheet in sheets for (other, _), matches in listed.items() if other == sheet]

    def document(self) -> dict[str, Any]:
        by_number = sorted(self.matches.values(), key=lambda match: match.number)
        return {
            "cpu": self.cpu,
            "versions": dict(self.versions),
            "settings": asdict(self.settings),
            "interval": f"Wilson, {CONFIDENCE:.0%}",
            **({"sheets": self.sheets} if self.sheets else {}),
            "series": [{**asdict(series), "stronger": series.stronger} for series in self.series()],
            "matches": [asdict(match) for match in by_number],
        }

    def write(self, path: Path) -> None:
        """Replace the file in one step, so that an interruption leaves the old one or the new one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.new")
        beside.write_text(json.dumps(self.document(), indent=1) + "\n", encoding="utf-8")
        os.replace(beside, path)

    @classmethod
    def read(cls, path: Path) -> Scores:
        """What an earlier run has written; ValueError, LookupError or TypeError for other files."""
        document = json.loads(path.read_text(encoding="utf-8"))
        scores = cls(Settings(**document["settings"]), document["cpu"], document["versions"])
        scores.sheets.update(document.get("sheets", {}))
        if not all(isinstance(known, dict) for known in scores.sheets.values()):
            raise ValueError(f"{path} has a game of which nothing is said")
        for entry in document["matches"]:
            match = _match_of(entry)
            if not all(0 <= score <= 100 for score in match.scores):
                raise ValueError(f"{path} has a score that is not from 0 to 100")
            scores.add(match)
        if not scores.matches and not scores.sheets:
            raise ValueError(f"{path} has no matches")
        return scores


def _match_of(entry: Mapping[str, Any]) -> PlayedMatch:
    """A match as it was written, where tuples are lists."""
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    match = PlayedMatch(**values)
    if any(len(pair) != 2 for pair in (match.players, match.scores, match.longest)):
        raise ValueError("a match is between two")
    return match
