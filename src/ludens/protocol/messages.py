"""The messages that a game server sends to a player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ludens.core import GroundTerm


@dataclass(frozen=True, slots=True)
class Info:
    """Who are you, and are you free?"""


@dataclass(frozen=True, slots=True)
class Ping:
    """The same question in newer material; the answer is one word."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Rules that may be played later."""

    rules: str
    """The clauses in KIF, as they came."""
    clock: float


@dataclass(frozen=True, slots=True)
class Start:
    """A match begins."""

    match: str
    role: str
    rules: str
    """The clauses in KIF, as they came."""
    start_clock: float
    play_clock: float


@dataclass(frozen=True, slots=True)
class Percepts:
    """What a role is told of a turn in GDL-II: its own last move and what it sees, neither before the first turn."""

    turn: int
    own_move: GroundTerm | None
    seen: tuple[GroundTerm, ...]


@dataclass(frozen=True, slots=True)
class Play:
    """Make a move; these were the last ones."""

    match: str
    news: tuple[GroundTerm, ...] | Percepts | None
    """The joint move in the order of the roles, or percepts; None before the first turn."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The match is over; these were the last moves."""

    match: str
    news: tuple[GroundTerm, ...] | Percepts | None


@dataclass(frozen=True, slots=True)
class Abort:
    """The match is broken off."""

    match: str


Message: TypeAlias = Info | Ping | Preview | Start | Play | Stop | Abort
