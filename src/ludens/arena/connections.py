"""Connections to one SQLite file: one for each thread, opened when it is first needed."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ludens.arena.migrations import migrate
from ludens.arena.records import name_in
from ludens.errors import StoreError
from ludens.runtime.deadline import Deadline

BUSY_SECONDS = 30.0
"""How long a writer waits for others."""
RETRY_SECONDS = 0.01


class _Handle:
    """A connection that is closed when its thread is over."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.process = os.getpid()
        self._closing = weakref.finalize(self, _close_in, self.process, connection)

    def close(self) -> None:
        self._closing()


def _close_in(process: int, connection: sqlite3.Connection) -> None:
    """Close a connection in the process that opened it; another one, made by a fork, has to leave it alone."""
    if os.getpid() == process:
        connection.close()


def _before_fork(action: Callable[[], None]) -> None:
    """Do something before this process forks: SQLite loses writes if a connection is open then, even if it is not used.

    Nothing is done once the owner of the action is gone.
    """
    method = weakref.WeakMethod(action)

    def act() -> None:
        living = method()
        if living is not None:
            living()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=act)


class Connections:
    """The connections of all threads of this process to one store."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._of_thread = threading.local()
        self._all: weakref.WeakSet[_Handle] = weakref.WeakSet()
        _before_fork(self.close_own)

    def get(self) -> sqlite3.Connection:
        """The connection of this thread."""
        handle: _Handle | None = getattr(self._of_thread, "handle", None)
        if handle is None or handle.process != os.getpid():
            handle = _Handle(_open(self.path))
            self._of_thread.handle = handle
            self._all.add(handle)
        return handle.connection

    def close_own(self) -> None:
        """Close the connection of this thread, if it has one."""
        handle: _Handle | None = getattr(self._of_thread, "handle", None)
        if handle is not None:
            handle.close()
            del self._of_thread.handle

    def close(self) -> None:
        """Close all connections; a thread that goes on gets a new one."""
        for handle in list(self._all):
            handle.close()
        self._of_thread = threading.local()


def _open(path: Path) -> sqlite3.Connection:
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            connection.row_factory = sqlite3.Row
            connection.create_function("name_in", 1, name_in, deterministic=True)
            migrate(connection, str(path))
            _use_write_ahead_log(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            connection.close()
            raise
        return connection


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Needs the file for itself for a moment; SQLite does not wait for that when several programs try at once."""
    deadline = Deadline(BUSY_SECONDS)
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or deadline.passed:
                raise
            time.sleep(RETRY_SECONDS)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Errors of SQLite and of the file as a StoreError in words."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"the store {path} cannot be made: {error.strerror}; name another file") from error
    except sqlite3.Error as error:
        raise StoreError(_in_words(path, error)) from error


def _in_words(path: Path, error: sqlite3.Error) -> str:
    remedy = "take it from a copy, or name another file"
    damaged = f"the store {path} is damaged ({error}); {remedy}"
    reasons = {
        "SQLITE_NOTADB": f"{path} is no store of matches, and no SQLite database at all; name another file",
        "SQLITE_READONLY": f"the store {path} cannot be written; it is in a read-only place, or not yours",
        "SQLITE_CANTOPEN": f"the store {path} cannot be opened or made; check the folder, or name another file",
        "SQLITE_BUSY": f"the store {path} was in use by another program for more than {BUSY_SECONDS:.0f} s; try again",
        "SQLITE_FULL": f"the disk with the store {path} is full",
        "SQLITE_CORRUPT": damaged,
        "SQLITE_ERROR": damaged,
    }
    name = getattr(error, "sqlite_errorname", "")
    known = (words for code, words in reasons.items() if name.startswith(code))
    return next(known, f"the store {path} cannot be used: {error}; {remedy}")
