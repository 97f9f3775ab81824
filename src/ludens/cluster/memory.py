"""The memory that workers on this computer may take."""

from __future__ import annotations

from pathlib import Path

WORKER_BYTES = 256 * 2**20
"""The memory of a worker in a common game."""
MIN_LIMIT = 2**30
"""The least limit of a worker."""
UNKNOWN = 8 * 2**30
"""The free memory to assume where the system does not tell."""

_MEMORY = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")


def free_memory() -> int:
    """Return the free bytes of this computer, or of the container we are in."""
    told = _numbers(_MEMORY).get("MemAvailable:", UNKNOWN // 1024) * 1024
    most, used = _number(_GROUP / "memory.max"), _number(_GROUP / "memory.current")
    if most is None or used is None:
        return told
    cached = _numbers(_GROUP / "memory.stat").get("inactive_file", 0)
    return min(told, max(0, most - used + cached))


def affordable_workers(wanted: int) -> int:
    """Return the workers wanted, or as many as take half of the free memory; at least one."""
    return max(1, min(wanted, free_memory() // 2 // WORKER_BYTES))


def memory_limit(workers: int) -> int:
    """Return the bytes that each of some workers may take."""
    return max(MIN_LIMIT, free_memory() // (workers + 1))


def _numbers(path: Path) -> dict[str, int]:
    try:
        lines = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return {}
    return {line[0]: int(line[1]) for line in lines if len(line) > 1 and line[1].isdigit()}


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None
