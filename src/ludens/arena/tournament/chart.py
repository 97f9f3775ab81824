"""The chart of a tournament: the mean score of each player with its interval, and the ratings."""

from __future__ import annotations

import math
from pathlib import Path

from ludens.arena.tournament.standings import Standing, Standings
from ludens.drawing import Drawing

WIDTH, MARGIN = 760.0, 16.0
SCORES, RATINGS = (170.0, 430.0), (520.0, 700.0)
"""Where the two scales begin and end."""
HEAD, ROW, FOOT = 78.0, 28.0, 36.0
BAND = 7.0
DEVIATIONS = 2.0
"""Ratings are drawn with so many standard deviations to each side."""
PARTS = 5
SHOWN_NAME = 20


class Scale:
    """From values to pixels; it begins and ends with round numbers.

    >>> Scale(3.2, 41, (0, 1)).marks
    [0, 10, 20, 30, 40, 50]
    """

    def __init__(self, low: float, high: float, ends: tuple[float, float]) -> None:
        step = _round_step((high - low) / PARTS)
        first, last = math.floor(low / step), math.ceil(high / step)
        self.marks = [mark * step for mark in range(first, last + 1)]
        self.low, self.high, self._ends = first * step, last * step, ends

    def __call__(self, value: float) -> float:
        start, end = self._ends
        return start + (end - start) * (value - self.low) / (self.high - self.low)


def _round_step(least: float) -> float:
    """The next 1, 2, 5, 10, 20 and so on."""
    power: float = 10 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)


def draw_chart(standings: Standings, title: str, path: Path) -> None:
    lines = standings.lines
    bottom = HEAD + len(lines) * ROW
    drawing = Drawing(WIDTH, bottom + FOOT, title)
    drawing.text(MARGIN, 26, title, size=15)
    reach = [
        (line.rating - DEVIATIONS * line.uncertainty, line.rating + DEVIATIONS * line.uncertainty) for line in lines
    ]
    scores = Scale(0, 100, SCORES)
    ratings = Scale(min(low for low, _ in reach), max(high for _, high in reach), RATINGS)
    for scale, words, ends in ((scores, "mean score, 95 %", SCORES), (ratings, "rating, ±2 deviations", RATINGS)):
        drawing.text(ends[0], HEAD - 16, words, size=12, kind="faint")
        for mark in scale.marks:
            drawing.line(scale(mark), HEAD - 6, scale(mark), bottom)
            drawing.text(scale(mark), bottom + 18, f"{mark:g}", size=10, anchor="middle", kind="faint")
    for number, (line, (low, high)) in enumerate(zip(lines, reach, strict=True)):
        middle = HEAD + (number + 0.5) * ROW
        drawing.text(MARGIN, middle + 4, f"{number + 1}. {_short(line.player)}", size=12)
        _draw_score(drawing, scores, line, middle)
        _draw_range(drawing, ratings, low, high, line.rating, middle, f"{line.player}: rating {line.rating:.1f}")
        drawing.text(RATINGS[1] + 12, middle + 4, f"{line.rating:.1f}", size=11, kind="faint")
    drawing.write(path)


def _draw_score(drawing: Drawing, scale: Scale, line: Standing, middle: float) -> None:
    mean = line.tally.mean
    if mean is None:
        drawing.text(scale(0), middle + 4, "no matches", size=11, kind="faint")
        return
    label = f"{line.player}: {mean:.1f} in {line.tally.matches} matches"
    _draw_range(drawing, scale, *line.tally.interval, mean, middle, label)
    drawing.text(SCORES[1] + 12, middle + 4, f"{mean:.1f}", size=11, kind="faint")


def _draw_range(
    drawing: Drawing, scale: Scale, low: float, high: float, value: float, middle: float, label: str
) -> None:
    drawing.bar(scale(low), middle - BAND / 2, max(1.0, scale(high) - scale(low)), BAND, "c1", rounding=3)
    drawing.dot(scale(value), middle, 5, "c0", label)


def _short(name: str) -> str:
    return name if len(name) <= SHOWN_NAME else f"{name[: SHOWN_NAME - 1]}…"
