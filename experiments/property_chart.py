"""The chart of the scores by property: bars to the left and right of the even line, as in the paper on Fluxplayer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.property_scores import MOST, Lead, PropertyScore
from ludens.drawing import Drawing

WIDTH, MARGIN = 760.0, 16.0
LEFT, RIGHT = 210.0, 690.0
HEAD, ROW, FOOT = 92.0, 62.0, 34.0
BAR, GAP = 12.0, 3.0
KINDS = ("c2", "c3", "c0", "c1")
MAX_OPPONENTS = len(KINDS) - 1
"""More would need more colours."""
LINE, CAP = 1.5, 7.0
"""How thick the line of an interval is, and how high its ends are."""
REACH = MOST
STEP = 50


def draw_property_chart(listed: Sequence[PropertyScore], player: str, remark: str, path: Path) -> None:
    opponents = list(dict.fromkeys(opponent for score in listed for opponent in score.leads))
    bottom = HEAD + ROW * len(listed)
    title = f"Where {player} is strong: points more at the games with a property"
    drawing = Drawing(WIDTH, bottom + FOOT, title)
    drawing.text(MARGIN, 26, title, size=15)
    drawing.text(MARGIN, 46, remark, size=12, kind="faint")
    x = MARGIN
    legend = [f"than {player}'s own mean", *(f"than {name}" for name in opponents)]
    for kind, words in zip(KINDS[: len(legend)], legend, strict=True):
        drawing.bar(x, 60, 12, 12, kind)
        drawing.text(x + 18, 70, words, size=12)
        x += 40 + 7 * len(words)
    for points in range(-int(REACH), int(REACH) + 1, STEP):
        drawing.line(_x(points), HEAD, _x(points), bottom, "grid" if points else "trend")
        drawing.text(_x(points), bottom + 16, f"{points:+d}" if points else "0", 10, "middle", "faint")
    for row, score in enumerate(listed):
        _draw_score(drawing, score, opponents, HEAD + ROW * row)
    drawing.write(path)


def _draw_score(drawing: Drawing, score: PropertyScore, opponents: Sequence[str], top: float) -> None:
    count = f"{len(score.sheets) or 'no'} game{'s' if len(score.sheets) != 1 else ''}"
    drawing.text(LEFT - 14, top + 26, score.words, size=12, anchor="end")
    drawing.text(LEFT - 14, top + 42, count, size=11, anchor="end", kind="faint")
    if not score.sheets:
        return
    y = top + 8
    _draw_bar(drawing, score.above_own, y, KINDS[0])
    for kind, opponent in zip(KINDS[1 : 1 + len(opponents)], opponents, strict=True):
        y += BAR + GAP
        if lead := score.leads.get(opponent):
            _draw_bar(drawing, lead.mean, y, kind)
            _draw_interval(drawing, lead, y + BAR / 2)


def _draw_bar(drawing: Drawing, points: float, y: float, kind: str) -> None:
    begin, end = sorted((_x(0), _x(points)))
    drawing.bar(begin, y, max(1.0, end - begin), BAR, kind)
    drawing.text(RIGHT + 12, y + BAR - 2, f"{points:+.0f}", size=11, kind="faint")


def _draw_interval(drawing: Drawing, lead: Lead, middle: float) -> None:
    low, high = _x(lead.low), _x(lead.high)
    drawing.bar(low, middle - LINE / 2, high - low, LINE, "ink", rounding=0)
    for end in (low, high):
        drawing.bar(end - LINE / 2, middle - CAP / 2, LINE, CAP, "ink", rounding=0)


def _x(points: float) -> float:
    return LEFT + (RIGHT - LEFT) * (points + REACH) / (2 * REACH)
