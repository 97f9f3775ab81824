"""How fast the searches are, next to random games alone and to OpenSpiel: `python -m benchmarks.searching`.

All contenders run in the same run on the same core, one after the other, round by round; speeds are medians over the
rounds, per CPU second. Only where two threads are compared with one, on two cores, seconds are real time. Proofs are
made from nothing in every round; the time to read and compile the rules is not counted.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.arguments import INTERRUPTED, add_files, count, finished, positive, read_figures, try_to_write
from benchmarks.catalogue import CATALOGUE, BenchGame
from benchmarks.comparing import compare, first_line
from benchmarks.machine import cpu_name, one_core, versions
from benchmarks.searching_proofs import PROOFS, ProofTask
from benchmarks.searching_report import draw_chart, show
from benchmarks.searching_results import Proof, SearchResults
from benchmarks.searching_work import on_one_core, on_two_cores
from ludens.game import Game
from ludens.gdl.rules import Rules
from ludens.runtime.cores import available_cores

ROOT = Path(__file__).resolve().parent.parent
FIGURES, CHART = ROOT / "benchmarks" / "results" / "searching.json", ROOT / "docs" / "search-bench.svg"
GAMES = tuple(game.name for game in CATALOGUE.values() if game.open_spiel)
SPEED, THREADS, SOLVING = "speed", "threads", "solving"
PARTS = (SPEED, THREADS, SOLVING)
WIDEST_TABLE = 112


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    chosen = parser.parse_args(arguments)
    console = Console()
    console.width = max(console.width, WIDEST_TABLE)
    try_to_write(parser, chosen.chart)
    if chosen.redraw:
        results = read_figures(parser, chosen.json, SearchResults.read)
    else:
        try_to_write(parser, chosen.json)
        results = SearchResults(chosen.seconds, chosen.rounds, cpu_name(), versions())
        if not finished(console, lambda: _measure(console, results, chosen)):
            return INTERRUPTED
    show(console, results)
    draw_chart(results, chosen.chart)
    console.print(f"written: {chosen.json}, {chosen.chart}", markup=False)
    return 0


def _measure(console: Console, results: SearchResults, chosen: argparse.Namespace) -> None:
    """Measure step by step; each time the figures are written, so that an interrupted run loses nothing."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("")
        bench = SearchBench(results, lambda words: progress.update(bar, description=words))
        steps = _steps(bench, chosen)
        progress.update(bar, total=len(steps))
        for step in steps:
            step()
            results.write(chosen.json)
            progress.advance(bar)


def _steps(bench: SearchBench, chosen: argparse.Namespace) -> list[Callable[[], None]]:
    games = [CATALOGUE[name] for name in dict.fromkeys(chosen.games)]
    proofs = [PROOFS[name] for name in dict.fromkeys(chosen.proofs)]
    steps: list[Callable[[], None]] = []
    if SPEED in chosen.parts or THREADS in chosen.parts:
        steps += [partial(bench.measure, game, chosen.parts) for game in games]
    if SOLVING in chosen.parts:
        steps += [partial(bench.prove, task) for task in proofs]
    return steps


class SearchBench:
    """Measures game by game. A contender that fails is written down with the reason and left out."""

    def __init__(self, results: SearchResults, progress: Callable[[str], None]) -> None:
        self._results = results
        self._progress = progress

    def measure(self, entry: BenchGame, parts: Sequence[str] = PARTS) -> None:
        """How many iterations a second."""
        self._progress(f"{entry.name}: compiling")
        game = Game(Rules.from_source(entry.source()), entry.name)
        with one_core():
            game.compile()
            if SPEED in parts:
                contenders = on_one_core(entry, game)
                compare(self._results, entry.name, contenders, lambda worked: worked.cpu_seconds, self._progress)
        if THREADS in parts and len(available_cores()) > 1:
            contenders = on_two_cores(game)
            compare(self._results, entry.name, contenders, lambda worked: worked.seconds, self._progress)

    def prove(self, task: ProofTask) -> None:
        """How long until the value is proven; a first time that does not count loads machine code."""
        self._progress(f"{task.name}: proving")
        times: list[float] = []
        try:
            with one_core():
                game = task.game()
                game.compile()
                answer = task.prove(game)
                for _ in range(self._results.rounds):
                    begun = time.process_time()
                    answer = task.prove(game)
                    times.append(time.process_time() - begun)
            proof = Proof(task.name, task.expected, answer, median(times), task.target)
        except Exception as error:
            proof = Proof(task.name, task.expected, target=task.target, problem=first_line(error))
        self._results.proofs[task.name] = proof


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.searching", description="Measure the searches of ludens next to their peers."
    )
    for option, known in (("games", GAMES), ("proofs", tuple(PROOFS)), ("parts", PARTS)):
        words = f"some of: {', '.join(known)}"
        parser.add_argument(
            f"--{option}", nargs="+", choices=known, default=known, metavar=option[:-1].upper(), help=words
        )
    parser.add_argument("--seconds", type=positive, default=1.0, help="seconds of a round (default: 1)")
    parser.add_argument("--rounds", type=count, default=5, help="rounds of each game (default: 5)")
    add_files(parser, FIGURES, CHART)
    return parser


if __name__ == "__main__":
    sys.exit(main())
