"""From `Formulas` and a `Norm` to the tables that the kernel works on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.evaluation.fuzzy import fuzzy_kernel as k
from ludens.evaluation.fuzzy.formulas import Formulas
from ludens.evaluation.fuzzy.norms import HALF, Norm
from ludens.evaluation.fuzzy.vectors import aligned_vectors, numbers_of

FACTORS = {1: 1.0, 2: 1.0, 4: 1.0, 8: 2.0**4, 16: 2.0**7}
"""For each exponent what degrees are multiplied with before; single precision then holds the powers of small ones."""
SMALLEST_POWER = 2.0**-126
FALSE, TRUE = 0, 1
"""The literals of the constants, and their slots."""


@dataclass(frozen=True, slots=True)
class FormulaLayout:
    """What the kernel computes, and how much room it needs."""

    tables: k.PackedPlan
    words: int
    vectors: int
    most: float
    """What the constant false lacks."""

    def new_memory(self, lanes: int) -> k.EvaluationMemory:
        words, vectors = np.zeros((self.words, 1), np.uint64), aligned_vectors(self.vectors, lanes)
        memory = k.EvaluationMemory(words, vectors, numbers_of(vectors))
        memory.words[TRUE] = ~np.uint64(0)
        memory.lanes[FALSE] = self.most
        return memory


def lay_out(formulas: Formulas, norm: Norm) -> FormulaLayout:
    """Only what the goals and the end depend on is laid out."""
    return _LayoutBuilder(formulas, norm).layout()


class _LayoutBuilder:
    def __init__(self, formulas: Formulas, norm: Norm) -> None:
        self._formulas, self._norm = formulas, norm
        self._factor = FACTORS[norm.q]
        self._inputs = {
            formulas.first_gate + gate: formulas.inputs[first:last].tolist()
            for gate, (first, last) in enumerate(pairwise(formulas.starts.tolist()))
        }
        """The input literals of each gate, by its node."""
        crisp = 1 + np.flatnonzero(np.diff(formulas.near_starts) == 0)
        self._crisp = {*crisp.tolist(), *range(formulas.first_opaque, formulas.first_gate)}
        """The nodes of atoms of which only the truth counts, and those of constants."""
        self._constants = {FALSE, *range(formulas.first_comparison, formulas.first_opaque)}
        self._goals = [
            (role, self._as_gate(goal.literal), goal.value)
            for role, values in enumerate(formulas.goals)
            for goal in values
        ]
        self._end = self._as_gate(formulas.terminal) ^ 1
        self._slots = {FALSE: FALSE, TRUE: TRUE}
        """What literals lack has a slot, except for crisp atoms and comparisons."""
        self._bits: dict[int, int] = {}
        """The fluents whose bits are needed as numbers, each with its place."""
        self._groups: dict[tuple[int, ...], int] = {}
        """Fluents that are counted together, by their places."""
        self._near: list[int] = []
        """Places in what the formulas call near."""
        self._gates: list[tuple[int, ...]] = []
        self._bases: list[float] = []
        self._crisp_literals: list[int] = []
        self._parts: list[int] = []
        self._lookup: dict[tuple[int, tuple[float, ...]], int] = {}
        """The tables, by the number of crisp atoms and the degrees of constants that conjunctions consist of."""

    def layout(self) -> FormulaLayout:
        formulas = self._formulas
        self._need()
        graded = self._graded()
        for node in sorted(self._inputs):
            if self._slots_of(node) != (k.NONE, k.NONE):
                self._add_gate(node)
        self._gates.append((0, 0, len(self._crisp_literals), len(self._parts), 0, 0, 0))
        first_word = 2 * (formulas.first_gate + len(self._inputs))
        wires = first_word + np.arange(formulas.fluent_count)
        shares = len(self._slots)
        bits = shares + len(self._groups)
        degrees = bits + len(self._bits)
        near_bits = [self._bits[fluent] for fluent in formulas.near_fluents[self._near].tolist()]
        graded[:, k.WORD] += first_word
        ints = (
            [shares, bits, degrees, self._slots[self._end]],
            wires[formulas.fluents],
            wires,
            2 * (formulas.first_opaque + np.arange(len(formulas.opaque))),
            wires[list(self._bits)],
            np.cumsum([0, *map(len, self._groups)]),
            [bit for group in self._groups for bit in group],
            graded,
            near_bits,
            self._gates,
            self._crisp_literals,
            [(self._slots[literal], literal) for literal in self._parts],
            [(role, goal, self._slots[goal], self._slots[goal ^ 1]) for role, goal, _ in self._goals],
        )
        floats = (
            self._numbers(),
            formulas.near_degrees[self._near],
            self._bases,
            [self._amounts(*small) for small in self._lookup],
            [value / 100 for _, _, value in self._goals],
        )
        roles, words = len(formulas.roles), first_word + formulas.fluent_count
        return FormulaLayout(_tables(ints, floats), words, degrees + roles, self._power(1))

    # -- which literals need a slot ----------------------------------------------------------

    def _as_gate(self, literal: int) -> int:
        """Return a literal of a gate or constant with the same degree: a conjunction of one part is that part."""
        if literal <= TRUE or literal >> 1 >= self._formulas.first_gate:
            return literal
        node = self._formulas.first_gate + len(self._inputs)
        self._inputs[node] = [literal]
        return 2 * node

    def _need(self) -> None:
        """Give slots to what the goals and the end depend on."""
        wanted = {self._end, *(literal for _, goal, _ in self._goals for literal in (goal, goal ^ 1))}
        for node in sorted(self._inputs, reverse=True):
            if 2 * node in wanted or 2 * node + 1 in wanted:
                wanted.update(self._inputs[node])
        for literal in sorted(wanted):
            if not (self._is_crisp(literal) or self._is_constant(literal)):
                self._slots[literal] = len(self._slots)

    def _slots_of(self, node: int) -> tuple[int, int]:
        """Return those of a node and of its opposite."""
        return self._slots.get(2 * node, k.NONE), self._slots.get(2 * node + 1, k.NONE)

    def _is_constant(self, literal: int) -> bool:
        return literal >> 1 in self._constants

    def _is_crisp(self, literal: int) -> bool:
        """Return whether it is an atom of which only the truth counts."""
        return literal >> 1 in self._crisp

    # -- gates -------------------------------------------------------------------------------

    def _add_gate(self, node: int) -> None:
        inputs = self._inputs[node]
        constants = tuple(sorted(self._constant(literal) for literal in inputs if self._is_constant(literal)))
        crisp = [literal for literal in inputs if self._is_crisp(literal)]
        parts = [literal for literal in inputs if not (self._is_constant(literal) or self._is_crisp(literal))]
        table = k.NONE
        if len(crisp) <= k.SMALL and not parts:
            table = self._lookup.setdefault((len(crisp), constants), len(self._lookup))
        is_true = int(all(degree > HALF for degree in constants))
        self._gates.append((node, is_true, len(self._crisp_literals), len(self._parts), table, *self._slots_of(node)))
        self._bases.append(sum(self._power(1 - degree) for degree in constants))
        self._crisp_literals += crisp
        self._parts += parts

    def _constant(self, literal: int) -> float:
        """Return the degree of a literal that is the same in all states."""
        if literal <= TRUE:
            return float(literal)
        place = (literal >> 1) - self._formulas.first_comparison
        holds, degree = self._formulas.comparison_holds[place], self._formulas.comparison_degrees[place]
        value = self._norm.comparison(bool(holds), float(degree))
        return 1 - value if literal & 1 else value

    # -- graded atoms ------------------------------------------------------------------------

    def _graded(self) -> NDArray[np.int32]:
        """Return the rows of graded atoms, each with the number of its fluent."""
        formulas = self._formulas
        rows = []
        for leaf, fluent in enumerate(formulas.fluents.tolist()):
            slots = self._slots_of(1 + leaf)
            if slots == (k.NONE, k.NONE):
                continue
            places = range(formulas.near_starts[leaf], formulas.near_starts[leaf + 1])
            # Where the fluent itself holds, the mean does not matter; with it, many atoms have the same group.
            counted = sorted({fluent, *formulas.near_fluents[places.start : places.stop].tolist()})
            group = tuple(self._bits.setdefault(each, len(self._bits)) for each in counted)
            rows.append((fluent, len(self._near), self._groups.setdefault(group, len(self._groups)), *slots))
            self._near += places
        rows.append((0, len(self._near), 0, 0, 0))
        return np.array(rows, np.int32)

    # -- numbers -----------------------------------------------------------------------------

    def _power(self, lacking: float) -> float:
        return float((lacking * self._factor) ** self._norm.q)

    def _numbers(self) -> list[float]:
        norm, numbers = self._norm, [0.0] * 10
        numbers[k.ROOTS] = norm.q.bit_length() - 1
        numbers[k.FACTOR] = self._factor
        numbers[k.SMALLEST] = SMALLEST_POWER ** (1 / norm.q)
        numbers[k.TRUE_LACKS], numbers[k.FALSE_LACKS] = self._power(1 - norm.p), self._power(norm.p)
        numbers[k.MAX_TRUE_SHARE], numbers[k.MIN_FALSE_SHARE] = self._power(1 - norm.t), self._power(norm.t)
        numbers[k.MAX_LACK] = self._power(1)
        numbers[k.P], numbers[k.T] = norm.p, norm.t
        return numbers

    def _amounts(self, atoms: int, constants: Sequence[float]) -> tuple[list[float], list[float]]:
        """Return what a conjunction of crisp atoms and constants lacks, and its opposite, by how many are true."""
        norm = self._norm
        degrees = [
            norm.conjunction([*constants, *(norm.crisp(place < true) for place in range(atoms))])
            for true in range(k.SMALL + 1)
        ]
        return [self._power(1 - degree) for degree in degrees], [self._power(degree) for degree in degrees]


def _tables(ints: Sequence[Any], floats: Sequence[Any]) -> k.PackedPlan:
    """PackedPlan of any shapes one after the other."""
    whole, real = (
        [np.ravel(np.array(table, np.int32)) for table in ints],
        [np.ravel(np.array(table, np.float32)) for table in floats],
    )
    starts = [np.cumsum([0, *map(len, part)]) for part in (whole, real)]
    return k.PackedPlan(np.concatenate(whole), np.concatenate(real), np.concatenate(starts))
