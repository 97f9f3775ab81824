"""The exact solver: all states that play can reach, and their values from the ends back.

`solve(state)` gives a `Solution`: the value for each role, how it comes about, and what it cost.
"""

from ludens.search.solve.limits import Progress, ProgressCallback, SolveLimits
from ludens.search.solve.solution import MoveValue, Outcome, Solution
from ludens.search.solve.solver import prepare, solve

__all__ = ["MoveValue", "Outcome", "Progress", "ProgressCallback", "Solution", "SolveLimits", "prepare", "solve"]
