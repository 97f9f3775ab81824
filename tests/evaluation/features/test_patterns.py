"""Expressions: which atoms they stand for."""

from __future__ import annotations

from ludens.evaluation.features.patterns import Pattern, general, pattern_of
from ludens.gdl.formulas import Atom
from ludens.gdl.terms import Variable

X, Y = Variable("x"), Variable("y")


def test_a_word_must_be_there_and_a_variable_may_be_anything() -> None:
    pattern = Pattern("function", "cell", (0, "8", "king"))
    assert pattern.matches(("1", "8", "king"))
    assert not pattern.matches(("1", "7", "king"))
    assert general(("function", "cell", 3)).matches(("1", "7", "king"))


def test_the_same_variable_is_the_same_word() -> None:
    pattern = pattern_of(Atom("true", (("at", X, X, Y),)))
    assert pattern is not None
    assert pattern.matches(("a", "a", "b"))
    assert not pattern.matches(("a", "b", "b"))


def test_a_word_in_place_of_a_variable_stands_wherever_it_does() -> None:
    pattern = Pattern("relation", "pair", (0, 0, 2)).with_words({0: "a"})
    assert pattern.arguments == ("a", "a", 2)
    assert pattern.fixed == (0, 1)
    assert pattern.without_words([1]).matches(("a", "b", "c"))


def test_fluents_and_relations_are_told_apart() -> None:
    fluent, relation = pattern_of(Atom("true", (("at", X),))), pattern_of(Atom("at", (X,)))
    assert fluent is not None
    assert relation is not None
    assert fluent.table == ("function", "at", 1)
    assert relation.table == ("relation", "at", 1)
    assert pattern_of(Atom("true", (X,))) is None


def test_a_compound_term_with_variables_may_be_anything() -> None:
    pattern = pattern_of(Atom("true", (("at", ("place", X, "1"), ("place", "a", "1")),)))
    assert pattern is not None
    assert pattern.arguments == (0, ("place", "a", "1"))
