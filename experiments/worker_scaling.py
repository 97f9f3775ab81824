"""Are many workers worth more than one? `python -m experiments.worker_scaling`.

The player `kuhlmann` with several workers meets itself with a single one, in simulated time: each worker searches the
same number of nodes as if all did so at once, however many cores there are, so a run can be repeated. Beside the
matches it is shown what they choose in a set of states. With `--processes` the workers are processes of this computer,
which share its cores, and the clock is the same for both players. A run with the same settings goes on where an earlier
one ended.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import ludens
from benchmarks.arguments import INTERRUPTED, add_files, count
from experiments.running import add_match_options, play_missing, progress_on, run
from experiments.scores import Scores, Series
from experiments.worker_chart import draw_scaling
from experiments.worker_pools import COUNTS, NODES, processes, simulated_workers
from experiments.worker_states import REFERENCE_FACTOR, curve

ROOT = Path(__file__).resolve().parent.parent
RESULTS, DOCS = ROOT / "experiments" / "results", ROOT / "docs"
FIGURES, CHART = RESULTS / "worker_scaling.json", DOCS / "worker-scaling.svg"
PROCESS_FIGURES, PROCESS_CHART = RESULTS / "worker_processes.json", DOCS / "worker-processes.svg"
SHEETS = ("hallway", "nothello", "checkers", "farmers")
GAMES, STATES = 24, 60
WORKERS, PROCESSES = (4, 16, 64), (4,)
START_CLOCK, PLAY_CLOCK = 20.0, 1.0
WIDEST_TABLE = 120
ALL = "all games"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    chosen = parser.parse_args(arguments)
    _complete(chosen)
    console = Console()
    console.width = max(console.width, WIDEST_TABLE)
    name = processes if chosen.processes else simulated_workers
    pairs = [(name(workers), name(1)) for workers in chosen.workers]

    def work(scores: Scores) -> None:
        play_missing(console, scores, pairs, chosen, one_core_each=not chosen.processes)
        if not chosen.processes:
            _measure_curves(console, scores, chosen)

    scores = run(parser, chosen, console, work)
    if scores is None:
        return INTERRUPTED
    show(console, scores)
    draw_scaling(scores, all_series(scores), effort(scores), chosen.chart)
    console.print(f"written: {chosen.json}, {chosen.chart}", markup=False)
    return 0


def _complete(chosen: argparse.Namespace) -> None:
    """What is not said depends on the kind of workers."""
    if chosen.processes:
        chosen.nodes = None
    files = (PROCESS_FIGURES, PROCESS_CHART) if chosen.processes else (FIGURES, CHART)
    chosen.json, chosen.chart = chosen.json or files[0], chosen.chart or files[1]
    chosen.workers = chosen.workers or (PROCESSES if chosen.processes else WORKERS)


def _measure_curves(console: Console, scores: Scores, chosen: argparse.Namespace) -> None:
    """What any number of workers chooses in the states of each game that has not been looked at before."""
    missing = [sheet for sheet in dict.fromkeys(chosen.sheets) if not _is_known(scores, sheet, chosen.states)]
    with progress_on(console) as progress:
        bar = progress.add_task("states", total=len(missing) * chosen.states)
        for sheet in missing:
            progress.update(bar, description=f"{sheet}: states")
            game = ludens.load(sheet)
            game.compile()
            points = curve(game, COUNTS, chosen.states, chosen.nodes, chosen.seed, lambda: progress.advance(bar))
            scores.sheets[sheet] = {"states": chosen.states, "curve": [asdict(point) for point in points]}
            scores.write(chosen.json)


def _is_known(scores: Scores, sheet: str, states: int) -> bool:
    return bool(scores.sheets.get(sheet, {}).get("states") == states)


def all_series(scores: Scores) -> list[Series]:
    """The matches of each game, and those of all games together."""
    listed = scores.series()
    if len({series.sheet for series in listed}) > 1:
        for players in dict.fromkeys(series.players for series in listed):
            matches = [match for match in scores.matches.values() if match.players == players]
            listed.append(Series.of(matches, ALL))
    return listed


def effort(scores: Scores) -> str:
    """How much the workers were allowed to search."""
    settings = scores.settings
    if settings.nodes is None:
        return f"{settings.clock:g} s a move, processes of one computer ({scores.cpu})"
    return f"each worker searches {settings.nodes:,} nodes a move, as if all did so at once"


def show(console: Console, scores: Scores) -> None:
    if scores.matches:
        console.print(_matches_table(scores))
    if scores.sheets:
        console.print(_states_table(scores))
    for match in scores.matches.values():
        for words in (*match.faults, *match.notes):
            where = f"{match.sheet}, {' – '.join(match.players)}, match {match.number + 1}"
            console.print(f"{where}: {words}", style="yellow", markup=False)


def _matches_table(scores: Scores) -> Table:
    table = _table(
        f"against a single worker; {effort(scores)}",
        "lead: 50 if both are equal, for two who share 100 points the mean of the first",
        ("matches", "won drawn lost", "lead", "95 %"),
    )
    for series in all_series(scores):
        counts = " ".join(f"{number:>3}" for number in (series.wins, series.draws, series.losses))
        interval = f"{series.low:.0f} to {series.high:.0f}"
        table.add_row(series.sheet, series.players[0], str(series.games), counts, f"{series.lead:.1f}", interval)
    return table


def _states_table(scores: Scores) -> Table:
    table = _table(
        f"what is chosen; {effort(scores)}",
        f"as good as best: by a Monte Carlo search of {REFERENCE_FACTOR} times as many random games; loss: points less",
        ("states", "depth", "as good as best", "loss"),
    )
    for sheet, known in scores.sheets.items():
        for point in known["curve"]:
            table.add_row(sheet, simulated_workers(point["workers"]), str(known["states"]), *_point_cells(point))
    return table


def _point_cells(point: dict[str, Any]) -> list[str]:
    return [f"{point['depth']:.2f}", f"{point['agreement']:.0f} %", f"{point['loss']:.1f}"]


def _table(title: str, caption: str, headings: Sequence[str]) -> Table:
    table = Table(title=title, caption=caption, box=SIMPLE_HEAD, title_justify="left", caption_justify="left")
    for heading in ("game", "workers"):
        table.add_column(heading, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _number_of_workers(text: str) -> int:
    number = count(text)
    if number not in COUNTS[1:]:
        known = ", ".join(map(str, COUNTS[1:]))
        raise argparse.ArgumentTypeError(f"{text} workers cannot be tried; there are {known}")
    return number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.worker_scaling",
        description="The player kuhlmann with several workers against itself with one.",
    )
    parser.add_argument(
        "--processes",
        action="store_true",
        help="with processes of this computer and the clock, instead of simulated workers and --nodes",
    )
    parser.add_argument(
        "--workers",
        nargs="+",
        type=_number_of_workers,
        metavar="N",
        help=f"numbers of workers in matches, from 2 to {COUNTS[-1]} (default: {' '.join(map(str, WORKERS))}; "
        f"of processes {' '.join(map(str, PROCESSES))})",
    )
    parser.add_argument(
        "--states", type=count, default=STATES, help="states of each game to choose a move in (default: %(default)s)"
    )
    add_match_options(parser, SHEETS, GAMES)
    add_files(parser, FIGURES, CHART)
    parser.set_defaults(start=START_CLOCK, clock=PLAY_CLOCK, nodes=NODES, json=None, chart=None)
    return parser


if __name__ == "__main__":
    sys.exit(main())
