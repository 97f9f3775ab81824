"""Which processes there are, as the system tells."""

from __future__ import annotations

from pathlib import Path


def descendants(pid: int) -> list[int]:
    """All processes below one, as far as the system tells."""
    parents = {int(entry.name): parent for entry in Path("/proc").glob("[0-9]*") if (parent := parent_of(entry))}
    found, waiting = [], [pid]
    while waiting:
        here = waiting.pop()
        below = [child for child, parent in parents.items() if parent == here]
        found += below
        waiting += below
    return found


def parent_of(entry: Path) -> int | None:
    """The parent of a process that is alive; one that is dead and not buried yet is not."""
    try:
        state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return None
    return None if state == "Z" else int(parent)


def all_gone(pids: list[int]) -> bool:
    return not any(parent_of(Path(f"/proc/{pid}")) for pid in pids)
