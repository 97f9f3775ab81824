"""The validator: for every code a sheet that earns it, at the right place, and a twin that does not."""

from __future__ import annotations

import time
from itertools import product
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.errors import Finding
from ludens.gdl.formulas import And, Atom, Clause, Formula, Not, Or, Rule
from ludens.gdl.rewrite import plain_rules
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Variable
from ludens.gdl.validate import CHECKS, validate
from ludens.gdl.validate.codes import SEVERITIES

GAME = """
(role white)
(role black)
(init (step 1))
(succ 1 2)
(succ 2 3)
(<= (legal ?p go) (role ?p))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m) (does white go))
(<= terminal (true (step 3)))
(<= (goal ?p 50) (role ?p))
"""
MARK = "§"
"""Stands before the place that a finding is expected to show."""

DICE = "(random dice 1 1) (random dice 2 6) (<= (legal ?p (roll dice)) (role ?p))"


def without(*lines: str) -> str:
    text = GAME
    for line in lines:
        assert line in text
        text = text.replace(line, "")
    return text


def with_(clause: str) -> str:
    """The game with a clause that something uses."""
    return GAME + clause + "\n(<= terminal (p a)) (<= terminal q) (<= terminal (r a b))"


Q = "(q_ a) (<= (p ?x) (q_ ?x)) (<= q (q_ a)) (<= (r ?x ?y) (q_ ?x) (q_ ?y))"
STATE = "(s_ a) (<= (p ?x) (s_ ?x)) (<= q (s_ a)) (<= (r ?x ?y) (s_ ?x) (s_ ?y))"

