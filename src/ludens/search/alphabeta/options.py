"""The options of an alpha-beta search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Mode = Literal["paranoid", "maxn"]
Simultaneous = Literal["paranoid", "random", "equilibrium"]


@dataclass(frozen=True, slots=True)
class AlphaBetaOptions:
    """The choices that alpha-beta leaves open; those by which it only gets faster can be turned off for comparison."""

    mode: Mode | None = None
    """Whether all others play against the searching role (paranoid), or each for itself (max^n).

    By default it is the former where that is the same (two sides, one's gain being the other's loss) and where roles
    move at the same time, and the latter otherwise.
    """
    simultaneous: Simultaneous = "paranoid"
    """The model of simultaneous moves: the others know our move and answer it, they move at random, or all play an
    equilibrium of mixed strategies, everybody else being against us."""
    table_bytes: int = 2**26
    """The size of the transposition table; less than a few hundred bytes for none."""
    reductions: bool | None = None
    """Whether late moves are searched less deep; by default only with an evaluator, as without one the search aims at
    the end."""
    pruning: bool = True
    killers: bool = True
    history: bool = True
    aspiration: bool = True
    counters: bool = True
    """Whether states that differ only in a step counter count as one where that cannot matter."""
    lookahead: int = 512
    """The most states that are prefetched at once."""

    def __post_init__(self) -> None:
        if self.mode is not None and self.mode not in get_args(Mode):
            raise ValueError(f"there is no mode {self.mode!r} of alpha-beta; choose one of {', '.join(get_args(Mode))}")
        if self.simultaneous not in get_args(Simultaneous):
            known = ", ".join(get_args(Simultaneous))
            raise ValueError(f"simultaneous moves cannot be taken as {self.simultaneous!r}; choose one of {known}")
        for what, number in (("a table", self.table_bytes), ("a lookahead", self.lookahead)):
            if number < 0:
                raise ValueError(f"there cannot be {what} of {number}; give 0 for none")
