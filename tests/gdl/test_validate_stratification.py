"""Recursion through negation, against all ground instances of small random sheets."""

from __future__ import annotations

from itertools import product
from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from ludens.gdl.dependencies import strongly_connected
from tests.gdl.test_validate import codes
from tests.tiers import examples

Fact: TypeAlias = tuple[str, str]
Condition: TypeAlias = tuple[bool, str, str]
Edge: TypeAlias = tuple[str, str]
RuleParts: TypeAlias = tuple[str, str, list[Condition], list[Edge]]
Instance: TypeAlias = tuple[Fact, list[tuple[bool, Fact]]]

WORDS = ("1", "2", "3")
PLAY = "t"
"""The one relation that stands for facts of the state: nobody knows which hold."""

terms = st.sampled_from(("?x", "?y", "1", "2"))
conditions = st.tuples(st.booleans(), st.sampled_from(("p", "q", "r", PLAY)), terms)
edges = st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS))
rule_parts = st.tuples(
    st.sampled_from("pqr"), terms, st.lists(conditions, max_size=3), st.lists(st.tuples(terms, terms), max_size=2)
)


def made_safe(rule: RuleParts) -> RuleParts:
    """The rule with an edge for each variable that no positive condition has."""
    name, term, body, steps = rule
    bound = {arg for positive, _, arg in body if positive} | {arg for step in steps for arg in step}
    loose = {term, *(arg for _, _, arg in body)} - bound
    return name, term, body, [*steps, *((arg, "1") for arg in sorted(loose) if arg.startswith("?"))]


def instances(rules: list[RuleParts], graph: set[Edge]) -> list[Instance]:
    """The instances of the rules whose edges are in the graph."""
    found: list[Instance] = []
    for name, term, body, steps in rules:
        for x, y in product(WORDS, WORDS):
            value = {"?x": x, "?y": y}
            if all((value.get(a, a), value.get(b, b)) in graph for a, b in steps):
                facts = [(positive, (other, value.get(arg, arg))) for positive, other, arg in body]
                found.append(((name, value.get(term, term)), facts))
    return found


def derived(rules: list[Instance], play_helps: bool, denied: set[Fact]) -> set[Fact]:
    """What follows where conditions on the play help, or do not, and these facts may not be denied."""
    found: set[Fact] = set()
    while True:
        new = {
            head
            for head, body in rules
            if all(
                play_helps if fact[0] == PLAY else fact in found if positive else fact not in denied
                for positive, fact in body
            )
        }
        if new <= found:
            return found
        found |= new


def live(rules: list[Instance]) -> list[Instance]:
    """The instances that may apply, by the well-founded meaning: what certainly fails is left out."""
    certain: set[Fact] = set()
    while True:
        possible = derived(rules, True, certain)
        more = derived(rules, False, possible)
        if more == certain:
            break
        certain = more
    return [
        (head, body)
        for head, body in rules
        if all(fact[0] == PLAY or (fact in possible if positive else fact not in certain) for positive, fact in body)
    ]


def has_negative_circle(rules: list[Instance]) -> bool:
    steps: dict[Fact, list[Fact]] = {}
    for head, body in rules:
        steps.setdefault(head, []).extend(fact for _, fact in body)
    group = {fact: number for number, members in enumerate(strongly_connected(steps)) for fact in members}
    return any(group[head] == group[fact] for head, body in rules for positive, fact in body if not positive)


def sheet(rules: list[RuleParts], graph: set[Edge]) -> str:
    lines = ["(role w) (legal w go) (goal w 50) (<= terminal (p 1) (q 1) (r 1)) (<= (next (t ?x)) (true (t ?x)))"]
    lines += [f"(init (t {word}))" for word in WORDS] + [f"(e {a} {b})" for a, b in sorted(graph)]
    for name, term, body, steps in rules:
        parts = [f"(e {a} {b})" for a, b in steps]
        for positive, other, arg in body:
            atom = f"(true (t {arg}))" if other == PLAY else f"({other} {arg})"
            parts.append(atom if positive else f"(not {atom})")
        lines.append(f"(<= ({name} {term}) {' '.join(parts)})")
    return "\n".join(lines)


@examples(500)
@given(st.lists(rule_parts.map(made_safe), min_size=1, max_size=5), st.sets(edges, min_size=1, max_size=5))
def test_circles_of_ground_instances(rules: list[RuleParts], graph: set[Edge]) -> None:
    """A circle of instances that may apply is reported; what is reported is a circle of instances."""
    ground = instances(rules, graph)
    found = codes(sheet(rules, graph))
    assert "unsafe-variable" not in found
    if has_negative_circle(live(ground)):
        assert "unstratified" in found
    if "unstratified" in found:
        assert has_negative_circle(ground)
