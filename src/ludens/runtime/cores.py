"""The processor cores of this process."""

from __future__ import annotations

import os


def available_cores() -> list[int]:
    """Return the numbers of the processor cores that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
