"""One game after the other, next to SWI-Prolog: `python -m benchmarks.native`.

The engines that work on single states: the native engine and the C library of a game where its rules can be grounded,
and the relational engine, which does not ground them. All play at random from the start, in the same run on the same
core as Prolog, round by round; speeds are medians over the rounds, per CPU second. The time from the rules to the first
game is real time in a fresh process, with nothing cached of the game and no machine code of the native engine.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.catalogue import NARROW_GAMES
from benchmarks.contenders import NARROW_CONTENDERS
from benchmarks.program import FIGURES, ContestProgram
from benchmarks.results import NARROW_COMPARISONS

PROGRAM = ContestProgram(
    name="benchmarks.native",
    description="Measure random play of ludens and of Prolog, one game after the other, on one core.",
    title="one game after the other",
    games=NARROW_GAMES,
    contenders=NARROW_CONTENDERS,
    comparisons=NARROW_COMPARISONS,
    figures=FIGURES / "native.json",
    rounds=3,
)


def main(arguments: Sequence[str] | None = None) -> int:
    return PROGRAM.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
