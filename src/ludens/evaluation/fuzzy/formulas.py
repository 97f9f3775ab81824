"""`Formulas`: what a game calls its goals and its end, unrolled down to what can be seen in a state.

Literals are numbered as in `GroundProgram` and `Circuit`: `2 * node`, plus 1 for the opposite; node 0 is false. After
it come the leaves: fluents, comparisons of constants, and opaque atoms of which only the truth is known. Then come the
gates, each after all that it reads. Every gate is a conjunction; a disjunction is the opposite of a conjunction of
opposites, which is also how its degree of truth is defined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.circuit import Circuit
from ludens.core import GroundTerm

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class GoalValue:
    """One value that the rules can give a role."""

    value: int
    literal: int


@dataclass(frozen=True, slots=True, eq=False)
class Formulas:
    """All goals and the end of a game as one graph of conjunctions; see the module for the numbering."""

    roles: tuple[str, ...]
    fluent_count: int
    """The number of fluents of the engine, and of bits in the row of a state."""
    fluents: Ints
    """[fluent leaves]: the engine's number of each."""
    near_starts: Ints
    """[fluent leaves + 1]: where what can stand in for each begins in `near_fluents`; an empty part for none."""
    near_fluents: Ints
    """The engine's numbers of fluents that say the same of another place or amount."""
    near_degrees: Floats
    """How near each of these is, from 0 to below 1; where several hold, their mean counts."""
    comparison_holds: NDArray[np.bool_]
    """[comparisons]: whether each comparison of two constants is true; that never changes."""
    comparison_degrees: Floats
    """[comparisons]: from 0 to 1, how clearly it is true, or how nearly."""
    opaque: Ints
    """[opaque leaves]: literals of `circuit`."""
    circuit: Circuit | None
    """Tells the truth of opaque leaves from the fluents of the engine; moves, if it has any, do not matter."""
    starts: Ints
    """[gates + 1]: where the inputs of each gate begin."""
    inputs: Ints
    """The input literals of all gates one after the other."""
    goals: tuple[tuple[GoalValue, ...], ...]
    """For each role, the smallest value first."""
    terminal: int
    """The literal of the end."""
    names: Mapping[int, GroundTerm]
    """What a literal says: the fluent, the comparison, or the atom that it defines; not every literal has a name."""
    left_out: tuple[str, ...]
    """What is taken as true or false only, and why, in words."""

    @property
    def first_comparison(self) -> int:
        return 1 + len(self.fluents)

    @property
    def first_opaque(self) -> int:
        return self.first_comparison + len(self.comparison_holds)

    @property
    def first_gate(self) -> int:
        return self.first_opaque + len(self.opaque)

    @property
    def node_count(self) -> int:
        return self.first_gate + len(self.starts) - 1

    @property
    def goals_have_degrees(self) -> bool:
        """Whether some goal depends on anything but opaque atoms, and so can be nearer or farther."""
        reached = np.zeros(self.node_count, np.bool_)
        reached[[goal.literal >> 1 for goals in self.goals for goal in goals]] = True
        for gate in range(len(self.starts) - 2, -1, -1):
            if reached[self.first_gate + gate]:
                reached[self.inputs[self.starts[gate] : self.starts[gate + 1]] >> 1] = True
        return bool(reached[1 : self.first_opaque].any())
