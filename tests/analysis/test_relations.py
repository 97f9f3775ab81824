"""Static relations by their properties: against plain definitions, however they are written."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.analysis.domain_graph import DomainGraph
from ludens.analysis.extensions import Extensions
from ludens.analysis.orders import Order, Orders
from ludens.analysis.relations import StaticRelation, examine, static_relations
from ludens.engines.reference import ReferenceEngine
from ludens.gdl.rules import Rules
from ludens.gdl.scramble import scramble
from ludens.runtime.deadline import Deadline
from tests.child import run_child

WORDS = "abcde"
PAIRS = st.frozensets(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)), max_size=12)


def relations_of(text: str | Rules, seconds: float = inf) -> tuple[dict[str, StaticRelation], list[str]]:
    rules = Rules.parse(text) if isinstance(text, str) else text
    extensions = Extensions(ReferenceEngine(rules), Deadline(seconds))
    found, left_out = static_relations(extensions, rules, DomainGraph.of(rules.rules))
    return {str(relation.pattern): relation for relation in found}, left_out


def only(text: str, name: str) -> StaticRelation:
    return next(relation for relation in relations_of(text)[0].values() if relation.name == name)


@given(PAIRS)
def test_properties_are_those_of_the_definitions(extension: frozenset[tuple[str, str]]) -> None:
    found = examine("r", extension)
    pairs = {(a, b) for a, b in extension if a != b}
    assert found.pairs == pairs
    assert found.loops == {a for a, b in extension if a == b}
    assert found.symmetric == (bool(pairs) and all((b, a) in pairs for a, b in pairs))
    assert found.antisymmetric == all((b, a) not in pairs for a, b in pairs)
    assert found.functional == all(b == d for a, b in pairs for c, d in pairs if a == c)
    assert found.injective == all(a == c for a, b in pairs for c, d in pairs if b == d)
    assert found.transitive == all((a, d) in pairs for a, b in pairs for c, d in pairs if b == c)
    words = {word for pair in pairs for word in pair}
    assert found.total == all((a, b) in pairs or (b, a) in pairs for a in words for b in words if a != b)


@given(PAIRS)
def test_chains_and_cycles_are_made_of_all_pairs(extension: frozenset[tuple[str, str]]) -> None:
    found = examine("r", extension)
    if not found.is_successor:
        return
    steps = {step for chain in found.chains for step in pairwise(chain)}
    steps |= {step for cycle in found.cycles for step in pairwise((*cycle, cycle[0]))}
    assert steps == found.pairs


@given(st.permutations(WORDS), st.sampled_from([lambda a, b: b - a == 1, lambda a, b: a < b, lambda a, b: a <= b]))
def test_the_order_is_found_from_steps_or_from_comparisons(row: list[str], test: Callable[[int, int], bool]) -> None:
    found = examine("r", [(a, b) for i, a in enumerate(row) for j, b in enumerate(row) if test(i, j)])
    assert found.chains == (tuple(row),)
    assert found.is_successor or found.is_order


def test_successors_of_the_papers() -> None:
    """As in a competition: the words mean nothing."""
    shell = "(tcsh pico cpio) (tcsh cpio grep) (tcsh grep echo) (tcsh echo ping) (quiet q w) (quiet w e) (quiet e r)"
    found, _ = relations_of(shell)
    assert all(relation.is_successor for relation in found.values())
    assert found["('quiet', '?x', '?y')"].chains == (("q", "w", "e", "r"),)


NUMBERS = "(succ 1 2) (succ 2 3) (succ 3 4) (number 1) (number 2) (number 3) (number 4)"


@pytest.mark.parametrize(
    "less",
    [
        "(<= (less ?x ?y) (succ ?x ?y)) (<= (less ?x ?z) (less ?x ?y) (succ ?y ?z))",
        "(<= (less ?x ?y) (succ ?x ?y)) (<= (less ?x ?z) (succ ?x ?y) (less ?y ?z))",
        "(<= (less ?x ?y) (number ?x) (number ?y) (distinct ?x ?y) (not (up ?y ?x))) "
        "(<= (up ?x ?y) (succ ?x ?y)) (<= (up ?x ?z) (up ?x ?y) (up ?y ?z))",
    ],
    ids=["left", "right", "complement"],
)
def test_derived_orders_are_found_however_they_are_written(less: str) -> None:
    relation = only(NUMBERS + less, "less")
    assert relation.is_order
    assert relation.total
    assert relation.chains == (("1", "2", "3", "4"),)


def test_partial_order() -> None:
    divides = "(divides 2 4) (divides 2 6) (divides 4 12) (divides 6 12) (divides 2 12) (divides 4 4)"
    relation = only(divides, "divides")
    assert relation.is_order
    assert not relation.total
    assert not relation.is_successor
    assert relation.chains == ()


def test_wrap_around_is_noted() -> None:
    relation = only("(day mo tu) (day tu we) (day we mo)", "day")
    assert relation.is_successor
    assert relation.cycles == (("mo", "tu", "we"),)
    assert not relation.is_order


@pytest.mark.parametrize(
    "facts",
    [
        "(owner wp white) (owner bp black)",
        "(enemy white black) (enemy black white)",
        "(start 1 5) (start 1 4)",
        "(same a a) (same b b)",
    ],
)
def test_other_pairings_are_no_successors(facts: str) -> None:
    found, _ = relations_of(facts)
    assert not any(relation.is_successor or relation.is_order for relation in found.values())


def test_relation_of_three_arguments_for_each_word_of_one() -> None:
    sheet = "(succ 1 2) (succ 2 3) (<= (go up ?x ?y) (succ ?x ?y)) (<= (go down ?x ?y) (succ ?y ?x)) (go over 3 1)"
    found, _ = relations_of(sheet)
    assert found["('go', 'up', '?x', '?y')"].chains == (("1", "2", "3"),)
    assert found["('go', 'down', '?x', '?y')"].chains == (("3", "2", "1"),)


def test_relations_that_change_are_not_static() -> None:
    sheet = "(role me) (init (at 1)) (succ 1 2) (succ 2 3) (<= (near ?x ?y) (true (at ?x)) (succ ?x ?y))"
    assert list(relations_of(sheet)[0]) == ["('succ', '?x', '?y')"]


def test_relation_that_is_too_large_is_left_out() -> None:
    many = " ".join(f"(n {number})" for number in range(1500))
    found, left_out = relations_of(f"{many} (<= (pair ?x ?y) (n ?x) (n ?y))")
    assert found == {}
    assert left_out == ["pair"]


@pytest.mark.parametrize("seed", range(3))
def test_scrambled_relations_are_the_same(seed: int) -> None:
    rules = Rules.parse(NUMBERS + "(day mo tu) (day tu we) (day we mo) (<= (next2 ?x ?z) (succ ?x ?y) (succ ?y ?z))")
    scrambling = scramble(rules, Random(seed))
    here, there = relations_of(rules)[0].values(), relations_of(scrambling.rules)[0].values()
    for one, other in zip(here, there, strict=True):
        for rows, twins in ((one.chains, other.chains), (one.cycles, other.cycles)):
            assert [tuple(map(scrambling.scramble_term, row)) for row in rows] == list(twins)
        assert (one.is_successor, one.is_order, one.is_adjacency) == (
            other.is_successor,
            other.is_order,
            other.is_adjacency,
        )


def test_many_facts_are_not_too_large_but_what_follows_from_them_may_be() -> None:
    """A relation that is given fact by fact has as many rows as facts, however many words there are."""
    steps = " ".join(f"(succ {n} {n + 1})" for n in range(1_200))
    rules = steps + "(<= (less ?x ?y) (succ ?x ?y)) (<= (less ?x ?z) (less ?x ?y) (succ ?y ?z))"
    found, left_out = relations_of(rules, seconds=4)
    assert len(found["('succ', '?x', '?y')"].chains[0]) == 1_201
    assert left_out == ["less"]


COMPOUND = """
from tests.analysis.test_relations import relations_of
pairs = "da ab bc cd ef fg hi ij kl lm".split()
found = relations_of(" ".join(f"(succ (n {one}) (n {other}))" for one, other in pairs))[0].popitem()[1]
print(*(row[0][1] for row in (*found.cycles, *found.chains)))
"""


@pytest.mark.parametrize("seed", ["1", "2"])
def test_rows_of_compound_words_are_in_the_order_of_the_sheet(monkeypatch: pytest.MonkeyPatch, seed: str) -> None:
    """However the hashes of a process are."""
    monkeypatch.setenv("PYTHONHASHSEED", seed)
    assert run_child(COMPOUND) == "d e h k\n"


# -- orders of arguments ---------------------------------------------------------------------

BOARD = """
(role me) (col a b) (col b c) (row 1 2) (row 2 3) (step 0 1) (step 1 2) (step 2 3) (step 3 4)
(init (cell a 1 x)) (init (time 0)) (<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (col ?x ?z) (row ?y ?w))
(<= (next (time ?s)) (true (time ?t)) (step ?t ?s))
"""


def orders_of(text: str) -> Orders:
    rules = Rules.parse(text)
    return Orders(relations_of(rules)[0].values(), DomainGraph.of(rules.rules), rules.roles)


def test_the_order_of_an_argument_is_that_of_its_domain() -> None:
    orders = orders_of(BOARD)
    rows = orders.of(("function", "cell", 3, 1), {"1", "2", "3"})
    assert rows == Order(("1", "2", "3"), ("row", "?x", "?y"))
    assert orders.of(("function", "cell", 3, 0), {"c", "a"}) == Order(("a", "c"), ("col", "?x", "?y"))
    times = orders.of(("function", "time", 1, 0), {"1", "2", "3"})
    assert times is not None
    assert times.relation == ("step", "?x", "?y")


def test_words_of_another_domain_or_out_of_the_row_have_no_order() -> None:
    orders = orders_of(BOARD)
    assert orders.of(("function", "cell", 3, 2), {"1", "2"}) is None
    assert orders.of(("function", "cell", 3, 1), {"1", "9"}) is None
    assert orders.of(("function", "cell", 3, 1), {"1"}) is None


def test_distances() -> None:
    assert Order(tuple("abcde"), "next").distance("a", "e") == 4
    assert Order(tuple("abcde"), "next", wraps=True).distance("a", "e") == 1
