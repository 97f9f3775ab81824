"""An experiment: a plan of a tournament, and a report on its matches.

`python -m experiments NAME` plays what the store lacks of the plan, shows a table, and writes JSON and a chart. Other
games, players or clocks: copy the plan, give it another name, and hand it over with `--plan`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from benchmarks.arguments import INTERRUPTED, add_files, count, read_figures, try_to_write
from benchmarks.machine import commit, cpu_name, versions
from experiments.report import MADE_BY, Report
from ludens.arena.store import Store
from ludens.arena.tournament.plan import TournamentPlan, load_plan
from ludens.arena.tournament.runner import Tournament, parallel_matches, play_until_interrupted
from ludens.errors import LudensError

ROOT = Path(__file__).resolve().parent.parent
PLANS, RESULTS, DOCS = ROOT / "experiments" / "plans", ROOT / "experiments" / "results", ROOT / "docs"
STORE = ROOT / "experiments" / "matches.sqlite"
WIDEST_TABLE = 150


def no_complaint(_: TournamentPlan) -> None:
    """Any plan will do."""


def nothing_more(_: Console, report: Report, save: Callable[[], None]) -> None:
    """The matches are all."""


@dataclass(frozen=True)
class Experiment:
    """What makes one experiment differ from another; its plan is found by its name."""

    name: str
    show: Callable[[Console, Report], None]
    draw: Callable[[Report, Path], None]
    complaint: Callable[[TournamentPlan], str | None] = no_complaint
    """What is wrong with a plan for this experiment."""
    measure: Callable[[Console, Report, Callable[[], None]], None] = nothing_more
    """Find out what else the report needs to know; the last argument saves it, as often as there is something new."""

    def main(self, arguments: Sequence[str] | None = None) -> int:
        parser = self._parser()
        chosen = parser.parse_args(arguments)
        console = Console()
        console.width = max(console.width, WIDEST_TABLE)
        try_to_write(parser, chosen.chart)
        report = read_figures(parser, chosen.json, Report.read) if chosen.redraw else self._run(parser, chosen, console)
        if report is None:
            console.print("interrupted; the same command goes on from here")
            return INTERRUPTED
        if not report.matches:
            parser.error(f"there are no matches to show in {chosen.json}; play some, without --redraw")
        self.show(console, report)
        for remark in report.remarks():
            console.print(remark, style="yellow", markup=False)
        console.print(f"commit: {', '.join(report.commits)}", style="dim", markup=False)
        self.draw(report, chosen.chart)
        console.print(f"written: {chosen.json}, {chosen.chart}", markup=False)
        return 0

    def _run(self, parser: argparse.ArgumentParser, chosen: argparse.Namespace, console: Console) -> Report | None:
        """The report after all matches are played; None if that is interrupted."""
        try:
            return self._play(parser, chosen, console)
        except KeyboardInterrupt:
            return None
        except (LudensError, OSError) as error:
            parser.error(str(error))

    def _play(self, parser: argparse.ArgumentParser, chosen: argparse.Namespace, console: Console) -> Report | None:
        plan = load_plan(chosen.plan)
        if complaint := self.complaint(plan):
            parser.error(f"{chosen.plan}: {complaint}")
        try_to_write(parser, chosen.json)
        made_by = {"commit": commit(), "cpu": cpu_name(), "versions": dict(versions())}
        with Store(chosen.store) as store:
            if chosen.fresh:
                store.remove(*(match.match_id for match in store.matches(tournament=plan.name)))
            tournament = Tournament(plan, store, {MADE_BY: made_by})
            if not play(console, tournament, chosen.parallel or parallel_matches(plan)):
                return None
            for reason in dict.fromkeys(tournament.standings.failures.values()):
                console.print(f"not played: {reason}", style="yellow", markup=False)
            report = Report.of(tournament, cpu_name(), versions())
        if report.matches:
            self._take_up(report, chosen.json)
            report.write(chosen.json)
            self.measure(console, report, lambda: report.write(chosen.json))
        return report

    def _take_up(self, report: Report, path: Path) -> None:
        """Keep what an earlier run has found about the games of the same plan."""
        try:
            earlier = Report.read(path)
        except (OSError, ValueError, LookupError, TypeError):
            return
        if earlier.settings == report.settings:
            report.sheets.update(earlier.sheets)

    def _parser(self) -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser(
            prog=f"python -m experiments {self.name}",
            description="Play the matches of a plan, and report on them; a run goes on where an earlier one ended.",
        )
        plan = PLANS / f"{self.name}.toml"
        parser.add_argument("--plan", type=Path, metavar="FILE", default=plan, help=f"default: {plan.name}")
        parser.add_argument(
            "--store", type=Path, metavar="FILE", default=STORE, help=f"where matches are kept (default: {STORE.name})"
        )
        parser.add_argument(
            "--parallel", type=count, help="matches at a time (default: what the plan or the cores say)"
        )
        parser.add_argument("--fresh", action="store_true", help="forget all matches of this plan, and begin again")
        add_files(parser, RESULTS / f"{self.name}.json", DOCS / f"{self.name.replace('_', '-')}.svg")
        return parser


def play(console: Console, tournament: Tournament, parallel: int) -> bool:
    """Play what is missing, with a bar that goes when the work is done; return false if it is interrupted."""
    with progress_on(console) as progress:
        done = sum(job.key in tournament.outcomes for job in tournament.timetable.jobs)
        bar = progress.add_task(tournament.plan.name, total=tournament.timetable.most, completed=done)
        return play_until_interrupted(tournament, parallel, lambda _: progress.advance(bar))


def progress_on(console: Console) -> Progress:
    """Bars that go when the work is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True)
