"""The messages to and from workers; all can be sent to other processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ludens.analysis.kind import GameKind
from ludens.core import Candidate, Fact, Move, Role
from ludens.evaluation.simple.heuristics import Heuristic
from ludens.gdl.rules import Rules
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaOptions

PARANOID = AlphaBetaOptions(mode="paranoid", table_bytes=2**25)
"""All who are not on our team are against us, also where all move at the same time: that looks deeper than random
moves of others, which the paper assumes."""


@dataclass(frozen=True)
class MatchOrder:
    """Get ready for a match, to search it by heuristics."""

    rules: Rules
    role: str
    kind: GameKind
    heuristics: tuple[Heuristic, ...]
    options: AlphaBetaOptions = field(default=PARANOID)
    number: int = 0
    """Given by the pool, never twice."""


@dataclass(frozen=True)
class TreeOrder:
    """Get ready for a match, to grow Monte Carlo trees for it."""

    rules: Rules
    role: str
    number: int = 0
    """Given by the pool, never twice."""


AnyMatch: TypeAlias = MatchOrder | TreeOrder


@dataclass(frozen=True, slots=True)
class Share:
    """One of several parts of the moves in a state: every `count`-th, from a place on."""

    place: int
    count: int

    def of(self, moves: Sequence[Move]) -> Sequence[Move]:
        return moves[self.place :: self.count]


@dataclass(frozen=True, slots=True)
class Task:
    """The idea of a worker in a turn."""

    heuristic: int | None
    """The number of a heuristic of the match; None for exhaustive search, which knows only ends, and for trees."""
    seed: int
    """The source of chance, for ties and playouts."""
    share: Share | None = None
    """The moves to search; None for all of them."""


@dataclass(frozen=True, slots=True)
class TurnOrder:
    """Suggest moves in a state."""

    facts: frozenset[Fact]
    task: Task
    seconds: float
    """The time of the search; infinite without a limit."""
    nodes: int | None = None
    depth: int | None = None
    turn: int = 0
    """Given by the pool, never twice."""

    def left_until(self, deadline: Deadline) -> TurnOrder:
        """Return the order with the time left."""
        return replace(self, seconds=deadline.remaining)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A move that a worker thinks best so far."""

    turn: int
    task: Task
    move: Move
    value: float
    """What it may bring, from 0 to 100."""
    depth: int
    """The joint moves ahead to which everything was searched."""
    proven: bool
    """Whether no move can be better, of those that were to be looked at."""
    nodes: int
    """Visited in this turn, until now."""
    pv: tuple[Mapping[Role, Move], ...] = ()
    """The joint moves that are expected next, the suggested move first."""
    candidates: tuple[Candidate, ...] = ()
    """The moves that were looked at, the best first; told of trees, of shares, and where the best is certain."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A worker can search."""

    match: int


@dataclass(frozen=True, slots=True)
class Alive:
    """A sign of life, sent again and again whatever the worker does."""

    pid: int
    host: str


@dataclass(frozen=True, slots=True)
class Finished:
    """A worker will suggest nothing more in this turn."""

    turn: int


@dataclass(frozen=True, slots=True)
class Failed:
    """A worker cannot carry out an order: get ready for a match, then it is of no use for it, or search in a turn."""

    reason: str
    match: int | None = None
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Gone:
    """A worker has ended, and why, if that is known."""

    reason: str


@dataclass(frozen=True, slots=True)
class StopOrder:
    """End the search that is under way."""


Order: TypeAlias = AnyMatch | TurnOrder | StopOrder
Report: TypeAlias = Ready | Alive | Suggestion | Finished | Failed | Gone
Reporter: TypeAlias = Callable[[Report], None]
