"""At which games is fluxplayer strong? `python -m experiments.fluxplayer_properties`.

The seven properties of the paper on Fluxplayer are found for each game. Then fluxplayer plays against other players,
and its scores are compared with theirs at the games of each property. Whatever was found and played is kept: a run with
the same settings goes on where an earlier one ended.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import ludens
from benchmarks.arguments import INTERRUPTED, add_files
from experiments.chart import effort
from experiments.properties import find_properties
from experiments.property_chart import MAX_OPPONENTS, draw_property_chart
from experiments.property_scores import WORDS, PropertyScore, has_properties, property_scores
from experiments.running import add_match_options, play_missing, player_of, run
from experiments.scores import Scores
from ludens import games
from ludens.errors import LudensError
from ludens.runtime.deadline import Deadline

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "experiments" / "results" / "fluxplayer_properties.json"
CHART = ROOT / "docs" / "fluxplayer-properties.svg"
PLAYER, OPPONENTS = "fluxplayer", ("uct", "earlypayoff")
LEFT_OUT = ("amazonswhole",)
"""Bundled games that are not played by default, since they take too long."""
ANALYSIS_SECONDS = 120.0
WIDEST_TABLE = 150


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    chosen = parser.parse_args(arguments)
    opponents = list(dict.fromkeys(chosen.opponents))
    if len(opponents) > MAX_OPPONENTS:
        parser.error(f"{len(opponents)} opponents are too many for the chart; choose {MAX_OPPONENTS} at most")
    console = Console()
    console.width = max(console.width, WIDEST_TABLE)

    def work(scores: Scores) -> None:
        _find_missing(console, scores, chosen)
        chosen.sheets = [sheet for sheet in chosen.sheets if has_properties(scores.sheets.get(sheet))]
        play_missing(console, scores, [(chosen.player, opponent) for opponent in opponents], chosen)

    scores = run(parser, chosen, console, work)
    if scores is None:
        return INTERRUPTED
    unasked = chosen.redraw and chosen.sheets == parser.get_default("sheets")
    sheets = list(scores.sheets) if unasked else chosen.sheets
    listed = property_scores(scores, chosen.player, opponents, sheets)
    if not listed:
        names = ", ".join(opponents)
        parser.error(
            f"{chosen.json} has no matches of {chosen.player} against {names} at games whose properties are known; "
            "play some, without --redraw, at games that can be compiled"
        )
    show_games(console, scores, listed[0].sheets)
    show(console, listed, scores)
    remark = f"{effort(scores)}, roles alternating; lines: 95 % (Wilson)"
    draw_property_chart(listed, chosen.player, remark, chosen.chart)
    console.print(f"written: {chosen.json}, {chosen.chart}", markup=False)
    return 0


def _find_missing(console: Console, scores: Scores, chosen: argparse.Namespace) -> None:
    """Find the properties of the games that have none yet; the file is written after each.

    Games that cannot be compiled get none, and are not played.
    """
    for sheet in chosen.sheets:
        known = scores.sheets.get(sheet)
        if not has_properties(known):
            with console.status(f"reading the goals of {sheet}"):
                try:
                    found = find_properties(ludens.load(sheet), Deadline(ANALYSIS_SECONDS), Random(chosen.seed))
                except LudensError as error:
                    console.print(f"{sheet} is left out: {error}", style="yellow", markup=False)
                    continue
            scores.sheets[sheet] = {**(known or {}), **asdict(found)}
            scores.write(chosen.json)


def show_games(console: Console, scores: Scores, sheets: Iterable[str]) -> None:
    table = Table(title="Properties of the games", box=SIMPLE_HEAD, title_justify="left")
    table.add_column("game", no_wrap=True)
    for words in WORDS.values():
        table.add_column(words, justify="center")
    for sheet in sheets:
        table.add_row(sheet, *("x" if scores.sheets[sheet][name] else "" for name in WORDS))
    console.print(table)


def show(console: Console, listed: Sequence[PropertyScore], scores: Scores) -> None:
    opponents = list(dict.fromkeys(opponent for score in listed for opponent in score.leads))
    table = Table(
        title=f"{effort(scores)}, roles alternating ({scores.cpu})",
        caption="points more than the own mean over all games, and than each opponent at the same games (95 %)",
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("games with", no_wrap=True)
    for heading in ("games", "score", "own mean", *opponents):
        table.add_column(heading, justify="right", no_wrap=True)
    for score in listed:
        if not score.sheets:
            table.add_row(score.words, "none")
            continue
        leads = [score.leads.get(opponent) for opponent in opponents]
        cells = [f"{lead.mean:+.1f} ({lead.low:+.0f} to {lead.high:+.0f})" if lead else "" for lead in leads]
        table.add_row(score.words, str(len(score.sheets)), f"{score.score:.1f}", f"{score.above_own:+.1f}", *cells)
    console.print(table)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.fluxplayer_properties",
        description="Play fluxplayer against others, and compare the scores at the games of each property.",
    )
    sheets = [name for name in games.names() if name not in LEFT_OUT]
    names = " ".join(OPPONENTS)
    parser.add_argument("--player", type=player_of, metavar="NAME", default=PLAYER, help=f"default: {PLAYER}")
    parser.add_argument(
        "--opponents", nargs="+", type=player_of, metavar="NAME", default=OPPONENTS, help=f"default: {names}"
    )
    add_match_options(parser, sheets, 4)
    add_files(parser, FIGURES, CHART)
    return parser


if __name__ == "__main__":
    sys.exit(main())
