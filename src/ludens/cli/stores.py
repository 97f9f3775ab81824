"""What the commands share that read records and stores of matches."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from ludens.arena.json_fields import MAX_BYTES, parse_json
from ludens.arena.records import Record
from ludens.arena.store import Store, default_store_path
from ludens.errors import RecordError

StorePath: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="FILE",
        help="The store of matches; by default the one that LUDENS_STORE names, or matches.sqlite in your data folder.",
    ),
]
ERROR_WORDS = {"TO": "did not answer in time", "CE": "could not be reached", "IL null": "answered with no move at all"}


def open_store(path: Path | None, *, create: bool = False) -> Store:
    """The store that the option names, or the usual one."""
    return Store(path or default_store_path(), create=create)


def read_record(path: Path) -> Record:
    """The record in a JSON file; RecordError that names the file if there is none."""
    with open(path, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    try:
        return Record.from_json(parse_json(data))
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None


def error_text(code: str) -> str:
    """The code of an error in a record in words.

    >>> error_text("IL ( mark 4 4 )")
    'made the illegal move ( mark 4 4 )'
    """
    if code in ERROR_WORDS:
        return ERROR_WORDS[code]
    return f"made the illegal move {code[3:]}" if code.startswith("IL ") else f"failed: {code}"


def moment_text(milliseconds: int) -> str:
    """A time of a record as local date and time; `?` where none is told."""
    try:
        if not milliseconds:
            return "?"
        return datetime.fromtimestamp(milliseconds / 1000).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):
        return "?"
