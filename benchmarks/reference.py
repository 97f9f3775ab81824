"""How fast the reference engine plays at random: `python -m benchmarks.reference [--json FILE]`.

Bundled games are always measured. Six games of the corpus, where there is one, stand next to the figures
that the project was given for the field's classic Java prover. Those are quoted, not measured here, and how
they count states is not known; take the ratio as an order of magnitude.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from rich.console import Console
from rich.table import Table

from ludens import games
from ludens.engines.reference import ReferenceEngine
from ludens.gdl.rules import Rules
from tests.corpus_location import corpus_folder

JAVA_PROVER = {
    "ticTacToe": 4600.0,
    "connectFour": 1070.0,
    "breakthrough": 360.0,
    "checkers": 99.0,
    "hex": 63.0,
    "reversi": 9.0,
}
"""States a second of the classic prover, as quoted."""
MAX_STEPS = 1000


@dataclass(frozen=True, slots=True)
class Speed:
    """The speed of one game, in CPU time of one core."""

    game: str
    states: int
    seconds: float
    setup_seconds: float
    states_per_second: float
    java_states_per_second: float | None
    ratio: float | None


def measure(name: str, rules: Rules, seconds: float, java: float | None, rng: Random) -> Speed:
    """Play random games for about the given time; each joint move made counts as one state."""
    begin = time.process_time()
    engine = ReferenceEngine(rules)
    start = engine.initial(1)
    setup = time.process_time() - begin
    engine.playouts(start, rng, MAX_STEPS)
    states, begin = 0, time.process_time()
    while (spent := time.process_time() - begin) < seconds:
        states += int(engine.playouts(engine.initial(1), rng, MAX_STEPS).lengths.sum())
    rate = states / spent
    return Speed(name, states, spent, setup, rate, java, rate / java if java else None)


def sheets() -> Iterator[tuple[str, Rules, float | None]]:
    """Name, rules and the speed to compare with."""
    for name in games.names():
        sheet = games.find(name)
        assert sheet is not None
        yield name, Rules.parse(sheet.read_bytes(), name), None
    for name, java in JAVA_PROVER.items():
        path = corpus_folder() / "games" / f"{name}.kif"
        if path.exists():
            yield f"corpus/{name}", Rules.read(path), java


def show(console: Console, speeds: Sequence[Speed]) -> None:
    table = Table(title="reference engine, random play")
    for heading in ("game", "set-up", "states/s", "Java prover (quoted)", "ratio"):
        table.add_column(heading, justify="left" if heading == "game" else "right")
    for speed in speeds:
        java = f"{speed.java_states_per_second:,.0f}" if speed.java_states_per_second else ""
        ratio = f"{speed.ratio:.1f}" if speed.ratio else ""
        table.add_row(speed.game, f"{speed.setup_seconds:.2f} s", f"{speed.states_per_second:,.0f}", java, ratio)
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="reference", description="Measure the reference engine in random play.")
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU seconds for each game (default: 2)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random moves (default: 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file too")
    chosen = parser.parse_args(arguments)
    console = Console()
    speeds = []
    for name, rules, java in sheets():
        with console.status(name):
            speeds.append(measure(name, rules, chosen.seconds, java, Random(chosen.seed)))
    show(console, speeds)
    if chosen.json:
        document = {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "seed": chosen.seed,
            "speeds": [asdict(speed) for speed in speeds],
        }
        chosen.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
