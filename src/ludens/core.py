"""The small types that every part of ludens speaks: roles, moves, facts, playouts, searches and players."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from ludens.errors import UnknownRoleError
from ludens.runtime.deadline import Deadline

GroundTerm: TypeAlias = "str | tuple[GroundTerm, ...]"
"""A term without variables: a word, or a tuple of a function name and its arguments."""


class Role(str):
    """The name of a role, as a string.

    >>> Role("x")
    Role('x')
    >>> Role("x") == "x"
    True
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Role({str(self)!r})"


class _Expression(str):
    """A ground term as a string in KIF; `name` and `args` give its parts.

    It is made by a game, which knows how the author of the rules spells the words.
    """

    __slots__ = ("term",)
    term: GroundTerm

    def __new__(cls, text: str, term: GroundTerm) -> _Expression:
        self = super().__new__(cls, text)
        self.term = term
        return self

    def __getnewargs__(self) -> tuple[str, GroundTerm]:  # type: ignore[override]
        return str(self), self.term

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    @property
    def name(self) -> str:
        """The function name, or the word itself; in lower case."""
        return self.term if isinstance(self.term, str) else str(self.term[0])

    @property
    def args(self) -> tuple[GroundTerm, ...]:
        """The arguments as terms; empty for a plain word."""
        return () if isinstance(self.term, str) else self.term[1:]


class Move(_Expression):
    """A move as a string such as `(mark 1 2)`; equal to that string.

    >>> move = Move("(mark 1 2)", ("mark", "1", "2"))
    >>> move == "(mark 1 2)", move.name, move.args
    (True, 'mark', ('1', '2'))
    """

    __slots__ = ()


class Fact(_Expression):
    """A fact of a state as a string such as `(cell 1 2 b)`; equal to that string.

    >>> fact = Fact("(cell 1 2 b)", ("cell", "1", "2", "b"))
    >>> fact == "(cell 1 2 b)", fact.name, fact.args
    (True, 'cell', ('1', '2', 'b'))
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Playouts:
    """The ends of a batch of random games."""

    goals: npt.NDArray[np.int16]
    """[batch, roles]; -1 where the rules give no single value, or the game was cut."""
    lengths: npt.NDArray[np.int32]
    """[batch]: how many joint moves were made."""
    finished: npt.NDArray[np.bool_]
    """[batch]: whether the game ended by itself within the limit."""


@dataclass(frozen=True, slots=True)
class Tallies:
    """What many random games came to, for each state they began in."""

    roles: tuple[str, ...]
    values: tuple[tuple[int, ...], ...]
    """For each role the goal values that the rules can give; -1 for one that is no number from 0 to 100."""
    counts: tuple[npt.NDArray[np.int64], ...]
    """For each role [starts, its values]: how many games ended with just this value."""
    ended: npt.NDArray[np.int64]
    """[starts]: games that ended by themselves."""
    cut: npt.NDArray[np.int64]
    """[starts]: games that reached the limit of steps."""
    steps: npt.NDArray[np.int64]
    """[starts]: joint moves made in all games together."""

    def means(self) -> npt.NDArray[np.float64]:
        """[starts, roles]: the mean goal of the games that gave one, NaN where none did."""
        columns = []
        for values, counts in zip(self.values, self.counts, strict=True):
            valid = np.array(values) >= 0
            games = counts[:, valid].sum(axis=1)
            sums = (counts[:, valid] * np.array(values)[valid]).sum(axis=1)
            columns.append(np.divide(sums, games, out=np.full(len(games), np.nan), where=games > 0))
        return np.stack(columns, axis=1)

    def histogram(self, role: str, start: int = 0) -> dict[int, int]:
        """How many games from a start gave the role each value."""
        if role not in self.roles:
            raise UnknownRoleError(role, self.roles)
        index = self.roles.index(role)
        row = self.counts[index][start]
        return {value: int(count) for value, count in zip(self.values[index], row, strict=True) if value >= 0}


def goal_number(term: GroundTerm) -> int:
    """The number from 0 to 100 that a goal value is written as, or -1."""
    return int(term) if isinstance(term, str) and term.isdecimal() and int(term) <= 100 else -1


@dataclass(frozen=True, slots=True)
class Limit:
    """When a search ends: at whichever of these comes first.

    >>> Limit.of(seconds=0.5, nodes=1000).nodes
    1000
    """

    deadline: Deadline
    nodes: int | None = None
    """The most nodes visited or playouts begun; a search may go on to the end of its batch."""
    depth: int | None = None
    """The most joint moves that it looks ahead, playouts not counted."""

    def __post_init__(self) -> None:
        for what, number in (("nodes", self.nodes), ("depth", self.depth)):
            if number is not None and number < 1:
                raise ValueError(f"a search cannot be limited to {number} {what}; give at least 1")

    @classmethod
    def of(cls, seconds: float | None = None, nodes: int | None = None, depth: int | None = None) -> Limit:
        """Return a limit that begins now.

        >>> Limit.of(nodes=1000).deadline.remaining
        inf
        >>> Limit.of(seconds=0).deadline.passed
        True
        """
        if seconds is not None and math.isnan(seconds):
            raise ValueError("a search cannot be limited to nan seconds; give a number")
        return cls(Deadline.never() if seconds is None else Deadline(seconds), nodes, depth)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move that a search looked at."""

    move: Move
    value: float
    """What it is worth to the role that searches, from 0 to 100."""
    visits: int = 0
    """How often it was tried, or how many nodes were spent on it."""
    proven: bool = False
    """Whether the value is certain."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a search came to.

    >>> take = Move("(take a 2)", ("take", "a", "2"))
    >>> decision = Decision(take, {Role("first"): 100.0, Role("second"): 0.0}, pv=(), proven=True)
    >>> decision.move, decision.values["first"]
    (Move('(take a 2)'), 100.0)
    """

    move: Move
    values: Mapping[Role, float]
    """What each role is expected to get, from 0 to 100."""
    pv: tuple[Mapping[Role, Move], ...]
    """The principal variation: the joint moves that are expected next, the chosen move first."""
    candidates: tuple[Candidate, ...] = ()
    """The moves that were looked at, the best first."""
    proven: bool = False
    """Whether the value of the chosen move is certain, and no move is better."""
    nodes: int = 0
    """What a limit on nodes counts: states visited, iterations of a Monte Carlo tree search, or playouts."""
    playouts: int = 0
    depth: int = 0
    """The joint moves that it looked ahead."""
    hashfull: float = 0.0
    """The share of its memory in use, from 0 to 1."""
    seconds: float = 0.0
    explanation: tuple[str, ...] = ()
    """How the move was chosen, in words, where there is more to say than values: which heuristic proposed what."""


