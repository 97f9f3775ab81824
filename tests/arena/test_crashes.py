"""Writers that are killed at any moment: what they said was written is there, and nothing by halves."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from ludens import load
from ludens.arena.json_fields import parse_json
from ludens.arena.records import Record
from ludens.arena.store import Store
from tests.arena.played import played
from tests.arena.writer import first_turns

REPOSITORY = Path(__file__).resolve().parents[2]
ROUNDS = 15


class Writers:
    """Two processes at a time that write matches until they are killed."""

    def __init__(self, process: subprocess.Popen[str], rng: Random) -> None:
        self._process, self._rng = process, rng

    def killed(self, prefix: str) -> dict[str, int]:
        """Let them write and kill them at a random moment; the last turn of each match that they said was written."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(prefix, file=self._process.stdin, flush=True)
        turns: dict[str, int] = {}
        while (line := self._process.stdout.readline()) != "dead\n":
            match, *numbers = line.split()
            if match == "writers":
                time.sleep(self._rng.uniform(0.0, 0.08))
                for number in numbers:
                    os.kill(int(number), signal.SIGKILL)
            else:
                turns[match] = int(numbers[0])
        return turns


@contextmanager
def writers(kind: str, path: Path, record: Record, folder: Path, seed: int) -> Iterator[Writers]:
    source = folder / "record.json"
    source.write_text(json.dumps(record.to_json()))
    command = [sys.executable, "-m", "tests.arena.writer", kind, str(path), str(source)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Writers(process, Random(seed))


def test_a_store_is_sound_whenever_its_writers_are_killed(tmp_path: Path) -> None:
    record, path = played(load("tictactoe"), seed=3), tmp_path / "matches.sqlite"
    matches = cut = 0
    with writers("store", path, record, tmp_path, 1) as some:
        for number in range(ROUNDS):
            told = some.killed(f"r{number}")
            connection = sqlite3.connect(path)
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            connection.close()
            with Store(path) as store:
                there = [match.match_id for match in store.matches() if match.match_id.startswith(f"r{number}.")]
                assert set(told) <= set(there)
                for match in there:
                    kept = store.record(match)
                    assert kept.turns >= told.get(match, 0)
                    kept.match_id = record.match_id
                    assert kept == first_turns(record, kept.turns), "no turn is missing, doubled or half written"
                    cut += kept.turns < record.turns
            matches += len(there)
    assert matches > 2 * ROUNDS, "the writers were not killed before they could write"
    assert cut > ROUNDS / 2, "they were killed in the middle of matches"


def test_record_files_are_whole_whenever_their_writers_are_killed(tmp_path: Path) -> None:
    record, folder = played(load("connectfour"), seed=3), tmp_path / "records"
    matches = cut = 0
    with writers("file", folder, record, tmp_path, 2) as some:
        for number in range(ROUNDS):
            for match, turns in some.killed(f"r{number}").items():
                kept = Record.from_json(parse_json((folder / f"{match}.json").read_bytes()))
                assert kept.turns >= turns
                kept.match_id = record.match_id
                assert kept == first_turns(record, kept.turns)
                matches += 1
                cut += kept.turns < record.turns
    assert matches > ROUNDS
    assert cut > ROUNDS / 2
