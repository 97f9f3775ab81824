"""The chart of many workers: for each game how they score against one, how deep they look, and how well they choose."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from experiments.scores import EVEN, Scores, Series
from experiments.worker_pools import COUNTS
from ludens.drawing import Drawing

WIDTH, MARGIN = 860.0, 16.0
LEFT, GAP, PANEL = 130.0, 54.0, 195.0
HEAD, ROW, HEIGHT, FOOT = 92.0, 118.0, 84.0, 20.0
HEADINGS = ("score against one worker (50: equal)", "depth of the chosen search", "moves as good as the best, in %")
THIN = 2.0

Scale = Callable[[float], float]


def draw_scaling(scores: Scores, listed: Sequence[Series], remark: str, path: Path) -> None:
    sheets = list(dict.fromkeys([*(series.sheet for series in listed), *scores.sheets]))
    title = "Many workers against one"
    drawing = Drawing(WIDTH, HEAD + ROW * len(sheets) + FOOT, title)
    drawing.text(MARGIN, 26, title, size=15)
    drawing.text(MARGIN, 46, f"{remark}; bars: 95 % (Wilson)", size=12, kind="faint")
    for place, heading in enumerate(HEADINGS):
        drawing.text(_left(place), HEAD - 16, heading, size=12)
    for row, sheet in enumerate(sheets):
        top = HEAD + ROW * row
        drawing.text(MARGIN, top + HEIGHT / 2, sheet, size=13)
        _draw_scores(drawing, [series for series in listed if series.sheet == sheet], top)
        points = scores.sheets.get(sheet, {}).get("curve", [])
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
    """How many the first player has, from its name."""
    return int(series.players[0].split()[0])


def _left(place: int) -> float:
    return LEFT + place * (PANEL + GAP)


def _x(place: int, workers: int) -> float:
    inner = PANEL - 20
    return _left(place) + 10 + inner * math.log2(workers) / math.log2(COUNTS[-1])
