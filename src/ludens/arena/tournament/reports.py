"""The results of a tournament: CSV for other programs, a chart, and the answer of a sequential test in words."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from ludens.arena.tournament.jobs import Outcomes
from ludens.arena.tournament.plan import TournamentPlan
from ludens.arena.tournament.schedule import Timetable
from ludens.arena.tournament.sprt import Sprt, score_elo
from ludens.arena.tournament.standings import Standings, StandingsLine
from ludens.drawing import Drawing

MATCH_COLUMNS = ("match", "game", "role", "player", "goal", "faults", "moves", "finished", "failure")
STANDING_COLUMNS = (
    *("place", "player", "matches", "wins", "draws", "losses", "score", "low", "high"),
    *("rating", "uncertainty", "faults", "note"),
)

WIDTH, MARGIN = 760.0, 16.0
SCORES, RATINGS = (170.0, 430.0), (520.0, 700.0)
"""Where the two scales begin and end."""
HEAD, ROW, FOOT = 78.0, 28.0, 36.0
BAND = 7.0
DEVIATIONS = 2.0
"""Standard deviations to each side of a rating that are drawn."""
PARTS = 5
SHOWN_NAME = 20


def matches_csv(plan: TournamentPlan, timetable: Timetable, outcomes: Outcomes) -> str:
    """All matches that count, one line for each role."""
    rows: list[Sequence[object]] = []
    for job in timetable.jobs:
        outcome = outcomes.get(job.key)
        if outcome is None:
            continue
        seats = zip(plan.game(job.game).roles, job.players, outcome.goals, outcome.faults, strict=True)
        rows += [
            (job.key, job.game, role, player, goal, faults, outcome.steps, int(outcome.finished), outcome.failure)
            for role, player, goal, faults in seats
        ]
    return _csv(MATCH_COLUMNS, rows)


def standings_csv(standings: Standings) -> str:
    """One line for each player, the best first."""
    rows = []
    for place, line in enumerate(standings.lines, 1):
        tally, (low, high) = line.tally, line.tally.interval
        score = "" if tally.mean is None else f"{tally.mean:.3f}"
        counts = (tally.matches, tally.wins, tally.draws, tally.losses)
        rating = (f"{line.rating:.3f}", f"{line.uncertainty:.3f}")
        rows.append((place, line.player, *counts, score, f"{low:.3f}", f"{high:.3f}", *rating, line.faults, line.note))
    return _csv(STANDING_COLUMNS, rows)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def verdict(test: Sprt, first: str, second: str) -> str:
    """What a test came to, or how it stands.

    >>> from ludens.arena.tournament.sprt import SprtBounds
    >>> print(verdict(Sprt.of(SprtBounds(0.5, 0.6), [1.0] * 20), "ann", "bob").replace(": ", ":\\n"))
    ann scores 60.0 (+70 Elo) or more against bob, not 50.0 (+0 Elo) or less:
    mean 100.0 in 17 pairs of matches, where 50 is even
    """
    if not test.pairs:
        return f"nothing is known about {first} and {second}: no pair of matches was played to its end"
    low, high = (f"{100 * mean:.1f} ({score_elo(mean):+.0f} Elo)" for mean in (test.bounds.low, test.bounds.high))
    claims = {
        "higher": f"{first} scores {high} or more against {second}, not {low} or less",
        "lower": f"{first} scores {low} or less against {second}, not {high} or more",
        "open": f"it is open whether {first} scores {low} or less against {second}, or {high} or more",
    }
    return f"{claims[test.answer]}: mean {100 * test.mean:.1f} in {test.pairs} pairs of matches, where 50 is even"


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


def _draw_score(drawing: Drawing, scale: Scale, line: StandingsLine, middle: float) -> None:
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
