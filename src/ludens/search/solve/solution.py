"""What the solver comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ludens.core import Move, Role
from ludens.search.solve.limits import LimitName

Outcome: TypeAlias = Literal["solved", "endless", "undefined", "unsolved"]
"""How it ended:

- solved: the values are exact;
- endless: nobody can force an end that is better for it than playing on for ever;
- undefined: several sides choose at the same time, what one wins is not what the other loses, and dominance does not
  settle it; or play goes round in circles with more than two sides. There is no one value of such a game;
- unsolved: a limit was reached before.
"""


@dataclass(frozen=True, slots=True)
class MoveValue:
    """A move in the state that was solved, and what it is worth when everybody plays the best way after it."""

    role: Role
    move: Move
    values: Mapping[Role, float | None]
    """None where there is no value."""
    distance: float | None
    """Joint moves to the end, this one included."""
    probability: float | None
    """How often best play chooses it; None if there is no best play."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The value of a state, and how it comes about."""

    outcome: Outcome
    method: str
    states: int
    """How many states were found, all that can be reached if the whole graph was searched; those that alpha-beta looked
    at are added. 0 if the time was up before the game was compiled."""
    depth: int
    """How many joint moves from the start the last of them are."""
    seconds: float
    values: Mapping[Role, float | None]
    """What each role gets, chance left out; None where that is not known."""
    distance: float | None = None
    """Joint moves to the end: the side that is ahead plays for a quick end, the other for a late one, and at a draw
    everybody takes the shortest way. The mean, if chance takes part; None if it is not known."""
    pv: tuple[Mapping[Role, Move], ...] = ()
    """Best play, until the end or until chance or a mixed strategy decides."""
    moves: tuple[MoveValue, ...] = ()
    """The moves of the roles that have a choice in the state that was solved."""
    several: bool = False
    """Whether this is one equilibrium, and others that are as good for the chooser give another role another
    value."""
    limit: LimitName | None = None
    """The limit that was reached."""
