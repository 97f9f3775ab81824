"""Bar charts with logarithmic scales, in panels side by side, and the marks of targets in tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from ludens.drawing import Drawing, LogScale, short

PANEL_WIDTH, NAME_WIDTH, VALUE_WIDTH, MARGIN = 460.0, 104.0, 34.0, 16.0
HEAD, FOOT = 86.0, 30.0
BAR, BAR_GAP, GAME_GAP = 8.0, 1.5, 9.0
OWN = "c0"
"""The colour of ludens, whose values are written in black."""
DASH = "–"


@dataclass(frozen=True, slots=True)
class BarGroup:
    """Bars with one name."""

    name: str
    remark: str
    bars: Sequence[tuple[str, float]]
    """Colour and value of each."""

    @property
    def height(self) -> float:
        return len(self.bars) * (BAR + BAR_GAP) + GAME_GAP


@dataclass(frozen=True, slots=True)
class BarPanel:
    """Groups below each other, with one scale."""

    heading: str
    groups: Sequence[BarGroup]
    words: Callable[[float], str] = short
    name_width: float = NAME_WIDTH
    value_width: float = VALUE_WIDTH

    @property
    def height(self) -> float:
        return sum(group.height for group in self.groups)

    @property
    def values(self) -> list[float]:
        return [value for group in self.groups for _, value in group.bars]


def draw_bars(
    title: str, legend: Sequence[tuple[str, str]], panels: Sequence[BarPanel], path: Path, *, same_scale: bool
) -> None:
    """Draw panels next to each other, unless all are empty; the legend has the title and the colour of each kind."""
    panels = [panel for panel in panels if panel.groups]
    if not panels:
        return
    drawing = Drawing(PANEL_WIDTH * len(panels), HEAD + max(panel.height for panel in panels) + FOOT, title)
    drawing.text(MARGIN, 26, title, size=15)
    x = MARGIN
    for words, colour in legend:
        drawing.bar(x, 40, 11, 11, colour, rounding=2)
        drawing.text(x + 16, 50, words, size=12)
        x += 34 + 6.6 * len(words)
    everything = [value for panel in panels for value in panel.values]
    for number, panel in enumerate(panels):
        _draw_panel(drawing, panel, number * PANEL_WIDTH, everything if same_scale else panel.values)
    drawing.write(path)


def _draw_panel(drawing: Drawing, panel: BarPanel, left: float, values: Sequence[float]) -> None:
    right = left + PANEL_WIDTH - MARGIN - panel.value_width
    scale = LogScale(min(values), max(values), left + MARGIN + panel.name_width, right)
    drawing.text(left + MARGIN, HEAD - 8, panel.heading, size=13, kind="faint")
    bottom = HEAD + panel.height
    for tick in scale.ticks():
        drawing.line(scale(tick), HEAD, scale(tick), bottom)
        drawing.text(scale(tick), bottom + 16, panel.words(tick), size=10, anchor="middle", kind="faint")
    origin, y = scale(scale.ticks()[0]), HEAD + GAME_GAP / 2
    for group in panel.groups:
        middle = y + len(group.bars) * (BAR + BAR_GAP) / 2
        drawing.text(origin - 8, middle + (1 if group.remark else 3), group.name, size=12, anchor="end")
        if group.remark:
            drawing.text(origin - 8, middle + 14, group.remark, size=10, anchor="end", kind="faint")
        for colour, value in group.bars:
            drawing.bar(origin, y, max(1.0, scale(value) - origin), BAR, colour)
            kind = "ink" if colour == OWN else "faint"
            drawing.text(scale(value) + 4, y + BAR - 0.5, panel.words(value), size=9, kind=kind)
            y += BAR + BAR_GAP
        y += GAME_GAP


def times(ratio: float) -> str:
    """How many times as fast, in a chart.

    >>> times(9.94), times(1234.5)
    ('9.9×', '1,234×')
    """
    return f"{ratio:,.0f}×" if ratio >= 9.95 else f"{ratio:.1f}×"


def marked(words: str, met: object) -> Text:
    """A target, and whether it was met."""
    return Text(f"{'✓' if met else '✗'} {words}", style="green" if met else "red")
