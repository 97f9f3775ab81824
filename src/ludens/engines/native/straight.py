"""A part of a circuit as straight LLVM code: one instruction for each input of a gate, 64 states at once.

The code is cut into pieces of bounded size, each a module of its own, so that the time to compile it grows only in
proportion. What one piece needs of another goes through memory, the lanes: the fluents, the moves, the answers, and
whatever has to be kept, 64 bits each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.circuit import Circuit
from ludens.engines.backend.llvm_writer import Assembly
from ludens.engines.rows import row_words
from ludens.engines.sliced.layout_kernel import loop_members, node_levels

Ints = NDArray[np.integer]

PIECE = 1500
"""Inputs of gates in one piece, about."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A function of the lanes; one that updates loop inputs tells whether something changed."""

    assembly: str
    updates: bool = False


@dataclass(frozen=True, slots=True)
class Component:
    """Pieces that are run, the last one an update, until nothing changes; these lanes begin as zero."""

    lanes: tuple[int, ...]
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class StraightCode:
    """What evaluates some literals of a circuit."""

    parts: tuple[Piece | Component, ...]
    lane_count: int
    first_answer: int
    state_words: int
    move_words: int
    answer_words: int


def straight_code(circuit: Circuit, asked: Ints) -> StraightCode:
    """Code that answers the literals `asked`, in their order."""
    return _Generator(circuit, asked).code()


class _Generator:
    def __init__(self, circuit: Circuit, asked: Ints) -> None:
        self.circuit, self.asked = circuit, [int(literal) for literal in asked]
        self.state_words, self.answer_words = row_words(circuit.fluent_count), row_words(len(asked))
        needed = circuit.cone(asked)
        self.reads_moves = bool(needed[circuit.first_move : circuit.first_loop].any())
        self.move_words = row_words(circuit.move_count) if self.reads_moves else 0
        self.first_answer = 64 * (self.state_words + self.move_words)
        first_free = self.first_answer + 64 * self.answer_words
        self.lanes = np.full(circuit.node_count, -1, np.int64)
        self.lanes[1 : circuit.first_move] = np.arange(circuit.fluent_count)
        self.lanes[circuit.first_move : circuit.first_loop] = 64 * self.state_words + np.arange(circuit.move_count)
        places = np.flatnonzero(needed[circuit.first_loop :])
        self.lanes[circuit.first_loop + places] = first_free + np.arange(len(places))
        self.lane_count = first_free + len(places) + 1
        self.needed = needed

    def code(self) -> StraightCode:
        units = list(self._units())
        self.piece_of: dict[int, int] = {}
        number = 0
        cut: list[tuple[list[int], list[list[int]]]] = []
        for loops, gates in units:
            pieces = list(self._cut(gates))
            cut.append((loops, pieces))
            for piece in pieces:
                self.piece_of.update(dict.fromkeys(piece, number))
                number += 1
        self._find_kept()
        parts: list[Piece | Component] = []
        for loops, pieces in cut:
            made = tuple(Piece(self._gates_text(piece)) for piece in pieces)
            if loops:
                lanes = tuple(int(self.lanes[self.circuit.first_loop + loop]) for loop in loops)
                parts.append(Component(lanes, (*made, Piece(self._update_text(loops), updates=True))))
            else:
                parts += made
        padded = self.asked + [0] * (64 * self.answer_words - len(self.asked))
        answers = [padded[start : start + PIECE] for start in range(0, len(padded), PIECE)]
        for number, literals in enumerate(answers):
            parts.append(Piece(self._answers_text(literals, self.first_answer + PIECE * number)))
        return StraightCode(
            tuple(parts), self.lane_count, self.first_answer, self.state_words, self.move_words, self.answer_words
        )

    def _units(self) -> Iterator[tuple[list[int], list[int]]]:
        """Loops and gates to evaluate together, in order; without loops just gates."""
        circuit = self.circuit
        gates = np.flatnonzero(self.needed[circuit.first_gate :])
        loops = np.flatnonzero(self.needed[circuit.first_loop : circuit.first_gate])
        if not len(loops):
            yield [], gates.tolist()
            return
        groups = circuit.loop_groups
        arrays = circuit.first_loop, circuit.first_gate, circuit.starts, circuit.inputs
        members = loop_members(*arrays, circuit.loop_definitions, groups)
        levels = node_levels(*arrays, members, circuit.loop_definitions, groups, int(groups.max()) + 1)
        waiting: list[int] = []
        for level in np.unique(levels[np.concatenate([circuit.first_gate + gates, circuit.first_loop + loops])]):
            here = gates[(levels[circuit.first_gate + gates] == level)]
            waiting += here[members[here] < 0].tolist()
            for group in np.unique(groups[loops[levels[circuit.first_loop + loops] == level]]):
                yield [], waiting
                waiting = []
                yield loops[groups[loops] == group].tolist(), here[members[here] == group].tolist()
        yield [], waiting

    def _cut(self, gates: Sequence[int]) -> Iterator[list[int]]:
        piece: list[int] = []
        size = 0
        for gate in gates:
            piece.append(gate)
            size += int(self.circuit.starts[gate + 1] - self.circuit.starts[gate])
            if size >= PIECE:
                yield piece
                piece, size = [], 0
        if piece:
            yield piece

    def _find_kept(self) -> None:
        """Which gates are read by another piece, as an answer or by a loop; these are stored."""
        circuit = self.circuit
        definitions = [
            int(d) for d, n in zip(circuit.loop_definitions, self.needed[circuit.first_loop :], strict=False) if n
        ]
        self.kept = {(literal >> 1) - circuit.first_gate for literal in self.asked + definitions}
        for gate, piece in self.piece_of.items():
            for literal in circuit.inputs[circuit.starts[gate] : circuit.starts[gate + 1]]:
                read = (int(literal) >> 1) - circuit.first_gate
                if read >= 0 and self.piece_of[read] != piece:
                    self.kept.add(read)

    # -- text --------------------------------------------------------------------------------

    def _gates_text(self, gates: Sequence[int]) -> str:
        circuit, text = self.circuit, _PieceText(self.lanes)
        for gate in gates:
            literals = [int(literal) for literal in circuit.inputs[circuit.starts[gate] : circuit.starts[gate + 1]]]
            value = text.conjunction(literals)
            text.known[circuit.first_gate + gate] = value
            if gate in self.kept:
                text.store(value, int(self.lanes[circuit.first_gate + gate]))
        return text.function("void", "ret void")

    def _answers_text(self, literals: Sequence[int], first: int) -> str:
        text = _PieceText(self.lanes)
        for place, literal in enumerate(literals):
            text.store(text.literal(literal), first + place)
        return text.function("void", "ret void")

    def _update_text(self, loops: Sequence[int]) -> str:
        """New values for loop inputs from their definitions; all are read before any is written."""
        circuit, text = self.circuit, _PieceText(self.lanes)
        values = [
            (int(self.lanes[circuit.first_loop + loop]), text.literal(int(circuit.loop_definitions[loop])))
            for loop in loops
        ]
        changed = "0"
        for (lane, value), loop in zip(values, loops, strict=True):
            difference = text.op(f"xor i64 {value}, {text.node(circuit.first_loop + loop)}")
            changed = text.op(f"or i64 {changed}, {difference}")
            text.store(value, lane)
        return text.function("i64", f"ret i64 {changed}")


