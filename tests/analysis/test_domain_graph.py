"""The domain graph, with the example of the paper word by word."""

from __future__ import annotations

from ludens.analysis.domain_graph import DomainGraph
from ludens.gdl.domains import Position
from ludens.gdl.rules import Rules

STEP_COUNTER = """
(succ 0 1) (succ 1 2) (succ 2 3)
(init (step 0))
(<= (next (step ?x))
    (true (step ?y)) (succ ?y ?x))
"""
STEP: Position = ("function", "step", 1, 0)
BEFORE: Position = ("relation", "succ", 2, 0)
AFTER: Position = ("relation", "succ", 2, 1)


def graph_of(text: str) -> DomainGraph:
    return DomainGraph.of(Rules.parse(text).rules)


def test_step_counter_of_the_paper() -> None:
    """The arguments of step and succ are all connected and share the domain {0, 1, 2, 3}."""
    graph = graph_of(STEP_COUNTER)
    assert graph.neighbours[STEP] == {BEFORE, AFTER}
    assert graph.domain(STEP) == graph.domain(BEFORE) == graph.domain(AFTER)
    assert set(graph.domain(STEP).positions) == {STEP, BEFORE, AFTER}
    assert set(graph.domain(STEP).words) == {"0", "1", "2", "3"}


def test_constants_stand_in_the_positions_that_figure_1_shows() -> None:
    graph = graph_of(STEP_COUNTER)
    assert set(graph.constants[STEP]) == {"0"}
    assert set(graph.constants[BEFORE]) == {"0", "1", "2"}
    assert set(graph.constants[AFTER]) == {"1", "2", "3"}
    assert graph.distances(STEP) == {STEP: 0, BEFORE: 1, AFTER: 1}


def test_positions_without_a_common_variable_stay_apart() -> None:
    graph = graph_of("(init (cell 1 blank)) (<= (next (cell ?x ?c)) (true (cell ?x ?c)) (distinct ?c ?x) (file ?x))")
    place: Position = ("function", "cell", 2, 0)
    content: Position = ("function", "cell", 2, 1)
    assert graph.connected(place, ("relation", "file", 1, 0))
    assert not graph.connected(place, content)
    assert graph.domain(("function", "nowhere", 1, 0)).words == ()


def test_moves_and_roles_are_connected_through_rules() -> None:
    graph = graph_of(
        "(role me) (file a) (<= (legal ?r (go ?x)) (role ?r) (file ?x)) (<= (next (at ?x)) (does me (go ?x)))"
    )
    assert graph.domain(("function", "at", 1, 0)).words == ("a",)
    assert graph.connected(("relation", "does", 2, 0), ("relation", "role", 1, 0))
