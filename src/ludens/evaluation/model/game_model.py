"""`GameModel`: a game as payoff, control and termination, for each of its roles, and the lottery they make.

With the probability T the game ends and pays P. Otherwise it goes on, and pays what control of the game is worth or
what the payoff is now, each as often as it is stable in comparison to the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.core import Role
from ludens.evaluation.features.atoms import Atoms
from ludens.evaluation.model.forms import LinearForm

Floats = NDArray[np.float64]

EDGE = 0.1
"""From this part of the range on, values near a limit only approach it, so that better still is better."""


@dataclass(frozen=True, slots=True)
class RoleModel:
    """What counts for one role; None for what no stable feature tells."""

    role: Role
    payoff: LinearForm | None
    """From 0 to 100."""
    control: LinearForm | None
    """From -1 to 1: how much more this role can choose from than the others."""
    payoff_stability: float
    control_stability: float
    """As they are; in the lottery they are scaled to add up to 1."""
    outcome_correction: LinearForm | None = None
    """Added to the worth for what will come of a state; None for nothing."""

    @property
    def control_share(self) -> float:
        """S_C; the rest of 1 is S_P."""
        total = self.payoff_stability + self.control_stability
        return self.control_stability / total if total > 0 else 0.0


@dataclass(frozen=True, eq=False)
class GameModel:
    """A model, and what it was made from."""

    roles: tuple[RoleModel, ...]
    termination: LinearForm
    """The probability, from 0 to 1, that a state is terminal."""
    worst: tuple[int, ...]
    best: tuple[int, ...]
    """For each role the lowest and the highest goal."""
    atoms: Atoms
    states: int
    """The number of states of playouts it was made from."""
    candidates: int
    """How many features were looked at."""
    stable: int
    """How many of them are stable."""
    seconds: float
    left_out: tuple[str, ...]

    def tells(self, role: str) -> bool:
        """Return whether some feature tells what counts for a role."""
        return any(one.payoff or one.control for one in self.roles if one.role == role)


def lottery_value(payoff: Floats, control: Floats, termination: Floats, control_share: Floats | float) -> Floats:
    """Equation 2 of the paper; `control_share` is S_C, the rest of 1 is S_P.

    >>> lottery_value(np.array([60.0]), np.array([0.5]), np.array([0.1]), 0.5)
    array([66.75])
    """
    goes_on = (50 + 50 * control) * control_share + payoff * (1 - control_share)
    value: Floats = termination * payoff + (1 - termination) * goes_on
    return value


def limited(values: Floats, low: float, high: float) -> Floats:
    """Values between two limits: unchanged inside, but beyond what is near a limit always a little short of it.

    >>> limited(np.array([-500.0, 50.0, 95.0]), 0, 100).round(1)
    array([ 0. , 50. , 93.9])
    """
    width = EDGE * (high - low)
    if values.min(initial=high) >= low + width and values.max(initial=low) <= high - width:
        return values
    upper, lower = values - (high - width), (low + width) - values
    with_top = np.where(upper > 0, high - width * np.exp(-np.maximum(upper, 0) / width), values)
    return np.where(lower > 0, low + width * np.exp(-np.maximum(lower, 0) / width), with_top)
