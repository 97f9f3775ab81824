"""Ground programs kept on disk from one run to the next, and the folder where other packages keep what they make of
them: optimised circuits, machine code, facts about boards.

Whatever is wrong with the cache (torn, stale, foreign, unreadable or unwritable files, a full disk), the answer is
to ground anew. Files are numbers and JSON, checked by a seal and for sound references before they are used.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Iterable, Sized
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ludens.core import GroundTerm
from ludens.gdl import rules as gdl_rules
from ludens.gdl.rules import Rules
from ludens.ground.kept import (
    PIECE,
    UNREADABLE,
    pack_arrays,
    read_kept,
    sealed,
    source_digest,
    unpack_arrays,
    unsealed,
    write_kept,
)
from ludens.ground.program import GroundProgram, Literals

VARIABLE = "LUDENS_CACHE"
"""Names the folder to use; `off` for none."""
MAX_BYTES = 2**30
MAX_AGE_OF_PIECES = 3600.0
"""Seconds after which a file that was never finished is taken for left behind."""

KEPT_SUFFIXES = (".ground", ".size", ".circuit", ".object")
"""Of ground programs, notes on the sizes of others, optimised circuits, and machine code of the native engine."""

_NOTE_BYTES = 200
"""More than any note on a size needs."""


@dataclass(frozen=True, slots=True)
class GroundCache:
    """A folder of ground programs; without a folder nothing is kept."""

    folder: Path | None
    max_bytes: int = MAX_BYTES

    @classmethod
    def from_environment(cls) -> GroundCache:
        """The folder that the environment names, or where this system keeps such files."""
        named = os.environ.get(VARIABLE)
        if named is not None:
            return cls(None if named.lower() in ("", "off", "0", "no", "none") else Path(named))
        try:
            return cls(_user_folder() / "ludens" / "ground")
        except RuntimeError:
            return cls(None)

    def load(self, rules: Rules) -> GroundProgram | None:
        """The program of these rules, if it is there and whole."""
        try:
            path = self._path(rules)
            return _from_bytes(read_kept(path, self.max_bytes), _key(rules)) if path else None
        except UNREADABLE:
            return None

    def store(self, rules: Rules, program: GroundProgram) -> None:
        """Keep the program if possible; older ones make room."""
        with suppress(*UNREADABLE):
            if path := self._path(rules):
                self.keep(path.name, _to_bytes(program, _key(rules)))

    def least_size(self, rules: Rules) -> int:
        """So many ground rules there are at least, as far as an earlier attempt has found out."""
        try:
            path = self._path(rules, ".size")
            return int(unsealed(_size_key(rules), read_kept(path, _NOTE_BYTES))) if path else 0
        except UNREADABLE:
            return 0

    def note_size(self, rules: Rules, least: int) -> None:
        """Remember that there are so many at least, so that nobody tries in vain again."""
        with suppress(*UNREADABLE):
            if path := self._path(rules, ".size"):
                write_kept(path, sealed(_size_key(rules), str(least).encode()))

    def keep(self, name: str, data: bytes) -> None:
        """Write a file of the folder; older ones make room. OSError if it cannot be written."""
        if self.folder and len(data) <= self.max_bytes:
            self._make_room(len(data))
            write_kept(self.folder / name, data)

    def _path(self, rules: Rules, suffix: str = ".ground") -> Path | None:
        return self.folder / f"{_key(rules)}{suffix}" if self.folder else None

    def _make_room(self, wanted: int) -> None:
        """Remove what was used longest ago until the new file fits, and what others began and never finished."""
        found = []
        for path in self.folder.iterdir() if self.folder and self.folder.exists() else ():
            with suppress(OSError):
                status = path.stat()
                if path.suffix in KEPT_SUFFIXES:
                    found.append((status.st_mtime, status.st_size, path))
                elif path.suffix == PIECE and time.time() - status.st_mtime > MAX_AGE_OF_PIECES:
                    path.unlink()
        total = wanted + sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self.max_bytes:
                break
            total -= size
            with suppress(OSError):
                path.unlink()


def _user_folder() -> Path:
    """Where programs of this user keep what can be made anew."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return named if named.is_absolute() else Path.home() / ".cache"


def _key(rules: Rules) -> str:
    """What the program depends on: the game, and the code that made it."""
    code = source_digest(Path(gdl_rules.__file__).parent, Path(__file__).parent)
    return hashlib.sha256(f"{code} {rules.digest}".encode()).hexdigest()


def _size_key(rules: Rules) -> str:
    return f"size {_key(rules)}"


def _arrays(program: GroundProgram) -> list[Literals]:
    return [program.heads, program.body_starts, program.bodies, program.next, *program.legal, *program.goals]


def _to_bytes(program: GroundProgram, key: str) -> bytes:
    header = {
        "roles": program.roles,
        "fluents": program.fluents,
        "moves": program.moves,
        "goal_values": program.goal_values,
        "atom_count": program.atom_count,
        "terminal": program.terminal,
    }
    return sealed(key, pack_arrays(header, [*_arrays(program), program.init]))


def _from_bytes(data: bytes, key: str) -> GroundProgram:
    """ValueError, or another of those that wrong data causes, for all that `_to_bytes` did not write."""
    header, (heads, starts, bodies, following, *others, init) = unpack_arrays(unsealed(key, data))
    roles = len(header["roles"])
    program = GroundProgram(
        roles=tuple(header["roles"]),
        fluents=_terms(header["fluents"]),
        moves=tuple(map(_terms, header["moves"])),
        goal_values=tuple(map(_terms, header["goal_values"])),
        atom_count=header["atom_count"],
        heads=heads,
        body_starts=starts,
        bodies=bodies,
        init=init.astype(np.bool_),
        next=following,
        legal=tuple(others[:roles]),
        goals=tuple(others[roles:]),
        terminal=header["terminal"],
    )
    _check(program)
    return program


def _terms(values: Iterable[object]) -> tuple[GroundTerm, ...]:
    """JSON has lists where terms have tuples."""
    return tuple(value if isinstance(value, str) else _terms(value) for value in values)  # type: ignore[arg-type]


def _check(program: GroundProgram) -> None:
    """Every number refers to something, so that code that trusts a program can."""
    groups: list[tuple[Sized, Sized]] = [
        (program.init, program.fluents),
        (program.next, program.fluents),
        (program.heads, program.body_starts[1:]),
        (program.roles, program.moves),
        (program.roles, program.goals),
        *zip(program.legal, program.moves, strict=True),
        *zip(program.goals, program.goal_values, strict=True),
    ]
    starts, used = program.body_starts, np.concatenate([*_arrays(program)[2:], [program.terminal]])
    sound = (
        all(len(left) == len(right) for left, right in groups)
        and starts[0] == 0
        and starts[-1] == len(program.bodies)
        and np.all(np.diff(starts) >= 0)
        and np.all((used >= 0) & (used < 2 * program.atom_count))
        and np.all((program.heads > 0) & (program.heads < program.atom_count))
        and program.atom_count > len(program.fluents) + sum(map(len, program.moves))
    )
    if not sound:
        raise ValueError("the file has loose references")
