"""The store of matches: what goes in comes out, for many at once, from any earlier version."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from ludens import load
from ludens.arena.match import Match
from ludens.arena.records import Record
from ludens.arena.result import MatchSettings
from ludens.arena.store import Archive, Store
from ludens.core import Clocks, Role
from ludens.errors import StoreError
from tests.arena.played import begun, played
from tests.arena.test_crashes import REPOSITORY
from tests.arena.test_records import BASE_RECORD, KINDS, guessing
from tests.arena.writer import first_turns, write
from tests.tiers import examples


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "matches.sqlite"


@pytest.mark.parametrize("name", KINDS)
def test_matches_come_out_as_they_went_in(name: str, path: Path) -> None:
    record = played(load(name), seed=9)
    with Store(path) as store:
        write(store, record)
        assert store.record(record.match_id) == record
    with Store(path) as store:
        assert store.record(record.match_id) == record
        assert record.match_id in store
        assert "another" not in store


def test_a_game_of_hidden_information_comes_out_as_it_went_in(path: Path) -> None:
    record = played(guessing())
    with Store(path) as store:
        store.add(record)
        assert store.record(record.match_id) == record


def test_each_move_is_there_at_once_for_others(path: Path) -> None:
    record = played(load("tictactoe"))
    with Store(path) as writer, Store(path) as reader:
        writer.began(first_turns(record, 0))
        for turns in range(1, record.turns):
            writer.moved(first_turns(record, turns))
            assert reader.record(record.match_id) == first_turns(record, turns)


def test_a_record_of_another_server_comes_out_as_it_went_in(path: Path) -> None:
    record = Record.from_json(BASE_RECORD)
    with Store(path) as store:
        store.add(record, load("tictactoe"))
        assert store.record(record.match_id).to_json() == BASE_RECORD
        [match] = store.matches()
        assert (match.game, match.roles, match.players) == ("tictactoe", ("x", "o"), ("Sancho", "Alloy"))
        assert match.status == "aborted"
        rules = store.rules(record.match_id)
        assert rules is not None
        assert load(rules[1]).rules == load("tictactoe").rules
    with Store(path.with_name("other.sqlite")) as store:
        store.add(record)
        assert store.rules(record.match_id) is None
        assert store.matches()[0].roles == (None, None)


@given(st.sampled_from(KINDS), st.integers(0, 2**32), st.integers(1, 25), st.integers(0, 25))
@examples(25, HealthCheck.function_scoped_fixture)
def test_random_matches_come_out_as_they_went_in(path: Path, name: str, seed: int, limit: int, cut: int) -> None:
    record = played(load(name), match_id=f"{name}.{seed}.{limit}.{cut}", seed=seed, limit=limit)
    with Store(path) as store:
        store.remove(record.match_id)
        store.add(first_turns(replace(record, is_aborted=False), min(cut, record.turns)))
        store.add(record)
        assert store.record(record.match_id) == record


TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)


@given(st.data())
@examples(60, HealthCheck.function_scoped_fixture)
def test_records_with_anything_left_out_come_out_as_they_went_in(path: Path, data: st.DataObject) -> None:
    width, turns = data.draw(st.integers(1, 3)), data.draw(st.integers(0, 3))
    by_role = partial(st.lists, min_size=width, max_size=width)
    nothing: st.SearchStrategy[list[Any] | None] = st.sampled_from([None, []])
    rows = data.draw(st.integers(0, turns + 1))
    document = {
        "matchId": data.draw(TEXTS.filter(bool)),
        "randomToken": data.draw(TEXTS),
        "states": data.draw(st.lists(TEXTS, min_size=turns + 1, max_size=turns + 1)),
        "moves": data.draw(st.lists(by_role(TEXTS), min_size=turns, max_size=turns)),
        "errors": data.draw(st.lists(by_role(st.none() | TEXTS), min_size=rows, max_size=rows)),
        "stateTimes": data.draw(st.lists(st.integers(0, 2**50), max_size=turns + 1)),
        "goalValues": data.draw(nothing | by_role(st.integers(-1, 100))),
        "playerNamesFromHost": data.draw(nothing | by_role(st.none() | TEXTS)),
        "isPlayerHuman": data.draw(nothing | by_role(st.booleans())),
        "isCompleted": data.draw(st.booleans()),
        "isAborted": data.draw(st.booleans()),
        "startClock": data.draw(st.integers(-5, 10**6) | st.floats(0, 1e6)),
        "ludens": data.draw(
            st.none()
            | st.fixed_dictionaries(
                {},
                optional={
                    "game": TEXTS,
                    "rules": TEXTS,
                    "roles": by_role(TEXTS),
                    "seed": st.integers(-(2**80), 2**80) | TEXTS,
                    "job": TEXTS,
                    "more": st.lists(TEXTS, max_size=2),
                },
            )
        ),
        "signature": data.draw(TEXTS),
    }
    record = Record.from_json(document)
    with Store(path) as store:
        store.remove(record.match_id)
        store.add(record)
        assert store.record(record.match_id) == record


def test_a_match_goes_on_after_an_interruption(path: Path) -> None:
    record = played(load("tictactoe"))
    with Store(path) as store:
        store.began(first_turns(record, 0))
        store.moved(first_turns(record, 2))
        broken_off = first_turns(record, 3)
        broken_off.abort()
        store.ended(broken_off)
        assert [match.status for match in store.matches()] == ["aborted"]
        store.began(first_turns(record, 3))
        assert [match.status for match in store.matches()] == ["playing"]
        store.moved(first_turns(record, 4))
        store.ended(record)
        assert store.record(record.match_id) == record
        assert store.matches()[0].faults == sum(bool(error) for row in record.errors for error in row)


def test_what_does_not_continue_a_match_is_refused(path: Path) -> None:
    game = load("tictactoe")
    record = played(game)
    other_way = played(game, seed=2)
    with Store(path) as store:
        with pytest.raises(StoreError, match=r"m\.1 was never begun"):
            store.moved(record)
        store.add(first_turns(record, 4))
        with pytest.raises(StoreError, match=r"another match with the id m\.1"):
            store.add(other_way)
        with pytest.raises(StoreError, match="went another way"):
            store.add(replace(other_way, random_token=record.random_token))
        with pytest.raises(StoreError, match="4 turns in the store and only 3 in this record"):
            store.add(first_turns(record, 3))
        assert store.record("m.1") == first_turns(record, 4), "nothing of them was kept"
        store.add(record)
        with pytest.raises(StoreError, match="is completed in the store"):
            store.add(replace(record, is_completed=False))
        store.remove("m.1")
        assert store.matches() == []
        store.add(other_way)


def test_a_failing_write_leaves_nothing_behind(path: Path) -> None:
    record = played(load("tictactoe"))
    wrong = replace(record, states=[*record.states[:-1], "\ud800"])
    with Store(path) as store:
        with pytest.raises(UnicodeEncodeError):
            store.add(wrong)
        assert store.matches() == []
        store.add(record)
        assert store.record("m.1") == record


def test_a_job_of_a_tournament_is_there_once(path: Path) -> None:
    game = load("nim")
    with Store(path) as store:
        store.add(played(game, "a", job="1"))
        with pytest.raises(StoreError, match="job 1 of cup is in the store"):
            store.add(played(game, "b", job="1"))
        store.add(played(game, "c", job="2"))
        store.add(played(game, "d"))
        store.add(played(game, "e"))
        assert [(match.match_id, match.job) for match in store.matches(tournament="cup")] == [("a", "1"), ("c", "2")]


def test_matches_are_listed_by_what_is_asked_for(path: Path) -> None:
    nim, pig = load("nim"), load("pig")
    with Store(path) as store:
        for number, record in enumerate((played(nim, "a"), played(pig, "b"), played(nim, "c", limit=1))):
            store.add(
                replace(
                    record,
                    start_time=1000 - number,
                    player_names=[f"p{number}", "z", "random"][:-1]
                    if record.game_name == "nim"
                    else [f"p{number}", "z", "random"],
                )
            )
        store.add(replace(begun(nim, "d"), start_time=2000))

        def names(**asked: object) -> list[str]:
            return [match.match_id for match in store.matches(**asked)]  # type: ignore[arg-type]

        assert names() == ["c", "b", "a", "d"]
        assert names(limit=2) == ["a", "d"]
        assert names(game="nim") == ["c", "a", "d"]
        assert names(player="p1") == ["b"]
        assert names(player="z", status="completed") == ["b", "a"]
        assert names(status="aborted") == ["c"]
        assert names(status="playing") == ["d"]
        assert names(tournament="cup") == []
        with pytest.raises(StoreError, match="there is no status 'won'; a match is playing, completed, aborted"):
            store.matches(status="won")
        [pig_match] = store.matches(game="pig")
        assert pig_match.players == ("p1", "z", "random")
        assert store.matches(player="p0")[0].turns == played(nim, "a").turns


def test_matches_are_found_by_the_name_in_the_address_of_their_game(path: Path) -> None:
    document = {**BASE_RECORD, "gameMetaURL": "http://games.example/zork/v3/", "goalValues": [100, 0]}
    done = {"isCompleted": True, "isAborted": False, "playerNamesFromHost": ["Sancho", None]}
    with Store(path) as store:
        store.add(played(load("nim"), "nim.1"))
        store.add(Record.from_json({**document, **done}))
        assert [(match.match_id, match.game) for match in store.matches(game="zork")] == [
            (BASE_RECORD["matchId"], "zork")
        ]
        assert [match.match_id for match in store.matches(game="nim")] == ["nim.1"]
        [standing] = store.standings(game="zork")
        assert (standing.player, standing.wins, standing.matches) == ("Sancho", 1, 1), "who has no name is not listed"


def test_standings_agree_with_counting_by_hand(path: Path) -> None:
    results: dict[str, list[tuple[int, int]]] = defaultdict(list)
    with Store(path) as store:
        for name in ("tictactoe", "pig", "threeway", "hanoi"):
            game = load(name)
            for seed in range(12):
                record = played(game, f"{name}.{seed}", seed)
                assert record.player_names is not None
                assert record.goal_values is not None
                store.add(record)
                mine = {role: record.goals[role] or 0 for role in game.player_roles}
                for role, player in zip(record.roles, record.player_names, strict=True):
                    if role in mine:
                        results[player].append((mine[Role(role)], max([-1, *(mine[r] for r in mine if r != role)])))
        store.add(played(load("chess"), "cut", limit=2))
        standings = {standing.player: standing for standing in store.standings()}
        only_pig = store.standings(game="pig")
    assert set(standings) == set(results) == {"player0", "player1", "player2"}
    for player, pairs in results.items():
        standing = standings[player]
        assert standing.matches == len(pairs)
        assert standing.mean_goal == pytest.approx(sum(goal for goal, _ in pairs) / len(pairs))
        assert standing.wins == sum(goal > rival >= 0 for goal, rival in pairs)
        assert standing.shared == sum(goal == rival for goal, rival in pairs)
        assert standing.losses == sum(goal < rival for goal, rival in pairs)
    assert sum(standing.matches for standing in only_pig) == 24


def test_many_threads_write_at_once(path: Path) -> None:
    game = load("nim")
    with Store(path) as store:

        def play(number: int) -> Record:
            record = played(game, f"m.{number}", number)
            write(store, record)
            return record

        with ThreadPoolExecutor(8) as pool:
            records = list(pool.map(play, range(40)))
        assert [store.record(record.match_id) for record in records] == records
        assert len(store.matches()) == 40


PROCESS = """
import sys
from pathlib import Path
from ludens import load
from ludens.arena.store import Store
from tests.arena.played import played
folder, name = sys.argv[1:]
record = played(load("nim"), name, 9)
print("ready", flush=True)
sys.stdin.readline()
for number in range(30):
    with Store(Path(folder) / f"{number}.sqlite") as store:
        store.add(record)
