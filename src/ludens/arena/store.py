"""The store of matches: one SQLite file that many threads and processes may use at once.

Each joint move is one transaction. Once `moved` returns the move is in the file, whatever becomes of the process.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from ludens.arena.connections import Connections, explained
from ludens.arena.json_fields import MAX_BYTES, Fields, list_of, parse_json, text
from ludens.arena.records import Record, new_match_id, seed_of
from ludens.arena.summaries import SEATS, Standing, StoredMatch, standings_of, stored_matches
from ludens.core import Clocks
from ludens.errors import OtherMatchError, RecordError, StoreError
from ludens.game import Game

VARIABLE = "LUDENS_STORE"
"""Names the file of the store."""


def default_store_path() -> Path:
    """The store that the environment names, or the one in the user's data folder."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    on_windows = sys.platform == "win32"
    folder = os.environ.get("LOCALAPPDATA" if on_windows else "XDG_DATA_HOME")
    home = Path.home() / ("AppData/Local" if on_windows else ".local/share")
    return (Path(folder) if folder and Path(folder).is_absolute() else home) / "ludens" / "matches.sqlite"


class Store:
    """Matches, who played them and how they ended. It is a `Journal`, so a referee can write to it directly.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, Store(Path(folder) / "matches.sqlite") as store:
    ...     store.add(Record("m1", Clocks(10, 1), states=["( )"]))
    ...     store.record("m1").clocks
    Clocks(start=10.0, play=1.0)
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.exists():
            raise StoreError(
                f"there is no store of matches at {self.path} yet; name another with --store or {VARIABLE}"
            )
        self._connections = Connections(self.path)
        self._connections.get()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.path,)

    def close(self) -> None:
        """Close the connections of all threads."""
        self._connections.close()

    def began(self, record: Record) -> None:
        self.add(record)

    def moved(self, record: Record) -> None:
        with self._writing() as connection:
            row = connection.execute("SELECT id, turns FROM matches WHERE match_id = ?", (record.match_id,)).fetchone()
            if row is None:
                raise StoreError(f"the match {record.match_id} was never begun in {self.path}")
            _add_turns(connection, record, row[0], row[1] + 1)

    def ended(self, record: Record) -> None:
        self.add(record)

    def add(self, record: Record, game: Game | None = None) -> None:
        """Keep a match as far as it has come; one that is there already may have grown.

        A record that does not carry its rules can be given its game, for lists and for replaying.
        """
        with self._writing() as connection:
            key = _save_match(connection, record, _game_key(connection, record, game))
            _save_seats(
                connection, record, key, record.roles or ([str(role) for role in game.rule_roles] if game else [])
            )

    def remove(self, *match_ids: str) -> None:
        """Forget matches, all of them or none; nothing happens where there is none of this name."""
        with self._writing() as connection:
            connection.executemany("DELETE FROM matches WHERE match_id = ?", [(match_id,) for match_id in match_ids])

    def __contains__(self, match_id: str) -> bool:
        with self._reading() as connection:
            found = connection.execute("SELECT 1 FROM matches WHERE match_id = ?", (match_id,)).fetchone()
        return found is not None

    def record(self, match_id: str) -> Record:
        """The whole record of a match; StoreError if there is none of this name."""
        with self._reading() as connection:
            match = connection.execute(f"{MATCH} WHERE match_id = ?", (match_id,)).fetchone()
            if match is None:
                raise StoreError(f"there is no match {match_id} in {self.path}; `ludens matches` lists those there are")
            seats = connection.execute(SEATS, (match["id"],)).fetchall()
            turns = connection.execute(TURNS, (match["id"],)).fetchall()
        try:
            return _record_of(match, seats, turns)
        except RecordError as error:
            what = f"the match {match_id} in {self.path} is damaged: {error}"
            raise StoreError(f"{what}; take the store from a copy, or go on with the other matches") from error

    def rules(self, match_id: str) -> tuple[str, str] | None:
        """The name and the rules of the game that a match was played in; None if they are not known."""
        query = "SELECT name, rules FROM games JOIN matches ON games.id = game WHERE match_id = ? AND rules <> ''"
        with self._reading() as connection:
            row = connection.execute(query, (match_id,)).fetchone()
        return None if row is None else (row["name"], row["rules"])

    def matches(
        self,
        *,
        game: str | None = None,
        player: str | None = None,
        tournament: str | None = None,
        status: str | None = None,
        limit: int | None = None,
    ) -> list[StoredMatch]:
        """The matches in the order in which they began, only those asked for; with a limit the last ones."""
        with self._reading() as connection:
            return stored_matches(connection, game, player, tournament, status, limit)

    def standings(self, *, game: str | None = None, tournament: str | None = None) -> list[Standing]:
        """How the players did in all completed matches, the best first."""
        with self._reading() as connection:
            return standings_of(connection, game, tournament)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        yield from self._transaction("BEGIN IMMEDIATE")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """All that is read is of one moment, whatever others write meanwhile."""
        yield from self._transaction("BEGIN")

    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with explained(self.path):
            connection = self._connections.get()
            connection.execute(begin)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise


class Archive:
    """A journal that keeps matches once they are over, unless no move was made.

    It serves matches that are played, not refereed, here: a store that cannot be written fails none of them. Why it
    cannot is told to `on_error`, once. A match that was taken back and went another way is kept as another match.
    """

    def __init__(self, on_error: Callable[[str], None], path: str | os.PathLike[str] | None = None) -> None:
        self._path = Path(path) if path else default_store_path()
        self._on_error = on_error
        self.is_working = True

    def began(self, record: Record) -> None:
        pass

    def moved(self, record: Record) -> None:
        pass

    def ended(self, record: Record) -> None:
        if not record.turns:
            return
        try:
            if sum(map(len, record.states)) > MAX_BYTES:
                raise StoreError(f"the states of {record.match_id} have more than {MAX_BYTES:,} characters")
            with Store(self._path) as store:
                try:
                    store.add(record)
                except OtherMatchError:
                    record.rename(new_match_id(record.game_name))
                    store.add(record)
        except StoreError as error:
            if self.is_working:
                self._on_error(f"matches are not kept: {error}")
            self.is_working = False


MATCH = "SELECT matches.*, name AS game_name, digest, rules FROM matches LEFT JOIN games ON games.id = game"
TURNS = "SELECT moves, state, time, errors FROM turns WHERE match = ? ORDER BY number"


def _game_key(connection: sqlite3.Connection, record: Record, game: Game | None) -> int | None:
    values = record.game_digest, record.game_name, record.rules
    if game is not None and not record.rules:
        values = game.rules.digest, game.name, game.rules.to_kif()
    if not any(values):
        return None
    known = connection.execute("SELECT id FROM games WHERE digest = ? AND name = ? AND rules = ?", values).fetchone()
    return int(known[0]) if known else _insert(connection, "games", digest=values[0], name=values[1], rules=values[2])


def _save_match(connection: sqlite3.Connection, record: Record, game: int | None) -> int:
    """The key of the match in the store, with all its turns written."""
    known = connection.execute(
        "SELECT id, random_token, turns, completed FROM matches WHERE match_id = ?", (record.match_id,)
    ).fetchone()
    if known is None:
        key = _insert_match(connection, record, game)
        _add_turns(connection, record, key, 0)
        return key
    _check_continues(connection, record, known)
    connection.execute(
        "UPDATE matches SET game = coalesce(?, game), completed = ?, aborted = ?, notes = ?, extra = ? WHERE id = ?",
        (game, record.is_completed, record.is_aborted, _notes(record), json.dumps(record.extra), known["id"]),
    )
    # Before the first move, what went wrong in START may be news.
    _add_turns(connection, record, known["id"], known["turns"] + 1 if known["turns"] else 0)
    return int(known["id"])


def _check_continues(connection: sqlite3.Connection, record: Record, known: sqlite3.Row) -> None:
    """Refuse a record that is not the match in the store, or tells less of it."""
    if known["random_token"] != record.random_token:
        raise OtherMatchError(f"another match with the id {record.match_id} is in the store; rename one of them")
    if known["turns"] > record.turns:
        counts = f"{known['turns']} turns in the store and only {record.turns} in this record"
        raise OtherMatchError(f"the match {record.match_id} has {counts}")
    if known["completed"] and not record.is_completed:
        raise OtherMatchError(f"the match {record.match_id} is completed in the store and not in this record")
    place = known["id"], known["turns"]
    last = connection.execute("SELECT state FROM turns WHERE match = ? AND number = ?", place).fetchone()
    if last is None or last["state"] != record.states[known["turns"]]:
        raise OtherMatchError(f"the match {record.match_id} went another way in the store, up to turn {known['turns']}")


def _insert_match(connection: sqlite3.Connection, record: Record, game: int | None) -> int:
    try:
        return _insert(
            connection,
            "matches",
            match_id=record.match_id,
            random_token=record.random_token,
            game=game,
            game_meta_url=record.game_meta_url,
            preview_clock=record.preview_clock,
            start_clock=record.clocks.start,
            play_clock=record.clocks.play,
            seed=None if record.seed is None else json.dumps(record.seed),
            scrambled=record.scrambled,
            start_time=record.start_time,
            completed=record.is_completed,
            aborted=record.is_aborted,
            notes=_notes(record),
            extra=json.dumps(record.extra),
            tournament=record.tournament,
            job=record.job,
        )
    except sqlite3.IntegrityError:
        raise StoreError(f"the job {record.job} of {record.tournament} is in the store, as another match") from None


def _save_seats(connection: sqlite3.Connection, record: Record, match: int, roles: Sequence[str]) -> None:
    width = max(map(len, (roles, record.player_names or (), record.goal_values or (), record.is_player_human or ())))
    for number in range(width):
        seat = (
            match,
            number,
            roles[number] if roles else None,
            _player_key(connection, record.player_names[number]) if record.player_names else None,
            record.is_player_human[number] if record.is_player_human else None,
            record.goal_values[number] if record.goal_values else None,
        )
        connection.execute("INSERT OR REPLACE INTO seats VALUES (?, ?, ?, ?, ?, ?)", seat)


def _player_key(connection: sqlite3.Connection, name: str) -> int:
    known = connection.execute("SELECT id FROM players WHERE name = ?", (name,)).fetchone()
    return int(known[0]) if known else _insert(connection, "players", name=name)


def _add_turns(connection: sqlite3.Connection, record: Record, match: int, first: int) -> None:
    """Write the turns from the first missing one; turn 0 is the initial state."""
    for number in range(first, len(record.states)):
        moves = json.dumps(record.moves[number - 1]) if number else None
        time = record.state_times[number] if number < len(record.state_times) else None
        errors = json.dumps(record.errors[number]) if number < len(record.errors) else None
        turn = (match, number, moves, record.states[number], time, errors)
        connection.execute("INSERT OR REPLACE INTO turns VALUES (?, ?, ?, ?, ?, ?)", turn)
    faults = sum(bool(error) for row in record.errors[first:] for error in row)
    connection.execute(
        "UPDATE matches SET turns = ?, faults = CASE ? WHEN 0 THEN 0 ELSE faults END + ? WHERE id = ?",
        (record.turns, first, faults, match),
    )


def _insert(connection: sqlite3.Connection, table: str, **values: Any) -> int:
    """The key of a new row; the names of tables and columns are those of this file."""
    marks = ", ".join("?" * len(values))
    cursor = connection.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values()))
    return int(cursor.lastrowid or 0)


def _notes(record: Record) -> str | None:
    """None marks a record of another server, which says nothing about its rules."""
    is_own = record.notes or record.game_name or record.game_digest or record.rules or record.roles
    return json.dumps(record.notes) if is_own else None


def _record_of(match: sqlite3.Row, seats: Sequence[sqlite3.Row], turns: Sequence[sqlite3.Row]) -> Record:
    """RecordError if the tables do not hold a whole record."""
    if len(turns) != match["turns"] + 1:
        raise RecordError(f"it had {match['turns'] + 1} states, and {len(turns)} are there")
    own = match["notes"] is not None
    names, people, goals, roles = ([seat[key] for seat in seats] for key in ("name", "human", "goal", "role"))
    times, errors = ([turn[key] for turn in turns if turn[key] is not None] for key in ("time", "errors"))
    record = Record(
        match_id=match["match_id"],
        clocks=Clocks(match["start_clock"], match["play_clock"]),
        random_token=match["random_token"],
        start_time=match["start_time"],
        game_name=(match["game_name"] or "") if own else "",
        game_meta_url=match["game_meta_url"],
        game_digest=(match["digest"] or "") if own else "",
        rules=(match["rules"] or "") if own else "",
        roles=[role for role in roles if role is not None] if own else [],
        player_names=None if None in names or not names else names,
        is_player_human=None if None in people or not people else [bool(human) for human in people],
        preview_clock=match["preview_clock"],
        scrambled=bool(match["scrambled"]),
        seed=None if match["seed"] is None else seed_of(parse_json(match["seed"]), "seed"),
        states=[turn["state"] for turn in turns],
        moves=[_texts(turn["moves"], "moves") for turn in turns[1:]],
        state_times=times,
        errors=[_texts(row, "errors") for row in errors],
        goal_values=None if None in goals or not goals else goals,
        is_completed=bool(match["completed"]),
        is_aborted=bool(match["aborted"]),
        tournament=match["tournament"],
        job=match["job"],
        notes=Fields(parse_json(match["notes"] or "{}"), "notes").rest,
        extra=Fields(parse_json(match["extra"]), "extra").rest,
    )
    record.check_shape()
    return record


def _texts(column: str | None, name: str) -> list[str]:
    return list_of(text)(parse_json(column or ""), name)
