"""How fast ludens plays at random, next to its peers: `python -m benchmarks`.

All contenders run in the same run on the same core, one after the other, round by round. A state is one joint
move made; speeds are medians over the rounds, per CPU second. The time from the rules to the first playout is real
time in a fresh process: from reading the text to the end of the first game, after Python has started and imported,
with compiled kernels cached on disk and nothing cached of the game. Corpus games are measured where there is a corpus.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.catalogue import BATCHED_GAMES
from benchmarks.contenders import BATCHED_CONTENDERS
from benchmarks.contest_report import draw_chart
from benchmarks.program import FIGURES, ROOT, ContestProgram
from benchmarks.results import BATCHED_COMPARISONS

PROGRAM = ContestProgram(
    name="benchmarks",
    description="Measure random play of ludens and its peers on one core.",
    title="random play",
    games=BATCHED_GAMES,
    contenders=BATCHED_CONTENDERS,
    comparisons=BATCHED_COMPARISONS,
    figures=FIGURES / "bench.json",
    rounds=5,
    chart=ROOT / "docs" / "bench.svg",
    draw=draw_chart,
)


def main(arguments: Sequence[str] | None = None) -> int:
    return PROGRAM.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
