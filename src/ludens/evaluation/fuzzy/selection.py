"""Which atoms are replaced by their rules, and which are only true or false."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from ludens.circuit.translate_kernel import order_atoms
from ludens.errors import CompileError
from ludens.evaluation.fuzzy.instances import Instances
from ludens.gdl.formulas import Signature
from ludens.runtime.deadline import Deadline

CIRCULAR = "they depend on themselves"
TOO_DEEP = "they are counted or followed up in too many steps"
TOO_LARGE = "unrolled, they would be too large"


@dataclass(frozen=True, slots=True)
class UnrollLimits:
    """How large formulas may become."""

    inputs: int = 50_000
    """Of all gates together."""
    recursion: int = 5_000
    """Of the gates of a relation that uses itself; what is counted step by step goes so deep that degrees fade."""
    near: int = 200_000
    """Fluents that stand in for others, counted for each of these."""
    instances: int = 300_000
    """Ground rules of goals and end; where there are more, rules are split first, and then nothing is unrolled."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is unrolled of the atoms that goals and end depend on."""

    opened: tuple[int, ...]
    """Each after all that it depends on."""
    opaque: tuple[int, ...]
    left_out: dict[Signature, str] = field(default_factory=dict)
    """The relations that have opaque atoms, and why."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Atoms of one relation, and whatever has to be unrolled with them."""

    atoms: list[int]
    whole: list[int]
    cost: int


def select(instances: Instances, limits: UnrollLimits, deadline: Deadline) -> Selection:
    """Unroll from goals and end on, level by level, as far as the limits allow."""
    return _Selecting(instances, limits, deadline).selection()


class _Selecting:
    def __init__(self, instances: Instances, limits: UnrollLimits, deadline: Deadline) -> None:
        self._instances, self._limits, self._deadline = instances, limits, deadline
        roots = np.array([literal >> 1 for literal in instances.roots], np.int32)
        tables = instances.rule_starts, instances.body_starts, instances.bodies
        order, component, cut, _ = order_atoms(roots, instances.first_derived, *tables)
        self._order: list[int] = order.tolist()
        circular = np.zeros(1 + len(component), np.bool_)
        circular[component[cut]] = True
        self._circular = circular[component]
        self._opened = set[int]()
        self._opaque: dict[int, None] = {}
        self._left_out: dict[Signature, str] = {}

    def selection(self) -> Selection:
        room = self._limits.inputs
        level = self._derived(self._instances.roots)
        while level:
            if self._deadline.passed:
                raise CompileError("there was not enough time to unroll them")
            new: list[int] = []
            # Of relations of the same size all or none, so that no role is favoured by the words of the sheet.
            for cost, alike in groupby(sorted(self._parts(level), key=_cost), _cost):
                parts = list(alike)
                if len(parts) * cost > room:
                    self._close((atom for part in parts for atom in part.atoms), TOO_LARGE)
                else:
                    room -= len(parts) * cost
                    new += (atom for part in parts for atom in part.whole if atom not in self._opened)
                    self._opened.update(new)
            level = self._derived(self._used(new))
        opened = tuple(atom for atom in self._order if atom in self._opened)
        return Selection(opened, tuple(self._opaque), self._left_out)

    def _parts(self, level: Iterable[int]) -> list[_Part]:
        """Return the atoms by their relations; those that cannot be unrolled become opaque."""
        instances = self._instances
        groups: dict[Signature, list[int]] = {}
        for atom in level:
            if self._circular[atom]:
                self._close([atom], CIRCULAR)
            else:
                groups.setdefault(instances.names[atom][0], []).append(atom)
        parts: list[_Part] = []
        for relation, atoms in groups.items():
            recursive = relation in instances.recursive
            whole = self._followed_up(atoms) if recursive else atoms
            cost = sum(map(instances.cost, whole))
            if recursive and cost > self._limits.recursion:
                self._close(atoms, TOO_DEEP)
            else:
                parts.append(_Part(atoms, whole, cost))
        return parts

    def _followed_up(self, atoms: Iterable[int]) -> list[int]:
        """Return the atoms of recursive relations that these depend on, themselves included."""
        found = dict.fromkeys(atoms)
        level = list(found)
        while level:
            used = self._derived(self._used(level))
            level = [
                atom
                for atom in used
                if atom not in found
                and self._instances.names[atom][0] in self._instances.recursive
                and not self._circular[atom]
            ]
            found |= dict.fromkeys(level)
        return list(found)

    def _used(self, atoms: Iterable[int]) -> Iterable[int]:
        return (literal for atom in atoms for body in self._instances.rules(atom) for literal in body)

    def _derived(self, literals: Iterable[int]) -> list[int]:
        """Return the atoms that nothing is decided about."""
        atoms = dict.fromkeys(literal >> 1 for literal in literals)
        return [
            atom
            for atom in atoms
            if atom >= self._instances.first_derived and atom not in self._opened and atom not in self._opaque
        ]

    def _close(self, atoms: Iterable[int], reason: str) -> None:
        for atom in atoms:
            if atom in self._opened:
                continue
            self._opaque[atom] = None
            self._left_out.setdefault(self._instances.names[atom][0], reason)


def _cost(part: _Part) -> int:
    return part.cost
