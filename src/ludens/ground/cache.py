"""Ground programs on disk: what is stored in the cache, and how it is checked before it is used.

Files are numbers and JSON; a program is found by its rules and the code that made it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sized
from pathlib import Path

import numpy as np

from ludens.core import GroundTerm
from ludens.gdl import rules as gdl_rules
from ludens.gdl.rules import Rules
from ludens.ground.program import GroundProgram, Literals
from ludens.runtime.sealed_cache import SealedCache, pack_arrays, source_digest, unpack_arrays

PROGRAM, SIZE = ".ground", ".size"
BOUND_BYTES = 200
"""The size limit of a stored bound."""


def load_program(cache: SealedCache, rules: Rules) -> GroundProgram | None:
    """Return the program of these rules; None if it is missing or damaged."""
    return cache.load(_key(rules), PROGRAM, from_bytes)


def store_program(cache: SealedCache, rules: Rules, program: GroundProgram) -> None:
    """Store the program if possible."""
    if cache.folder:
        cache.store(_key(rules), PROGRAM, to_bytes(program))


def least_size(cache: SealedCache, rules: Rules) -> int:
    """Return a lower bound on the number of ground rules, from an earlier attempt."""
    return cache.load(_key(rules), SIZE, int, max_bytes=BOUND_BYTES) or 0


def store_least_size(cache: SealedCache, rules: Rules, least: int) -> None:
    """Store a lower bound on the number of ground rules, to avoid another hopeless attempt."""
    cache.store(_key(rules), SIZE, str(least).encode())


def _key(rules: Rules) -> str:
    """Return the cache key: the game, and the code that grounds it."""
    return f"{source_digest(Path(gdl_rules.__file__).parent, Path(__file__).parent)} {rules.digest}"


def _arrays(program: GroundProgram) -> list[Literals]:
    return [program.heads, program.body_starts, program.bodies, program.next, *program.legal, *program.goals]


def to_bytes(program: GroundProgram) -> bytes:
    header = {
        "roles": program.roles,
        "fluents": program.fluents,
        "moves": program.moves,
        "goal_values": program.goal_values,
        "atom_count": program.atom_count,
        "terminal": program.terminal,
    }
    return pack_arrays(header, [*_arrays(program), program.init])


def from_bytes(data: bytes) -> GroundProgram:
    """Return a program; ValueError, or another of `UNREADABLE`, for all that `to_bytes` did not write."""
    header, (heads, starts, bodies, following, *others, init) = unpack_arrays(data)
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
    """Return terms from values with lists in place of tuples."""
    return tuple(value if isinstance(value, str) else _terms(value) for value in values)  # type: ignore[arg-type]


def _check(program: GroundProgram) -> None:
    """Raise ValueError unless every number refers to something, as other code relies on."""
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
        raise ValueError("the file has dangling references")
