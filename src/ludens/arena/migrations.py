"""The tables of the store, as the steps that led to them: a store of any earlier version takes the steps it lacks.

A step that was ever released is never changed; what comes later is a step of its own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ludens.errors import StoreError

APPLICATION_ID = 0x4C55444E
"""Marks the file as a store of ludens, in a place that SQLite keeps for it."""

FIRST_TABLES = (
    """CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        digest TEXT NOT NULL,
        name TEXT NOT NULL,
        rules TEXT NOT NULL
    )""",
    "CREATE INDEX games_by_digest ON games (digest)",
    """CREATE TABLE players (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE
    )""",
    """CREATE TABLE matches (
        id INTEGER PRIMARY KEY,
        match_id TEXT NOT NULL UNIQUE,
        random_token TEXT NOT NULL,
        game INTEGER REFERENCES games,
        game_meta_url TEXT NOT NULL,
        preview_clock REAL NOT NULL,
        start_clock REAL NOT NULL,
        play_clock REAL NOT NULL,
        seed TEXT,
        scrambled INTEGER NOT NULL,
        start_time INTEGER NOT NULL,
        completed INTEGER NOT NULL,
        aborted INTEGER NOT NULL,
        turns INTEGER NOT NULL DEFAULT 0,
        faults INTEGER NOT NULL DEFAULT 0,
        notes TEXT,
        extra TEXT NOT NULL
    )""",
    "CREATE INDEX matches_by_game ON matches (game)",
    "CREATE INDEX matches_by_time ON matches (start_time)",
    """CREATE TABLE seats (
        match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE,
        number INTEGER NOT NULL,
        role TEXT,
        player INTEGER REFERENCES players,
        human INTEGER,
        goal INTEGER,
        PRIMARY KEY (match, number)
    ) WITHOUT ROWID""",
    "CREATE INDEX seats_by_player ON seats (player)",
    """CREATE TABLE turns (
        match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE,
        number INTEGER NOT NULL,
        moves TEXT,
        state TEXT NOT NULL,
        time INTEGER,
        errors TEXT,
        PRIMARY KEY (match, number)
    )""",
)

TOURNAMENTS = (
    "ALTER TABLE matches ADD COLUMN tournament TEXT",
    "ALTER TABLE matches ADD COLUMN job TEXT",
    "CREATE UNIQUE INDEX matches_by_job ON matches (tournament, job)",
)

STEPS: Sequence[Sequence[str]] = (FIRST_TABLES, TOURNAMENTS)
"""Step n leads from version n to version n + 1."""


def migrate(connection: sqlite3.Connection, path: str, steps: Sequence[Sequence[str]] = STEPS) -> None:
    """Bring a store to the newest version in one transaction; StoreError for what cannot be one."""
    if _pragma(connection, "user_version") == len(steps) and _pragma(connection, "application_id") == APPLICATION_ID:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in steps[_version(connection, path, len(steps)) :]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(steps)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection, path: str, newest: int) -> int:
    """The version of a store; 0 for a file that is empty yet."""
    version, owner = _pragma(connection, "user_version"), _pragma(connection, "application_id")
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if owner != APPLICATION_ID and (version or owner or tables):
        raise StoreError(f"{path} is a database of another program; name another file")
    if version > newest:
        raise StoreError(
            f"{path} was written by a newer ludens (version {version} of the store, this one knows {newest}); "
            "update ludens, or name another file"
        )
    return version


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
