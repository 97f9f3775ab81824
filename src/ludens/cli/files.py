"""Rule sheets on disk: read with their encoding, written back whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
from errno import EACCES
from pathlib import Path
from secrets import token_hex

import typer

from ludens.gdl.source import ReadingLimits, Source

STANDARD_INPUT = "-"


def read_sheet(path: str) -> Source:
    """The sheet in a file, or for `-` the one on standard input."""
    if path != STANDARD_INPUT:
        return Source.from_path(path)
    return Source.from_bytes(sys.stdin.buffer.read(ReadingLimits().max_bytes + 1), "<stdin>")


def print_text(text: str) -> None:
    """Text on standard output as it is: in UTF-8, without colours or wrapping."""
    typer.echo(text.encode(errors="surrogateescape"), nl=False)


def replace_file(path: str | Path, data: bytes) -> None:
    """Write a file in one step: an interrupted run leaves the old content. Links and permissions stay."""
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
        elif target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(EACCES, "the file is write-protected")
        else:
            _replace(target, data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _replace(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".{target.name}.{token_hex(4)}")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
