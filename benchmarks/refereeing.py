"""What the referee adds to a move, and many matches at once: `python -m benchmarks.refereeing`.

Players move at random, so that nearly all of the time is the referee's; what they take for themselves is measured where
they run in this process, and taken off. The referee's engine is compiled before. Figures are medians over the moves, in
real time: measure on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

import ludens
from benchmarks.arguments import count, measure_and_show
from benchmarks.bars import marked
from benchmarks.comparing import first_line
from benchmarks.machine import cpu_name, versions
from benchmarks.refereeing_work import HTTP, TARGETS, THREADS, WAYS, Crowd, Measuring, Overhead, crowd, player_servers

FIGURES = Path(__file__).resolve().parent / "results" / "refereeing.json"
GAMES = ("tictactoe", "chess")
CROWD_GAMES = ("tictactoe", "connectfour")
SERVERS = 2
WIDEST_TABLE = 100


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


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    chosen = parser.parse_args(arguments)
    console = Console()
    console.width = max(console.width, WIDEST_TABLE)
    return measure_and_show(
        parser,
        chosen,
        console,
        RefereeResults.read,
        lambda: RefereeResults(chosen.rounds, cpu_name(), versions()),
        _measure,
        show,
    )


def _measure(results: RefereeResults, chosen: argparse.Namespace, progress: Callable[[str], None]) -> None:
    """Measure step by step; each time the figures are written, so that an interrupted run loses nothing."""
    progress("starting players")
    with player_servers(SERVERS) as addresses:
        for name in dict.fromkeys(chosen.games):
            progress(f"{name}: compiling")
            game = ludens.load(name)
            game.compile()
            measuring, own = Measuring(game, chosen.rounds), None
            for way in WAYS:
                progress(f"{name}: {way}")
                try:
                    found = measuring.overhead(way, addresses, own if way == HTTP else None)
                    own = found.own if way == THREADS else own
                except Exception as error:
                    found = Overhead(way, name, problem=first_line(error))
                results.overheads.append(found)
                results.write(chosen.json)
        for name in dict.fromkeys(chosen.crowd_games):
            progress(f"{name}: {chosen.matches} matches at once")
            try:
                told = crowd(ludens.load(name), chosen.matches, addresses)
            except Exception as error:
                told = Crowd(name, chosen.matches, problem=first_line(error))
            results.crowds.append(told)
            results.write(chosen.json)


def show(console: Console, results: RefereeResults) -> None:
    table = Table(
        title=f"the referee: time of a move with players that move at random ({results.cpu})",
        box=SIMPLE_HEAD,
        title_justify="left",
    )
    for heading in ("game", "players"):
        table.add_column(heading, no_wrap=True)
    for heading in ("moves", "a move", "players' part", "added", "target"):
        table.add_column(heading, justify="right", no_wrap=True)
    for overhead in results.overheads:
        times = (_milliseconds(time) for time in (overhead.total, overhead.own, overhead.added))
        target = marked(f"{1000 * TARGETS[overhead.way]:g} ms", overhead.met)
        table.add_row(overhead.game, overhead.way, str(overhead.moves), *times, target)
    console.print(table)
    for told in results.crowds:
        words = f"{told.matches} matches of {told.game} at once over HTTP: {told.finished} finished, "
        words += f"{told.moves} moves and {told.faults} faults in {told.seconds:.1f} s "
        console.print(Text(words).append_text(marked("without an error", told.met)))
    measured: list[Overhead | Crowd] = [*results.overheads, *results.crowds]
    for each in measured:
        if each.problem:
            console.print(f"{each.game}: {each.problem}", style="yellow", markup=False)


def _milliseconds(seconds: float | None) -> str:
    return "–" if seconds is None else f"{1000 * seconds:.2f} ms"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.refereeing", description="Measure what the referee adds to a move."
    )
    parser.add_argument("--games", nargs="*", default=GAMES, metavar="GAME", help=f"(default: {' '.join(GAMES)})")
    parser.add_argument(
        "--crowd-games", nargs="*", default=CROWD_GAMES, metavar="GAME", help=f"(default: {' '.join(CROWD_GAMES)})"
    )
    parser.add_argument("--rounds", type=count, default=5, help="matches in each way (default: 5)")
    parser.add_argument("--matches", type=count, default=50, help="matches at once (default: 50)")
    parser.add_argument("--json", type=Path, metavar="FILE", default=FIGURES, help="where the figures go")
    parser.add_argument("--redraw", action="store_true", help="measure nothing; show what the JSON file has")
    return parser


if __name__ == "__main__":
    sys.exit(main())
