"""What a run has measured, and how it compares."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

from benchmarks.catalogue import CATALOGUE, GEOMETRIC_MEAN_TARGET, BenchGame
from benchmarks.contenders import CONTENDERS, NATIVE, OPEN_SPIEL, PROLOG, RELATIONAL, SLICED, Played

Comparison: TypeAlias = tuple[str, str]
"""An engine of ludens, and the peer that it is compared with."""
BATCHED_COMPARISONS: tuple[Comparison, ...] = ((SLICED, OPEN_SPIEL), (SLICED, PROLOG))
MAX_LOAD, MIN_SHARE = 1.5, 0.9
"""Beyond that other programs were busy too, and times are not worth keeping."""
NARROW_COMPARISONS: tuple[Comparison, ...] = ((NATIVE, PROLOG), (RELATIONAL, PROLOG))


@dataclass(frozen=True, slots=True)
class Measurement:
    """One contender at one game: medians over the rounds, in CPU time of one core."""

    game: str
    contender: str
    states_per_second: float | None = None
    playouts_per_second: float | None = None
    spread: float | None = None
    """How far the fastest and the slowest round are apart, as a part of the median."""
    mean_length: float | None = None
    first_playout_seconds: float | None = None
    """From reading the rules to the end of the first game; Python has started and imported before."""
    first_playout_cpu_seconds: float | None = None
    with_interpreter_seconds: float | None = None
    """The same, including the start of Python and all imports."""
    problem: str | None = None
    measured: str | None = None
    """When, in UTC."""
    load: float | None = None
    """The load average before the game; this program alone comes to 1."""
    core_share: float | None = None
    """CPU time of the rounds as a part of their real time."""

    @property
    def is_quiet(self) -> bool:
        """Whether it is known that it had the core for itself, by the load too where the system tells it.

        A contender that did not play needs none.
        """
        if self.states_per_second is None:
            return True
        had_core = self.core_share is not None and self.core_share >= MIN_SHARE
        return had_core and (self.load is None or self.load <= MAX_LOAD)

    @classmethod
    def of(cls, game: str, contender: str, rounds: Sequence[Played]) -> Measurement:
        rates = [played.states / played.cpu_seconds for played in rounds]
        return cls(
            game,
            contender,
            states_per_second=median(rates),
            playouts_per_second=median(played.playouts / played.cpu_seconds for played in rounds),
            spread=(max(rates) - min(rates)) / median(rates),
            mean_length=sum(played.states for played in rounds) / sum(played.playouts for played in rounds),
            core_share=_core_share(rounds),
        )


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as fast as a peer an engine of ludens is."""

    game: str
    peer: str
    ratio: float
    target: float | None
    contender: str = SLICED

    @property
    def met(self) -> bool | None:
        return None if self.target is None else self.ratio >= self.target


@dataclass(slots=True)
class Results:
    """All measurements of a run."""

    seconds: float
    rounds: int
    cpu: str
    versions: Mapping[str, str]
    comparisons: tuple[Comparison, ...] = BATCHED_COMPARISONS
    measurements: dict[tuple[str, str], Measurement] = field(default_factory=dict)

    def add(self, measurement: Measurement) -> None:
        self.measurements[measurement.game, measurement.contender] = measurement

    @property
    def games(self) -> list[str]:
        return list(dict.fromkeys(game for game, _ in self.measurements))

    def forget(self, game: str) -> None:
        """Drop what was measured of a game."""
        self.measurements = {key: each for key, each in self.measurements.items() if key[0] != game}

    def busy_games(self) -> list[str]:
        """Games that were measured while other programs were busy too, or may have been."""
        return list(dict.fromkeys(each.game for each in self.measurements.values() if not each.is_quiet))

    def take_over(self, earlier: Results) -> None:
        """Add what an earlier run has of other games; ValueError if it was made in another way."""
        for name in ("cpu", "versions", "seconds", "rounds"):
            if getattr(earlier, name) != getattr(self, name):
                raise ValueError(f"the earlier figures have other {name}")
        both = earlier.measurements | self.measurements
        order = list(CATALOGUE)
        self.measurements = {key: both[key] for key in sorted(both, key=lambda key: order.index(key[0]))}

    def speed(self, game: str, contender: str) -> float | None:
        found = self.measurements.get((game, contender))
        return found.states_per_second if found else None

    def ratio(self, game: str, comparison: Comparison) -> Ratio | None:
        contender, peer = comparison
        own, other, entry = self.speed(game, contender), self.speed(game, peer), CATALOGUE[game]
        if own is None or other is None:
            return None
        moves = entry.moves_per_open_spiel_move if peer == OPEN_SPIEL else 1
        return Ratio(game, peer, own / moves / other, _target(entry, comparison), contender)

    def geometric_mean(self, comparison: Comparison) -> Ratio | None:
        ratios = [ratio.ratio for game in self.games if (ratio := self.ratio(game, comparison))]
        if not ratios:
            return None
        target = GEOMETRIC_MEAN_TARGET if comparison == (SLICED, OPEN_SPIEL) else None
        contender, peer = comparison
        return Ratio("geometric mean", peer, geometric_mean(ratios), target, contender)

    def document(self) -> dict[str, Any]:
        ratios = [ratio for game in self.games for pair in self.comparisons if (ratio := self.ratio(game, pair))]
        ratios += [mean for pair in self.comparisons if (mean := self.geometric_mean(pair))]
        return {
            "cpu": self.cpu,
            "versions": dict(self.versions),
            "seconds": self.seconds,
            "rounds": self.rounds,
            "measurements": [asdict(measurement) for measurement in self.measurements.values()],
            "ratios": [{**asdict(ratio), "met": ratio.met} for ratio in ratios],
            "notes": {game: CATALOGUE[game].note for game in self.games if CATALOGUE[game].note},
        }

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.document(), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path, comparisons: tuple[Comparison, ...] = BATCHED_COMPARISONS) -> Results:
        """The results of an earlier run, to draw them again; ValueError, LookupError or TypeError for other files."""
        document = json.loads(path.read_text(encoding="utf-8"))
        results = cls(document["seconds"], document["rounds"], document["cpu"], document["versions"], comparisons)
        for entry in document["measurements"]:
            measurement = Measurement(**entry)
            speed = measurement.states_per_second
            if measurement.game not in CATALOGUE or measurement.contender not in CONTENDERS:
                raise ValueError(f"{path} has a measurement of something unknown")
            if speed is not None and not 0 < speed < math.inf:
                raise ValueError(f"{path} has a speed that is not above 0")
            results.add(measurement)
        if not results.measurements:
            raise ValueError(f"{path} has no measurements")
        return results


def _core_share(rounds: Sequence[Played]) -> float | None:
    real = sum(played.real_seconds for played in rounds)
    return sum(played.cpu_seconds for played in rounds) / real if real else None


def geometric_mean(values: Iterable[float]) -> float:
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms))


def _target(game: BenchGame, comparison: Comparison) -> float | None:
    return {
        (SLICED, OPEN_SPIEL): game.open_spiel_target,
        (SLICED, PROLOG): game.prolog_target,
        (NATIVE, PROLOG): game.native_target,
        (RELATIONAL, PROLOG): game.relational_target,
    }.get(comparison)
