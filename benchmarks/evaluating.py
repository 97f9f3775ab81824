"""How fast states are valued by the degrees of their goals: `python -m benchmarks.evaluating`.

The same states are valued in batches, in the small ones that a search begins with, and one by one, formula after
formula, as the degrees are defined. All of it runs in the same run on the same core, round by round; speeds are medians
over the rounds, per CPU second. The time to analyse a game and to unroll its goals is not counted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import ludens
from benchmarks.arguments import count, measure_and_show, positive
from benchmarks.comparing import Rate, Work, compare, first_line, repeated
from benchmarks.machine import cpu_name, one_core, versions
from benchmarks.results import Ratio
from benchmarks.searching_results import SearchResults
from ludens.analysis.facts import analyse
from ludens.analysis.states import sample_states
from ludens.drawing import short
from ludens.engines.rows import Rows, pack, unpack
from ludens.engines.sliced.question import Question
from ludens.evaluation.fuzzy.evaluator import FuzzyEvaluator
from ludens.evaluation.fuzzy.reference import reference_degrees, reference_values
from ludens.runtime.deadline import Deadline

FIGURES = Path(__file__).resolve().parent / "results" / "evaluating.json"
GAMES = (
    "tictactoe",
    "connectfour",
    "breakthrough",
    "checkers",
    "racetrackcorridor",
    "chinesecheckers3",
    "blocksworld",
    "othello",
    "chess",
)
BATCH, SMALL_BATCH = 1024, 16
BATCHES, SMALL_BATCHES, ONE_BY_ONE = "batches", "small-batches", "one-by-one"
SECONDS_TO_PREPARE = 120.0


@dataclass(slots=True)
class EvaluatingResults(SearchResults):
    """States a second in each way."""

    def ratio(self, game: str, peer: str = ONE_BY_ONE) -> Ratio | None:
        """How many times as fast as one by one batches are."""
        own, other = self.rate(game, BATCHES), self.rate(game, peer)
        return None if own is None or other is None else Ratio(game, peer, own / other, None)

    def ratios(self) -> list[Ratio]:
        return [ratio for game in self.games if (ratio := self.ratio(game)) is not None]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    chosen = parser.parse_args(arguments)
    console = Console()
    return measure_and_show(
        parser,
        chosen,
        console,
        EvaluatingResults.read,
        lambda: EvaluatingResults(chosen.seconds, chosen.rounds, cpu_name(), versions()),
        _measure,
        show,
    )


def _measure(results: EvaluatingResults, chosen: argparse.Namespace, progress: Callable[[str], None]) -> None:
    """Measure game by game; each time the figures are written, so that an interrupted run loses nothing."""
    for name in dict.fromkeys(chosen.games):
        progress(f"{name}: unrolling")
        try:
            contenders = contenders_at(name)
            with one_core():
                compare(results, name, contenders, lambda worked: worked.cpu_seconds, progress)
        except Exception as error:
            results.add(Rate(name, BATCHES, problem=first_line(error)))
        results.write(chosen.json)


def contenders_at(name: str) -> Mapping[str, Callable[[], Work]]:
    game = ludens.load(name)
    game.compile()
    deadline, rng = Deadline(SECONDS_TO_PREPARE), Random(1)
    evaluator = FuzzyEvaluator.build(game, analyse(game, deadline, rng), deadline, rng)
    seen = pack(sample_states(game, rng, deadline, BATCH).bits)
    rows = np.resize(seen, (BATCH, seen.shape[1]))
    return {
        BATCHES: lambda: in_batches(evaluator, rows),
        SMALL_BATCHES: lambda: in_batches(evaluator, rows[:SMALL_BATCH]),
        ONE_BY_ONE: lambda: one_by_one(evaluator, rows),
    }


def in_batches(evaluator: FuzzyEvaluator, rows: Rows) -> Work:
    evaluator.evaluate(rows)  # loads machine code
    return lambda seconds: repeated(lambda _: len(evaluator.evaluate(rows)), seconds)


def one_by_one(evaluator: FuzzyEvaluator, rows: Rows) -> Work:
    """What opaque atoms are true is not counted."""
    formulas, norm = evaluator.formulas, evaluator.norm
    states, opaque = unpack(rows, formulas.fluent_count), np.zeros((len(rows), 0), np.bool_)
    if formulas.circuit is not None:
        opaque = unpack(Question(formulas.circuit, formulas.opaque).ask(rows), len(formulas.opaque))
    place = 0

    def work(_: float) -> int:
        nonlocal place
        reference_degrees(formulas, reference_values(formulas, states[place], norm, opaque[place].tolist()), norm)
        place = (place + 1) % len(states)
        return 1

    return lambda seconds: repeated(work, seconds)


def show(console: Console, results: EvaluatingResults) -> None:
    table = Table(
        title=f"fuzzy evaluation: states/s ({results.cpu})",
        caption=f"batches of {BATCH} and of {SMALL_BATCH} states; the ratio is that of the large batches to one by one",
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("game", no_wrap=True)
    for heading in ("batches", "small batches", "one by one", "ratio"):
        table.add_column(heading, justify="right", no_wrap=True)
    for game in results.games:
        rates = (results.rate(game, name) for name in (BATCHES, SMALL_BATCHES, ONE_BY_ONE))
        ratio = results.ratio(game)
        words = ["–" if rate is None else short(rate) for rate in rates]
        table.add_row(game, *words, "–" if ratio is None else f"{ratio.ratio:,.0f}x")
    console.print(table)
    for rate in results.rates.values():
        if rate.problem:
            console.print(f"{rate.contender} at {rate.game}: {rate.problem}", style="yellow", markup=False)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.evaluating",
        description="Measure how fast states are valued, in batches and one by one.",
    )
    parser.add_argument("--games", nargs="+", default=GAMES, metavar="GAME", help=f"(default: {' '.join(GAMES)})")
    parser.add_argument("--seconds", type=positive, default=0.5, help="seconds of a round (default: 0.5)")
    parser.add_argument("--rounds", type=count, default=5, help="rounds of each game (default: 5)")
    parser.add_argument("--json", type=Path, metavar="FILE", default=FIGURES, help="where the figures go")
    parser.add_argument("--redraw", action="store_true", help="measure nothing; show what the JSON file has")
    return parser


if __name__ == "__main__":
    sys.exit(main())
