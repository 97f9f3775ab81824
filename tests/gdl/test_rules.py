"""`Rules`: what a sheet says, whatever its layout, and the order in which it can be evaluated."""

from __future__ import annotations

import pickle
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.gdl.dependencies import strongly_connected
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, Variable, unifiable

SHEET = """(role white) (role black)
(succ 1 2) (succ 2 3)
(<= (legal ?p (go ?x)) (role ?p) (true (at ?x)) (not (blocked ?x)))
(<= (blocked ?x) (true (wall ?x)))
(<= open (true (at ?x)) (not (blocked ?x)))
(<= terminal (not open))
(<= (goal ?p 100) (role ?p) (or (true (at 3)) (and (true (at 2)) (distinct ?p white))))"""


def digest_of(text: str) -> str:
    return Rules.parse(text).digest


def test_plain_rules_have_neither_or_nor_and() -> None:
    goals = [str(rule) for rule in Rules.parse(SHEET).rules_for("goal")]
    assert goals == [
        "(<= (goal ?p 100) (role ?p) (true (at 3)))",
        "(<= (goal ?p 100) (role ?p) (true (at 2)) (distinct ?p white))",
    ]


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("(<= (p) (not (or (q) r)))", ["(<= p (not q) (not r))"]),
        ("(<= p (not (and q (not r))))", ["(<= p (not q))", "(<= p r)"]),
        ("(<= p (not (not (not q))))", ["(<= p (not q))"]),
        ("(<= p)", ["p"]),
        ("(<= (p))", ["p"]),
        ("(<= (p a) (or))", []),
        ("(<= (p a) (and))", ["(p a)"]),
        ("(<= (p (f)) (q (g)))", ["(<= (p f) (q g))"]),
        ("(<= p (or q q) r r)", ["(<= p q r)"]),
        ("(<= (p ?x) (n ?x) (not (distinct ?x a)))", ["(<= (p ?x) (n ?x) (not (distinct ?x a)))"]),
    ],
)
def test_each_form_becomes_plain(written: str, plain: list[str]) -> None:
    assert [str(rule) for rule in Rules.parse(written).rules] == plain


def test_the_index_tells_relations_of_several_arities_apart() -> None:
    rules = Rules.parse("(p a) (p a b) (<= (p ?x) (p ?x ?y)) (P c)")
    assert len(rules.rules_for("p")) == 4
    assert [str(rule) for rule in rules.rules_for("P", 1)] == ["(p a)", "(<= (p ?x) (p ?x ?y))", "(p c)"]
    assert set(rules.relations) == {("p", 1), ("p", 2)}


def test_roles_keep_their_order_and_come_once() -> None:
    assert Rules.parse("(role b) (p x) (ROLE a) (role B)").roles == ("b", "a")


def test_strata_count_the_negations_below() -> None:
    strata = Rules.parse(SHEET).strata
    assert strata["blocked", 1] == 0
    assert strata["open", 0] == strata["legal", 2] == 1
    assert strata["terminal", 0] == 2


def test_strata_add_up_only_along_negations() -> None:
    text = "(<= a (not b)) (<= b (not c)) (<= c d) (<= e a (not d)) (<= f (not a) (not c)) d"
    assert Rules.parse(text).strata == {
        (name, 0): level for name, level in zip("dcbaef", (0, 0, 1, 2, 2, 3), strict=True)
    }


def test_dependencies_reach_through_other_relations() -> None:
    graph = Rules.parse(SHEET).dependencies
    assert graph.reachable([("terminal", 0)]) == {("terminal", 0), ("open", 0), ("true", 1), ("blocked", 1)}
    assert ("open", 0) in graph.negative["terminal", 0]
    assert ("role", 1) in graph.positive["legal", 2]


def test_the_digest_ignores_layout_case_variables_order_and_repetition() -> None:
    digest = digest_of(SHEET)
    lines = SHEET.split("\n")
    Random(1).shuffle(lines)
    assert digest_of("\n".join(lines)) == digest
    assert digest_of(SHEET.upper()) == digest
    assert digest_of(SHEET.replace("?x", "?somewhere") + "; a comment\n\n" + lines[0]) == digest
    assert Rules.parse(Rules.parse(SHEET).to_infix()).digest == digest


