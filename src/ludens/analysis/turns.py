"""Whose turn it is: the fluent that tells, and the order of turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.modes import Evidence, FluentTable
from ludens.analysis.states import SampledStates
from ludens.core import GroundTerm
from ludens.gdl.formulas import Signature

NOBODY = -1


@dataclass(frozen=True, slots=True)
class Control:
    """A fluent of which one fact holds at a time, and tells who has a choice then."""

    signature: Signature
    turns: Mapping[GroundTerm, int]
    """The role, by its place, whose turn it is while a fact holds."""
    order: tuple[int, ...]
    """The roles in the order of their turns, if each is always followed by the same; otherwise empty."""
    evidence: Evidence = "sampled"
    order_evidence: Evidence = "sampled"


def find_control(states: SampledStates, tables: Mapping[Signature, FluentTable]) -> Control | None:
    """The fluent with the fewest facts that says whose turn it is; none for roles that move at the same time."""
    chooser = choosers(states)
    found = [
        control
        for table in tables.values()
        if len(table.facts) > 1 and not _counts_steps(table, states) and (control := _control(table, states, chooser))
    ]
    return min(found, key=lambda control: len(control.turns), default=None)


def choosers(states: SampledStates) -> NDArray[np.int32]:
    """[states]: the role that alone has a choice, NOBODY if none has, and -2 if several have."""
    choosing = states.choices > 1
    counts = choosing.sum(axis=1)
    return np.where(counts == 1, choosing.argmax(axis=1), np.where(counts == 0, NOBODY, -2)).astype(np.int32)


def movers(states: SampledStates, control: Control | None) -> NDArray[np.int32]:
    """[states]: the role whose turn it is; negative if that is not known."""
    chooser = choosers(states)
    if control:
        places = {fluent: place for place, fluent in enumerate(states.fluents)}
        for fact, role in control.turns.items():
            chooser[states.bits[:, places[fact]]] = role
    return chooser


def _control(table: FluentTable, states: SampledStates, chooser: NDArray[np.int32]) -> Control | None:
    going = ~states.terminal
    if (chooser == -2).any() or not (table.bits[going].sum(axis=1) == 1).all():
        return None
    turns: dict[GroundTerm, int] = {}
    for place, arguments in enumerate(table.facts):
        roles = set(chooser[table.bits[:, place]].tolist()) - {NOBODY}
        if len(roles) > 1:
            return None
        if roles:
            turns[(table.signature[0], *arguments)] = roles.pop()
    if len(set(turns.values())) < 2:
        return None
    return Control(table.signature, turns, _order(table, states, turns))


def _order(table: FluentTable, states: SampledStates, turns: Mapping[GroundTerm, int]) -> tuple[int, ...]:
    """The cycle of roles, each with the one that always follows; empty if there is none."""
    roles = np.array([turns.get((table.signature[0], *arguments), NOBODY) for arguments in table.facts])
    turn = roles[table.bits.argmax(axis=1)]
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
    """Whether no fact holds at two different depths: then it tells the time, and whose turn it is only by that."""
    return all(len(set(states.depths[table.bits[:, place]].tolist())) <= 1 for place in range(len(table.facts)))
