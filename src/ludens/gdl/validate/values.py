"""The numbers of a sheet: goal values and the weights of chance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from ludens.errors import Finding
from ludens.gdl.domains import ArgumentDomains
from ludens.gdl.formulas import Rule
from ludens.gdl.keywords import ARITIES, CHANCE, RANDOM_ARITY
from ludens.gdl.terms import Term, Variable
from ludens.gdl.validate.fact_tables import FactTables, connected
from ludens.gdl.validate.sheet import Sheet, listed

MAX_GOAL = 100


def is_goal_value(term: Term) -> bool:
    """Return whether a term is an integer from 0 to 100.

    >>> [is_goal_value(value) for value in ("0", "100", "101", "-1", "half", "5.0")]
    [True, True, False, False, False, False]
    """
    return _is_natural(term) and int(str(term)) <= MAX_GOAL


def _is_natural(term: Term) -> bool:
    return isinstance(term, str) and term.isascii() and term.isdigit()


def check_goal_values(sheet: Sheet) -> Iterator[Finding]:
    """Goal values are integers from 0 to 100."""
    yield from _check_values(sheet, ("goal", ARITIES["goal"]), "goal value", is_goal_value, "an integer from 0 to 100")


def check_random_weights(sheet: Sheet) -> Iterator[Finding]:
    """The weights of chance are integers from 0 on, also those that come from the state."""
    domains = cache(lambda: ArgumentDomains(sheet.rules.rules))
    found = _check_values(
        sheet,
        (CHANCE, RANDOM_ARITY),
        "random weight",
        _is_natural,
        "an integer from 0 on",
        lambda rule, weight: domains().values(rule).get(weight, frozenset()),
    )
    yield from found


def _check_values(
    sheet: Sheet,
    relation: tuple[str, int],
    kind: str,
    is_good: Callable[[Term], bool],
    wanted: str,
    from_state: Callable[[Rule, Variable], Iterable[Term]] = lambda rule, value: (),
) -> Iterator[Finding]:
    """Check second arguments; where one is a variable, the facts or else the state may tell its values."""
    code = kind.replace(" ", "-")
    rules = sheet.rules.relations.get(relation, ())
    facts = FactTables(sheet.rules, [rule for rule in rules if isinstance(rule.head.args[1], Variable)])
    reported: set[object] = set()
    for rule in rules:
        values, certain = _values(rule, facts, from_state)
        bad = sorted({sheet.text(value) for value in values if not is_good(value)})
        place = rule.span or rule
        if not bad or place in reported:
            continue
        reported.add(place)
        verb = "is" if certain else "can become"
        yield sheet.finding(
            code if certain else f"{code}-possible",
            rule.head.span,
            f"the {kind} {verb} {listed(bad)}, which is not {wanted}",
            f"give {wanted}" if certain else f"add a condition that keeps it {wanted}",
        )


def _values(
    rule: Rule, facts: FactTables, from_state: Callable[[Rule, Variable], Iterable[Term]]
) -> tuple[list[Term], bool]:
    """Return the possible values of the second argument of the head, and whether all are certain."""
    value = rule.head.args[1]
    if not isinstance(value, Variable):
        return [value], True
    certain = all(facts.decides(literal) for literal in rule.body)
    literals = rule.body if certain else connected(rule.body, {value})
    bindings = facts.bindings(literals, [value]) or []
    known = [binding[value] for binding in bindings if value in binding]
    return known or ([] if certain else list(from_state(rule, value))), certain