"""


def test_many_processes_make_and_write_stores_at_once(tmp_path: Path) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, tmp_path, f"m.{number}"],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for number in range(4)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write(b"go\n")
        child.stdin.flush()
    for child in children:
        child.communicate(timeout=60)
    assert [child.returncode for child in children] == [0] * 4
    for path in tmp_path.glob("*.sqlite"):
        with Store(path) as store:
            assert sorted(match.match_id for match in store.matches()) == ["m.0", "m.1", "m.2", "m.3"]
            assert store.record("m.3") == played(load("nim"), "m.3", 9)


def test_a_store_can_be_handed_to_another_process(path: Path) -> None:
    with Store(path) as store:
        store.add(played(load("nim")))
        with pickle.loads(pickle.dumps(store)) as again:
            assert again.record("m.1") == store.record("m.1")


def test_a_closed_store_opens_again_when_it_is_used(path: Path) -> None:
    store = Store(path)
    store.close()
    store.add(played(load("nim")))
    store.close()
    store.close()


def test_threads_that_are_over_leave_no_connection_behind(path: Path) -> None:
    with Store(path) as store:
        store.matches()
        before = len(os.listdir("/dev/fd"))
        for _ in range(30):
            thread = Thread(target=store.matches)
            thread.start()
            thread.join()
        assert len(os.listdir("/dev/fd")) < before + 10


FORK = """
import os, sys
from dataclasses import replace
from pathlib import Path
from ludens import load
from ludens.arena.store import Store
from tests.arena.played import played
from tests.arena.writer import write
records = [played(load("nim"), str(number), number) for number in range(20)]
for turn in range(10):
    store = Store(Path(sys.argv[1]) / f"{turn}.sqlite")
    store.add(replace(records[0], match_id="before"))
    child = os.fork()
    for record in records:
        write(store, replace(record, match_id=f"{'parent' if child else 'child'}.{record.match_id}"))
    store.close()
    if not child:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


