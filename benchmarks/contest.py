"""Run the contenders side by side: the same core, the same games, in turn."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.catalogue import CATALOGUE, BenchGame
from benchmarks.contenders import CannotPlayError, Contender, Played
from benchmarks.results import Measurement, Results
from benchmarks.seat import Seat

WARM_UP_GAME = CATALOGUE["tictactoe"]
WARM_UP_SECONDS = 300.0
Progress = Callable[[str], None]


class Contest:
    """Measures games one by one. Each game's contenders take turns, so that noise hits all alike."""

    def __init__(
        self, contenders: Sequence[Contender], results: Results, start_seconds: float, progress: Progress
    ) -> None:
        self._contenders = contenders
        self._results = results
        self._start_seconds = start_seconds
        self._progress = progress

    def warm_up(self) -> None:
        """Start every contender once, so that compiled kernels are cached before anything is timed."""
        for contender in self._contenders:
            self._progress(f"warming up {contender.title}")
            scratch = tempfile.TemporaryDirectory(prefix="ludens-bench-")
            with scratch as folder, contextlib.suppress(CannotPlayError):
                seat = Seat(contender, WARM_UP_GAME, Path(folder), WARM_UP_SECONDS)
                try:
                    seat.play(0)
                finally:
                    seat.close()

    def measure(self, game: BenchGame) -> None:
        """Play all rounds of a game; a contender that fails is written down with the reason and left out."""
        load, measured = _load(), datetime.now(UTC).isoformat(timespec="seconds")
        with tempfile.TemporaryDirectory(prefix="ludens-bench-") as scratch:
            seats: dict[Contender, Seat] = {}
            rounds: dict[Contender, list[Played]] = {}
            try:
                for contender in self._contenders:
                    self._progress(f"{game.name}: {contender.title} gets ready")
                    try:
                        seats[contender] = Seat(contender, game, Path(scratch), self._start_seconds)
                        rounds[contender] = []
                    except CannotPlayError as error:
                        self._fail(game, contender, error)
                self._play(game, seats, rounds)
                for contender, played in rounds.items():
                    measurement = _measurement(game, contender, seats[contender], played)
                    self._results.add(replace(measurement, load=load, measured=measured))
            finally:
                for seat in seats.values():
                    seat.close()

    def _play(self, game: BenchGame, seats: dict[Contender, Seat], rounds: dict[Contender, list[Played]]) -> None:
        for number in range(1, self._results.rounds + 1):
            for contender in list(rounds):
                self._progress(f"{game.name}: {contender.title}, round {number} of {self._results.rounds}")
                try:
                    rounds[contender].append(seats[contender].play(self._results.seconds))
                except CannotPlayError as error:
                    del rounds[contender]
                    self._fail(game, contender, error)

    def _fail(self, game: BenchGame, contender: Contender, error: CannotPlayError) -> None:
        self._results.add(Measurement(game.name, contender.name, problem=str(error)))


def _load() -> float | None:
    """How many programs were busy in the last minute, where the system tells."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _measurement(game: BenchGame, contender: Contender, seat: Seat, rounds: Sequence[Played]) -> Measurement:
    measurement = Measurement.of(game.name, contender.name, rounds)
    if not contender.reads_rules:
        return measurement
    return replace(
        measurement,
        first_playout_seconds=seat.first_playout_seconds,
        first_playout_cpu_seconds=seat.first_playout_cpu_seconds,
        with_interpreter_seconds=seat.with_interpreter_seconds,
    )
