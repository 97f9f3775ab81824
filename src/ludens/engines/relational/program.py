"""What the compiler knows of a game before it plans: numbers for words, what never changes, and how big things are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from ludens.core import GroundTerm
from ludens.engines.relational.flatten import CONSTANT, FlatRules, family_of, keyword_of, shared_domains
from ludens.engines.relational.statics import static_facts
from ludens.gdl.formulas import Atom, Clause, Formula, Literal, Not, Rule, Signature
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, Variable, constants, natural_key

UNSEEN = 0.3
"""How often a word stands at a place where it was not seen."""
ASKED = ("legal", "goal", "next", "terminal")

Interval: TypeAlias = tuple[int, int]
"""The least and the greatest number that can stand at a place."""
Row: TypeAlias = tuple[int, ...]


class Lifetime(Enum):
    """How long derived facts stay valid."""

    GAME = 0
    STATE = 1
    STEP = 2


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


@dataclass(frozen=True, slots=True)
class Size:
    """How many facts a relation has, how many words there are for each place, and how often each stands there."""

    rows: float
    words: tuple[int, ...]
    frequencies: tuple[Mapping[int, int], ...]

    @classmethod
    def of(cls, rows: Sequence[Row], arity: int) -> Size:
        """Of facts that are all known."""
        counts = tuple(Counter(row[index] for row in rows) for index in range(arity))
        return cls(float(len(rows)), tuple(map(len, counts)), counts)

    def matching(self, known: Sequence[int | None]) -> float:
        """How many facts match where some arguments are known: words by their numbers, others are 0."""
        found = self.rows
        for value, words, frequency in zip(known, self.words, self.frequencies, strict=True):
            if value:
                found *= max(UNSEEN, frequency.get(value, 0)) / max(1.0, self.rows)
            elif value == 0:
                found /= max(1, words)
        return found


@dataclass(slots=True)
class GameProgram:
    """Everything that planning and writing code start from."""

    flat: FlatRules
    roles: tuple[str, ...]
    terms: Terms
    lifetimes: Mapping[Signature, Lifetime]
    intervals: Mapping[tuple[Signature, int], Interval | None]
    rules_of: Mapping[Signature, tuple[Rule, ...]]
    """The rules of what has to be derived in a state."""
    statics: dict[Signature, list[Row]]
    """The facts of what never changes."""
    fluents: tuple[Signature, ...]
    word_counts: Mapping[tuple[Signature, int], int]
    """How many words there are for each place of each family."""
    sizes: dict[Signature, Size] = field(default_factory=dict)

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
    lifetimes = _lifetimes(flat.rules)
    statics = _static_facts(flat, terms, lifetimes, check)
    rules_of: dict[Signature, list[Rule]] = {}
    for rule in flat.rules:
        if rule.head.signature not in statics:
            rules_of.setdefault(rule.head.signature, []).append(rule)
    program = GameProgram(
        flat,
        roles,
        terms,
        lifetimes,
        intervals,
        {signature: tuple(rules) for signature, rules in rules_of.items()},
        statics,
        tuple(family for family in families if keyword_of(family[0]) == "true"),
        {place: len(found) for place, found in zip(places, words, strict=True)},
    )
    for signature, rows in statics.items():
        program.sizes[signature] = Size.of(rows, signature[1])
    _count_fluents(program, samples)
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


def _lifetimes(rules: Sequence[Rule]) -> dict[Signature, Lifetime]:
    graph = Rules(_clauses(rules)).dependencies
    lifetimes: dict[Signature, Lifetime] = {}
    for rule in rules:
        for atom in _atoms(rule):
            if keyword_of(atom.name) in ("true", "does"):
                lifetimes[atom.signature] = Lifetime.STATE if keyword_of(atom.name) == "true" else Lifetime.STEP
    for component in graph.components:
        used = {lifetimes.get(target, Lifetime.GAME) for member in component for target in graph.uses(member)}
        shortest = max(used, key=lambda lifetime: lifetime.value, default=Lifetime.GAME)
        for member in component:
            lifetimes.setdefault(member, shortest)
    return lifetimes


def _clauses(rules: Iterable[Rule]) -> list[Clause]:
    def formula(literal: Literal) -> Formula:
        return literal.atom if literal.positive else Not(literal.atom)

    return [Clause(rule.head, tuple(map(formula, rule.body)), rule.span) for rule in rules]


def _static_facts(
    flat: FlatRules, terms: Terms, lifetimes: Mapping[Signature, Lifetime], check: Callable[[], None]
) -> dict[Signature, list[Row]]:
    """The facts of all relations that never change and are asked for by what does; those that are too many are not."""
    static = [rule for rule in flat.rules if lifetimes[rule.head.signature] is Lifetime.GAME]
    known = static_facts(static, check)
    asked = {
        literal.atom.signature
        for rule in flat.rules
        if rule.head.signature not in known or keyword_of(rule.head.name) in ASKED
        for literal in rule.body
    }
    return {
        signature: sorted(tuple(map(terms.number, fact)) for fact in facts)
        for signature, facts in known.items()
        if signature in asked
    }


def _count_fluents(program: GameProgram, samples: Sequence[frozenset[GroundTerm]]) -> None:
    """How many facts of each kind a state has, and how often each word stands there: the most that were seen."""
    for fluent in program.fluents:
        words = tuple(program.word_counts.get((fluent, index), 1) for index in range(fluent[1]))
        rows = 0.5
        frequencies = tuple(Counter[int]() for _ in words)
        for sample in samples:
            facts = [columns for fact in sample if (columns := columns_of(program.flat, fluent, fact)) is not None]
            rows = max(rows, len(facts))
            for index, frequency in enumerate(frequencies):
                frequency |= Counter(program.terms.number(columns[index]) for columns in facts)
        program.sizes[fluent] = Size(rows, words, frequencies)