CASES: dict[str, tuple[str, str]] = {
    "no-role": (without("(role white)", "(role black)"), GAME),
    "no-legal": (without("(<= (legal ?p go) (role ?p))"), GAME),
    "no-goal": (without("(<= (goal ?p 50) (role ?p))"), GAME),
    "no-terminal": (without("(<= terminal (true (step 3)))"), GAME),
    "no-next": (without("(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m) (does white go))"), GAME),
    "no-init": (without("(init (step 1))"), GAME),
    "role-without-moves": (
        without("(<= (legal ?p go) (role ?p))").replace("(role black)", "§(role black)") + "(legal white go)",
        without("(<= (legal ?p go) (role ?p))") + "(legal white go) (legal black go)",
    ),
    "role-without-goals": (
        without("(<= (goal ?p 50) (role ?p))").replace("(role black)", "§(role black)") + "(goal white 1)",
        without("(<= (goal ?p 50) (role ?p))") + "(goal white 1) (goal black 1) (role random) (legal random go)",
    ),
    "keyword-arity": (GAME + "(<= §(goal white) (true (step 1)))", GAME + "(<= (goal white 1) (true (step 1)))"),
    "keyword-in-term": (GAME + "(init (§next (step 1)))", GAME + "(init (after (step 1)))"),
    "keyword-as-constant": (GAME + "(init (at §base))", GAME + "(init (at home))"),
    "role-not-a-fact": (GAME + "§(<= (role red) (succ 1 2))", GAME + "(role red)"),
    "role-not-a-word": (GAME + "§(role (player 3))", GAME + "(role player3)"),
    "only-in-bodies": (GAME + "(<= §(true (step 9)) (true (step 1)))", GAME + "(<= (next (step 9)) (true (step 1)))"),
    "only-in-heads": (GAME + "(<= terminal (not §(init (step 1))))", GAME + "(<= terminal (not (true (step 1))))"),
    "forbidden-dependency": (
        GAME + "(<= (moved ?p) (does ?p go)) (<= (legal ?p stay) §(moved ?p))",
        GAME + "(<= (moved ?p) (role ?p)) (<= (legal ?p stay) (moved ?p))",
    ),
    "unsafe-variable": (GAME + "(<= (next (step §?k)) (does white go))", GAME + "(<= (next (step ?k)) (succ ?k 2))"),
    "unstratified": (
        GAME + "(<= (win ?p) (role ?p) (not §(lose ?p))) (<= (lose ?p) (role ?p) (win ?p)) (<= terminal (win white))",
        GAME + "(<= (win ?p) (role ?p) (not (lose ?p))) (<= (lose ?p) (role ?p)) (<= terminal (win white))",
    ),
    "unbounded-recursion": (
        GAME + "(num 0) (<= (num (s ?n)) §(num ?n)) (<= terminal (num 1))",
        GAME + "(num 0) (<= (num (s ?n)) (num ?n) (succ ?n ?m)) (<= terminal (num 1))",
    ),
    "loose-recursion": (
        GAME + "(<= (lt ?a ?b) (succ ?a ?b)) (<= (lt ?a ?c) §(lt ?a ?b) (lt ?b ?c)) (<= terminal (lt 1 1))",
        GAME + "(<= (lt ?a ?b) (succ ?a ?b)) (<= (lt ?a ?c) (lt ?a ?b) (succ ?b ?c)) (<= terminal (lt 1 1))",
    ),
    "goal-value": (GAME + "(<= §(goal white 101) (true (step 2)))", GAME + "(<= (goal white 100) (true (step 2)))"),
    "goal-value-possible": (
        GAME + "(pay 1 100) (pay 2 200) (<= §(goal white ?v) (true (step ?n)) (pay ?n ?v))",
        GAME + "(pay 1 100) (pay 2 0) (<= (goal white ?v) (true (step ?n)) (pay ?n ?v))",
    ),
    "random-name": (GAME + DICE + "§(random (dice 1) 1 3)", GAME + DICE + "(random dice 1 3)"),
    "random-weight": (GAME + DICE + "§(random dice -1 3)", GAME + DICE + "(random dice 0 3)"),
    "random-weight-possible": (
        GAME + DICE + "(w 1 half) (<= §(random dice ?w 3) (true (step ?n)) (w ?n ?w))",
        GAME + DICE + "(w 1 5) (<= (random dice ?w 3) (true (step ?n)) (w ?n ?w))",
    ),
    "random-variable-misplaced": (
        GAME + DICE + "(<= (next (step 3)) (does white (roll §dice)))",
        GAME + DICE + "(<= (next (step 3)) (does white (roll ?n)))",
    ),
    "random-variable-unused": (GAME + DICE + "§(random coin 1 head)", GAME + DICE),
    "random-twofold": (GAME + DICE + "§(role random)", GAME + DICE),
    "arity-clash": (GAME + "(<= terminal §(succ 1))", GAME + "(<= terminal (succ 1 2))"),
    "several-arities": (
        GAME + "(init (cell 1)) (init (§cell 1 2))",
        GAME + "(init (cell 1)) (init (square 1 2)) (init cell)",
    ),
    "undefined-relation": (GAME + "(<= terminal §(sucs 1 2))", GAME + "(<= terminal (succ 1 2))"),
    "unused-relation": (GAME + "§(board 1)", GAME + "(board 1) (<= terminal (board 2))"),
    "unknown-role": (GAME + "(legal §whit stay)", GAME + "(legal white stay)"),
    "fluent-never-true": (GAME + "(<= terminal §(true (stop 3)))", GAME + "(<= terminal (true (step 3)))"),
    "move-never-legal": (
        GAME + "(<= (next (step 1)) §(does black going))",
        GAME + "(<= (next (step 1)) (does black go))",
    ),
    "fluent-not-in-base": (
        GAME.replace("(init", "§(init") + "(base (stop 1))",
        GAME + "(<= (base (step ?n)) (succ ?n 2))",
    ),
    "move-not-in-input": (
        GAME.replace("(legal", "§(legal") + "(<= (input ?p stay) (role ?p))",
        GAME + "(<= (input ?p go) (role ?p))",
    ),
    "duplicate-clause": (
        GAME + "§(<= (next (step ?b)) (true (step ?a)) (succ ?a ?b) (does white go))",
        GAME + "(<= (next (step ?b)) (true (step ?a)) (succ ?b ?a) (does white go))",
    ),
    "needless-parentheses": (GAME + "(<= §(terminal) (true (step 2)))", GAME + "(<= terminal (true (step 2)))"),
    "empty-body": (GAME + "§(<= (succ 3 4))", GAME + "(succ 3 4)"),
    "empty-connective": (GAME + "(<= terminal §(or))", GAME + "(<= terminal (true (step 1)))"),
    "single-or": (GAME + "(<= terminal §(or (succ 1 3)))", GAME + "(<= terminal (or (succ 1 3) (succ 3 1)))"),
    "and-in-body": (
        GAME + "(<= terminal (or §(and (succ 1 2) (succ 2 1)) (succ 3 3)))",
        GAME + "(<= terminal (succ 1 2) (succ 2 1)) (<= terminal (succ 3 3))",
    ),
    "double-negation": (GAME + "(<= terminal §(not (not (succ 1 2))))", GAME + "(<= terminal (succ 1 2))"),
    "negated-distinct": (
        GAME + "(<= terminal (succ ?a ?b) §(not (distinct ?a ?b)))",
        GAME + "(<= terminal (succ ?a ?a))",
    ),
    "negated-formula": (
        GAME + "(<= terminal §(not (or (succ 1 3) (succ 3 1))))",
        GAME + "(<= terminal (not (succ 1 3)) (not (succ 3 1)))",
    ),
    "mixed-case": (GAME + "(<= terminal (§SUCC 1 3))", GAME + "(<= terminal (succ 1 3))"),
}


