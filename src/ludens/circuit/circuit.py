"""`Circuit`: what holds in a state and after a step, as gates over the fluents and moves.

Every gate is an AND of any number of literals; an OR is an inverted AND of inverted inputs, so that equal
parts are found whatever way they are written. Literals are as in `GroundProgram`: `2 * node`, plus 1 for the
inverse; node 0 is false. After it come the fluents, the moves, the loop inputs, and the gates, each after
all that it reads.

Rules that depend on themselves are cut open: a loop input stands for an atom of such a component, and
`loop_definitions` for its rules. Starting from false, the inputs take the values of their definitions until
nothing changes, component after component.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ludens.circuit.order_kernel import gate_depths, needed_nodes

Literals = npt.NDArray[np.int32]

FALSE, TRUE = 0, 1

GATE_COST = 1.5
"""The cost of evaluating a gate on top of its inputs, each of which costs 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Circuit:
    """Gates as arrays; see the module for the numbering."""

    fluent_count: int
    move_counts: tuple[int, ...]
    """For each role."""
    goal_counts: tuple[int, ...]
    """For each role, how many values its goal can have."""
    starts: Literals
    """[gates + 1]: where the inputs of each gate begin."""
    inputs: Literals
    """The input literals of all gates one after the other, sorted within a gate."""
    loop_definitions: Literals
    loop_groups: Literals
    """[loops]: the component of each loop input, counted in the order of evaluation."""
    next: Literals
    legal: Literals
    """The moves of all roles one after the other."""
    goals: Literals
    """The goal values of all roles one after the other."""
    terminal: int

    @property
    def move_count(self) -> int:
        return sum(self.move_counts)

    @property
    def first_move(self) -> int:
        return 1 + self.fluent_count

    @property
    def first_loop(self) -> int:
        return self.first_move + self.move_count

    @property
    def first_gate(self) -> int:
        return self.first_loop + len(self.loop_definitions)

    @property
    def gate_count(self) -> int:
        return len(self.starts) - 1

    @property
    def node_count(self) -> int:
        return self.first_gate + self.gate_count

    @property
    def outputs(self) -> Literals:
        """Every literal that is asked for from outside, and the definitions of the loops."""
        terminal = np.array([self.terminal], np.int32)
        return np.concatenate([self.next, self.legal, self.goals, terminal, self.loop_definitions])

    def with_outputs(self, outputs: Literals) -> Circuit:
        """Return the circuit with other literals in the places of `outputs`."""
        sizes = [len(self.next), len(self.legal), len(self.goals), 1]
        next_, legal, goals, terminal, loops = np.split(outputs, np.cumsum(sizes))
        return replace(self, next=next_, legal=legal, goals=goals, terminal=int(terminal[0]), loop_definitions=loops)

    @property
    def cost(self) -> float:
        """The cost of an evaluation, in units of reading one input."""
        return len(self.inputs) + GATE_COST * self.gate_count

    def cone(self, outputs: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return [nodes]: whether these literals depend on it, through loops too."""
        return needed_nodes(
            self.first_loop,
            self.first_gate,
            self.starts,
            self.inputs,
            self.loop_definitions,
            np.asarray(outputs, np.int32),
        )

    def state_outputs(self) -> Literals:
        """Return the literals that depend on the state alone: `terminal`, `legal` and `goal`."""
        return np.concatenate([np.array([self.terminal], np.int32), self.legal, self.goals])

    def stats(self) -> CircuitStats:
        depths = gate_depths(self.first_gate, self.starts, self.inputs)
        widths = np.diff(self.starts)
        return CircuitStats(
            gates=self.gate_count,
            inputs=len(self.inputs),
            loops=len(self.loop_definitions),
            depth=int(depths.max(initial=0)),
            widest=int(widths.max(initial=0)),
        )

    def cone_stats(self, outputs: npt.ArrayLike) -> tuple[int, int]:
        """Return how many gates, and inputs of gates, the literals depend on."""
        gates = self.cone(outputs)[self.first_gate :]
        return int(gates.sum()), int(np.diff(self.starts)[gates].sum())


@dataclass(frozen=True, slots=True)
class CircuitStats:
    """The size of a circuit."""

    gates: int
    inputs: int
    """Of all gates together."""
    loops: int
    depth: int
    """The number of gates on the longest path from a fluent, move or loop input to an output."""
    widest: int
    """The largest number of inputs of a gate."""
