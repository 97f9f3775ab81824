"""What the commands share that read records and stores of matches."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from rich.markup import escape

from ludens.arena.json_fields import MAX_BYTES, parse_json
from ludens.arena.records import Record
from ludens.arena.store import Archive, Store, default_store_path
from ludens.cli.common import errors, output
from ludens.errors import RecordError

StorePath: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="FILE",
        help="The store of matches; by default the one that LUDENS_STORE names, or matches.sqlite in your data folder.",
    ),
]
KeepMatch: TypeAlias = Annotated[bool, typer.Option("--keep/--no-keep", help="Keep matches in the store.")]
ERROR_WORDS = {"TO": "did not answer in time", "CE": "could not be reached", "IL null": "answered with no move at all"}


def open_store(path: Path | None, *, create: bool = False) -> Store:
    """The store that the option names, or the usual one."""
    return Store(path or default_store_path(), create=create)


def make_archive(path: Path | None, keep: bool) -> Archive | None:
    """Return what keeps a match that is played here in the store of the option, if it is to be kept."""
    return Archive(lambda why: errors.print(f"[yellow]warning[/yellow]: {escape(why)}"), path) if keep else None


def say_kept(record: Record, archive: Archive | None) -> None:
    """Say at a terminal how to see a match again."""
    if archive and archive.is_working and record.turns and output.is_terminal:
        output.print(f"`ludens replay {record.match_id}` shows this match again", style="dim", markup=False)


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
