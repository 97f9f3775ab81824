"""The best line to an end that a single role has found: what is done once can be done again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ludens.core import Candidate, Decision
from ludens.engines.rows import Rows
from ludens.search.view import GameView


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """Moves from a state to an end, and the goal there."""

    row: Rows | None = None
    moves: tuple[int, ...] = ()
    goal: float = -1.0

    def after(self, view: GameView, row: Rows) -> Line:
        """Return the rest of the line from a state on; an empty one if the state is not on it."""
        if self.row is None or not self.moves or np.array_equal(self.row, row):
            return self
        seen = view.engine.expand(self.row, np.array([self.moves[:1]], np.int32))
        on_it = len(self.moves) > 1 and np.array_equal(seen.rows, row)
        return Line(row, self.moves[1:], self.goal) if on_it else Line()

    def improve(self, decision: Decision, view: GameView) -> Decision:
        """Return the decision to follow the line, unless the search expects as much."""
        role = view.roles[0]
        if not self.moves or decision.proven or self.goal <= decision.values[role]:
            return decision
        names = [view.move(move) for move in self.moves]
        others = tuple(candidate for candidate in decision.candidates if candidate.move != names[0])
        first = next(candidate for candidate in decision.candidates if candidate.move == names[0])
        return replace(
            decision,
            move=names[0],
            values={role: self.goal},
            pv=tuple({role: name} for name in names),
            candidates=(Candidate(names[0], self.goal, first.visits), *others),
        )
