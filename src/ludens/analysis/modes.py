"""Input and output arguments of fluents: which arguments determine the others.

`(cell ?x ?y ?c)` has the inputs ?x and ?y if no cell ever has two contents. A set of inputs is found by looking at
sampled states, which refute all others; whether it holds in every state is proved elsewhere (`induction`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.domain_graph import DomainGraph, argument_position
from ludens.analysis.relations import sheet_place
from ludens.analysis.states import Bits, SampledStates
from ludens.core import GroundTerm
from ludens.gdl.domains import ArgumentDomains
from ludens.gdl.formulas import Signature

Evidence = Literal["proved", "sampled", "refuted"]
"""Proved for every state that play can reach; seen in all sampled states; false in one of them."""

MAX_HELD = 1_000_000
"""The limit on true facts of one fluent, in all states together."""
SPOT_CHECK_STATES = 200
"""The number of states in a quick check that refutes most keys and exclusions."""
MAX_PAIRS = 100
"""The limit on pairs of fluents that are checked for exclusion."""
MAX_ARITY = 7
"""Fluents with more arguments are skipped."""


@dataclass(frozen=True, slots=True)
class Key:
    """Arguments of a fluent that determine the others: the inputs. Without inputs only one fact holds at a time."""

    inputs: tuple[int, ...]
    evidence: Evidence = "sampled"
    full: bool = False
    """Whether there is always an output, for all inputs that the initial state has; and it has all there can be."""
    full_evidence: Evidence = "refuted"
    trivial: bool = False
    """Whether no two facts that can ever hold have the same inputs: then it tells nothing about the states."""


@dataclass(frozen=True)
class _Holding:
    """The true facts of some states."""

    states: int
    state: NDArray[np.int64]
    fact: NDArray[np.int64]

    @classmethod
    def of(cls, bits: Bits) -> _Holding:
        state, fact = np.nonzero(bits)
        return cls(len(bits), state, fact)

    def groups_held(self, groups: NDArray[np.int64]) -> int | None:
        """Return the number of groups with a true fact, over all states; None if one had two at a time."""
        found = np.zeros((self.states, int(groups.max()) + 1), np.bool_)
        found[self.state, groups[self.fact]] = True
        count = int(np.count_nonzero(found))
        return count if count == len(self.fact) else None


@dataclass(frozen=True)
class FluentTable:
    """The facts of one fluent in the sampled states."""

    signature: Signature
    facts: tuple[tuple[GroundTerm, ...], ...]
    """The arguments of each fact."""
    bits: Bits
    """[states, facts]"""
    more_words: tuple[tuple[GroundTerm, ...], ...] | None = None
    """For each argument the words that the rules allow, if the facts are only those that were seen."""

    @property
    def arity(self) -> int:
        return self.signature[1]

    def words(self, argument: int) -> tuple[GroundTerm, ...]:
        """Return the words of an argument: all possible ones, or those seen if not all facts are known."""
        return tuple(dict.fromkeys(fact[argument] for fact in self.facts))

    def allowed_words(self, argument: int) -> tuple[GroundTerm, ...]:
        """Return the words of an argument, with those that the rules allow if few facts were seen."""
        more = self.more_words[argument] if self.more_words and len(self.bits) < SPOT_CHECK_STATES else ()
        return tuple(dict.fromkeys([*self.words(argument), *more]))

    def groups(self, arguments: Iterable[int]) -> NDArray[np.int64]:
        """Return [facts]: a number for each combination of these arguments."""
        numbers: dict[tuple[GroundTerm, ...], int] = {}
        chosen = tuple(arguments)
        return np.array(
            [numbers.setdefault(tuple(fact[i] for i in chosen), len(numbers)) for fact in self.facts], np.int64
        )

    @cached_property
    def _holding(self) -> _Holding:
        """The true facts of the distinct states, up to the limit."""
        packed = np.packbits(self.bits, axis=1)
        first: dict[bytes, int] = {}
        for row, bits in enumerate(packed):
            first.setdefault(bits.tobytes(), row)
        rows = np.array(list(first.values()))
        held = np.cumsum(self.bits[rows].sum(axis=1))
        return _Holding.of(self.bits[rows[: max(1, int(np.searchsorted(held, MAX_HELD)))]])

    @cached_property
    def _spot_check(self) -> _Holding:
        """The true facts of some states from the whole sample; they refute most keys."""
        return _Holding.of(self.bits[:: max(1, len(self.bits) // SPOT_CHECK_STATES)])

    def key(self, inputs: tuple[int, ...]) -> Key | None:
        """Return the arguments as a key; None if there was a state where they do not determine the others."""
        groups = self.groups(inputs)
        if self._spot_check.groups_held(groups) is None or (held := self._holding.groups_held(groups)) is None:
            return None
        full = held == (int(groups.max()) + 1) * self._holding.states
        trivial = self.more_words is None and int(groups.max()) + 1 == len(groups)
        return Key(inputs, full=full, full_evidence="sampled" if full else "refuted", trivial=trivial)

    @cached_property
    def was_seen(self) -> bool:
        return bool(self.bits.any())


@dataclass(frozen=True)
class FluentModes:
    """The smallest sets of inputs of one fluent, the best first; none if no argument depends on the others."""

    signature: Signature
    keys: tuple[Key, ...]

    def evidence(self, inputs: Iterable[int]) -> Evidence:
        """Return the evidence for a set of inputs; a subset that determines the others suffices."""
        wanted = set(inputs)
        if len(wanted) == self.signature[1]:
            return "proved"
        found = [key.evidence for key in self.keys if wanted.issuperset(key.inputs)]
        return "proved" if "proved" in found else "sampled" if "sampled" in found else "refuted"

    def modes(self, key: Key) -> str:
        """Return the modes in the notation of Kuhlmann and others: `+` for an input, `-` for an output."""
        return "".join("+" if index in key.inputs else "-" for index in range(self.signature[1]))


def fluent_tables(
    states: SampledStates, sheet_order: Mapping[str, int], domains: ArgumentDomains | None = None
) -> dict[Signature, FluentTable]:
    """Return the sampled states by fluent, in the order of the sheet, without plain words and very wide fluents.

    `domains` tells which words the rules allow where, if the fluents of the states are only those that were seen.
    """

    def allowed(signature: Signature) -> tuple[tuple[GroundTerm, ...], ...] | None:
        if states.exhaustive or domains is None:
            return None
        found = (domains.words(*argument_position(signature, index)) for index in range(signature[1]))
        return tuple(tuple(sorted(sheet_order.keys() & words, key=sheet_order.__getitem__)) for words in found)

    def key(place: int) -> list[int]:
        return sheet_place(states.fluents[place], sheet_order)

    tables = {}
    columns = {signature: sorted(places, key=key) for signature, places in states.columns.items()}
    for signature, places in sorted(columns.items(), key=lambda column: (key(column[1][0])[:1], column[0][1])):
        if 1 <= signature[1] <= MAX_ARITY:
            facts = tuple(tuple(states.fluents[place][1:]) for place in places)
            tables[signature] = FluentTable(signature, facts, states.bits[:, places], allowed(signature))
    return tables


def sampled_modes(tables: Mapping[Signature, FluentTable]) -> dict[Signature, FluentModes]:
    """Return the smallest keys of each fluent that was seen, as far as the sampled states tell."""
    return {
        signature: FluentModes(signature, tuple(_keys(table)))
        for signature, table in tables.items()
        if table.was_seen and len(table.facts) > 1
    }


def _keys(table: FluentTable) -> list[Key]:
    found: list[Key] = []
    for size in range(table.arity):
        for inputs in combinations(range(table.arity), size):
            if not any(set(inputs).issuperset(smaller.inputs) for smaller in found) and (key := table.key(inputs)):
                found.append(key)
    return found


def with_evidence(
    modes: FluentModes, proved: Collection[tuple[int, ...]], full: Collection[tuple[int, ...]], table: FluentTable
) -> FluentModes:
    """Return the modes after an attempt to prove them; larger keys are added where only these were proved."""
    keys = [
        replace(
            key,
            evidence="proved" if key.inputs in proved else key.evidence,
            full_evidence="proved" if key.inputs in full else key.full_evidence,
        )
        for key in modes.keys
    ]
    smaller = [set(key.inputs) for key in keys if key.evidence == "proved"]
    larger = [
        replace(table.key(inputs) or Key(inputs), evidence="proved")
        for inputs in sorted(proved)
        if not any(part <= set(inputs) for part in smaller)
    ]
    return FluentModes(modes.signature, (*keys, *larger))


def exclusive_pairs(
    tables: Mapping[Signature, FluentTable], modes: Mapping[Signature, FluentModes], graph: DomainGraph
) -> Iterator[tuple[tuple[Signature, tuple[int, ...]], tuple[Signature, tuple[int, ...]]]]:
    """Yield pairs of fluents of which, in the sample, only one fact has the same inputs at a time."""
    keyed = [(signature, key.inputs) for signature, mode in modes.items() for key in mode.keys if key.inputs]
    keyed += [(signature, tuple(range(signature[1]))) for signature, mode in modes.items() if not mode.keys]
    for one, other in islice(combinations(keyed, 2), MAX_PAIRS):
        positions = [[argument_position(fluent, index) for index in inputs] for fluent, inputs in (one, other)]
        if one[0] == other[0] or len(one[1]) != len(other[1]):
            continue
        alike = all(graph.connected(here, there) for here, there in zip(*positions, strict=True))
        if alike and not _meet(tables[one[0]], one[1], tables[other[0]], other[1]):
            yield one, other


def _meet(one: FluentTable, inputs: Sequence[int], other: FluentTable, other_inputs: Sequence[int]) -> bool:
    """Return whether some state of a quick check had a fact of each with the same inputs."""
    step = max(1, len(one.bits) // SPOT_CHECK_STATES)
    bits, other_bits = one.bits[::step], other.bits[::step]
    places: dict[tuple[GroundTerm, ...], list[int]] = {}
    for place, fact in enumerate(one.facts):
        places.setdefault(tuple(fact[index] for index in inputs), []).append(place)
    for place, fact in enumerate(other.facts):
        rivals = places.get(tuple(fact[index] for index in other_inputs), [])
        if (bits[:, rivals].any(axis=1) & other_bits[:, place]).any():
            return True
    return False
