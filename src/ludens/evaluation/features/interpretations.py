"""The three ways to read a number off an expression.

Solution cardinality: for how much it holds. Symbol distance: how far what it holds for is from what it names, summed
over all solutions; or, as proximity, how much less than the farthest that is. Partial solution: which share of its
conditions is met, in the best case, or of its alternatives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal as OneOf
from typing import TypeAlias

from ludens.analysis.facts import GameFacts
from ludens.core import GroundTerm
from ludens.evaluation.features.atoms import Atoms, Instance
from ludens.evaluation.features.candidates import CandidateDomains, candidate_patterns
from ludens.evaluation.features.patterns import Pattern, Table
from ludens.runtime.deadline import Deadline

Interpretation = OneOf["cardinality", "distance", "proximity", "partial"]
ORDER: tuple[Interpretation, ...] = ("cardinality", "distance", "proximity", "partial")
"""The simplest first."""

DECISIVE: tuple[Table, ...] = (("relation", "goal", 2), ("relation", "terminal", 0))
MAX_SHARES = 1_000
"""Instances of an expression whose conditions are looked at."""
MAX_CONJUNCTIONS = 6_000
"""Of all expressions together."""
MAX_FEATURES = 3_000


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


def measures(
    facts: GameFacts, atoms: Atoms, domains: CandidateDomains, deadline: Deadline
) -> tuple[list[Measure], tuple[str, ...]]:
    """All candidates, each way to compute a number once; the simplest expression for it counts. And what is left out.

    When the deadline has passed, those that were found so far.
    """
    found: dict[Reading, Measure] = {}
    left_out: dict[str, None] = {}
    instances = _Instances(atoms)
    for measure in chain(_decisive(instances, left_out), _all_interpreted(facts, atoms, domains, instances, left_out)):
        if measure.reading in found:
            continue
        if deadline.passed or len(found) >= MAX_FEATURES:
            left_out[f"all but the first {len(found):,} features"] = None
            break
        found[measure.reading] = measure
    kept = _with_few_conjunctions(found.values(), left_out)
    return sorted(kept, key=lambda measure: ORDER.index(measure.interpretation)), tuple(left_out)


def _with_few_conjunctions(found: Iterable[Measure], left_out: dict[str, None]) -> list[Measure]:
    """Without shares that have too many conjunctions together: first come those of goals and of the end, then the most
    general, then the smallest.

    What differs in its words only stands or falls together, so that no side has what another lacks.
    """
    kept: list[Measure] = []
    groups: dict[tuple[bool, Table, tuple[int, ...]], list[Measure]] = {}
    for measure in found:
        if isinstance(measure.reading, BestShare):
            table = measure.pattern.table
            groups.setdefault((table not in DECISIVE, table, measure.pattern.fixed), []).append(measure)
        else:
            kept.append(measure)
    room = MAX_CONJUNCTIONS
    for _, group in sorted(groups.items(), key=lambda item: (item[0][0], len(item[0][2]), _conjunctions(item[1]))):
        if (count := _conjunctions(group)) <= room:
            room -= count
            kept += group
        else:
            left_out[_too_many_conditions(group[0].pattern)] = None
    return kept


def _conjunctions(group: Sequence[Measure]) -> int:
    return sum(len(measure.reading.conditions) for measure in group if isinstance(measure.reading, BestShare))


def _too_many_conditions(pattern: Pattern) -> str:
    return f"how far the conditions of {pattern.name} are met: they are too many"


def _all_interpreted(
    facts: GameFacts, atoms: Atoms, domains: CandidateDomains, instances: _Instances, left_out: dict[str, None]
) -> Iterator[Measure]:
    for pattern in candidate_patterns(facts, atoms, domains, left_out):
        yield from _interpreted(pattern, atoms, domains, instances, left_out)


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


def _interpreted(
    pattern: Pattern, atoms: Atoms, domains: CandidateDomains, instances: _Instances, left_out: dict[str, None]
) -> Iterator[Measure]:
    columns = atoms.columns(pattern)
    if columns:
        yield Measure("cardinality", pattern, Sum(columns, (1.0,) * len(columns)))
    if distance := distance_measure(pattern, atoms, domains):
        yield distance
    if pattern.kind == "relation":
        found = instances.of(pattern)
        if distance := _distance_of_defined(pattern, found, atoms, domains):
            yield distance
        if share := partial_measure(pattern, found, left_out):
            yield share


def distance_measure(pattern: Pattern, atoms: Atoms, domains: CandidateDomains) -> Measure | None:
    """Return how far the solutions are from the words of an expression that lie in a row or a graph."""
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


def proximity_measure(distance: Measure) -> Measure:
    """By how much all solutions together are nearer than the farthest place, where one counts as much as none."""
    assert isinstance(distance.reading, Sum)
    farthest = max(distance.reading.weights)
    weights = tuple(farthest - weight for weight in distance.reading.weights)
    return replace(distance, interpretation="proximity", reading=replace(distance.reading, weights=weights))


def _distance_of_defined(
    pattern: Pattern, instances: Sequence[Instance], atoms: Atoms, domains: CandidateDomains
) -> Measure | None:
    """Return how far fluents are from those that a relation is defined by, each instance by one; the nearest counts."""
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


def partial_measure(pattern: Pattern, instances: Sequence[Instance], left_out: dict[str, None]) -> Measure | None:
    """Return the share of conditions that is met, if each instance has several; or else that of alternatives."""
    conditions = tuple(dict.fromkeys(instance.conditions for instance in instances))
    if len(conditions) > 1 and all(len(one) == 1 for one in conditions):
        alternatives = tuple(sorted(one[0] for one in conditions))
        if alternatives[0] < 0:  # some must not hold; how many of several are met is the same for "and" and "or"
            return Measure("partial", pattern, BestShare((alternatives,)))
        return Measure("partial", pattern, Sum(alternatives, (1 / len(alternatives),) * len(alternatives)))
    if not conditions or min(map(len, conditions)) < 2:
        return None
    if len(conditions) > MAX_SHARES:
        left_out[_too_many_conditions(pattern)] = None
        return None
    return Measure("partial", pattern, BestShare(conditions))


def _decisive(instances: _Instances, left_out: dict[str, None]) -> Iterator[Measure]:
    """Yield how far the conditions of each goal value and of the end are met."""
    for table in DECISIVE:
        for head in instances.heads(table):
            pattern = Pattern("relation", table[1], head)
            if share := partial_measure(pattern, instances.of(pattern), left_out):
                yield share
