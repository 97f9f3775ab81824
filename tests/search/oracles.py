"""What small games are worth, worked out straight from their plain data, by definition and in exact fractions.

Nothing here is fast or clever, and nothing comes from the searches that are tested against it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from itertools import combinations, product

from tests.search.game_trees import GameTree, Joint, Position

Matrix = list[list[Fraction]]
"""What a side gets for each of its joint moves, and each answer of the others."""
Backup = Callable[[Matrix, bool], Fraction]
"""From the values after a state to its own; it is told whether several players have a choice there."""

UNKNOWN = Fraction(50)


def minimax(matrix: Matrix, simultaneous: bool) -> Fraction:
    """The others answer when they have seen the move: minimax of two sides; paranoid and serialised of more."""
    return max(map(min, matrix))


def against_random(matrix: Matrix, simultaneous: bool) -> Fraction:
    """As minimax when moves are made in turn; who moves at the same time does so uniformly at random."""
    return max(sum(row, Fraction(0)) / len(row) for row in matrix) if simultaneous else minimax(matrix, False)


def equilibrium(matrix: Matrix, simultaneous: bool) -> Fraction:
    """Both sides mix their moves as well as they can."""
    return equilibrium_value(matrix)


def value(tree: GameTree, side: Collection[int], backup: Backup = minimax, at: Position | None = None) -> Fraction:
    """What the roles of one side, who share a goal and agree on their moves, can expect; all others are against them.

    Chance is expectation, so for one role and chance this is expectimax.
    """
    return _value(tree, frozenset(side), backup, at or tree.start, {})


def move_values(tree: GameTree, role: int, side: Collection[int], backup: Backup = minimax) -> list[Fraction]:
    """What each move of a role at the start is worth to its side, when it is certain to be made."""
    start, known = tree.start, dict[Position, Fraction]()
    values = []
    for move in range(tree.choices(start)[role]):
        joints = [joint for joint in tree.joints(start) if joint[role] == move]
        matrix = _matrix(tree, frozenset(side), backup, start, joints, known)
        values.append(backup(matrix, is_simultaneous(tree, start)))
    return values


def end_values(tree: GameTree, at: Position) -> tuple[Fraction, ...] | None:
    """What all roles get where a game is over, or where it cannot go on."""
    if tree.is_end(at):
        return tuple(UNKNOWN if goal is None else Fraction(goal) for goal in tree.goals(at))
    return None if all(tree.choices(at)) else (UNKNOWN,) * len(tree.roles)


def is_simultaneous(tree: GameTree, at: Position) -> bool:
    choices = tree.choices(at)
    return sum(choices[player] > 1 for player in tree.players) > 1


def _value(
    tree: GameTree, side: frozenset[int], backup: Backup, at: Position, known: dict[Position, Fraction]
) -> Fraction:
    if at not in known:
        end = end_values(tree, at)
        if end is not None:
            known[at] = end[min(side)]
        else:
            matrix = _matrix(tree, side, backup, at, list(tree.joints(at)), known)
            known[at] = backup(matrix, is_simultaneous(tree, at))
    return known[at]


def _matrix(
    tree: GameTree,
    side: frozenset[int],
    backup: Backup,
    at: Position,
    joints: Sequence[Joint],
    known: dict[Position, Fraction],
) -> Matrix:
    """The values after joint moves, by the moves of the side and those of the others; the mean over those of chance."""
    cells: dict[Joint, dict[Joint, list[Fraction]]] = {}
    for joint in joints:
        ours = tuple(joint[role] for role in tree.players if role in side)
        theirs = tuple(joint[role] for role in tree.players if role not in side)
        after = _value(tree, side, backup, tree.after(at, joint), known)
        cells.setdefault(ours, {}).setdefault(theirs, []).append(after)
    return [[sum(draws, Fraction(0)) / len(draws) for draws in row.values()] for row in cells.values()]


Goals = tuple[Fraction, ...]


def rivals(tree: GameTree, role: int, at: Position | None = None) -> tuple[Fraction, Fraction]:
    """What a role gets, and all others together, if it first wants the most for itself and then the least for them.

    They want the opposite, and answer when they have seen its move; for games without chance.
    """
    at = at or tree.start
    if (end := end_values(tree, at)) is not None:
        return end[role], sum(end, Fraction(0)) - end[role]
    rows: dict[int, list[tuple[Fraction, Fraction]]] = {}
    for joint in tree.joints(at):
        own, others = rivals(tree, role, tree.after(at, joint))
        rows.setdefault(joint[role], []).append((own, -others))
    own, others = max(map(min, rows.values()))
    return own, -others


def maxn(tree: GameTree, at: Position | None = None) -> frozenset[Goals]:
    """All that the roles can come to when each in its turn takes what is best for itself.

    Who does not care may take either, so there can be several answers; for moves in turn only.
    """
    return _maxn(tree, at or tree.start, {})


def _maxn(tree: GameTree, at: Position, known: dict[Position, frozenset[Goals]]) -> frozenset[Goals]:
    if at not in known:
        end = end_values(tree, at)
        known[at] = frozenset([end]) if end is not None else _maxn_inside(tree, at, known)
    return known[at]


def _maxn_inside(tree: GameTree, at: Position, known: dict[Position, frozenset[Goals]]) -> frozenset[Goals]:
    choices = tree.choices(at)
    movers = [role for role, count in enumerate(choices) if count > 1]
    assert len(movers) <= 1, "max^n is defined for moves in turn"
    after = [_maxn(tree, tree.after(at, joint), known) for joint in tree.joints(at)]
    if movers == [tree.chance]:
        return frozenset(
            tuple(sum(column, Fraction(0)) / len(column) for column in zip(*draws, strict=True))
            for draws in product(*after)
        )
    mover = movers[0] if movers else 0
    certain = max(min(goals[mover] for goals in possible) for possible in after)
    return frozenset(goals for possible in after for goals in possible if goals[mover] >= certain)


def random_play(tree: GameTree, at: Position | None = None) -> Goals:
    """What the roles get on average when everybody moves uniformly at random."""
    return _random_play(tree, at or tree.start, {})


def _random_play(tree: GameTree, at: Position, known: dict[Position, Goals]) -> Goals:
    if at not in known:
        end = end_values(tree, at)
        if end is None:
            after = [_random_play(tree, tree.after(at, joint), known) for joint in tree.joints(at)]
            end = tuple(sum(column, Fraction(0)) / len(after) for column in zip(*after, strict=True))
        known[at] = end
    return known[at]


def shortest_way(tree: GameTree, goal: int = 100) -> int | None:
    """How many moves one role alone needs to an end with at least this goal; None if there is no way."""
    layer, steps = {tree.start}, 0
    seen = set(layer)
    while layer:
        if any(tree.is_end(at) and (tree.goals(at)[0] or 0) >= goal for at in layer):
            return steps
        following = {tree.after(at, joint) for at in layer if not tree.is_end(at) for joint in tree.joints(at)}
        layer, steps = following - seen, steps + 1
        seen |= layer
    return None


# -- matrix games ----------------------------------------------------------------------------


def equilibrium_value(payoffs: Sequence[Sequence[float | Fraction]]) -> Fraction:
    """The value of a matrix game in which the rows want it high.

    By the theorem of Shapley and Snow some square part of the matrix has mixtures that make the other side's choices
    in it all alike, and that are best in the whole matrix.
    """
    matrix = [[Fraction(payoff) for payoff in row] for row in payoffs]
    columns = [list(column) for column in zip(*matrix, strict=True)]
    for size in range(1, min(len(matrix), len(columns)) + 1):
        for row_part in combinations(range(len(matrix)), size):
            for column_part in combinations(range(len(columns)), size):
                rows = _equalising(columns, column_part, row_part)
                answer = _equalising(matrix, row_part, column_part)
                if rows is None or answer is None:
                    continue
                assured = min(_mean(column, rows) for column in columns)
                if assured == max(_mean(row, answer) for row in matrix):
                    return assured
    raise AssertionError("every matrix game has a value")


def _mean(payoffs: Sequence[Fraction], mixture: dict[int, Fraction]) -> Fraction:
    return sum((payoffs[place] * part for place, part in mixture.items()), Fraction(0))


def _equalising(lines: Matrix, line_part: Sequence[int], places: Sequence[int]) -> dict[int, Fraction] | None:
    """The mixture of some places that gives some lines the same mean, if there is just one, with no part below 0."""
    equations = [[*(lines[line][place] for place in places), Fraction(-1), Fraction(0)] for line in line_part]
    equations.append([*[Fraction(1)] * len(places), Fraction(0), Fraction(1)])
    solution = _solve(equations)
    if solution is None or min(solution[:-1]) < 0:
        return None
    return dict(zip(places, solution, strict=False))


def _solve(equations: Matrix) -> list[Fraction] | None:
    """The solution of linear equations, right sides last, if there is just one."""
    count = len(equations)
    for place in range(count):
        pivot = next((row for row in range(place, count) if equations[row][place]), None)
        if pivot is None:
            return None
        equations[place], equations[pivot] = equations[pivot], equations[place]
        head = equations[place] = [number / equations[place][place] for number in equations[place]]
        for row in range(count):
            if row != place:
                factor = equations[row][place]
                equations[row] = [number - factor * lead for number, lead in zip(equations[row], head, strict=True)]
    return [row[-1] for row in equations]
