"""Two sides move at the same time, and what one wins the other loses: the best mixed strategies, exactly.

With payoffs A > 0 for the side that chooses rows, the other side wants the mixture y of columns with the least
v >= max_i (A y)_i. For q = y / v this is: the greatest sum of q >= 0 with A q <= 1, which the simplex method finds
from q = 0 on; the prices of the rows in the end are the mixture of rows over v.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludens.runtime.jit import compiled, inlined

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

TINY = 1e-11
"""What counts as zero in a tableau of payoffs from 1 to 2."""
PRECISION = 1e-11
"""By how much the values that the sides are sure of may differ, in parts of the difference between payoffs."""
ATTEMPTS = 4


class Equilibrium(NamedTuple):
    value: float
    """What the side that chooses rows gets."""
    row_strategy: Floats
    """[m]: how probable each row is."""
    column_strategy: Floats
    """[n]: how probable each column is."""


@compiled
def solve_matrix(payoffs: Floats) -> Equilibrium:
    """Return the equilibrium of the payoffs [m, n], which the side that chooses rows wants to be high.

    >>> value, rows, columns = solve_matrix(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    >>> round(value, 6), rows.round(6).tolist(), columns.round(6).tolist()
    (0.0, [0.5, 0.5], [0.5, 0.5])
    """
    rows, columns = payoffs.shape
    if rows == 0 or columns == 0:
        raise ValueError("a matrix game needs at least one row and one column")
    if not np.isfinite(payoffs).all():
        raise ValueError("the payoffs of a matrix game must be finite numbers")

    # 1. A row and a column that nobody wants to leave: most matrices of real games have such a pair.
    row, column = _saddle(payoffs)
    row_strategy, column_strategy = np.zeros(rows), np.zeros(columns)
    if row >= 0:
        row_strategy[row] = column_strategy[column] = 1.0
        return Equilibrium(payoffs[row, column], row_strategy, column_strategy)

    # 2. The tableau [m + 1, n + 1] of payoffs from 1 to 2; its last row is what is to gain, its last column the room.
    #    Columns are labelled from 0, rows from n on.
    lowest, spread = payoffs.min(), payoffs.max() - payoffs.min()
    scaled = np.ones((rows + 1, columns + 1))
    scaled[:rows, :columns] += (payoffs - lowest) / spread
    scaled[rows, :columns] = -1.0
    scaled[rows, columns] = 0.0
    at_row, at_column = np.arange(columns, columns + rows), np.arange(columns)
    best_rows, best_columns, lower, upper = row_strategy, column_strategy, -np.inf, np.inf

    for _ in range(ATTEMPTS):
        # 3. Find the best exchange; begin with what was reached before, where rounding has led astray.
        tableau = scaled.copy()
        at_row, at_column = _exchange_again(tableau, at_row, columns)
        _improve(tableau, at_row, at_column)

        # 4. Read the mixtures, and what each of them assures its side of.
        row_strategy, column_strategy = _mixtures(tableau, at_row, at_column)
        assured, conceded = _assured(payoffs, row_strategy), -_assured(-payoffs.T, column_strategy)
        if assured > lower:
            best_rows, lower = row_strategy, assured
        if conceded < upper:
            best_columns, upper = column_strategy, conceded
        if upper - lower <= PRECISION * spread:
            break
    return Equilibrium((lower + upper) / 2.0, best_rows, best_columns)


@inlined
def _saddle(payoffs: Floats) -> tuple[int, int]:
    """Return the row with the highest minimum and the column with the lowest maximum, if these agree; else -1."""
    best_row, best_column, lower, upper = -1, -1, -np.inf, np.inf
    for row in range(payoffs.shape[0]):
        if payoffs[row].min() > lower:
            best_row, lower = row, payoffs[row].min()
    for column in range(payoffs.shape[1]):
        if payoffs[:, column].max() < upper:
            best_column, upper = column, payoffs[:, column].max()
    return (best_row, best_column) if lower == upper else (-1, -1)


@inlined
def _exchange_again(tableau: Floats, goal: Labels, columns: int) -> tuple[Labels, Labels]:
    """Bring a fresh tableau to where the columns in `goal` stand at rows, largest entries first; what stands where."""
    rows = len(goal)
    at_row, at_column = np.arange(columns, columns + rows), np.arange(columns)
    wanted = np.zeros(rows + columns, np.bool_)
    for label in goal:
        wanted[label] = True
    while True:
        best_row, best_column, largest = -1, -1, TINY
        for row in range(rows):
            for column in range(columns):
                if wanted[at_column[column]] and not wanted[at_row[row]] and abs(tableau[row, column]) > largest:
                    best_row, best_column, largest = row, column, abs(tableau[row, column])
        if best_row < 0:
            return at_row, at_column
        _exchange(tableau, at_row, at_column, best_row, best_column)


@inlined
def _improve(tableau: Floats, at_row: Labels, at_column: Labels) -> None:
    """Exchange rows and columns until nothing is to gain."""
    greedy = 4 * (len(at_row) + len(at_column))
    for exchange in range(10 * greedy):
        column = _entering(tableau, at_column, exchange < greedy)
        row = _leaving(tableau, column) if column >= 0 else -1
        if row < 0:
            return
        _exchange(tableau, at_row, at_column, row, column)


@inlined
def _entering(tableau: Floats, at_column: Labels, greedy: bool) -> int:
    """The column that gains most, or by Bland's rule, which never goes in circles, the first that gains; else -1."""
    last, chosen = tableau.shape[0] - 1, -1
    for column in range(len(at_column)):
        if tableau[last, column] < -TINY:
            gains_more = greedy and tableau[last, column] < tableau[last, chosen]
            comes_first = not greedy and at_column[column] < at_column[chosen]
            if chosen < 0 or gains_more or comes_first:
                chosen = column
    return chosen


@inlined
def _leaving(tableau: Floats, column: int) -> int:
    """Return the row that bounds a column first; of rows that do so nearly alike, the one with the largest entry."""
    rows, last, chosen, bound = tableau.shape[0] - 1, tableau.shape[1] - 1, -1, np.inf
    for row in range(rows):
        if tableau[row, column] > TINY:
            bound = min(bound, (max(0.0, tableau[row, last]) + TINY) / tableau[row, column])
    for row in range(rows):
        entry = tableau[row, column]
        if entry > TINY and tableau[row, last] <= bound * entry and (chosen < 0 or entry > tableau[chosen, column]):
            chosen = row
    return chosen


@inlined
def _exchange(tableau: Floats, at_row: Labels, at_column: Labels, row: int, column: int) -> None:
    pivot = tableau[row, column]
    for other in range(tableau.shape[1]):
        if other != column:
            tableau[row, other] /= pivot
    tableau[row, column] = 1.0 / pivot
    for other in range(tableau.shape[0]):
        factor = tableau[other, column]
        if other != row and factor != 0.0:
            tableau[other, column] = 0.0
            for place in range(tableau.shape[1]):
                tableau[other, place] -= factor * tableau[row, place]
    at_row[row], at_column[column] = at_column[column], at_row[row]


@inlined
def _mixtures(tableau: Floats, at_row: Labels, at_column: Labels) -> tuple[Floats, Floats]:
    """Return the strategies [m] and [n]; rounding leaves no negative parts."""
    rows, columns = len(at_row), len(at_column)
    row_strategy, column_strategy = np.zeros(rows), np.zeros(columns)
    for row in range(rows):
        if at_row[row] < columns:
            column_strategy[at_row[row]] = max(0.0, tableau[row, columns])
    for column in range(columns):
        if at_column[column] >= columns:
            row_strategy[at_column[column] - columns] = max(0.0, tableau[rows, column])
    _scale_to_one(row_strategy)
    _scale_to_one(column_strategy)
    return row_strategy, column_strategy


@inlined
def _scale_to_one(mixture: Floats) -> None:
    total = 0.0
    for part in mixture:
        total += part
    mixture /= total


@inlined
def _assured(payoffs: Floats, mixture: Floats) -> float:
    """Return what a mixture of rows gives at least."""
    least = np.inf
    for column in range(payoffs.shape[1]):
        mean = 0.0
        for row in range(payoffs.shape[0]):
            mean += mixture[row] * payoffs[row, column]
        least = min(least, mean)
    return least