def test_the_digest_does_not_depend_on_the_order_of_large_rules() -> None:
    large = [
        f"(<= ({name} ?x) (n ?x) {' '.join(f'(or (a{i} ?x) (b{i} ?x) (c{i} {name}))' for i in range(5))})"
        for name in ("p", "q")
    ]
    assert digest_of("\n".join(large)) == digest_of("\n".join(reversed(large)))


def test_every_text_has_a_digest() -> None:
    assert digest_of("(role w\ud800)") != digest_of("(role w)")


def test_the_digest_tells_different_games_apart() -> None:
    digests = {
        digest_of(SHEET),
        digest_of(SHEET.replace("100", "99")),
        digest_of(SHEET.replace("(role white) (role black)", "(role black) (role white)")),
        digest_of(SHEET.replace("(not (blocked ?x))", "(blocked ?x)", 1)),
        digest_of(SHEET.replace("(true (at ?x))", "(true (at ?y))", 1)),
    }
    assert len(digests) == 5
    assert digest_of("(role w) (<= (role ?x) (n ?x)) (n 1)") != digest_of("(role w) (n 1)")
    assert digest_of("(role w) (role (f x))") != digest_of("(role w)")
    assert digest_of("(role w) (w)") != digest_of("(role w)") != digest_of("(w)")


def test_equality_is_about_clauses() -> None:
    assert Rules.parse(SHEET) == Rules.parse("; hello\n" + SHEET.upper())
    assert hash(Rules.parse(SHEET)) == hash(Rules.parse(SHEET.upper()))
    assert Rules.parse(SHEET) != Rules.parse(SHEET + " (p a)")
    assert Rules.parse(SHEET) != SHEET


def test_rules_survive_pickling_with_their_places() -> None:
    rules = Rules.parse("(role a)\n(<= (legal a ?m) (not (p ?m)))", name="sheet.kif")
    twin = pickle.loads(pickle.dumps(rules))
    assert twin == rules
    assert twin.spelling == rules.spelling
    assert [str(finding) for finding in twin.validate()] == [str(finding) for finding in rules.validate()]


GRAPHS = st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=4), min_size=1)


@given(GRAPHS)
def test_components_are_the_classes_of_mutual_reachability_in_order(edges: dict[int, list[int]]) -> None:
    nodes = set(edges).union(*edges.values())
    reach = {node: {node} for node in nodes}
    for _ in nodes:
        for node, targets in edges.items():
            reach[node] |= set(targets).union(*(reach[target] for target in targets))
    components = strongly_connected(edges)
    place = {node: number for number, component in enumerate(components) for node in component}
    assert sorted(place) == sorted(nodes)
    assert sum(len(component) for component in components) == len(nodes)
    for one in nodes:
        for other in nodes:
            assert (place[one] == place[other]) == (other in reach[one] and one in reach[other])
            assert other not in reach[one] or place[other] <= place[one]


X, Y = Variable("x"), Variable("y")


def test_unification_of_terms_that_share_their_parts_is_quick() -> None:
    left: list[Term] = ["p"]
    right: list[Term] = ["p"]
    for number in range(60, 0, -1):
        below = Variable(f"y{number - 1}")
        left += [Variable(f"x{number}")] * 2
        right += [Variable(f"y{number}"), ("f", below, below)]
    assert unifiable(tuple(left), tuple(right))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("a", "a", True),
        ("a", "b", False),
        (X, ("f", "a"), True),
        (("f", X, X), ("f", "a", "b"), False),
        (("f", X, X), ("f", "a", Y), True),
        (("f", X, "b"), ("f", "a", X), True),
        (("f", X), ("g", X), False),
        (("f", X), ("f", X, X), False),
        (("f", X, X), ("f", Y, ("g", Y)), False),
        ("f", ("f", "a"), False),
    ],
)
def test_unification_takes_the_variables_of_both_sides_as_different(left: Term, right: Term, expected: bool) -> None:
    assert unifiable(left, right) is expected
    assert unifiable(right, left) is expected
