"""Solvers of puzzles that know nothing of the rule sheets."""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from operator import xor

from tests.games.models import Place
from tests.games.puzzles_models import KnightsTour, PegSolitaire


def peg_solution() -> list[str]:
    """A way to end with one peg in the centre, found in depth; lost positions are not tried again."""
    lost: set[frozenset[Place]] = set()

    def search(pegs: frozenset[Place]) -> list[str] | None:
        if pegs == {(4, 4)}:
            return []
        for (x, y), (u, v), after in sorted(PegSolitaire.jumps(pegs), key=lambda jump: jump[:2]):
            rest = None if after in lost else search(after)
            if rest is not None:
                return [f"(jump {x} {y} {u} {v})", *rest]
        lost.add(pegs)
        return None

    solution = search(PegSolitaire().pegs)
    assert solution is not None
    return solution


def knight_path() -> list[Place]:
    """A whole tour from a corner, found by Warnsdorff's rule: first to where the fewest moves lead on."""

    def complete(model: KnightsTour) -> bool:
        onward = {place: len(KnightsTour([*model.path, place]).reachable()) for place in model.reachable()}
        for place in sorted(onward, key=lambda place: onward[place]):
            model.path.append(place)
            if complete(model):
                return True
            model.path.pop()
        return len(model.path) == 25

    tour = KnightsTour([(1, 1)])
    assert complete(tour)
    return tour.path


def press_sets(masks: list[int], target: int) -> list[int]:
    """All sets of presses, as bits, whose masks add up to the target modulo 2: Gauss's elimination."""
    basis: dict[int, tuple[int, int]] = {}
    kernel: list[int] = []

    def reduced(mask: int, presses: int) -> tuple[int, int]:
        for pivot, (row, used) in basis.items():
            if mask >> pivot & 1:
                mask, presses = mask ^ row, presses ^ used
        return mask, presses

    for index, mask in enumerate(masks):
        rest, presses = reduced(mask, 1 << index)
        if rest:
            basis[rest.bit_length() - 1] = (rest, presses)
        else:
            kernel.append(presses)
    rest, solution = reduced(target, 0)
    assert rest == 0
    return [reduce(xor, chosen, solution) for size in range(len(kernel) + 1) for chosen in combinations(kernel, size)]


def hanoi_moves(discs: int, peg: int, to: int) -> list[str]:
    """The well-known way to move a tower."""
    if discs == 0:
        return []
    other = 6 - peg - to
    return [*hanoi_moves(discs - 1, peg, other), f"(move {peg} {to})", *hanoi_moves(discs - 1, other, to)]
