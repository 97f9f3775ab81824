"""Rules that depend on themselves: not through negation, and only such that the facts stay finite.

Both are judged on rules, not on names of relations: a rule depends on another only where a condition
can match the other's head. So `(<= (goal ?p 50) (not (goal ?p 100)))` is no recursion at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from ludens.errors import Finding
from ludens.gdl.formulas import Atom, Literal, Rule
from ludens.gdl.rewrite import AUXILIARY
from ludens.gdl.terms import Term, Variable, is_ground, variables
from ludens.gdl.validate.graph import RuleGraph
from ludens.gdl.validate.instances import FactTables, connected, instantiated
from ludens.gdl.validate.sheet import Sheet

MAX_INSTANCES = 5_000


def recursive_rules(sheet: Sheet) -> list[Rule]:
    """The rules that may be on a cycle, judged by the names of relations."""
    graph = sheet.rules.dependencies
    recursive = {
        node for component in graph.components for node in component if len(component) > 1 or node in graph.uses(node)
    }
    return [rule for rule in sheet.rules.rules if rule.body and rule.head.signature in recursive]


def check_stratification(sheet: Sheet) -> Iterator[Finding]:
    """No fact may depend on its own absence."""
    graph = RuleGraph(recursive_rules(sheet))
    groups: dict[int, list[Rule]] = {}
    for number, rule in enumerate(graph.rules):
        groups.setdefault(graph.component(number), []).append(rule)
    suspects = [groups[group] for group in {graph.component(number): 0 for number, _, _ in _negations_on_cycles(graph)}]
    facts = FactTables(sheet.rules, [rule for rules in suspects for rule in rules])
    for rules in suspects:
        finer = RuleGraph(_instances(rules, facts))
        for number, target, negation in _negations_on_cycles(finer):
            yield _negative_cycle(sheet, [negation, *finer.way_back(target, number)])
            break


def _negations_on_cycles(graph: RuleGraph) -> Iterator[tuple[int, int, Literal]]:
    """The negated conditions that close a circle: with the number of their rule and where they lead."""
    for number in range(len(graph.rules)):
        for target, literal in graph.on_cycle(number):
            if not literal.positive:
                yield number, target, literal


def _instances(rules: list[Rule], facts: FactTables) -> list[Rule]:
    """The rules with their variables replaced by what facts allow them to be; unchanged where that is too much."""
    members = {rule.head.signature for rule in rules}
    result: list[Rule] = []
    for rule in rules:
        recursive = [literal for literal in rule.body if literal.atom.signature in members]
        wanted = {*rule.head.variables(), *(name for literal in recursive for name in literal.atom.variables())}
        bindings = facts.bindings(connected(rule.body, wanted), wanted)
        if bindings is None or len(bindings) > MAX_INSTANCES:
            result.append(rule)
            continue
        for binding in bindings:
            body = tuple(Literal(instantiated(literal.atom, binding), literal.positive) for literal in recursive)
            result.append(Rule(instantiated(rule.head, binding), body, rule.span))
    return result


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
    """What a recursive condition asks for is fixed, asked for by the head, or listed by a condition off the cycle."""
    graph = RuleGraph(recursive_rules(sheet))
    growing = {graph.component(number) for number in range(len(graph.rules)) if _grows(graph, number)}
    reported: set[object] = set()
    for number, rule in enumerate(graph.rules):
        recursive = [literal for _, literal in graph.on_cycle(number)]
        listed = _listed(rule, recursive)
        for literal in recursive:
            loose = [argument for argument in literal.atom.args if not _is_tied(argument, rule, listed)]
            place = rule.span or rule
            if loose and place not in reported:
                reported.add(place)
                yield _loose_recursion(sheet, rule, literal.atom, loose[0], graph.component(number) in growing)


def _listed(rule: Rule, recursive: list[Literal]) -> set[Term]:
    """The arguments of the positive conditions that are not on the cycle."""
    return {
        argument
        for literal in rule.body
        if literal.positive and literal not in recursive and literal.atom.name != "distinct"
        for argument in literal.atom.args
    }


def _is_tied(argument: Term, rule: Rule, listed: set[Term]) -> bool:
    return is_ground(argument) or argument in rule.head.args or argument in listed


def _grows(graph: RuleGraph, number: int) -> bool:
    """Whether the head wraps a value that comes from the cycle itself into a function."""
    rule = graph.rules[number]
    recursive = [literal for _, literal in graph.on_cycle(number)]
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
