"""Who plays with whom: roles that get the same goals at every end are one side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.engines.base import UNKNOWN_GOAL, known_goals
from ludens.search.solve.graph import StateGraph
from ludens.search.solve.induction_kernel import CHANCE

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class GraphSides:
    """The sides of a game whose graph is known."""

    of_roles: NDArray[np.int64]
    """[roles]: the side of each role, or CHANCE."""
    active: tuple[int, ...]
    """Those that have a choice in some state."""
    total: float | None
    """What the two active sides get together, if there are two and it is the same at every end."""
    end_values: Floats
    """[ends, sides]: in the order of the ends."""

    @property
    def count(self) -> int:
        return int(self.end_values.shape[1])

    @property
    def constant_sum(self) -> bool:
        """Whether no two sides that have choices can both win or lose something."""
        return len(self.active) <= 1 or self.total is not None

    @property
    def endless_value(self) -> float:
        """What play that never ends is worth to the first active side.

        For two sides it is a draw. One side alone has nothing from it: it takes any end instead.
        """
        return -1.0 if self.total is None else self.total / 2

    def middle(self) -> Floats:
        """[sides]: with more than this, a side is in a hurry to end."""
        middle = np.full(self.count, UNKNOWN_GOAL)
        if self.total is not None:
            middle[list(self.active)] = self.total / 2
        elif len(self.active) == 1:
            middle[self.active[0]] = self.endless_value
        return middle

    @classmethod
    def of(cls, graph: StateGraph) -> GraphSides:
        chance, store = graph.view.chance, graph.store
        goals = known_goals(store.goals[: graph.size][store.ends[: graph.size]])
        of_roles = np.full(goals.shape[1], CHANCE, np.int64)
        members: list[int] = []
        for role in range(goals.shape[1]):
            if role != chance:
                same = [side for side, member in enumerate(members) if (goals[:, role] == goals[:, member]).all()]
                of_roles[role] = same[0] if same else len(members)
                members += [] if same else [role]
        chooses = (store.choices[: graph.size].max(axis=0) > 1).tolist()
        active = sorted({int(side) for side, some in zip(of_roles, chooses, strict=True) if some and side != CHANCE})
        end_values = goals[:, members]
        sums = np.unique(end_values[:, active].sum(axis=1))
        total = float(sums[0]) if len(active) == 2 and len(sums) == 1 else None
        return cls(of_roles, tuple(active), total, end_values)
