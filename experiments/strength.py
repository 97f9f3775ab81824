"""Who plays better with the same time to think? `python -m experiments.strength`.

Two players meet in many matches of a game and change roles after each; at a puzzle, both do what they can alone. Every
match has one core, so the players think on one thread. Whatever was played is kept: a run with the same settings goes
on where an earlier one ended.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmarks.arguments import add_files
from experiments.chart import describe
from experiments.running import add_match_options, pair_of, play_and_show
from experiments.scores import Scores, Series

ROOT = Path(__file__).resolve().parent.parent
FIGURES, CHART = ROOT / "experiments" / "results" / "strength.json", ROOT / "docs" / "strength.svg"
SHEETS = ("connectfour", "breakthrough")
PAIRS = (("uct", "montecarlo"), ("montecarlo", "random"))
WIDEST_TABLE = 150


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    chosen = parser.parse_args(arguments)
    console = Console()
    console.width = max(console.width, WIDEST_TABLE)
    return play_and_show(parser, chosen, console, chosen.pairs, show)


def show(console: Console, scores: Scores) -> None:
    table = Table(
        title=f"{describe(scores)} ({scores.cpu})",
        caption="scores: mean goals of both players; lead: 50 if they are equal, for two who share 100 points the mean "
        "of the first; longest: the most real time for a move, of each player",
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    for heading in ("game", "players"):
        table.add_column(heading, no_wrap=True)
    for heading in ("matches", "won drawn lost", "scores", "lead", "95 %", "stronger", "longest"):
        table.add_column(heading, justify="right", no_wrap=True)
    for series in scores.series():
        table.add_row(*_cells(series))
    console.print(table)
    for match in scores.matches.values():
        for fault in match.faults:
            where = f"{match.sheet}, {' – '.join(match.players)}, match {match.number + 1}"
            console.print(f"{where}: {fault}", style="yellow", markup=False)
    for remark in dict.fromkeys(f"{match.sheet}: {note}" for match in scores.matches.values() for note in match.notes):
        console.print(remark, style="dim", markup=False)


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
        f"{series.mean:.1f} / {series.other:.1f}",
        f"{series.lead:.1f}",
        interval,
        series.stronger or "open",
        longest,
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.strength", description="Play matches with equal time, and compare the scores."
    )
    pairs = " ".join(":".join(pair) for pair in PAIRS)
    parser.add_argument("--pairs", nargs="+", type=pair_of, metavar="A:B", default=PAIRS, help=f"default: {pairs}")
    add_match_options(parser, SHEETS, 100)
    add_files(parser, FIGURES, CHART)
    return parser


if __name__ == "__main__":
    sys.exit(main())
