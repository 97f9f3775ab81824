"""What random play shows about a game: its size, its kind, how wide and how long it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from random import Random

from ludens.core import Fact, Move, Role
from ludens.errors import NoLegalMoveError
from ludens.game import Game, State
from ludens.gdl.keywords import CHANCE
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


@dataclass
class _Tally:
    """What is counted while playing."""

    game: Game
    plays: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    choices: dict[Role, Counter[int]] = field(default_factory=dict)
    joint_moves: Counter[int] = field(default_factory=Counter)
    simultaneous: bool = False
    facts: set[Fact] = field(default_factory=set)
    moves: set[tuple[Role, Move]] = field(default_factory=set)
    ends: set[tuple[int, ...]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.choices = {role: Counter() for role in self.game.roles if role.lower() != CHANCE}

    def visit(self, state: State) -> None:
        legal = {role: state.legal_moves(role) for role in self.game.roles}
        for role, moves in legal.items():
            if not moves:
                raise NoLegalMoveError(role)
            self.moves.update((role, move) for move in moves)
            if len(moves) > 1 and role in self.choices:
                self.choices[role][len(moves)] += 1
        self.facts |= state.facts
        self.joint_moves[prod(map(len, legal.values()))] += 1
        self.simultaneous |= sum(len(legal[role]) > 1 for role in self.choices) > 1

    def end(self, state: State, steps: int) -> None:
        self.facts |= state.facts
        self.lengths[steps] += 1
        goals = [state.goals[role] for role in self.choices]
        values = tuple(value for value in goals if value is not None)
        if len(values) == len(goals):
            self.ends.add(values)


def sample(game: Game, plays: int, rng: Random, deadline: Deadline, max_steps: int = 10_000) -> Sample:
    """Play a game at random, a number of times or until the deadline, and tell what was seen.

    A game that the deadline cuts counts for what it showed, but not as a play.
    """
    tally = _Tally(game)
    while tally.plays < plays and not deadline.passed:
        state, steps = game.initial_state(), 0
        while not state.is_terminal and steps < max_steps and not deadline.passed:
            tally.visit(state)
            state = state.next({role: rng.choice(state.legal_moves(role)) for role in game.roles})
            steps += 1
        if state.is_terminal:
            tally.end(state, steps)
        if state.is_terminal or steps >= max_steps:
            tally.plays += 1
    return Sample(
        plays=tally.plays,
        finished=tally.lengths.total(),
        states=tally.joint_moves.total(),
        lengths=Spread.of(tally.lengths),
        choices={role: Spread.of(counts) for role, counts in tally.choices.items()},
        joint_moves=Spread.of(tally.joint_moves),
        simultaneous=tally.simultaneous,
        facts=len(tally.facts),
        moves=len(tally.moves),
        ends=frozenset(tally.ends),
    )
