"""`GameModel`: a game as payoff, control and termination, for each of its roles."""

from __future__ import annotations

from dataclasses import dataclass

from ludens.core import Role
from ludens.evaluation.features.atoms import Atoms
from ludens.evaluation.model.forms import LinearForm


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
    outlook: LinearForm | None = None
    """What is added to the worth, as it tells what will come; None for nothing."""

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
    """How many states of random games it was made from."""
    candidates: int
    """How many features were looked at."""
    stable: int
    """How many of them are stable."""
    seconds: float
    left_out: tuple[str, ...]

    def tells(self, role: str) -> bool:
        """Whether some feature tells what counts for a role."""
        return any(one.payoff or one.control for one in self.roles if one.role == role)
