"""Is a model of the game worth more than early payoff? `python -m experiments.clune_table2`.

Table 2 of the paper on Cluneplayer: at five games, a player that values states by its model of the game meets one that
values them as if the game ended there. They change roles after each match; of six roles each has three, as in the
paper. Whatever was played is kept: a run with the same settings goes on where an earlier one ended.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmarks.arguments import add_files, positive
from experiments.chart import describe
from experiments.running import add_match_options, play_and_show
from experiments.scores import EVEN, Scores, Series

ROOT = Path(__file__).resolve().parent.parent
FIGURES, CHART = ROOT / "experiments" / "results" / "clune_table2.json", ROOT / "docs" / "clune-table2.svg"
PAIR = ("cluneplayer", "earlypayoff")
PAPER = MappingProxyType(
    {
        "cylindercheckers": (59, 41),
        "racetrackcorridor": (100, 10),
        "othello": (75, 25),
        "chess": (100, 0),
        "chinesecheckers6": (42, 30),
    }
)
"""The mean scores in the paper: model-based, early payoff."""
START_CLOCK, PLAY_CLOCK, GAMES = 60.0, 1.0, 20
WIDEST_TABLE = 120


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    chosen = parser.parse_args(arguments)
    chosen.start, chosen.clock = chosen.scale * chosen.start, chosen.scale * chosen.clock
    console = Console()
    console.width = max(console.width, WIDEST_TABLE)
    return play_and_show(parser, chosen, console, [PAIR], show, halves=True)


def show(console: Console, scores: Scores) -> None:
    table = Table(
        title=f"{describe(scores)} ({scores.cpu})",
        caption="mean goals of both players; lead: how much more the model-based player has; 95 %: the interval of it",
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("game", no_wrap=True)
    for heading in ("matches", "won drawn lost", "model-based", "early payoff", "lead", "95 %", "paper", "its lead"):
        table.add_column(heading, justify="right", no_wrap=True)
    for series in scores.series():
        table.add_row(*_cells(series))
    console.print(table)
    for match in scores.matches.values():
        where = f"{match.sheet}, match {match.number + 1}"
        for words in match.faults:
            console.print(f"{where}: {words}", style="yellow", markup=False)
    for remark in dict.fromkeys(f"{match.sheet}: {note}" for match in scores.matches.values() for note in match.notes):
        console.print(remark, style="dim", markup=False)


def _cells(series: Series) -> list[str]:
    counts = " ".join(f"{number:>3}" for number in (series.wins, series.draws, series.losses))
    low, high = (2 * (bound - EVEN) for bound in (series.low, series.high))
    cells = [series.sheet, str(series.games), counts, f"{series.mean:.1f}", f"{series.other:.1f}"]
    cells += [f"{series.mean - series.other:+.1f}", f"{low:+.0f} to {high:+.0f}"]
    if series.sheet in PAPER:
        model, early = PAPER[series.sheet]
        cells += [f"{model}:{early}", f"{model - early:+}"]
    return cells


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.clune_table2", description="Table 2 of the paper on Cluneplayer, with our clocks."
    )
    add_match_options(parser, tuple(PAPER), GAMES)
    parser.add_argument(
        "--scale", type=positive, default=1.0, help="make both clocks so many times as long (default: 1)"
    )
    parser.set_defaults(start=START_CLOCK, clock=PLAY_CLOCK)
    add_files(parser, FIGURES, CHART)
    return parser


if __name__ == "__main__":
    sys.exit(main())
