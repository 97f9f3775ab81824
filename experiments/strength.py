"""Who plays better with the same time to think? `python -m experiments.strength`.

Two players meet in many matches of a game and change roles after each. Every match has one core, so both players
think on one thread. Whatever was played is kept: a run with the same settings goes on where an earlier one ended.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import ludens
from benchmarks.arguments import INTERRUPTED, add_files, count, positive, read_figures, try_to_write
from benchmarks.machine import versions
from benchmarks.results import cpu_name
from experiments.chart import describe, draw_chart
from experiments.matches import Task, play_all
from experiments.scores import Scores, Series, Settings
from ludens.arena.match import seats
from ludens.core import available_cores
from ludens.errors import LudensError
from ludens.players import PLAYERS

ROOT = Path(__file__).resolve().parent.parent
FIGURES, CHART = ROOT / "experiments" / "results" / "strength.json", ROOT / "docs" / "strength.svg"
SHEETS = ("connectfour", "breakthrough")
PAIRS = (("uct", "montecarlo"), ("montecarlo", "random"))
WIDEST_TABLE = 120


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    chosen = parser.parse_args(arguments)
    console = Console()
    console.width = max(console.width, WIDEST_TABLE)
    try_to_write(parser, chosen.chart)
    if chosen.redraw:
        scores = read_figures(parser, chosen.json, Scores.read)
    else:
        _check(parser, chosen)
        try_to_write(parser, chosen.json)
        scores = _scores_so_far(parser, chosen)
        try:
            _play(console, scores, chosen)
        except KeyboardInterrupt:
            console.print("interrupted; the same command goes on from here")
            return INTERRUPTED
    show(console, scores)
    draw_chart(scores, chosen.chart)
    console.print(f"written: {chosen.json}, {chosen.chart}", markup=False)
    return 0


def _play(console: Console, scores: Scores, chosen: argparse.Namespace) -> None:
    """Play what is missing; the file is written after each match."""
    tasks = [
        Task(sheet, players, number, _seed(chosen.seed, sheet, players, number), chosen.clock, chosen.nodes)
        for sheet in dict.fromkeys(chosen.sheets)
        for players in dict.fromkeys(chosen.pairs)
        for number in range(chosen.games)
    ]
    missing = [task for task in tasks if (task.sheet, task.players, task.number) not in scores.matches]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        Progress(*columns, console=console, transient=True) as progress,
        closing(play_all(missing, min(chosen.parallel, len(missing) or 1))) as played,
    ):
        bar = progress.add_task("getting ready", total=len(tasks), completed=len(tasks) - len(missing))
        for match in played:
            scores.add(match)
            scores.write(chosen.json)
            words = f"{match.sheet}: {' – '.join(match.players)}"
            progress.update(bar, advance=1, description=words)


def _seed(seed: int, sheet: str, players: tuple[str, str], number: int) -> int:
    """Where the chance of a match comes from: another seed for each, the same in every run."""
    return Random(f"{seed} {sheet} {players[0]} {players[1]} {number}").getrandbits(32)


def _scores_so_far(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> Scores:
    """The scores of an earlier run with the same settings, or none; others are not thrown away unasked."""
    settings = Settings(chosen.clock, chosen.nodes, chosen.seed)
    if chosen.fresh or not chosen.json.exists():
        return Scores(settings, cpu_name(), versions())
    scores = read_figures(parser, chosen.json, Scores.read)
    if scores.settings != settings:
        parser.error(
            f"{chosen.json} has matches with other settings ({_words(scores.settings)}); "
            "name another file with --json, or begin anew with --fresh"
        )
    return scores


def _words(settings: Settings) -> str:
    nodes = "" if settings.nodes is None else f" --nodes {settings.nodes}"
    return f"--clock {settings.clock:g}{nodes} --seed {settings.seed}"


def show(console: Console, scores: Scores) -> None:
    table = Table(
        title=f"{describe(scores)} ({scores.cpu})",
        caption="score: the mean of the first player's goals; longest: the most real time for a move, of each player",
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    for heading in ("game", "players"):
        table.add_column(heading, no_wrap=True)
    for heading in ("matches", "won drawn lost", "score", "95 %", "stronger", "longest"):
        table.add_column(heading, justify="right", no_wrap=True)
    for series in scores.series():
        table.add_row(*_cells(series))
    console.print(table)
    for match in scores.matches.values():
        for fault in match.faults:
            where = f"{match.sheet}, {' – '.join(match.players)}, match {match.number + 1}"
            console.print(f"{where}: {fault}", style="yellow", markup=False)


def _cells(series: Series) -> list[str]:
    counts = " ".join(f"{number:>4}" for number in (series.wins, series.draws, series.losses))
    interval = f"{series.low:.1f} to {series.high:.1f}"
    longest = " / ".join(f"{1000 * seconds:.0f}" for seconds in series.longest) + " ms"
    players = " – ".join(series.players)
    return [
        series.sheet,
        players,
        str(series.games),
        counts,
        f"{series.mean:.1f}",
        interval,
        series.stronger or "open",
        longest,
    ]


def _check(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> None:
    for sheet in chosen.sheets:
        try:
            game = ludens.load(sheet)
        except LudensError as error:
            parser.error(str(error))
        if len(seats(game)) != 2 or len(game.roles) != 2:
            parser.error(f"{sheet} is not a game for two; name others with --sheets")
    cores = len(available_cores())
    if chosen.parallel > cores:
        parser.error(f"{chosen.parallel} matches at a time need as many cores, and there are {cores}")


def _pair(text: str) -> tuple[str, str]:
    first, _, second = text.partition(":")
    for name in (first, second):
        if name not in PLAYERS:
            known = ", ".join(PLAYERS)
            raise argparse.ArgumentTypeError(f"{text} is not a pair of players such as uct:random; there are {known}")
    return first, second


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.strength", description="Play matches with equal time, and compare the scores."
    )
    pairs = " ".join(":".join(pair) for pair in PAIRS)
    parser.add_argument("--sheets", nargs="+", metavar="GAME", default=SHEETS, help=f"default: {' '.join(SHEETS)}")
    parser.add_argument("--pairs", nargs="+", type=_pair, metavar="A:B", default=PAIRS, help=f"default: {pairs}")
    parser.add_argument("--games", type=count, default=100, help="matches of each pair at each game (default: 100)")
    parser.add_argument("--clock", type=positive, default=0.1, help="seconds for a move (default: 0.1)")
    parser.add_argument("--nodes", type=count, help="search so much instead, for matches that can be repeated")
    parser.add_argument("--seed", type=int, default=1, help="where all chance comes from (default: 1)")
    parser.add_argument("--parallel", type=count, default=1, help="matches at a time, one core each (default: 1)")
    parser.add_argument("--fresh", action="store_true", help="do not go on from the JSON file, but begin anew")
    add_files(parser, FIGURES, CHART)
    return parser


if __name__ == "__main__":
    sys.exit(main())
