"""A circuit as tables for the gate kernel: which wire is where, and which gates are evaluated in which order.

Wire 0 is never set and wire 1 always; then come the fluents, the moves and all others. The evaluation is divided
into phases, such as what must be known before the moves are chosen and what follows from them; a gate belongs to
the first phase that needs it. Within a phase the gates are sorted by level and shape, so that long runs of like
gates with consecutive outputs arise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.circuit.circuit import Circuit
from ludens.engines.sliced.gates_kernel import LOOP, Gates
from ludens.engines.sliced.layout_kernel import first_phases, loop_distances, loop_members, member_ranks, node_levels
from ludens.engines.sliced.vectors import Vectors, aligned_vectors, words_of

Ints = NDArray[np.int32]

ZERO_WIRE, ONE_WIRE, FIRST_FLUENT = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The tables of all phases; outputs are wires."""

    wire_count: int
    first_move: int
    phases: tuple[Gates, ...]
    outputs: tuple[Ints, ...]
    """For each phase, the wires of what it was asked for."""


def lay_out(circuit: Circuit, asked: Sequence[Ints], copied: int = -1) -> Layout:
    """Tables that evaluate in phase i the literals `asked[i]`, given all earlier phases.

    In the phase `copied` no output is the wire of a fluent or move itself, so that these can be overwritten.
    """
    roots = np.concatenate(asked).astype(np.int32)
    sizes = [len(literals) for literals in asked]
    root_phases = np.repeat(np.arange(len(asked), dtype=np.int32), sizes)
    gates = _Gates(circuit, roots, root_phases, copied)
    first_free = FIRST_FLUENT + circuit.fluent_count + circuit.move_count
    order = gates.order()
    wires = gates.wires(order, first_free)
    return Layout(
        wire_count=first_free + len(order),
        first_move=FIRST_FLUENT + circuit.fluent_count,
        phases=gates.tables(order, wires, first_free, len(asked)),
        outputs=tuple(np.split(gates.output_wires(wires), np.cumsum(sizes)[:-1])),
    )


def new_wires(count: int, width: int) -> Vectors:
    """Room for the values of wires, the constant ones set."""
    values = aligned_vectors(count, width)
    words_of(values)[ONE_WIRE] = np.uint64(2**64 - 1)
    return values


