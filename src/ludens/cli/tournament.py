"""`ludens tournament`: many matches by a plan, and who is the best."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ludens.arena.tournament.plan import load_plan
from ludens.arena.tournament.reports import draw_chart, matches_csv, standings_csv
from ludens.arena.tournament.runner import OnResult, Tournament, parallel_matches, play_until_interrupted
from ludens.cli.common import ExitCode, errors, output
from ludens.cli.files import replace_file
from ludens.cli.standings import fitting_table, show_pairings, show_results
from ludens.cli.stores import StorePath, open_store

STANDINGS_SUFFIX = "-standings"
REFRESH_SECONDS, REST = 0.2, 20
"""How long a picture of the tournament is shown at least: seconds, and times what it took to draw it."""


def tournament(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, in TOML: games, players, clocks, kind.")],
    store: StorePath = None,
    parallel: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=256, help="Matches at a time; by default one for each core."),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the matches to FILE, and the table to a file beside it."),
    ] = None,
    chart: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw scores and ratings as SVG.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Play nothing; show the pairings and how long it takes at most.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Forget all matches of a tournament of this name, and begin anew.")
    ] = False,
) -> None:
    """Play all matches of PLAN and show who did how well.

    Matches are kept in the store as they end: after Ctrl-C, or worse, the same command goes on where it was.

    ludens tournament plan.toml --chart result.svg
    """
    planned = load_plan(plan)
    places = parallel or parallel_matches(planned)
    if dry_run:
        show_pairings(planned, places)
        return
    with open_store(store, create=True) as opened:
        _check_writable(csv, csv and _table_path(csv), chart)
        if fresh:
            opened.remove(*(match.match_id for match in opened.matches(tournament=planned.name)))
        played = Tournament(planned, opened)
        complete = _play(played, places)
        show_results(played)
        _write(played, csv, chart)
    if not complete:
        errors.print("[yellow]interrupted[/yellow]; the same command goes on from here")
        raise typer.Exit(ExitCode.INTERRUPTED)
    if played.standings.failures:
        raise typer.Exit(ExitCode.FAULT)


def _play(played: Tournament, places: int) -> bool:
    """Play what is missing; false if the user stopped it."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    progress = Progress(*columns, console=errors)
    bar = progress.add_task(escape(played.plan.name))

    def picture() -> Group:
        timetable, standings = played.timetable, played.standings
        total = timetable.most if timetable.is_exact else len(timetable.jobs)
        progress.update(bar, completed=standings.played + len(standings.failures), total=total)
        return Group(progress, fitting_table(standings, errors))

    if played.is_over:
        return True
    if not errors.is_terminal:
        return play_until_interrupted(played, places)
    with Live(picture(), console=errors, transient=True) as live:
        return play_until_interrupted(played, places, _now_and_then(lambda: live.update(picture())))


def _now_and_then(show: Callable[[], None]) -> OnResult:
    """The same, left out as often as needed to cost little: after many matches a table takes its time."""
    due = 0.0

    def show_if_due(_: Tournament) -> None:
        nonlocal due
        begun = time.monotonic()
        if begun >= due:
            show()
            due = time.monotonic() + max(REFRESH_SECONDS, REST * (time.monotonic() - begun))

    return show_if_due


def _table_path(csv: Path) -> Path:
    """Where the table is written, beside the matches."""
    return csv.with_name(f"{csv.stem}{STANDINGS_SUFFIX}{csv.suffix}")


def _check_writable(*paths: Path | None) -> None:
    """Complain before anything is done, not after the last match, about a file that cannot be written."""
    for path in paths:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            existed = path.exists()
            path.open("ab").close()
            if not existed:
                path.unlink()


def _write(played: Tournament, csv: Path | None, chart: Path | None) -> None:
    written = []
    if csv:
        replace_file(csv, matches_csv(played.plan, played.timetable, played.outcomes).encode())
        replace_file(_table_path(csv), standings_csv(played.standings).encode())
        written += [csv, _table_path(csv)]
    if chart:
        draw_chart(played.standings, played.plan.name, chart)
        written.append(chart)
    if written:
        output.print(f"written: {', '.join(map(str, written))}", markup=False)
