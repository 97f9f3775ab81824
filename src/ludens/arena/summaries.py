"""What the store knows about matches as a whole: lists of them, and how the players did."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from ludens.arena.records import NO_GOAL
from ludens.errors import StoreError
from ludens.gdl.keywords import CHANCE

PLAYING, COMPLETED, ABORTED = "playing", "completed", "aborted"
SEATS = """SELECT role, name, human, goal FROM seats LEFT JOIN players ON players.id = player
    WHERE match = ? ORDER BY number"""
GAME = "coalesce(nullif(games.name, ''), name_in(game_meta_url))"
"""What a game is called: by its name, or else by its address."""
CONDITIONS = {PLAYING: "NOT completed AND NOT aborted", COMPLETED: "completed AND NOT aborted", ABORTED: "aborted"}


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match in one line."""

    match_id: str
    game: str
    """The name of the game, if need be from its address; empty where it is not known."""
    roles: tuple[str | None, ...]
    """None where the record of another server does not say."""
    players: tuple[str | None, ...]
    goals: tuple[int | None, ...]
    """None where there is no result."""
    status: str
    start_time: int
    turns: int
    faults: int
    tournament: str | None
    job: str | None


@dataclass(frozen=True, slots=True)
class Standing:
    """How a player did, over all its seats."""

    player: str
    matches: int
    mean_goal: float
    wins: int
    """More than anybody else in the match."""
    shared: int
    """As much as the best of the others."""
    losses: int


def stored_matches(
    connection: sqlite3.Connection,
    game: str | None,
    player: str | None,
    tournament: str | None,
    status: str | None,
    limit: int | None,
) -> list[StoredMatch]:
    """The matches that fit, in the order in which they began; with a limit the last ones."""
    if status is not None and status not in CONDITIONS:
        raise StoreError(f"there is no status {status!r}; a match is {', '.join(CONDITIONS)}")
    played = "matches.id IN (SELECT match FROM seats JOIN players ON players.id = player WHERE players.name = ?)"
    asked = [(f"{GAME} = ?", game), (played, player), ("tournament = ?", tournament)]
    given = [(condition, value) for condition, value in asked if value is not None]
    where = [condition for condition, _ in given] + ([CONDITIONS[status]] if status else [])
    rows = connection.execute(
        f"SELECT matches.id, match_id, {GAME} AS game, completed, aborted, start_time, turns, faults,"
        " tournament, job FROM matches LEFT JOIN games ON games.id = game"
        f" WHERE {' AND '.join(where) or 'true'} ORDER BY start_time DESC, matches.id DESC LIMIT ?",
        (*(value for _, value in given), -1 if limit is None else limit),
    ).fetchall()
    return [_stored_match(row, connection.execute(SEATS, (row["id"],)).fetchall()) for row in reversed(rows)]


def standings_of(connection: sqlite3.Connection, game: str | None, tournament: str | None) -> list[Standing]:
    """How the players did in completed matches, the best mean first; a match alone is neither won nor lost."""
    rows = connection.execute(
        f"""WITH seated AS (
            SELECT players.name AS name, goal,
                rank() OVER (PARTITION BY match ORDER BY goal DESC) AS place,
                count(*) OVER (PARTITION BY match, goal) AS equals,
                count(*) OVER (PARTITION BY match) AS size
            FROM seats JOIN players ON players.id = player JOIN matches ON matches.id = match
                LEFT JOIN games ON games.id = game
            WHERE completed AND NOT aborted AND goal >= 0 AND lower(coalesce(role, '')) <> :chance
                AND (:game IS NULL OR {GAME} = :game) AND (:tournament IS NULL OR tournament = :tournament)
        )
        SELECT name, count(*), avg(goal), total(size > 1 AND place = 1 AND equals = 1),
            total(size > 1 AND place = 1 AND equals > 1), total(place > 1)
        FROM seated WHERE name <> '' GROUP BY name ORDER BY avg(goal) DESC, name""",
        {"chance": CHANCE, "game": game, "tournament": tournament},
    )
    return [Standing(row[0], row[1], row[2], int(row[3]), int(row[4]), int(row[5])) for row in rows]


def _stored_match(row: sqlite3.Row, seats: Sequence[sqlite3.Row]) -> StoredMatch:
    return StoredMatch(
        match_id=row["match_id"],
        game=row["game"],
        roles=tuple(seat["role"] for seat in seats),
        players=tuple(seat["name"] for seat in seats),
        goals=tuple(None if seat["goal"] == NO_GOAL else seat["goal"] for seat in seats),
        status=ABORTED if row["aborted"] else COMPLETED if row["completed"] else PLAYING,
        start_time=row["start_time"],
        turns=row["turns"],
        faults=row["faults"],
        tournament=row["tournament"],
        job=row["job"],
    )
