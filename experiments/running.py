"""Running many matches: what can be chosen, and going on where an earlier run ended."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from random import Random

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import ludens
from benchmarks.arguments import INTERRUPTED, count, positive, read_figures, try_to_write
from benchmarks.machine import versions
from benchmarks.results import cpu_name
from experiments.chart import draw_chart
from experiments.matches import START_CLOCK, FailedMatch, Task, play_all, seatings
from experiments.scores import Scores, Settings
from ludens.errors import LudensError
from ludens.players import PLAYERS
from ludens.runtime.cores import available_cores

Pair = tuple[str, str]


def add_match_options(parser: argparse.ArgumentParser, sheets: Sequence[str], games: int | Mapping[str, int]) -> None:
    """What all runs have in common; with the games and how many matches there are by default, of all or of each."""
    listed = " ".join(sheets)
    matches = games if isinstance(games, int) else ", ".join(f"{sheet} {number}" for sheet, number in games.items())
    parser.add_argument("--sheets", nargs="+", metavar="GAME", default=sheets, help=f"default: {listed}")
    parser.add_argument(
        "--games",
        type=count,
        default=games,
        help=f"matches of each pair at each game; more if the roles do not come out even (default: {matches})",
    )
    parser.add_argument("--clock", type=positive, default=0.1, help="seconds for a move (default: %(default)g)")
    parser.add_argument(
        "--start",
        type=positive,
        default=START_CLOCK,
        help="seconds to get ready; who needs less moves at once, and who needs more goes on in the background, also "
        "while the other thinks (default: %(default)g)",
    )
    parser.add_argument("--nodes", type=count, help="search so much instead, for matches that can be repeated")
    parser.add_argument("--seed", type=int, default=1, help="where all chance comes from (default: 1)")
    parser.add_argument("--parallel", type=count, default=1, help="matches at a time, one core each (default: 1)")
    parser.add_argument("--fresh", action="store_true", help="do not go on from the JSON file, but begin anew")


def _check_match_options(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> None:
    for sheet in chosen.sheets:
        try:
            ludens.load(sheet)
        except LudensError as error:
            parser.error(str(error))
    cores = len(available_cores())
    if chosen.parallel > cores:
        parser.error(f"{chosen.parallel} matches at a time need as many cores, and there are {cores}")


def player_of(text: str) -> str:
    if text not in PLAYERS:
        raise argparse.ArgumentTypeError(f"{text} is no player; there are {', '.join(PLAYERS)}")
    return text


def pair_of(text: str) -> Pair:
    first, _, second = text.partition(":")
    if not {first, second} <= PLAYERS.keys():
        known = ", ".join(PLAYERS)
        raise argparse.ArgumentTypeError(f"{text} is not a pair of players such as uct:random; there are {known}")
    return first, second


def run(
    parser: argparse.ArgumentParser, chosen: argparse.Namespace, console: Console, work: Callable[[Scores], None]
) -> Scores | None:
    """The scores after the work is done, or those of an earlier run to draw again; None if it is interrupted."""
    try_to_write(parser, chosen.chart)
    if chosen.redraw:
        return read_figures(parser, chosen.json, Scores.read)
    _check_match_options(parser, chosen)
    try_to_write(parser, chosen.json)
    scores = _scores_so_far(parser, chosen)
    try:
        work(scores)
    except KeyboardInterrupt:
        console.print("interrupted; the same command goes on from here")
        return None
    return scores


def play_and_show(
    parser: argparse.ArgumentParser,
    chosen: argparse.Namespace,
    console: Console,
    pairs: Sequence[Pair],
    show: Callable[[Console, Scores], None],
    *,
    halves: bool = False,
) -> int:
    """Play what is missing, show all matches and draw their chart; gives the exit code."""

    def work(scores: Scores) -> None:
        play_missing(console, scores, pairs, chosen, halves=halves)

    scores = run(parser, chosen, console, work)
    if scores is None:
        return INTERRUPTED
    if not scores.matches:
        parser.error(f"there are no matches to show in {chosen.json}; play some, without --redraw")
    show(console, scores)
    draw_chart(scores, chosen.chart)
    console.print(f"written: {chosen.json}, {chosen.chart}", markup=False)
    return 0


def _scores_so_far(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> Scores:
    """The scores of an earlier run with the same settings, or none; others are not thrown away unasked."""
    settings = Settings(chosen.clock, chosen.nodes, chosen.seed, chosen.start)
    if chosen.fresh or not chosen.json.exists():
        return Scores(settings, cpu_name(), versions())
    scores = read_figures(parser, chosen.json, Scores.read)
    if scores.settings != settings:
        parser.error(
            f"{chosen.json} has matches with other settings ({_words(scores.settings)}); "
            "name another file with --json, or begin anew with --fresh"
        )
    return scores


def play_missing(
    console: Console,
    scores: Scores,
    pairs: Sequence[Pair],
    chosen: argparse.Namespace,
    *,
    halves: bool = False,
    one_core_each: bool = True,
) -> None:
    """Play what is missing; the file is written after each match. What cannot be played is told and left out.

    With `halves`, each player of a pair has half of the roles, and not the first one of them. `one_core_each`: players
    that think on several cores need all of them.
    """
    tasks = [
        Task(
            sheet,
            pair,
            number,
            _seed(chosen.seed, sheet, pair, number),
            chosen.clock,
            chosen.nodes,
            chosen.start,
            halves,
        )
        for sheet in dict.fromkeys(chosen.sheets)
        for pair in dict.fromkeys(pairs)
        for number in range(_even(_wanted(chosen.games, sheet), sheet, halves))
    ]
    missing = [task for task in tasks if (task.sheet, task.players, task.number) not in scores.matches]
    with (
        progress_on(console) as progress,
        closing(play_all(missing, min(chosen.parallel, len(missing) or 1), one_core_each)) as played,
    ):
        bar = progress.add_task("getting ready", total=len(tasks), completed=len(tasks) - len(missing))
        failed = dict[str, None]()
        for match in played:
            if isinstance(match, FailedMatch):
                failed[f"{match.task.sheet} cannot be played: {match.reason}"] = None
                progress.advance(bar)
                continue
            scores.add(match)
            scores.write(chosen.json)
            words = f"{match.sheet}: {' – '.join(match.players)}"
            progress.update(bar, advance=1, description=words)
    for words in failed:
        console.print(words, style="yellow", markup=False)


def progress_on(console: Console) -> Progress:
    """Bars that go when the work is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True)


def _wanted(games: int | Mapping[str, int], sheet: str) -> int:
    return games if isinstance(games, int) else games[sheet]


def _even(games: int, sheet: str, halves: bool) -> int:
    """At least so many matches that both players have each role equally often."""
    roles = len(ludens.load(sheet).player_roles)
    each = 2 if halves and roles % 2 == 0 else len(seatings(roles, halves and roles > 1))
    return math.ceil(games / each) * each


def _seed(seed: int, sheet: str, players: Pair, number: int) -> int:
    """Where the chance of a match comes from: another seed for each, the same in every run."""
    return Random(f"{seed} {sheet} {players[0]} {players[1]} {number}").getrandbits(32)


def _words(settings: Settings) -> str:
    nodes = "" if settings.nodes is None else f" --nodes {settings.nodes}"
    start = "" if settings.start == START_CLOCK else f" --start {settings.start:g}"
    return f"--clock {settings.clock:g}{start}{nodes} --seed {settings.seed}"
