"""What the store of matches holds, for people who watch: matches, tournaments, ratings and who beat whom."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludens.arena.store import Store, default_store_path
from ludens.arena.summaries import COMPLETED, StoredMatch
from ludens.arena.tournament.jobs import Job, Outcome
from ludens.arena.tournament.schedule import Timetable
from ludens.arena.tournament.standings import Standings
from ludens.errors import StoreError
from ludens.gdl.keywords import CHANCE

SHOWN_MATCHES = 300
MAX_RECORD_BYTES = 8_000_000
"""A record that is larger is not shown."""
MAX_RATED = 5_000
"""Ratings follow from the last matches, if there are more."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """The last matches of a store, and the tournaments there."""

    matches: tuple[StoredMatch, ...]
    """The latest first."""
    tournaments: tuple[str, ...]
    problem: str = ""


def browse(path: Path | None) -> Shelf:
    """What there is to watch; a store that is not there yet is an empty one."""
    try:
        with Store(path or default_store_path(), create=False) as store:
            found = store.matches(limit=MAX_RATED)
    except StoreError as error:
        return Shelf((), (), str(error))
    names = dict.fromkeys(match.tournament for match in reversed(found) if match.tournament)
    return Shelf(tuple(reversed(found))[:SHOWN_MATCHES], tuple(names))


def tournament(path: Path | None, name: str) -> tuple[list[StoredMatch], Standings]:
    """The matches of a tournament, in order, and what they come to."""
    with Store(path or default_store_path(), create=False) as store:
        found = store.matches(tournament=name)
    if not found:
        raise StoreError(f"there is no match of a tournament called {name}")
    return found, standings(found)


def record(path: Path | None, match_id: str) -> dict[str, Any]:
    """All that is needed to show a match: its record as JSON, its rules, and the name of its game."""
    with Store(path or default_store_path(), create=False) as store:
        known = store.rules(match_id)
        name, rules = known or ("", "")
        found = {"record": store.record(match_id).to_json(), "rules": rules, "name": name}
    if len(json.dumps(found)) > MAX_RECORD_BYTES:
        raise StoreError(f"the record of {match_id} is too large to be shown")
    return found


def standings(matches: Iterable[StoredMatch]) -> Standings:
    """Scores, ratings and cross tables of matches that were played to their end by players whose names are known."""
    jobs: list[Job] = []
    outcomes: dict[str, Outcome] = {}
    for match in matches:
        seats = [number for number, role in enumerate(match.roles) if (role or "").lower() != CHANCE]
        players = tuple(match.players[seat] or "" for seat in seats)
        if match.status != COMPLETED or not seats or not all(players):
            continue
        jobs.append(Job(match.match_id, match.match_id, match.game, players, 0))
        goals = tuple(match.goals[seat] for seat in seats)
        outcomes[match.match_id] = Outcome(goals, (0,) * len(seats), match.turns, True)
    names = list(dict.fromkeys(player for job in jobs for player in job.players))
    return Standings.of(names, Timetable(tuple(jobs), len(jobs)), outcomes)


def cross_table(table: Standings, game: str) -> tuple[Sequence[str], list[list[float | None]]]:
    """The players, and the mean score of each against each other at one game."""
    pairs = table.against[game]
    players = [line.player for line in table.lines if any(line.player in pair for pair in pairs)]
    rows: list[list[float | None]] = []
    for player in players:
        tallies = [pairs.get((player, other)) for other in players]
        rows.append([tally.mean if tally else None for tally in tallies])
    return players, rows
