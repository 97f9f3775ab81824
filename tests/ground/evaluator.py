"""A deliberately simple evaluator of ground programs: atoms in the order of their components, round after round."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate
from random import Random

import numpy as np

from ludens.core import GroundTerm
from ludens.engines.reference import ReferenceEngine
from ludens.gdl.dependencies import strongly_connected
from ludens.gdl.rules import Rules
from ludens.ground import GroundProgram


class Evaluator:
    """Answers what a `GroundProgram` says about single states."""

    def __init__(self, program: GroundProgram) -> None:
        self.program = program
        self._bodies: dict[int, list[list[int]]] = {}
        bodies, starts = program.bodies.tolist(), program.body_starts.tolist()
        for number, head in enumerate(program.heads.tolist()):
            self._bodies.setdefault(head, []).append(bodies[starts[number] : starts[number + 1]])
        uses = {
            head: [literal >> 1 for body in alternatives for literal in body]
            for head, alternatives in self._bodies.items()
        }
        self._components = [[atom for atom in group if atom in uses] for group in strongly_connected(uses)]
        self._fluents = {fluent: 1 + index for index, fluent in enumerate(program.fluents)}
        first_move = 1 + len(program.fluents)
        self._first_moves = list(accumulate(map(len, program.moves[:-1]), initial=first_move))

    def values(self, facts: Iterable[GroundTerm], joint: Sequence[GroundTerm] = ()) -> list[bool]:
        """The truth of every atom when these facts hold and each role makes its move."""
        values = [False] * self.program.atom_count
        for fact in facts:
            values[self._fluents[fact]] = True
        for first, moves, move in zip(self._first_moves, self.program.moves, joint, strict=False):
            values[first + moves.index(move)] = True
        for component in self._components:
            changed = True
            while changed:
                changed = False
                for atom in component:
                    if not values[atom] and any(
                        all(values[literal >> 1] != (literal & 1) for literal in body) for body in self._bodies[atom]
                    ):
                        values[atom] = changed = True
        return values

    def legal(self, values: list[bool]) -> list[set[GroundTerm]]:
        return [
            _holding(moves, literals, values)
            for moves, literals in zip(self.program.moves, self.program.legal, strict=True)
        ]

    def goals(self, values: list[bool]) -> list[set[GroundTerm]]:
        return [
            _holding(terms, literals, values)
            for terms, literals in zip(self.program.goal_values, self.program.goals, strict=True)
        ]

    def terminal(self, values: list[bool]) -> bool:
        return bool(_holding(["terminal"], np.array([self.program.terminal]), values))

    def next(self, values: list[bool]) -> set[GroundTerm]:
        return _holding(self.program.fluents, self.program.next, values)

    def initial(self) -> set[GroundTerm]:
        return {fluent for fluent, holds in zip(self.program.fluents, self.program.init, strict=True) if holds}


def _holding(terms: Sequence[GroundTerm], literals: Collection[int], values: list[bool]) -> set[GroundTerm]:
    return {term for term, literal in zip(terms, literals, strict=True) if values[literal >> 1] != bool(literal & 1)}


def check_walks(rules: Rules, program: GroundProgram, walks: int, steps: int, seed: int) -> None:
    """Assert that program and reference engine agree, fact by fact, on random games."""
    reference, evaluator, rng = ReferenceEngine(rules), Evaluator(program), Random(seed)
    assert program.roles == reference.roles
    for _ in range(walks):
        batch = reference.initial(1)
        assert evaluator.initial() == reference.decode(batch)[0]
        for _ in range(steps):
            facts = reference.decode(batch)[0]
            values = evaluator.values(facts)
            assert evaluator.terminal(values) == reference.terminal(batch)[0]
            assert evaluator.goals(values) == [set(terms) for terms in reference.goal_terms(batch)[0]]
            if evaluator.terminal(values):
                break
            numbers = reference.legal(batch)[0]
            legal = [[reference.move_term(number) for number in role] for role in numbers]
            assert evaluator.legal(values) == [set(moves) for moves in legal]
            if not all(legal):
                break
            joint = [rng.choice(moves) for moves in legal]
            batch = reference.step(batch, [[reference.move_number(role, move) for role, move in enumerate(joint)]])
            assert evaluator.next(evaluator.values(facts, joint)) == reference.decode(batch)[0]
