"""What random play shows about a game: its size, its kind, how wide and how long it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from random import Random

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.perft import check_moves
from ludens.analysis.random_plays import RandomPlays, play_rngs
from ludens.core import GroundTerm, Role
from ludens.engines.base import Engine
from ludens.game import Game
from ludens.runtime.deadline import Deadline


@dataclass(frozen=True, slots=True)
class Spread:
    """The least, mean and greatest of some numbers; all zero if there are none."""

    least: int = 0
    mean: float = 0.0
    most: int = 0

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> Spread:
        """The spread of numbers that are given with how often each occurs."""
        total = sum(counts.values())
        if not total:
            return cls()
        return cls(min(counts), sum(value * times for value, times in counts.items()) / total, max(counts))


@dataclass(frozen=True)
class Sample:
    """Findings from random games; they hold for what was seen, not more."""

    plays: int
    """How many games were played, to their end or to the limit of steps."""
    finished: int
    states: int
    """How many states that are not terminal were visited, with repetitions."""
    lengths: Spread
    """Joint moves of the finished games."""
    choices: Mapping[Role, Spread]
    """For each role its number of legal moves in the states where it had a choice."""
    joint_moves: Spread
    """Joint moves per state: the branching factor."""
    simultaneous: bool
    """Whether several roles had a choice in the same state."""
    facts: int
    """How many different facts were seen."""
    moves: int
    """How many different moves were legal, counted for each role."""
    ends: frozenset[tuple[int, ...]]
    """The goals at the ends, chance left out; games without a value for each role do not count."""

    @property
    def goal_sums(self) -> frozenset[int]:
        return frozenset(map(sum, self.ends))

    @property
    def constant_sum(self) -> int | None:
        """The sum of the goals, if it was the same in all finished games of several roles."""
        return next(iter(self.goal_sums)) if len(self.goal_sums) == 1 and len(self.choices) > 1 else None


class _Tally:
    """What is counted while playing."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.plays = 0
        self.lengths: Counter[int] = Counter()
        self.choices: dict[Role, Counter[int]] = {role: Counter() for role in game.player_roles}
        self.joint_moves: Counter[int] = Counter()
        self.simultaneous = False
        self.ends: set[tuple[int, ...]] = set()
        self._players = [index for index, role in enumerate(game.roles) if role in self.choices]
        self._facts: set[GroundTerm] = set()
        self._moves: set[tuple[int, GroundTerm]] = set()
        self._known: set[int] = set()
        """The numbers of the moves on the engine of the last states."""
        self._engine: Engine | None = None

    @property
    def fact_count(self) -> int:
        return len(self._facts)

    @property
    def move_count(self) -> int:
        return len(self._moves)

    def look(self, plays: RandomPlays) -> list[list[list[int]]]:
        """Count what is in the states, and those that are over; return the legal moves of the others, which go on."""
        over = plays.engine.terminal(plays.rows)
        self._note_facts(plays)
        if over.any():
            self._end(plays.engine.goals(plays.rows[over]), plays.steps)
            plays.keep(~over)
        return plays.engine.legal(plays.rows)

    def visit(self, plays: RandomPlays, legal: list[list[list[int]]]) -> None:
        """Count the choices in states that are not the end."""
        if self._engine is not plays.engine.source:
            self._engine, self._known = plays.engine.source, set()
        for row, own in enumerate(legal):
            if not all(own):
                self._raise_stuck(plays, row)
            sizes = list(map(len, own))
            self.joint_moves[prod(sizes)] += 1
            choosers = [role for role in self._players if sizes[role] > 1]
            for role in choosers:
                self.choices[self.game.roles[role]][sizes[role]] += 1
            self.simultaneous |= len(choosers) > 1
            for role, moves in enumerate(own):
                for move in set(moves) - self._known:
                    self._known.add(move)
                    self._moves.add((role, plays.engine.move_term(move)))

    def _note_facts(self, plays: RandomPlays) -> None:
        rows = plays.rows
        if plays.engine.circuit is not None:
            rows = np.bitwise_or.reduce(rows, axis=0, keepdims=True)
        self._facts.update(*plays.engine.decode(rows))

    def _end(self, goals: NDArray[np.int16], steps: int) -> None:
        self.plays += len(goals)
        self.lengths[steps] += len(goals)
        values = goals[:, self._players]
        self.ends.update(map(tuple, values[(values >= 0).all(axis=1)].tolist()))

    def _raise_stuck(self, plays: RandomPlays, row: int) -> None:
        """Raise NoLegalMoveError, or its cause."""
        (facts,) = plays.engine.decode(plays.rows[row : row + 1])
        check_moves(self.game.state_of(facts))


def sample(game: Game, plays: int, rng: Random, deadline: Deadline, max_steps: int = 10_000) -> Sample:
    """Play a game at random, a number of times or until the deadline, and tell what was seen.

    A game that the deadline cuts counts for what it showed, but not as a play.
    """
    tally = _Tally(game)
    while tally.plays < plays and not deadline.passed:
        batch = RandomPlays(game, play_rngs(rng, plays, min(plays - tally.plays, game.engine.lanes)))
        while not deadline.passed:
            legal = tally.look(batch)
            if not len(batch):
                break
            if batch.steps >= max_steps:
                tally.plays += len(batch)
                break
            tally.visit(batch, legal)
            batch.step(batch.draw(legal))
    return Sample(
        plays=tally.plays,
        finished=tally.lengths.total(),
        states=tally.joint_moves.total(),
        lengths=Spread.of(tally.lengths),
        choices={role: Spread.of(counts) for role, counts in tally.choices.items()},
        joint_moves=Spread.of(tally.joint_moves),
        simultaneous=tally.simultaneous,
        facts=tally.fact_count,
        moves=tally.move_count,
        ends=frozenset(tally.ends),
    )
