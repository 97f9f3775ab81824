"""What the programs that let contenders play at random have in common."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.arguments import INTERRUPTED, Value, count, positive, read_figures, try_to_write
from benchmarks.catalogue import CATALOGUE, BenchGame
from benchmarks.contenders import CONTENDERS, Contender
from benchmarks.contest import Contest
from benchmarks.contest_report import show
from benchmarks.machine import cpu_name, one_core, versions
from benchmarks.results import Comparison, Results

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "benchmarks" / "results"
WIDEST_TABLE = 124
QUIET_ATTEMPTS, PAUSE_SECONDS = 3, 30.0


@dataclass(frozen=True, slots=True)
class ContestProgram:
    """A program that measures some contenders at some games, shows a table and writes the figures."""

    name: str
    description: str
    title: str
    games: tuple[str, ...]
    contenders: tuple[str, ...]
    comparisons: tuple[Comparison, ...]
    figures: Path
    rounds: int
    chart: Path | None = None
    draw: Callable[[Results, Path], None] | None = None

    def run(self, arguments: Sequence[str] | None = None) -> int:
        parser = self._parser()
        chosen = parser.parse_args(arguments)
        files = [path for path in (chosen.json, chosen.chart) if path]
        console = Console()
        console.width = max(console.width, WIDEST_TABLE)
        dropped: list[str] = []
        if chosen.redraw:
            results = read_figures(parser, chosen.json, partial(Results.read, comparisons=self.comparisons))
            try_to_write(parser, *files[1:])
            contenders = self._measured(results)
        else:
            games = _available(parser, console, _named(parser, "game", chosen.games or self.games, CATALOGUE))
            contenders = _named(parser, "engine", chosen.engines or self.contenders, CONTENDERS)
            try_to_write(parser, *files)
            results = Results(chosen.seconds, chosen.rounds, cpu_name(), versions(), self.comparisons)
            if chosen.add and chosen.json.exists():
                self._take_over(parser, results, chosen.json)
            for game in results.busy_games() if chosen.quiet else ():
                results.forget(game)
            try:
                dropped = _measure(console, games, contenders, results, chosen)
            except KeyboardInterrupt:
                console.print("interrupted; games measured by then are kept, see --redraw")
                return INTERRUPTED
            contenders = self._measured(results)
            if dropped:
                console.print(f"not kept, since other programs were busy: {', '.join(dropped)}", style="yellow")
            if not results.measurements:
                return 1
        show(console, results, contenders, self.title)
        if self.draw:
            self.draw(results, chosen.chart)
        console.print(f"written: {', '.join(map(str, files))}", markup=False)
        return 1 if dropped else 0

    def _measured(self, results: Results) -> list[Contender]:
        """Who has been measured: those of this program first, then others."""
        measured = {contender for _, contender in results.measurements}
        return [CONTENDERS[name] for name in dict.fromkeys((*self.contenders, *CONTENDERS)) if name in measured]

    def _take_over(self, parser: argparse.ArgumentParser, results: Results, path: Path) -> None:
        earlier = read_figures(parser, path, partial(Results.read, comparisons=self.comparisons))
        try:
            results.take_over(earlier)
        except ValueError as error:
            parser.error(f"nothing can be added to {path}: {error}; leave out --add to begin again")

    def _parser(self) -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser(prog=f"python -m {self.name}", description=self.description)
        parser.add_argument("--games", nargs="+", metavar="GAME", help=f"some of: {', '.join(CATALOGUE)}")
        parser.add_argument("--engines", nargs="+", metavar="ENGINE", help=f"some of: {', '.join(CONTENDERS)}")
        parser.add_argument("--seconds", type=positive, default=1.0, help="CPU seconds of a round (default: 1)")
        rounds = f"rounds of each game (default: {self.rounds})"
        parser.add_argument("--rounds", type=count, default=self.rounds, help=rounds)
        parser.add_argument(
            "--start-seconds", type=positive, default=120.0, help="time to get ready for a game (default: 120)"
        )
        parser.add_argument("--json", type=Path, metavar="FILE", default=self.figures, help="where the figures go")
        parser.add_argument("--redraw", action="store_true", help="measure nothing; show what the JSON file has")
        parser.add_argument("--add", action="store_true", help="keep what the JSON file has of other games")
        quiet = "keep nothing that is measured while other programs are busy; each game is tried three times"
        parser.add_argument("--quiet", action="store_true", help=quiet)
        if self.chart:
            parser.add_argument("--chart", type=Path, metavar="FILE", default=self.chart, help="where the chart goes")
        else:
            parser.set_defaults(chart=None)
        return parser


def _measure(
    console: Console,
    games: Sequence[BenchGame],
    contenders: Sequence[Contender],
    results: Results,
    chosen: argparse.Namespace,
) -> list[str]:
    """Measure game by game; each time the figures are written, so that an interrupted run loses nothing.

    Gives the games that were dropped because other programs were busy.
    """
    dropped = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with one_core(), Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(games))
        contest = Contest(
            contenders, results, chosen.start_seconds, lambda words: progress.update(task, description=words)
        )
        contest.warm_up()
        for game in games:
            if _measure_game(contest, results, game, chosen.quiet):
                results.write(chosen.json)
            else:
                dropped.append(game.name)
            progress.advance(task)
    return dropped


def _measure_game(contest: Contest, results: Results, game: BenchGame, quiet: bool) -> bool:
    """Measure a whole game again; return false if it should be quiet and was not, then all is as before."""
    before = dict(results.measurements)
    for attempt in range(QUIET_ATTEMPTS if quiet else 1):
        time.sleep(PAUSE_SECONDS if attempt else 0)
        results.forget(game.name)
        contest.measure(game)
        if not quiet or game.name not in results.busy_games():
            return True
    results.measurements = before
    return False


def _available(parser: argparse.ArgumentParser, console: Console, games: Sequence[BenchGame]) -> list[BenchGame]:
    available = [game for game in games if game.is_available]
    if not available:
        parser.error("all of these games are of the corpus, and it is not there; name bundled games with --games")
    if len(available) < len(games):
        console.print(f"{len(games) - len(available)} games of the corpus are left out: it is not there")
    return available


def _named(parser: argparse.ArgumentParser, what: str, names: Sequence[str], known: Mapping[str, Value]) -> list[Value]:
    """The things that were asked for by name."""
    for name in names:
        if name not in known:
            parser.error(f"there is no {what} called {name}; there are {', '.join(known)}")
    return [known[name] for name in dict.fromkeys(names)]
