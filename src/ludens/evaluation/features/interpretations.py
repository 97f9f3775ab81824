"""The three ways to read a number off an expression.

Solution cardinality: for how much it holds. Symbol distance: how far what it holds for is from what it names, summed
over all solutions. Partial solution: which share of its conditions is met, in the best case, or of its alternatives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal as OneOf
from typing import TypeAlias

from ludens.analysis.facts import GameFacts
from ludens.core import Deadline, GroundTerm
from ludens.evaluation.features.atoms import Atoms, Instance
from ludens.evaluation.features.candidates import Domains, candidate_patterns
from ludens.evaluation.features.patterns import Pattern, Table

Interpretation = OneOf["cardinality", "distance", "partial"]
ORDER: tuple[Interpretation, ...] = ("cardinality", "distance", "partial")
"""The simplest first."""

MOST_SHARES = 1_000
"""Instances of an expression whose conditions are looked at."""
MOST_CONJUNCTIONS = 6_000
"""Of all expressions together; those of goals and of the end come first."""
MOST_FEATURES = 3_000


@dataclass(frozen=True, slots=True)
class Sum:
    """Atoms with weights; the weights of those that hold are summed up."""

    columns: tuple[int, ...]
    weights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class BestShare:
    """Conjunctions: the greatest share of conditions that is met in one of them."""

    conditions: tuple[tuple[int, ...], ...]
    """Columns; `~column` where the atom must not hold."""


Reading: TypeAlias = Sum | BestShare


@dataclass(frozen=True, slots=True)
class Measure:
    """An expression under one interpretation: a number for every state."""

    interpretation: Interpretation
    pattern: Pattern
    reading: Reading
    targets: tuple[int, ...] = ()
    """Of a distance: the atoms that are at distance 0; none if a piece becomes another one there."""


def measures(facts: GameFacts, atoms: Atoms, domains: Domains, deadline: Deadline) -> list[Measure]:
    """All candidates, each way to compute a number once; the simplest expression for it counts.

    When the deadline has passed, those that were found so far.
    """
    found: dict[Reading, Measure] = {}
    instances = _Instances(atoms)
    conjunctions = 0
    for measure in chain(_decisive(instances), _all_interpreted(facts, atoms, domains, instances)):
        if deadline.passed:
            break
        if measure.reading in found or len(found) >= MOST_FEATURES:
            continue
        if isinstance(measure.reading, BestShare):
            conjunctions += len(measure.reading.conditions)
            if conjunctions > MOST_CONJUNCTIONS:
                continue
        found[measure.reading] = measure
    return sorted(found.values(), key=lambda measure: ORDER.index(measure.interpretation))


def _all_interpreted(facts: GameFacts, atoms: Atoms, domains: Domains, instances: _Instances) -> Iterator[Measure]:
    for pattern in candidate_patterns(facts, atoms, domains):
        yield from _interpreted(pattern, atoms, domains, instances)


class _Instances:
    """The instances of rules by the relation that they derive."""

    def __init__(self, atoms: Atoms) -> None:
        self._found: dict[Table, dict[tuple[GroundTerm, ...], list[Instance]]] = {}
        for instance in atoms.instances:
            table = self._found.setdefault(("relation", instance.relation, len(instance.head)), {})
            table.setdefault(instance.head, []).append(instance)

    def of(self, pattern: Pattern) -> list[Instance]:
        table = self._found.get(pattern.table, {})
        return [instance for head, instances in table.items() if pattern.matches(head) for instance in instances]

    def heads(self, table: Table) -> Iterator[tuple[GroundTerm, ...]]:
        yield from self._found.get(table, ())


def _interpreted(pattern: Pattern, atoms: Atoms, domains: Domains, instances: _Instances) -> Iterator[Measure]:
    columns = atoms.columns(pattern)
    if columns:
        yield Measure("cardinality", pattern, Sum(columns, (1.0,) * len(columns)))
    if distance := distance_measure(pattern, atoms, domains):
        yield distance
    if pattern.kind == "relation":
        found = instances.of(pattern)
        if distance := _distance_of_defined(pattern, found, atoms, domains):
            yield distance
        if share := partial_measure(pattern, found):
            yield share


def distance_measure(pattern: Pattern, atoms: Atoms, domains: Domains) -> Measure | None:
    """How far the solutions are from the words of an expression that lie in a row or a graph."""
    distances = {
        place: steps
        for place in pattern.fixed
        if (steps := domains.distances(pattern.position(place), pattern.arguments[place]))  # type: ignore[arg-type]
    }
    if not distances:
        return None
    abstract = pattern.without_words(distances)
    weights: dict[int, float] = {}
    for arguments, column in atoms.matching(abstract).items():
        weights[column] = float(sum(steps[arguments[place]] for place, steps in distances.items()))
    return _distance(pattern, weights, atoms.columns(pattern))


def _distance_of_defined(
    pattern: Pattern, instances: Sequence[Instance], atoms: Atoms, domains: Domains
) -> Measure | None:
    """How far fluents are from those that a relation is defined by, each instance by one; the nearest counts."""
    targets = [instance.conditions[0] for instance in instances if len(instance.conditions) == 1]
    if not targets or len(targets) < len(instances) or not all(0 <= t < atoms.fluent_count for t in targets):
        return None
    measured: list[Measure] = []
    for target in dict.fromkeys(targets):
        kind, name = atoms.names[target]
        if isinstance(name, str):
            return None
        one = distance_measure(Pattern(kind, str(name[0]), tuple(name[1:])), atoms, domains)
        if one is None or (measured and _columns(one) != _columns(measured[0])):
            return None
        measured.append(one)
    weights = {
        column: min(float(weight) for weight in weights)
        for column, *weights in zip(_columns(measured[0]), *map(_weights, measured), strict=True)
    }
    return _distance(pattern, weights, tuple(dict.fromkeys(targets)))


def _columns(measure: Measure) -> tuple[int, ...]:
    return measure.reading.columns if isinstance(measure.reading, Sum) else ()


def _weights(measure: Measure) -> tuple[float, ...]:
    return measure.reading.weights if isinstance(measure.reading, Sum) else ()


def _distance(pattern: Pattern, weights: dict[int, float], targets: tuple[int, ...]) -> Measure | None:
    if not any(weights.values()):
        return None
    return Measure("distance", pattern, Sum(tuple(weights), tuple(weights.values())), targets)


def partial_measure(pattern: Pattern, instances: Sequence[Instance]) -> Measure | None:
    """The share of conditions that is met, if there are several in each instance; or of alternatives, if of them."""
    conditions = tuple(dict.fromkeys(instance.conditions for instance in instances))
    if len(conditions) > 1 and all(len(one) == 1 and one[0] >= 0 for one in conditions):
        alternatives = tuple(sorted(one[0] for one in conditions))
        return Measure("partial", pattern, Sum(alternatives, (1 / len(alternatives),) * len(alternatives)))
    if not conditions or len(conditions) > MOST_SHARES or min(map(len, conditions)) < 2:
        return None
    return Measure("partial", pattern, BestShare(conditions))


def _decisive(instances: _Instances) -> Iterator[Measure]:
    """How far the conditions of each goal value and of the end are met."""
    tables: tuple[Table, ...] = (("relation", "goal", 2), ("relation", "terminal", 0))
    for table in tables:
        for head in instances.heads(table):
            pattern = Pattern("relation", table[1], head)
            if share := partial_measure(pattern, instances.of(pattern)):
                yield share
