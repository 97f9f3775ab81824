"""A server that answers soon: what it loads to listen takes most of the time until its first page."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

UNUSED = ("aiohttp", "kombu", "requests", "websocket")
"""What the library for sockets loads if it is there, to be a client; here it only serves."""


@contextmanager
def quick_imports() -> Iterator[None]:
    """Load modules without those that nobody needs, and without looking for garbage meanwhile."""
    hidden = [name for name in UNUSED if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
        for name in hidden:
            del sys.modules[name]
