"""Processes that write matches without end, and say after each move that it is written; others kill them.

`python -m tests.arena.writer store|file PATH RECORD.json` starts two of them for each line that it reads, a prefix for
the names of the matches, prints their numbers, and says when they are dead.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

from ludens.arena.journals import Journal, RecordFile
from ludens.arena.json_fields import parse_json
from ludens.arena.records import Record
from ludens.arena.store import Store

WRITERS = 2


def first_turns(record: Record, turns: int) -> Record:
    """A match as it stood after some turns."""
    over = turns == record.turns
    return replace(
        record,
        states=record.states[: turns + 1],
        moves=record.moves[:turns],
        state_times=record.state_times[: turns + 1],
        errors=record.errors[: turns + 1],
        is_completed=over and record.is_completed,
        goal_values=record.goal_values if over else None,
    )


def say(*words: object) -> None:
    """One line in one step: several processes write to the same pipe."""
    os.write(1, f"{' '.join(map(str, words))}\n".encode())


def write(journal: Journal, record: Record, acknowledge: Callable[[str, int], None] | None = None) -> None:
    """Write a match move by move."""
    for turns in range(record.turns + 1):
        growing = first_turns(record, turns)
        if turns == 0:
            journal.began(growing)
        elif turns == record.turns:
            journal.ended(growing)
        else:
            journal.moved(growing)
        if acknowledge:
            acknowledge(record.match_id, turns)


def write_on(kind: str, path: str, record: Record, prefix: str) -> None:
    store = Store(path) if kind == "store" else None
    for number in count():
        match = replace(record, match_id=f"{prefix}.{number}")
        write(store or RecordFile(Path(path) / f"{match.match_id}.json"), match, say)


def main(kind: str, path: str, record_path: str) -> None:
    record = Record.from_json(parse_json(Path(record_path).read_bytes()))
    for line in sys.stdin:
        children = []
        for number in range(WRITERS):
            child = os.fork()
            if child == 0:
                write_on(kind, path, record, f"{line.strip()}.{number}")
            children.append(child)
        say("writers", *children)
        for child in children:
            os.waitpid(child, 0)
        say("dead")


if __name__ == "__main__":
    main(*sys.argv[1:])
