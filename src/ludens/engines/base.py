"""What an engine is: one protocol, over rows of states, for all who play, search, count or analyse.

A state is a row of words; equal rows of one engine are equal states. Moves are numbered through all roles: move 5 of
one role and move 6 of another are two numbers even if both are written `noop`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ludens.core import GroundTerm, Playouts, Tallies
from ludens.engines.rows import Rows
from ludens.errors import NoLegalMoveError
from ludens.runtime.deadline import Deadline

if TYPE_CHECKING:
    from ludens.engines.sliced.tables import CircuitTables

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
JointMoves: TypeAlias = Ints | Sequence[Sequence[int]]
"""[states, roles]: the number of a move for each role."""

MAX_STEPS = 10_000
"""Where a playout is cut."""
MIN_STEP_SECONDS = 1e-6
UNKNOWN_GOAL = 50.0
"""What a role gets where the rules do not give one number."""


def known_goals(goals: NDArray[np.int16]) -> Floats:
    """Return goals with UNKNOWN_GOAL for what the rules do not give."""
    return np.where(goals < 0, UNKNOWN_GOAL, goals).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """Some states, and what holds in each of them."""

    rows: Rows
    """[states, words]"""
    terminal: NDArray[np.bool_]
    """[states]"""
    goals: NDArray[np.int16]
    """[states, roles]: -1 where the rules give no single number; also for states that are not terminal."""
    starts: NDArray[np.int64]
    """[states * roles + 1]: where the legal moves begin, state after state and there role after role.

    Terminal states may or may not have moves; searches do not look at them.
    """
    moves: Ints

    def legal(self, state: int, role: int) -> Ints:
        """Return the legal moves of a role in a state, in a fixed order."""
        place = state * self.goals.shape[1] + role
        return self.moves[self.starts[place] : self.starts[place + 1]]

    @property
    def choices(self) -> NDArray[np.int64]:
        """[states, roles]: how many legal moves each role has."""
        return np.diff(self.starts).reshape(self.goals.shape)


class Engine(Protocol):
    """Evaluates the rules of a game for whole batches of states; several threads may ask at once."""

    roles: tuple[str, ...]
    words: int
    """How many words a row has."""
    lanes: int
    """How many states cost as much as one."""

    @property
    def circuit(self) -> CircuitTables | None:
        """What kernels work on, where the rules have become a circuit."""
        ...

    # -- states ------------------------------------------------------------------------------

    @property
    def source(self) -> Engine:
        """The engine that this one was forked from; an engine that is no fork is its own source."""
        ...

    def fork(self) -> Engine:
        """Return an engine that shares everything compiled but has its own table of states, with rows of its own.

        Where rows are the states themselves it is the same engine. Where they are the numbers of interned states, the
        table lives as long as the fork, so a caller that steps through many states takes one.
        """
        ...

    @property
    def is_crowded(self) -> bool:
        """Whether the table is so full that it is time for a new fork."""
        ...

    def adopt(self, other: Engine, rows: Rows) -> Rows:
        """Return the rows that states of another engine of the same game have here."""
        ...

    def initial(self, n: int) -> Rows:
        """Return the initial state n times."""
        ...

    def encode(self, facts: Sequence[frozenset[GroundTerm]]) -> Rows:
        """Return the states with these facts; UnknownFactError where the engine cannot represent one."""
        ...

    def decode(self, rows: Rows) -> list[frozenset[GroundTerm]]: ...

    # -- questions ---------------------------------------------------------------------------

    def look(self, rows: Rows) -> Expansion:
        """Return all that holds in these states."""
        ...

    def terminal(self, rows: Rows) -> NDArray[np.bool_]: ...

    def legal(self, rows: Rows) -> list[list[list[int]]]:
        """For each state and role the numbers of the legal moves, in a fixed order."""
        ...

    def goals(self, rows: Rows) -> NDArray[np.int16]:
        """[states, roles]; -1 where the rules give no single value."""
        ...

    def goal_terms(self, rows: Rows) -> list[list[frozenset[GroundTerm]]]:
        """For each state and role every value that the rules give; sound rules give one."""
        ...

    def percepts(self, rows: Rows, joint: JointMoves) -> list[list[frozenset[GroundTerm]]]:
        """For each state and role what it sees when a joint move is made (`sees`, GDL-II)."""
        ...

    # -- steps -------------------------------------------------------------------------------

    def step(self, rows: Rows, joint: JointMoves) -> Rows:
        """Return the states after one joint move each; the moves are taken to be legal.

        KeyError for a number that is no move of its role.
        """
        ...

    def step_apart(self, rows: Rows, joint: JointMoves) -> tuple[Engine, Rows]:
        """The same on a fork that has no other states."""
        ...

    def expand(self, rows: Rows, joint: JointMoves, deadline: Deadline | None = None) -> Expansion:
        """Return the states after the joint moves, and all that holds in them.

        With a deadline only the first of them, and at least one, where an engine that takes one after the other is not
        in time for more.
        """
        ...

    # -- playouts ----------------------------------------------------------------------------

    def playouts(self, rows: Rows, rng: Random, max_steps: int = MAX_STEPS) -> Playouts:
        """Play each state to its end or to the limit by uniformly random legal moves."""
        ...

    def tally(self, rows: Rows, games: int, rng: Random, max_steps: int = MAX_STEPS) -> Tallies:
        """Play a number of games from each state and keep only the sums."""
        ...

    def goal_sums(self, rows: Rows, games: int, rng: Random, deadline: Deadline) -> Floats:
        """[states, roles]: the sums of the goals of a number of playouts from each state.

        A game that is cut because time is over, or that cannot go on, counts as UNKNOWN_GOAL.
        """
        ...

    # -- moves -------------------------------------------------------------------------------

    def move_term(self, number: int) -> GroundTerm: ...

    def move_number(self, role: int, term: GroundTerm) -> int:
        """Return the number of a move of a role; KeyError for one that the engine does not know."""
        ...


def random_joint(engine: Engine, row: Rows, rng: Random) -> list[int]:
    """Return a legal move of each role, by its number, for a single state; NoLegalMoveError if a role has none."""
    (legal,) = engine.legal(row)
    for role, moves in zip(engine.roles, legal, strict=True):
        if not moves:
            raise NoLegalMoveError(role)
    return [rng.choice(moves) for moves in legal]
