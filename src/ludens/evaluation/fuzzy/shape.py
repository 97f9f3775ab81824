"""The shape of rules before they are grounded: what formulas come out, and how many instances there are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import count

from ludens.gdl.dependencies import DependencyGraph
from ludens.gdl.formulas import Atom, Literal, Rule, Signature
from ludens.gdl.terms import Term, Variable, is_ground, substitute

AUXILIARY = "some "
"""Start of the names of relations made here; no sheet can use them, since no symbol has a space."""
MAX_SPECIAL = 1_000
"""A relation is not given more special rules than these."""


def specialised(rules: Sequence[Rule], roots: Collection[Signature]) -> list[Rule]:
    """Return the rules for just those words that others ask about.

    `(count ?x ?y ?z red 100)` has an instance for any three places; if the goals ask only for three certain ones, the
    rules are written for these. Relations that use themselves stay as they are.
    """
    graph = DependencyGraph.of(rules)
    by_head: dict[Signature, list[Rule]] = {}
    for rule in rules:
        by_head.setdefault(rule.head.signature, []).append(rule)
    calls: dict[Signature, list[Atom]] = {}
    found: list[Rule] = []
    for relation in (relation for component in reversed(graph.components) for relation in component):
        own = by_head.get(relation, [])
        if relation not in roots and relation not in graph.recursive:
            own = _special(own, calls.get(relation, []))
        for rule in own:
            for literal in rule.body:
                calls.setdefault(literal.atom.signature, []).append(literal.atom)
        found += own
    return found


def _special(rules: list[Rule], calls: Sequence[Atom]) -> list[Rule]:
    """Return the rules with the words filled in that every call gives."""
    places = [
        index
        for index in range(rules[0].head.signature[1] if rules else 0)
        if all(is_ground(call.args[index]) for call in calls)
        and all(isinstance(rule.head.args[index], Variable) or is_ground(rule.head.args[index]) for rule in rules)
    ]
    patterns = dict.fromkeys(tuple(call.args[index] for index in places) for call in calls)
    if not places or len(patterns) * len(rules) > MAX_SPECIAL:
        return rules
    filled = (_filled(rule, places, words) for rule in rules for words in patterns)
    return list(dict.fromkeys(rule for rule in filled if rule))


def _filled(rule: Rule, places: Sequence[int], words: Sequence[Term]) -> Rule | None:
    """Return the rule with certain words in its head; None if it has others there."""
    binding: dict[Variable, Term] = {}
    for place, word in zip(places, words, strict=True):
        term = rule.head.args[place]
        if (binding.setdefault(term, word) if isinstance(term, Variable) else term) != word:
            return None

    def fill(atom: Atom) -> Atom:
        return Atom(atom.name, tuple(substitute(term, binding) for term in atom.args), atom.span)

    body = tuple(Literal(fill(literal.atom), literal.positive) for literal in rule.body)
    return Rule(fill(rule.head), body, rule.span)


def factored(rules: Sequence[Rule], changing: Collection[Signature]) -> list[Rule]:
    """Rules with parts that have nothing to do with each other put together from these.

    "There is an x here and a y there" is a conjunction of two questions, rather than one question about all pairs.
    Parts that are the same in all states need no question.
    """
    numbers = count()
    return [part for rule in rules for part in _factored(rule, changing, numbers)]


def _factored(rule: Rule, changing: Collection[Signature], numbers: count[int]) -> Iterator[Rule]:
    kept = set(rule.head.variables())
    parts = _connected(rule.body, kept)
    dynamic = [part for part in parts if any(literal.atom.signature in changing for literal in part)]
    if len(dynamic) < 2:
        yield rule
        return
    body = [literal for part in parts if part not in dynamic for literal in part]
    for part in dynamic:
        variables = {variable for literal in part for variable in literal.atom.variables()}
        if variables <= kept or not variables <= _bound(part):
            body += part
            continue
        shared = tuple(sorted(variables & kept))
        head = Atom(f"{AUXILIARY}{next(numbers)}", shared)
        yield Rule(head, tuple(part))
        body.append(Literal(head))
    yield Rule(rule.head, tuple(body), rule.span)


def _bound(literals: Sequence[Literal]) -> set[Variable]:
    binding = (literal.atom for literal in literals if literal.positive and literal.atom.name != "distinct")
    return {variable for atom in binding for variable in atom.variables()}


def _connected(body: Sequence[Literal], kept: set[Variable]) -> list[list[Literal]]:
    """Return the literals in groups that share no variables, those of the head left aside."""
    groups: list[tuple[set[Variable], list[Literal]]] = []
    for literal in body:
        own = set(literal.atom.variables()) - kept
        joined = [group for group in groups if group[0] & own]
        groups = [group for group in groups if not group[0] & own]
        groups.append(
            (own.union(*(names for names, _ in joined)), [*(each for _, part in joined for each in part), literal])
        )
    return [part for _, part in groups]
