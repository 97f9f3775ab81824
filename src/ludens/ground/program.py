"""`GroundProgram`: the rules of a game without variables, as arrays of numbers.

Numbers as in the AIGER format: atom 0 never holds, the literal `2 * atom` is the atom and `2 * atom + 1` its
absence, so the literals 0 and 1 are false and true. Atoms 1 to F are the fluents, the next ones the moves,
role after role, and all further ones are derived by the rules.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ludens.core import GroundTerm

FALSE, TRUE = 0, 1
"""The two constant literals."""

Literals = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class GroundProgram:
    """Everything that can hold or be done in any state, and the rules between these atoms.

    A fluent or move that can never hold or be legal is left out, and so is whatever depends on it; relations
    that are the same in all states are folded away. An atom without rules that is neither fluent nor move never
    holds.
    """

    roles: tuple[str, ...]
    fluents: tuple[GroundTerm, ...]
    """In natural order; fluent i is the atom 1 + i."""
    moves: tuple[tuple[GroundTerm, ...], ...]
    """For each role, in natural order; the moves follow the fluents in the numbering."""
    goal_values: tuple[tuple[GroundTerm, ...], ...]
    """For each role the values that some state might give, in natural order."""
    atom_count: int
    """Including atom 0."""
    heads: Literals
    """[rules]: the atom (not literal) that each rule derives."""
    body_starts: Literals
    """[rules + 1]: where the body of each rule begins in `bodies`."""
    bodies: Literals
    """The literals of all bodies one after the other."""
    init: npt.NDArray[np.bool_]
    """[fluents]: whether it holds at the start."""
    next: Literals
    """[fluents]: the literal that tells whether it holds after the step."""
    legal: tuple[Literals, ...]
    """For each role [its moves]: the literal that tells whether the move is legal."""
    goals: tuple[Literals, ...]
    """For each role [its goal values]."""
    terminal: int
    """The literal that tells whether the game is over."""

    @property
    def rule_count(self) -> int:
        return len(self.heads)
