"""The outcomes of games: goals, wins and lengths, with confidence intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ludens.core import Playouts, Role
from ludens.game import Game
from ludens.gdl.keywords import CHANCE

Z95 = 1.96
"""Half the width, in standard errors, of an interval that holds the true mean in 95 of 100 cases."""
BEST = 100


@dataclass
class RoleOutcomes:
    """The goals of one role at the ends of the finished games."""

    goals: Counter[int] = field(default_factory=Counter)
    """The number of games with each value; games without a single value are not among them."""
    wins: int = 0
    """The number of games in which it got more than every other role; in a game of one role, the best value."""

    @property
    def mean(self) -> float | None:
        count = self.goals.total()
        return sum(goal * times for goal, times in self.goals.items()) / count if count else None

    @property
    def margin(self) -> float | None:
        """The 95 % confidence interval of the mean is mean ± margin; None for fewer than two games."""
        count, mean = self.goals.total(), self.mean
        if mean is None or count < 2:
            return None
        variance = sum(times * (goal - mean) ** 2 for goal, times in self.goals.items()) / (count - 1)
        return Z95 * math.sqrt(variance / count)


class Outcomes:
    """A growing collection of finished games."""

    def __init__(self, game: Game) -> None:
        self._columns = {role: index for index, role in enumerate(game.roles) if role.lower() != CHANCE}
        self.roles: Mapping[Role, RoleOutcomes] = {role: RoleOutcomes() for role in self._columns}
        self.lengths: Counter[int] = Counter()
        self.unfinished = 0

    @property
    def games(self) -> int:
        """The number of games, including unfinished ones."""
        return self.finished + self.unfinished

    @property
    def finished(self) -> int:
        return self.lengths.total()

    def add(self, playouts: Playouts) -> None:
        finished = playouts.finished
        self.unfinished += int((~finished).sum())
        lengths, counts = np.unique(playouts.lengths[finished], return_counts=True)
        self.lengths.update(dict(zip(lengths.tolist(), counts.tolist(), strict=True)))
        ends, counts = np.unique(playouts.goals[finished], axis=0, return_counts=True)
        for goals, count in zip(ends.tolist(), counts.tolist(), strict=True):
            self._add_goals({role: goals[column] for role, column in self._columns.items()}, count)

    def _add_goals(self, goals: Mapping[Role, int], games: int) -> None:
        for role, goal in goals.items():
            if goal < 0:
                continue
            self.roles[role].goals[goal] += games
            others = [value for other, value in goals.items() if other != role]
            self.roles[role].wins += games * (goal > max(others) if others else goal == BEST)
