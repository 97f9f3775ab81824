"""A game compiled to a plan of its circuit, with the names that it has outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ludens.circuit import optimised_circuit
from ludens.core import GroundTerm
from ludens.engines.native.plan import CircuitPlan, plan_of
from ludens.gdl.rules import Rules
from ludens.gdl.terms import term_text
from ludens.ground import GroundingLimits, ground
from ludens.runtime.deadline import Deadline


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
