"""Turns: the fluent that tells whose turn it is, and the order of turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.modes import Evidence, FluentTable
from ludens.analysis.states import Bits, SampledStates
from ludens.core import GroundTerm
from ludens.gdl.formulas import Signature

NOBODY = -1
SEVERAL = -2


MAX_TURNS = 40
"""The limit on the facts of a fluent that is combined with another."""


@dataclass(frozen=True, slots=True)
class Control:
    """A fluent of which one fact holds whenever a role has a choice, and tells which; or two such fluents together."""

    signature: Signature
    turns: Mapping[GroundTerm, int]
    """The role, by its place, whose turn it is while a fact holds."""
    order: tuple[int, ...]
    """The roles in the order of their turns, if each is always followed by the same; otherwise empty."""
    evidence: Evidence = "sampled"
    order_evidence: Evidence = "sampled"
    other: Signature | None = None
    """The second fluent."""
    idle: tuple[GroundTerm, ...] = ()
    """Facts that never held while a role had a choice; not all of them were seen to hold."""


@dataclass(frozen=True)
class _Turns:
    """Facts that may tell whose turn it is."""

    facts: tuple[GroundTerm, ...]
    bits: Bits
    """[states, facts]"""

    @classmethod
    def of(cls, *tables: FluentTable) -> _Turns:
        facts = tuple((table.signature[0], *arguments) for table in tables for arguments in table.facts)
        return cls(facts, np.concatenate([table.bits for table in tables], axis=1))


def find_control(states: SampledStates, tables: Mapping[Signature, FluentTable]) -> Control | None:
    """Return the fluent with the fewest facts that says whose turn it is; none for roles that move at the same time."""
    chooser = choosers(states)
    if (chooser == SEVERAL).any():
        return None
    single = [table for table in tables.values() if len(table.facts) > 1 and not _counts_steps(table, states)]
    found = [control for table in single if (control := _control((table,), states, chooser))]
    if not found:
        small = [table for table in single if len(table.facts) <= MAX_TURNS]
        found = [control for pair in combinations(small, 2) if (control := _control(pair, states, chooser))]
    return min(found, key=lambda control: len(control.turns), default=None)


def choosers(states: SampledStates) -> NDArray[np.int32]:
    """Return [states]: the role that alone has a choice, NOBODY or SEVERAL."""
    choosing = states.choices > 1
    counts = choosing.sum(axis=1)
    return np.where(counts == 1, choosing.argmax(axis=1), np.where(counts == 0, NOBODY, SEVERAL)).astype(np.int32)


def movers(states: SampledStates, control: Control | None) -> NDArray[np.int32]:
    """Return [states]: the role whose turn it is; negative if that is not known."""
    chooser = choosers(states)
    if control:
        places = {fluent: place for place, fluent in enumerate(states.fluents)}
        for fact, role in control.turns.items():
            chooser[states.bits[:, places[fact]]] = role
    return chooser


def _control(tables: Sequence[FluentTable], states: SampledStates, chooser: NDArray[np.int32]) -> Control | None:
    told = _Turns.of(*tables)
    holding = told.bits.sum(axis=1)
    if (holding[~states.terminal] > 1).any() or not holding[chooser >= 0].all():
        return None
    turns: dict[GroundTerm, int] = {}
    for place, fact in enumerate(told.facts):
        roles = set(chooser[told.bits[:, place]].tolist()) - {NOBODY}
        if len(roles) > 1:
            return None
        if roles:
            turns[fact] = roles.pop()
    if len(set(turns.values())) < 2:
        return None
    first, *others = (table.signature for table in tables)
    return Control(
        first,
        turns,
        _order(told, states, turns),
        other=others[0] if others else None,
        idle=tuple(fact for fact in told.facts if fact not in turns),
    )


def _order(told: _Turns, states: SampledStates, turns: Mapping[GroundTerm, int]) -> tuple[int, ...]:
    """Return the cycle of roles, each with the one that always follows; empty if there is none."""
    roles = np.array([turns.get(fact, NOBODY) for fact in told.facts])
    turn = np.where(told.bits.any(axis=1), roles[told.bits.argmax(axis=1)], NOBODY)
    before, after = states.steps
    kept = ~states.terminal[after]
    follows: dict[int, set[int]] = {}
    for one, other in set(zip(turn[before][kept].tolist(), turn[after][kept].tolist(), strict=True)):
        follows.setdefault(one, set()).add(other)
    order = [int(turn[0])]
    while len(following := follows.get(order[-1], set())) == 1:
        (role,) = following
        if role in order:
            return tuple(order) if role == order[0] and len(order) > 1 and NOBODY not in order else ()
        order.append(role)
    return ()


def _counts_steps(table: FluentTable, states: SampledStates) -> bool:
    """Return whether no fact holds at two depths: such a fluent tells the time, and turns only by that."""
    return all(len(set(states.depths[table.bits[:, place]].tolist())) <= 1 for place in range(len(table.facts)))
