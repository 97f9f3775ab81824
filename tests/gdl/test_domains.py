"""Which words can stand where."""

from __future__ import annotations

from random import Random

import pytest

from ludens import load
from ludens.gdl.domains import ArgumentDomains, Kind
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Variable
from tests.tiers import every_game


def words(sheet: str, kind: Kind, name: str, arity: int, index: int) -> list[str]:
    return sorted(ArgumentDomains(Rules.parse(sheet).rules).words(kind, name, arity, index))


def test_a_variable_takes_what_all_its_places_allow() -> None:
    sheet = "(p a) (p b) (q b) (q c) (<= (r ?x) (p ?x) (q ?x)) (<= (s ?x) (p ?x) (not (q ?x)))"
    assert words(sheet, "relation", "r", 1, 0) == ["b"]
    assert words(sheet, "relation", "s", 1, 0) == ["a", "b"]


def test_fluents_and_moves_are_followed_around() -> None:
    sheet = """
    (after 1 2) (after 2 3) (init (step 1)) (<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
    (<= (legal me (say ?n)) (true (step ?n))) (<= (next (said ?n)) (does me (say ?n)))
    """
    assert words(sheet, "function", "step", 1, 0) == ["1", "2", "3"]
    assert words(sheet, "function", "said", 1, 0) == ["1", "2", "3"]
    assert words(sheet, "relation", "true", 1, 0) == ["said/1", "step/1"]
    assert words(sheet, "relation", "does", 2, 1) == ["say/1"]


def test_functions_that_grow_come_to_an_end() -> None:
    assert words("(num zero) (<= (num (s ?x)) (num ?x))", "function", "s", 1, 0) == ["s/1", "zero"]


def test_what_nobody_says_is_empty() -> None:
    domains = ArgumentDomains(Rules.parse("(<= (p ?x) (q ?x))").rules)
    assert domains.words("relation", "p", 1, 0) == frozenset()
    assert domains.words("function", "nothing", 3, 2) == frozenset()
    assert domains.size("function", "nothing", 3, 2) == 1


def test_values_of_the_variables_of_a_rule() -> None:
    sheet = "(p a) (p b) (q b) (q (f c)) (<= (r ?x ?y) (p ?x) (q ?y) (not (s ?z)) (distinct ?x ?y) (q ?x))"
    rules = Rules.parse(sheet).rules
    assert ArgumentDomains(rules).values(rules[-1]) == {Variable("x"): {"b"}, Variable("y"): {"b", "f/1"}}


def test_bounded_work() -> None:
    rules = Rules.parse(" ".join(f"(p a{n})" for n in range(50)) + "(<= (q ?x) (p ?x))").rules
    assert ArgumentDomains(rules).complete
    assert ArgumentDomains(rules, 1000).complete
    assert not ArgumentDomains(rules, 60).complete


@pytest.mark.parametrize("name", every_game())
def test_play_never_leaves_the_domains(name: str) -> None:
    game = load(name)
    domains = ArgumentDomains(game.rules.rules)
    rng = Random(name)
    state = game.initial_state()
    while not state.is_terminal:
        for fact in state.facts:
            for index, argument in enumerate(fact.args):
                assert argument in domains.words("function", fact.name, len(fact.args), index)
        state = state.next({role: rng.choice(state.legal_moves(role)) for role in game.roles})
