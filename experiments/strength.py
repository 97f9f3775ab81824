"""Who plays better with the same time to think? Matches of pairs, as a table and a chart."""

from __future__ import annotations

from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from experiments.experiment import Experiment
from experiments.report import EVEN, Report, Series
from ludens.drawing import Drawing

WIDTH, MARGIN = 760.0, 16.0
LEFT, RIGHT = 210.0, 520.0
HEAD, HEADING, ROW, FOOT = 66.0, 30.0, 26.0, 34.0
BAND = 7.0


def show(console: Console, report: Report) -> None:
    table = Table(
        title=f"{describe(report)} ({report.cpu})",
        caption="scores: mean goals of both players; lead: 50 if they are equal, for two who share 100 points the mean "
        "of the first; longest: the most real time for a move, of each player",
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    for heading in ("game", "players"):
        table.add_column(heading, no_wrap=True)
    for heading in ("matches", "won drawn lost", "scores", "lead", "95 %", "stronger", "longest"):
        table.add_column(heading, justify="right", no_wrap=True)
    for series in report.series():
        table.add_row(*_cells(series))
    console.print(table)


def _cells(series: Series) -> list[str]:
    counts = " ".join(f"{number:>4}" for number in (series.wins, series.draws, series.losses))
    interval = f"{series.low:.1f} to {series.high:.1f}"
    longest = " / ".join(f"{1000 * seconds:.0f}" for seconds in series.longest) + " ms"
    players = " – ".join(series.players)
    return [
        series.sheet,
        players,
        str(series.games),
        counts,
        f"{series.mean:.1f} / {series.other:.1f}",
        f"{series.lead:.1f}",
        interval,
        series.stronger or "open",
        longest,
    ]


def draw_chart(report: Report, path: Path) -> None:
    listed = report.series()
    sheets = list(dict.fromkeys(series.sheet for series in listed))
    bottom = HEAD + len(sheets) * HEADING + len(listed) * ROW
    equal = "time" if report.settings.nodes is None else "nodes"
    title = f"Who is stronger: how the first player scores at equal {equal} (50: the same)"
    drawing = Drawing(WIDTH, bottom + FOOT, title)
    drawing.text(MARGIN, 26, title, size=15)
    drawing.text(MARGIN, 46, describe(report), size=12, kind="faint")
    for score in (0, 25, 50, 75, 100):
        drawing.line(_x(score), HEAD, _x(score), bottom, "trend" if score == EVEN else "grid")
        drawing.text(_x(score), bottom + 16, str(score), size=10, anchor="middle", kind="faint")
    y = HEAD
    for sheet in sheets:
        drawing.text(MARGIN, y + 20, sheet, size=13, kind="faint")
        y += HEADING
        for series in listed:
            if series.sheet == sheet:
                _draw_series(drawing, series, y + ROW / 2)
                y += ROW
    drawing.write(path)


def describe(report: Report) -> str:
    """How the matches were played.

    >>> from experiments.report import Settings
    >>> describe(Report(Settings(0.1, None, 1), "", {}))
    '0.1 s a move on one core, roles alternating; bands: 95 % (Wilson)'
    """
    return f"{effort(report)}, roles alternating; bands: 95 % (Wilson)"


def effort(report: Report) -> str:
    """How much the players were allowed to think."""
    settings = report.settings
    much = f"{settings.clock:g} s a move" if settings.nodes is None else f"{settings.nodes:,} nodes a move"
    return f"{much} on one core"


def _draw_series(drawing: Drawing, series: Series, middle: float) -> None:
    first, second = series.players
    drawing.text(LEFT - 14, middle + 4, f"{first} – {second}", size=12, anchor="end")
    drawing.bar(_x(series.low), middle - BAND / 2, max(1.0, _x(series.high) - _x(series.low)), BAND, "c1", rounding=3)
    label = f"{first} against {second} at {series.sheet}: {series.lead:.1f}"
    drawing.dot(_x(series.lead), middle, 5, "c0", label)
    drawing.text(RIGHT + 14, middle + 4, f"{series.lead:.1f}", size=12)
    counts = f"+{series.wins} ={series.draws} −{series.losses}"
    drawing.text(RIGHT + 58, middle + 4, f"{series.low:.0f} to {series.high:.0f}", size=11, kind="faint")
    drawing.text(RIGHT + 130, middle + 4, counts, size=11, kind="faint")


def _x(score: float) -> float:
    return LEFT + (RIGHT - LEFT) * score / 100


STRENGTH = Experiment("strength", show, draw_chart)
FLUXPLAYER = Experiment("fluxplayer", show, draw_chart)