class _Gates:
    """The gates to evaluate: those of the circuit that are needed, then a few that only copy or invert."""

    def __init__(self, circuit: Circuit, roots: Ints, root_phases: Ints, copied_phase: int) -> None:
        self.circuit, self.roots, self.root_phases = circuit, roots, root_phases
        self._schedule()
        self._place_loops()
        self._choose_polarities(copied_phase)
        self._list_gates()
        self._list_operands()

    def _schedule(self) -> None:
        """When each gate of the circuit is evaluated, and which belong to loops."""
        circuit, groups = self.circuit, self.circuit.loop_groups
        gates = circuit.first_loop, circuit.first_gate, circuit.starts, circuit.inputs
        root_starts = np.searchsorted(self.root_phases, np.arange(self.root_phases.max(initial=-1) + 2))
        self.node_phases = first_phases(
            *gates, self.roots, root_starts.astype(np.int32), circuit.loop_definitions, groups
        )
        self.members = loop_members(*gates, circuit.loop_definitions, groups)
        group_count = int(groups.max(initial=-1)) + 1
        self.node_levels = node_levels(*gates, self.members, circuit.loop_definitions, groups, group_count)
        self.kept = self.node_phases[circuit.first_gate :] >= 0

    def _place_loops(self) -> None:
        """Loop inputs share the wire of the gate that defines them, stored the way they need it; others are copies."""
        circuit = self.circuit
        loops = np.flatnonzero(self.node_phases[circuit.first_loop : circuit.first_gate] >= 0)
        definitions = circuit.loop_definitions[loops]
        nodes = definitions >> 1
        gates = np.maximum(nodes - circuit.first_gate, 0)
        shared = nodes >= circuit.first_gate
        shared[shared] = self.members[gates[shared]] == circuit.loop_groups[loops[shared]]
        shared &= np.isin(np.arange(len(nodes)), np.unique(nodes, return_index=True)[1])
        self.node_inverted = np.zeros(circuit.node_count, np.bool_)
        self.node_inverted[nodes[shared]] = definitions[shared] & 1
        self.feeds_back = np.zeros(circuit.node_count, np.bool_)
        self.feeds_back[nodes[shared]] = True
        self.shared_loops, self.shared_nodes = circuit.first_loop + loops[shared], nodes[shared]
        self.copied_loops, self.copied_definitions = circuit.first_loop + loops[~shared], definitions[~shared]

    def _choose_polarities(self, copied_phase: int) -> None:
        """Gates that are only asked for inverted are stored so; outputs that no wire holds get a gate of their own."""
        roots, first_gate = self.roots, self.circuit.first_gate
        plain, inverted = np.zeros((2, self.circuit.node_count), np.bool_)
        plain[roots[roots & 1 == 0] >> 1] = True
        inverted[roots[roots & 1 == 1] >> 1] = True
        only = inverted & ~plain & ~self.feeds_back
        self.node_inverted[first_gate:] |= only[first_gate:]
        own = (roots & 1) != self.node_inverted[roots >> 1]
        own |= (self.root_phases == copied_phase) & (roots >> 1 < self.circuit.first_loop)
        self.own = own & (roots >= 2)
        self.turned, first = np.unique(roots[self.own], return_index=True)
        self.turned_phases = self.root_phases[self.own][first]

    def _list_gates(self) -> None:
        """One list of the circuit's gates, the copies and the inverters."""
        circuit, kept, loops = self.circuit, self.kept, self.copied_loops
        first_gate, copies, turned = circuit.first_gate, len(self.copied_loops), len(self.turned)
        self.numbers = np.flatnonzero(kept)
        self.phase = np.concatenate([self.node_phases[first_gate:][kept], self.node_phases[loops], self.turned_phases])
        turned_levels = self.node_levels[self.turned >> 1] + 1
        self.level = np.concatenate([self.node_levels[first_gate:][kept], self.node_levels[loops], turned_levels])
        copied_groups = circuit.loop_groups[loops - circuit.first_loop]
        self.group = np.concatenate([self.members[kept], copied_groups, np.full(turned, -1)])
        self.is_feedback = np.concatenate(
            [self.feeds_back[first_gate:][kept], np.ones(copies, np.bool_), np.zeros(turned, np.bool_)]
        )
        self.inverted = np.concatenate([self.node_inverted[first_gate:][kept], np.zeros(copies + turned, np.bool_)])
        gates = circuit.first_gate, circuit.starts, circuit.inputs, self.members, circuit.loop_definitions
        forth = np.argsort(loop_distances(circuit.first_loop, *gates), kind="stable").astype(np.int32)
        last = circuit.gate_count + np.arange(copies + turned)
        self.rank = np.concatenate([member_ranks(*gates, forth)[kept], last])
        self.back_rank = np.concatenate([member_ranks(*gates, forth[::-1].copy())[kept], last])

    def _list_operands(self) -> None:
        """What each gate reads, and how."""
        sizes = np.diff(self.circuit.starts)
        count = len(self.phase)
        self.operands = np.concatenate(
            [self.circuit.inputs[np.repeat(self.kept, sizes)], self.copied_definitions, self.turned]
        )
        self.operand_gates = np.concatenate(
            [np.repeat(np.arange(len(self.numbers)), sizes[self.kept]), np.arange(len(self.numbers), count)]
        )
        self.negative = (self.operands & 1).astype(np.bool_) ^ self.node_inverted[self.operands >> 1]
        self.negatives = np.bincount(self.operand_gates[self.negative], minlength=count)
        self.positives = np.bincount(self.operand_gates[~self.negative], minlength=count)

    def order(self) -> NDArray[np.intp]:
        """By phase, level and shape; the gates of a component in their own order."""
        outside = self.group < 0
        number = np.where(outside, 0, self.rank)
        shape = [np.where(outside, part, 0) for part in (self.inverted, self.negatives, self.positives)]
        return np.lexsort((number, *shape, self.group, self.level, self.phase))

    def wires(self, order: NDArray[np.intp], first_free: int) -> Ints:
        """The wire of each node of the circuit; -1 for those that nobody needs."""
        circuit = self.circuit
        wires = np.full(circuit.node_count, -1, np.int32)
        wires[0] = ZERO_WIRE
        wires[1 : circuit.first_loop] = np.arange(FIRST_FLUENT, first_free)
        places = np.empty(len(order), np.int32)
        places[order] = np.arange(first_free, first_free + len(order))
        plain = len(self.numbers)
        wires[circuit.first_gate + self.numbers] = places[:plain]
        wires[self.shared_loops] = wires[self.shared_nodes]
        wires[self.copied_loops] = places[plain : plain + len(self.copied_loops)]
        self._turned_wires = places[plain + len(self.copied_loops) :]
        return wires

    def output_wires(self, wires: Ints) -> Ints:
        """The wire that holds each literal that was asked for."""
        result: Ints = wires[self.roots >> 1]
        result[self.own] = self._turned_wires[np.searchsorted(self.turned, self.roots[self.own])]
        result[self.roots == 1] = ONE_WIRE
        return result

    def tables(self, order: NDArray[np.intp], wires: Ints, first_free: int, phase_count: int) -> tuple[Gates, ...]:
        """The runs of each phase, over common lists of operands and of gates inside loops."""
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        operand_wires = wires[self.operands >> 1]
        operands = operand_wires[np.lexsort((operand_wires, self.negative, place[self.operand_gates]))]
        sizes = (self.positives + self.negatives)[order]
        first_operands = np.cumsum(sizes) - sizes

        phase, group = self.phase[order], self.group[order]
        shape = np.stack([self.positives, self.negatives, self.inverted])[:, order]
        key = np.concatenate([[phase, self.level[order], group], np.where(group < 0, shape, 0)])
        begins = np.flatnonzero(np.concatenate([[True], (key[:, 1:] != key[:, :-1]).any(axis=0)]))[: len(order)]
        counts = np.diff(np.append(begins, len(order)))
        inside: NDArray[np.bool_] = group >= 0
        loop_places = 2 * np.cumsum(inside) - 2 * inside
        positives = np.where(inside[begins], LOOP, shape[0, begins])
        outputs = np.where(inside[begins], loop_places[begins], first_free + begins)
        runs = np.stack([positives, *shape[1:, begins], counts, first_operands[begins], outputs], axis=1)

        looped = self._to_and_fro(order, np.repeat(np.arange(len(begins)), counts), inside)
        feedback = self.is_feedback[order][looped]
        loops = np.stack([*shape[:, looped], feedback, first_operands[looped], first_free + looped], axis=1)
        return tuple(
            Gates(runs[phase[begins] == number].astype(np.int32), operands, loops.astype(np.int32))
            for number in range(phase_count)
        )

    def _to_and_fro(
        self, order: NDArray[np.intp], run: NDArray[np.intp], inside: NDArray[np.bool_]
    ) -> NDArray[np.intp]:
        """The places of the gates inside loops: for each component in the one order, then in the other."""
        forth = np.flatnonzero(inside)
        component = run[forth]
        back = forth[np.lexsort((self.back_rank[order][forth], component))]
        direction = np.repeat([0, 1], len(forth))
        return np.concatenate([forth, back])[np.lexsort((direction, np.tile(component, 2)))]
