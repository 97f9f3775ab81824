"""Rules in another shape mean the same."""

from __future__ import annotations

import pytest

from ludens.engines.reference import ReferenceEngine
from ludens.evaluation.fuzzy.shape import factored, specialised
from ludens.gdl.formulas import Clause, Not, Rule
from ludens.gdl.rules import Rules
from tests.evaluation.fuzzy.sheets import PAIRS, THREE
from tests.evaluation.fuzzy.unrolled import random_states, unrolled
from tests.tiers import first

ROOTS = (("goal", 2), ("terminal", 0))
CHANGING = {("true", 1), ("goal", 2), ("terminal", 0), ("rich", 1), ("near", 1)}


def rules_of(text: str) -> tuple[Rule, ...]:
    return Rules.parse(text).rules


def texts(rules: list[Rule]) -> list[str]:
    return [str(rule) for rule in rules]


def test_only_what_is_asked_for() -> None:
    rules = rules_of(
        "(<= terminal (p a b)) (<= (goal r 1) (p a c)) (<= (p ?x ?y) (true (q ?x ?y))) (<= (p b b) (true z))"
    )
    assert set(texts(specialised(rules, ROOTS))) == {
        "(<= terminal (p a b))",
        "(<= (goal r 1) (p a c))",
        "(<= (p a b) (true (q a b)))",
        "(<= (p a c) (true (q a c)))",
    }


def test_words_are_handed_down() -> None:
    rules = rules_of(
        "(<= terminal (p a)) (<= (p ?x) (q ?x ?y) (r ?y)) (<= (q ?x ?y) (true (f ?x ?y))) (<= (r ?y) (true ?y))"
    )
    assert "(<= (q a ?y) (true (f a ?y)))" in texts(specialised(rules, ROOTS))
    assert "(<= (r ?y) (true ?y))" in texts(specialised(rules, ROOTS))


def test_a_variable_that_stands_twice_in_a_head() -> None:
    rules = rules_of("(<= terminal (p a b)) (<= terminal (p c c)) (<= (p ?x ?x) (true ?x))")
    assert [text for text in texts(specialised(rules, ROOTS)) if text.startswith("(<= (p")] == ["(<= (p c c) (true c))"]


def test_recursion_stays_as_it_is() -> None:
    rules = rules_of("(<= terminal (p a)) (<= (p ?x) (true ?x)) (<= (p ?x) (e ?x ?y) (p ?y)) (e a b)")
    assert set(rules) == set(specialised(rules, ROOTS))


def test_independent_parts_are_taken_apart() -> None:
    (one, other, whole) = factored(rules_of("(<= terminal (true (f ?x)) (true (g ?y)) (true c))"), CHANGING)
    assert [len(part.body) for part in (one, other, whole)] == [1, 1, 3]
    assert {one.body[0].atom.args, other.body[0].atom.args} == {
        rule.args for rule in (Rules.parse("(<= a (true (f ?x)) (true (g ?y)))").rules[0].body[i].atom for i in (0, 1))
    }
    assert not {literal.atom.name for literal in whole.body} & {"f", "g"}


def test_parts_that_belong_together_are_not() -> None:
    for text in (
        "(<= terminal (true (f ?x)) (true (g ?x)))",
        "(<= terminal (true (f ?x)) (size ?y))",
        "(<= (rich ?x) (true (f ?x)) (true (g ?x)))",
        "(<= terminal (true (f ?x)) (true (g ?y)) (distinct ?x ?y))",
        "(<= terminal (true (f ?x)) (not (near ?x)))",
    ):
        assert texts(factored(rules_of(text), CHANGING)) == [text]


def test_what_the_head_binds_stays_bound() -> None:
    """The part that only tests ?x needs the other one to find it."""
    text = "(<= (rich ?x) (true (f ?x ?y)) (true (g ?z)) (not (near ?x)))"
    parts = factored(rules_of(text), CHANGING)
    for part in parts:
        bound = {variable for literal in part.body if literal.positive for variable in literal.atom.variables()}
        assert bound.issuperset(part.variables())


@pytest.mark.parametrize("name", first(2, ("racetrackcorridor", "tictactoe", "checkers", "backgammon")))
def test_the_same_truth(name: str) -> None:
    """Compare whole games with their goals and ends in the other shape, in the reference engine."""
    game = unrolled(name).game
    rules = game.engine_rules
    needed = rules.dependencies.reachable(ROOTS)
    cone = [rule for rule in rules.rules if rule.head.signature in needed]
    shaped = specialised(cone, ROOTS)
    changing = {relation for relation in needed if ("true", 1) in rules.dependencies.reachable([relation])}
    shaped = factored(shaped, changing)
    roles = [Clause(rule.head) for rule in rules.rules_for("role")]
    engine = ReferenceEngine(Rules([*roles, *map(clause, shaped)]))
    for state in random_states(game, 8, 4):
        for relation, arity in (("terminal", 0), ("goal", 2)):
            assert engine.ask(relation, state, arity) == game.reference_engine.ask(relation, state, arity)


def clause(rule: Rule) -> Clause:
    return Clause(rule.head, tuple(part.atom if part.positive else Not(part.atom) for part in rule.body))


def test_the_sheets_of_these_tests_are_sound() -> None:
    for sheet in (PAIRS, THREE):
        assert not [finding for finding in Rules.parse(sheet).validate() if finding.severity == "error"]
