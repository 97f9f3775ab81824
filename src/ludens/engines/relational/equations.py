"""Conditions that say that two terms are the same: each is solved, and the rule is written without it.

So a variable that has its value only from such a condition is gone before anybody asks what it can stand for.
"""

from __future__ import annotations

from collections.abc import Mapping

from ludens.errors import CompileError
from ludens.gdl.formulas import Atom, Literal, Rule
from ludens.gdl.terms import Term, Variable, constants, substitute, variables

MAX_SYMBOLS = 20_000
"""In one rule: equations that follow from each other can double its terms again and again."""


def without_equations(rule: Rule) -> Rule | None:
    """The rule without each `(not (distinct ...))` that has a known side; None if two terms are never the same."""
    while (literal := _solvable(rule)) is not None:
        rest = tuple(each for each in rule.body if each != literal)
        left, right = literal.atom.args
        if isinstance(right, Variable):
            left, right = right, left
        if left == right:
            rule = Rule(rule.head, rest, rule.span)
        elif isinstance(left, Variable):
            if left in variables(right):
                return None
            rule = substituted(Rule(rule.head, rest, rule.span), {left: right})
            _check_length(rule)
        elif isinstance(left, tuple) and isinstance(right, tuple) and _same_function(left, right):
            parts = tuple(Literal(Atom("distinct", pair), False) for pair in zip(left[1:], right[1:], strict=True))
            rule = Rule(rule.head, rest + parts, rule.span)
        else:
            return None
    return rule


def substituted(rule: Rule, binding: Mapping[Variable, Term]) -> Rule:
    def atom(before: Atom) -> Atom:
        return Atom(before.name, tuple(substitute(argument, binding) for argument in before.args), before.span)

    return Rule(atom(rule.head), tuple(Literal(atom(each.atom), each.positive) for each in rule.body), rule.span)


def _solvable(rule: Rule) -> Literal | None:
    """A condition that two terms are the same, one of which is known by other conditions."""
    known = {
        variable
        for literal in rule.body
        if literal.positive and literal.atom.name != "distinct"
        for variable in literal.atom.variables()
    }
    for literal in rule.body:
        is_equation = not literal.positive and literal.atom.name == "distinct"
        if is_equation and any(known.issuperset(variables(side)) for side in literal.atom.args):
            return literal
    return None


def _same_function(left: tuple[Term, ...], right: tuple[Term, ...]) -> bool:
    return left[0] == right[0] and len(left) == len(right)


def _check_length(rule: Rule) -> None:
    terms = [term for atom in (rule.head, *(literal.atom for literal in rule.body)) for term in atom.args]
    if sum(1 for term in terms for part in (constants(term), variables(term)) for _ in part) > MAX_SYMBOLS:
        raise CompileError("a rule says of too many terms in terms that they are the same; use fewer of them")
