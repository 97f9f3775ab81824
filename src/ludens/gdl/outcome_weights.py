"""The weights of outcomes: which random variables moves mention, and how many *units* each outcome counts.

The units of an outcome are its weight divided by the greatest common divisor of all weights of the variable.
Chance draws units, all with the same probability.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import gcd, prod

from ludens.gdl.chance import random_words
from ludens.gdl.domains import ArgumentDomains
from ludens.gdl.formulas import Atom, Clause, Rule, with_numbered_variables
from ludens.gdl.keywords import CHANCE, RANDOM_ARITY
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, Variable, is_ground, variables

MAX_UNITS = 10_000
"""The limit on the units of a variable, and on the combinations of variables that are drawn together."""
MAX_WEIGHT_SUM = 200_000
"""The limit on the sum of the units of all different weights of a variable."""


@dataclass(frozen=True)
class WeightTable:
    """The possible weights of one random variable."""

    units: Mapping[str, int]
    """The units of each positive weight that can occur."""
    numbers: frozenset[str]
    """The numbers that can be weights."""
    non_numeric: frozenset[str]
    """Other words that can come to stand for a weight; nothing can be drawn then."""
    ambiguous: bool
    """Whether one outcome may have several weights in one state."""
    max_units: int
    """The largest number of units in a state, where an outcome has one weight."""


def random_names(rules: Rules) -> tuple[str, ...]:
    """Return the random variables, in the order of their definitions."""
    heads = (rule.head.args[0] for rule in rules.rules_for(CHANCE, RANDOM_ARITY))
    return tuple(dict.fromkeys(name for name in heads if isinstance(name, str)))


def moves_by_chance(rules: Rules) -> tuple[Term, ...]:
    """Return the moves in heads of `legal` and `input` that mention random variables, each once."""
    names = random_names(rules)
    heads = [rule.head for relation in ("legal", "input") for rule in rules.rules_for(relation, 2)]
    chancy = (head.args[1] for head in heads if any(random_words(head.args[1], names)))
    return tuple(dict.fromkeys(with_numbered_variables(Clause(Atom("", (move,)))).head.args[0] for move in chancy))


def names_in_moves(rules: Rules) -> tuple[str, ...]:
    """Return the random variables that moves mention, in the order of their definitions."""
    names = random_names(rules)
    used = {name for move in moves_by_chance(rules) for name in random_words(move, names)}
    return tuple(name for name in names if name in used)


def weight_tables(rules: Rules, names: Iterable[str]) -> dict[str, WeightTable]:
    """Return the weights of some random variables."""
    defined = rules.rules_for(CHANCE, RANDOM_ARITY)
    domains = ArgumentDomains(rules.rules) if any(rule.body for rule in defined) else ArgumentDomains(())
    return {name: _weight_table([rule for rule in defined if rule.head.args[0] == name], domains) for name in names}


def _weight_table(defined: Sequence[Rule], domains: ArgumentDomains) -> WeightTable:
    words = [_words(rule, rule.head.args[1], domains) for rule in defined]
    possible = frozenset[str]().union(*words)
    numbers = frozenset(word for word in possible if word.isascii() and word.isdecimal())
    weights = {word: int(word) for word in sorted(numbers) if int(word) > 0}
    divisor = gcd(*weights.values())
    units = {word: weight // divisor for word, weight in weights.items()}
    max_units = sum(
        outcome_count(rule, domains) * max((units[word] for word in own if word in units), default=0)
        for rule, own in zip(defined, words, strict=True)
    )
    return WeightTable(units, numbers, possible - numbers, _is_ambiguous(defined, units), max_units)


def _is_ambiguous(defined: Sequence[Rule], units: Mapping[str, int]) -> bool:
    """Return whether an outcome may have several weights in one state."""
    pairs = {rule.head.args[1:] for rule in defined}
    heavy = [(weight, outcome) for weight, outcome in pairs if isinstance(weight, Variable) or weight in units]
    certain = all(is_ground(weight) and is_ground(outcome) for weight, outcome in heavy)
    return len(units) > 1 and not (certain and len({outcome for _, outcome in heavy}) == len(heavy))


def _words(rule: Rule, term: Term, domains: ArgumentDomains) -> frozenset[str]:
    """Return the possible words of a term in the head of a rule; a compound term is never a number."""
    if isinstance(term, Variable):
        return domains.values(rule).get(term, frozenset())
    return frozenset({term if isinstance(term, str) else f"{term[0]}/{len(term) - 1}"})


def outcome_count(rule: Rule, domains: ArgumentDomains) -> int:
    """Return an upper bound on the outcomes of a rule of `random`, by the words of each place."""
    values = domains.values(rule) if rule.body else {}
    found = set(variables(rule.head.args[2]))
    return prod(_term_count(values.get(name, frozenset()), domains, ()) for name in found)


def _term_count(words: Iterable[str], domains: ArgumentDomains, inside: tuple[str, ...]) -> int:
    """Return an upper bound on the terms for these words, at least 1; more than `MAX_UNITS` are not counted."""
    total = 0
    for word in words:
        name, _, arity = word.rpartition("/")
        if not name or not arity.isdecimal():
            total += 1
        elif word in inside or total > MAX_UNITS:
            return MAX_UNITS + 1
        else:
            places = [domains.words("function", name, int(arity), index) for index in range(int(arity))]
            total += prod(_term_count(place, domains, (*inside, word)) for place in places)
    return max(1, total)
