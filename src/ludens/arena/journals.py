"""Where records are written down while matches are played."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ludens.arena.records import Record


class Journal(Protocol):
    """Writes matches down as they go. Each call is over before the referee goes on, and may raise an error."""

    def began(self, record: Record) -> None:
        """A match begins, or goes on after an interruption; nobody was told yet. Again if somebody fails in START."""
        ...

    def moved(self, record: Record) -> None:
        """A joint move was added."""
        ...

    def ended(self, record: Record) -> None:
        """The match is completed or aborted."""
        ...


@dataclass(frozen=True)
class Journals:
    """Several journals as one."""

    journals: Sequence[Journal]

    def began(self, record: Record) -> None:
        for journal in self.journals:
            journal.began(record)

    def moved(self, record: Record) -> None:
        for journal in self.journals:
            journal.moved(record)

    def ended(self, record: Record) -> None:
        for journal in self.journals:
            journal.ended(record)


class RecordFile:
    """One match as a JSON file, written again after each move.

    The file is replaced in one step: readers see all moves up to one, and however this process ends, the last finished
    move is there. Texts of states are most of a record; they are prepared once.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._states = bytearray()
        self._prepared = 0

    def began(self, record: Record) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._states.clear()
        self._prepared = 0
        self._write(record)

    def moved(self, record: Record) -> None:
        self._write(record)

    def ended(self, record: Record) -> None:
        self._write(record)

    def _write(self, record: Record) -> None:
        for state in record.states[self._prepared :]:
            self._states += (b",\n" if self._states else b"") + json.dumps(state).encode()
        self._prepared = len(record.states)
        others = {key: value for key, value in record.to_json().items() if key != "states"}
        _replace(self.path, [json.dumps(others).encode()[:-1], b', "states": [\n', self._states, b"\n]}\n"])


def _replace(path: Path, pieces: Sequence[bytes | bytearray]) -> None:
    """Write a file whole or not at all. What a killed process leaves behind is used again by the next one."""
    temporary = path.with_name(f".{path.name}.part")
    with open(temporary, "wb") as file:
        file.writelines(pieces)
    os.replace(temporary, path)
