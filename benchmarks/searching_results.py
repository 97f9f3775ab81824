"""What a run of the search benchmark has measured, and how it compares with the targets."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from benchmarks.comparing import Rate
from benchmarks.results import Ratio

TREE, PLAYOUTS, SPIEL, SPIEL_SOLVER = "mcts", "playouts", "openspiel", "openspiel-solver"
ONE_THREAD, TWO_THREADS = "one-thread", "two-threads"

PLAYOUTS_TARGET = 1 / 3
"""The part of the speed of random games alone that a tree search should keep."""
PLAYOUTS_GAMES = ("connectfour", "breakthrough", "othello", "checkers")
SPIEL_TARGET = 10.0
THREADS_TARGET = 1.7


@dataclass(frozen=True, slots=True)
class Proof:
    """How long it took to prove what a game is worth: CPU seconds, the median over the rounds."""

    task: str
    expected: str
    answer: str | None = None
    cpu_seconds: float | None = None
    target: float | None = None
    problem: str | None = None

    @property
    def met(self) -> bool:
        in_time = self.cpu_seconds is not None and self.cpu_seconds < (self.target or math.inf)
        return self.answer == self.expected and in_time


@dataclass(slots=True)
class SearchResults:
    seconds: float
    rounds: int
    cpu: str
    versions: Mapping[str, str]
    rates: dict[tuple[str, str], Rate] = field(default_factory=dict)
    proofs: dict[str, Proof] = field(default_factory=dict)

    def add(self, rate: Rate) -> None:
        self.rates[rate.game, rate.contender] = rate

    @property
    def games(self) -> list[str]:
        return list(dict.fromkeys(game for game, _ in self.rates))

    def rate(self, game: str, *contenders: str) -> float | None:
        """The speed of a contender, or of the fastest of several."""
        found = [self.rates[game, name].per_second for name in contenders if (game, name) in self.rates]
        return max((rate for rate in found if rate is not None), default=None)

    def ratio(self, game: str, peer: str) -> Ratio | None:
        """A tree search against random games alone, against OpenSpiel's, or two threads against one."""
        peers = (SPIEL, SPIEL_SOLVER) if peer == SPIEL else (peer,)
        own = self.rate(game, TWO_THREADS if peer == ONE_THREAD else TREE)
        other = self.rate(game, *peers)
        if own is None or other is None:
            return None
        return Ratio(game, peer, own / other, _target(game, peer))

    def ratios(self) -> list[Ratio]:
        return [
            ratio
            for game in self.games
            for peer in (PLAYOUTS, SPIEL, ONE_THREAD)
            if (ratio := self.ratio(game, peer)) is not None
        ]

    def document(self) -> dict[str, Any]:
        return {
            "cpu": self.cpu,
            "versions": dict(self.versions),
            "seconds": self.seconds,
            "rounds": self.rounds,
            "rates": [asdict(rate) for rate in self.rates.values()],
            "ratios": [{**asdict(ratio), "met": ratio.met} for ratio in self.ratios()],
            "proofs": [{**asdict(proof), "met": proof.met} for proof in self.proofs.values()],
        }

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.document(), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Self:
        """The results of an earlier run, to draw them again; ValueError, LookupError or TypeError for other files."""
        document = json.loads(path.read_text(encoding="utf-8"))
        results = cls(document["seconds"], document["rounds"], document["cpu"], document["versions"])
        for entry in document["rates"]:
            results.add(Rate(**entry))
        for entry in document["proofs"]:
            entry.pop("met")
            proof = Proof(**entry)
            results.proofs[proof.task] = proof
        speeds = [rate.per_second for rate in results.rates.values()]
        times = [proof.cpu_seconds for proof in results.proofs.values()]
        if any(number is not None and not 0 < number < math.inf for number in (*speeds, *times)):
            raise ValueError(f"{path} has a speed or time that is not above 0")
        if not results.rates and not results.proofs:
            raise ValueError(f"{path} has no measurements")
        return results


def _target(game: str, peer: str) -> float | None:
    if peer == PLAYOUTS:
        return PLAYOUTS_TARGET if game in PLAYOUTS_GAMES else None
    return SPIEL_TARGET if peer == SPIEL else THREADS_TARGET
