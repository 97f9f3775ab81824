"""The tables and the chart of a run of the search benchmark."""

from __future__ import annotations

from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.bars import DASH, BarGroup, BarPanel, draw_bars, marked, times
from benchmarks.results import Ratio
from benchmarks.searching_results import (
    ONE_THREAD,
    PLAYOUTS,
    SPIEL,
    SPIEL_SOLVER,
    TREE,
    TWO_THREADS,
    Proof,
    SearchResults,
)
from ludens.drawing import short

PROOF_NAME_WIDTH, PROOF_VALUE_WIDTH = 160.0, 50.0
BARS = (
    ("ludens, tree search", "c0", (TREE,)),
    ("ludens, random games alone", "c1", (PLAYOUTS,)),
    ("OpenSpiel's tree search in C++", "c3", (SPIEL, SPIEL_SOLVER)),
)


def show(console: Console, results: SearchResults) -> None:
    if results.rates:
        _show_rates(console, results)
    if results.proofs:
        _show_proofs(console, results)
    for rate in results.rates.values():
        if rate.problem:
            console.print(f"{rate.contender} at {rate.game}: {rate.problem}", style="yellow", markup=False)
    for proof in results.proofs.values():
        if proof.problem:
            console.print(f"{proof.task}: {proof.problem}", style="yellow", markup=False)


def seconds_words(seconds: float) -> str:
    """A time as people say it.

    >>> [seconds_words(seconds) for seconds in (0.00042, 0.0421, 0.5, 2.345, 31)]
    ['0.42 ms', '42 ms', '500 ms', '2.3 s', '31 s']
    """
    if seconds < 0.9995:
        return f"{1000 * seconds:.2g} ms" if seconds < 0.0995 else f"{1000 * seconds:.0f} ms"
    return f"{seconds:.2g} s" if seconds < 99.5 else f"{seconds:.0f} s"


def _show_rates(console: Console, results: SearchResults) -> None:
    table = Table(
        title=f"tree search: iterations/s from the start ({results.cpu})",
        caption="below a ratio: its target, ✓ met or ✗ missed; on one core per CPU second, threads per second",
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("game", no_wrap=True)
    headings = (
        "ludens\nMCTS",
        "ludens\nplayouts",
        "ratio",
        "OpenSpiel\nMCTS",
        "ratio",
        "1 thread",
        "2 threads",
        "ratio",
    )
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for game in results.games:
        table.add_row(
            game,
            _rate_cell(results.rate(game, TREE), "bold"),
            _rate_cell(results.rate(game, PLAYOUTS)),
            _ratio_cell(results.ratio(game, PLAYOUTS)),
            _rate_cell(results.rate(game, SPIEL, SPIEL_SOLVER)),
            _ratio_cell(results.ratio(game, SPIEL)),
            _rate_cell(results.rate(game, ONE_THREAD)),
            _rate_cell(results.rate(game, TWO_THREADS)),
            _ratio_cell(results.ratio(game, ONE_THREAD)),
        )
    console.print(table)


def _show_proofs(console: Console, results: SearchResults) -> None:
    table = Table(
        title="proofs by alpha-beta without heuristic, of puzzles by the solver",
        caption="CPU time of one core, without reading and compiling the rules",
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("game", no_wrap=True)
    for heading in ("value", "known", "time", "target"):
        table.add_column(heading, justify="right", no_wrap=True)
    for proof in results.proofs.values():
        time = DASH if proof.cpu_seconds is None else seconds_words(proof.cpu_seconds)
        table.add_row(proof.task, proof.answer or DASH, proof.expected, time, _verdict(proof))
    console.print(table)


def _verdict(proof: Proof) -> Text:
    target = "solved" if proof.target is None else f"{proof.target:g} s"
    return marked(target, proof.met)


def _rate_cell(rate: float | None, style: str = "") -> Text:
    return Text(DASH, style="dim") if rate is None else Text(short(rate), style=style)


def _ratio_cell(ratio: Ratio | None) -> Text:
    if ratio is None:
        return Text(DASH, style="dim")
    cell = Text(_times(ratio.ratio))
    if ratio.target is not None and ratio.met is not None:
        cell.append("\n").append_text(marked(_times(ratio.target), ratio.met))
    return cell


def _times(ratio: float) -> str:
    return f"{ratio:.0f}x" if ratio >= 9.95 else f"{ratio:.2f}x"


def draw_chart(results: SearchResults, path: Path) -> None:
    """Iterations a second on the left, the time of proofs on the right."""
    rates = BarPanel("Iterations per second", _rate_groups(results))
    proofs = BarPanel(
        "Time to prove the value", _proof_groups(results), seconds_words, PROOF_NAME_WIDTH, PROOF_VALUE_WIDTH
    )
    legend = [(words, colour) for words, colour, _ in BARS] if rates.groups else []
    draw_bars("Search on one core (logarithmic)", legend, (rates, proofs), path, same_scale=False)


def _rate_groups(results: SearchResults) -> list[BarGroup]:
    groups = []
    for game in results.games:
        listed = ((colour, results.rate(game, *names)) for _, colour, names in BARS)
        bars = tuple((colour, rate) for colour, rate in listed if rate is not None)
        ratio = results.ratio(game, SPIEL)
        remark = "" if ratio is None else times(ratio.ratio)
        if bars:
            groups.append(BarGroup(game, remark, bars))
    return groups


def _proof_groups(results: SearchResults) -> list[BarGroup]:
    return [
        BarGroup(proof.task, "", (("c0", proof.cpu_seconds),))
        for proof in results.proofs.values()
        if proof.cpu_seconds is not None and proof.answer == proof.expected
    ]
