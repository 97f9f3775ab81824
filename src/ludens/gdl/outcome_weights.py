"""The tickets that chance draws: which random variables moves mention, and how many tickets each outcome has.

An outcome of weight v has v tickets, divided by what all weights of the variable have in common.
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

MAX_TICKETS = 10_000
"""So many tickets a variable may have, and so many combinations those that are drawn together."""
MAX_SHARES = 200_000
"""So much all weights that one variable can have may add up to."""


@dataclass(frozen=True)
class WeightTable:
    """The tickets of one variable."""

    shares: Mapping[str, int]
    """For each weight that can occur how many tickets it gives."""
    numbers: frozenset[str]
    """The numbers that can be weights."""
    strange: frozenset[str]
    """What else can come to stand for a weight; nothing can be drawn then."""
    clashing: bool
    """Whether one outcome may have several weights in one state."""
    most: int
    """How many tickets a state can have, where an outcome has one weight."""


def random_names(rules: Rules) -> tuple[str, ...]:
    """The random variables, in the order of their definitions."""
    heads = (rule.head.args[0] for rule in rules.rules_for(CHANCE, RANDOM_ARITY))
    return tuple(dict.fromkeys(name for name in heads if isinstance(name, str)))


def moves_by_chance(rules: Rules) -> tuple[Term, ...]:
    """The moves in heads of `legal` and `input` that mention random variables, each once."""
    names = random_names(rules)
    heads = [rule.head for relation in ("legal", "input") for rule in rules.rules_for(relation, 2)]
    chancy = (head.args[1] for head in heads if any(random_words(head.args[1], names)))
    return tuple(dict.fromkeys(with_numbered_variables(Clause(Atom("", (move,)))).head.args[0] for move in chancy))


def names_in_moves(rules: Rules) -> tuple[str, ...]:
    """The random variables that moves mention, in the order of their definitions."""
    names = random_names(rules)
    used = {name for move in moves_by_chance(rules) for name in random_words(move, names)}
    return tuple(name for name in names if name in used)


def lots(rules: Rules, names: Iterable[str]) -> dict[str, WeightTable]:
    defined = rules.rules_for(CHANCE, RANDOM_ARITY)
    domains = ArgumentDomains(rules.rules) if any(rule.body for rule in defined) else ArgumentDomains(())
    return {name: _lots_of([rule for rule in defined if rule.head.args[0] == name], domains) for name in names}


def _lots_of(defined: Sequence[Rule], domains: ArgumentDomains) -> WeightTable:
    words = [_words(rule, rule.head.args[1], domains) for rule in defined]
    possible = frozenset[str]().union(*words)
    numbers = frozenset(word for word in possible if word.isascii() and word.isdecimal())
    weights = {word: int(word) for word in sorted(numbers) if int(word) > 0}
    unit = gcd(*weights.values())
    shares = {word: weight // unit for word, weight in weights.items()}
    most = sum(
        outcome_count(rule, domains) * max((shares[word] for word in own if word in shares), default=0)
        for rule, own in zip(defined, words, strict=True)
    )
    return WeightTable(shares, numbers, possible - numbers, _may_clash(defined, shares), most)


def _may_clash(defined: Sequence[Rule], shares: Mapping[str, int]) -> bool:
    pairs = {rule.head.args[1:] for rule in defined}
    heavy = [(weight, outcome) for weight, outcome in pairs if isinstance(weight, Variable) or weight in shares]
    certain = all(is_ground(weight) and is_ground(outcome) for weight, outcome in heavy)
    return len(shares) > 1 and not (certain and len({outcome for _, outcome in heavy}) == len(heavy))


def _words(rule: Rule, term: Term, domains: ArgumentDomains) -> frozenset[str]:
    """What a word in the head of a rule can be; a compound term is strange, however it is called."""
    if isinstance(term, Variable):
        return domains.values(rule).get(term, frozenset())
    return frozenset({term if isinstance(term, str) else f"{term[0]}/{len(term) - 1}"})


def outcome_count(rule: Rule, domains: ArgumentDomains) -> int:
    """How many outcomes a rule of `random` can give at most, as far as the words of each place tell."""
    values = domains.values(rule) if rule.body else {}
    found = set(variables(rule.head.args[2]))
    return prod(_term_count(values.get(name, frozenset()), domains, ()) for name in found)


def _term_count(words: Iterable[str], domains: ArgumentDomains, inside: tuple[str, ...]) -> int:
    """How many terms there can be for these words, at least one; too many to be counted are as many as never fit."""
    total = 0
    for word in words:
        name, _, arity = word.rpartition("/")
        if not name or not arity.isdecimal():
            total += 1
        elif word in inside or total > MAX_TICKETS:
            return MAX_TICKETS + 1
        else:
            places = [domains.words("function", name, int(arity), index) for index in range(int(arity))]
            total += prod(_term_count(place, domains, (*inside, word)) for place in places)
    return max(1, total)
