"""Quantities: fluents whose output is an amount, or a place in a row; and step counters, which count the moves made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

from ludens.analysis.boards import Board, argument_orders
from ludens.analysis.modes import Evidence, FluentModes, FluentTable, Key
from ludens.analysis.orders import Order, Orders
from ludens.analysis.relations import sheet_place
from ludens.analysis.states import SampledStates, signature_of
from ludens.core import GroundTerm
from ludens.game import Game
from ludens.gdl.formulas import Signature
from ludens.runtime.lazy import load_object

if TYPE_CHECKING:
    from ludens.analysis.counters import StepCounter
    from ludens.engines.sliced.tables import CircuitTables

MIN_COUNTER = 3
"""Two facts of which the second follows the first are a beginning, not a count."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """An argument that has an order, and is determined by others."""

    signature: Signature
    key: Key
    argument: int
    order: Order


@dataclass(frozen=True, slots=True)
class Counter:
    """Facts of which the i-th holds after i joint moves, and at no other time."""

    facts: tuple[GroundTerm, ...]
    ends_at: int | None
    """The count at which the game ends whatever happened, if it is known."""
    evidence: Evidence

    @property
    def signature(self) -> Signature:
        return signature_of(self.facts[0])


def find_quantity(table: FluentTable, modes: FluentModes, orders: Orders, board: Board | None) -> Quantity | None:
    """Return the one ordered output of a fluent, unless it is a coordinate."""
    if board:
        order = board.content_order
        return Quantity(table.signature, board.key, board.content_arguments[0], order) if _counts(order) else None
    ordered = {index: order for index, order in argument_orders(table, orders).items() if _counts(order)}
    for key in modes.keys:
        if key.trivial:
            continue
        amounts = [index for index in ordered if index not in key.inputs]
        if len(amounts) == 1:
            return Quantity(table.signature, key, amounts[0], ordered[amounts[0]])
    return None


def _counts(order: Order | None) -> TypeGuard[Order]:
    """Return whether an order is long enough to count with."""
    return order is not None and len(order.words) > (3 if order.wraps else 2)


def find_counters(
    game: Game, states: SampledStates, tables: Mapping[Signature, FluentTable], sheet_order: Mapping[str, int]
) -> list[Counter]:
    """Return the longest step counters, the best first; proved for a compiled game, otherwise sampled."""
    if game.engine.circuit is not None:
        found = _proved_counters(game.engine.circuit, sheet_order)
    else:
        found = [counter for table in tables.values() if (counter := _sampled_counter(table, states))]
    longest = max((len(counter.facts) for counter in found), default=0)
    return [counter for counter in found if len(counter.facts) == longest >= MIN_COUNTER]


def _proved_counters(circuit: CircuitTables, sheet_order: Mapping[str, int]) -> list[Counter]:
    """Return the counters of a compiled game; equally good ones in the order of the sheet."""
    step_counters = load_object("ludens.analysis.counters:step_counters")

    def rank(counter: StepCounter) -> tuple[object, ...]:
        return (*counter.rank, [sheet_place(circuit.fluents[number], sheet_order) for number in counter.fluents])

    return [
        Counter(tuple(circuit.fluents[number] for number in counter.fluents), counter.ends_at, "proved")
        for counter in sorted(step_counters(circuit), key=rank)
    ]


def _sampled_counter(table: FluentTable, states: SampledStates) -> Counter | None:
    """Return the counter of facts that hold one after the other, each at one depth only; None if they do not."""
    if not (table.bits.sum(axis=1) == 1).all():
        return None
    shown = table.bits.argmax(axis=1)
    at_depth: dict[int, set[int]] = {}
    for depth, place in set(zip(states.depths.tolist(), shown.tolist(), strict=True)):
        at_depth.setdefault(depth, set()).add(place)
    places = [next(iter(at_depth[depth])) for depth in sorted(at_depth)]
    if any(len(found) > 1 for found in at_depth.values()) or len(set(places)) < len(places):
        return None
    return Counter(tuple((table.signature[0], *table.facts[place]) for place in places), None, "sampled")
