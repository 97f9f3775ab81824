"""Listing the facts that never change, relation by relation, by the functions of the reference engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ludens.core import GroundTerm
from ludens.engines.joins import Variant
from ludens.engines.reference.codegen import Program
from ludens.engines.reference.planner import RulePlanner, RuleStatistics
from ludens.engines.reference.recursion import GoalTable
from ludens.engines.relational.flatten import CONSTANT
from ludens.errors import EvaluationLimitError, LudensError
from ludens.gdl.formulas import Atom, Clause, Formula, Literal, Not, Rule, Signature
from ludens.gdl.rules import Rules
from ludens.gdl.terms import constants

MAX_FACTS = 200_000
"""What is found for one relation, in all. What would need more is asked on demand."""
MAX_COST = 1e7
"""What one relation may cost by estimate, about a second."""
CHECK_EVERY = 1_000

Fact: TypeAlias = tuple[GroundTerm, ...]


def static_facts(rules: Sequence[Rule], check: Callable[[], None] = lambda: None) -> dict[Signature, list[Fact]]:
    """Return the facts of all relations that these rules define; those that are too many to list are left out.

    `check` is called again and again, and may raise to break off.
    """
    words = {word for rule in rules for atom in _atoms(rule) for term in atom.args for word in constants(term)}
    known_words = [Rule(Atom(CONSTANT, (word,))) for word in sorted(words)]
    whole = Rules([*map(_clause, rules), *map(_clause, known_words)])
    planner = RulePlanner(whole, RuleStatistics(whole))
    program = _counting_program(planner, check)
    found: dict[Signature, list[Fact]] = {}
    for signature in dict.fromkeys(rule.head.signature for rule in rules):
        check()
        modes = "f" * signature[1]
        try:
            if planner.estimate(Variant(signature, modes)).cost <= MAX_COST:
                answer = program.query(signature, modes)(program.new_state(frozenset()))
                found[signature] = _rows(answer, signature[1])
        except (LudensError, RecursionError):
            check()
            program = _counting_program(planner, check)
    return found


def _counting_program(planner: RulePlanner, check: Callable[[], None]) -> Program:
    """Return a program that raises EvaluationLimitError when it has found too many facts."""
    count = 0

    class CountedSet(set[Any]):
        def add(self, fact: Any) -> None:
            nonlocal count
            count += 1
            if count % CHECK_EVERY == 0:
                check()
            if count > MAX_FACTS:
                raise EvaluationLimitError(f"there are more than {MAX_FACTS:,} facts")
            super().add(fact)

    class CountedTable(GoalTable):
        __slots__ = ()

        def __init__(self, component: int, evaluate: Callable[[Callable[[Any], None]], None]) -> None:
            super().__init__(component, evaluate)
            self.answers = CountedSet()
            self.add = self.answers.add

    program = Program(planner)
    program.namespace |= {"set": CountedSet, "GoalTable": CountedTable}
    return program


def _rows(answer: Any, arity: int) -> list[Fact]:
    if arity == 0:
        return [()] if answer else []
    return [(value,) for value in answer] if arity == 1 else list(answer)


def _atoms(rule: Rule) -> list[Atom]:
    return [rule.head, *(literal.atom for literal in rule.body)]


def _clause(rule: Rule) -> Clause:
    def formula(literal: Literal) -> Formula:
        return literal.atom if literal.positive else Not(literal.atom)

    return Clause(rule.head, tuple(map(formula, rule.body)), rule.span)
