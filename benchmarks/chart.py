"""The bar chart of a run, for the README."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

from benchmarks.catalogue import CORPUS
from benchmarks.contenders import BATCHED_CONTENDERS, OPEN_SPIEL, PROLOG, REFERENCE, SLICED
from benchmarks.results import Results
from ludens.drawing import Drawing, LogScale, short

PANEL_WIDTH, NAME_WIDTH, VALUE_WIDTH, MARGIN = 460.0, 104.0, 34.0, 16.0
HEAD, FOOT = 86.0, 30.0
BAR, BAR_GAP, GAME_GAP = 8.0, 1.5, 9.0
LEGEND = MappingProxyType(
    {
        SLICED: "ludens",
        REFERENCE: "ludens, reference engine",
        PROLOG: "SWI-Prolog, same rules",
        OPEN_SPIEL: "OpenSpiel, written by hand in C++",
    }
)
COLOURS = dict(zip(BATCHED_CONTENDERS, ("c0", "c1", "c2", "c3"), strict=True))


def draw_chart(results: Results, path: Path) -> None:
    """States a second of every contender, bundled games on the left, sheets of the corpus on the right."""
    games = [game for game in results.games if _shown(results, game)]
    panels = [
        (title, chosen)
        for title, chosen in (
            ("Bundled games", [game for game in games if not game.startswith(CORPUS)]),
            ("Competition rule sheets", [game for game in games if game.startswith(CORPUS)]),
        )
        if chosen
    ]
    if not panels:
        return
    speeds = [speed for game in games for _, speed in _shown(results, game)]
    height = max(sum(_height(results, game) for game in chosen) for _, chosen in panels)
    title = "Random play: states per second on one core (logarithmic)"
    drawing = Drawing(PANEL_WIDTH * len(panels), HEAD + height + FOOT, title)
    drawing.text(MARGIN, 26, title, size=15)
    _legend(drawing, [name for name in BATCHED_CONTENDERS if any(results.speed(game, name) for game in games)])
    for number, (heading, chosen) in enumerate(panels):
        left = number * PANEL_WIDTH
        scale = LogScale(
            min(speeds), max(speeds), left + MARGIN + NAME_WIDTH, left + PANEL_WIDTH - MARGIN - VALUE_WIDTH
        )
        drawing.text(left + MARGIN, HEAD - 8, heading, size=13, kind="faint")
        _axis(drawing, scale, HEAD + sum(_height(results, game) for game in chosen))
        _bars(drawing, results, chosen, scale)
    drawing.write(path)


def _shown(results: Results, game: str) -> list[tuple[str, float]]:
    """The contenders that have a speed, in their order."""
    return [(name, speed) for name in BATCHED_CONTENDERS if (speed := results.speed(game, name)) is not None]


def _height(results: Results, game: str) -> float:
    return len(_shown(results, game)) * (BAR + BAR_GAP) + GAME_GAP


def _legend(drawing: Drawing, names: Sequence[str]) -> None:
    x = MARGIN
    for name in names:
        drawing.bar(x, 40, 11, 11, COLOURS[name], rounding=2)
        title = LEGEND[name]
        drawing.text(x + 16, 50, title, size=12)
        x += 34 + 6.6 * len(title)


def _axis(drawing: Drawing, scale: LogScale, bottom: float) -> None:
    for tick in scale.ticks():
        drawing.line(scale(tick), HEAD, scale(tick), bottom)
        drawing.text(scale(tick), bottom + 16, short(tick), size=10, anchor="middle", kind="faint")


def _bars(drawing: Drawing, results: Results, games: Sequence[str], scale: LogScale) -> None:
    y = HEAD + GAME_GAP / 2
    origin = scale(scale.ticks()[0])
    for game in games:
        shown = _shown(results, game)
        middle = y + len(shown) * (BAR + BAR_GAP) / 2
        drawing.text(origin - 8, middle + 1, game.removeprefix(CORPUS), size=12, anchor="end")
        peer = PROLOG if game.startswith(CORPUS) else OPEN_SPIEL
        if ratio := results.ratio(game, (SLICED, peer)):
            words = f"{ratio.ratio:,.0f}×" if ratio.ratio >= 9.95 else f"{ratio.ratio:.1f}×"
            drawing.text(origin - 8, middle + 14, words, size=10, anchor="end", kind="faint")
        for name, speed in shown:
            drawing.bar(origin, y, max(1.0, scale(speed) - origin), BAR, COLOURS[name])
            kind = "ink" if name == SLICED else "faint"
            drawing.text(scale(speed) + 4, y + BAR - 0.5, short(speed), size=9, kind=kind)
            y += BAR + BAR_GAP
        y += GAME_GAP
