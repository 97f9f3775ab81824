"""How much memory workers on this computer may take."""

from __future__ import annotations

from pathlib import Path

WORKER_BYTES = 256 * 2**20
"""What a worker takes in a common game."""
MIN_LIMIT = 2**30
"""No worker is kept to less than this."""
UNKNOWN = 8 * 2**30
"""What is taken to be free where the system does not tell."""

_MEMORY = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")


def free_memory() -> int:
    """The bytes that this computer, or the container we are in, has to spare."""
    told = _numbers(_MEMORY).get("MemAvailable:", UNKNOWN // 1024) * 1024
    most, used = _number(_GROUP / "memory.max"), _number(_GROUP / "memory.current")
    if most is None or used is None:
        return told
    cached = _numbers(_GROUP / "memory.stat").get("inactive_file", 0)
    return min(told, max(0, most - used + cached))


def affordable_workers(wanted: int) -> int:
    """As many workers as are wanted, as long as they take no more than half of what is free; always one."""
    return max(1, min(wanted, free_memory() // 2 // WORKER_BYTES))


def memory_limit(workers: int) -> int:
    """The bytes that each of some workers may take."""
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