class Evaluator(Protocol):
    """Values states that are not the end, for searches that cannot look further."""

    def evaluate(self, rows: npt.NDArray[np.uint64], engine: Any = None) -> npt.NDArray[np.float64]:
        """[states, roles]: what each role may expect, from 0 to 100.

        `engine`: the `Engine` of the game that these are rows of, by default the one that the game has.
        """
        ...

    def explain(self, state: Any) -> str:
        """Why a `State` is worth what it is, in words."""
        ...


class Searcher(Protocol):
    """Finds a move for one role of one game.

    What a searcher knows of the states to come is kept for the next search. `advance` tells which state the
    match has come to, beginning with the first one; a searcher that is not told plays on all the same.
    """

    @property
    def name(self) -> str: ...

    def search(self, state: Any, limit: Limit, rng: Random) -> Decision:
        """The best move in a `State` that is not terminal, as far as the limit allows."""
        ...

    def advance(self, state: Any) -> None: ...

    def stop(self) -> None:
        """End the search that is under way, from any thread; it gives its best answer so far.

        When none is under way nothing happens, and the next one is not stopped.
        """
        ...


@dataclass(frozen=True, slots=True)
class Clocks:
    """The time of a match in seconds: before it starts, and for each move.

    >>> Clocks(start=30, play=10).play
    10
    """

    start: float
    play: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The move of a player, what it thought, and what kept it from playing as it should.

    >>> Answer(Move("(mark 2 2)", ("mark", "2", "2"))).move
    Move('(mark 2 2)')
    """

    move: Move
    decision: Decision | None = None
    """What led to the move; None from a player that does not search, or had no choice."""
    diagnostics: tuple[str, ...] = ()
    """What is new about how the player plays this match, each text once: why it plays otherwise than by its name, what
    it was still doing when it had to move, which workers failed. Those of `start` come with the first answer."""


@runtime_checkable
class Perceives(Protocol):
    """A player of games in which roles see only a part; all players of this package are."""

    def perceive(self, own_move: Move, seen: tuple[GroundTerm, ...]) -> None:
        """Take note of the own move and of what is seen now; in place of `observe` where nobody sees everything."""
        ...


class Player(Perceives, Protocol):
    """Plays one role of one match at a time: first `start`, then `move` and `observe` in turn.

    A player keeps to the deadlines it is given, and ends its thought soon after one of them is cancelled, with the best
    move so far. `stop` ends a match that was played to its end, `abort` one that was broken off; after either the
    player can be started again. What more a player can do is declared by a protocol of its own, such as `Ponders`.
    """

    @property
    def name(self) -> str:
        """What the player is called in records and tables."""
        ...

    def start(self, game: Any, role: str, clocks: Clocks, deadline: Deadline) -> None:
        """Get ready to play a role of a `Game`, which others may use at the same time."""
        ...

    def move(self, deadline: Deadline) -> Answer:
        """Choose a move for the present state."""
        ...

    def observe(self, joint: Mapping[Role, Move]) -> None:
        """Take note of what everybody, this player included, has moved."""
        ...

    def stop(self) -> None:
        """End a match that was played to its end; the last joint move was told before."""
        ...

    def abort(self) -> None:
        """End a match that was broken off; the player can be started again."""
        ...


@runtime_checkable
class Ponders(Protocol):
    """A player that can think while the others do."""

    def ponder(self, deadline: Deadline) -> None:
        """Think until the deadline passes or is cancelled; what is found stays for the next move."""
        ...
