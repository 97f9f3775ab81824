"""Is a model of the game worth more than early payoff? Table 2 of the paper on Cluneplayer.

At five games a player that values states by its model of the game meets one that values them as if the game ended
there. They change roles after each match; of six roles each has three, as in the paper.
"""

from __future__ import annotations

from types import MappingProxyType

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from experiments.experiment import Experiment
from experiments.report import EVEN, Report, Series
from experiments.strength import describe, draw_chart

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


def show(console: Console, report: Report) -> None:
    table = Table(
        title=f"{describe(report)} ({report.cpu})",
        caption="mean goals of both players; lead: how much more the model-based player has; 95 %: the interval of it",
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("game", no_wrap=True)
    for heading in ("matches", "won drawn lost", "model-based", "early payoff", "lead", "95 %", "paper", "its lead"):
        table.add_column(heading, justify="right", no_wrap=True)
    for series in report.series():
        table.add_row(*_cells(series))
    console.print(table)


def _cells(series: Series) -> list[str]:
    counts = " ".join(f"{number:>3}" for number in (series.wins, series.draws, series.losses))
    low, high = (2 * (bound - EVEN) for bound in (series.low, series.high))
    cells = [series.sheet, str(series.games), counts, f"{series.mean:.1f}", f"{series.other:.1f}"]
    cells += [f"{series.mean - series.other:+.1f}", f"{low:+.0f} to {high:+.0f}"]
    if series.sheet in PAPER:
        model, early = PAPER[series.sheet]
        cells += [f"{model}:{early}", f"{model - early:+}"]
    return cells


BY_NODES = Experiment("clune_table2", show, draw_chart)
BY_CLOCK = Experiment("clune_table2_timed", show, draw_chart)
