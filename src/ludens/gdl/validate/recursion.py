"""Rules that depend on themselves: not through negation, and only such that the facts stay finite.

Both are judged on rules, not on names of relations: a rule depends on another only where a condition
can match the other's head. So `(<= (goal ?p 50) (not (goal ?p 100)))` is no recursion at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ludens.errors import Finding
from ludens.gdl.domains import ArgumentDomains
from ludens.gdl.formulas import Atom, Literal, Rule
from ludens.gdl.keywords import CHANCE, RANDOM_ARITY
from ludens.gdl.rewrite import AUXILIARY
from ludens.gdl.terms import Term, Variable, is_ground, variables
from ludens.gdl.validate.fact_tables import MAX_WORK_OF_ALL, Binding, FactTables, connected, instantiated, linked
from ludens.gdl.validate.sheet import Sheet
from ludens.gdl.validate.unification import UnificationGraph

MAX_INSTANCES = 50_000
"""The limit on instances of rules in all."""


def recursive_rules(sheet: Sheet) -> list[Rule]:
    """Return the rules that may be on a cycle, judged by the names of relations."""
    recursive = sheet.rules.dependencies.recursive
    return [rule for rule in sheet.rules.rules if rule.body and rule.head.signature in recursive]


def check_stratification(sheet: Sheet) -> Iterator[Finding]:
    """No fact may depend on its own absence."""
    graph = UnificationGraph(recursive_rules(sheet))
    groups: dict[int, list[Rule]] = {}
    for number, rule in enumerate(graph.rules):
        groups.setdefault(graph.component(number), []).append(rule)
    suspects = [groups[group] for group in {graph.component(number): 0 for number, _, _ in _negations_on_cycles(graph)}]
    if not suspects:
        return
    facts = FactTables(sheet.rules, [rule for rules in suspects for rule in rules])
    domains = _domains(sheet)
    left = MAX_INSTANCES
    for rules in suspects:
        finer = UnificationGraph(_instances(rules, facts, domains, left))
        left -= len(finer.rules)
        for number, condition, negation in _negations_on_cycles(finer):
            yield _negative_cycle(sheet, [negation, *finer.way_back(condition, number)])
            break


def _domains(sheet: Sheet) -> ArgumentDomains | None:
    """Return the words of argument positions; None if there are too many, or if chance puts other words into moves."""
    if sheet.heads(CHANCE, RANDOM_ARITY):
        return None
    domains = ArgumentDomains(sheet.rules.rules, MAX_WORK_OF_ALL)
    return domains if domains.complete else None


def _negations_on_cycles(graph: UnificationGraph) -> Iterator[tuple[int, int, Literal]]:
    """Yield the negated conditions on cycles: the number of their rule, their node and the condition."""
    for number in range(len(graph.rules)):
        for target, literal in graph.on_cycle(number):
            if not literal.positive:
                yield number, target, literal


def _instances(rules: list[Rule], facts: FactTables, domains: ArgumentDomains | None, most: int) -> list[Rule]:
    """Return the rules with their variables replaced by all possible values; unchanged where these are too many."""
    members = {rule.head.signature for rule in rules}
    result: list[Rule] = []
    for rule in rules:
        recursive = [literal for literal in rule.body if literal.atom.signature in members]
        wanted = {*rule.head.variables(), *(name for literal in recursive for name in literal.atom.variables())}
        for binding in _possible(rule, wanted, facts, domains, most - len(result)):
            body = tuple(Literal(instantiated(literal.atom, binding), literal.positive) for literal in recursive)
            result.append(Rule(instantiated(rule.head, binding), body, rule.span))
    return result


def _possible(
    rule: Rule, wanted: set[Variable], facts: FactTables, domains: ArgumentDomains | None, most: int
) -> list[Binding]:
    """Return the possible values of some variables of a rule: by the facts or, without these, by the flow of words."""
    near, far = linked([literal for literal in rule.body if facts.decides(literal)], wanted)
    if facts.exclude(far):
        return []
    tables = [literal.atom for literal in near if literal.positive and literal.atom.name != "distinct"]
    silent = wanted.difference(name for atom in tables for name in atom.variables())
    values = domains.values(rule) if domains and silent else {}
    ranges = {name: words for name, words in values.items() if name in silent and _are_plain(words)}
    for literals, limits in (near, ranges), (connected(near, wanted), {}):
        bindings = facts.bindings(literals, wanted, limits)
        if bindings is not None and len(bindings) <= most:
            return bindings
    return [{}]


def _are_plain(words: frozenset[str]) -> bool:
    """Return whether all words are certainly no compound terms, which count as `name/arity`."""
    return not any("/" in word for word in words)


def _negative_cycle(sheet: Sheet, circle: list[Literal]) -> Finding:
    names = [literal.atom.name for literal in circle if not literal.atom.name.startswith(AUXILIARY)]
    return sheet.finding(
        "unstratified",
        circle[0].atom.span,
        f"{sheet.text(names[-1])} depends on its own absence: {sheet.chain([names[-1], *names])}, "
        f"with `not` before {sheet.text(circle[0].atom)}",
        "break the circle, so that the negated relation can be worked out first",
    )


def check_recursion(sheet: Sheet) -> Iterator[Finding]:
    """Every argument of a recursive condition is ground, in the head, or listed by a condition off the cycle."""
    graph = UnificationGraph(recursive_rules(sheet))
    growing = {graph.component(number) for number in range(len(graph.rules)) if _grows(graph, number)}
    reported: set[object] = set()
    for number, rule in enumerate(graph.rules):
        place = rule.span or rule
        recursive = dict.fromkeys(literal for _, literal in graph.on_cycle(number))
        tied = _listed(rule, recursive) | set(rule.head.args)
        for literal in recursive:
            loose = [argument for argument in literal.atom.args if not is_ground(argument) and argument not in tied]
            if loose and place not in reported:
                reported.add(place)
                yield _loose_recursion(sheet, rule, literal.atom, loose[0], graph.component(number) in growing)


def _listed(rule: Rule, recursive: Collection[Literal]) -> set[Term]:
    """Return the arguments of the positive conditions that are not on the cycle."""
    return {
        argument
        for literal in rule.body
        if literal.positive and literal not in recursive and literal.atom.name != "distinct"
        for argument in literal.atom.args
    }


def _grows(graph: UnificationGraph, number: int) -> bool:
    """Return whether the head wraps a value that comes from the cycle itself into a function."""
    rule = graph.rules[number]
    recursive = dict.fromkeys(literal for _, literal in graph.on_cycle(number))
    bound: set[Variable] = {name for term in _listed(rule, recursive) for name in variables(term)}
    from_cycle = {name for literal in recursive for name in literal.atom.variables()} - bound
    return any(
        isinstance(argument, tuple) and not from_cycle.isdisjoint(variables(argument)) for argument in rule.head.args
    )


def _loose_recursion(sheet: Sheet, rule: Rule, atom: Atom, argument: Term, grows: bool) -> Finding:
    loose = f"{sheet.text(rule.head.name)} is recursive, and {sheet.text(argument)} in {sheet.text(atom)}"
    if grows:
        return sheet.finding(
            "unbounded-recursion",
            atom.span,
            f"{loose} is not limited by anything else while the terms grow, so there is no end of facts",
            "add a condition outside the recursion that lists the possible values",
        )
    return sheet.finding(
        "loose-recursion",
        atom.span,
        f"{loose} is neither an argument of the head nor of a condition outside the recursion",
        "add a condition that lists its values; the language asks for it, although this recursion ends",
    )
