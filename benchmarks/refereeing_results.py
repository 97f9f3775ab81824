"""What a run of the referee benchmark has measured, and how it compares with the targets."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

CALLED, THREADS, HTTP = "called directly", "in threads", "over HTTP"
WAYS = (CALLED, THREADS, HTTP)
TARGETS: Mapping[str, float] = {CALLED: 0.005, THREADS: 0.005, HTTP: 0.020}
"""Seconds that the referee may add to a move."""


@dataclass(frozen=True, slots=True)
class Overhead:
    """What a move costs when players do not think: medians over the moves, in seconds."""

    way: str
    game: str
    moves: int = 0
    total: float | None = None
    own: float | None = None
    """What the players take for themselves."""
    problem: str | None = None

    @property
    def added(self) -> float | None:
        return None if self.total is None or self.own is None else max(0.0, self.total - self.own)

    @property
    def met(self) -> bool:
        return self.added is not None and self.added < TARGETS[self.way]


@dataclass(frozen=True, slots=True)
class Crowd:
    """Many matches at once between players over HTTP."""

    game: str
    matches: int
    finished: int = 0
    moves: int = 0
    faults: int = 0
    seconds: float = 0.0
    problem: str | None = None

    @property
    def met(self) -> bool:
        return self.finished == self.matches and self.faults == 0 and self.problem is None


@dataclass(slots=True)
class RefereeResults:
    rounds: int
    cpu: str
    versions: Mapping[str, str]
    overheads: list[Overhead] = field(default_factory=list)
    crowds: list[Crowd] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        return {
            "cpu": self.cpu,
            "versions": dict(self.versions),
            "rounds": self.rounds,
            "overheads": [
                {**asdict(each), "added": each.added, "target": TARGETS[each.way], "met": each.met}
                for each in self.overheads
            ],
            "crowds": [{**asdict(each), "met": each.met} for each in self.crowds],
        }

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.document(), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> RefereeResults:
        """The results of an earlier run; ValueError, LookupError or TypeError for other files."""
        document = json.loads(path.read_text(encoding="utf-8"))
        results = cls(document["rounds"], document["cpu"], document["versions"])
        for entry in document["overheads"]:
            kept = {key: value for key, value in entry.items() if key not in ("added", "target", "met")}
            results.overheads.append(Overhead(**kept))
        for entry in document["crowds"]:
            results.crowds.append(Crowd(**{key: value for key, value in entry.items() if key != "met"}))
        times = [time for each in results.overheads for time in (each.total, each.own) if time is not None]
        if any(not 0 <= time < math.inf for time in times) or any(
            each.way not in TARGETS for each in results.overheads
        ):
            raise ValueError(f"{path} has figures that make no sense")
        if not results.overheads and not results.crowds:
            raise ValueError(f"{path} has no measurements")
        return results
