"""How fast ludens plays at random, next to its peers: `python -m benchmarks`.

All contenders run in the same run on the same core, one after the other, round by round. A state is one joint
move made; speeds are medians over the rounds, per CPU second. The time from the rules to the first playout is real
time in a fresh process: from reading the text to the end of the first game, after Python has started and imported,
with compiled kernels cached on disk and nothing cached of the game. Corpus games are measured where there is a corpus.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.arguments import INTERRUPTED, Value, add_files, count, positive, read_figures, try_to_write
from benchmarks.catalogue import CATALOGUE, BenchGame
from benchmarks.chart import draw_chart
from benchmarks.contenders import CONTENDERS, Contender
from benchmarks.contest import Contest, one_core
from benchmarks.machine import versions
from benchmarks.results import Results, cpu_name
from benchmarks.table import show

ROOT = Path(__file__).resolve().parent.parent
FIGURES, CHART = ROOT / "benchmarks" / "results" / "bench.json", ROOT / "docs" / "bench.svg"
WIDEST_TABLE = 112


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    chosen = parser.parse_args(arguments)
    console = Console()
    console.width = max(console.width, WIDEST_TABLE)
    if chosen.redraw:
        results = read_figures(parser, chosen.json, Results.read)
        try_to_write(parser, chosen.chart)
        contenders = [entry for entry in CONTENDERS.values() if entry.name in {key[1] for key in results.measurements}]
    else:
        games = _available(parser, console, _named(parser, "game", chosen.games, CATALOGUE))
        contenders = _named(parser, "engine", chosen.engines, CONTENDERS)
        try_to_write(parser, chosen.json, chosen.chart)
        results = Results(chosen.seconds, chosen.rounds, cpu_name(), versions())
        try:
            _measure(console, games, contenders, results, chosen)
        except KeyboardInterrupt:
            console.print("interrupted; games measured by then are kept, see --redraw")
            return INTERRUPTED
    show(console, results, contenders)
    draw_chart(results, chosen.chart)
    console.print(f"written: {chosen.json}, {chosen.chart}", markup=False)
    return 0


def _measure(
    console: Console,
    games: Sequence[BenchGame],
    contenders: Sequence[Contender],
    results: Results,
    chosen: argparse.Namespace,
) -> None:
    """Measure game by game; each time the figures are written, so that a run that is broken off loses nothing."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with one_core(), Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(games))
        contest = Contest(
            contenders, results, chosen.start_seconds, lambda words: progress.update(task, description=words)
        )
        contest.warm_up()
        for game in games:
            contest.measure(game)
            results.write(chosen.json)
            progress.advance(task)


def _available(parser: argparse.ArgumentParser, console: Console, games: Sequence[BenchGame]) -> list[BenchGame]:
    available = [game for game in games if game.is_available]
    if not available:
        parser.error("all of these games are of the corpus, and it is not there; name bundled games with --games")
    if len(available) < len(games):
        console.print(f"{len(games) - len(available)} games of the corpus are left out: it is not there")
    return available


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure random play of ludens and its peers on one core."
    )
    parser.add_argument("--games", nargs="+", metavar="GAME", help=f"some of: {', '.join(CATALOGUE)}")
    parser.add_argument("--engines", nargs="+", metavar="ENGINE", help=f"some of: {', '.join(CONTENDERS)}")
    parser.add_argument("--seconds", type=positive, default=1.0, help="CPU seconds of a round (default: 1)")
    parser.add_argument("--rounds", type=count, default=5, help="rounds of each game (default: 5)")
    parser.add_argument(
        "--start-seconds", type=positive, default=120.0, help="time to get ready for a game (default: 120)"
    )
    add_files(parser, FIGURES, CHART)
    return parser


def _named(
    parser: argparse.ArgumentParser, what: str, names: Sequence[str] | None, known: Mapping[str, Value]
) -> list[Value]:
    """The things that were asked for by name, or all."""
    for name in names or ():
        if name not in known:
            parser.error(f"there is no {what} called {name}; there are {', '.join(known)}")
    return [known[name] for name in dict.fromkeys(names or known)]


if __name__ == "__main__":
    sys.exit(main())
