"""What the compiler knows of a game before it plans: numbers for words, what never changes, and how big things are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ludens.core import GroundTerm
from ludens.engines.joins import Lifetime, LookupKind, RelationSizes, find_lifetimes, is_fact
from ludens.engines.relational.flatten import CONSTANT, FlatRules, family_of, keyword_of, shared_domains
from ludens.engines.relational.statics import static_facts
from ludens.gdl.dependencies import DependencyGraph
from ludens.gdl.formulas import Atom, Rule, Signature
from ludens.gdl.terms import Term, Variable, constants, natural_key

UNKNOWN_TERMS = 100.0
"""How many terms can stand at a place, by guess, where some are compound."""
ASKED = ("legal", "goal", "next", "terminal")

Interval: TypeAlias = tuple[int, int]
"""The least and the greatest number that can stand at a place."""
Row: TypeAlias = tuple[int, ...]


class Terms:
    """Numbers for terms: words first, then compound terms in the order in which they are met."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self._numbers: dict[GroundTerm, int] = {word: number for number, word in enumerate(words, start=1)}
        self.first_compound = len(words) + 1
        self.compounds: list[tuple[int, ...]] = []
        """For each compound term the number of its function and those of its arguments."""
        self._compound_numbers: dict[tuple[int, ...], int] = {}
        self.functors: dict[tuple[str, int], int] = {}

    def word(self, word: str) -> int:
        """The number of a word; KeyError if the rules do not have it."""
        return self._numbers[word]

    def functor(self, name: str, arity: int) -> int:
        return self.functors.setdefault((name, arity), len(self.functors) + 1)

    def compound(self, number: int) -> tuple[int, ...] | None:
        """The number of the function of a compound term and those of its arguments; None for a word."""
        return self.compounds[number - self.first_compound] if number >= self.first_compound else None

    def number(self, term: GroundTerm) -> int:
        """The number of a term, a new one if it is compound and was not met before."""
        if isinstance(term, str):
            return self._numbers[term]
        key = (self.functor(str(term[0]), len(term) - 1), *(self.number(part) for part in term[1:]))
        if key not in self._compound_numbers:
            self._compound_numbers[key] = self.first_compound + len(self.compounds)
            self.compounds.append(key)
        return self._compound_numbers[key]


@dataclass(slots=True)
class GameProgram:
    """Everything that planning and writing code start from."""

    flat: FlatRules
    graph: DependencyGraph
    roles: tuple[str, ...]
    terms: Terms
    lifetimes: Mapping[Signature, Lifetime]
    intervals: Mapping[tuple[Signature, int], Interval | None]
    rules_of: Mapping[Signature, tuple[Rule, ...]]
    """The rules of what has to be derived in a state."""
    statics: dict[Signature, list[Row]]
    """The facts of what never changes."""
    fluents: tuple[Signature, ...]
    place_sizes: Mapping[tuple[Signature, int], float]
    """How many words there are for each place of each family."""
    facts: RelationSizes
    fluent_sizes: RelationSizes

    def kind_of(self, signature: Signature) -> LookupKind:
        """Return where a relation is looked up that is no keyword of the language."""
        return LookupKind.CALL if signature in self.rules_of else LookupKind.FACTS

    def place_size(self, signature: Signature, index: int) -> float:
        return self.place_sizes.get(((family_of(signature[0]), signature[1]), index), 1.0)

    def interval(self, signature: Signature, index: int) -> Interval | None:
        """What can stand at a place; None if that is not known."""
        return self.intervals.get(((family_of(signature[0]), signature[1]), index))


