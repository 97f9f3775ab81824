"""A cache on disk: files with a checksum, read with care, written whole or not at all.

The checksum tells what a file is for, and that nothing of it is lost or changed by accident. It is no signature: who
can write our files could read any secret of ours too. So what is trusted is the owner of a file and of its folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Value = TypeVar("Value")

VARIABLE = "LUDENS_CACHE"
"""Names the folder to use; `off` for none."""
MAX_BYTES = 2**30
"""Of all files together."""
MAX_PIECE_SECONDS = 3600.0
"""The age of a file that was never finished after which it is taken for left behind."""
SUFFIXES = (".ground", ".size", ".circuit", ".object", ".board")
"""Of ground programs, notes on the sizes of others, optimised circuits, machine code of the native engine, and facts
about boards. Other files of the folder are left alone."""
UNREADABLE = (OSError, ValueError, KeyError, TypeError, IndexError, OverflowError, MemoryError, RecursionError)
"""What wrong files and folders cause."""
PIECE = ".piece"
"""How the name of a file ends that is not finished."""

_MAGIC = b"ludens keeps this, 1\n"
_SEAL_BYTES = len(_MAGIC) + 2 * hashlib.sha256().digest_size
_HAS_OWNERS = hasattr(os, "geteuid") and os.open in os.supports_dir_fd
"""Whether the system tells who owns a file and who may write it."""
_OPENING = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A pipe that nobody writes to keeps nobody waiting."""
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True)
class SealedCache:
    """A folder of files that can be made anew; without a folder nothing is kept.

    Whatever is wrong with it (torn, stale, foreign, unreadable or unwritable files, a full disk), nothing fails.
    """

    folder: Path | None
    max_bytes: int = MAX_BYTES

    @classmethod
    def from_environment(cls) -> SealedCache:
        """Return the cache in the folder that the environment names, or where this system keeps such files."""
        named = os.environ.get(VARIABLE)
        if named is not None:
            return cls(None if named.lower() in ("", "off", "0", "no", "none") else Path(named))
        try:
            return cls(_user_folder() / "ludens" / "ground")
        except RuntimeError:
            return cls(None)

    def load(
        self, key: str, suffix: str, decode: Callable[[bytes], Value], *, max_bytes: int = MAX_BYTES, own: bool = False
    ) -> Value | None:
        """Return what is stored under a key, decoded; None if it is not there, not whole, or cannot be decoded.

        `own`: only where nobody else may write the file or its folder. Needed for what is run as code.
        """
        if self.folder is None:
            return None
        try:
            data = read_file(self._path(self.folder, key, suffix), min(max_bytes, self.max_bytes), own=own)
            return decode(without_checksum(key + suffix, data))
        except UNREADABLE:
            return None

    def store(self, key: str, suffix: str, content: bytes, *, own: bool = False) -> None:
        """Keep some content if possible; what was used longest ago makes room. `own`: only where it could be loaded."""
        data = with_checksum(key + suffix, content)
        if self.folder is None or len(data) > self.max_bytes:
            return
        with suppress(*UNREADABLE):
            if not own or can_own(self.folder):
                self._make_room(self.folder, len(data))
                write_file(self._path(self.folder, key, suffix), data)

    def _path(self, folder: Path, key: str, suffix: str) -> Path:
        return folder / f"{hashlib.sha256(key.encode()).hexdigest()}{suffix}"

    def _make_room(self, folder: Path, wanted: int) -> None:
        """Remove what was used longest ago until the new file fits, and what others began and never finished."""
        found = []
        for path in folder.iterdir() if folder.exists() else ():
            with suppress(OSError):
                status = path.stat()
                if path.suffix in SUFFIXES:
                    found.append((status.st_mtime, status.st_size, path))
                elif path.suffix == PIECE and time.time() - status.st_mtime > MAX_PIECE_SECONDS:
                    path.unlink()
        total = wanted + sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self.max_bytes:
                break
            total -= size
            with suppress(OSError):
                path.unlink()


