"""The checks of what rules mean: safety, negation, recursion and values, against independent definitions."""

from __future__ import annotations

from itertools import product
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.gdl.formulas import And, Atom, Clause, Formula, Not, Or, Rule
from ludens.gdl.rewrite import plain_rules
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Variable
from ludens.gdl.validate import validate
from tests.gdl.test_validate import GAME, codes, only, without

# Safety


def unsafe(body: str) -> list[str]:
    text = GAME + f"(<= (next (step ?x)) {body})"
    return [finding.message for finding in Rules.parse(text).validate() if finding.code == "unsafe-variable"]


@pytest.mark.parametrize(
    "body",
    [
        "(succ ?x ?y)",
        "(not (true (step ?x))) (succ ?x 2)",
        "(distinct ?x ?y) (succ ?x ?y)",
        "(or (succ ?x 2) (succ 2 ?x))",
        "(or (distinct ?x 1) (not (true (step ?x)))) (succ ?x ?y)",
        "(not (not (succ ?x 2)))",
        "(not (or (not (succ ?x 2)) (true (step ?x))))",
        "(or (and (succ ?x 1) (distinct ?x 2)) (succ 1 ?x))",
        "(or (succ ?x 1) (succ ?x 2)) (or (distinct ?x 3) (succ 2 2))",
    ],
)
def test_safe(body: str) -> None:
    assert unsafe(body) == []


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("(succ 1 2)", "`?x` of the head is bound by no positive condition"),
        ("(not (true (step ?x)))", "`?x` of the head"),
        ("(succ ?x 2) (not (true (step ?y)))", "`?y` negated is bound by no"),
        ("(succ ?x 2) (distinct ?x ?y)", "`?y` under `distinct` is bound by no"),
        ("(or (succ ?x 2) (succ 1 2))", "`?x` of the head is bound only in some branches"),
        ("(succ ?x 2) (or (succ ?x ?y) (distinct ?x ?y))", "`?y` under `distinct` is bound only in some branches"),
        ("(not (and (succ ?x 2) (succ ?x 1)))", "`?x` of the head"),
        ("(not (not (not (succ ?x 2))))", "`?x` of the head"),
    ],
)
def test_unsafe(body: str, part: str) -> None:
    (message,) = unsafe(body)
    assert part in message


def test_a_fact_with_a_variable_is_unsafe() -> None:
    assert "the fact has the variable `?X`" in only("unsafe-variable", GAME + "(succ ?X 9)").message


X, Y = Variable("x"), Variable("y")
ATOMS = [Atom("p", (X,)), Atom("q", (Y,)), Atom("r", (X, Y)), Atom("distinct", (X, Y)), Atom("distinct", (X, "a"))]
FORMULAS: st.SearchStrategy[Formula] = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(And, st.lists(inner, min_size=1, max_size=3).map(tuple))
        | st.builds(Or, st.lists(inner, min_size=1, max_size=3).map(tuple))
    ),
    max_leaves=6,
)


def unbound_in(rule: Rule) -> set[str]:
    """The variables of a plain rule that no positive condition binds."""
    bound = {
        name
        for literal in rule.body
        if literal.positive and literal.atom.name != "distinct"
        for name in literal.atom.variables()
    }
    return {str(name) for name in set(rule.variables()) - bound}


def unsafe_variables(clause: Clause) -> set[str]:
    findings = validate(Rules([clause]))
    return {finding.message.split("`")[1] for finding in findings if finding.code == "unsafe-variable"}


@given(st.lists(FORMULAS, max_size=3))
def test_safety_agrees_with_the_plain_rules(body: list[Formula]) -> None:
    """Judged on the formula, safety is the same as judged on each plain rule when `or` is fully distributed."""
    clause = Clause(Atom("h", (X,)), tuple(body))
    with patch("ludens.gdl.rewrite.MAX_BRANCHES", 10**9):
        expected = {name for rule in plain_rules([clause]) for name in unbound_in(rule)}
    assert unsafe_variables(clause) == expected


@given(st.lists(FORMULAS, max_size=4))
def test_a_safe_clause_gives_safe_rules_however_it_is_split(body: list[Formula]) -> None:
    clause = Clause(Atom("h", (X,)), tuple(body))
    if not unsafe_variables(clause):
        with patch("ludens.gdl.rewrite.MAX_BRANCHES", 2):
            assert not [str(rule) for rule in plain_rules([clause]) if unbound_in(rule)]


# Negation and recursion


def test_one_goal_value_through_the_absence_of_another() -> None:
    text = without("(<= (goal ?p 50) (role ?p))")
    text += "(<= (goal ?p 100) (role ?p) (true (step 3))) (<= (goal ?p 0) (role ?p) (not (goal ?p 100)))"
    assert codes(text) == set()


