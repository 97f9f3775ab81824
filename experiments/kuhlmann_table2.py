"""Is a single simple heuristic worth more than none? Table 2 of the paper on the UT Austin player.

At three games a player with one of its heuristics, chosen by a person, meets players who search for the end of the game
and know nothing else. A win is a match in which it gets 100 points; p is the probability that a player who moves at
random wins as many, by what 500 random matches show.

All search the same number of nodes, so that a run can be repeated whatever else the computer does. That is what equal
clocks came to in the paper, where a state took far longer to deduce than to evaluate; in another plan clocks are equal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import ludens
from experiments.chosen_heuristic import CHOICES
from experiments.experiment import Experiment
from experiments.report import Report
from experiments.strength import describe, draw_chart
from ludens.arena.tournament.plan import TournamentPlan
from ludens.game import Game

RANDOM_MATCHES = 500
WON = 100.0


@dataclass(frozen=True, slots=True)
class Line:
    """A line of Table 2."""

    wins: int
    matches: int
    p: float


PAPER = MappingProxyType(
    {"nothello": Line(15, 15, 1e-5), "hallway": Line(15, 15, 1e-11), "farmers": Line(11, 25, 0.234)}
)


def complaint(plan: TournamentPlan) -> str | None:
    """The players know only some games."""
    unknown = [game.name for game in plan.games if game.name not in PAPER]
    return f"no heuristic was chosen for {unknown[0]}; take some of {', '.join(PAPER)}" if unknown else None


def show(console: Console, report: Report) -> None:
    table = Table(
        title=f"{describe(report)} ({report.cpu})",
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
        played = [match for match in report.matches if match.sheet == sheet]
        if not played:
            continue
        wins = sum(match.scores[0] == WON for match in played)
        prior = winning_by_chance(ludens.load(sheet), report.settings.seed)
        cells = [f"{wins} of {len(played)}", f"{prior:.1%}", _probability(chance_of(wins, len(played), prior))]
        cells += [f"{paper.wins} of {paper.matches}", _probability(paper.p)]
        table.add_row(sheet, CHOICES[sheet], *cells)
    console.print(table)


def winning_by_chance(game: Game, seed: int, matches: int = RANDOM_MATCHES) -> float:
    """Return the part of random matches in which a role gets all points, on the average of the roles."""
    played = game.playouts(game.initial_state(), matches, Random(seed))
    return float(np.mean(played.goals == WON))


def chance_of(wins: int, matches: int, prior: float) -> float:
    """Return the probability of at least this number of wins, if each match is won with the probability `prior`.

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


BY_NODES = Experiment("kuhlmann_table2", show, draw_chart, complaint)
BY_CLOCK = Experiment("kuhlmann_table2_timed", show, draw_chart, complaint)
