"""Files that are kept: with_checksum, and read only if they are what they should be."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.runtime.sealed_cache import can_own, read_file, with_checksum, without_checksum, write_file

MOST = 1000


@given(st.text(), st.binary(max_size=100), st.integers(0, 10_000))
def test_a_seal_tells_every_change(key: str, content: bytes, place: int) -> None:
    data = with_checksum(key, content)
    assert without_checksum(key, data) == content
    place %= len(data)
    changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
    for wrong in (changed, data[:place], data + b"\0", data[1:]):
        with pytest.raises(ValueError, match="damaged"):
            without_checksum(key, wrong)
    with pytest.raises(ValueError, match="something else"):
        without_checksum(key + ".", data)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    for content in (b"", b"first", b"second"):
        write_file(path, content)
        assert read_file(path, MOST) == read_file(path, MOST, own=True) == content
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert list(path.parent.iterdir()) == [path]


def test_reading_counts_as_use(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_file(path, b"x")
    os.utime(path, (0, 0))
    read_file(path, MOST)
    assert path.stat().st_mtime > 0


@contextmanager
def left_open(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[int]]:
    """The files that were opened by their descriptors and not closed so."""
    descriptors: set[int] = set()
    open_file, close = os.open, os.close

    def note_open(*arguments: Any, **options: Any) -> int:
        descriptors.add(descriptor := open_file(*arguments, **options))
        return descriptor

    def note_close(descriptor: int) -> None:
        close(descriptor)
        descriptors.discard(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr("ludens.runtime.sealed_cache.os.open", note_open)
        patch.setattr("ludens.runtime.sealed_cache.os.close", note_close)
        yield descriptors


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "device", "nothing", "large"])
def test_only_plain_files_are_read(kind: str, own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe that nobody writes to must not keep anybody waiting."""
    path, other = tmp_path / "file", tmp_path / "other"
    write_file(other, b"content")
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(other)
    elif kind == "device":
        path = Path("/dev/zero")
    elif kind == "large":
        path.write_bytes(bytes(MOST + 1))
    with left_open(monkeypatch) as descriptors, pytest.raises((OSError, ValueError)):
        read_file(path, MOST, own=own)
    assert descriptors == set()


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_files_that_others_may_write_are_not_ours(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_file(path, b"content")
    path.chmod(mode)
    assert read_file(path, MOST) == b"content"
    with pytest.raises(ValueError, match="others may write"):
        read_file(path, MOST, own=True)


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o1777])
def test_nor_are_files_in_folders_that_others_may_write(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "shared" / "file"
    write_file(path, b"content")
    assert can_own(path.parent)
    path.parent.chmod(mode)
    assert not can_own(path.parent)
    with pytest.raises(ValueError, match="others may write"):
        read_file(path, MOST, own=True)


def test_nor_are_files_of_another_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the superuser could give a file away, so here it is we who become another."""
    path = tmp_path / "file"
    write_file(path, b"content")
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    assert not can_own(tmp_path)
    with pytest.raises(ValueError, match="others may write"):
        read_file(path, MOST, own=True)


def test_nothing_is_ours_where_files_have_no_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.runtime.sealed_cache._HAS_OWNERS", False)
    assert not can_own(tmp_path)


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.mkdir()
    with pytest.raises(OSError, match="file"):
        write_file(path, b"content")
    assert list(tmp_path.iterdir()) == [path]
