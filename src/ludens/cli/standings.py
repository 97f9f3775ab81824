"""Tables of a tournament: who did how well, against whom and at which game; and what is going to be played."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from rich.console import Console
from rich.markup import escape
from rich.segment import SegmentLines
from rich.table import Table

from ludens.arena.tournament.jobs import Job
from ludens.arena.tournament.plan import TournamentPlan
from ludens.arena.tournament.reports import verdict
from ludens.arena.tournament.runner import Tournament
from ludens.arena.tournament.schedule import schedule
from ludens.arena.tournament.standings import Against, ScoreTally, Standings, StandingsLine
from ludens.cli.common import output

KINDS = {"roundrobin": "round robin", "swiss": "Swiss", "knockout": "knock-out", "sprt": "sequential test"}
SHOWN_MATCHES = 40
SHOWN_FAILURES = 10
TABLE_WIDTH = 160
SHOWN_OPPONENTS = 10
"""A table with more columns fits on no screen."""
BRIEF = ("matches", "score")


def show_results(played: Tournament) -> None:
    plan, timetable, standings = played.plan, played.timetable, played.standings
    failed = f", {len(standings.failures)} could not be" if standings.failures else ""
    counts = f"{standings.played} matches played{failed}"
    output.print(f"[bold]{escape(plan.name)}[/bold]: {escape(description(plan))}, {counts}\n")
    if standings.played:
        _print_table(standings_table(standings))
    for game, pairs in standings.against.items():
        output.print(f"\n[bold]{escape(game)}[/bold]: mean scores")
        _print_cross_table(standings, pairs)
    if standings.cut:
        output.print(
            f"\n[yellow]{standings.cut} were cut after {plan.max_steps} moves[/yellow]; in these nobody gets points"
        )
    for key, reason in list(standings.failures.items())[:SHOWN_FAILURES]:
        output.print(f"[yellow]not played[/yellow]: {escape(key)}: {escape(reason)}")
    if len(standings.failures) > SHOWN_FAILURES:
        output.print(f"[yellow]and {len(standings.failures) - SHOWN_FAILURES} more[/yellow]")
    if timetable.test:
        output.print(f"\n[bold green]{escape(verdict(timetable.test, *plan.players))}[/bold green]")
    elif played.is_over and (first := standings.leaders):
        place = "is first" if len(first) == 1 else "share the first place"
        output.print(f"\n[bold green]{escape(' and '.join(first))} {place}[/bold green]")


def _print_table(table: Table) -> None:
    """Whole, also where lines are shorter: a cut number is worse than a long line."""
    lines = output.render_lines(table, output.options.update(max_width=TABLE_WIDTH), pad=False)
    output.print(SegmentLines(lines, new_lines=True), end="")


def description(plan: TournamentPlan) -> str:
    games = plan.games[0].name if len(plan.games) == 1 else f"{len(plan.games)} games"
    return f"{KINDS[plan.kind]} of {len(plan.players)} players at {games}"


def fitting_table(standings: Standings, console: Console) -> Table:
    """The table as far as there is room for it: a cut number is worse than none."""
    whole = standings_table(standings)
    return whole if console.measure(whole).maximum < console.width else standings_table(standings, BRIEF)


def standings_table(standings: Standings, columns: Sequence[str] = ()) -> Table:
    """All columns, or only some of them."""
    rows = [_cells(line) for line in standings.lines]
    shown = columns or [heading for heading in rows[0] if heading or any(row[heading] for row in rows)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("", justify="right")
    table.add_column("player", no_wrap=True)
    for heading in shown:
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for place, (line, row) in enumerate(zip(standings.lines, rows, strict=True), 1):
        table.add_row(str(place), escape(line.player), *(row[heading] for heading in shown))
    return table


def _cells(line: StandingsLine) -> dict[str, str]:
    """By their headings; the note has none."""
    tally, (low, high) = line.tally, line.tally.interval
    return {
        "matches": str(tally.matches),
        "won": str(tally.wins),
        "drawn": str(tally.draws),
        "lost": str(tally.losses),
        "score": _mean(tally),
        "95 %": f"{low:.1f} to {high:.1f}",
        "rating": f"{line.rating:.1f} ± {line.uncertainty:.1f}",
        "faults": str(line.faults),
        "": escape(line.note),
    }


def _mean(tally: ScoreTally | None) -> str:
    return "-" if tally is None or tally.mean is None else f"{tally.mean:.1f}"


def _print_cross_table(standings: Standings, pairs: Against) -> None:
    """Each player against each other, at one game."""
    met = {opponent for _, opponent in pairs}
    players = [line.player for line in standings.lines]
    opponents: list[str | None] = [None] if None in met else [player for player in players if player in met]
    shown = opponents[:SHOWN_OPPONENTS]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("player", no_wrap=True)
    for opponent in shown:
        table.add_column("alone" if opponent is None else f"– {escape(opponent)}", justify="right", no_wrap=True)
    for player in players:
        table.add_row(escape(player), *(_mean(pairs.get((player, opponent))) for opponent in shown))
    _print_table(table)
    if len(opponents) > len(shown):
        output.print(f"and {len(opponents) - len(shown)} more opponents; --csv writes all matches")


def show_pairings(plan: TournamentPlan, parallel: int) -> None:
    """What is going to be played, as far as it is known before the first match."""
    timetable = schedule(plan).timetable({})
    output.print(f"[bold]{escape(plan.name)}[/bold]: {escape(description(plan))}\n")
    for job in timetable.jobs[:SHOWN_MATCHES]:
        output.print(f"  {_pairing(plan, job)}", markup=False)
    known, most = len(timetable.jobs), timetable.most
    if known > SHOWN_MATCHES:
        output.print(f"  ... and {known - SHOWN_MATCHES} more")
    if plan.kind in ("swiss", "knockout") and most > known:
        output.print("  the further rounds follow from the results")
    output.print(f"\n{'' if timetable.is_exact else 'at most '}{most} matches, {parallel} at a time")
    output.print(_time_text(plan, most, parallel))


def _pairing(plan: TournamentPlan, job: Job) -> str:
    roles = plan.game(job.game).roles
    return f"{job.contest}: " + ", ".join(
        f"{player} as {role}" for role, player in zip(roles, job.players, strict=True)
    )


def _time_text(plan: TournamentPlan, matches: int, parallel: int) -> str:
    if all(entrant.needs_no_time for entrant in plan.players.values()):
        return "these players move at once"
    if not plan.is_timed:
        return "players search a fixed number of nodes, whatever the clock; how long that takes depends on the machine"
    seats = max(game.seats for game in plan.games)
    seconds = ceil(matches / parallel) * seats * (plan.clocks.start + plan.max_steps * plan.clocks.play)
    limits = f"{plan.clocks.start:g} s before the start, {plan.clocks.play:g} s a move, at most {plan.max_steps} moves"
    return f"at most {_duration(seconds)}: each player has {limits}"


def _duration(seconds: float) -> str:
    """A time in words.

    >>> _duration(59), _duration(5400), _duration(200_000)
    ('59 s', '1 h 30 min', '55 h 34 min')
    """
    minutes = ceil(seconds / 60)
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
