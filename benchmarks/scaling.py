"""Does the cost of a state grow no faster than the circuit? `python -m benchmarks.scaling [--games a b]`.

The sliced engine plays every sheet of the corpus, or every bundled one where there is no corpus. Each game is a dot
on logarithmic axes; the slope of the line through them is the power of the gates with which the cost grows.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import linear_regression

from rich.console import Console
from rich.progress import track

from benchmarks.arguments import INTERRUPTED, add_files, positive, read_figures, try_to_write
from benchmarks.contenders.sliced import build, runner
from benchmarks.machine import one_core
from ludens import games
from ludens.drawing import Drawing, LogScale, short
from ludens.errors import LudensError
from ludens.game import find_rules
from ludens.gdl.rules import Rules
from tests.corpus_location import corpus_folder, is_corpus

ROOT = Path(__file__).resolve().parent.parent
FIGURES, CHART = ROOT / "benchmarks" / "results" / "scaling.json", ROOT / "docs" / "scaling.svg"

WIDTH, HEIGHT = 720.0, 440.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 24.0, 66.0, 52.0


@dataclass(frozen=True, slots=True)
class Row:
    """One game: the gates of its needed cone, and the CPU time of one state in nanoseconds."""

    name: str
    gates: int
    ns_per_state: float

    def __post_init__(self) -> None:
        if not self.gates > 0 or not 0 < self.ns_per_state < math.inf:
            raise ValueError(f"{self.name}: gates and nanoseconds have to be above 0")


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """`ns = factor * gates ** power`, fitted to logarithms by least squares."""

    power: float
    factor: float

    @classmethod
    def of(cls, rows: Sequence[Row]) -> PowerLaw:
        if len({row.gates for row in rows}) < 2:
            raise ValueError("a line needs games of at least two sizes")
        fit = linear_regression([math.log(row.gates) for row in rows], [math.log(row.ns_per_state) for row in rows])
        return cls(fit.slope, math.exp(fit.intercept))

    def __call__(self, gates: float) -> float:
        return self.factor * float(gates**self.power)

    def gates_at(self, nanoseconds: float) -> float:
        """How many gates cost so much; 0 where the cost does not grow."""
        return float((nanoseconds / self.factor) ** (1 / self.power)) if self.power > 0 else 0.0


def draw_scaling(rows: Sequence[Row], path: Path) -> PowerLaw:
    """Draw the games and the line through them, and give that line."""
    law = PowerLaw.of(rows)
    sizes, costs = [row.gates for row in rows], [row.ns_per_state for row in rows]
    across = LogScale(min(sizes), max(sizes), LEFT, WIDTH - RIGHT)
    up = LogScale(min(costs), max(costs), HEIGHT - BOTTOM, TOP)
    title = "Cost of a state against the size of the circuit"
    drawing = Drawing(WIDTH, HEIGHT, title)
    drawing.text(16, 26, title, size=15)
    drawing.text(16, 46, summary(rows), 12, kind="faint")
    for tick in across.ticks():
        drawing.line(across(tick), TOP, across(tick), HEIGHT - BOTTOM)
        drawing.text(across(tick), HEIGHT - BOTTOM + 16, short(tick), 10, "middle", "faint")
    for tick in up.ticks():
        drawing.line(LEFT, up(tick), WIDTH - RIGHT, up(tick))
        drawing.text(LEFT - 6, up(tick) + 3.5, duration(tick), 10, "end", "faint")
    drawing.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "gates in the needed cone", 12, "middle", "faint")
    ends = max(min(sizes), law.gates_at(up.ticks()[0])), max(sizes)
    drawing.line(across(ends[0]), up(law(ends[0])), across(ends[1]), up(law(ends[1])), "trend")
    for row in rows:
        label = f"{row.name}: {row.gates:,} gates, {duration(row.ns_per_state)}"
        drawing.dot(across(row.gates), up(row.ns_per_state), 4, "c0", label)
    drawing.write(path)
    return law


def summary(rows: Sequence[Row]) -> str:
    """The power over all games, and over the larger half, where the fixed cost of a state no longer hides the gates."""
    larger = sorted(rows, key=lambda row: row.gates)[len(rows) // 2 :]
    words = f"{len(rows)} games; cost grows as gates to the power {PowerLaw.of(rows).power:.2f}"
    if len({row.gates for row in larger}) < 2:
        return words
    return f"{words}, in the larger half to the power {PowerLaw.of(larger).power:.2f}"


def duration(nanoseconds: float) -> str:
    """A time in the unit that suits it.

    >>> duration(0.4), duration(35), duration(1200), duration(3e6)
    ('0.4 ns', '35 ns', '1.2 µs', '3 ms')
    """
    for size, unit in ((1e6, "ms"), (1e3, "µs")):
        if nanoseconds >= 0.9995 * size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def read_rows(path: Path) -> list[Row]:
    return [Row(**row) for row in json.loads(path.read_text(encoding="utf-8"))]


def write_rows(rows: Iterable[Row], path: Path) -> None:
    listed = [{"name": row.name, "gates": row.gates, "ns_per_state": row.ns_per_state} for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")


def sheets() -> dict[str, Callable[[], Rules]]:
    """The sheets of the corpus, else the bundled ones, by name."""
    if is_corpus(corpus_folder()):
        return {path.stem: partial(Rules.read, path) for path in sorted((corpus_folder() / "games").glob("*.kif"))}
    return {name: partial(_bundled, name) for name in games.names()}


def _bundled(name: str) -> Rules:
    return find_rules(name)[0]


def measure(name: str, rules: Rules, seconds: float) -> Row:
    """Play at random for so much CPU time."""
    engine = build(rules)
    playing = runner(engine)
    playing.settle()
    played = playing.play(seconds)
    return Row(name, engine.circuit.gates.stats().gates, 1e9 * played.cpu_seconds / played.states)


def measure_all(console: Console, names: Sequence[str], seconds: float, path: Path) -> None:
    """Measure game by game; each time the figures are written, so that an interrupted run loses nothing."""
    known = sheets()
    rows: list[Row] = []
    with one_core():
        for name in track(names, "measuring", console=console, transient=True):
            try:
                rows.append(measure(name, known[name](), seconds))
            except (LudensError, ArithmeticError, ValueError) as error:
                console.print(f"{name}: left out: {error}".splitlines()[0], markup=False)
            write_rows(rows, path)


def chosen_names(parser: argparse.ArgumentParser, wanted: Sequence[str] | None) -> list[str]:
    known = sheets()
    for name in wanted or ():
        if name not in known:
            parser.error(f"there is no game called {name}; there are {', '.join(known)}")
    names = list(dict.fromkeys(wanted or known))
    if len(names) < 2:
        parser.error("a line needs at least two games; name another one with --games")
    return names


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description="Cost of a state against gates.")
    parser.add_argument("--games", nargs="+", metavar="GAME", help="only these sheets")
    parser.add_argument("--seconds", type=positive, default=0.3, help="CPU seconds for each game (default: 0.3)")
    add_files(parser, FIGURES, CHART)
    chosen = parser.parse_args(arguments)
    console = Console()
    try_to_write(parser, chosen.chart)
    if not chosen.redraw:
        names = chosen_names(parser, chosen.games)
        try_to_write(parser, chosen.json)
        try:
            measure_all(console, names, chosen.seconds, chosen.json)
        except KeyboardInterrupt:
            console.print("interrupted; games measured by then are kept, see --redraw")
            return INTERRUPTED
    rows = read_figures(parser, chosen.json, read_rows)
    if len({row.gates for row in rows}) < 2:
        parser.error(f"a line needs games of at least two sizes, and {chosen.json} has fewer; measure more games")
    draw_scaling(rows, chosen.chart)
    console.print(f"{summary(rows)}\nwritten: {chosen.json}, {chosen.chart}", markup=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