def codes(text: str) -> set[str]:
    return {finding.code for finding in Rules.parse(text).validate()}


def only(code: str, text: str) -> Finding:
    """The one finding of a code."""
    (finding,) = [finding for finding in Rules.parse(text).validate() if finding.code == code]
    return finding


def test_the_plain_game_has_no_findings() -> None:
    assert Rules.parse(GAME).validate() == []


def test_every_code_has_a_case() -> None:
    assert set(CASES) == set(SEVERITIES)


@pytest.mark.parametrize("code", CASES)
def test_bad_sheet(code: str) -> None:
    marked, _ = CASES[code]
    assert marked.count(MARK) <= 1
    finding = only(code, marked.replace(MARK, ""))
    assert finding.severity == SEVERITIES[code]
    assert finding.message[0] in "`" or finding.message[0].islower() or finding.message[0].isdigit()
    assert not finding.message.endswith(".")
    assert finding.remedy
    before = marked.partition(MARK)[0]
    if before != marked:
        assert finding.place
        assert (finding.place.line, finding.place.column) == (
            before.count("\n") + 1,
            len(before.rpartition("\n")[2]) + 1,
        )
    else:
        assert finding.place is None


@pytest.mark.parametrize("code", CASES)
def test_corrected_twin(code: str) -> None:
    assert code not in codes(CASES[code][1])


@pytest.mark.parametrize("code", CASES)
def test_without_a_source(code: str) -> None:
    """Rules built by a program have no text to point at; what is wrong with them is the same."""
    read = Rules.parse(CASES[code][0].replace(MARK, ""))
    built = Rules(read.clauses, read.spelling)
    needs_text = {"needless-parentheses", "empty-body", "mixed-case"}
    assert {finding.code for finding in built.validate()} == {finding.code for finding in read.validate()} - needs_text
    assert all(finding.place is None for finding in built.validate())


def test_errors_come_first() -> None:
    text = "(unused 1)" + GAME + "(<= terminal (lost 1)) (<= (goal ?x 0) (succ 1 2)) (succ 1 2)"
    severities = [finding.severity for finding in Rules.parse(text).validate()]
    assert severities == ["error", "warning", "warning", "info"]


def test_every_check_is_documented() -> None:
    assert all(check.__doc__ for check in CHECKS)
    assert len(set(CHECKS)) == len(CHECKS)


# Dependencies


def test_chain_of_relations_is_shown_in_the_authors_spelling() -> None:
    text = GAME + "(<= (Helper ?p) (deeper ?p)) (<= (deeper ?p) (does ?p go)) (<= (legal ?p x) (Helper ?p))"
    assert "legal -> Helper -> deeper -> does" in only("forbidden-dependency", text).message


@pytest.mark.parametrize("head", ["(init (step 5))", "(base (step 5))", "(input white go)"])
@pytest.mark.parametrize(
    "condition", ["(true (step 1))", "(does white go)", "(legal white go)", "(goal white 1)", "terminal"]
)
def test_what_is_fixed_before_play_does_not_depend_on_it(head: str, condition: str) -> None:
    assert "forbidden-dependency" in codes(GAME + f"(base (step 1)) (<= {head} {condition})")


@pytest.mark.parametrize("head", ["(legal white x)", "(goal white 1)", "terminal"])
def test_moves_are_made_after_these_are_asked(head: str) -> None:
    assert "forbidden-dependency" in codes(GAME + f"(<= {head} (not (does white go)))")
    assert "forbidden-dependency" not in codes(GAME + f"(<= {head} (not (true (step 1))))")


def test_sees_may_depend_on_moves() -> None:
    assert codes(GAME + "(<= (sees ?p (does ?q ?m)) (role ?p) (does ?q ?m))") == set()


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


def test_goal_value_from_the_state_is_not_judged() -> None:
    assert codes(GAME + "(<= (goal white ?n) (true (step ?n)))") == set()


# Names


