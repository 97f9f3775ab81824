"""The cache on disk: whatever is wrong with it, the answer is right."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.errors import CompileError
from ludens.gdl.rules import Rules
from ludens.ground import GroundingLimits, GroundProgram, ground
from ludens.ground.cache import from_bytes, least_size, store_least_size, to_bytes
from ludens.runtime.sealed_cache import VARIABLE, SealedCache, with_checksum
from tests.ground.samples import NO_CACHE, SMALL, as_bytes
from tests.tiers import examples

OTHER = Rules.parse("(role me) (role you) (legal me go) (legal you (stay (here 1))) (init a) (<= terminal (true a))")


@cache
def fresh(rules: Rules) -> GroundProgram:
    return ground(rules, cache=NO_CACHE)


def phases(rules: Rules, cache: SealedCache) -> tuple[GroundProgram, set[str]]:
    """The program, and what was done to get it."""
    told: set[str] = set()
    return ground(rules, cache=cache, progress=lambda phase, done: told.add(phase)), told


def check_recovers(cache: SealedCache) -> None:
    """A spoiled entry is made anew and good from then on."""
    program, told = phases(SMALL, cache)
    assert "ground" in told
    assert as_bytes(program) == as_bytes(fresh(SMALL))
    program, told = phases(SMALL, cache)
    assert "ground" not in told
    assert as_bytes(program) == as_bytes(fresh(SMALL))


def entry(folder: Path) -> Path:
    (path,) = folder.glob("*.ground")
    return path


def test_a_program_is_kept_and_found_again(tmp_path: Path) -> None:
    for rules in (SMALL, OTHER):
        cache = SealedCache(tmp_path / "new" / "folder")
        first, told = phases(rules, cache)
        assert "ground" in told
        second, told = phases(rules, cache)
        assert told == {"load"}
        assert as_bytes(first) == as_bytes(second)
        assert second.fluents == first.fluents
        assert second.moves == first.moves
    assert not list(tmp_path.rglob("*.piece"))


def test_other_layout_and_order_find_the_same_entry(tmp_path: Path) -> None:
    cache = SealedCache(tmp_path)
    ground(SMALL, cache=cache)
    turned = Rules(reversed(SMALL.clauses))
    assert phases(turned, cache)[1] == {"load"}


def test_other_rules_and_order_of_roles_do_not(tmp_path: Path) -> None:
    cache = SealedCache(tmp_path)
    ground(OTHER, cache=cache)
    turned = Rules([OTHER.clauses[1], OTHER.clauses[0], *OTHER.clauses[2:]])
    program, told = phases(turned, cache)
    assert "ground" in told
    assert program.roles == ("you", "me")


@pytest.mark.parametrize("damage", ["empty", "cut", "longer", "bit", "zeros", "text", "stale", "folder"])
def test_damaged_files_are_replaced(tmp_path: Path, damage: str) -> None:
    cache = SealedCache(tmp_path)
    ground(SMALL, cache=cache)
    path = entry(tmp_path)
    data = path.read_bytes()
    if damage == "folder":
        path.unlink()
        path.mkdir()
        assert as_bytes(ground(SMALL, cache=cache)) == as_bytes(fresh(SMALL))
        return
    spoiled = {
        "empty": b"",
        "cut": data[: len(data) // 2],
        "longer": data + b"\0\0\0\0",
        "bit": data[:-5] + bytes([data[-5] ^ 1]) + data[-4:],
        "zeros": bytes(len(data)),
        "text": b"ludens ground program\n" * 20,
        "stale": with_checksum("a key of another version", to_bytes(fresh(OTHER))),
    }
    path.write_bytes(spoiled[damage])
    check_recovers(cache)


def test_references_to_nowhere_are_not_believed_even_with_a_right_checksum() -> None:
    data = to_bytes(fresh(SMALL))
    assert as_bytes(from_bytes(data)) == as_bytes(fresh(SMALL))
    payload = bytearray(data)
    first_array = 8 + int.from_bytes(payload[:8], "little")
    payload[first_array : first_array + 4] = (10**9).to_bytes(4, "little")
    with pytest.raises(ValueError, match="dangling references"):
        from_bytes(bytes(payload))


@given(st.binary(max_size=200))
@examples(50)
def test_garbage_gives_no_program(garbage: bytes) -> None:
    with pytest.raises((ValueError, LookupError, TypeError, OverflowError)):
        from_bytes(garbage)


def test_a_folder_that_cannot_be_made_or_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/nowhere"), Path("/dev/full/x")):
        assert as_bytes(ground(SMALL, cache=SealedCache(folder))) == as_bytes(fresh(SMALL))


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    """A process that may write only small files stands for a disk that fills up while it writes."""
    script = (
        "import resource, signal; from pathlib import Path; from tests.ground.samples import *;"
        "from ludens.ground import *; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100));"
        f"print(ground(SMALL, cache=SealedCache(Path({str(tmp_path)!r}))).rule_count)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.stdout.split() == [str(fresh(SMALL).rule_count)], done.stderr
    assert not list(tmp_path.iterdir())


def test_room_is_made_by_removing_the_oldest_and_what_was_never_finished(tmp_path: Path) -> None:
    size = len(with_checksum("key", to_bytes(fresh(SMALL))))
    long_ago = time.time() - 10_000
    for name in ("old.ground", "abandoned.piece", "fresh.piece", "foreign.txt"):
        (tmp_path / name).write_bytes(bytes(size))
    for name in ("old.ground", "abandoned.piece"):
        os.utime(tmp_path / name, (long_ago, long_ago))
    (tmp_path / "young.ground").write_bytes(bytes(size))
    ground(SMALL, cache=SealedCache(tmp_path, max_bytes=int(2.5 * size)))
    names = {path.name for path in tmp_path.iterdir()}
    assert {"young.ground", "fresh.piece", "foreign.txt"} <= names
    assert not {"old.ground", "abandoned.piece"} & names
    assert len(names) == 4
    ground(OTHER, cache=SealedCache(tmp_path, max_bytes=10))
    assert len(list(tmp_path.iterdir())) == 4, "too large a program is not kept"


def test_two_processes_at_once(tmp_path: Path) -> None:
    script = (
        "from pathlib import Path; from tests.ground.samples import *; from ludens.ground import *\n"
        f"for _ in range(8): print(hash(as_bytes(ground(SMALL, cache=SealedCache(Path({str(tmp_path)!r}))))))\n"
        f"for path in Path({str(tmp_path)!r}).glob('*.ground'): path.write_bytes(path.read_bytes()[:50])\n"
        f"for _ in range(3): print(hash(as_bytes(ground(SMALL, cache=SealedCache(Path({str(tmp_path)!r}))))))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    folder = Path(__file__).parents[2]
    processes = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=environment, cwd=folder)
        for _ in range(3)
    ]
    answers = [process.communicate()[0].split() for process in processes]
    assert all(len(answer) == 11 for answer in answers)
    assert len({value for answer in answers for value in answer}) == 1
    assert not list(tmp_path.glob("*.piece"))


def test_the_environment_names_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "mine"))
    ground(SMALL)
    assert len(list((tmp_path / "mine").glob("*.ground"))) == 1
    monkeypatch.setenv(VARIABLE, "off")
    assert SealedCache.from_environment().folder is None
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert SealedCache.from_environment().folder == tmp_path / "ludens" / "ground"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    folder = SealedCache.from_environment().folder
    assert folder
    assert folder.parts[-3:] == (".cache", "ludens", "ground")


def test_rules_that_are_too_big_are_not_tried_again(tmp_path: Path) -> None:
    cache, told = SealedCache(tmp_path), set[str]()

    def attempt(most: int) -> GroundProgram:
        told.clear()
        return ground(OTHER, GroundingLimits(rules=most), cache=cache, progress=lambda phase, done: told.add(phase))

    for expected in (True, False):
        with pytest.raises(CompileError, match="more than 1 instances"):
            attempt(1)
        assert ("translate" in told) == expected
    assert as_bytes(attempt(1000)) == as_bytes(fresh(OTHER))
    assert "ground" in told


@pytest.mark.parametrize("text", [b"", b"many", b"-3", b"\xff" * 30, b"9" * 19, b"9" * 500])
@pytest.mark.parametrize("seal", [None, "key"])
def test_strange_notes_on_sizes_do_no_harm(text: bytes, seal: str | None, tmp_path: Path) -> None:
    """Also those that somebody else has sealed; a note that is not believed is no reason to give up."""
    cache = SealedCache(tmp_path)
    store_least_size(cache, OTHER, 7)
    assert least_size(cache, OTHER) == 7
    (note,) = tmp_path.iterdir()
    note.write_bytes(with_checksum(seal, text) if seal else text)
    assert least_size(cache, OTHER) == 0
    assert as_bytes(ground(OTHER, cache=cache)) == as_bytes(fresh(OTHER))


def test_notes_on_sizes_belong_to_their_rules(tmp_path: Path) -> None:
    cache = SealedCache(tmp_path)
    store_least_size(cache, OTHER, 10**9)
    (note,) = tmp_path.iterdir()
    store_least_size(cache, SMALL, 7)
    (other,) = set(tmp_path.iterdir()) - {note}
    note.rename(other)
    assert least_size(cache, SMALL) == 0


@pytest.mark.parametrize("suffix", [".ground", ".size"])
def test_a_pipe_in_place_of_a_file_keeps_nobody_waiting(suffix: str, tmp_path: Path) -> None:
    cache = SealedCache(tmp_path)
    ground(SMALL, cache=cache)
    path = entry(tmp_path)
    path.unlink()
    os.mkfifo(path.with_suffix(suffix))
    check_recovers(cache)
