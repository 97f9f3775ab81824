"""Files that are or are not a store: other versions, files of other programs, places that cannot be written."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ludens import load
from ludens.arena.migrations import APPLICATION_ID, STEPS, migrate
from ludens.arena.records import Record
from ludens.arena.store import VARIABLE, Store, default_store_path
from ludens.core import Clocks
from ludens.errors import StoreError
from tests.arena.played import played

NOBODY = 65534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "matches.sqlite"


def old_store(path: Path, version: int) -> None:
    """A store as an earlier ludens made it, with one match of two turns."""
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, str(path), STEPS[:version])
    connection.executescript("""
        INSERT INTO games VALUES (1, 'digest', 'nim', '(role first)');
        INSERT INTO players VALUES (7, 'ann');
        INSERT INTO matches (id, match_id, random_token, game, game_meta_url, preview_clock, start_clock, play_clock,
            seed, scrambled, start_time, completed, aborted, turns, faults, notes, extra)
            VALUES (3, 'old', 'token', 1, 'url', -1, 30, 1.5, '5', 0, 99, 1, 0, 1, 1, '{"a": 1}', '{"b": 2}');
        INSERT INTO seats VALUES (3, 0, 'first', 7, 0, 100);
        INSERT INTO turns VALUES (3, 0, NULL, '( )', 99, '[""]'), (3, 1, '["noop"]', '( done )', 100, '["TO"]');
    """)
    connection.close()


def test_a_store_of_version_1_is_brought_up_to_date(path: Path) -> None:
    old_store(path, 1)
    expected = Record(
        "old", Clocks(30, 1.5), "token", 99, "nim", "url", "digest", "(role first)", ["first"], ["ann"], [False],
        seed=5, states=["( )", "( done )"], moves=[["noop"]], state_times=[99, 100], errors=[[""], ["TO"]],
        goal_values=[100], is_completed=True, notes={"a": 1}, extra={"b": 2},
    )  # fmt: skip
    with Store(path) as store:
        assert store.record("old") == expected
        store.add(played(load("nim"), "new", job="1"))
        with pytest.raises(StoreError, match="job 1 of cup"):
            store.add(played(load("nim"), "newer", job="1"))
        assert [match.match_id for match in store.matches()] == ["old", "new"]
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (len(STEPS),)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_every_version_leads_to_the_same_tables(tmp_path: Path) -> None:
    schemas = []
    for version in range(len(STEPS) + 1):
        path = tmp_path / f"{version}.sqlite"
        if version:
            old_store(path, version)
        Store(path).close()
        connection = sqlite3.connect(path)
        schemas.append(connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall())
        connection.close()
    assert all(schema == schemas[0] for schema in schemas)
    assert len(schemas[0]) > 5


def test_a_step_that_fails_leaves_the_old_version(path: Path) -> None:
    old_store(path, 1)
    connection = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, str(path), [STEPS[0], ["CREATE TABLE new (id)", "CREATE TABLE nonsense ("]])
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert connection.execute("SELECT name FROM sqlite_schema WHERE name = 'new'").fetchone() is None
    connection.close()


def test_a_step_that_ends_the_transaction_itself_fails_with_its_own_error(path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError, match="incomplete input"):
        migrate(connection, str(path), [*STEPS, ["ROLLBACK", "CREATE TABLE nonsense ("]])
    connection.close()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("UPDATE turns SET moves = '[' WHERE number = 2", "this is not JSON"),
        ("UPDATE turns SET moves = NULL WHERE number = 2", "this is not JSON"),
        ("UPDATE turns SET moves = '[1, 2]' WHERE number = 2", r"moves\[0\] should be a text"),
        ("UPDATE turns SET moves = '[]' WHERE number = 2", r"moves\[1\] has 0 items"),
        ("UPDATE turns SET errors = '{}' WHERE number = 2", "errors should be a list"),
        ("UPDATE matches SET extra = '3'", "extra is a JSON object"),
        ("UPDATE matches SET notes = 'x'", "this is not JSON"),
        ("UPDATE matches SET seed = '[]'", "seed should be a whole number"),
        ("DELETE FROM turns WHERE number = 2", r"it had \d+ states, and \d are there"),
        ("DELETE FROM turns", r"it had \d+ states, and 0 are there"),
    ],
)
def test_a_damaged_match_is_named(path: Path, damage: str, words: str) -> None:
    record = played(load("tictactoe"))
    with Store(path) as store:
        store.add(record)
        connection = sqlite3.connect(path)
        connection.execute(damage)
        connection.commit()
        connection.close()
        with pytest.raises(
            StoreError, match=rf"the match m\.1 in .* is damaged: .*{words}.*; take the store from a copy"
        ):
            store.record("m.1")
        store.add(played(load("nim"), "m.2"))
        assert store.record("m.2").turns, "the others can be used"


def test_a_match_without_its_last_turn_cannot_go_on(path: Path) -> None:
    record = played(load("tictactoe"))
    with Store(path) as store:
        store.add(record)
        connection = sqlite3.connect(path)
        connection.execute("DELETE FROM turns WHERE number = (SELECT max(number) FROM turns)")
        connection.commit()
        connection.close()
        with pytest.raises(StoreError, match=r"m\.1 went another way"):
            store.add(record)


def overwritten(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xee" * (len(data) - 4096))


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20_000])


def emptied(path: Path) -> None:
    connection = sqlite3.connect(path)
    for table in ("turns", "seats", "matches"):
        connection.execute(f"DROP TABLE {table}")
    connection.close()


@pytest.mark.parametrize("damage", [overwritten, truncated, emptied])
def test_a_damaged_store_is_named(path: Path, damage: Callable[[Path], None]) -> None:
    with Store(path) as store:
        store.add(played(load("tictactoe")))
    damage(path)
    with (
        pytest.raises(
            StoreError, match=rf"the store {path} is damaged \(.*\); take it from a copy, or name another file"
        ),
        Store(path) as store,
    ):
        store.matches()


def test_a_store_of_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    Store(path).close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"written by a newer ludens \(version 99.*update ludens"):
        Store(path)
    assert path.read_bytes() == before


def test_what_is_no_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("these are my notes, and not a database\n" * 100)
    with pytest.raises(StoreError, match="no store of matches, and no SQLite database"):
        Store(text)
    assert text.read_text().startswith("these are my notes")
    foreign = tmp_path / "songs.sqlite"
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE songs (title)")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="database of another program"):
        Store(foreign)
    connection = sqlite3.connect(foreign)
    assert connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (1,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    connection.close()
    with pytest.raises(StoreError, match="cannot be opened or made"):
        Store(tmp_path)
    with pytest.raises(StoreError, match="cannot be made"):
        Store(text / "matches.sqlite")
    with pytest.raises(StoreError, match="there is no store of matches at"):
        Store(tmp_path / "missing.sqlite", create=False)


@contextmanager
def without_privileges() -> Iterator[None]:
    """As somebody to whom permissions apply."""
    user = os.geteuid()
    os.seteuid(NOBODY if user == 0 else user)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_read_only_place_is_refused() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "matches.sqlite"
        Store(path).close()
        path.chmod(0o444)
        path.parent.chmod(0o555)
        with without_privileges(), pytest.raises(StoreError, match="cannot be written; it is in a read-only place"):
            Store(path)
        with without_privileges(), pytest.raises(StoreError, match="cannot be opened or made"):
            Store(path.with_name("new.sqlite"))
        path.parent.chmod(0o700)


def test_the_usual_place_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "mine.db"))
    assert default_store_path() == tmp_path / "mine.db"
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_store_path() == tmp_path / "ludens" / "matches.sqlite"
    monkeypatch.setenv("XDG_DATA_HOME", "relative/is/ignored")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_store_path() == tmp_path / ".local" / "share" / "ludens" / "matches.sqlite"


def test_a_store_is_marked_as_ours(path: Path) -> None:
    Store(path).close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