def analyse(
    flat: FlatRules,
    roles: tuple[str, ...],
    samples: Sequence[frozenset[GroundTerm]],
    check: Callable[[], None] = lambda: None,
) -> GameProgram:
    """Number the words, work out what never changes, and look at some states to see how big things are.

    `check` is called again and again, and may raise to break off.
    """
    domains = shared_domains(flat.rules)
    signatures = sorted({atom.signature for rule in flat.rules for atom in _atoms(rule)})
    families = dict.fromkeys((family_of(name), arity) for name, arity in signatures)
    places = [(family, index) for family in families for index in range(family[1])]
    words = [domains.words("relation", name, arity, index) for (name, arity), index in places]
    terms = Terms(_ordered_words(flat, roles, words))
    for functor in sorted(_functors(flat)):
        terms.functor(*functor)
    known = set(terms.words)
    intervals: dict[tuple[Signature, int], Interval | None] = {}
    for place, found in zip(places, words, strict=True):
        numbers = [terms.word(word) for word in found if word in known]
        is_flat = len(numbers) == len(found) and place[0][0] not in ("distinct", CONSTANT)
        intervals[place] = (min(numbers, default=1), max(numbers, default=0)) if is_flat else None
    sizes = {
        place: float(max(1, len(found))) if intervals[place] else UNKNOWN_TERMS
        for place, found in zip(places, words, strict=True)
    }
    graph = DependencyGraph.of(flat.rules)
    given = {"true": Lifetime.STATE, "does": Lifetime.STEP}
    lifetimes = find_lifetimes(
        graph, {each: given[keyword_of(each[0])] for each in signatures if keyword_of(each[0]) in given}
    )
    listed = _static_facts(flat, lifetimes, check)
    facts, rules_of = RelationSizes(), dict[Signature, list[Rule]]()
    for rule in flat.rules:
        if rule.head.signature not in listed:
            rules_of.setdefault(rule.head.signature, []).append(rule)
    for signature, rows in listed.items():
        facts.observe(signature, rows)
    for signature, rules in rules_of.items():
        facts.observe(signature, [rule.head.args for rule in rules if is_fact(rule)])
    program = GameProgram(
        flat,
        graph,
        roles,
        terms,
        lifetimes,
        intervals,
        {signature: tuple(rules) for signature, rules in rules_of.items()},
        {signature: sorted(tuple(map(terms.number, fact)) for fact in rows) for signature, rows in listed.items()},
        tuple(family for family in families if keyword_of(family[0]) == "true"),
        sizes,
        facts,
        RelationSizes(lambda fluent: [int(sizes[fluent, index]) for index in range(fluent[1])]),
    )
    for fluent in program.fluents:
        for sample in samples:
            columns = (columns_of(flat, fluent, fact) for fact in sample)
            program.fluent_sizes.observe(fluent, [row for row in columns if row is not None])
    return program


def match(pattern: Term, term: GroundTerm, found: dict[Variable, GroundTerm]) -> bool:
    """Whether a term fits a pattern whose variables are all different; what they stand for goes to `found`."""
    if isinstance(pattern, Variable):
        found[pattern] = term
        return True
    if isinstance(pattern, str) or isinstance(term, str):
        return pattern == term
    return (
        len(pattern) == len(term)
        and pattern[0] == term[0]
        and all(match(part, other, found) for part, other in zip(pattern[1:], term[1:], strict=True))
    )


def columns_of(flat: FlatRules, fluent: Signature, fact: GroundTerm) -> tuple[GroundTerm, ...] | None:
    """The arguments of a fact as the flat relation has them; None if it belongs to another relation."""
    (pattern,) = flat.template(fluent)
    found: dict[Variable, GroundTerm] = {}
    if isinstance(pattern, Variable) and not isinstance(fact, str) and fluent[0] != "true":
        return None
    return tuple(found[Variable(str(i))] for i in range(fluent[1])) if match(pattern, fact, found) else None


def _atoms(rule: Rule) -> Iterable[Atom]:
    return rule.head, *(literal.atom for literal in rule.body)


def _functors(flat: FlatRules) -> set[tuple[str, int]]:
    """The functions of all terms that are left, and of the facts and moves that relations stand for."""
    found: set[tuple[str, int]] = set()
    waiting = [term for rule in flat.rules for atom in _atoms(rule) for term in atom.args]
    waiting += [term for template in flat.templates.values() for term in template]
    while waiting:
        term = waiting.pop()
        if isinstance(term, tuple):
            found.add((str(term[0]), len(term) - 1))
            waiting += term[1:]
    return found


def _ordered_words(flat: FlatRules, roles: Sequence[str], places: Sequence[frozenset[str]]) -> list[str]:
    """All words, those that stand at the same places next to each other, so that places have narrow intervals."""
    found = {word for rule in flat.rules for atom in _atoms(rule) for term in atom.args for word in constants(term)}
    where: dict[str, list[int]] = {word: [] for word in sorted(found.union(roles))}
    for number, words in enumerate(places):
        for word in words:
            if word in where:
                where[word].append(number)
    return sorted(where, key=lambda word: (where[word], natural_key(word)))


def _static_facts(
    flat: FlatRules, lifetimes: Mapping[Signature, Lifetime], check: Callable[[], None]
) -> dict[Signature, list[tuple[GroundTerm, ...]]]:
    """Return the facts of relations that never change and are asked for by what does, unless they are too many."""
    static = [rule for rule in flat.rules if lifetimes[rule.head.signature] is Lifetime.GAME]
    known = static_facts(static, check)
    asked = {
        literal.atom.signature
        for rule in flat.rules
        if rule.head.signature not in known or keyword_of(rule.head.name) in ASKED
        for literal in rule.body
    }
    return {signature: facts for signature, facts in known.items() if signature in asked}
