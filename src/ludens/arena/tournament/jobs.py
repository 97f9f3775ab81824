"""A match of a tournament before it is played, and what came of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from ludens.arena.records import Record
from ludens.arena.tournament.pairing import Seating
from ludens.gdl.keywords import CHANCE

SEED_BITS = 48
BEST = 100
"""The best goal."""


@dataclass(frozen=True, slots=True)
class Job:
    """A match to play. The key is the same in every run of the plan, and the seed follows from it."""

    key: str
    contest: str
    """What is compared: all matches of a pair in a round, or all attempts at a game for one."""
    game: str
    players: Seating
    seed: int

    @classmethod
    def at(cls, seed: int, place: str, game: str, players: Seating, repeat: int) -> Job:
        """The place says at which point of the tournament; it may be empty."""
        contest = f"{place}{game} {repeat + 1}"
        key = f"{contest}: {' '.join(players)}"
        # Those who play alone get the same luck.
        source = contest if len(players) == 1 else key
        digest = hashlib.sha256(f"{seed}/{source}".encode()).digest()
        return cls(key, contest, game, players, int.from_bytes(digest) >> (8 * len(digest) - SEED_BITS))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a job; goals and faults are those of the seats."""

    goals: tuple[int | None, ...]
    faults: tuple[int, ...]
    steps: int
    finished: bool
    failure: str = ""
    """Why the match could not be played; such a match counts for nobody."""

    @classmethod
    def of(cls, record: Record) -> Outcome:
        seats = [index for index, role in enumerate(record.roles) if role.lower() != CHANCE]
        goals = list(record.goals.values())
        return cls(
            goals=tuple(goals[seat] for seat in seats),
            faults=tuple(sum(bool(row[seat]) for row in record.errors) for seat in seats),
            steps=record.turns,
            finished=record.is_completed,
        )

    @classmethod
    def failed(cls, job: Job, reason: str) -> Outcome:
        seats = len(job.players)
        return cls((None,) * seats, (0,) * seats, 0, False, reason)


Outcomes: TypeAlias = Mapping[str, Outcome]
"""By the keys of the jobs."""


def points(job: Job, outcome: Outcome) -> dict[str, Fraction]:
    """What each player gets for a match, from 0 to 1: the mean over its seats, where a seat without a goal gets 0."""
    if outcome.failure:
        return {}
    by_player: dict[str, list[int]] = {}
    for player, goal in zip(job.players, outcome.goals, strict=True):
        by_player.setdefault(player, []).append(goal or 0)
    return {player: Fraction(sum(goals), BEST * len(goals)) for player, goals in by_player.items()}
