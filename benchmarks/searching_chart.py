"""The bar chart of a run of the search benchmark, for the README."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.chart import BAR, BAR_GAP, FOOT, GAME_GAP, HEAD, MARGIN, NAME_WIDTH, PANEL_WIDTH, VALUE_WIDTH
from benchmarks.searching_results import PLAYOUTS, SPIEL, SPIEL_SOLVER, TREE, SearchResults
from benchmarks.searching_table import seconds_words
from ludens.drawing import Drawing, LogScale, short

PROOF_NAME_WIDTH, PROOF_VALUE_WIDTH = 160.0, 50.0
BARS = (
    ("ludens, tree search", "c0", (TREE,)),
    ("ludens, random games alone", "c1", (PLAYOUTS,)),
    ("OpenSpiel's tree search in C++", "c3", (SPIEL, SPIEL_SOLVER)),
)


@dataclass(frozen=True, slots=True)
class Group:
    """Bars with one name."""

    name: str
    remark: str
    bars: tuple[tuple[str, float], ...]
    """Colour and value of each."""

    @property
    def height(self) -> float:
        return len(self.bars) * (BAR + BAR_GAP) + GAME_GAP


@dataclass(frozen=True, slots=True)
class Panel:
    heading: str
    groups: Sequence[Group]
    words: Callable[[float], str]
    name_width: float
    value_width: float

    @property
    def height(self) -> float:
        return sum(group.height for group in self.groups)


def draw_chart(results: SearchResults, path: Path) -> None:
    """Iterations a second on the left, the time of proofs on the right."""
    rates = Panel("Iterations per second", _rate_groups(results), short, NAME_WIDTH, VALUE_WIDTH)
    proofs = Panel(
        "Time to prove the value", _proof_groups(results), seconds_words, PROOF_NAME_WIDTH, PROOF_VALUE_WIDTH
    )
    panels = [panel for panel in (rates, proofs) if panel.groups]
    if not panels:
        return
    title = "Search on one core (logarithmic)"
    drawing = Drawing(PANEL_WIDTH * len(panels), HEAD + max(panel.height for panel in panels) + FOOT, title)
    drawing.text(MARGIN, 26, title, size=15)
    if rates.groups:
        _legend(drawing)
    for number, panel in enumerate(panels):
        _draw_panel(drawing, panel, number * PANEL_WIDTH)
    drawing.write(path)


def _rate_groups(results: SearchResults) -> list[Group]:
    groups = []
    for game in results.games:
        listed = ((colour, results.rate(game, *names)) for _, colour, names in BARS)
        bars = tuple((colour, rate) for colour, rate in listed if rate is not None)
        ratio = results.ratio(game, SPIEL)
        remark = "" if ratio is None else f"{ratio.ratio:,.0f}×" if ratio.ratio >= 9.95 else f"{ratio.ratio:.1f}×"
        if bars:
            groups.append(Group(game, remark, bars))
    return groups


def _proof_groups(results: SearchResults) -> list[Group]:
    return [
        Group(proof.task, "", (("c0", proof.cpu_seconds),))
        for proof in results.proofs.values()
        if proof.cpu_seconds is not None and proof.answer == proof.expected
    ]


def _legend(drawing: Drawing) -> None:
    x = MARGIN
    for title, colour, _ in BARS:
        drawing.bar(x, 40, 11, 11, colour, rounding=2)
        drawing.text(x + 16, 50, title, size=12)
        x += 34 + 6.6 * len(title)


def _draw_panel(drawing: Drawing, panel: Panel, left: float) -> None:
    values = [value for group in panel.groups for _, value in group.bars]
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
        drawing.text(origin - 8, middle + 14, group.remark, size=10, anchor="end", kind="faint")
        for colour, value in group.bars:
            drawing.bar(origin, y, max(1.0, scale(value) - origin), BAR, colour)
            kind = "ink" if colour == "c0" else "faint"
            drawing.text(scale(value) + 4, y + BAR - 0.5, panel.words(value), size=9, kind=kind)
            y += BAR + BAR_GAP
        y += GAME_GAP
