"""Printing: what is printed reads as the same clauses, in both syntaxes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from ludens.gdl.rules import Rules
from tests.gdl.strategies import SHEETS


@given(SHEETS)
def test_kif_of_any_rules_reads_as_the_same_rules(rules: Rules) -> None:
    text = rules.to_kif()
    again = Rules.parse(text, syntax="kif")
    assert again == rules
    assert again.to_kif() == text


@given(SHEETS)
def test_infix_of_any_rules_reads_as_the_same_rules(rules: Rules) -> None:
    text = rules.to_infix()
    again = Rules.parse(text, syntax="infix")
    assert again == rules
    assert again.to_infix() == text


def test_every_sheet_of_the_corpus_survives_both_syntaxes(corpus: Path) -> None:
    for path in sorted(corpus.glob("g*/*.kif")):
        rules = Rules.read(path)
        assert Rules.parse(rules.to_kif(), syntax="kif") == rules, path.name
        assert Rules.parse(rules.to_infix()) == rules, path.name


def test_long_rules_have_one_condition_to_a_line() -> None:
    rules = Rules.parse(
        "(<= (head_of_the_rule ?x) (some_condition ?x a b c) (some_condition ?x d e f) (or (p ?x) (q ?x) (r ?x)))"
    )
    assert rules.to_kif() == (
        "(<= (head_of_the_rule ?x)\n"
        "    (some_condition ?x a b c)\n"
        "    (some_condition ?x d e f)\n"
        "    (or (p ?x) (q ?x) (r ?x)))\n"
    )
    assert rules.to_infix() == (
        "head_of_the_rule(X) :-\n  some_condition(X,a,b,c) &\n  some_condition(X,d,e,f) &\n  (p(X) | q(X) | r(X))\n"
    )


@pytest.mark.parametrize(
    ("kif", "infix"),
    [
        ("(Role White)", "role(white)"),
        ("(ROLE XPLAYER)", "role(xplayer)"),
        ("(p moveTo MoveTo)", "p(moveTo,moveTo)"),
        ("(p ?x ?Xy ?aBC ?_u ?_ ?1 ?n++)", 'p(X,Xy,ABC,_u,?_,?1,?"n++")'),
        ("(p A+b < 1.5 -3 +7 - 1a)", 'p("A+b","<",1.5,-3,+7,"-",1a)'),
        ("(<= p (or a (and b c)) (not (or d e)))", "p :- (a | (b & c)) & ~(d | e)"),
        ("(<= p (or a b))", "p :- a | b"),
        ("(<= p (and a b))", "p :- (a & b)"),
        ("(<= p (or a) (and) (not (not (or))))", "p :- or(a) & and() & ~~or()"),
        ("(<= p (not (or a b)) (not (q ?x)))", "p :- ~(a | b) & ~q(X)"),
    ],
)
def test_infix_as_people_write_it(kif: str, infix: str) -> None:
    rules = Rules.parse(kif, syntax="kif")
    assert rules.to_infix() == infix + "\n"
    assert Rules.parse(infix, syntax="infix") == rules
