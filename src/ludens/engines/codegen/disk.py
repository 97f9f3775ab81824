"""Machine code kept on disk from one run to the next, beside the ground programs.

It is run as it is, so it is read only from files and folders that nobody else may write. A file that is damaged, stale
or somebody else's, or cannot be written, is as good as none.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress

from ludens.ground.cache import GroundCache
from ludens.ground.kept import UNREADABLE, can_own, read_kept, sealed, unsealed

SUFFIX = ".object"
MOST_BYTES = 2**26


def load(key: str) -> bytes | None:
    """The object file that was kept under a key, if it is there, whole and ours."""
    cache = GroundCache.from_environment()
    try:
        return unsealed(key, read_kept(cache.folder / _name(key), MOST_BYTES, own=True)) if cache.folder else None
    except UNREADABLE:
        return None


def store(key: str, code: bytes) -> None:
    """Keep an object file if possible, and if it could be read again."""
    cache = GroundCache.from_environment()
    with suppress(*UNREADABLE):
        if cache.folder and can_own(cache.folder):
            cache.keep(_name(key), sealed(key, code))


def _name(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest() + SUFFIX
