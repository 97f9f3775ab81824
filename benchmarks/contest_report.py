"""The table and the chart of a run in which contenders play at random."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.bars import DASH, BarGroup, BarPanel, draw_bars, marked, times
from benchmarks.catalogue import CATALOGUE, CORPUS
from benchmarks.contenders import (
    BATCHED_CONTENDERS,
    CONTENDERS,
    NATIVE,
    OPEN_SPIEL,
    PROLOG,
    REFERENCE,
    SLICED,
    Contender,
)
from benchmarks.results import Measurement, Ratio, Results
from ludens.drawing import short

LEGEND = MappingProxyType(
    {
        SLICED: "ludens",
        REFERENCE: "ludens, reference engine",
        PROLOG: "SWI-Prolog, same rules",
        OPEN_SPIEL: "OpenSpiel, written by hand in C++",
    }
)
COLOURS = dict(zip(BATCHED_CONTENDERS, ("c0", "c1", "c2", "c3"), strict=True))


def show(console: Console, results: Results, contenders: Sequence[Contender], title: str = "random play") -> None:
    """States and, below them, playouts a second; ratios with their targets; then what went wrong and notes."""
    table = Table(
        title=f"{title}: states/s and playouts/s of one core ({results.cpu})",
        caption="below a ratio or time: its target, ✓ met or ✗ missed; start: from the rules to the first game played",
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("game", no_wrap=True)
    compared = [pair for pair in results.comparisons if any(results.ratio(game, pair) for game in results.games)]
    owners = list(dict.fromkeys(own for own, _ in results.comparisons))
    several = len(owners) > 1
    ratios = [
        f"{CONTENDERS[own].title} to\n{CONTENDERS[peer].title}" if several else f"ratio to\n{CONTENDERS[peer].title}"
        for own, peer in compared
    ]
    starts = [f"start,\n{CONTENDERS[own].title}" if several else "start" for own in owners]
    for heading in (*(contender.title for contender in contenders), *ratios, *starts):
        table.add_column(heading, justify="right", no_wrap=True)
    for game in results.games:
        cells = [_speed_cell(results.measurements.get((game, contender.name)), owners) for contender in contenders]
        cells += [_ratio_cell(results.ratio(game, pair)) for pair in compared]
        table.add_row(game, *cells, *(_start_cell(results.measurements.get((game, own))) for own in owners))
    if compared:
        table.add_section()
        means = [_ratio_cell(results.geometric_mean(pair)) for pair in compared]
        table.add_row("geometric mean", *[""] * len(contenders), *means, *[""] * len(owners))
    console.print(table)
    _show_remarks(console, results)


def _show_remarks(console: Console, results: Results) -> None:
    with_spiel = any(peer == OPEN_SPIEL for _, peer in results.comparisons)
    for game in results.games:
        if CATALOGUE[game].note and (with_spiel or not CATALOGUE[game].open_spiel):
            console.print(f"{game}: {CATALOGUE[game].note}", style="dim", markup=False)
    games: dict[tuple[str, str], list[str]] = {}
    for measurement in results.measurements.values():
        if measurement.problem and not _is_expected(measurement):
            games.setdefault((measurement.contender, measurement.problem), []).append(measurement.game)
    for (contender, problem), names in games.items():
        title = CONTENDERS[contender].title
        console.print(f"{title} did not play {', '.join(names)}: {problem}", style="yellow", markup=False)
    if busy := results.busy_games():
        remedy = "measure them again with --add --quiet"
        console.print(f"not known to be measured alone: {', '.join(busy)}; {remedy}", style="yellow", markup=False)


def _is_expected(measurement: Measurement) -> bool:
    """That OpenSpiel lacks a game for which none is named is no news."""
    return measurement.contender == OPEN_SPIEL and CATALOGUE[measurement.game].open_spiel is None


def _speed_cell(measurement: Measurement | None, owners: Sequence[str]) -> Text:
    if measurement is None or measurement.states_per_second is None or measurement.playouts_per_second is None:
        return Text(DASH, style="dim")
    style = "bold" if measurement.contender in owners else ""
    playouts = Text(f"\n{short(measurement.playouts_per_second)}", style="dim")
    return Text(short(measurement.states_per_second), style=style).append_text(playouts)


def _ratio_cell(ratio: Ratio | None) -> Text:
    if ratio is None:
        return Text(DASH, style="dim")
    cell = Text(f"{ratio.ratio:,.1f}x" if ratio.ratio < 100 else f"{ratio.ratio:,.0f}x")
    return _with_target(cell, f"{ratio.target:,.0f}x" if ratio.target else None, ratio.met)


def _start_cell(measurement: Measurement | None) -> Text:
    if measurement is None or measurement.first_playout_seconds is None:
        return Text(DASH, style="dim")
    seconds = measurement.first_playout_seconds
    entry = CATALOGUE[measurement.game]
    targets = {SLICED: entry.first_playout_target, NATIVE: entry.native_start_target}
    target = targets.get(measurement.contender)
    return _with_target(Text(f"{seconds:.2f} s"), f"{target:g} s" if target else None, target and seconds <= target)


def _with_target(cell: Text, target: str | None, met: object) -> Text:
    if target is None:
        return cell
    return cell.append("\n").append_text(marked(target, met))


def draw_chart(results: Results, path: Path) -> None:
    """States a second of every contender, bundled games on the left, sheets of the corpus on the right."""
    groups = {game: group for game in results.games if (group := _group(results, game)).bars}
    panels = [
        BarPanel("Bundled games", [group for game, group in groups.items() if not game.startswith(CORPUS)]),
        BarPanel("Competition rule sheets", [group for game, group in groups.items() if game.startswith(CORPUS)]),
    ]
    shown = [name for name in BATCHED_CONTENDERS if any(results.speed(game, name) for game in groups)]
    legend = [(LEGEND[name], COLOURS[name]) for name in shown]
    draw_bars("Random play: states per second on one core (logarithmic)", legend, panels, path, same_scale=True)


def _group(results: Results, game: str) -> BarGroup:
    """The contenders that have a speed, in their order."""
    speeds = ((COLOURS[name], results.speed(game, name)) for name in BATCHED_CONTENDERS)
    ratio = results.ratio(game, (SLICED, PROLOG if game.startswith(CORPUS) else OPEN_SPIEL))
    bars = [(colour, speed) for colour, speed in speeds if speed is not None]
    return BarGroup(game.removeprefix(CORPUS), times(ratio.ratio) if ratio else "", bars)
