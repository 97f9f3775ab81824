"""The reference engine against the naive evaluator, on random programs."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from ludens.core import GroundTerm
from ludens.engines.reference import ReferenceEngine
from ludens.gdl import rewrite
from ludens.gdl.formulas import And, Atom, Clause, Formula, Literal, Not, Or, Rule
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, Variable
from tests.engines.naive import Fact, consequences
from tests.tiers import examples

WORDS = ("a", "b", "c")
NAMED = [Variable(name) for name in "xyz"]
LEVELS = {0: (("e", 1), ("e", 2)), 1: (("p", 1), ("q", 2)), 2: (("r", 1), ("s", 2), ("t", 0))}

TERMS: st.SearchStrategy[Term] = st.sampled_from([*NAMED, *NAMED, *WORDS])


def atoms(levels: list[int]) -> st.SearchStrategy[Atom]:
    signatures = [signature for level in levels for signature in LEVELS[level]]
    return st.sampled_from(signatures).flatmap(
        lambda signature: st.tuples(*[TERMS] * signature[1]).map(lambda args: Atom(signature[0], args))
    )


def fluents() -> st.SearchStrategy[Atom]:
    return st.tuples(TERMS, TERMS).map(lambda args: Atom("true", (("cell", *args),)))


@st.composite
def rules_of_level(draw: st.DrawFn, level: int) -> Rule:
    head = draw(atoms([level]))
    body = [Literal(atom) for atom in draw(st.lists(atoms(list(range(level + 1))) | fluents(), max_size=3))]
    body += [Literal(atom, False) for atom in draw(st.lists(atoms(list(range(level))) | fluents(), max_size=2))]
    for left, right in draw(st.lists(st.tuples(TERMS, TERMS), max_size=1)):
        body.append(Literal(Atom("distinct", (left, right)), draw(st.booleans())))
    rule = Rule(head, tuple(draw(st.permutations(body))))
    bound = {
        v for literal in body if literal.positive and literal.atom.name != "distinct" for v in literal.atom.variables()
    }
    missing = [Literal(Atom("e", (variable,))) for variable in sorted(set(rule.variables()) - bound)]
    return Rule(head, (*rule.body, *missing))


@st.composite
def programs(draw: st.DrawFn) -> list[Rule]:
    program = [Rule(Atom("e", (word,))) for word in WORDS]
    pairs = draw(st.sets(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)), max_size=4))
    program += [Rule(Atom("e", pair)) for pair in sorted(pairs)]
    for level in (1, 2):
        program += draw(st.lists(rules_of_level(level), min_size=1, max_size=4))
    return program


def as_clauses(program: list[Rule]) -> list[Clause]:
    return [Clause(rule.head, tuple(_formula(literal) for literal in rule.body)) for rule in program]


def _formula(literal: Literal) -> Formula:
    return literal.atom if literal.positive else Not(literal.atom)


STATES = st.frozensets(
    st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)).map(lambda args: ("cell", *args)), max_size=4
)


@examples(300)
@given(programs(), STATES)
def test_the_engine_derives_what_follows_and_nothing_else(program: list[Rule], state: frozenset[GroundTerm]) -> None:
    facts: list[Fact] = [("true", (fluent,)) for fluent in state]
    expected = consequences(program, WORDS, facts)
    engine = ReferenceEngine(Rules(as_clauses(program)))
    for name, arity in [*LEVELS[1], *LEVELS[2]]:
        derived = {args for relation, args in expected if relation == name and len(args) == arity}
        answers = engine.ask(name, state, arity)
        assert (answers if arity != 1 else {(value,) for value in answers}) == derived, (name, arity)


@examples(100)
@given(programs(), STATES, st.sampled_from(WORDS), st.sampled_from(WORDS))
def test_questions_with_known_arguments_agree_with_questions_without(
    program: list[Rule], state: frozenset[GroundTerm], left: str, right: str
) -> None:
    asking = [
        Clause(Atom("both"), (Atom("s", (left, right)),)),
        Clause(Atom("first", (Variable("v"),)), (Atom("s", (left, Variable("v"))),)),
        Clause(Atom("none"), (Not(Atom("s", (left, Variable("v")))),)),
    ]
    engine = ReferenceEngine(Rules([*as_clauses(program), *asking]))
    pairs = engine.ask("s", state)
    assert bool(engine.ask("both", state, 0)) == ((left, right) in pairs)
    assert engine.ask("first", state) == {second for first, second in pairs if first == left}
    assert bool(engine.ask("none", state, 0)) == (not engine.ask("first", state))


PROPOSITIONS = [Atom(f"p{number}") for number in range(5)]
FORMULAS: st.SearchStrategy[Formula] = st.recursive(
    st.sampled_from(PROPOSITIONS),
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.lists(inner, max_size=4).map(lambda parts: And(tuple(parts))),
        st.lists(inner, max_size=4).map(lambda parts: Or(tuple(parts))),
    ),
    max_leaves=25,
)


def truth(formula: Formula, true: frozenset[str]) -> bool:
    if isinstance(formula, Atom):
        return formula.name in true
    if isinstance(formula, Not):
        return not truth(formula.body, true)
    values = [truth(part, true) for part in formula.parts]
    return all(values) if isinstance(formula, And) else any(values)


@examples(300)
@given(FORMULAS, st.frozensets(st.sampled_from([atom.name for atom in PROPOSITIONS])), st.sampled_from([1, 2, 3, 64]))
def test_rewriting_keeps_the_meaning_of_formulas(formula: Formula, true: frozenset[str], branches: int) -> None:
    """Also where a few alternatives are already too many for one rule."""
    facts = [Clause(Atom(name)) for name in true]
    rules = Rules([*facts, Clause(Atom("holds"), (formula,))])
    with patch.object(rewrite, "MAX_BRANCHES", branches):
        assert len(rules.rules) >= len(facts)
    assert bool(ReferenceEngine(rules).ask("holds", arity=0)) == truth(formula, true)


def test_many_alternatives_do_not_multiply() -> None:
    choices = " ".join(f"(or (n ?x{i}) (m ?x{i}) (n ?y))" for i in range(9))
    binding = " ".join(f"(d ?x{i})" for i in range(9))
    text = f"(d 1) (d 2) (n 1) (m 2) (<= (p ?x0 ?y) (d ?y) {binding} {choices})"
    rules = Rules.parse(text)
    assert len(rules.rules) < 1000
    assert ReferenceEngine(rules).ask("p") == {(x, y) for x in "12" for y in "12"}


NODES = [f"n{number}" for number in range(8)]
EDGES = st.sets(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), max_size=20)


def reachable(edges: set[tuple[str, str]], start: str) -> set[str]:
    """Plain search, the start itself only if some way leads back to it."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        node = waiting.pop()
        for target in (after for before, after in edges if before == node):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


@examples(200)
@given(EDGES, st.permutations(range(3)), st.sampled_from(["(edge ?x ?z) (path ?z ?y)", "(path ?x ?z) (path ?z ?y)"]))
def test_what_cannot_be_reached(edges: set[tuple[str, str]], order: list[int], step: str) -> None:
    """Absence after recursion in graphs with loops, each pair of nodes asked for by itself and all at once."""
    clauses = [
        "(<= (path ?x ?y) (edge ?x ?y) (true on))",
        f"(<= (path ?x ?y) {step})",
        "(<= (apart ?x ?y) (node ?x) (node ?y) (not (path ?x ?y)))",
    ]
    facts = " ".join(f"(edge {before} {after})" for before, after in sorted(edges))
    nodes = " ".join(f"(node {node})" for node in NODES)
    text = f"{facts} {nodes} {' '.join(clauses[index] for index in order)}"
    apart = {(x, y) for x in NODES for y in NODES if y not in reachable(edges, x)}
    engine = ReferenceEngine(Rules.parse(text))
    assert engine.ask("apart", {"on"}) == apart
    assert engine.ask("path", {"on"}) == {(x, y) for x in NODES for y in NODES} - apart
    assert engine.ask("path", set()) == set()
