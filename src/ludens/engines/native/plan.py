"""A circuit as tables for the functions in `runtime`: which node is where, and who is told when it changes.

A node is a bit in a row of words. First come the fluents, the moves, the items of recursive rules and their counters;
then the gates, each after all that it reads; then the gates that only goals need. Literals are `2 * node`, plus 1
for the inverse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.circuit import Circuit, optimised_circuit
from ludens.core import GroundTerm, goal_number
from ludens.engines.backend.memory import MemoryLayout
from ludens.engines.native.runtime import COMPONENT, FAN_END, NODE, SLOT, SPECIAL
from ludens.engines.sliced.layout_kernel import loop_members, node_levels
from ludens.errors import CompileError
from ludens.gdl.rules import Rules
from ludens.gdl.terms import term_text
from ludens.ground import GroundingLimits, ground
from ludens.runtime.deadline import Deadline

Ints = NDArray[np.int64]

GUARDED = 12
"""Gates of one level that read the same literal, from which on it is their guard."""
ALL_BITS = np.uint64(2**64 - 1)


@dataclass(frozen=True, slots=True, eq=False)
class CircuitPlan:
    """Everything about a game that the functions in `runtime` read, by the names that they use."""

    tables: Mapping[str, NDArray[Any]]
    scalars: Mapping[str, int]
    workspace: MemoryLayout
    """The widest elements first, so that nothing lies between the arrays."""

    @property
    def dtypes(self) -> dict[str, np.dtype[Any]]:
        """Return the types of the elements of all arrays."""
        return {name: table.dtype for name, table in self.tables.items()} | self.workspace.dtypes


def plan_of(circuit: Circuit, init: NDArray[np.bool_], goal_values: Iterable[Iterable[GroundTerm]]) -> CircuitPlan:
    """Plan a circuit; `init` tells which fluents hold at the start, `goal_values` are those of each role."""
    return _CircuitPlanner(circuit).plan(init, [goal_number(term) for terms in goal_values for term in terms])


@dataclass(frozen=True, slots=True, eq=False)
class CompiledGame:
    """What a library of a game is made from."""

    roles: tuple[str, ...]
    fluents: tuple[str, ...]
    moves: tuple[tuple[str, ...], ...]
    """For each role."""
    plan: CircuitPlan

    @classmethod
    def compile(
        cls,
        rules: Rules,
        limits: GroundingLimits | None = None,
        *,
        deadline: Deadline | None = None,
        progress: Callable[[str, int], None] | None = None,
    ) -> CompiledGame:
        """CompileError if the rules cannot be compiled within the limits.

        >>> rules = Rules.parse("(role me) (legal me go) (<= terminal (true done)) (<= (next done) (does me go))")
        >>> CompiledGame.compile(rules).moves
        (('go',),)
        """
        program = ground(rules, limits, deadline=deadline, progress=progress)
        if progress:
            progress("circuit", program.rule_count)
        plan = plan_of(optimised_circuit(program), program.init, program.goal_values)

        def text(term: GroundTerm) -> str:
            return term_text(term, rules.spelling)

        return cls(
            tuple(map(text, program.roles)),
            tuple(map(text, program.fluents)),
            tuple(tuple(map(text, moves)) for moves in program.moves),
            plan,
        )


class _CircuitPlanner:
    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self._select()
        self._list_items()
        self._find_guards()
        self._place()
        self._connect()

    def _select(self) -> None:
        """Which nodes are kept up to date, and which are evaluated only for the goals."""
        circuit = self.circuit
        needed = circuit.cone(np.concatenate([circuit.legal, circuit.next, [circuit.terminal]]))
        goals = circuit.cone(circuit.goals)
        loops = slice(circuit.first_loop, circuit.first_gate)
        if (goals & ~needed)[loops].any():
            needed |= circuit.cone(2 * (circuit.first_loop + np.flatnonzero(goals[loops])))
        arrays = circuit.first_loop, circuit.first_gate, circuit.starts, circuit.inputs
        group_count = int(circuit.loop_groups.max(initial=-1)) + 1
        members = loop_members(*arrays, circuit.loop_definitions, circuit.loop_groups)
        self.levels = node_levels(*arrays, members, circuit.loop_definitions, circuit.loop_groups, group_count)
        kept = needed[circuit.first_gate :]
        self.loops = np.flatnonzero(needed[loops])
        self.members = np.flatnonzero(kept & (members >= 0))
        self.gates = np.flatnonzero(kept & (members < 0))
        self.score_gates = np.flatnonzero((goals & ~needed)[circuit.first_gate :])
        self.member_groups = members

    def _inputs(self, gates: Ints) -> tuple[Ints, Ints]:
        """The input literals of some gates one after the other, and for each of them the place of its gate."""
        starts, sizes = self.circuit.starts[gates], np.diff(self.circuit.starts)[gates]
        owner = np.repeat(np.arange(len(gates)), sizes)
        places = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + starts[owner]
        return self.circuit.inputs[places].astype(np.int64), owner

    def _list_items(self) -> None:
        """The loop inputs and gates of recursive rules, component after component.

        A loop input whose definition lies outside of its component gets a gate of its own that copies it.
        """
        circuit = self.circuit
        groups = circuit.loop_groups[self.loops]
        self.components = np.unique(groups)
        self.item_of: dict[int, int] = {}
        self.item_gates: list[int] = []
        """For each item its gate, -1 for a loop input, -2 for a copy."""
        self.component_bounds: list[int] = []
        self.copied: dict[int, int] = {}
        """For items that are copies, the literal."""
        self.definitions: dict[int, int] = {}
        for group in self.components:
            loops = self.loops[groups == group]
            gates = self.members[self.member_groups[self.members] == group]
            inside = {circuit.first_loop + int(loop) for loop in loops} | {circuit.first_gate + int(g) for g in gates}
            first = len(self.item_gates)
            for loop in loops:
                self.item_of[circuit.first_loop + int(loop)] = len(self.item_gates)
                self.item_gates.append(-1)
            first_member = len(self.item_gates)
            for gate in gates:
                self.item_of[circuit.first_gate + int(gate)] = len(self.item_gates)
                self.item_gates.append(int(gate))
            for loop in loops:
                literal = int(circuit.loop_definitions[loop])
                item = self.item_of[circuit.first_loop + int(loop)]
                if literal >> 1 in inside:
                    self.definitions[item] = 2 * self.item_of[literal >> 1] + (literal & 1)
                else:
                    self.definitions[item] = 2 * len(self.item_gates)
                    self.copied[len(self.item_gates)] = literal
                    self.item_gates.append(-2)
            self.component_bounds += [first, first_member]
        self.component_bounds.append(len(self.item_gates))

    def _find_guards(self) -> None:
        """For each gate the literal that it has as its guard, or -1."""
        literals, owner = self._inputs(self.gates)
        self.guards = np.full(len(self.gates), -1, np.int64)
        if not len(literals):
            return
        fans = np.bincount(literals, minlength=2 * self.circuit.node_count)
        order = np.lexsort((literals, fans[literals], owner))
        last = np.flatnonzero(np.diff(owner[order], append=-1))
        best = literals[order][last]
        several = np.bincount(owner, minlength=len(self.gates)) > 1
        level = self.levels[self.circuit.first_gate + self.gates]
        _, group, sizes = np.unique(np.stack([best, level]), axis=1, return_inverse=True, return_counts=True)
        chosen = several & (sizes[group.ravel()] >= GUARDED)
        self.guards[chosen] = best[chosen]

    def _place(self) -> None:
        """The bit of every node."""
        circuit = self.circuit
        self.state_words = max(1, _words(circuit.fluent_count))
        self.first_move = 64 * self.state_words
        first_item = self.first_move + circuit.move_count
        items = len(self.item_gates)
        self.item_nodes = first_item + np.arange(items)
        false_node = first_item + items
        first_counter = 64 * _words(false_node + 1)
        self.item_counters = first_counter + np.arange(items)
        self.first_gate_word = _words(first_counter + items)
        self.bits = np.full(circuit.node_count, -1, np.int64)
        self.bits[0] = false_node
        self.bits[1 : 1 + circuit.fluent_count] = np.arange(circuit.fluent_count)
        self.bits[circuit.first_move : circuit.first_loop] = self.first_move + np.arange(circuit.move_count)
        for node, item in self.item_of.items():
            self.bits[node] = self.item_nodes[item]
        end = self._place_gates(64 * self.first_gate_word)
        self.end_gate_word = _words(end)
        self.first_score = 64 * self.end_gate_word
        self.bits[circuit.first_gate + self.score_gates] = self.first_score + np.arange(len(self.score_gates))
        self.word_count = _words(self.first_score + len(self.score_gates))
        self.counter_words = first_counter // 64, self.first_gate_word

    def _place_gates(self, free: int) -> int:
        """Level after level, in words of their own, and so do gates with the same guard; where they end."""
        circuit = self.circuit
        component_levels = [
            int(self.levels[circuit.first_loop + self.loops[circuit.loop_groups[self.loops] == group][0]])
            for group in self.components
        ]
        count = len(self.components)
        level = np.concatenate([component_levels, self.levels[circuit.first_gate + self.gates]]).astype(np.int64)
        guard = np.concatenate([np.full(count, -1), self.guards])
        self.triggers = np.zeros(count, np.int64)
        self.guard_words: list[tuple[int, int]] = []
        """Pairs of a guard and a word."""
        places = np.empty(len(level), np.int64)
        order = np.lexsort((np.arange(len(level)), guard, level))
        bounds = np.flatnonzero(np.diff(guard[order], prepend=-2) | np.diff(level[order], prepend=-2))
        for first, last in pairwise([*bounds, len(order)]):
            literal = int(guard[order[first]])
            places[order[first:last]] = free + np.arange(last - first)
            words = range(free // 64, _words(free + int(last - first)))
            if literal >= 0:
                self.guard_words += [(literal, word) for word in words]
            free = 64 * words.stop
        self.triggers = places[:count]
        self.bits[circuit.first_gate + self.gates] = places[count:]
        return free

    def _connect(self) -> None:
        """The edges from every node to the gates, counters and components that read it."""
        literals, owner = self._inputs(self.gates)
        counted = literals != self.guards[owner]
        sources = [self.bits[literals[counted] >> 1]]
        targets = [2 * self.bits[self.circuit.first_gate + self.gates[owner[counted]]] + (literals[counted] & 1)]
        touched: list[tuple[int, int]] = []
        self.item_inputs: list[list[int]] = []
        outside: list[tuple[int, int]] = []
        for item, gate in enumerate(self.item_gates):
            component = int(np.searchsorted(self.component_bounds[::2], item, "right")) - 1
            read = self._item_literals(item, gate)
            first, last = self.component_bounds[2 * component], self.component_bounds[2 * component + 2]
            inside: list[int] = []
            for literal in read:
                other = self.item_of.get(literal >> 1, -1)
                if gate != -2 and first <= other < last:
                    inside.append(2 * other + (literal & 1))
                else:
                    outside.append((literal, int(self.item_counters[item])))
                    touched.append((int(self.bits[literal >> 1]), int(self.triggers[component])))
            self.item_inputs.append([self.definitions[item]] if gate == -1 else inside)
        pairs = np.array(outside, np.int64).reshape(-1, 2)
        sources.append(self.bits[pairs[:, 0] >> 1])
        targets.append(2 * pairs[:, 1] + (pairs[:, 0] & 1))
        self.sources, self.targets = np.concatenate(sources), np.concatenate(targets)
        self.touched = sorted(set(touched))
        self._check_direction()

    def _check_direction(self) -> None:
        """Items must change in one direction only as facts are added: the queue has room for one change of each."""
        falls = [False] * len(self.item_gates)
        pairs = [(item, literal) for item, read in enumerate(self.item_inputs) for literal in read]
        for item, literal in pairs:
            if self.item_gates[item] >= 0:
                falls[item] = falls[literal >> 1] ^ bool(literal & 1)
        if any(falls[item] != falls[literal >> 1] ^ bool(literal & 1) for item, literal in pairs):
            raise CompileError("rules that depend on themselves do so in both directions after optimisation")

    def _item_literals(self, item: int, gate: int) -> list[int]:
        if gate == -1:
            return []
        if gate == -2:
            return [self.copied[item]]
        starts = self.circuit.starts
        return [int(literal) for literal in self.circuit.inputs[starts[gate] : starts[gate + 1]]]

    # -- tables ------------------------------------------------------------------------------

    def plan(self, init: NDArray[np.bool_], goal_numbers: Sequence[int]) -> CircuitPlan:
        circuit = self.circuit
        tables: dict[str, NDArray[Any]] = {}
        state_bytes = max(1, -(-circuit.fluent_count // 8))
        legal_words = self.state_words + np.cumsum([0, *map(_words, circuit.move_counts)])
        terminal_word = int(legal_words[-1])
        tables |= self._first_values() | self._node_tables(legal_words, terminal_word) | self._item_tables()
        tables["init"] = np.packbits(np.pad(init, (0, 8 * state_bytes - len(init))), bitorder="little")
        tables["fluent_masks"] = _bit_words(np.arange(circuit.fluent_count), self.state_words)
        tables["first_moves"] = np.cumsum([0, *circuit.move_counts]).astype(np.uint32)
        tables["legal_words"] = legal_words.astype(np.uint32)
        tables["first_goals"] = np.cumsum([0, *circuit.goal_counts]).astype(np.uint32)
        tables["goal_literals"] = self._moved(circuit.goals).astype(np.uint32)
        tables["goal_numbers"] = np.array([number if number >= 0 else 255 for number in goal_numbers], np.uint32)
        literals, owner = self._inputs(self.score_gates)
        tables["score_literals"] = self._moved(literals).astype(np.uint32)
        tables["score_inputs"] = _starts(owner, len(self.score_gates))
        scalars = {
            "role_count": len(circuit.move_counts),
            "state_bytes": state_bytes,
            "legal_bytes": max(1, -(-circuit.move_count // 8)),
            "state_words": self.state_words,
            "first_move_node": self.first_move,
            "first_gate_word": self.first_gate_word,
            "end_gate_word": self.end_gate_word,
            "word_count": self.word_count,
            "output_words": terminal_word + 2,
            "terminal_word": terminal_word,
            "component_count": len(self.components),
            "score_count": len(self.score_gates),
            "first_score_node": self.first_score,
        }
        filled = {name: table if len(table) else np.zeros(1, table.dtype) for name, table in tables.items()}
        return CircuitPlan(filled, scalars, self._workspace(scalars, filled["first_counts"].dtype))

    def _workspace(self, scalars: Mapping[str, int], count_type: np.dtype[Any]) -> MemoryLayout:
        words, items = scalars["word_count"], max(1, len(self.item_gates))
        arrays: list[tuple[str, Any, int]] = [
            ("ready", "u8", 1),
            ("words", "u8", 4 * words),
            ("outputs", "u8", scalars["output_words"]),
            ("after", "u8", self.state_words),
            ("made", "u4", scalars["role_count"]),
            ("item_queue", "u4", items),
            ("counts", count_type, 64 * words),
            ("item_counts", count_type, items),
            ("item_values", "u1", items),
        ]
        layout = MemoryLayout()
        for name, kind, length in sorted(arrays, key=lambda array: -np.dtype(array[1]).itemsize):
            layout.add(name, length, kind)
        return layout

    def _moved(self, literals: NDArray[np.integer]) -> Ints:
        """Literals of the circuit as literals of the plan."""
        moved: Ints = 2 * self.bits[np.asarray(literals) >> 1] + (np.asarray(literals) & 1)
        return moved

    def _first_values(self) -> dict[str, NDArray[Any]]:
        """What a workspace holds before anything is evaluated: no node holds, and nobody has been told otherwise."""
        counts = np.bincount(self.targets[self.targets & 1 == 0] >> 1, minlength=64 * self.word_count)
        widest = np.diff(self.circuit.starts).max(initial=0)
        gates = self.bits[self.circuit.first_gate + self.gates]
        active = _bit_words(gates[counts[gates] == 0], self.word_count)
        masks = np.full(self.word_count, ALL_BITS)
        masks[slice(*self.counter_words)] = 0
        for literal, word in self.guard_words:
            masks[word] = ALL_BITS if literal & 1 else 0
        dirty = (active & masks) | _bit_words(self.triggers, self.word_count)
        return {
            "first_counts": counts.astype(np.uint16 if widest < 2**16 else np.uint32),
            "first_words": np.stack([active, masks, dirty, np.zeros_like(active)], axis=1).ravel(),
        }

    def _node_tables(self, legal_words: Ints, terminal_word: int) -> dict[str, NDArray[Any]]:
        circuit = self.circuit
        legal = np.concatenate([
            64 * first + np.arange(count) for first, count in zip(legal_words, circuit.move_counts, strict=False)
        ])  # fmt: skip
        slots = np.concatenate([np.arange(circuit.fluent_count), legal, [64 * terminal_word]])
        literals = np.concatenate([circuit.next, circuit.legal, [circuit.terminal]])
        outputs = _bit_words(slots[literals & 1 == 1], terminal_word + 2)
        owners = self.bits[literals >> 1]
        first = np.unique(owners, return_index=True)[1]
        extra = np.setdiff1d(np.arange(len(owners)), first)
        order = np.argsort(self.sources, kind="stable")
        starts = _starts(self.sources[order], 64 * self.word_count)
        nodes = np.zeros((64 * self.word_count, NODE), np.uint32)
        nodes[:, 0], nodes[:, FAN_END] = starts[:-1], starts[1:]
        nodes[:, SLOT] = 64 * (terminal_word + 1)
        nodes[owners[first], SLOT] = slots[first]
        guards = [(int(self.bits[literal >> 1]), word) for literal, word in self.guard_words]
        more = list(zip(owners[extra].tolist(), slots[extra].tolist(), strict=True))
        lists = [sorted(pairs) for pairs in (guards, more, self.touched)]
        special = sorted({node for pairs in lists for node, _ in pairs})
        firsts = [np.searchsorted([node for node, _ in pairs], [-1, *special, 2**62, 2**62]) for pairs in lists]
        nodes[special, SPECIAL] = np.arange(1, len(special) + 1)
        nodes[self.triggers, SPECIAL] = COMPONENT + np.arange(len(self.triggers))
        return {
            "nodes": nodes.ravel(),
            "edges": self.targets[order].astype(np.uint32),
            "specials": np.stack(firsts, axis=1).ravel().astype(np.uint32),
            **{
                name: np.array([item for _, item in pairs], np.uint32)
                for name, pairs in zip(("guarded_words", "more_slots", "triggers"), lists, strict=True)
            },
            "first_outputs": outputs,
        }

    def _item_tables(self) -> dict[str, NDArray[Any]]:
        readers: list[list[int]] = [[] for _ in self.item_gates]
        for item, literals in enumerate(self.item_inputs):
            for literal in literals:
                readers[literal >> 1].append(2 * item + (literal & 1))
        return {
            "components": np.array(self.component_bounds, np.uint32),
            "item_nodes": self.item_nodes.astype(np.uint32),
            "item_counters": self.item_counters.astype(np.uint32),
            "item_inputs": np.cumsum([0, *map(len, self.item_inputs)]).astype(np.uint32),
            "item_literals": np.array([literal for read in self.item_inputs for literal in read], np.uint32),
            "item_fans": np.cumsum([0, *map(len, readers)]).astype(np.uint32),
            "item_edges": np.array([edge for edges in readers for edge in edges], np.uint32),
        }


def _words(bits: int) -> int:
    return -(-bits // 64)


def _bit_words(bits: NDArray[np.integer], words: int) -> NDArray[np.uint64]:
    """Words in which exactly these bits are set."""
    flags = np.zeros(64 * words, np.bool_)
    flags[bits] = True
    return np.packbits(flags, bitorder="little").view("<u8").astype(np.uint64)


def _starts(owners: Ints, count: int) -> NDArray[np.uint32]:
    """Where the entries of each owner begin, in a list that is sorted by owner."""
    return np.searchsorted(owners, np.arange(count + 1)).astype(np.uint32)
