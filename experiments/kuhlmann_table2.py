"""Is a single simple heuristic worth more than none? `python -m experiments.kuhlmann_table2`.

Table 2 of the paper on the UT Austin player: at three games, a player with one of its heuristics, chosen by a person,
meets players who search for the end of the game and know nothing else. A win is a match in which it gets 100 points; p
is the probability that a player who moves at random wins as many, by what 500 random matches show.

All search the same number of nodes, so that a run can be repeated whatever else the computer does. That is what equal
clocks came to in the paper, where a state took far longer to deduce than to evaluate; with `--timed` clocks are equal.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import MappingProxyType

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import ludens
from benchmarks.arguments import add_files
from experiments.chart import describe
from experiments.chosen_heuristic import CHOICES
from experiments.running import add_match_options, play_and_show
from experiments.scores import Scores
from ludens.game import Game
from ludens.players.searching import DEFAULT_NODES

ROOT = Path(__file__).resolve().parent.parent
RESULTS, DOCS = ROOT / "experiments" / "results", ROOT / "docs"
FIGURES, CHART = RESULTS / "kuhlmann_table2.json", DOCS / "kuhlmann-table2.svg"
TIMED_FIGURES, TIMED_CHART = RESULTS / "kuhlmann_table2_timed.json", DOCS / "kuhlmann-table2-timed.svg"
PAIR = ("heuristic", "exhaustive")
START_CLOCK, PLAY_CLOCK, NODES = 60.0, 1.0, DEFAULT_NODES
GAMES = MappingProxyType({"nothello": 16, "hallway": 16, "farmers": 99})
"""As in the paper, with roles even, but so many at farmers that a rate of a half would show."""
RANDOM_MATCHES = 500
WON = 100.0
WIDEST_TABLE = 140


@dataclass(frozen=True, slots=True)
class Line:
    """A line of Table 2."""

    wins: int
    matches: int
    p: float


PAPER = MappingProxyType(
    {"nothello": Line(15, 15, 1e-5), "hallway": Line(15, 15, 1e-11), "farmers": Line(11, 25, 0.234)}
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    chosen = parser.parse_args(arguments)
    for sheet in chosen.sheets:
        if sheet not in PAPER:
            parser.error(f"no heuristic was chosen for {sheet}; take some of {', '.join(PAPER)}")
    if chosen.timed:
        chosen.nodes = None
    files = (TIMED_FIGURES, TIMED_CHART) if chosen.timed else (FIGURES, CHART)
    chosen.json, chosen.chart = chosen.json or files[0], chosen.chart or files[1]
    console = Console()
    console.width = max(console.width, WIDEST_TABLE)
    return play_and_show(parser, chosen, console, [PAIR], lambda console, scores: show(console, scores, chosen.seed))


def show(console: Console, scores: Scores, seed: int) -> None:
    table = Table(
        title=f"{describe(scores)} ({scores.cpu})",
        caption="won: matches with 100 points; by chance: how often a role gets them if all move at random; p: the "
        "probability that a player who moves at random wins as many",
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    for heading in ("game", "wants"):
        table.add_column(heading)
    for heading in ("won", "by chance", "p", "won (paper)", "p (paper)"):
        table.add_column(heading, justify="right", no_wrap=True)
    for sheet, paper in PAPER.items():
        played = [match for match in scores.matches.values() if match.sheet == sheet]
        if not played:
            continue
        wins, prior = sum(match.scores[0] == WON for match in played), winning_by_chance(ludens.load(sheet), seed)
        cells = [f"{wins} of {len(played)}", f"{prior:.1%}", _probability(chance_of(wins, len(played), prior))]
        cells += [f"{paper.wins} of {paper.matches}", _probability(paper.p)]
        table.add_row(sheet, CHOICES[sheet], *cells)
    console.print(table)
    for match in scores.matches.values():
        for words in (*match.faults, *match.notes):
            where = f"{match.sheet}, match {match.number + 1}"
            console.print(f"{where}: {words}", style="yellow", markup=False)


def winning_by_chance(game: Game, seed: int, matches: int = RANDOM_MATCHES) -> float:
    """How often a role gets all points in so many random matches, on the average of the roles."""
    played = game.playouts(game.initial_state(), matches, Random(seed))
    return float(np.mean(played.goals == WON))


def chance_of(wins: int, matches: int, prior: float) -> float:
    """The probability of so many wins or more, if each match is won with the probability `prior`.

    >>> round(chance_of(11, 25, 0.3515), 3)
    0.234
    """
    return math.fsum(math.comb(matches, n) * prior**n * (1 - prior) ** (matches - n) for n in range(wins, matches + 1))


def _probability(p: float) -> str:
    """As the paper writes it, very small ones by their power of ten.

    >>> _probability(0.2341), _probability(0.00001)
    ('0.234', '1e-05')
    """
    return f"{p:.3f}" if p >= 0.001 else f"{p:.0e}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.kuhlmann_table2",
        description=f"Table 2 of the paper on the UT Austin player, with {NODES:,} nodes a move.",
    )
    parser.add_argument("--timed", action="store_true", help="with equal clocks instead of equal nodes")
    add_match_options(parser, tuple(PAPER), GAMES)
    add_files(parser, FIGURES, CHART)
    parser.set_defaults(start=START_CLOCK, clock=PLAY_CLOCK, nodes=NODES, json=None, chart=None)
    return parser


if __name__ == "__main__":
    sys.exit(main())
