"""Are many workers worth more than one? The player `kuhlmann` with several workers against itself with a single one.

In simulated time each worker searches the same number of nodes as if all did so at once, however many cores there are,
so a run can be repeated; beside the matches it is shown what they choose in a set of states. In another plan the
workers are processes of this computer, which share its cores, and the clock is the same for both players.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import ludens
from experiments.experiment import Experiment, progress_on
from experiments.report import EVEN, Report, Series
from experiments.worker_states import REFERENCE_FACTOR, curve
from ludens.arena.tournament.plan import TournamentPlan
from ludens.drawing import Drawing

COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 200)
"""Numbers of workers in the set of states; almost 200 were those of the paper."""
STATES = 60
"""States of each game to choose a move in."""
ALL = "all games"
NUMBER = re.compile(r"\d+")
WIDTH, MARGIN = 860.0, 16.0
LEFT, GAP, PANEL = 130.0, 54.0, 195.0
HEAD, ROW, HEIGHT, FOOT = 92.0, 118.0, 84.0, 20.0
HEADINGS = ("score against one worker (50: equal)", "depth of the chosen search", "moves as good as the best, in %")
THIN = 2.0

Scale = Callable[[float], float]


def complaint(plan: TournamentPlan) -> str | None:
    """The chart reads the number of workers from the names of players."""
    unknown = [name for name in plan.players if not NUMBER.match(name)]
    return f"players.{unknown[0]}: begin the name with the number of its workers" if unknown else None


def measure_curves(console: Console, report: Report, save: Callable[[], None], states: int = STATES) -> None:
    """What any number of workers chooses in the states of each game that was not looked at before."""
    settings = report.settings
    assert settings.nodes
    sheets = dict.fromkeys(match.sheet for match in report.matches)
    missing = [sheet for sheet in sheets if not _is_known(report, sheet, states)]
    with progress_on(console) as progress:
        bar = progress.add_task("states", total=len(missing) * states)
        for sheet in missing:
            progress.update(bar, description=f"{sheet}: states")
            game = ludens.load(sheet)
            game.compile()
            points = curve(game, COUNTS, states, settings.nodes, settings.seed, lambda: progress.advance(bar))
            report.sheets[sheet] = {"states": states, "curve": [asdict(point) for point in points]}
            save()


def _is_known(report: Report, sheet: str, states: int) -> bool:
    return bool(report.sheets.get(sheet, {}).get("states") == states)


def all_series(report: Report) -> list[Series]:
    """The matches of each game, and those of all games together."""
    listed = report.series()
    if len({series.sheet for series in listed}) > 1:
        for players in dict.fromkeys(series.players for series in listed):
            matches = [match for match in report.matches if match.players == players]
            listed.append(Series.of(matches, ALL))
    return listed


def effort(report: Report) -> str:
    """How much the workers were allowed to search."""
    settings = report.settings
    if settings.nodes is None:
        return f"{settings.clock:g} s a move, processes of one computer ({report.cpu})"
    return f"each worker searches {settings.nodes:,} nodes a move, as if all did so at once"


def show(console: Console, report: Report) -> None:
    if report.matches:
        console.print(_matches_table(report))
    if report.sheets:
        console.print(_states_table(report))


def _matches_table(report: Report) -> Table:
    table = _table(
        f"against a single worker; {effort(report)}",
        "lead: 50 if both are equal, for two who share 100 points the mean of the first",
        ("matches", "won drawn lost", "lead", "95 %"),
    )
    for series in all_series(report):
        counts = " ".join(f"{number:>3}" for number in (series.wins, series.draws, series.losses))
        interval = f"{series.low:.0f} to {series.high:.0f}"
        table.add_row(series.sheet, series.players[0], str(series.games), counts, f"{series.lead:.1f}", interval)
    return table


def _states_table(report: Report) -> Table:
    table = _table(
        f"what is chosen; {effort(report)}",
        f"as good as best: by a Monte Carlo search of {REFERENCE_FACTOR} times as many random games; loss: points less",
        ("states", "depth", "as good as best", "loss"),
    )
    for sheet, known in report.sheets.items():
        for point in known["curve"]:
            table.add_row(sheet, str(point["workers"]), str(known["states"]), *_point_cells(point))
    return table


def _point_cells(point: dict[str, Any]) -> list[str]:
    return [f"{point['depth']:.2f}", f"{point['agreement']:.0f} %", f"{point['loss']:.1f}"]


def _table(title: str, caption: str, headings: Sequence[str]) -> Table:
    table = Table(title=title, caption=caption, box=SIMPLE_HEAD, title_justify="left", caption_justify="left")
    for heading in ("game", "workers"):
        table.add_column(heading, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def draw(report: Report, path: Path) -> None:
    listed = all_series(report)
    sheets = list(dict.fromkeys([*(series.sheet for series in listed), *report.sheets]))
    title = "Many workers against one"
    drawing = Drawing(WIDTH, HEAD + ROW * len(sheets) + FOOT, title)
    drawing.text(MARGIN, 26, title, size=15)
    drawing.text(MARGIN, 46, f"{effort(report)}; bars: 95 % (Wilson)", size=12, kind="faint")
    for place, heading in enumerate(HEADINGS):
        drawing.text(_left(place), HEAD - 16, heading, size=12)
    for row, sheet in enumerate(sheets):
        top = HEAD + ROW * row
        drawing.text(MARGIN, top + HEIGHT / 2, sheet, size=13)
        _draw_scores(drawing, [series for series in listed if series.sheet == sheet], top)
        points = report.sheets.get(sheet, {}).get("curve", [])
        if points:
            deepest = math.ceil(max(point["depth"] for point in points))
            _draw_curve(drawing, points, "depth", 1, top, deepest)
            _draw_curve(drawing, points, "agreement", 2, top, 100)
    drawing.write(path)


def _draw_scores(drawing: Drawing, listed: Sequence[Series], top: float) -> None:
    if not listed:
        return
    y = _panel(drawing, 0, top, (0, EVEN, 100))
    for series in listed:
        x = _x(0, _workers(series))
        drawing.bar(x - THIN, y(series.high), 2 * THIN, max(1.0, y(series.low) - y(series.high)), "c1")
        drawing.dot(x, y(series.lead), 4, "c0", f"{series.players[0]} at {series.sheet}: {series.lead:.1f}")


def _draw_curve(
    drawing: Drawing, points: Sequence[Mapping[str, Any]], what: str, place: int, top: float, most: float
) -> None:
    y = _panel(drawing, place, top, (0, most / 2, most))
    for before, after in pairwise(points):
        ends = [(_x(place, point["workers"]), y(point[what])) for point in (before, after)]
        drawing.line(*ends[0], *ends[1], "trend")
    for point in points:
        label = f"{point['workers']} workers: {point[what]:.1f}"
        drawing.dot(_x(place, point["workers"]), y(point[what]), 4, "c3", label)


def _panel(drawing: Drawing, place: int, top: float, ticks: Sequence[float]) -> Scale:
    """Its grid; gives where a value is drawn."""

    def y(value: float) -> float:
        return top + HEIGHT * (1 - value / ticks[-1])

    for tick in ticks:
        drawing.line(_left(place), y(tick), _left(place) + PANEL, y(tick), "grid")
        drawing.text(_left(place) - 6, y(tick) + 3, f"{tick:g}", size=10, anchor="end", kind="faint")
    for workers in (*COUNTS[:-2], COUNTS[-1]):
        drawing.text(_x(place, workers), top + HEIGHT + 14, str(workers), size=9, anchor="middle", kind="faint")
    return y


def _workers(series: Series) -> int:
    """How many the first player has, from its name, in which the number comes first."""
    return int(NUMBER.findall(series.players[0])[0])


def _left(place: int) -> float:
    return LEFT + place * (PANEL + GAP)


def _x(place: int, workers: int) -> float:
    inner = PANEL - 20
    return _left(place) + 10 + inner * math.log2(workers) / math.log2(COUNTS[-1])


SIMULATED = Experiment("worker_scaling", show, draw, complaint, measure_curves)
PROCESSES = Experiment("worker_processes", show, draw, complaint)