def test_a_process_that_forks_keeps_its_store(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", FORK, tmp_path], cwd=REPOSITORY, check=True, timeout=60)
    last = played(load("nim"), "19", 19)
    for path in sorted(tmp_path.glob("*.sqlite")):
        with Store(path) as store:
            assert len(store.matches()) == 41
            assert store.record("child.19") == replace(last, match_id="child.19")
            assert store.record("parent.19") == replace(last, match_id="parent.19")
    assert len(list(tmp_path.glob("*.sqlite"))) == 10


# -- matches that are played here ----------------------------------------------------------------------


def test_an_archive_keeps_matches_of_which_a_move_was_made(tmp_path: Path) -> None:
    path, errors = tmp_path / "new" / "matches.sqlite", list[str]()
    archive = Archive(errors.append, path)
    archive.ended(begun_match("m0"))
    assert not path.exists()
    record = begun_match("m1", moves=2)
    record.abort()
    archive.ended(record)
    with Store(path) as store:
        assert [(match.match_id, match.status, match.turns) for match in store.matches()] == [("m1", "aborted", 2)]
    assert errors == []


def test_a_match_that_goes_on_stays_one_and_one_that_went_another_way_becomes_another(tmp_path: Path) -> None:
    path = tmp_path / "matches.sqlite"
    archive = Archive(pytest.fail, path)
    record = begun_match("m1", moves=2)
    record.abort()
    archive.ended(record)
    record.reopen()
    longer = begun_match("m1", moves=3)
    archive.ended(longer)
    other = begun_match("m1", moves=3, first="(take b 1)")
    archive.ended(other)
    with Store(path) as store:
        assert [match.turns for match in store.matches()] == [3, 3]
        assert store.record("m1").moves == longer.moves
        assert other.match_id != "m1"
        assert store.record(other.match_id).moves == other.moves


@pytest.mark.parametrize("content", [b"no database at all, but long enough to be read as one", None])
def test_a_store_that_cannot_be_written_fails_no_match_and_is_told_once(tmp_path: Path, content: bytes | None) -> None:
    path, errors = tmp_path / "matches.sqlite", list[str]()
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    archive = Archive(errors.append, path)
    for number in range(2):
        archive.ended(begun_match(f"m{number}", moves=1))
    assert len(errors) == 1
    assert errors[0].startswith("matches are not kept: ")
    assert not archive.is_working


def test_a_match_that_is_too_large_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, errors = tmp_path / "matches.sqlite", list[str]()
    record = begun_match("m1", moves=2)
    monkeypatch.setattr("ludens.arena.store.MAX_BYTES", sum(map(len, record.states)) - 1)
    Archive(errors.append, path).ended(record)
    assert not path.exists()
    assert "the states of m1 have more than" in errors[0]


def begun_match(match_id: str, moves: int = 0, first: str = "(take a 1)") -> Record:
    """The record of a match of nim with some moves, the first one of which is given."""
    match = Match(load("nim"), MatchSettings(match_id, Clocks(1, 1), 5))
    record = match.seat(["ann", "bob"])
    for number in range(moves):
        (role,) = match.choosers()
        match.answer(role, first if number == 0 else match.legal(role)[0])
        match.step()
    return record
