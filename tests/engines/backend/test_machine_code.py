"""Machine code on disk: what is not certainly ours and whole is made anew, and the answers are right."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ludens.engines.backend import machine_code
from ludens.engines.backend.machine_code import LoadedCode
from ludens.runtime import sealed_cache
from ludens.runtime.sealed_cache import SealedCache

ANSWERS = "define i32 @answer() {{\n  ret i32 {number}\n}}\n"


def answer(number: int) -> int:
    code = LoadedCode(ANSWERS.format(number=number), 2, keep=True)
    return int(ctypes.CFUNCTYPE(ctypes.c_int32)(code.address("answer"))())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv("LUDENS_CACHE", str(path))
    return path


def made(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What is stored from now on."""
    stored: list[bytes] = []
    store = SealedCache.store

    def note(cache: SealedCache, key: str, suffix: str, code: bytes, *, own: bool) -> None:
        stored.append(code)
        store(cache, key, suffix, code, own=own)

    monkeypatch.setattr(SealedCache, "store", note)
    return stored


def test_machine_code_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = made(monkeypatch)
    assert [answer(42), answer(42), answer(7), answer(42)] == [42, 42, 7, 42]
    assert len(stored) == len(list(folder.iterdir())) == 2


def swap(kept: Path) -> None:
    """The whole file of other code, under this name."""
    (other,) = set(kept.parent.iterdir()) - {kept}
    kept.write_bytes(other.read_bytes())


def replace_by_pipe(kept: Path) -> None:
    kept.unlink()
    os.mkfifo(kept)


def replace_by_link(kept: Path) -> None:
    elsewhere = kept.with_name("elsewhere")
    kept.rename(elsewhere)
    kept.symlink_to(elsewhere)


def enlarge(kept: Path) -> None:
    with kept.open("r+b") as file:
        file.truncate(machine_code.MAX_OBJECT_BYTES + 1)


SPOILED: dict[str, Callable[[Path], object]] = {
    "empty": lambda kept: kept.write_bytes(b""),
    "cut": lambda kept: kept.write_bytes(kept.read_bytes()[:-5]),
    "longer": lambda kept: kept.write_bytes(kept.read_bytes() + b"\0"),
    "zeros": lambda kept: kept.write_bytes(bytes(500)),
    "only the code": lambda kept: kept.write_bytes(kept.read_bytes()[100:]),
    "other code": swap,
    "a pipe": replace_by_pipe,
    "a link": replace_by_link,
    "large": enlarge,
    "for the group to write": lambda kept: kept.chmod(0o660),
    "for all to write": lambda kept: kept.chmod(0o606),
}


@pytest.mark.parametrize("damage", SPOILED)
def test_files_that_are_not_ours_and_whole_are_replaced(
    damage: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert answer(42) == 42
    (kept,) = folder.iterdir()
    written = kept.read_bytes()
    assert answer(7) == 7
    SPOILED[damage](kept)
    stored = made(monkeypatch)
    assert answer(42) == 42
    assert len(stored) == 1
    assert kept.read_bytes() == written
    assert kept.lstat().st_mode & 0o7777 == 0o600
    assert answer(42) == 42
    assert len(stored) == 1


def test_a_folder_in_its_place(folder: Path) -> None:
    assert answer(42) == 42
    (kept,) = folder.iterdir()
    kept.unlink()
    kept.mkdir()
    assert answer(42) == 42


def test_a_folder_that_others_may_write_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer(42) == 42
    folder.chmod(0o777)
    stored = made(monkeypatch)
    assert [answer(42), answer(7)] == [42, 7]
    assert len(stored) == 2
    assert len(list(folder.iterdir())) == 1


def test_the_folder_is_for_us_alone(folder: Path) -> None:
    before = os.umask(0)
    try:
        assert answer(42) == 42
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in folder.iterdir()] == [0o600]


@pytest.mark.parametrize("place", ["off", "/dev/null/nowhere", "/proc/nowhere"])
def test_no_disk_is_needed(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDENS_CACHE", place)
    assert answer(7) == 7


def test_lack_of_memory_is_lack_of_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object, **__: object) -> bytes:
        raise MemoryError

    monkeypatch.setattr(sealed_cache, "read_file", read)
    assert answer(42) == 42
