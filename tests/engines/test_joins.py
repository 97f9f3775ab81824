"""Plans of joins: every condition once, each when what it needs is known; sizes of relations as they were counted."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens import load
from ludens.engines.joins import JoinPlan, JoinPlanner, Lookup, LookupKind, RelationSizes, Variant, is_comparison
from ludens.engines.reference import ReferenceEngine
from ludens.engines.reference.planner import RulePlanner, RuleStatistics
from ludens.engines.relational.flatten import flatten
from ludens.engines.relational.planner import FlatPlanner
from ludens.engines.relational.program import analyse
from ludens.errors import CompileError, RulesError
from ludens.gdl.rules import Rules
from ludens.gdl.terms import variables
from tests.engines.random_sheets import random_recursion, random_sheet
from tests.tiers import every_game

PLANNERS = ("reference", "relational")
Rows = list[tuple[str, ...]]


def make_planner(kind: str, rules: Rules) -> JoinPlanner:
    if kind == "reference":
        return RulePlanner(rules, RuleStatistics(rules))
    start = ReferenceEngine(rules).ask("init")
    return FlatPlanner(analyse(flatten(rules.rules), rules.roles, [start]))


def plans(planner: JoinPlanner) -> Iterator[JoinPlan]:
    """Plans for heads of which nothing is known, and of which everything is."""
    for signature, rules in planner.rules_of.items():
        for modes in {"f" * signature[1], "b" * signature[1]}:
            for rule in rules:
                try:
                    yield planner.plan(rule, modes)
                except (RulesError, CompileError):
                    assert modes != "b" * signature[1] or "?" in str(rule.body)


def binds(lookup: Lookup) -> bool:
    """Whether a condition gives values to its variables; those that no condition binds are its own."""
    if is_comparison(lookup.literal.atom):
        return not lookup.literal.positive
    return lookup.literal.positive and lookup.kind is not LookupKind.TEST


def check(planner: JoinPlanner, plan: JoinPlan) -> None:
    assert sorted(map(str, (lookup.literal for lookup in plan.lookups))) == sorted(map(str, plan.rule.body))
    head = list(zip(plan.rule.head.args, plan.modes, strict=True))
    known = {variable for term, mode in head if mode == "b" for variable in variables(term)}
    bound = {variable for lookup in plan.lookups if binds(lookup) for variable in lookup.literal.atom.variables()}
    for lookup in plan.lookups:
        atom = lookup.literal.atom
        for term, mode in zip(planner.lookup_args(atom), lookup.modes, strict=True):
            assert (mode == "b") == known.issuperset(variables(term))
        if binds(lookup):
            known.update(atom.variables())
        else:
            assert not (set(atom.variables()) - known) & bound
    assert {variable for term, mode in head if mode == "f" for variable in variables(term)} <= known


@pytest.mark.parametrize("kind", PLANNERS)
@pytest.mark.parametrize("name", every_game(of=("tictactoe", "checkers", "kalah")))
def test_plans_of_bundled_games(name: str, kind: str) -> None:
    planner = make_planner(kind, load(name).engine_rules)
    found = list(plans(planner))
    assert len(found) > 10
    for plan in found:
        check(planner, plan)


@pytest.mark.parametrize("kind", PLANNERS)
@given(st.integers(0, 10**6), st.booleans())
def test_plans_of_random_sheets(kind: str, seed: int, recursive: bool) -> None:
    rules = random_recursion(Random(seed)) if recursive else Rules.parse(random_sheet(seed))
    planner = make_planner(kind, rules)
    for plan in plans(planner):
        check(planner, plan)


def test_cheap_tests_come_before_large_joins() -> None:
    facts = " ".join(f"(n {i})" for i in range(50))
    rules = Rules.parse(f"(role me) (one 1) {facts} (<= (p ?a ?b) (n ?b) (distinct ?a 3) (n ?a) (one ?a))")
    (rule,) = rules.relations["p", 2]
    lookups = make_planner("reference", rules).plan(rule, "ff").lookups
    assert [lookup.literal.atom.name for lookup in lookups] == ["one", "n", "distinct", "n"] or [
        lookup.literal.atom.name for lookup in lookups
    ] == ["one", "distinct", "n", "n"]
    assert str(lookups[-1].literal.atom) == "(n ?b)"


def test_a_variable_without_a_value_is_refused() -> None:
    rules = Rules.parse("(role me) (q 1) (<= (p ?a ?b) (q ?a) (not (q ?b)))")
    (rule,) = rules.relations["p", 2]
    for kind, error in (("reference", RulesError), ("relational", CompileError)):
        planner = make_planner(kind, rules)
        assert planner.plan(rule, "fb").lookups
        with pytest.raises(error, match="leaves a variable without a value"):
            planner.plan(rule, "ff")


@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 2), min_size=1, unique=True), st.sampled_from("abc"))
def test_one_known_word_gives_the_number_of_its_facts(rows: Rows, word: str) -> None:
    sizes = RelationSizes()
    sizes.observe(("p", 2), rows)
    assert sizes.matching(("p", 2), "ff") == len(rows)
    count = sum(row[0] == word for row in rows)
    assert sizes.matching(("p", 2), "bf", (word, "b")) == pytest.approx(count or 0.3)
    distinct = {row[1] for row in rows}
    assert sizes.matching(("p", 2), "fb") == pytest.approx(len(rows) / len(distinct))


def test_the_largest_number_counts_and_the_unseen_is_guessed() -> None:
    sizes = RelationSizes(lambda signature: [3] * signature[1])
    assert sizes.matching(("p", 1), "f") == 3
    assert sizes.matching(("p", 3), "bff") == pytest.approx(12 / 3)
    sizes.observe(("p", 1), [("a",), ("b",)])
    sizes.observe(("p", 1), [("c",)])
    sizes.observe(("p", 1), [])
    assert sizes.matching(("p", 1), "f") == 2
    assert RelationSizes().matching(("p", 1), "f") == 0
    assert Variant(("p", 2), "bi").is_test