def test_negation_along_facts_that_go_down_is_stratified() -> None:
    """Whether `(odd 3)` holds depends on `(odd 2)`, and so on down: no fact depends on itself."""
    text = GAME + "(<= (odd ?n) (succ ?m ?n) (not (odd ?m))) (<= terminal (odd 3))"
    assert "unstratified" not in codes(text)
    assert "unstratified" in codes(text + "(succ 3 1)")


def test_negation_along_a_relation_that_follows_from_facts() -> None:
    text = GAME + "(<= (before ?a ?b) (succ ?a ?b)) (<= (odd ?n) (before ?m ?n) (not (odd ?m))) (<= terminal (odd 3))"
    assert "unstratified" not in codes(text)
    assert "unstratified" in codes(text + "(<= (before ?a ?a) (succ ?a ?b))")
    assert "unstratified" in codes(text + "(<= (before ?a ?b) (true (step ?a)) (true (step ?b)))")


def test_negation_along_an_order_that_is_recursive() -> None:
    order = "(<= (lt ?a ?b) (succ ?a ?b)) (<= (lt ?a ?c) (succ ?a ?b) (lt ?b ?c))"
    text = GAME + order + "(<= (won ?n) (lt ?m ?n) (not (won ?m))) (<= terminal (won 3))"
    assert codes(text) == set()
    assert "unstratified" in codes(text + "(succ 3 1)")


def test_negation_along_an_order_of_a_hundred_numbers() -> None:
    order = " ".join(f"(next-to {n} {n + 1})" for n in range(100))
    order += "(<= (lt ?a ?b) (next-to ?a ?b)) (<= (lt ?a ?c) (lt ?a ?b) (next-to ?b ?c))"
    assert codes(GAME + order + "(<= (won ?n) (lt ?m ?n) (not (won ?m))) (<= terminal (won 3))") == set()


def test_variables_that_only_the_recursion_binds() -> None:
    """`win` has the words x and o, and the circle from x leads to no o."""
    rules = """(<= (line x) (true (step 2))) (<= (win x) (line x)) (<= (win o) (true (step 2)) (not (best x)))
        (<= (best ?p) (win ?p)) (<= terminal (best x))"""
    assert codes(GAME + rules) == set()
    assert "unstratified" in codes(GAME + rules + "(<= (win x) (win o))")
    assert codes(GAME + rules.replace("(win ?p)", "(win ?p) (role ?q) (distinct ?p ?q)")) == set()


def test_variables_that_stand_for_compound_terms() -> None:
    text = GAME + "(<= (q (f ?n)) (true (step ?n))) (<= (p ?x) (q ?x) (not (p (f 1)))) (<= terminal (p 1))"
    assert "unstratified" in codes(text)


def test_outcomes_of_chance_are_no_words_of_the_rules() -> None:
    """The move is announced as `(roll 6)`, which no rule says."""
    text = GAME + "(random dice 1 6) (<= (legal ?p (roll dice)) (role ?p)) (<= (next (seen ?x)) (does white (roll ?x)))"
    text += "(<= (p ?x) (true (seen ?x)) (not (p 6))) (<= terminal (p 1))"
    assert "unstratified" in codes(text)


def test_rules_with_too_many_instances_are_judged_as_they_are() -> None:
    big = " ".join(f"(big {n})" for n in range(200))
    text = GAME + big + "(<= (a ?x ?y ?z) (big ?x) (big ?y) (big ?z) (not (a ?y ?z ?x))) (<= terminal (a 1 1 1))"
    assert "unstratified" in codes(text)


def test_negative_circle_is_shown() -> None:
    text = (
        GAME
        + "(<= (a ?x) (succ ?x 2) (b ?x)) (<= (b ?x) (succ ?x 2) (not (c ?x))) (<= (c ?x) (a ?x)) (<= terminal (a 1))"
    )
    message = only("unstratified", text).message
    assert "b -> c -> a -> b," in message
    assert "`not` before `(c 1)`" in message


def test_several_circles_are_several_findings() -> None:
    text = GAME + "(<= a (not b)) (<= b (not a)) (<= c (not c)) (<= terminal a) (<= terminal c)"
    findings = [finding for finding in Rules.parse(text).validate() if finding.code == "unstratified"]
    assert len(findings) == 2


RELATIONS = "abcd"


@given(st.lists(st.tuples(st.sampled_from(RELATIONS), st.sampled_from(RELATIONS), st.booleans()), max_size=8))
def test_stratification_of_rules_without_arguments(edges: list[tuple[str, str, bool]]) -> None:
    """Unstratified exactly if some relation reaches itself over a negation, by the closure of all steps."""
    reaches = {(head, target) for head, target, _ in edges}
    for middle, start, end in product(RELATIONS, RELATIONS, RELATIONS):
        if (start, middle) in reaches and (middle, end) in reaches:
            reaches.add((start, end))
    expected = any(not positive and (target == head or (target, head) in reaches) for head, target, positive in edges)
    atoms = [(Atom(head), Atom(target) if positive else Not(Atom(target))) for head, target, positive in edges]
    found = {finding.code for finding in validate(Rules(Clause(head, (part,)) for head, part in atoms))}
    assert ("unstratified" in found) == expected