def _user_folder() -> Path:
    """Return the folder where programs of this user keep what can be made anew."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return named if named.is_absolute() else Path.home() / ".cache"


def with_checksum(key: str, content: bytes) -> bytes:
    """Return the content after a seal: what it is, what it is for, and a checksum of all that."""
    return _seal(key, content) + content


def without_checksum(key: str, data: bytes) -> bytes:
    """Return the content; ValueError if it was not sealed with this key, or is not whole.

    >>> without_checksum("a key", with_checksum("a key", b"content"))
    b'content'
    """
    seal, content = data[:_SEAL_BYTES], data[_SEAL_BYTES:]
    if seal != _seal(key, content):
        raise ValueError("the file is damaged, or belongs to something else")
    return content


def pack_arrays(header: Mapping[str, object], arrays: Sequence[npt.NDArray[Any]]) -> bytes:
    """Return a JSON header and arrays of 32-bit integers as bytes.

    >>> unpack_arrays(pack_arrays({"name": "x"}, [np.array([1, 2]), np.array([], np.int32)]))
    ({'name': 'x'}, [array([1, 2], dtype=int32), array([], dtype=int32)])
    """
    head = json.dumps({**header, "lengths": [len(array) for array in arrays]}, separators=(",", ":")).encode()
    return b"".join([len(head).to_bytes(8, "little"), head, *(array.astype("<i4").tobytes() for array in arrays)])


def unpack_arrays(data: bytes) -> tuple[dict[str, Any], list[npt.NDArray[np.int32]]]:
    """Return what `pack_arrays` was given; ValueError or another of `UNREADABLE` for other bytes."""
    size = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:size])
    if not isinstance(header, dict):
        raise ValueError("the file has no header")
    numbers = np.frombuffer(data[size:], "<i4").astype(np.int32)
    lengths = header.pop("lengths")
    if sum(lengths) != len(numbers) or min(lengths, default=0) < 0:
        raise ValueError("the file has other arrays than it says")
    return header, np.split(numbers, np.cumsum(lengths)[:-1])


@cache
def source_digest(*folders: Path) -> str:
    """Return a fingerprint of all Python files below these folders, so that no other version's files are used."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _seal(key: str, content: bytes) -> bytes:
    purpose = _MAGIC + hashlib.sha256(key.encode()).digest()
    checksum = hashlib.sha256(purpose)
    checksum.update(content)
    return purpose + checksum.digest()


def read_file(path: Path, max_bytes: int, *, own: bool = False) -> bytes:
    """Return what a plain file holds, which then counts as used; OSError or ValueError for anything else.

    `own`: nobody but us may write the file, or put another one in its place. Needed for what is run as code.
    """
    with _opened_folder(path.parent, own) as folder:
        name = path if folder is None else path.name
        descriptor = os.open(name, _OPENING | getattr(os, "O_NOFOLLOW", 0), dir_fd=folder)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise ValueError(f"{path} is no plain file")
            if status.st_size > max_bytes:
                raise ValueError(f"{path} is larger than anything that is kept")
            if own:
                _check_owner(path, status)
            with suppress(OSError):
                os.utime(descriptor if os.utime in os.supports_fd else path)
            with open(descriptor, "rb", closefd=False) as file:
                return file.read(status.st_size)
        finally:
            os.close(descriptor)


def can_own(folder: Path) -> bool:
    """Whether what is kept in a folder, which is made if need be, can be read with `own`."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with _opened_folder(folder, own=True):
            return True
    except ValueError:
        return False


def write_file(path: Path, data: bytes) -> None:
    """Write a file and its folder; readers see the whole file or none."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, suffix=PIECE, delete=False) as file:
        try:
            file.write(data)
            file.close()
            os.replace(file.name, path)
        except BaseException:
            file.close()
            with suppress(OSError):
                os.unlink(file.name)
            raise


@contextmanager
def _opened_folder(path: Path, own: bool) -> Iterator[int | None]:
    """The folder itself, which stays what it is while it is open; None where nobody asks whose it is."""
    if not own:
        yield None
        return
    if not _HAS_OWNERS:
        raise ValueError("this system does not tell who owns a file")
    descriptor = os.open(path, _OPENING | getattr(os, "O_DIRECTORY", 0))
    try:
        _check_owner(path, os.fstat(descriptor))
        yield descriptor
    finally:
        os.close(descriptor)


def _check_owner(path: Path, status: os.stat_result) -> None:
    if status.st_uid != os.geteuid() or status.st_mode & _OTHERS_WRITE:
        raise ValueError(f"others may write {path}")