def test_did_you_mean() -> None:
    assert only("undefined-relation", GAME + "(Lines 1) (<= terminal (Line 1)) ").remedy == "did you mean `Lines`?"
    assert only("unknown-role", GAME + "(legal whit x)").remedy == "did you mean `white`?"


def test_arity_clash_names_both_numbers() -> None:
    assert (
        "1 argument here, but it is only defined with 2" in only("arity-clash", GAME + "(<= terminal (succ 1))").message
    )


def test_relations_with_two_defined_arities_are_a_warning() -> None:
    assert codes(GAME + "(succ 3) (<= terminal (succ 4))") == {"several-arities"}


def test_unused_relations_are_found_through_others() -> None:
    text = GAME + "(a 1) (<= (b ?x) (a ?x)) (<= (c ?x) (b ?x))"
    findings = [finding for finding in Rules.parse(text).validate() if finding.code == "unused-relation"]
    assert [finding.message.split("`")[1] for finding in findings] == ["a", "b", "c"]


def test_role_random_is_no_keyword_misuse() -> None:
    assert codes(GAME + "(role random) (<= (next (step 1)) (does random go))") == set()


def test_random_relation_takes_three_arguments() -> None:
    assert "keyword-arity" in codes(GAME + "(random dice 1)")


def test_random_relation_is_no_condition() -> None:
    assert "only-in-heads" in codes(GAME + DICE + "(<= terminal (random ?n 1 ?e))")


def test_random_variable_may_stand_in_input() -> None:
    assert codes(GAME + DICE + "(<= (input ?p (roll dice)) (role ?p)) (<= (input ?p go) (role ?p))") == set()


def test_chance_that_depends_on_moves() -> None:
    assert "forbidden-dependency" in codes(GAME + DICE + "(<= (random dice 1 3) (does white go))")


def test_variables_in_other_cases_are_one_variable() -> None:
    assert "mixed-case" in codes(GAME + "(<= terminal (succ ?X 2) (succ 2 ?x))")
    assert "mixed-case" not in codes(GAME + "(<= terminal (succ ?X 2)) (<= terminal (succ 2 ?x) (true (step 1)))")


# Floods


def test_many_findings_of_a_kind_are_counted() -> None:
    text = GAME + " ".join(f"(relation{n} a)" for n in range(40))
    findings = [finding for finding in Rules.parse(text).validate() if finding.code == "unused-relation"]
    assert len(findings) == 5
    assert findings[-1].message.endswith("; and 35 more of this kind")


def test_a_form_used_often_is_one_finding() -> None:
    assert "(3 times)" in only("needless-parentheses", GAME + "(<= (terminal) (true (go))) (init (go))").message


# Infix syntax

INFIX = """
role(white)
init(step(1))
succ(1,2)
legal(white,go)
next(step(M)) :- true(step(N)) & succ(N,M)
terminal :- true(step(2))
goal(white,50) :- true(step(2))
"""


def test_infix_sheets_are_checked_too() -> None:
    assert Rules.parse(INFIX, syntax="infix").validate() == []
    (finding,) = Rules.parse(INFIX + "goal(white,0) :- ~true(step(K))\n", syntax="infix").validate()
    assert finding.code == "unsafe-variable"
    assert finding.place
    assert (finding.place.line, finding.place.column) == (9, 29)


# Real sheets


def test_real_sheets_have_no_errors(corpus: Path) -> None:
    """The sheets of competitions were played; whatever the validator calls an error there is its own."""
    for path in sorted((corpus / "games").glob("*.kif"))[::4]:
        findings = Rules.read(path).validate()
        assert not [str(finding) for finding in findings if finding.severity == "error"]
        assert len(findings) <= 8, path.name


def test_real_sheets_with_known_faults(corpus: Path) -> None:
    """The corpus says that some of these are odd: percepts as conditions, `next` in bodies, unbound variables."""
    faults = {
        path.name: {finding.code for finding in Rules.read(path).validate() if finding.severity == "error"}
        for path in (corpus / "gdl2").glob("*.kif")
    }
    assert {name: found for name, found in faults.items() if found} == {
        "mastermind2x3.kif": {"only-in-heads"},
        "transit.kif": {"only-in-heads"},
        "visPacman3p.kif": {"only-in-heads"},
        "oneCardGame.kif": {"unsafe-variable"},
    }


def test_largest_real_sheet_is_checked_quickly(corpus: Path) -> None:
    largest = max((corpus / "games").glob("*.kif"), key=lambda path: path.stat().st_size)
    rules = Rules.read(largest)
    start = time.perf_counter()
    rules.validate()
    assert time.perf_counter() - start < 1