class _PieceText(Assembly):
    """The instructions of one piece."""

    def __init__(self, lanes: Ints) -> None:
        super().__init__()
        self._lanes = lanes
        self.known: dict[int, str] = {0: "0"}
        """Nodes whose values are at hand."""

    def node(self, node: int) -> str:
        if node not in self.known:
            address = self.op(f"getelementptr i64, ptr %lanes, i64 {self._lanes[node]}")
            self.known[node] = self.op(f"load i64, ptr {address}")
        return self.known[node]

    def literal(self, literal: int) -> str:
        value = self.node(literal >> 1)
        return self.op(f"xor i64 {value}, -1") if literal & 1 else value

    def conjunction(self, literals: Sequence[int]) -> str:
        """All plain ones, and none of the inverted ones."""
        plain = self._combined("and", [self.node(literal >> 1) for literal in literals if not literal & 1])
        inverted = self._combined("or", [self.node(literal >> 1) for literal in literals if literal & 1])
        if not inverted:
            return plain or "-1"
        none = self.op(f"xor i64 {inverted}, -1")
        return self.op(f"and i64 {plain}, {none}") if plain else none

    def _combined(self, operation: str, values: Sequence[str]) -> str:
        combined = values[0] if values else ""
        for value in values[1:]:
            combined = self.op(f"{operation} i64 {combined}, {value}")
        return combined

    def store(self, value: str, lane: int) -> None:
        address = self.op(f"getelementptr i64, ptr %lanes, i64 {lane}")
        self.line(f"store i64 {value}, ptr {address}")

    def function(self, result: str, ending: str) -> str:
        body = "\n".join([*self.lines, f"  {ending}"])
        return f"define {result} @piece(ptr noalias %lanes) nounwind {{\n{body}\n}}\n"
