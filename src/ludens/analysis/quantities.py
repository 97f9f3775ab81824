"""Quantities: fluents whose output is an amount; and step counters, which count only the moves made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeGuard

from ludens.analysis.boards import Board, argument_orders
from ludens.analysis.counters import step_counter
from ludens.analysis.modes import Evidence, FluentModes, FluentTable, Key
from ludens.analysis.orders import Order, Orders
from ludens.analysis.states import SampledStates, signature_of
from ludens.core import GroundTerm
from ludens.engines.sliced import SlicedEngine
from ludens.game import Game
from ludens.gdl.formulas import Signature


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
    """The one ordered output of a fluent, unless it is a coordinate."""
    if board:
        order = board.content_order
        return Quantity(table.signature, board.key, board.content_arguments[0], order) if _counts(order) else None
    ordered = {index: order for index, order in argument_orders(table, orders).items() if _counts(order)}
    for key in modes.keys:
        amounts = [index for index in ordered if index not in key.inputs]
        if len(amounts) == 1:
            return Quantity(table.signature, key, amounts[0], ordered[amounts[0]])
    return None


def _counts(order: Order | None) -> TypeGuard[Order]:
    """Whether an order can be that of an amount: it has more than two words, and does not go round."""
    return order is not None and not order.wraps and len(order.words) > 2


def find_counter(game: Game, states: SampledStates, tables: Mapping[Signature, FluentTable]) -> Counter | None:
    """The longest step counter; certain for a game that is compiled, otherwise by what was seen."""
    engine = game.engine
    if isinstance(engine, SlicedEngine):
        known = step_counter(engine)
        if not known:
            return None
        return Counter(tuple(engine.fluents[number] for number in known.fluents), known.ends_at, "proved")
    return max(
        (counter for table in tables.values() if (counter := _seen_counter(table, states))),
        key=lambda counter: len(counter.facts),
        default=None,
    )


def _seen_counter(table: FluentTable, states: SampledStates) -> Counter | None:
    """Facts that hold one after the other, each at one depth and at no other."""
    if not (table.bits.sum(axis=1) == 1).all():
        return None
    shown = table.bits.argmax(axis=1)
    at_depth: dict[int, set[int]] = {}
    for depth, place in set(zip(states.depths.tolist(), shown.tolist(), strict=True)):
        at_depth.setdefault(depth, set()).add(place)
    places = [next(iter(at_depth[depth])) for depth in sorted(at_depth)]
    if any(len(found) > 1 for found in at_depth.values()) or len(set(places)) < len(places) or len(places) < 3:
        return None
    return Counter(tuple((table.signature[0], *table.facts[place]) for place in places), None, "sampled")