def test_negation_through_an_or_that_is_split_off() -> None:
    """An `or` with many branches becomes a relation of its own, which no message may show."""
    parts = " ".join(f"(succ {n} {n})" for n in range(70))
    message = only("unstratified", GAME + f"(<= odd (or (not odd) {parts})) (<= terminal odd)").message
    assert message == "`odd` depends on its own absence: odd -> odd, with `not` before `odd`"


@pytest.mark.parametrize(
    "rules",
    [
        "(<= (path ?a ?b) (succ ?a ?b)) (<= (path ?a ?c) (succ ?a ?b) (path ?b ?c))",
        "(<= (path ?a ?b) (succ ?a ?b)) (<= (path ?a ?c) (path ?a ?b) (succ ?b ?c))",
        "(<= (path 1 ?b) (succ 1 ?b)) (<= (path ?a 2) (succ ?a 2) (path 1 2))",
        "(<= (path ?a ?b) (succ ?a ?b)) (<= (path ?a ?b) (path ?a ?b))",
    ],
)
def test_recursion_within_the_restriction(rules: str) -> None:
    assert codes(GAME + rules + "(<= terminal (path 1 1))") <= {"duplicate-clause"}


def test_values_listed_outside_the_recursion_do_not_grow() -> None:
    """`s` wraps only what `succ` lists; the loose variable of the other rule does no harm."""
    text = (
        GAME
        + "(num 0) (<= (num (s ?n)) (num ?n) (succ ?n ?m)) (<= (num ?a) (succ ?a ?c) (num ?b)) (<= terminal (num 1))"
    )
    assert codes(text) == {"loose-recursion"}


def test_mutual_recursion_that_grows() -> None:
    text = GAME + "(even 0) (<= (even (s ?n)) (odd ?n)) (<= (odd (s ?n)) (even ?n)) (<= terminal (odd 1))"
    findings = [finding.code for finding in Rules.parse(text).validate()]
    assert findings == ["unbounded-recursion", "unbounded-recursion"]


# Values


@pytest.mark.parametrize("value", ["-1", "101", "5.5", "half", "(plus 1 2)", "1e2", "٣"])
def test_bad_goal_values(value: str) -> None:
    assert "goal-value" in codes(GAME + f"(<= (goal white {value}) (true (step 1)))")


@pytest.mark.parametrize("value", ["0", "100", "07"])
def test_good_goal_values(value: str) -> None:
    assert "goal-value" not in codes(GAME + f"(<= (goal white {value}) (true (step 1)))")


def test_goal_values_that_facts_give() -> None:
    pay = "(pay white 150) (pay black 5) (<= (goal ?p ?v) (pay ?p ?v){})"
    assert "is `150`" in only("goal-value", GAME + pay.format("")).message
    assert codes(GAME + pay.format(" (distinct ?p white)")) == set()
    assert codes(GAME + pay.format(" (true (step 1))")) == {"goal-value-possible"}


def test_goal_values_that_follow_from_facts() -> None:
    text = GAME + "(pay 5 0) (<= (goal white ?v) (worth ?v)) (<= (worth ?v) (pay ?v ?w) (distinct ?v ?w))"
    assert codes(text) == set()
    assert codes(text + "(pay 555 0)") == {"goal-value"}
    assert codes(text + "(pay 555 555)") == set()


def test_goal_value_from_the_state_is_not_judged() -> None:
    assert codes(GAME + "(<= (goal white ?n) (true (step ?n)))") == set()


def test_conditions_that_say_nothing_about_a_goal_value_are_left_out() -> None:
    """The product of the other conditions is too large to look at."""
    others = "".join(f"(succ ?a{n} ?b{n})" for n in range(20))
    text = GAME + f"(pay 1 200) (<= (goal white ?v) (true (step ?n)) (pay ?n ?v) {others})"
    assert "goal-value-possible" in codes(text)


def test_goal_values_that_recursion_gives() -> None:
    text = GAME + "(sum 0) (<= (sum ?m) (sum ?n) (plus ?n ?m)) (<= (goal white ?v) (sum ?v)) (plus 0 50) (plus 300 400)"
    assert codes(text + "(plus 50 100)") == set()
    assert "is `300` and `400`" in only("goal-value", text + "(plus 50 300) (plus 400 0)").message


def test_goal_values_from_a_relation_that_meets_itself() -> None:
    """Only two steps of length 2 make one of length 4; both follow from the recursion."""
    steps = "(d 0 25 1) (d 25 50 1) (d 50 75 1) (d 75 300 1) (twice 1 2) (twice 2 4)"
    rule = "(<= (d ?a ?c ?m) (d ?a ?b ?n) (d ?b ?c ?n) (twice ?n ?m)) (<= (goal white ?v) (d 0 ?v 4))"
    assert "is `300`" in only("goal-value", GAME + steps + rule).message
