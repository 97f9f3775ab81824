"""Records on disk while matches are played."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread

import pytest

from ludens import load
from ludens.arena.journals import Journals, RecordFile
from ludens.arena.json_fields import parse_json
from ludens.arena.records import Record
from ludens.arena.store import Store
from tests.arena.played import played
from tests.arena.writer import first_turns, write


def read(path: Path) -> Record:
    return Record.from_json(parse_json(path.read_bytes()))


def test_the_file_has_every_move_as_soon_as_it_is_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "match.json"
    record, journal = played(load("tictactoe")), RecordFile(path)
    journal.began(first_turns(record, 0))
    for turns in range(1, record.turns + 1):
        growing = first_turns(record, turns)
        (journal.moved if turns < record.turns else journal.ended)(growing)
        assert read(path) == growing
    assert [file.name for file in path.parent.iterdir()] == ["match.json"], "nothing is left lying about"


def test_a_file_goes_on_after_an_interruption(tmp_path: Path) -> None:
    path, record = tmp_path / "match.json", played(load("tictactoe"))
    RecordFile(path).began(first_turns(record, 0))
    RecordFile(path).began(first_turns(record, 3))
    journal = RecordFile(path)
    journal.began(read(path))
    journal.moved(first_turns(record, 4))
    assert read(path) == first_turns(record, 4)


def test_readers_never_see_half_a_file(tmp_path: Path) -> None:
    path, record = tmp_path / "match.json", played(load("connectfour"), limit=40)
    RecordFile(path).began(first_turns(record, 0))
    over, seen = Event(), []

    def watch() -> None:
        while not over.is_set():
            seen.append(read(path).turns)

    reader = Thread(target=watch)
    reader.start()
    for _ in range(4):
        write(RecordFile(path), record)
    over.set()
    reader.join()
    assert len(seen) > 4
    assert set(seen) <= set(range(record.turns + 1))
    assert len(set(seen)) > 1


def test_several_journals_at_once(tmp_path: Path) -> None:
    record = played(load("nim"))
    with Store(tmp_path / "matches.sqlite") as store:
        write(Journals([RecordFile(tmp_path / "match.json"), store]), record)
        assert read(tmp_path / "match.json") == store.record(record.match_id) == record


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        RecordFile(tmp_path / "file" / "match.json").began(played(load("nim")))
