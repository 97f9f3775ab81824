"""The `random` relation of stochastic GDL, and how it differs from the role of that name in GDL-II."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from ludens.errors import Finding
from ludens.gdl.chance import random_words
from ludens.gdl.formulas import Atom, Literal, Rule
from ludens.gdl.keywords import CHANCE, RANDOM_ARITY
from ludens.gdl.outcome_weights import MAX_UNITS, MAX_WEIGHT_SUM, WeightTable, names_in_moves, weight_tables
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term
from ludens.gdl.validate.carried import carried_variables
from ludens.gdl.validate.keywords import check_keyword_arity
from ludens.gdl.validate.placement import check_dependencies
from ludens.gdl.validate.sheet import Sheet
from ludens.gdl.validate.values import check_random_weights

MAX_VARIABLES = 40
"""The limit on random variables in the moves of a sheet."""


def check_random_names(sheet: Sheet) -> Iterator[Finding]:
    """A random variable is a plain word, since only the referee may give it a value."""
    for head in sheet.heads(CHANCE, RANDOM_ARITY):
        if not isinstance(head.args[0], str):
            yield sheet.finding(
                "random-name",
                head.span,
                f"the random variable {sheet.text(head.args[0])} is not a plain word",
                "name it by one word, such as `dice` in `(random dice 1 6)`",
            )


def random_variables(sheet: Sheet) -> dict[str, Atom]:
    """Return the random variables with the first atom that defines each."""
    heads = reversed(sheet.heads(CHANCE, RANDOM_ARITY))
    return {head.args[0]: head for head in heads if isinstance(head.args[0], str)}


def check_random_variables(sheet: Sheet) -> Iterator[Finding]:
    """Players learn outcomes from moves only: a random variable stands in the moves of `legal` and nowhere else."""
    names = random_variables(sheet)
    reported: set[tuple[str, str]] = set()
    heads = [(clause.head, True) for clause in sheet.clauses]
    bodies = [(atom, False) for _, atom in sheet.body_atoms]
    for atom, is_head in heads + bodies:
        for place in _elsewhere(atom, is_head):
            for word in random_words(place, names):
                if (word, atom.name) not in reported:
                    reported.add((word, atom.name))
                    yield sheet.finding(
                        "random-variable-misplaced",
                        sheet.span_of(word, atom),
                        f"the random variable {sheet.text(word)} stands in `{atom.name}`",
                        "use it only inside the move of `legal`; the announced move has the outcome in its place",
                    )


def _elsewhere(atom: Atom, is_head: bool) -> tuple[Term, ...]:
    """Return the arguments in which no random variable may stand; another check judges their number."""
    if is_head and atom.name == CHANCE:
        return atom.args[1:] if len(atom.args) == RANDOM_ARITY else ()
    if is_head and atom.signature in (("legal", 2), ("input", 2)):
        return atom.args[:1]
    return atom.args


def check_random_carried(sheet: Sheet) -> Iterator[Finding]:
    """The text of a move shows all random variables in it, so that everybody knows what is to be drawn."""
    reported: set[object] = set()
    for rule, variable in carried_variables(sheet.rules, tuple(random_variables(sheet))):
        place = (rule.span or rule, variable)
        if place not in reported:
            reported.add(place)
            in_move = "write the random variable itself in the move, or take over a whole move of `legal`"
            yield sheet.finding(
                "random-variable-misplaced",
                sheet.span_of(variable, rule.head),
                f"{sheet.text(variable)} in `{rule.head.name}` can stand for a random variable, or for a term with one",
                "take outcomes from other conditions" if rule.head.name == CHANCE else in_move,
            )


def check_random_use(sheet: Sheet) -> Iterator[Finding]:
    """A random variable that stands in no move is never drawn."""
    used = names_in_moves(sheet.rules)
    for name, head in random_variables(sheet).items():
        if name not in used:
            yield sheet.finding(
                "random-variable-unused",
                head.span,
                f"the random variable {sheet.text(name)} stands in no move of a `legal` rule",
                "use it in a move, such as `(legal ?player (roll dice))`, or remove it",
            )


def check_random_twofold(sheet: Sheet) -> Iterator[Finding]:
    """Outcomes are announced as moves of a role `random`, or by the relation in the moves of others, not both."""
    facts = [head for head in sheet.heads("role", 1) if head.args[0] == CHANCE]
    if facts and sheet.heads(CHANCE, RANDOM_ARITY):
        yield sheet.finding(
            "random-twofold",
            facts[0].span,
            "the sheet has both a role `random` and a relation `random`",
            "use one notion of chance: a role that moves at random, or random variables in moves",
        )


def check_random_weights_size(sheet: Sheet) -> Iterator[Finding]:
    """The weights leave something to draw, and no more combinations than can be listed."""
    names = names_in_moves(sheet.rules)
    first, tables = random_variables(sheet), weight_tables(sheet.rules, names)
    if len(names) > MAX_VARIABLES:
        message = f"the moves mention more than {MAX_VARIABLES} random variables"
        remedy = "use fewer, and the same one again in later moves"
        yield sheet.finding("random-combinations", first[names[MAX_VARIABLES]].span, message, remedy)
    for name in names:
        for code, message, remedy in _weight_problems(tables[name]):
            yield sheet.finding(code, first[name].span, f"the random variable {sheet.text(name)} {message}", remedy)
    if all(table.max_units <= MAX_UNITS for table in tables.values()):
        yield from _check_combinations(sheet, {name: max(1, table.max_units) for name, table in tables.items()})


def _weight_problems(table: WeightTable) -> Iterator[tuple[str, str, str]]:
    """Yield code, message and remedy."""
    if not table.units and not table.non_numeric:
        remedy = "give an outcome a weight above 0, such as `(random dice 1 6)`"
        yield "random-weightless", "has no outcome with a weight above 0, so nothing can be drawn", remedy
    if table.max_units > MAX_UNITS:
        message = f"has weights that can add up to more than {MAX_UNITS:,}"
        remedy = "give smaller weights in the same proportions; what they have in common is divided out"
        yield "random-weights-large", message, remedy
    elif sum(table.units.values()) > MAX_WEIGHT_SUM:
        message = f"can have too many different weights: all of them together are more than {MAX_WEIGHT_SUM:,}"
        yield "random-weights-large", message, "let the rule of `random` allow fewer or smaller weights"


def _check_combinations(sheet: Sheet, units: dict[str, int]) -> Iterator[Finding]:
    """Variables drawn together have as many combinations as the product of their units.

    Chance draws for all moves that are legal in a state: at least for those with the same conditions.
    """
    moves = [(rule, set(random_words(rule.head.args[1], units))) for rule in sheet.rules.rules_for("legal", 2)]
    chancy = [(rule, _conditions(rule), own) for rule, own in moves if own]
    for rule, _, own in chancy:
        if prod(units[name] for name in own) > MAX_UNITS:
            message = f"{_variables(sheet, own)} of one move have more than {MAX_UNITS:,} combinations"
            remedy = "draw for them in several moves, one after the other"
            yield sheet.finding("random-combinations", rule.head.span, message, remedy)
            return
    for rule, conditions, _ in chancy:
        together = set[str]().union(*(own for _, others, own in chancy if others <= conditions))
        if prod(units[name] for name in together) > MAX_UNITS:
            what = f"moves that are legal at the same time have more than {MAX_UNITS:,} combinations"
            remedy = "let fewer of these moves be legal at once; chance draws for all of them"
            message = f"{_variables(sheet, together)} of {what}"
            yield sheet.finding("random-combinations-possible", rule.head.span, message, remedy)
            return


def _variables(sheet: Sheet, names: Iterable[str]) -> str:
    return f"the random variables {', '.join(sheet.rules.spelling.get(name, name) for name in sorted(names))}"


def _conditions(rule: Rule) -> frozenset[Literal]:
    """Return the conditions of a rule but for those that only name the role."""
    return frozenset(literal for literal in rule.body if literal.atom.name != "role")


def chance_errors(rules: Rules) -> list[Finding]:
    """Return the errors for which random variables have no definite meaning, or cannot be drawn."""
    sheet = Sheet(rules)
    found = [
        *check_keyword_arity(sheet, (CHANCE,)),
        *check_random_names(sheet),
        *check_random_weights(sheet),
        *check_random_variables(sheet),
        *check_random_carried(sheet),
        *check_random_twofold(sheet),
        *check_dependencies(sheet, (CHANCE,)),
    ]
    errors = [finding for finding in found if finding.severity == "error"]
    return errors or [finding for finding in check_random_weights_size(sheet) if finding.severity == "error"]
