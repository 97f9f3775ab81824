"""`ludens replay`, `matches`, `export` and `import`."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from dataclasses import replace
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from ludens import load
from ludens.arena.journals import RecordFile
from ludens.arena.store import Store
from ludens.errors import StoreError
from tests.arena.played import played
from tests.arena.test_records import BASE_RECORD
from tests.cli.command import run
from tests.cli.terminal import Terminal


@pytest.fixture(scope="module")
def first_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a few matches."""
    path = tmp_path_factory.mktemp("first") / "matches.sqlite"
    with Store(path) as opened:
        opened.add(played(load("tictactoe"), "ttt.1", 5, job="1"))
        opened.add(played(load("pig"), "pig.1", 4))
        opened.add(played(load("highcard"), "cards.1", 4))
        opened.add(played(load("nim"), "nim.1", 1, limit=2))
    return path


@pytest.fixture
def store(first_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it in the usual place of this test."""
    monkeypatch.setenv("LUDENS_STORE", str(tmp_path / "matches.sqlite"))
    return Path(copy(first_store, tmp_path))


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    path = tmp_path / "foreign.json"
    path.write_text(json.dumps(BASE_RECORD))
    return path


def test_replay_shows_a_match_move_by_move(store: Path) -> None:
    outcome = run("replay", "ttt.1")
    assert outcome.code == 0
    record = played(load("tictactoe"), "ttt.1", 5)
    assert outcome.out.startswith("ttt.1: tictactoe, x is player0, o is player1\n")
    assert "start clock 10 s, play clock 0.5 s" in outcome.out
    for number, (x, o) in enumerate(record.moves, 1):
        role, move = ("x", x) if number % 2 else ("o", o)
        assert f"\n{number}. {role}: {move[2:-2]}\n" in outcome.out
    assert outcome.out.count("┌") == record.turns + 1, "a board for each state"
    assert re.search(r"(x|o) wins: x \d+, o \d+|a draw", outcome.out)
    failures = [code for row in record.errors for code in row if code]
    assert failures
    assert outcome.out.count("did not answer in time; ") == len(failures)


def test_replay_of_chance_shows_the_outcomes(store: Path) -> None:
    assert re.search(r"\n1\. random: roll \d\n", run("replay", "pig.1", "--no-boards").out)
    assert re.search(r"\n1\. red: draw \d+\n", run("replay", "cards.1", "--no-boards").out)


def test_replay_of_an_unfinished_match(store: Path) -> None:
    assert "the match was broken off" in run("replay", "nim.1").out


def test_replay_shows_one_turn(store: Path) -> None:
    outcome = run("replay", "ttt.1", "--turn", "2")
    assert outcome.out.count("┌") == 1
    assert "\n2. o: mark" in outcome.out
    assert "\n3. " not in outcome.out
    assert run("replay", "ttt.1", "--turn", "0").out.count("·") == 9
    refused = run("replay", "ttt.1", "--turn", "99")
    assert refused.code == 1
    assert re.search(r"the match has \d turns; there is no turn 99", refused.err)


def test_replay_verifies(store: Path, tmp_path: Path) -> None:
    record = played(load("tictactoe"), seed=3)
    path = tmp_path / "match.json"
    RecordFile(path).began(record)
    outcome = run("replay", path, "--verify")
    assert (outcome.code, outcome.out) == (0, f"{path}: {record.turns} turns, all by the rules of tictactoe\n")
    record.moves[1][1] = record.moves[0][0]
    RecordFile(path).began(record)
    for arguments in (["--verify"], ["--no-boards"]):
        refused = run("replay", path, *arguments)
        assert refused.code == 1
        assert re.search(r"error: turn 2: \(mark \d \d\) is not legal for o", refused.err)


def test_replay_steps(store: Path) -> None:
    stepped = run("replay", "ttt.1", "--step", stdin=b"\n\nq\n")
    assert stepped.code == 0
    assert stepped.out.count("┌") == 3
    assert run("replay", "ttt.1", "--step", stdin=b"\n").out.count("┌") == 2, "no more input is no error"


@pytest.mark.full
def test_replay_steps_in_a_terminal(store: Path) -> None:
    with Terminal("replay", "ttt.1", "--step") as terminal:
        terminal.expect("Enter goes on")
        terminal.type("q")
        assert terminal.exit_code() == 0


def test_replay_of_records_of_other_servers(foreign: Path, tmp_path: Path) -> None:
    outcome = run("replay", foreign)
    assert outcome.code == 0
    assert "kiosk.1234567890123: tictactoe, x is Sancho, o is Alloy" in outcome.out
    assert "o did not answer in time; noop was made in its place" in outcome.out
    unknown = tmp_path / "unknown.json"
    unknown.write_text(json.dumps({**BASE_RECORD, "gameMetaURL": "http://games.example/unheardOf/v1/"}))
    refused = run("replay", unknown)
    assert refused.code == 1
    assert "does not say by which rules it was played; name the game with --game" in refused.err
    assert run("replay", unknown, "--game", "tictactoe").out == outcome.out
    wrong = run("replay", unknown, "--game", "nim")
    assert "error: the first state is not what the rules of nim give" in wrong.err


def test_replay_of_nothing(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "there is no match nobody in" in run("replay", "nobody").err
    assert "missing.json: No such file" in run("replay", "missing.json").err
    broken = tmp_path / "broken.json"
    broken.write_text('{"matchId": ')
    assert re.search(r"error: .*broken.json: line 1, column 13: this is not JSON", run("replay", broken).err)
    monkeypatch.setenv("LUDENS_STORE", str(tmp_path / "none.sqlite"))
    assert "there is no store of matches at" in run("replay", "nobody").err
    assert not (tmp_path / "none.sqlite").exists()


def test_matches_lists_the_store(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    outcome = run("matches")
    lines = outcome.out.splitlines()
    assert outcome.code == 0
    assert lines[0].split() == ["match", "game", "players", "turns", "faults", "began"]
    assert [line.split()[:2] for line in lines[1:5]] == [
        ["ttt.1", "tictactoe"],
        ["pig.1", "pig"],
        ["cards.1", "highcard"],
        ["nim.1", "nim"],
    ]
    assert re.search(r"player0 (100|50|0), player1 (0|50|100) ", lines[1])
    assert "player0, player1 (aborted)" in lines[4]
    assert lines[-1] == "4 matches"
    assert run("matches", "--game", "pig").out.count(".1 ") == 1
    assert run("matches", "--last", "2").out.endswith("2 matches; there are more, --last shows them\n")
    assert run("matches", "--status", "lost").code == 1


def test_matches_as_json(store: Path) -> None:
    listed = json.loads(run("matches", "--json", "--tournament", "cup").out)
    record = played(load("tictactoe"), "ttt.1", 5)
    assert listed == [
        {
            "match": "ttt.1",
            "game": "tictactoe",
            "roles": ["x", "o"],
            "players": ["player0", "player1"],
            "goals": record.goal_values,
            "status": "completed",
            "startTime": 1_000_000,
            "turns": record.turns,
            "faults": sum(bool(code) for row in record.errors for code in row),
            "tournament": "cup",
            "job": "1",
        }
    ]


def test_export_and_import_keep_everything(store: Path, tmp_path: Path) -> None:
    folder, other = tmp_path / "records", tmp_path / "other.sqlite"
    assert run("export", "--all", "-o", folder).code == 0
    files = sorted(folder.iterdir())
    assert [file.name for file in files] == ["cards.1.json", "nim.1.json", "pig.1.json", "ttt.1.json"]
    outcome = run("import", *files, "--store", other)
    assert (outcome.code, outcome.out) == (0, f"4 of 4 imported into {other}\n")
    with Store(store) as one, Store(other) as two:
        for name in ("ttt.1", "pig.1", "cards.1", "nim.1"):
            assert one.record(name) == two.record(name)
    assert run("import", *files, "--store", other).code == 0, "a second time changes nothing"


def test_export_of_one_match(store: Path, tmp_path: Path) -> None:
    expected = json.loads(json.dumps(played(load("pig"), "pig.1", 4).to_json()))
    assert json.loads(run("export", "pig.1").out) == expected
    assert run("export", "pig.1", "-o", tmp_path / "one.json").code == 0
    assert json.loads((tmp_path / "one.json").read_text()) == expected
    assert run("export", "pig.1", "-o", tmp_path).code == 0
    assert json.loads((tmp_path / "pig.1.json").read_text()) == expected


def test_export_says_what_is_wrong(store: Path, tmp_path: Path) -> None:
    assert "name the matches to export, or use --all" in run("export").err
    assert run("export").code == 2
    assert run("export", "--all", "ttt.1").code == 2
    assert run("export", "ttt.1", "pig.1").code == 2
    assert "there is no match nobody in" in run("export", "nobody").err


def test_export_never_leaves_its_folder(tmp_path: Path) -> None:
    path, folder = tmp_path / "matches.sqlite", tmp_path / "out"
    names = ("../../evil", "a/b", "a b", "..", ".hidden", "a_b")
    with Store(path) as opened:
        for name in names:
            opened.add(played(load("nim"), name, limit=1))
    assert run("export", "--all", "--store", path, "-o", folder).code == 0
    assert {file.parent for file in folder.rglob("*")} == {folder}
    assert sorted(json.loads(file.read_text())["matchId"] for file in folder.iterdir()) == sorted(names)
    assert sorted(os.listdir(tmp_path)) == ["matches.sqlite", "out"]


def bad_records() -> dict[str, Any]:
    good = played(load("tictactoe"), "good", 3)
    illegal = played(load("tictactoe"), "illegal", 3)
    illegal.moves[2][0] = illegal.moves[0][0]
    return {
        "good": json.dumps(good.to_json()),
        "truncated": json.dumps(good.to_json())[:500],
        "illegal": json.dumps(illegal.to_json()),
        "unequal": json.dumps({**good.to_json(), "matchId": "unequal", "states": []}),
        "unknown": json.dumps({**BASE_RECORD, "matchId": "unknown", "gameMetaURL": "x/unheardOf"}),
        "rules": json.dumps({**good.to_json(), "matchId": "rules", "ludens": {"rules": "(role x"}}),
        "kind": json.dumps([1, 2, 3]),
        "noise": "\x00\x01",
    }


def test_import_names_what_is_bad_and_goes_on(tmp_path: Path) -> None:
    folder, path = tmp_path / "in", tmp_path / "matches.sqlite"
    folder.mkdir()
    for name, text in bad_records().items():
        (folder / f"{name}.json").write_text(text)
    outcome = run("import", *sorted(folder.iterdir()), folder / "missing.json", folder, "--store", path)
    assert outcome.code == 1
    assert outcome.out == f"1 of 10 imported into {path}\n"
    for name, words in {
        "truncated": "this is not JSON",
        "illegal": r"turn 3: \(mark \d \d\) is not legal for x",
        "unequal": "at least one state",
        "unknown": "does not say by which rules",
        "rules": "the rules in the record cannot be played",
        "kind": "a record is a JSON object, not a list",
        "noise": "this is not JSON",
        "missing": "No such file",
    }.items():
        assert re.search(rf"error: \S*{name}.json: .*{words}", outcome.err), name
    assert outcome.err.count("error:") == 9
    with Store(path) as store:
        assert [match.match_id for match in store.matches()] == ["good"], "nothing was imported by halves"


def test_import_of_other_servers_records(foreign: Path, tmp_path: Path) -> None:
    path = tmp_path / "matches.sqlite"
    assert run("import", foreign, "--store", path).code == 0
    assert json.loads(run("export", "kiosk.1234567890123", "--store", path).out) == BASE_RECORD
    assert "x is Sancho" in run("replay", "kiosk.1234567890123", "--store", path).out
    unknown = tmp_path / "unknown.json"
    unknown.write_text(json.dumps({**BASE_RECORD, "matchId": "u.1", "gameMetaURL": "x/unheardOf"}))
    assert run("import", unknown, "--store", path).code == 1
    assert run("import", unknown, "--no-verify", "--store", path).code == 0
    assert "name the game with --game" in run("replay", "u.1", "--store", path).err
    assert run("import", unknown, "--game", "tictactoe", "--store", path).code == 0
    assert "x is Sancho" in run("replay", "u.1", "--store", path).out, "now the store knows the game"


def test_the_game_that_is_named_is_believed(store: Path, tmp_path: Path) -> None:
    path, other = tmp_path / "match.json", tmp_path / "other.sqlite"
    RecordFile(path).began(played(load("tictactoe")))
    for arguments in (["replay"], ["import", "--store", other]):
        refused = run(*arguments, path, "--game", "nim")
        assert refused.code == 1
        assert "the first state is not what the rules of nim give" in refused.err
        assert run(*arguments, path, "--game", "tictactoe").code == 0
    contradiction = run("import", path, "--store", other, "--game", "tictactoe", "--no-verify")
    assert contradiction.code == 2
    assert "--game says by which rules to check" in contradiction.err


def test_import_does_not_touch_another_match_of_the_same_name(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    RecordFile(path).began(played(load("tictactoe"), "ttt.1", 77))
    outcome = run("import", path)
    assert outcome.code == 1
    assert re.search(r"error: .*other.json: another match with the id ttt.1 is in the store", outcome.err)
    with Store(store) as opened:
        assert opened.record("ttt.1") == played(load("tictactoe"), "ttt.1", 5, job="1")


EVIL = "\x1b]0;gone\x07\x9b2J[bold]"
"""Sets the title of a terminal, rings its bell and clears it."""


def test_nothing_of_a_record_reaches_the_terminal_as_a_command(tmp_path: Path) -> None:
    path, store = tmp_path / "evil.json", tmp_path / "matches.sqlite"
    errors = [["", f"IL {EVIL}"], ["", f"{EVIL}"]]
    names = [f"{EVIL}\nfake", "Alloy"]
    document = {**BASE_RECORD, "matchId": EVIL, "playerNamesFromHost": names, "errors": errors}
    path.write_text(json.dumps(document))
    outcomes = [
        run("import", path, "--store", store),
        run("matches", "--store", store),
        run("matches", "--json", "--store", store),
        run("replay", path),
        run("replay", path, "--game", "nim"),
        run("replay", EVIL, "--store", tmp_path / "none.sqlite"),
    ]
    for outcome in outcomes:
        assert outcome.out + outcome.err
        assert [each for each in outcome.out + outcome.err if not each.isprintable() and each != "\n"] == []
    assert "?]0;gone??2J[bold] fake" in outcomes[1].out
    assert "x is ?]0;gone??2J[bold] fake, o is Alloy" in outcomes[3].out
    assert json.loads(outcomes[2].out)[0]["players"] == names, "programs get the names as they are"
    assert json.loads(run("export", EVIL, "--store", store).out) == document


def test_a_match_without_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, store = tmp_path / "foreign.json", tmp_path / "matches.sqlite"
    path.write_text(json.dumps({key: value for key, value in BASE_RECORD.items() if key != "startTime"}))
    assert run("import", path, "--store", store).code == 0
    for columns in ("120", "60"):
        monkeypatch.setenv("COLUMNS", columns)
        listed = run("matches", "--store", store).out
        assert "kiosk.1234567890123" in listed
        assert "1970" not in listed
    assert json.loads(run("matches", "--json", "--store", store).out)[0]["startTime"] is None


def test_matches_of_a_game_that_only_its_address_names(foreign: Path, tmp_path: Path) -> None:
    foreign.write_text(json.dumps({**BASE_RECORD, "gameMetaURL": "http://games.example/zork/v3/"}))
    assert run("import", foreign, "--no-verify", "--store", tmp_path / "matches.sqlite").code == 0
    listed = run("matches", "--game", "zork", "--store", tmp_path / "matches.sqlite").out
    assert "zork" in listed
    assert listed.endswith("\n1 match\n")


def test_matches_can_be_read_on_narrow_terminals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, name = tmp_path / "matches.sqlite", "rockpaperscissors.20300102-030405.1a2b"
    record = replace(played(load("rockpaperscissors"), name), player_names=["127.0.0.1:9147", "process:alphabeta"])
    with Store(store) as opened:
        opened.add(record)
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("matches", "--store", store).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split("  ")[0] == name, "whole, so that it can be copied"
    goals = record.goal_values or []
    assert lines[1].startswith("  rockpaperscissors, ")
    assert lines[1].endswith(f": 127.0.0.1:9147 {goals[0]}, process:alphabeta {goals[1]}")
    monkeypatch.setenv("COLUMNS", "140")
    assert "process:alphabeta" in run("matches", "--store", store).out.splitlines()[1], "the table fits"


def test_a_damaged_match_does_not_keep_the_others_from_being_exported(store: Path, tmp_path: Path) -> None:
    connection = sqlite3.connect(store)
    connection.execute("UPDATE turns SET moves = '[' WHERE match = 2 AND number = 1")
    connection.commit()
    connection.close()
    assert run("replay", "pig.1").code == 1
    outcome = run("export", "--all", "-o", tmp_path / "out")
    assert outcome.code == 1
    assert outcome.err.count("error:") == 1
    assert "the match pig.1 in" in outcome.err
    assert outcome.out.startswith("3 exported to ")
    assert sorted(os.listdir(tmp_path / "out")) == ["cards.1.json", "nim.1.json", "ttt.1.json"]


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("notes " * 1000)
    outcome = run("matches", "--store", path)
    assert outcome.code == 1
    assert outcome.err == f"error: {path} is no store of matches, and no SQLite database at all; name another file\n"
    with pytest.raises(StoreError):
        Store(path)
