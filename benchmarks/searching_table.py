"""The tables of a run of the search benchmark, for the terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

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

DASH = "–"


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
    return _marked(target, proof.met)


def _rate_cell(rate: float | None, style: str = "") -> Text:
    return Text(DASH, style="dim") if rate is None else Text(short(rate), style=style)


def _ratio_cell(ratio: Ratio | None) -> Text:
    if ratio is None:
        return Text(DASH, style="dim")
    cell = Text(_times(ratio.ratio))
    if ratio.target is not None and ratio.met is not None:
        cell.append("\n").append_text(_marked(_times(ratio.target), ratio.met))
    return cell


def _times(ratio: float) -> str:
    return f"{ratio:.0f}x" if ratio >= 9.95 else f"{ratio:.2f}x"


def _marked(words: str, met: bool) -> Text:
    return Text(f"{'✓' if met else '✗'} {words}", style="green" if met else "red")
